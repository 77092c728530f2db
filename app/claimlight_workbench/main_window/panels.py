"""The panels of the window: one row of `PANELS` for each, from which docks, tabs, menus and keys are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from claimlight_workbench.language import tr
from claimlight_workbench.models.links import LinkBoard
from claimlight_workbench.screens.adapting.view import AdaptingView
from claimlight_workbench.screens.case.view import CaseView
from claimlight_workbench.screens.classes.classifiers_view import ClassifiersView
from claimlight_workbench.screens.classes.panel import ClassPanel
from claimlight_workbench.screens.evaluation.view import EvaluationView
from claimlight_workbench.screens.evidence.view import EvidenceView
from claimlight_workbench.screens.inspector.view import InspectorView
from claimlight_workbench.screens.jobs.view import JobsView
from claimlight_workbench.screens.library.view import LibraryView
from claimlight_workbench.screens.map.view import MapPanel
from claimlight_workbench.screens.matrix.pairs import PairsView
from claimlight_workbench.screens.matrix.view import MatrixView
from claimlight_workbench.screens.models.view import ModelsView
from claimlight_workbench.screens.progress.view import ProgressView
from claimlight_workbench.screens.query.panel import ClaimPanel
from claimlight_workbench.screens.reader.view import ReaderView
from claimlight_workbench.screens.relations.view import CitationPanel, FamilyPanel
from claimlight_workbench.screens.sets.view import SetsView
from claimlight_workbench.screens.training.view import TrainingView

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
BELOW = Qt.DockWidgetArea.BottomDockWidgetArea

ViewT = TypeVar("ViewT", bound=QWidget)


class Place(StrEnum):
    """The layouts of the window, one for each task."""

    SEARCH = "search"
    READ = "read"
    ADMINISTER = "administer"


@dataclass(frozen=True, slots=True)
class Go:
    """The command that goes to a panel."""

    menu: str
    text: str
    keys: tuple[str, ...] = ()
    separated: bool = False
    """After a line in the menu."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Panel(Generic[ViewT]):
    """Everything the window knows of a panel."""

    name: str
    """In saved arrangements and on the command line; never renamed."""
    title: str
    area: Qt.DockWidgetArea
    make_view: Callable[[LinkBoard], ViewT]
    manual: str
    """The section of the manual that `F1` opens."""
    behind: str = ""
    """The panel whose place it shares, as a tab."""
    hidden: bool = False
    """Takes no room until a menu, a key or dropped files open it."""
    administration: bool = False
    """Looks after libraries and models, not a case: it is in the layout *Administer* and in no other."""
    everywhere: bool = False
    """In every layout."""
    of_folder: bool = False
    """Works on the folder of a library, not on a shared one, for which it and the command to it are off."""
    go: Go | None = None
    """None where only the list of panels in the *View* menu opens it."""
    focus: Callable[[ViewT], QWidget] | None = None
    """What takes the keys when a command goes to the panel."""

    def belongs(self, place: Place) -> bool:
        """Whether the panel may be shown in a layout."""
        return self.everywhere or self.administration == (place is Place.ADMINISTER)

    def opens(self, place: Place) -> bool:
        """Whether the panel is open in a layout that the user has not changed."""
        if place is Place.ADMINISTER:
            return self.belongs(place)
        if place is Place.READ and self.area is BELOW:
            return False
        return not self.hidden and self.belongs(place)


