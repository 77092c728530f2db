"""The terms of a query, or of one of its features: its centers, each with its strongest span."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.index.center_vocabulary import Activations
from claimlight.text.informative import is_informative
from claimlight.types import Feature, Query, Span


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Centers, ascending; ``weight`` is the largest cosine of a span, ``start`` and ``end`` that span."""

    center: NDArray[np.int32]
    weight: NDArray[np.float64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.center)

    def saying(self, text: str) -> Terms:
        """The terms whose span of ``text`` is informative; all of them if none is."""
        ranges = zip(self.start.tolist(), self.end.tolist(), strict=True)
        kept = np.flatnonzero([is_informative(text[start:end]) for start, end in ranges])
        if not len(kept):
            return self
        return Terms(self.center[kept], self.weight[kept], self.start[kept], self.end[kept])


@dataclass(frozen=True, slots=True, eq=False)
class AskedTerms:
    """Terms as evidence shows them: their spans in the text of the query, the words there, their features."""

    spans: tuple[Span, ...]
    words: tuple[str, ...]
    informative: tuple[bool, ...]
    features: tuple[str, ...]
    """Label of the feature of each term; empty outside all features."""

    @classmethod
    def of(cls, terms: Terms, query: Query) -> AskedTerms:
        """Those of ``terms``, in their order."""
        spans = tuple(map(Span, terms.start.tolist(), terms.end.tolist()))
        words = tuple(query.text[span.start : span.end] for span in spans)
        return cls(
            spans,
            words,
            tuple(map(is_informative, words)),
            tuple(find_feature(query.features, span.start) for span in spans),
        )


@dataclass(frozen=True, slots=True, eq=False)
class QuerySpans:
    """All spans of a query text, and the centers that each activated."""

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    activations: Activations

    def terms(self, within: Span | None = None) -> Terms:
        """Max aggregation over all spans, or those that begin in ``within`` (ties: the first span)."""
        active = self.activations
        chosen = np.arange(len(active))
        if within is not None:
            begins = self.start[active.row]
            chosen = np.flatnonzero((begins >= within.start) & (begins < within.end))
        center, row, cosine = active.center[chosen], active.row[chosen], active.cosine[chosen]
        order = np.lexsort((self.start[row], -cosine, center))
        grouped = center[order]
        first = order[np.flatnonzero(np.diff(grouped, prepend=-1))]
        return Terms(
            center=center[first],
            weight=cosine[first].astype(np.float64),
            start=self.start[row[first]],
            end=self.end[row[first]],
        )


def find_feature(features: tuple[Feature, ...], position: int) -> str:
    """Label of the feature that contains a position of the query text; empty if none does."""
    for feature in features:
        if feature.span.start <= position < feature.span.end:
            return feature.label
    return ""
