"""Versions of the claims of a case, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claimlight.types.patents import Claim

AS_FILED = "as filed"
"""Name of the first version, unless it is given another one."""


@dataclass(frozen=True, slots=True)
class ClaimVersion:
    """The claims as they were at one time of the proceedings."""

    name: str
    """Such as ``as filed`` or ``amended``; each version of a case has another one."""
    text: str
    """The claims as they were given."""
    day: date | None = None
    """When they were filed."""

    @property
    def label(self) -> str:
        """``amended, 2026-03-01``."""
        return f"{self.name}, {self.day.isoformat()}" if self.day is not None else self.name


def numbered_text(claims: Iterable[Claim]) -> str:
    """Claims that a file has structured as plain text, as a version keeps them: ``1. A damper…``."""
    return "\n\n".join(f"{claim.number}. {claim.text}" for claim in claims)


class Change(StrEnum):
    """What became of words, or of a claim."""

    SAME = "same"
    INSERTED = "inserted"
    DELETED = "deleted"
    CHANGED = "changed"
    """Words of the claim were inserted or deleted."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that are in both versions, or in one of them."""

    change: Change
    text: str
    """With the white space behind it."""


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """A claim in two versions."""

    old: int | None
    """Its number in the first version; None if it is new."""
    new: int | None
    """Its number in the second version; None if it was deleted."""
    pieces: tuple[Piece, ...]
    """Its words in order. References to claims that only have other numbers count as the same."""

    @property
    def change(self) -> Change:
        """What became of the claim."""
        if self.old is None:
            return Change.INSERTED
        if self.new is None:
            return Change.DELETED
        same = all(piece.change is Change.SAME for piece in self.pieces)
        return Change.SAME if same else Change.CHANGED

    @property
    def renumbered(self) -> bool:
        """Whether it has another number."""
        return self.old is not None and self.new is not None and self.old != self.new

    def count(self, change: Change) -> int:
        """How many words were inserted or deleted."""
        return sum(len(piece.text.split()) for piece in self.pieces if piece.change is change)
