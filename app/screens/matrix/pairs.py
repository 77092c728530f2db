"""Pairs of documents that match a claim together: best first, what each adds, what both leave open."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QHeaderView, QLabel, QVBoxLayout, QWidget

from app.models.columns import printed_publication
from app.screens.matrix.describe import pair_spoken, pair_title
from app.screens.matrix.painting import LABELS_ROLE, ChipsDelegate
from app.widgets.enter_table import EnterTable
from core.types import strength_figure

if TYPE_CHECKING:
    from app.models.coverage import Compared
    from core.types import DocumentPair, PatentSummary

_REST = "No pairs: run a search whose claim has features"
_BUSY = "Looking for pairs of documents for the claim …"
_STOPPED = "The documents were not compared"
_Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """Columns in order."""

    TOGETHER = 0
    FIRST = 1
    SECOND = 2
    FIRST_ADDS = 3
    SECOND_ADDS = 4
    MISSING = 5
    BOTH = 6


_HEADINGS = ("Combined", "D1", "D2", "Only in D1", "Only in D2", "In neither", "In both")
_HELP = {
    Column.TOGETHER: "Mean over the features of the better match strength of the two; + what D2 adds",
    Column.FIRST: "The one that matches more on its own; Enter opens it",
    Column.FIRST_ADDS: "Features with a strong match in D1 and none in D2",
    Column.SECOND: "Enter opens it",
    Column.SECOND_ADDS: "Features with a strong match in D2 and none in D1",
    Column.BOTH: "Features with a strong match in each of them",
    Column.MISSING: "Features without a strong match in either",
}
_OF_SECOND = {Column.SECOND, Column.SECOND_ADDS}


class PairsModel(QAbstractTableModel):
    """The pairs of one matrix."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._compared: Compared | None = None

    def show(self, compared: Compared | None) -> None:
        """Show the pairs of another matrix."""
        self.beginResetModel()
        self._compared = compared
        self.endResetModel()

    def pair(self, row: int) -> DocumentPair:
        """The pair of a row."""
        assert self._compared is not None
        return self._compared.pairs[row]

    def document(self, index: _Index) -> PatentSummary:
        """The document that a cell speaks of."""
        pair = self.pair(index.row())
        return self._summary(pair, second=Column(index.column()) in _OF_SECOND)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() or self._compared is None else len(self._compared.pairs)

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
            return _HELP[Column(section)]
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
        if role == Qt.ItemDataRole.AccessibleTextRole:
            names = (self._name(pair, second=False), self._name(pair, second=True))
            return pair_spoken(pair, names)
        if role == Qt.ItemDataRole.ToolTipRole:
            summary = self.document(index)
            return f"{summary.title}\n{summary.applicant}\nEnter opens it"
        return None

    def _text(self, pair: DocumentPair, column: Column) -> str:
        match column:
            case Column.TOGETHER:
                return f"{strength_figure(pair.strength)}  (+{strength_figure(pair.gain)})"
            case Column.FIRST | Column.SECOND:
                return self._name(pair, second=column is Column.SECOND)
        return ""

    def _name(self, pair: DocumentPair, *, second: bool) -> str:
        return printed_publication(str(self._summary(pair, second=second).publication))

    def _summary(self, pair: DocumentPair, *, second: bool) -> PatentSummary:
        assert self._compared is not None
        return self._compared.rows[pair.second if second else pair.first].patent


class PairsView(QWidget):
    """Left and right choose the document of a pair, Enter or a click opens it."""

    chosen = Signal(object)
    """`PatentSummary`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(_REST)
        self.title.setObjectName("title")
        self.title.setWordWrap(True)
        self.model = PairsModel(self)
        self.table = EnterTable("Pairs of documents")
        self._prepare()
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 6)
        column.setSpacing(4)
        column.addWidget(self.title)
        column.addWidget(self.table, 1)
        self.table.opened.connect(lambda index: self.chosen.emit(self.model.document(index)))

    def show_nothing(self) -> None:
        """There is no list, or no feature."""
        self._clear(_REST)

    def show_busy(self) -> None:
        """Pairs are being looked for."""
        self._clear(_BUSY)

    def show_stopped(self, why: str) -> None:
        """Comparing was stopped, or can't be done."""
        self._clear(_STOPPED, why)

    def show_compared(self, compared: Compared) -> None:
        """Show the pairs of a matrix."""
        self.title.setText(pair_title(compared))
        self.model.show(compared)
        for column in Column:
            self.table.resizeColumnToContents(column)
        if compared.pairs:
            index = self.model.index(0, Column.FIRST)
            chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.table.selectionModel().setCurrentIndex(index, chosen)
            self.table.scrollTo(self.model.index(0, 0))

    def _clear(self, words: str, why: str = "") -> None:
        self.title.setText(f"{words}: {why}" if why else words)
        self.model.show(None)

    def _prepare(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setAlternatingRowColors(True)
        table.verticalHeader().setDefaultSectionSize(25)
        table.verticalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        for column in (Column.FIRST_ADDS, Column.SECOND_ADDS, Column.BOTH):
            table.setItemDelegateForColumn(column, ChipsDelegate(table))
        table.setItemDelegateForColumn(Column.MISSING, ChipsDelegate(table, hollow=True))
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)


def _labels(pair: DocumentPair, column: Column) -> tuple[str, ...]:
    match column:
        case Column.FIRST_ADDS:
            return pair.first_adds
        case Column.SECOND_ADDS:
            return pair.second_adds
        case Column.BOTH:
            return pair.both
        case Column.MISSING:
            return pair.missing
    return ()
