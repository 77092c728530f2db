"""The documents of the map as a table: the same content for the keyboard and for screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from claimlight.types import Category, format_publication
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.services.maps.plane import Plane
    from claimlight_workbench.screens.map.canvas import MapCanvas

_HEADINGS = (tr("Document"), tr("Section"), tr("Category"), tr("In list"), tr("Title"))
_Index = QModelIndex | QPersistentModelIndex


class MapTable(QAbstractTableModel):
    """A row for each point, in the order of the map."""

    def __init__(self, canvas: MapCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._plane: Plane | None = None
        self._hits: frozenset[int] = frozenset()

    def show_plane(self, plane: Plane | None) -> None:
        """Show the documents of another map."""
        self.beginResetModel()
        self._plane, self._hits = plane, frozenset()
        self.endResetModel()

    def renew(self) -> None:
        """Categories or the list have changed."""
        self._hits = frozenset(self._canvas.hits)
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 2), self.index(self.rowCount() - 1, 3))

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return len(self._plane.points) if self._plane is not None and not parent.isValid() else 0

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_HEADINGS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _HEADINGS[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._plane is None or role != Qt.ItemDataRole.DisplayRole:
            return None
        row, point = index.row(), self._plane.points[index.row()]
        texts = (
            format_publication(point.publication),
            point.section,
            self._canvas.marks.get(row, Category.NONE).value,
            tr("yes") if row in self._hits else "",
            point.title,
        )
        return texts[index.column()]
