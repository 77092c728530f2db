"""Tables of whole rows with the same look and keys in every panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QAbstractItemView, QTableView

from claimlight_workbench import theme

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

_ROW = 24
"""Height of a row before the text is scaled."""


def prepare_rows(table: QTableView, name: str, *, row: int = _ROW) -> None:
    """Whole rows of one line, selected one by one and not editable; Tab leaves the table."""
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setAlternatingRowColors(True)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setTextElideMode(Qt.TextElideMode.ElideRight)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class ScrolledTable(QTableView):
    """A table that is scrolled by moving what is painted; Home and End go to the first and the last row.

    With a style sheet Qt takes the ground for transparent, and paints every row again for each step down.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The ground first, which is ours to paint."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(theme.active().base))
        painter.end()
        super().paintEvent(event)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Where a key leads; Qt's own Home and End stay in the row."""
        ends = {QAbstractItemView.CursorAction.MoveHome: 0}
        ends[QAbstractItemView.CursorAction.MoveEnd] = self.model().rowCount() - 1
        if action in ends and self.model().rowCount():
            return self.model().index(ends[action], max(self.currentIndex().column(), 0))
        return super().moveCursor(action, modifiers)
