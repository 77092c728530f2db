"""Evidence: the terms of a passage's center score, each as a pair of spans that met in a center.

score(q, p) = sum over shared centers c of  w_q(c) * w_p(c) * idf(c)^alpha / |S_p|^gamma
(Sparse Coverage, section 3). What is shown to the examiner are exactly these terms: they are computed
from the forward lists with the weights the postings hold, so they sum to the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.highlight.terms import Terms, feature_at
from core.text.words import shared_words
from core.types import CenterId, Evidence, Query, Span

_shared = lru_cache(maxsize=1 << 16)(shared_words)


class Forward(Protocol):
    """Forward lists of some passages, one after the other (CSR)."""

    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def centers(self) -> NDArray[np.int32]: ...
    @property
    def weights(self) -> NDArray[np.float32]: ...
    @property
    def start(self) -> NDArray[np.int32]: ...
    @property
    def end(self) -> NDArray[np.int32]: ...
    @property
    def span_counts(self) -> NDArray[np.int32]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """The parameters of a score: one factor for each center, and the length exponent."""

    factors: NDArray[np.float64]
    """idf^alpha, 0 for stop centers."""
    gamma: float
    floor: int = 1
    """Passages of fewer spans count as this long; 1 is the paper's formula."""

    def norms(self, spans: NDArray[np.int32]) -> NDArray[np.float64]:
        """|S|^gamma of passages, |S| being at least ``floor``."""
        norms: NDArray[np.float64] = np.maximum(spans, self.floor).astype(np.float64) ** self.gamma
        return norms


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Every (term of the query, entry of a passage) that share a center, by passage."""

    passage: NDArray[np.int64]
    """Position of the passage in the forward lists; ascending."""
    term: NDArray[np.int64]
    entry: NDArray[np.int64]
    contribution: NDArray[np.float64]


def meet(terms: Terms, forward: Forward, scoring: Scoring) -> Meetings:
    """All meetings that contribute: stop centers do not."""
    place = np.full(len(scoring.factors), -1, dtype=np.int64)
    place[terms.center] = np.arange(len(terms))
    place[scoring.factors <= 0] = -1
    term = place[forward.centers]
    entry = np.flatnonzero(term >= 0)
    term = term[entry]
    passage = np.searchsorted(forward.offsets, entry, side="right") - 1
    strength = terms.weight[term] * forward.weights[entry] * scoring.factors[terms.center[term]]
    return Meetings(passage, term, entry, strength / scoring.norms(forward.span_counts)[passage])


def scores(meetings: Meetings, passages: int) -> NDArray[np.float64]:
    """The score of each passage: the sum of its contributions."""
    found = np.bincount(meetings.passage, weights=meetings.contribution, minlength=passages)
    return found.astype(np.float64)


def coverage(terms: Terms, forward: Forward, scoring: Scoring) -> NDArray[np.float64]:
    """The share of the terms that each passage carries, 0 to 1.

    Terms weigh as in the score. A center counts in full where the passage says it as plainly as the
    query (w_p >= w_q) and in part where it is only near, so a passage that repeats the text covers 1.
    """
    asked = terms.weight * scoring.factors[terms.center]
    total = float(asked.sum())
    count = len(forward.offsets) - 1
    if total <= 0:
        return np.zeros(count, dtype=np.float64)
    met = meet(terms, forward, scoring)
    plain = np.minimum(1.0, forward.weights[met.entry] / terms.weight[met.term])
    carried = np.bincount(met.passage, weights=asked[met.term] * plain, minlength=count)
    return np.minimum(carried / total, 1.0)


def evidence(
    meetings: Meetings,
    *,
    passage: int,
    query: Query,
    terms: Terms,
    forward: Forward,
    text: str,
    anchors: Mapping[int, str] | tuple[str, ...],
) -> tuple[Evidence, ...]:
    """The evidence of one passage (its position in ``forward``), strongest first."""
    begin, end = np.searchsorted(meetings.passage, (passage, passage + 1))
    rows = np.arange(begin, end)
    rows = rows[np.argsort(-meetings.contribution[rows], kind="stable")]
    found: list[Evidence] = []
    for row in rows:
        term, entry = int(meetings.term[row]), int(meetings.entry[row])
        asked = Span(int(terms.start[term]), int(terms.end[term]))
        met = Span(int(forward.start[entry]), int(forward.end[entry]))
        center = int(terms.center[term])
        found.append(
            Evidence(
                query=asked,
                passage=met,
                center=CenterId(center),
                anchor=anchors[center],
                contribution=float(meetings.contribution[row]),
                feature=feature_at(query.features, asked.start),
                shared=_shared(query.text[asked.start : asked.end], text[met.start : met.end]),
            )
        )
    return tuple(found)
