"""Where the text of a document names its figures and the parts in its drawings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claimlight.types.drawings import Figure
    from claimlight.types.finding import FoundPlace
    from claimlight.types.results import PassageId, Span


@dataclass(frozen=True, slots=True)
class FigurePlace:
    """A mention of figures in a passage."""

    passage: PassageId
    span: Span
    labels: tuple[str, ...]
    """Ranges are written out: ``2A-2C`` is ``2A``, ``2B``, ``2C``."""


@dataclass(frozen=True, slots=True)
class FigureLink:
    """A mention of figures whose page is known, and the page of the first of them that has one."""

    span: Span
    """In the passage."""
    figure: Figure


@dataclass(frozen=True, slots=True)
class ReferenceSign:
    """A reference sign of the drawings, such as ``12a``, with the part it names."""

    sign: str
    name: str
    """As in the description, without its article."""
    places: tuple[FoundPlace, ...]
    """Its mentions in reading order; each is the sign alone."""
    figures: tuple[str, ...] = ()
    """Figures that the passages with it name, the most frequent first: a guess at where it is drawn."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where the text of a document mentions its figures and reference signs."""

    figures: tuple[FigurePlace, ...] = ()
    """In reading order."""
    signs: tuple[ReferenceSign, ...] = ()
    """By number."""
