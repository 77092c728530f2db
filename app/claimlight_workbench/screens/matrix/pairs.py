"""Pairs of documents that match a claim together: best first, what each adds, what neither has."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QToolButton, QVBoxLayout, QWidget

from claimlight.services.search.cell_words import DEPTH_SIGN
from claimlight.services.search.date_words import note_of_earlier_publications
from claimlight.services.search.pair_words import format_combined, left_out_text
from claimlight.types import IndexDepth, Zone, format_publication
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.results_model import ZONE_ROLE
from claimlight_workbench.screens.matrix.describe import (
    judged_words,
    pair_spoken,
    pair_tip,
    pair_title,
)
from claimlight_workbench.screens.matrix.painting import LABELS_ROLE, ChipsDelegate
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.widgets.empty_state import EDIT_FEATURES, EmptyState
from claimlight_workbench.widgets.enter_table import EnterTable
from claimlight_workbench.widgets.zones import ZoneDelegate
from claimlight_workbench.wording import depth_help, wrap_tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import DocumentPair, MatrixRow, PatentId, PatentSummary
    from claimlight_workbench.values import Compared, Judged

_REST = tr("No pairs: run a search with a claim that has features")
_BUSY = tr("Finding pairs of documents…")
_STOPPED = tr("The documents were not compared")
_Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """Columns in order."""

    COMBINED = 0
    FIRST = 1
    FIRST_STATUS = 2
    SECOND = 3
    SECOND_STATUS = 4
    ONLY_FIRST = 5
    ONLY_SECOND = 6
    NEITHER = 7
    BOTH = 8


_STATUS = tr("Date status")
_HEADINGS = (
    tr("Combined"),
    "D1",
    _STATUS,
    "D2",
    _STATUS,
    tr("Only in D1"),
    tr("Only in D2"),
    tr("In neither"),
    tr("In both"),
)
_STATUS_MOST = 116
"""Characters of a date status column; its tool tip has all of the words."""
_COMPACT_HELP = tr("In a narrow panel its date status is beside it, unless it is full prior art")
_OR_STRONG = tr(": a probability of 50 or more, or without a verdict a strong match")
_HELP = {
    Column.COMBINED: tr(
        "Mean, over the features, of the better of the two: its probability, or without a "
        "verdict its match strength; + what D2 adds"
    ),
    Column.FIRST: tr(
        "The one with the higher mean on its own; Enter opens it. {compact_help}", compact_help=_COMPACT_HELP
    ),
    Column.FIRST_STATUS: tr("Status of D1 by its own dates against the claim"),
    Column.SECOND: tr("Enter opens it. {compact_help}", compact_help=_COMPACT_HELP),
    Column.SECOND_STATUS: tr("Status of D2 by its own dates against the claim"),
    Column.ONLY_FIRST: tr("Features likely disclosed in D1 and not in D2{or_strong}", or_strong=_OR_STRONG),
    Column.ONLY_SECOND: tr("Features likely disclosed in D2 and not in D1{or_strong}", or_strong=_OR_STRONG),
    Column.NEITHER: tr("Features likely disclosed in neither document{or_strong}", or_strong=_OR_STRONG),
    Column.BOTH: tr("Features likely disclosed in both documents{or_strong}", or_strong=_OR_STRONG),
}
_OF_SECOND = {Column.SECOND, Column.SECOND_STATUS, Column.ONLY_SECOND}
_OF_BOTH = {Column.COMBINED, Column.NEITHER, Column.BOTH}
_STATUSES = (Column.FIRST_STATUS, Column.SECOND_STATUS)


class PairsModel(QAbstractTableModel):
    """The pairs of one matrix."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._compared: Compared | None = None
        self._pairs: Sequence[DocumentPair] = ()
        self.compact = False
        """Whether publications carry the date status (unless full prior art), instead of two columns."""

    def show(self, compared: Compared | None, pairs: Sequence[DocumentPair]) -> None:
        """Show pairs of a matrix."""
        self.beginResetModel()
        self._compared, self._pairs = compared, pairs
        self.endResetModel()

    def pair(self, row: int) -> DocumentPair:
        """The pair of a row."""
        return self._pairs[row]

    def document(self, index: _Index) -> PatentSummary:
        """The document that a cell describes."""
        return self._row(self.pair(index.row()), Column(index.column())).patent

    def documents(self, row: int) -> tuple[PatentSummary, PatentSummary]:
        """D1 and D2 of a row."""
        pair = self.pair(row)
        return self._row(pair, Column.FIRST).patent, self._row(pair, Column.SECOND).patent

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._pairs)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return f"{section + 1}" if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return wrap_tip(_HELP[Column(section)])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._compared is None:
            return None
        pair, column = self.pair(index.row()), Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(pair, column)
        if role == LABELS_ROLE:
            return _labels(pair, column)
        if role == ZONE_ROLE:
            return self._row(pair, column).dates
        if role == Qt.ItemDataRole.AccessibleTextRole:
            rows = self._row(pair, Column.FIRST), self._row(pair, Column.SECOND)
            return pair_spoken(pair, *rows, matrix=self._compared.matrix)
        if role == Qt.ItemDataRole.ToolTipRole:
            row = self._row(pair, column)
            if column in _STATUSES:
                return wrap_tip(tell(row.dates.words))
            if column in _OF_BOTH:
                # *In both* is hidden in a narrow panel.
                return "\n".join((pair_tip(pair), tr("Enter opens both side by side")))
            about = [wrap_tip(depth_help(row.read))] if row.depth is IndexDepth.CLAIMS else []
            opened = tr("Enter opens it, V both")
            return "\n".join((row.patent.title, row.patent.applicant, *about, opened))
        return None

    def _text(self, pair: DocumentPair, column: Column) -> str:
        match column:
            case Column.COMBINED:
                return format_combined(pair)
            case Column.FIRST | Column.SECOND:
                row = self._row(pair, column)
                name = format_publication(str(row.patent.publication))
                name = f"{name} {DEPTH_SIGN}" if row.depth is IndexDepth.CLAIMS else name
                status = tell(row.dates.label) if self.compact and row.dates.zone is not Zone.PRIOR else ""
                return f"{name} · {status}" if status else name
            case Column.FIRST_STATUS | Column.SECOND_STATUS:
                return tell(self._row(pair, column).dates.label)
        return ""

    def _row(self, pair: DocumentPair, column: Column) -> MatrixRow:
        """The document that a column describes."""
        assert self._compared is not None
        return self._compared.rows[pair.second if column in _OF_SECOND else pair.first]


