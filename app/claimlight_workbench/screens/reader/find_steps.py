"""Finding words in the open document: the bar, the matches one after the other, from where the user was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject

from claimlight.types import PassageId

if TYPE_CHECKING:
    from collections.abc import Callable

    from claimlight_workbench.models.finds import FindBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText
    from claimlight_workbench.screens.reader.find_bar import FindBar
    from claimlight_workbench.widgets.linked_text import LinkedText


class Reveal(Protocol):
    """Scrolls to a place of a passage."""

    def __call__(self, passage: PassageId, position: int = 0, /) -> None: ...


class FindSteps(QObject):
    """Steps through the matches of what is looked for."""

    def __init__(
        self,
        finds: FindBoard,
        bar: FindBar,
        text: LinkedText,
        parent: QObject,
        *,
        written: Callable[[], DocumentText | None],
        need_text: Callable[[], None],
        reveal: Reveal,
    ) -> None:
        """``written``: the open document; ``need_text``: shows the text if only drawings are shown."""
        super().__init__(parent)
        self._finds = finds
        self._bar = bar
        self._text = text
        self._written = written
        self._need_text = need_text
        self._reveal = reveal
        self._start: tuple[PassageId, int] | None = None
        """Where the user was when the bar was opened: what is typed is looked for from there on."""
        bar.stepped.connect(self.step)
        finds.changed.connect(self._changed)
        finds.arrived.connect(lambda: self._go_from(self._start, 1))

    def open(self) -> None:
        """Open the bar that finds words in the document, with what is selected."""
        self._need_text()
        cursor = self._text.textCursor()
        self._start = self._place_at(cursor.selectionStart()) if cursor.hasSelection() else None
        self._start = self._start or self._place_at(self._text.visible_range()[0])
        self._bar.open(cursor.selectedText().replace("\u2029", "\n"))

    def step(self, by: int) -> None:
        """Go to the next or previous match of what is looked for, cyclic; without any, ask for it."""
        finds = self._finds
        if self._bar.isHidden():
            self.open()
        elif finds.current is not None:
            finds.go_to(finds.at + by)
        elif finds.places:
            self._go_from(self._place_at(self._text.visible_range()[0]), by)

    def _go_from(self, start: tuple[PassageId, int] | None, by: int) -> None:
        """Go to the first match at a place or behind it, or to the last one before."""
        found = self._finds.found
        if found is not None:
            at = found.index_from(*start) if start is not None else 0
            self._finds.go_to(at if by > 0 else at - 1)

    def _place_at(self, offset: int) -> tuple[PassageId, int] | None:
        """Passage and code point at a document position, or behind it; None behind the last passage."""
        written = self._written()
        placed = written.at_or_behind(offset) if written is not None else None
        return (placed.passage.id, placed.position(max(offset, placed.start))) if placed is not None else None

    def _changed(self) -> None:
        self._text.refresh()
        current = self._finds.current
        if current is not None:
            self._start = current.passage, current.span.start
            self._reveal(current.passage, current.span.start)
