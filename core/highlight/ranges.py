"""Ranges for display: spans that touch become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.types import Evidence, Span


def merged(spans: Iterable[Span], text: str = "") -> tuple[Span, ...]:
    """Disjoint spans in order; those that overlap or touch become one.

    With ``text``, so do neighbours with nothing but white space between them.
    """
    joined: list[Span] = []
    for span in sorted(spans):
        if not len(span):
            continue
        if joined and (span.start <= joined[-1].end or _only_space(text, joined[-1].end, span.start)):
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def _only_space(text: str, start: int, end: int) -> bool:
    between = text[start:end]
    return bool(between) and between.isspace()


@dataclass(frozen=True, slots=True)
class FeatureShare:
    """What one feature contributes; the label is empty for what lies outside all features."""

    feature: str
    contribution: float


@dataclass(frozen=True, slots=True)
class MarkedRange:
    """A range of a passage that met the query, and what met there."""

    span: Span
    shares: tuple[FeatureShare, ...]
    """Largest first (ties by label); over all ranges of a passage they sum to its score."""

    @property
    def contribution(self) -> float:
        """What the range adds to the score of the passage."""
        return sum(share.contribution for share in self.shares)


def by_feature(evidence: Iterable[Evidence]) -> tuple[FeatureShare, ...]:
    """What each feature contributes to a score, largest first (ties by label); sums to it."""
    sums: dict[str, float] = {}
    for item in evidence:
        sums[item.feature] = sums.get(item.feature, 0.0) + item.contribution
    order = sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(FeatureShare(feature, contribution) for feature, contribution in order)


def marked(evidence: Iterable[Evidence], text: str = "") -> tuple[MarkedRange, ...]:
    """The evidence of a passage as disjoint ranges in order, each with what its features contribute."""
    items = sorted(evidence, key=lambda item: item.passage)
    made: list[MarkedRange] = []
    at = 0
    for span in merged((item.passage for item in items), text):
        inside: list[Evidence] = []
        # Ranges and spans are both in order, and every span that is not empty lies in one range.
        while at < len(items) and items[at].passage.start < span.end:
            inside.append(items[at])
            at += 1
        made.append(MarkedRange(span, by_feature(inside)))
    return tuple(made)