class PairsView(QWidget):
    """Left and right select the document of a pair, Enter or a click opens it.

    In a column that is about both, they open both.
    """

    chosen = Signal(object)
    """`PatentSummary`."""
    both_chosen = Signal(object, object)
    """`PatentSummary` of D1 and of D2."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(_REST)
        self.title.setObjectName("title")
        self.title.setWordWrap(True)
        self.model = PairsModel(self)
        self.notes = QLabel()
        self.notes.setObjectName("muted")
        self.notes.setWordWrap(True)
        self.left_out = QLabel()
        self.left_out.setObjectName("warning")
        self.left_out.setWordWrap(True)
        self.every = QToolButton()
        self.every.setCheckable(True)
        self.every.setText(tr("Show them"))
        self.every.setToolTip(tr("Show pairs of documents of every date status; each has its own beside it"))
        self.every.setAccessibleName(tr("Show pairs of documents of every date status"))
        self.table = EnterTable(tr("Pairs of documents"))
        self._compared: Compared | None = None
        self._busy = False
        """Whether the pairs of a list are to come."""
        self._seen = True
        self._unfilled = self._dated = False
        self._prepare()
        line = QHBoxLayout()
        line.addWidget(self.left_out, 1)
        line.addWidget(self.every)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addWidget(self.title)
        column.addWidget(self.notes)
        column.addLayout(line)
        column.addWidget(self.table, 1)
        self.every.toggled.connect(lambda _on: self._fill())
        self.empty = EmptyState(
            tr("Pairs of documents that match the claim together are listed here, best first."),
            EDIT_FEATURES,
            over=self.table,
        )
        self._clear(_REST)
        self.table.opened.connect(self._open)

    @property
    def current_pair(self) -> tuple[PatentSummary, PatentSummary] | None:
        """The documents of the chosen row; None if there is none."""
        row = self.table.currentIndex().row()
        return self.model.documents(row) if row >= 0 else None

    def _open(self, index: QModelIndex) -> None:
        if index.column() in _OF_BOTH:
            self.both_chosen.emit(*self.model.documents(index.row()))
        else:
            self.chosen.emit(self.model.document(index))

    def show_nothing(self) -> None:
        """Show that there is no list, or no feature."""
        self._clear(_REST)

    def show_busy(self) -> None:
        """Pairs are being computed."""
        self._clear(_BUSY)
        self._busy = True

    def show_progress(self, judged: Judged | None) -> None:
        """How far the judge is, whose end the pairs wait for; None when it has ended."""
        if not self._busy:
            return
        if judged is None:
            self.title.setText(_BUSY)
        else:
            said = tr(
                "Pairs come when the judge has ended: {judged} (Esc stops)", judged=judged_words(judged)
            )
            self.title.setText(said)

    def show_stopped(self, why: str) -> None:
        """Comparing was stopped, or failed."""
        self._clear(_STOPPED, why)

    def show_compared(self, compared: Compared) -> None:
        """Show the pairs of a matrix, at first only of documents that count for inventive step."""
        self._compared, self._busy = compared, False
        with QSignalBlocker(self.every):
            self.every.setChecked(False)
        # Behind another panel it waits until it is seen: every search would fill it for nobody.
        self._unfilled = True
        if self._seen:
            self._fill()

    def show_renewed(self, compared: Compared) -> None:
        """Show the pairs of the same matrix, in which the judge has read on: the place and choice stay."""
        self._compared = compared
        if self._unfilled or not self._seen:
            self._unfilled = True
            return
        place = self.table.currentIndex().row()
        chosen = _documents(self.model.pair(place)) if place >= 0 else None
        self._fill()
        for place in range(self.model.rowCount()):
            if _documents(self.model.pair(place)) == chosen:
                self._choose(place)

    def _fill(self) -> None:
        """Show the pairs that were asked for."""
        compared = self._compared
        self._unfilled = False
        if compared is None:
            return
        pairs = compared.every_pair if self.every.isChecked() else compared.pairs
        self.title.setText(pair_title(compared, pairs))
        self.notes.setText("\n".join(map(tell, pairs.notes)))
        self.notes.setVisible(bool(pairs.notes))
        said = tell(left_out_text(compared.pairs.left_out, shown=self.every.isChecked()))
        out = {item.patent for item in compared.pairs.left_out}
        hint = tell(
            note_of_earlier_publications(
                (format_publication(str(row.patent.publication)), row.dates)
                for row in compared.rows.values()
                if row.patent.id in out
            )
        )
        self.left_out.setText(f"{said}. {hint}" if hint else said)
        self.left_out.setVisible(bool(said))
        self.every.setVisible(bool(said))
        self.every.setText(tr("Hide them") if self.every.isChecked() else tr("Show them"))
        self.empty.set_empty(False)
        self.model.show(compared, pairs.pairs)
        self._dated = compared.matrix.reference is not None
        self._fit()
        if self.model.rowCount():
            self._choose(0)

    def _choose(self, place: int) -> None:
        chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.table.selectionModel().setCurrentIndex(self.model.index(place, Column.FIRST), chosen)
        self.table.scrollTo(self.model.index(place, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def watch(self, seen: bool) -> None:  # noqa: FBT001 - a slot of the dock's signal
        """The panel has come to the front of its tabs, or gone behind another one."""
        self._seen = seen
        if seen and self._unfilled:
            self._fill()

    def _fit(self) -> None:
        """Fit the columns to their contents; in a narrow panel, hide those that say least."""
        undated = () if self._dated else _STATUSES
        # From everything to the least: the first that fits is kept.
        for hidden, compact in (
            (undated, False),
            ((*undated, Column.BOTH), False),
            ((*_STATUSES, Column.BOTH), self._dated),
        ):
            self.model.compact = compact
            for column in Column:
                self.table.setColumnHidden(column, column in hidden)
                self.table.resizeColumnToContents(column)
            for column in _STATUSES if self._dated else ():
                if column not in hidden:
                    wide = min(scale_pixels(_STATUS_MOST), self.table.columnWidth(column))
                    self.table.setColumnWidth(column, wide)
            if sum(map(self.table.columnWidth, Column)) <= self.table.viewport().width():
                break

    def _clear(self, words: str, why: str = "") -> None:
        self.empty.set_empty(words == _REST)
        self._compared, self._busy = None, False
        self.title.setText(f"{words}: {why}" if why else words)
        for part in (self.notes, self.left_out, self.every):
            part.hide()
        self.model.show(None, ())

    def _prepare(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setAlternatingRowColors(True)
        table.verticalHeader().setDefaultSectionSize(25)
        table.verticalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        for column in (Column.ONLY_FIRST, Column.ONLY_SECOND, Column.BOTH):
            table.setItemDelegateForColumn(column, ChipsDelegate(table))
        table.setItemDelegateForColumn(Column.NEITHER, ChipsDelegate(table, hollow=True))
        for column in _STATUSES:
            table.setItemDelegateForColumn(column, ZoneDelegate(table))
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)


def _documents(pair: DocumentPair) -> frozenset[PatentId]:
    return frozenset({pair.first, pair.second})


def _labels(pair: DocumentPair, column: Column) -> tuple[str, ...]:
    match column:
        case Column.ONLY_FIRST:
            return pair.only_first
        case Column.ONLY_SECOND:
            return pair.only_second
        case Column.NEITHER:
            return pair.neither
        case Column.BOTH:
            return pair.both
    return ()
