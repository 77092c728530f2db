"""The reference signs of the open document: which there are, which is current, at which of its mentions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from claimlight.types import FoundPlace, Mentions, PassageId, PassageView, ReferenceSign

_TOKEN = re.compile(r"(?<![\w.,])\d{1,4}[a-zA-Z]?(?:['′’]{1,2})?(?![\w%°])")
"""What may be a reference sign."""
_PRIMES = str.maketrans({"′": "'", "’": "'"})


class DocumentSigns:
    """The signs of one document, found by place; built off the GUI thread."""

    def __init__(self, mentions: Mentions) -> None:
        self.signs = mentions.signs
        self._by_sign = {each.sign: each for each in mentions.signs}
        self._in_passage: dict[PassageId, list[tuple[FoundPlace, ReferenceSign]]] = {}
        for sign in mentions.signs:
            for place in sign.places:
                self._in_passage.setdefault(place.passage, []).append((place, sign))

    def named(self, sign: str) -> ReferenceSign | None:
        """A sign as it is written; None if the description has none like it."""
        return self._by_sign.get(sign.translate(_PRIMES))

    def at(self, passage: PassageView, position: int) -> ReferenceSign | None:
        """The sign at a place of the text.

        Only the description was read for signs: in a claim a number in parentheses is a sign of it.
        """
        for place, sign in self._in_passage.get(passage.id, ()):
            if place.span.start <= position < place.span.end:
                return sign
        word = token_at(passage.text, position) if passage.claim else ""
        return self.named(word) if word else None


def token_at(text: str, position: int) -> str:
    """The number with its letter at a place, if it may be a reference sign; else empty."""
    for found in _TOKEN.finditer(text, max(0, position - 8), position + 8):
        if found.start() <= position < found.end():
            return found[0]
    return ""


class SignBoard(QObject):
    """What the list of reference signs shows; the presenter brings what is asked for here."""

    wanted = Signal()
    """The list is shown, or a sign was clicked: the signs are to be read."""
    changed = Signal()
    """The signs are there, or gone."""
    listing_changed = Signal()
    current_changed = Signal()
    gone_to = Signal(object)
    """`FoundPlace`: show this mention of the current sign."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.listing = False
        """Whether the list is shown with the drawings."""
        self.found: DocumentSigns | None = None
        """None while they are not read."""
        self.fault = ""
        """Why they could not be read."""
        self.current: ReferenceSign | None = None
        self.at = -1
        """Number of the mention of the current sign that is shown, from 0; -1 for none."""

    def open(self) -> None:
        """Another document, or none."""
        if self.found is not None or self.fault or self.listing:
            self.found, self.fault = None, ""
            self.choose(None)
            self.changed.emit()

    def show(self, found: DocumentSigns) -> None:
        """The signs of the open document."""
        self.found, self.fault = found, ""
        self.changed.emit()

    def fail(self, fault: str) -> None:
        """They could not be read."""
        self.found, self.fault = None, fault
        self.changed.emit()

    def set_listing(self, *, listing: bool) -> None:
        """Show the list, or hide it."""
        if listing != self.listing:
            self.listing = listing
            self.listing_changed.emit()
            if listing:
                self.wanted.emit()

    def choose(self, sign: ReferenceSign | None) -> None:
        """Make a sign current, at none of its mentions."""
        if sign is not self.current:
            self.current, self.at = sign, -1
            self.current_changed.emit()

    def step(self, sign: ReferenceSign) -> None:
        """Go to the first mention of a sign, or from one to the next, cyclic."""
        self.at = (self.at + 1) % len(sign.places) if sign is self.current else 0
        self.current = sign
        self.current_changed.emit()
        self.gone_to.emit(sign.places[self.at])
