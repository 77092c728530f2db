"""The model packages as a Qt table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from claimlight_workbench.language import tr
from claimlight_workbench.screens.models.describe import HEADINGS, is_number, row_of, tip_of

if TYPE_CHECKING:
    from claimlight.services.models.models import ModelInfo

_Index = QModelIndex | QPersistentModelIndex
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ModelTable(QAbstractTableModel):
    """One row for each package."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.models: tuple[ModelInfo, ...] = ()

    def show(self, models: tuple[ModelInfo, ...]) -> None:
        """Show these packages."""
        self.beginResetModel()
        self.models = models
        self.endResetModel()

    def row_of(self, name: str) -> int:
        """Row of a package; -1 if it is not there."""
        return next((row for row, info in enumerate(self.models) if info.name == name), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.models)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADINGS[section]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return HEADINGS[section] or tr("In use")
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        info = self.models[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row_of(info)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(info)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tip_of(info) if index.column() == 0 else row_of(info)[index.column()]
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _alignment(column: int) -> int:
    return _RIGHT if is_number(column) else _LEFT
