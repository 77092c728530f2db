"""What a reader looks for in a document, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claimlight.types.results import PassageId, Span


@dataclass(frozen=True, slots=True)
class FindRequest:
    """Words to find in a text, as they are typed."""

    words: str
    match_case: bool = False
    """Letters exactly as typed; otherwise case and accents make no difference, and an umlaut is found in
    every spelling: ``Stossdampfer`` finds ``Stoßdämpfer``."""
    whole_words: bool = False
    """Not inside a longer word."""


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """One match of a `FindRequest`."""

    passage: PassageId
    span: Span
