"""A list of rows opened by Enter, on every desktop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget

_WIDEST = 34
"""Characters of a column that does not stretch."""
_LEAST = 28
"""Characters that the stretched column gets before the widest of the others, usually."""
_NARROWEST = 17
"""Least characters of the others, so that a publication number stays readable; headings are never cut."""


class EnterTree(QTreeWidget):
    """One column takes the remaining width."""

    def __init__(self, name: str, headings: Sequence[str], *, stretched: int, least: int = _LEAST) -> None:
        """``least``: characters that the stretched column gets first."""
        super().__init__()
        self._least = least
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
        """Fit the other columns to their contents; empty ones are hidden."""
        letter = self.fontMetrics().averageCharWidth()
        others = [column for column in range(self.columnCount()) if column != self._stretched]
        for column in others:
            self.setColumnHidden(column, not self._holds(column))
            self.resizeColumnToContents(column)
            self.setColumnWidth(column, min(letter * _WIDEST, self.columnWidth(column)))
        wide = {column: self.columnWidth(column) for column in others if not self.isColumnHidden(column)}
        lacking = sum(wide.values()) + letter * self._least - self.viewport().width()
        for widest in sorted(wide, key=lambda column: -wide[column]):
            narrowest = max(letter * _NARROWEST, self.header().sectionSizeHint(widest))
            given = max(0, min(lacking, wide[widest] - narrowest))
            self.setColumnWidth(widest, wide[widest] - given)
            lacking -= given

    def _holds(self, column: int) -> bool:
        """Whether any row has text in a column."""
        items = [self.topLevelItem(row) for row in range(self.topLevelItemCount())]
        while items:
            item = items.pop()
            if item is not None:
                if item.text(column) and not (item.childCount() and column == 0):
                    return True
                items += [item.child(row) for row in range(item.childCount())]
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # On macOS, Enter does not activate a row by itself.
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.currentItem() is not None:
            self.itemActivated.emit(self.currentItem(), 0)
        else:
            super().keyPressEvent(event)
