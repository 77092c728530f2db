"""The text of the document, copied with its citation."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QTextCursor,
)
from PySide6.QtWidgets import QMenu, QWidget

from claimlight_workbench.language import tr
from claimlight_workbench.screens.reader.painted import COLUMNS
from claimlight_workbench.widgets.linked_text import LinkedText


class CitedText(LinkedText):
    """Copies what is selected, or else the current passage, with the citation."""

    like_wanted = Signal()
    """Search for documents like the passage."""
    cite_wanted = Signal()
    """Cite the passage with the category, or no longer."""
    note_wanted = Signal()
    """Write a note on the selected words or the passage."""

    def __init__(self, parent: QWidget, cite: Callable[[int, int], str]) -> None:
        super().__init__(parent, columns=COLUMNS)
        self._cite = cite

    def copy_cited(self) -> None:
        """Copy the selected words, or the current passage, with their citation to the clipboard."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            if self.current is None:
                return
            start, end = self.current
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        # Qt separates the blocks of a selection by U+2029.
        words = cursor.selectedText().replace("\u2029", "\n")
        cited = self._cite(cursor.selectionStart(), cursor.selectionEnd())
        QGuiApplication.clipboard().setText(f"{words}\n({cited})" if cited else words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_cited()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = self.textCursor().hasSelection()
        menu.addAction(
            tr("Copy with citation") if chosen else tr("Copy passage with citation"), self.copy_cited
        )
        menu.addAction(tr("More like this passage"), self.like_wanted.emit)
        menu.addAction(tr("Cite passage with the category, or not"), self.cite_wanted.emit)
        words = tr("Note on the selected words…") if chosen else tr("Note on passage…")
        menu.addAction(words, self.note_wanted.emit)
        menu.addAction(tr("Select all"), self.selectAll)
        menu.popup(event.globalPos())
