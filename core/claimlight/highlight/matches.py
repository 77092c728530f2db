"""Matches: evidence grouped into pairs of a phrase of the claim and a phrase of the passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from claimlight.text.informative import find_shared_words, is_informative
from claimlight.text.words import WORD
from claimlight.types import Evidence, Match, Span

BETWEEN = 3
"""Maximum number of uninformative words between two words of a phrase."""
_LONGEST = 40
"""Maximum number of characters between two words of a phrase."""
_ENDS = frozenset(";:.!?,\n\r")
"""Characters that end a phrase."""

_Range = tuple[int, int]
"""A span as a pair: a claim has thousands of links, and comparing spans as objects takes most of the time."""


def group_matches(
    evidence: Sequence[Evidence], query: str, passage: str, bearing: Collection[int]
) -> tuple[Match, ...]:
    """Group the evidence of a passage into pairs of phrases, strongest first; contributions are summed.

    Words of one feature form a phrase if only a few uninformative words are between them, on both sides. A
    match is weak if none of its centers is ``bearing``.
    """
    by_feature: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(evidence):
        by_feature[item.feature].append(place)
    asked: list[_Range] = [(item.query.start, item.query.end) for item in evidence]
    met: list[_Range] = [(item.passage.start, item.passage.end) for item in evidence]
    made: list[tuple[float, _Range, _Range, Match]] = []
    for feature, places in by_feature.items():
        # A phrase of the passage may meet several of the claim: each pair is a match.
        for inside in _group_phrases(places, met, passage):
            for pair in _group_phrases(inside, asked, query):
                here, there = _hull(pair, asked), _hull(pair, met)
                contribution = sum(evidence[place].contribution for place in pair)
                match = Match(
                    Span(*here),
                    Span(*there),
                    feature,
                    contribution,
                    tuple(sorted(pair)),
                    find_shared_words(query[slice(*here)], passage[slice(*there)]),
                    all(evidence[place].center not in bearing for place in pair),
                )
                made.append((-contribution, there, here, match))
    # Ties keep their order, so the first feature comes first.
    made.sort(key=lambda item: item[:3])
    return tuple(item[3] for item in made)


def _group_phrases(places: Sequence[int], spans: Sequence[_Range], text: str) -> list[list[int]]:
    """Group places by the phrases that their spans form in a text."""
    groups: list[list[int]] = []
    last = -1
    for place in sorted(places, key=spans.__getitem__):
        start, end = spans[place]
        if groups and (start <= last or (start - last <= _LONGEST and _is_one_phrase(text[last:start]))):
            groups[-1].append(place)
        else:
            groups.append([place])
        last = max(last, end) if start <= last else end
    return groups


@lru_cache(maxsize=1 << 14)
def _is_one_phrase(between: str) -> bool:
    """Whether two words separated by this text, which is not too long, are in one phrase."""
    if _ENDS.intersection(between):
        return False
    return len(WORD.findall(between)) <= BETWEEN and not is_informative(between)


def _hull(places: Sequence[int], spans: Sequence[_Range]) -> _Range:
    if len(places) == 1:
        return spans[places[0]]
    return min(spans[place][0] for place in places), max(spans[place][1] for place in places)
