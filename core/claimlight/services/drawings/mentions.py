"""Where the text of a document mentions its figures and the reference signs of its drawings."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from claimlight.text.figures import find_figures
from claimlight.text.reference_signs import find_reference_signs
from claimlight.types import (
    FigureLink,
    FigurePlace,
    FoundPlace,
    Mentions,
    PictureState,
    ReferenceSign,
    Section,
    Span,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claimlight.tasks import TaskContext
    from claimlight.types import Drawings, PassageId, PassageView

_FIGURES_NAMED = 4
"""Figures given for a reference sign, at most."""
_NUMBER = re.compile(r"\d+")


def read_mentions(passages: Sequence[PassageView], context: TaskContext) -> Mentions:
    """The mentions of figures in all passages, and the reference signs of the description.

    It takes about a second per million characters.
    """
    figures = _find_places(passages, context)
    description = [each for each in passages if not each.claim and not each.section.front]
    return Mentions(tuple(figures), _read_signs(description, figures))


def find_links(
    passages: Sequence[PassageView], drawings: Drawings, context: TaskContext
) -> dict[PassageId, tuple[FigureLink, ...]]:
    """By passage its mentions of figures that are on a page whose picture is there, in reading order."""
    there = {page.number for page in drawings.pages if page.state is not PictureState.MISSING}
    known = {each.label: each for each in drawings.figures if each.page in there}
    found: dict[PassageId, list[FigureLink]] = {}
    for place in _find_places(passages, context) if known else ():
        label = next(filter(None, (match_label(each, known) for each in place.labels)), "")
        if label:
            found.setdefault(place.passage, []).append(FigureLink(place.span, known[label]))
    return {passage: tuple(links) for passage, links in found.items()}


def _find_places(passages: Sequence[PassageView], context: TaskContext) -> list[FigurePlace]:
    places: list[FigurePlace] = []
    for passage in passages:
        context.check()
        places += [
            FigurePlace(passage.id, Span(found.start, found.end), found.labels)
            for found in find_figures(passage.text)
        ]
    return places


def _read_signs(
    description: Sequence[PassageView], figures: Iterable[FigurePlace]
) -> tuple[ReferenceSign, ...]:
    in_passage: dict[PassageId, dict[str, None]] = {}
    for place in figures:
        in_passage.setdefault(place.passage, {}).update(dict.fromkeys(place.labels))
    # A paragraph without a figure goes on about the one before it.
    about: list[tuple[str, ...]] = []
    for passage in description:
        # The list of the drawings names all of them.
        listed = passage.section is Section.DRAWINGS
        named = () if listed else tuple(in_passage.get(passage.id, ()))
        about.append(named or (about[-1][-1:] if about and not listed else ()))
    signs = []
    for found in find_reference_signs([each.text for each in description]):
        places = tuple(
            FoundPlace(description[each.paragraph].id, Span(each.start, each.end)) for each in found.mentions
        )
        paragraphs = dict.fromkeys(each.paragraph for each in found.mentions)
        counted = Counter(label for number in paragraphs for label in about[number])
        often = tuple(label for label, _ in counted.most_common(_FIGURES_NAMED))
        signs.append(ReferenceSign(found.sign, found.name, places, often))
    return tuple(signs)


def match_label(label: str, labels: Iterable[str]) -> str:
    """The figure that a mention means among those that there are; empty if there is none.

    ``2`` means ``2A`` if there is no ``2``, and ``2A`` means ``2``.
    """
    known = list(labels)
    if label in known:
        return label
    number = _NUMBER.match(label)
    if number is None:
        return ""
    if number[0] in known:
        return number[0]
    if label != number[0]:
        return ""
    return next((each for each in known if (of := _NUMBER.match(each)) and of[0] == label), "")
