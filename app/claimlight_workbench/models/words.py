"""What a query line matched in the open document, in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.models.spread import NOWHERE, Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import DocumentView, PassageId, SetMark


class DocumentWords:
    """The matches of one document; built off the GUI thread."""

    def __init__(self, marks: Sequence[SetMark], view: DocumentView) -> None:
        places = {passage.id: place for place, passage in enumerate(view.passages)}
        known = [mark for mark in marks if mark.passage in places]
        known.sort(key=lambda mark: (places[mark.passage], mark.span.start, mark.span.end))
        self.patent = view.summary.id
        self.marks: tuple[SetMark, ...] = tuple(known)
        self.spread = Spread.of(view, ((mark.passage, mark.span.start) for mark in known))
        self._by_passage: dict[PassageId, list[SetMark]] = {}
        for mark in self.marks:
            self._by_passage.setdefault(mark.passage, []).append(mark)

    def of(self, passage: PassageId) -> Sequence[SetMark]:
        """The matches in a passage."""
        return self._by_passage.get(passage, ())


class WordBoard(QObject):
    """The matches, whether they are shown, and which is the current one."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: DocumentWords | None = None
        self.awaited = False
        """N and P go through these: the document scrolls to them, not to its best passage."""
        self.on = True
        self.at = -1
        """Index of the current match; -1 for none."""

    @property
    def marks(self) -> tuple[SetMark, ...]:
        """What is shown."""
        return self.found.marks if self.found is not None and self.on else ()

    @property
    def spread(self) -> Spread:
        """Where what is shown is in the document."""
        return self.found.spread if self.found is not None and self.on else NOWHERE

    @property
    def current(self) -> SetMark | None:
        """The current match of N and P."""
        return self.marks[self.at] if 0 <= self.at < len(self.marks) else None

    def of(self, passage: PassageId) -> Sequence[SetMark]:
        """What is shown of a passage."""
        return self.found.of(passage) if self.found is not None and self.on else ()

    def clear(self, *, awaited: bool) -> None:
        """Another document: its matches come later, or there is no query line."""
        self.found, self.at, self.awaited = None, -1, awaited
        self.changed.emit()

    def show(self, found: DocumentWords) -> None:
        """Set the matches of the open document; the first one becomes current."""
        self.found, self.awaited = found, False
        self.at = 0 if found.marks else -1
        self.changed.emit()

    def step(self, by: int) -> None:
        """Go to the next or previous match, cyclic."""
        if self.marks:
            self.at = (self.at + by) % len(self.marks)
            self.changed.emit()

    def go_to(self, index: int) -> None:
        """Make a match the current one."""
        if 0 <= index < len(self.marks):
            self.at = index
            self.changed.emit()

    def set_on(self, on: bool) -> None:  # noqa: FBT001 - what a button tells
        """Switch them on or off."""
        self.on = on
        self.changed.emit()
