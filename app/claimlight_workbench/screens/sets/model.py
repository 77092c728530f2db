"""The rows of the list of sets."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from claimlight_workbench.language import tr
from claimlight_workbench.screens.sets.describe import documents_text, expression_of, model_text, tip_of

if TYPE_CHECKING:
    from claimlight.types import QuerySet

_Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """Columns in order."""

    NUMBER = 0
    QUERY = 1
    DOCUMENTS = 2
    WHEN = 3
    MODEL = 4


_HEADINGS = (tr("Set"), tr("Query"), tr("Documents"), tr("When"), tr("Model and index"))


class SetsModel(QAbstractTableModel):
    """The sets of a case, L1 first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sets: tuple[QuerySet, ...] = ()
        self.current = 0
        """Number of the set that is shown."""

    def replace(self, sets: tuple[QuerySet, ...]) -> bool:
        """Show the sets of a case; returns whether there is a new one."""
        numbers = [each.created for each in sets]
        if numbers == [each.created for each in self._sets]:
            return False
        self.beginResetModel()
        self._sets = sets
        self.endResetModel()
        return True

    def set_current(self, number: int) -> None:
        """Another set is shown."""
        self.current = number
        if self._sets:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._sets) - 1, len(Column) - 1))

    def record(self, row: int) -> QuerySet | None:
        """The set of a row."""
        return self._sets[row] if 0 <= row < len(self._sets) else None

    def row_of(self, number: int) -> int:
        """The row of a set; -1 if there is none."""
        return next((row for row, each in enumerate(self._sets) if each.number == number), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._sets)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        record, column = self._sets[index.row()], Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(record, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            shown = tr(", shown") if record.number == self.current and column is Column.NUMBER else ""
            return self._text(record, column) + shown
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(record)
        if role == Qt.ItemDataRole.TextAlignmentRole and column is Column.DOCUMENTS:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.FontRole and record.number == self.current:
            font = QFont()
            font.setBold(True)
            return font
        return None

    def _text(self, record: QuerySet, column: Column) -> str:
        match column:
            case Column.NUMBER:
                return record.label
            case Column.QUERY:
                return expression_of(record)
            case Column.DOCUMENTS:
                return documents_text(record)
            case Column.WHEN:
                return record.created.astimezone().strftime("%Y-%m-%d %H:%M")
            case _:
                return model_text(record)
