"""Evidence: the terms of a passage's center score, each a pair of spans that activated the same center.

score(q, p) = sum over shared centers c of  w_q(c) * w_p(c) * idf(c)^alpha / |S_p|^gamma
(Sparse Coverage, section 3). The examiner sees exactly these terms: they are looked up in the same table as
the postings (`claimlight.index.scoring`), so they sum to the score. Terms whose words are not informative
on one of the two sides (`claimlight.text.informative`) are no evidence: they are given as one sum,
so nothing is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from claimlight.highlight.terms import Terms, find_feature
from claimlight.index.scoring import NO_NORM, CenterQuery, LengthNorm, Scoring
from claimlight.text.informative import find_shared_words, is_informative
from claimlight.types import CenterId, Evidence, Query, Span

__all__ = [
    "Forward",
    "Meetings",
    "Scoring",
    "find_shares",
    "list_evidence",
    "measure_strength",
    "meet",
    "sum_scores",
    "sum_strengths",
]

_shared = lru_cache(maxsize=1 << 16)(find_shared_words)
_asked = lru_cache(maxsize=1 << 12)(Span)


class Forward(Protocol):
    """Concatenated forward lists of several passages (CSR layout)."""

    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def centers(self) -> NDArray[np.int32]: ...
    @property
    def codes(self) -> NDArray[np.uint8]: ...
    @property
    def start(self) -> NDArray[np.int32]: ...
    @property
    def end(self) -> NDArray[np.int32]: ...
    @property
    def span_counts(self) -> NDArray[np.int32]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Every pair of a query term and a passage entry with the same center, by passage."""

    passage: NDArray[np.int64]
    """Index of the passage in the forward lists; ascending."""
    term: NDArray[np.int64]
    entry: NDArray[np.int64]
    contribution: NDArray[np.float64]


def meet(terms: Terms, forward: Forward, scoring: Scoring) -> Meetings:
    """Find all pairs that contribute to a score; stop centers do not."""
    return _find_meetings(terms, forward, scoring.query(terms.center, terms.weight), scoring.norm)


def _find_meetings(terms: Terms, forward: Forward, query: CenterQuery, norm: LengthNorm) -> Meetings:
    from claimlight.index import forward_kernels

    size = 1 + max(int(forward.centers.max(initial=0)), int(query.centers.max(initial=0)))
    passage, row, entry, contribution = forward_kernels.find_meetings(
        forward.offsets,
        forward.centers,
        forward.codes,
        query.row_of_center(size),
        query.worth,
        norm.of(forward.span_counts),
    )
    # The query omits stop centers, so its rows are not those of the terms.
    term_of_row = np.searchsorted(terms.center, query.centers)
    return Meetings(passage, term_of_row[row], entry, contribution)


def sum_scores(meetings: Meetings, passages: int) -> NDArray[np.float64]:
    """The score of each passage: the sum of its contributions."""
    found = np.bincount(meetings.passage, weights=meetings.contribution, minlength=passages)
    return found.astype(np.float64)


def find_shares(terms: Terms, forward: Forward, scoring: Scoring) -> Meetings:
    """Find all pairs, with the share of the query that each covers.

    See `claimlight.index.scoring.make_coverage_query`.
    """
    return _find_meetings(terms, forward, scoring.shares(terms.center, terms.weight), NO_NORM)


def sum_strengths(carried: Meetings, passages: int) -> NDArray[np.float64]:
    """The share of the query that each passage covers, 0 to 1; it is 1 for one that repeats the query."""
    return np.minimum(sum_scores(carried, passages), 1.0)


def measure_strength(carried: Meetings, forward: Forward, passage: int, text: str) -> float:
    """The match strength of one passage: the share covered by its informative words."""
    begin, end = np.searchsorted(carried.passage, (passage, passage + 1))
    if begin == end:
        return 0.0
    entries = carried.entry[begin:end]
    spans = zip(forward.start[entries].tolist(), forward.end[entries].tolist(), strict=True)
    kept = [is_informative(text[first:last]) for first, last in spans]
    return min(1.0, float(carried.contribution[begin:end][kept].sum()))


def list_evidence(
    meetings: Meetings,
    *,
    passage: int,
    query: Query,
    terms: Terms,
    forward: Forward,
    text: str,
    anchors: Mapping[int, str] | tuple[str, ...],
) -> tuple[tuple[Evidence, ...], float]:
    """Evidence of a passage (by its index in ``forward``), strongest first, and the sum of other terms."""
    begin, end = np.searchsorted(meetings.passage, (passage, passage + 1))
    rows = np.argsort(-meetings.contribution[begin:end], kind="stable") + begin
    term, entry = meetings.term[rows], meetings.entry[rows]
    columns = zip(
        terms.center[term].tolist(),
        terms.start[term].tolist(),
        terms.end[term].tolist(),
        forward.start[entry].tolist(),
        forward.end[entry].tolist(),
        meetings.contribution[rows].tolist(),
        strict=True,
    )
    found: list[Evidence] = []
    other = 0.0
    for center, start, end, met_start, met_end, contribution in columns:
        asked, met = query.text[start:end], text[met_start:met_end]
        if not (is_informative(asked) and is_informative(met)):
            other += contribution
            continue
        found.append(
            Evidence(
                query=_asked(start, end),
                passage=Span(met_start, met_end),
                center=CenterId(center),
                anchor=anchors[center],
                contribution=contribution,
                feature=find_feature(query.features, start),
                shared=_shared(asked, met),
            )
        )
    return tuple(found), other
