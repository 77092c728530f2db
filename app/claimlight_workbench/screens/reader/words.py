"""Matches of a query line in the reader: boxes around words, and the legend that switches them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QToolButton, QWidget

from claimlight_workbench.language import tr
from claimlight_workbench.widgets.outlines import Outline

if TYPE_CHECKING:
    from claimlight_workbench.models.words import WordBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText


class WordsButton(QToolButton):
    """Drawn like the matches: words with a box around them."""

    def __init__(self, words: WordBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self.setObjectName("words")
        self.setCheckable(True)
        self.setChecked(True)
        self.toggled.connect(words.set_on)
        words.changed.connect(self._follow)
        self.hide()

    def _follow(self) -> None:
        found = self._words.found
        self.setVisible(found is not None)
        if self.isChecked() != self._words.on:
            self.setChecked(self._words.on)
        count = len(found.marks) if found is not None else 0
        self.setText(tr("query words {count:,}", count=count))
        state = tr("shown") if self._words.on else tr("hidden")
        self.setAccessibleName(
            tr("Query words: {count} matches of the query line, {state}", count=count, state=state)
        )
        self.setToolTip(
            tr(
                "A box around a word: the query line matched it. {count:,} in this document, "
                "{state}.\nN and P go through them; Q shows and hides them.",
                count=count,
                state=state,
            )
        )


def outlines(text: DocumentText | None, words: WordBoard, first: int, last: int) -> Sequence[Outline]:
    """The boxes of the matches in a range of positions."""
    if text is None or not words.marks:
        return ()
    current = words.current
    return [
        Outline(placed.offset(mark.span.start), placed.offset(mark.span.end), current=mark is current)
        for placed in text.between(first, last)
        for mark in words.of(placed.passage.id)
    ]
