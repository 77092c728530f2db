"""The rows of a matrix: the whole claim, the date status, then a column for each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from claimlight.services.search.cell_words import DEPTH_SIGN, FIRST_ONLY_WORDS, matrix_cell_text
from claimlight.services.search.pair_words import counted_words
from claimlight.types import (
    ByHand,
    CellVerdict,
    IndexDepth,
    Standing,
    format_publication,
    strength_figure,
)
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.results_model import ZONE_ROLE
from claimlight_workbench.screens.matrix.describe import cell_spoken, cell_tip
from claimlight_workbench.wording import (
    DEPTH_WORDS,
    WAITING_SIGN,
    WAITING_WORDS,
    depth_help,
    wrap_tip,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import CoverageMatrix, MatrixCell, MatrixRow, PatentId

CELL_ROLE = int(Qt.ItemDataRole.UserRole)
ROW_ROLE = CELL_ROLE + 1
WAITING_ROLE = CELL_ROLE + 5
"""Whether the judge has yet to rule on the row."""
FIRST_ROLE = CELL_ROLE + 6
"""Whether the row was ruled on by its first passages only, while a judge has read on in others."""
ALL = 0
STATUS = 1
FIRST_FEATURE = 2
_CENTER = int(Qt.AlignmentFlag.AlignCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_ALL_HELP = tr(
    "Mean over all features of the probability of disclosure, or without a verdict of "
    "the match strength; – if the document is not judged. A click, or Space in the "
    "column, sorts by it"
)
_STATUS_HELP = tr(
    "Status of the document by its own dates against the claim, under the law chosen for "
    "the case. A click, or Space in the column, puts documents that count for inventive "
    "step first"
)
_HEADS = {ALL: (tr("Mean"), _ALL_HELP), STATUS: (tr("Date status"), _STATUS_HELP)}
_NONE = "–"
_UNJUDGED = frozenset({CellVerdict.UNREAD, CellVerdict.UNCOMPARED})
_STANDINGS = tuple(Standing)
_Index = QModelIndex | QPersistentModelIndex


class MatrixModel(QAbstractTableModel):
    """The documents of one of the two lists of a matrix."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.matrix: CoverageMatrix | None = None
        self._given: Sequence[MatrixRow] = ()
        self._rows: Sequence[MatrixRow] = ()
        self.ordered_by: int | None = None
        """Column by which the rows are sorted; None for the order of the results."""
        self._waiting: frozenset[PatentId] = frozenset()
        self._first_only: frozenset[PatentId] = frozenset()

    def show(
        self, matrix: CoverageMatrix | None, rows: Sequence[MatrixRow], *, waiting: bool = False
    ) -> None:
        """Show rows of a matrix, in the order of the results; ``waiting`` for the judge or not."""
        self.beginResetModel()
        self.matrix, self._given, self._rows, self.ordered_by = matrix, rows, rows, None
        self._waiting = frozenset(row.patent.id for row in rows) if waiting else frozenset()
        self._first_only = matrix.first_only if matrix is not None else frozenset()
        self.endResetModel()

    def show_row(self, row: MatrixRow) -> bool:
        """Show a row that the judge has ruled on, where it stands; returns whether it is here."""
        place = self.place_of(row.patent.id)
        if place < 0:
            return False
        self._given = [row if each.patent.id == row.patent.id else each for each in self._given]
        self._rows = [row if each.patent.id == row.patent.id else each for each in self._rows]
        self._waiting -= {row.patent.id}
        self._first_only -= {row.patent.id}
        if self.matrix is not None and self.matrix.is_first_only(row):
            self._first_only |= {row.patent.id}
        self.dataChanged.emit(self.index(place, 0), self.index(place, self.columnCount() - 1))
        return True

    def order_by(self, column: int | None) -> None:
        """Sort best first by a column; None restores the order of the results."""
        self.beginResetModel()
        self.ordered_by = column
        self._rows = self._given
        if column is not None:
            # Before the judge reads on in any, all of its figures are of one kind.
            mixed = any(row.read_on for row in self._given)
            # Sorting is stable: equal rows stay in the order of the results.
            self._rows = sorted(
                self._given, key=lambda row: (mixed and self._is_pale(row, column), -_worth(row, column))
            )
        self.endResetModel()

    def _is_pale(self, row: MatrixRow, column: int) -> bool:
        """Whether what a row is sorted by comes from its first passages only.

        Such figures are of another reading, which says less, and would push the others down.
        """
        if row.patent.id not in self._first_only or column == STATUS:
            return False
        return column == ALL or row.cells[column - FIRST_FEATURE].by_hand is ByHand.NONE

    @property
    def shown(self) -> Sequence[MatrixRow]:
        """The rows in the order shown."""
        return self._rows

    def row(self, place: int) -> MatrixRow | None:
        """The document of a row."""
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def cell(self, index: _Index) -> MatrixCell | None:
        """The cell of a feature; None in the columns before them."""
        if not index.isValid() or index.column() < FIRST_FEATURE:
            return None
        return self._rows[index.row()].cells[index.column() - FIRST_FEATURE]

    def place_of(self, patent: PatentId) -> int:
        """Row of a document; -1 if it is not here."""
        return next((place for place, row in enumerate(self._rows) if row.patent.id == patent), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.matrix is None else len(self.matrix.features) + FIRST_FEATURE

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if self.matrix is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return self._row_head(self._rows[section], role)
        if section in _HEADS:
            head, told = _HEADS[section]
            spoken = head
        else:
            feature = self.matrix.features[section - FIRST_FEATURE]
            head = feature.label
            told = spoken = f"{head} {feature.text}"
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return head
            case Qt.ItemDataRole.ToolTipRole:
                return wrap_tip(told)
            case Qt.ItemDataRole.AccessibleTextRole:
                # Announced with each cell: what a click does is the tool tip's alone.
                return spoken
            case Qt.ItemDataRole.TextAlignmentRole:
                return _CENTER
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.matrix is None:
            return None
        row, cell = self._rows[index.row()], self.cell(index)
        match role:
            case _ if role == ROW_ROLE:
                return row
            case _ if role == CELL_ROLE:
                return cell
            case _ if role == WAITING_ROLE:
                return self.is_waiting(row)
            case _ if role == FIRST_ROLE:
                return row.patent.id in self._first_only
            case _ if role == ZONE_ROLE:
                return row.dates
            case Qt.ItemDataRole.DisplayRole:
                if index.column() == STATUS:
                    return tell(row.dates.label)
                if self.is_waiting(row) and (cell is None or cell.by_hand is ByHand.NONE):
                    return WAITING_SIGN
                return matrix_cell_text(cell) if cell is not None else _mean_text(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                name = format_publication(str(row.patent.publication))
                partly = f", {DEPTH_WORDS}" if row.depth is IndexDepth.CLAIMS else ""
                return f"{name}{partly}, {self._describe(row, index.column())}"
            case Qt.ItemDataRole.ToolTipRole:
                if index.column() == STATUS:
                    return wrap_tip(tell(row.dates.words))
                if cell is not None:
                    return wrap_tip(cell_tip(row, cell, self.matrix, waiting=self.is_waiting(row)))
                return f"{row.patent.title}\n{row.patent.applicant}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return _CENTER
        return None

    def is_waiting(self, row: MatrixRow) -> bool:
        """Whether the judge has yet to rule on a row."""
        return row.patent.id in self._waiting

    def _describe(self, row: MatrixRow, column: int) -> str:
        """Screen-reader text of a cell after the name of its document."""
        assert self.matrix is not None
        if column == STATUS:
            return tr(
                "date status {label}: {words}", label=tell(row.dates.label), words=tell(row.dates.words)
            )
        if column == ALL:
            mean = _mean_text(row)
            if self.is_waiting(row):
                return tr("all features: {waiting_words}", waiting_words=WAITING_WORDS)
            if mean == _NONE:
                return tr("all features: not judged")
            return tr(
                "all features: mean {counted_words} {mean}",
                counted_words=tell(counted_words(row.cells)),
                mean=mean,
            )
        cell = row.cells[column - FIRST_FEATURE]
        spoken = cell_spoken(cell, self.matrix.query, waiting=self.is_waiting(row))
        if row.patent.id in self._first_only and cell.ruling is not None:
            return f"{spoken}; {tell(FIRST_ONLY_WORDS)}"
        return spoken

    def _row_head(self, row: MatrixRow, role: int) -> Any:
        partly = row.depth is IndexDepth.CLAIMS
        name = format_publication(str(row.patent.publication))
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{name} {DEPTH_SIGN}" if partly else name
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{name}, {DEPTH_WORDS}" if partly else name
            case Qt.ItemDataRole.ToolTipRole:
                more = f"\n{depth_help(row.read)}" if partly else ""
                return wrap_tip(f"{row.patent.title}\n{row.patent.applicant}{more}")
            case Qt.ItemDataRole.TextAlignmentRole:
                return _LEFT
        return None


def _mean_text(row: MatrixRow) -> str:
    """The mean of what the cells count; a dash if no feature of the document is judged."""
    judged = any(cell.ruling is not None or cell.verdict not in _UNJUDGED for cell in row.cells)
    return str(strength_figure(row.strength)) if judged else _NONE


def _worth(row: MatrixRow, column: int) -> float:
    match column:
        case _ if column == ALL:
            return row.strength
        case _ if column == STATUS:
            return -_STANDINGS.index(row.dates.standing)
    return row.cells[column - FIRST_FEATURE].counted
