"""The rows of a coverage matrix: a column for the whole claim, then one for each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.models.columns import printed_publication
from app.screens.matrix.describe import cell_spoken, cell_text, cell_tip
from core.types import strength_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.types import CoverageMatrix, MatrixCell, MatrixRow, PatentId

CELL_ROLE = int(Qt.ItemDataRole.UserRole)
ROW_ROLE = CELL_ROLE + 1
ALL = 0
"""The column of the whole claim."""
_CENTER = int(Qt.AlignmentFlag.AlignCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_ALL_HELP = "Mean match strength of the row. A click, or Space in a column, orders the rows by it"
_Index = QModelIndex | QPersistentModelIndex


class MatrixModel(QAbstractTableModel):
    """The documents of one of the two lists of a matrix."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.matrix: CoverageMatrix | None = None
        self._given: Sequence[MatrixRow] = ()
        self._rows: Sequence[MatrixRow] = ()
        self.ordered_by: int | None = None
        """Column the rows are ordered by; None for the order of the results."""

    def show(self, matrix: CoverageMatrix | None, rows: Sequence[MatrixRow]) -> None:
        """Show rows of a matrix, in the order of the results."""
        self.beginResetModel()
        self.matrix, self._given, self._rows, self.ordered_by = matrix, rows, rows, None
        self.endResetModel()

    def order_by(self, column: int | None) -> None:
        """Best first in a column; None brings the order of the results back."""
        self.beginResetModel()
        self.ordered_by = column
        self._rows = self._given
        if column is not None:
            self._rows = sorted(self._given, key=lambda row: -_worth(row, column))
        self.endResetModel()

    def row(self, place: int) -> MatrixRow | None:
        """The document of a row."""
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def cell(self, index: _Index) -> MatrixCell | None:
        """A cell; None for the column of the whole claim."""
        if not index.isValid() or index.column() == ALL:
            return None
        return self._rows[index.row()].cells[index.column() - 1]

    def place_of(self, patent: PatentId) -> int:
        """Row of a document; -1 where it is not here."""
        return next((place for place, row in enumerate(self._rows) if row.patent.id == patent), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.matrix is None else len(self.matrix.features) + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if self.matrix is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return self._row_head(self._rows[section], role)
        feature = self.matrix.features[section - 1] if section != ALL else None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return feature.label if feature is not None else "All"
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return f"{feature.label} {feature.text}" if feature is not None else _ALL_HELP
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
            case Qt.ItemDataRole.DisplayRole:
                return cell_text(cell) if cell is not None else str(strength_figure(row.strength))
            case Qt.ItemDataRole.AccessibleTextRole:
                name = printed_publication(str(row.patent.publication))
                told = (
                    f"all features: mean match strength {strength_figure(row.strength)}"
                    if cell is None
                    else cell_spoken(cell)
                )
                return f"{name}, {told}"
            case Qt.ItemDataRole.ToolTipRole:
                if cell is not None:
                    return cell_tip(row, cell, self.matrix)
                return f"{row.patent.title}\n{row.patent.applicant}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return _CENTER
        return None

    def _row_head(self, row: MatrixRow, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return printed_publication(str(row.patent.publication))
            case Qt.ItemDataRole.ToolTipRole:
                return f"{row.patent.title}\n{row.patent.applicant}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return _LEFT
        return None


def _worth(row: MatrixRow, column: int) -> float:
    return row.strength if column == ALL else row.cells[column - 1].counted
