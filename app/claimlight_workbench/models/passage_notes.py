"""Notes on passages, found in an open document by the text they were written on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import format_publication
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claimlight.types import PassageNote, PassageView, Span


@dataclass(frozen=True, slots=True)
class PlacedNote:
    """A note and its passage in the open document."""

    note: PassageNote
    passage: PassageView | None
    """None if the document has neither this text nor this citation any more."""
    text_changed: bool = False
    """The passage is found by its citation only."""

    @property
    def words(self) -> Span | None:
        """Where the words are that the note is on; None for the whole passage and for another text."""
        return None if self.text_changed else self.note.words

    @property
    def line(self) -> str:
        """``[0042] “a lever”: see fig. 3``."""
        quoted = f" “{' '.join(self.note.quoted.split())}”" if self.note.quoted else ""
        where = self.passage.label if self.passage is not None else self.note.label
        place = f"{where or format_publication(str(self.note.publication))}{quoted}"
        if self.text_changed:
            place = tr("{place} (another text now)", place=place)
        return f"{place}: {self.note.note}"


def place_notes(notes: Iterable[PassageNote], passages: Sequence[PassageView]) -> tuple[PlacedNote, ...]:
    """Each note with its passage: by the text, else by the citation; in reading order."""
    by_text: dict[str, list[PassageView]] = {}
    by_label: dict[str, PassageView] = {}
    for passage in passages:
        by_text.setdefault(passage.text, []).append(passage)
        by_label.setdefault(passage.label, passage)

    def place(note: PassageNote) -> PlacedNote:
        same = by_text.get(note.passage, [])
        # The same text may stand in a document twice.
        found = next((each for each in same if each.label == note.label), None) or next(iter(same), None)
        if found is not None:
            return PlacedNote(note, found)
        cited = by_label.get(note.label) if note.label else None
        return PlacedNote(note, cited, text_changed=True)

    order = {passage.id: rank for rank, passage in enumerate(passages)}
    placed = [place(note) for note in notes]
    return tuple(
        sorted(placed, key=lambda each: order[each.passage.id] if each.passage is not None else len(order))
    )
