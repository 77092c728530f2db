"""The evaluation panel: start, progress, recall by depth, year and class, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import GroupKind, Note, Progress
from claimlight_workbench import design
from claimlight_workbench.language import number, tr
from claimlight_workbench.screens.evaluation.describe import KIND_NAMES, Grid, grid_of, progress_text, summary
from claimlight_workbench.screens.evaluation.presenter import Wish
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.row_table import prepare_rows

if TYPE_CHECKING:
    from claimlight.types import EvaluationReport

_NOTHING = tr(
    "Measures how well searches find known citations: each document that cites others in "
    "this library is searched as an examiner would, and its citations are to be found. "
    "Needs citation data."
)
_ASKED = ((tr("first claim"), "claim"), (tr("title and abstract"), "abstract"))
_BEFORE = ((tr("earliest priority"), "priority"), (tr("publication"), "published"))
_MOST = 1_000_000
_ROOM = 16
"""Pixels between columns."""


class EvaluationView(QWidget):
    """Shows one report, grouped as chosen."""

    start_requested = Signal(object)
    """`Wish`."""
    cancel_requested = Signal()
    page_requested = Signal(str)
    """The HTML page of the report that is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.report: EvaluationReport | None = None
        self.asked = _choice(tr("Part of a document that is searched with"), _ASKED)
        self.before = _choice(
            tr("Search only documents published before this date of the query document"), _BEFORE
        )
        self.queries = QSpinBox()
        self.queries.setRange(0, _MOST)
        self.queries.setSpecialValueText(tr("all"))
        self.queries.setSingleStep(100)
        self.queries.setValue(Wish().queries)
        self.queries.setAccessibleName(tr("Sample size"))
        self.start_button = QPushButton(tr("Evaluate"))
        self.cancel_button = QPushButton(tr("Cancel"))
        self.page_button = QPushButton(tr("Open report"))
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the evaluation"))
        self.state = QLabel(_NOTHING)
        self.state.setObjectName("muted")
        self.state.setWordWrap(True)
        self.kind = _choice(
            tr("Grouping of the rows"), [(name, kind.value) for kind, name in KIND_NAMES.items()]
        )
        self.depths = _choice(tr("Depth (families)"), ())
        self.model = GridModel(self)
        self.table = _CopiedTable(self.model)
        self._lay_out()
        self.start_button.clicked.connect(lambda: self.start_requested.emit(self.wish))
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.page_button.clicked.connect(self._ask_page)
        self.kind.currentIndexChanged.connect(self._show_grid)
        self.depths.currentIndexChanged.connect(self._show_grid)
        self.show_nothing()

    @property
    def wish(self) -> Wish:
        return Wish(self.asked.currentData(), self.before.currentData(), self.queries.value())

    def show_nothing(self) -> None:
        """Show a library without a report."""
        self.report = None
        self.state.setText(_NOTHING)
        self._show_idle()
        self._fill(None)

    def show_started(self) -> None:
        """An evaluation has begun; the last report stays visible."""
        self.bar.setRange(0, 0)
        self.bar.show()
        self.cancel_button.show()
        self.start_button.setEnabled(False)
        self.state.setText(tr("Evaluating: reading the citations…"))

    def show_event(self, event: object) -> None:
        """Show an event of the run."""
        if isinstance(event, Progress):
            self.bar.setRange(0, event.total)
            self.bar.setValue(event.done)
            if event.stage == "queries":
                self.state.setText(progress_text(event))
        elif isinstance(event, Note):
            self.state.setText(event.text)

    def show_ended(self, how: str) -> None:
        """The run has ended."""
        self._show_idle()
        self.state.setText(how or (summary(self.report) if self.report is not None else _NOTHING))

    def show_report(self, report: EvaluationReport) -> None:
        """Show the figures of a report."""
        self.report = report
        self.state.setText(" ".join((summary(report), *report.notes)))
        self._fill(report)

    def copy(self) -> None:
        """Copy the table to the clipboard."""
        QGuiApplication.clipboard().setText(self.model.text())

    def _show_idle(self) -> None:
        self.bar.hide()
        self.cancel_button.hide()
        self.start_button.setEnabled(True)

    def _ask_page(self) -> None:
        if self.report is not None:
            self.page_requested.emit(self.report.page)

    def _fill(self, report: EvaluationReport | None) -> None:
        before = self.depths.currentData()
        # The grid is drawn once, below, and not at each change of the list.
        self.depths.blockSignals(True)
        self.depths.clear()
        for depth in report.depths if report is not None else ():
            self.depths.addItem(number(depth, ","), depth)
        if report is not None:
            self.depths.setCurrentIndex(
                report.depths.index(before if before in report.depths else report.main_depth)
            )
        self.depths.blockSignals(False)
        self._show_grid()

    def _show_grid(self) -> None:
        there = self.report is not None
        kind = GroupKind(self.kind.currentData())
        self.kind.setEnabled(there)
        self.depths.setEnabled(there and kind is not GroupKind.ALL)
        self.page_button.setEnabled(there)
        self.table.setVisible(there)
        if self.report is not None:
            self.model.show(grid_of(self.report, kind, self.depths.currentData()))
            self.table.resizeColumnsToContents()
            for column in range(self.model.columnCount()):
                self.table.setColumnWidth(column, self.table.columnWidth(column) + _ROOM)

    def _lay_out(self) -> None:
        # Lines that break: a panel must never keep the window from being narrow.
        first, second = FlowLayout(spacing=_ROOM // 2), FlowLayout(spacing=_ROOM // 2)
        for name, widget in (
            (tr("Search with"), self.asked),
            (tr("Published before"), self.before),
            (tr("Sample size"), self.queries),
        ):
            first.addWidget(_label_control(name, widget))
        for button in (self.start_button, self.bar, self.cancel_button):
            first.addWidget(button)
        for name, choice in ((tr("Group by"), self.kind), (tr("Depth (families)"), self.depths)):
            second.addWidget(_label_control(name, choice))
        second.addWidget(self.page_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.addLayout(first)
        column.addWidget(self.state)
        column.addLayout(second)
        column.addWidget(self.table, 1)
        column.addStretch(0)


class _CopiedTable(QTableView):
    """Ctrl+C copies the whole table."""

    def __init__(self, model: GridModel) -> None:
        super().__init__()
        self._grid = model
        self.setModel(model)
        prepare_rows(self, tr("Recall"))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._grid.text())
        else:
            super().keyPressEvent(event)


def _choice(name: str, items: tuple[tuple[str, object], ...] | list[tuple[str, str]]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setToolTip(name)
    for text, value in items:
        box.addItem(text, value)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return box


def _label_control(name: str, widget: QWidget) -> QWidget:
    """A control with its label in front, on one line."""
    both = QWidget()
    label = QLabel(name)
    label.setBuddy(widget)
    line = QHBoxLayout(both)
    line.setContentsMargins(0, 0, 0, 0)
    line.addWidget(label)
    line.addWidget(widget)
    return both


_Index = QModelIndex | QPersistentModelIndex
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class GridModel(QAbstractTableModel):
    """The first column names the row, the others are figures."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grid = Grid((), (), ())

    def show(self, grid: Grid) -> None:
        """Show another grid."""
        self.beginResetModel()
        self._grid = grid
        self.endResetModel()

    def text(self) -> str:
        """The whole table for the clipboard, tab-separated."""
        return "\n".join("\t".join(line) for line in (self._grid.headings, *self._grid.rows))

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._grid.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._grid.headings)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._grid.headings[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self._grid.rows[index.row()][index.column()]
        if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self._grid.tips[index.row()][index.column()]
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _alignment(column: int) -> int:
    return _RIGHT if column else _LEFT