CLAIM = Panel(
    name="claim",
    title=tr("Claim"),
    area=LEFT,
    make_view=ClaimPanel,
    manual="guide/examiner.md#2-open-the-application",
    go=Go(tr("&Go"), tr("Go to claim"), ("F6",), separated=True),
    focus=lambda view: view.text,
)
LIBRARY = Panel(
    name="library",
    title=tr("Library"),
    area=LEFT,
    make_view=lambda _board: LibraryView(),
    manual="guide/library.md",
    behind="claim",
    hidden=True,
    everywhere=True,
    go=Go(tr("&Library"), tr("Library information"), ("Ctrl+B",)),
)
EVIDENCE = Panel(
    name="evidence",
    title=tr("Evidence"),
    area=BELOW,
    make_view=EvidenceView,
    manual="guide/evidence.md#evidence",
    go=Go(tr("&Go"), tr("Go to evidence"), ("F8",)),
    focus=lambda view: view.table,
)
MATRIX = Panel(
    name="matrix",
    title=tr("Matrix"),
    area=BELOW,
    make_view=lambda _board: MatrixView(),
    manual="guide/evidence.md#matrix-features-against-documents",
    behind="evidence",
    go=Go(tr("&Go"), tr("Matrix of features against documents"), ("G",)),
    focus=lambda view: view.table,
)
PAIRS = Panel(
    name="pairs",
    title=tr("Pairs"),
    area=BELOW,
    make_view=lambda _board: PairsView(),
    manual="guide/evidence.md#pairs-two-documents-for-the-claim",
    behind="evidence",
    go=Go(tr("&Go"), tr("Pairs of documents"), ("Shift+G",)),
    focus=lambda view: view.table,
)
CONCEPT = Panel(
    name="center",
    title=tr("Concept"),
    area=BELOW,
    make_view=lambda _board: InspectorView(),
    manual="guide/evidence.md#evidence",
    behind="evidence",
    hidden=True,
)
SETS = Panel(
    name="sets",
    title=tr("Sets"),
    area=BELOW,
    make_view=lambda _board: SetsView(),
    manual="guide/cases.md#numbered-sets",
    behind="evidence",
    go=Go(tr("&Go"), tr("Go to sets"), ("L", "F5")),
    focus=lambda view: view.table,
)
CASE = Panel(
    name="case",
    title=tr("Case"),
    area=BELOW,
    make_view=lambda _board: CaseView(),
    manual="guide/cases.md#categories-notes-and-tags",
    behind="evidence",
)
PROGRESS = Panel(
    name="progress",
    title=tr("Progress"),
    area=BELOW,
    make_view=lambda _board: ProgressView(),
    manual="guide/cases.md#progress-of-reading",
    behind="evidence",
    go=Go(tr("&Go"), tr("Progress of reading"), ("Shift+P",)),
    focus=lambda view: view.first_focus,
)
FAMILY = Panel(
    name="family",
    title=tr("Family"),
    area=BELOW,
    make_view=lambda _board: FamilyPanel(),
    manual="guide/examiner.md#9-follow-family-and-citations",
    behind="evidence",
    go=Go(tr("&Go"), tr("Go to family"), ("B",)),
    focus=lambda view: view.list,
)
CITATIONS = Panel(
    name="citations",
    title=tr("Citations"),
    area=BELOW,
    make_view=lambda _board: CitationPanel(),
    manual="guide/examiner.md#9-follow-family-and-citations",
    behind="evidence",
    go=Go(tr("&Go"), tr("Go to citations"), ("C",)),
    focus=lambda view: view.list,
)
CLASSES = Panel(
    name="classes",
    title=tr("Classes"),
    area=BELOW,
    make_view=lambda _board: ClassPanel(),
    manual="guide/classes.md#in-the-window",
    behind="evidence",
    go=Go(tr("&Go"), tr("Go to classes"), ("H",)),
    focus=lambda view: view.first_focus,
)
MAP = Panel(
    name="map",
    title=tr("Map"),
    area=BELOW,
    make_view=lambda _board: MapPanel(),
    manual="guide/library.md#the-map",
    behind="evidence",
    hidden=True,
    of_folder=True,
    go=Go(tr("&Go"), tr("Go to map of the library"), ("Shift+M",)),
    focus=lambda view: view.canvas,
)
EVALUATION = Panel(
    name="evaluation",
    title=tr("Evaluation"),
    area=BELOW,
    make_view=lambda _board: EvaluationView(),
    manual="guide/evaluation.md#your-own-library",
    behind="evidence",
    hidden=True,
    of_folder=True,
    administration=True,
    go=Go(tr("&Library"), tr("Evaluation…"), separated=True),
    focus=lambda view: view.start_button,
)
ADAPTING = Panel(
    name="adapting",
    title=tr("Adapt"),
    area=BELOW,
    make_view=lambda _board: AdaptingView(),
    manual="guide/models.md#adapt-the-encoder-to-a-library",
    behind="evidence",
    hidden=True,
    of_folder=True,
    administration=True,
    go=Go(tr("&Library"), tr("Adapt to my library…"), separated=True),
    focus=lambda view: view.start_button,
)
TRAINING = Panel(
    name="training",
    title=tr("Train"),
    area=BELOW,
    make_view=lambda _board: TrainingView(),
    manual="guide/training.md",
    behind="evidence",
    hidden=True,
    of_folder=True,
    administration=True,
    go=Go(tr("&Library"), tr("Train an encoder…")),
    focus=lambda view: view.recipe,
)
MODELS = Panel(
    name="models",
    title=tr("Models"),
    area=BELOW,
    make_view=lambda _board: ModelsView(),
    manual="guide/models.md#choose-a-model",
    behind="evidence",
    hidden=True,
    administration=True,
    go=Go(tr("&Library"), tr("Models…")),
    focus=lambda view: view.table,
)
CLASSIFIERS = Panel(
    name="classifiers",
    title=tr("Classifiers"),
    area=BELOW,
    make_view=lambda _board: ClassifiersView(),
    manual="guide/classes.md#classifiers",
    behind="evidence",
    hidden=True,
    administration=True,
    go=Go(tr("&Library"), tr("Classifiers…")),
    focus=lambda view: view.first_focus,
)
JOBS = Panel(
    name="jobs",
    title=tr("Jobs"),
    area=BELOW,
    make_view=lambda _board: JobsView(),
    manual="guide/library.md#jobs-in-the-background",
    behind="evidence",
    hidden=True,
    everywhere=True,
    administration=True,
    go=Go(tr("&Library"), tr("Background jobs"), ("Shift+J",), separated=True),
    focus=lambda view: view.table,
)
READER = Panel(
    name="reader",
    title=tr("Reader"),
    area=RIGHT,
    make_view=ReaderView,
    manual="guide/evidence.md#match-strength",
    go=Go(tr("&Go"), tr("Go to reader"), ("F9",)),
    focus=lambda view: view.first_focus,
)

PANELS: tuple[Panel[Any], ...] = (
    CLAIM,
    LIBRARY,
    EVIDENCE,
    MATRIX,
    PAIRS,
    CONCEPT,
    SETS,
    CASE,
    PROGRESS,
    FAMILY,
    CITATIONS,
    CLASSES,
    MAP,
    EVALUATION,
    ADAPTING,
    TRAINING,
    MODELS,
    CLASSIFIERS,
    JOBS,
    READER,
)
"""In the order of tabs and menus; a panel comes after the one it is behind."""
