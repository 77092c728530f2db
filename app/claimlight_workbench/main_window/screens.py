"""The presenters and views of the window, and where the views are that are not panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.main_window import panels
from claimlight_workbench.main_window.panels import Panel, ViewT
from claimlight_workbench.models.links import LinkBoard
from claimlight_workbench.screens.about.presenter import AboutPresenter
from claimlight_workbench.screens.adapting.presenter import AdaptingPresenter
from claimlight_workbench.screens.case.held import HeldStrip
from claimlight_workbench.screens.case.presenter import CasePresenter
from claimlight_workbench.screens.cases.presenter import CasesPresenter
from claimlight_workbench.screens.classes.classifiers_presenter import ClassifiersPresenter
from claimlight_workbench.screens.classes.presenter import ClassesPresenter
from claimlight_workbench.screens.classes.statistics_presenter import StatisticsPresenter
from claimlight_workbench.screens.classes.suggest_presenter import SuggestPresenter
from claimlight_workbench.screens.evaluation.presenter import EvaluationPresenter
from claimlight_workbench.screens.expression.presenter import ExpressionPresenter
from claimlight_workbench.screens.expression.view import ExpressionView
from claimlight_workbench.screens.health.presenter import HealthPresenter
from claimlight_workbench.screens.inspector.presenter import InspectorPresenter
from claimlight_workbench.screens.library.address_presenter import AddressPresenter
from claimlight_workbench.screens.library.presenter import LibraryPresenter
from claimlight_workbench.screens.library.strip import EmptyLibrary, WorkStrip
from claimlight_workbench.screens.manual.presenter import ManualPresenter
from claimlight_workbench.screens.map.presenter import MapPresenter
from claimlight_workbench.screens.matrix.presenter import MatrixPresenter
from claimlight_workbench.screens.models.presenter import ModelsPresenter
from claimlight_workbench.screens.progress.presenter import ProgressPresenter
from claimlight_workbench.screens.query.bar import QueryBar
from claimlight_workbench.screens.query.presenter import QueryPresenter
from claimlight_workbench.screens.reader.beside import BesideView, Middle, SideStrip
from claimlight_workbench.screens.reader.beside_words import BESIDE, OPEN
from claimlight_workbench.screens.reader.class_labels import ClassLabelsPresenter
from claimlight_workbench.screens.reader.drawing import DrawingPresenter
from claimlight_workbench.screens.reader.finding import FindPresenter
from claimlight_workbench.screens.reader.presenter import ReaderPresenter
from claimlight_workbench.screens.relations.presenter import RelationsPresenter
from claimlight_workbench.screens.report.presenter import ReportPresenter
from claimlight_workbench.screens.results.presenter import ResultsPresenter
from claimlight_workbench.screens.results.strip import ResidualStrip
from claimlight_workbench.screens.results.view import ResultsView
from claimlight_workbench.screens.sets.presenter import SetsPresenter
from claimlight_workbench.screens.settings.presenter import SettingsPresenter
from claimlight_workbench.screens.training.presenter import TrainingPresenter

if TYPE_CHECKING:
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.main_window.services import Services

WELCOME = tr(
    "This is the sample. Point at a highlighted term to see what it matches. Down and "
    "Up: documents, N and P: passages, 1 to 9: best passage of a feature, ?: all keys."
)
WELCOME_DOCUMENTS = 4
"""After this number of opened documents the hint hides itself."""


class Presenters:
    """One presenter for each screen that asks the engine."""

    def __init__(
        self, services: Services, runner: JobRunner, board: LinkBoard, parent: QWidget, *, beside: LinkBoard
    ) -> None:
        self.query = QueryPresenter(services, runner, parent)
        self.results = ResultsPresenter(services, runner, parent)
        self.reader = ReaderPresenter(services, runner, board, parent)
        self.find = FindPresenter(runner, board.finds, parent)
        self.drawing = DrawingPresenter(services, runner, board, parent)
        self.beside = ReaderPresenter(services, runner, beside, parent, side="beside ")
        self.find_beside = FindPresenter(runner, beside.finds, parent, side="beside ")
        self.drawing_beside = DrawingPresenter(services, runner, beside, parent, side="beside ")
        self.class_labels = ClassLabelsPresenter(services, runner, parent)
        self.library = LibraryPresenter(services, runner, parent)
        self.address = AddressPresenter(services, runner, parent)
        self.case = CasePresenter(services, runner, parent)
        self.expression = ExpressionPresenter(services, runner, parent)
        self.sets = SetsPresenter(services, runner, parent)
        self.progress = ProgressPresenter(services, runner, parent)
        self.relations = RelationsPresenter(services, runner, parent)
        self.classes = ClassesPresenter(services, runner, parent)
        self.suggest = SuggestPresenter(services, runner, parent)
        self.class_statistics = StatisticsPresenter(services, runner, parent)
        self.classifiers = ClassifiersPresenter(services, runner, parent)
        self.inspector = InspectorPresenter(services, runner, parent)
        self.matrix = MatrixPresenter(services, runner, parent)
        self.map = MapPresenter(services, runner, parent)
        self.evaluation = EvaluationPresenter(runner, parent)
        self.adapting = AdaptingPresenter(services, runner, parent)
        self.training = TrainingPresenter(services, runner, parent)
        self.models = ModelsPresenter(services, runner, parent)
        self.settings = SettingsPresenter(services, runner, parent)
        self.manual = ManualPresenter(services, runner, parent)
        self.about = AboutPresenter(services, runner, parent)
        self.health = HealthPresenter(services, runner, parent)
        self.cases = CasesPresenter(services, runner, parent)
        self.report = ReportPresenter(services, runner, parent)

    def members(self) -> tuple[object, ...]:
        """Every presenter."""
        return tuple(vars(self).values())


class Views:
    """One view for each screen; those of panels are made by the rows of `PANELS`.

    The names are for the wiring: a panel that talks to no other has none.
    """

    def __init__(self, board: LinkBoard, *, beside: LinkBoard) -> None:
        self.panels: dict[Panel[Any], QWidget] = {each: each.make_view(board) for each in panels.PANELS}
        self.bar = QueryBar()
        self.results = ResultsView()
        self.expression = ExpressionView()
        self.residual = ResidualStrip()
        self.work = WorkStrip()
        self.held = HeldStrip()
        self.empty = EmptyLibrary()
        self.welcome = WelcomeStrip()
        self.beside = BesideView(beside, BESIDE)
        self.open_side = SideStrip(OPEN)
        self.middle = Middle(_stacked(self.results, self.empty), self.beside)
        self.claim = self._of(panels.CLAIM)
        self.evidence = self._of(panels.EVIDENCE)
        self.reader = self._of(panels.READER)
        self.reader.add_strip(self.open_side)
        self.open_side.hide()
        self.library = self._of(panels.LIBRARY)
        self.case = self._of(panels.CASE)
        self.sets = self._of(panels.SETS)
        self.progress = self._of(panels.PROGRESS)
        self.family = self._of(panels.FAMILY)
        self.citations = self._of(panels.CITATIONS)
        self.class_panel = self._of(panels.CLASSES)
        self.classes = self.class_panel.browse
        self.suggest = self.class_panel.suggest
        self.class_statistics = self.class_panel.statistics
        self.accepted = self.class_panel.accepted
        self.inspector = self._of(panels.CONCEPT)
        self.matrix = self._of(panels.MATRIX)
        self.pairs = self._of(panels.PAIRS)
        self.map = self._of(panels.MAP)
        self.evaluation = self._of(panels.EVALUATION)
        self.adapting = self._of(panels.ADAPTING)
        self.training = self._of(panels.TRAINING)
        self.models = self._of(panels.MODELS)
        self.classifiers = self._of(panels.CLASSIFIERS)
        self.jobs = self._of(panels.JOBS)

    def _of(self, panel: Panel[ViewT]) -> ViewT:
        return cast("ViewT", self.panels[panel])

    def members(self) -> tuple[object, ...]:
        """Every view, once."""
        named = (each for each in vars(self).values() if isinstance(each, QWidget))
        return tuple(dict.fromkeys((*named, *self.panels.values())))


class WelcomeStrip(QWidget):
    """A hint for the first start; closed for good by its button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLabel(WELCOME)
        self.text.setWordWrap(True)
        self.close_button = QToolButton()
        self.close_button.setText(tr("Got it"))
        self.close_button.clicked.connect(self.hide)
        self._opened = 0
        frame = QFrame()
        frame.setObjectName("strip")
        line = QHBoxLayout(frame)
        line.setContentsMargins(*design.STRIP)
        line.addWidget(self.text, 1)
        line.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(design.HAIR, design.HAIR, design.HAIR, design.HAIR)
        column.addWidget(frame)
        self.hide()

    def count_document(self) -> None:
        """A document was opened: after a few of them the hint goes by itself."""
        self._opened += self.isVisible()
        if self._opened >= WELCOME_DOCUMENTS:
            self.close_button.click()


def arrange(window: QMainWindow, views: Views) -> None:
    """Put the views that are not panels in their places."""
    _tool_bar(window, tr("Claim search"), "query-bar", views.bar)
    window.addToolBarBreak(Qt.ToolBarArea.TopToolBarArea)
    _tool_bar(window, tr("Query line"), "line-bar", views.expression)
    middle = QWidget()
    column = QVBoxLayout(middle)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for strip in (views.welcome, views.held, views.work, views.residual):
        column.addWidget(strip)
    column.addWidget(views.middle, 1)
    window.setCentralWidget(middle)


def _stacked(*widgets: QWidget) -> QWidget:
    """Widgets below each other, of which one is shown at a time."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for each in widgets:
        column.addWidget(each, 1)
    return made


def _tool_bar(window: QMainWindow, title: str, name: str, widget: QWidget) -> None:
    bar = QToolBar(title)
    bar.setObjectName(name)
    bar.setMovable(False)
    bar.addWidget(widget)
    window.addToolBar(Qt.ToolBarArea.TopToolBarArea, bar)
