"""A list of rows that Enter opens, on every desktop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget

_WIDEST = 34
"""Characters of a column that does not stretch."""


class EnterTree(QTreeWidget):
    """One column takes the room that is left."""

    def __init__(self, name: str, headings: Sequence[str], *, stretched: int) -> None:
        super().__init__()
        self._stretched = stretched
        self.setAccessibleName(name)
        self.setHeaderLabels(list(headings))
        self.setAlternatingRowColors(True)
        self.setUniformRowHeights(True)
        self.setIndentation(14)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)

    def fit(self) -> None:
        """Make the other columns as wide as what they hold."""
        most = self.fontMetrics().averageCharWidth() * _WIDEST
        for column in range(self.columnCount()):
            if column != self._stretched:
                self.resizeColumnToContents(column)
                self.setColumnWidth(column, min(most, self.columnWidth(column)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.currentItem() is not None:
            self.itemActivated.emit(self.currentItem(), 0)
        else:
            super().keyPressEvent(event)
