"""Evidence: the terms of a passage's center score, each a pair of spans that activated the same center.

score(q, p) = sum over shared centers c of  w_q(c) * w_p(c) * idf(c)^alpha / |S_p|^gamma
(Sparse Coverage, section 3). The examiner sees exactly these terms: they are looked up in the same table as
the postings (`claimlight.index.scoring`), so they sum to the score. Terms whose words are not informative
on one of the two sides (`claimlight.text.informative`) are no evidence: they are given as one sum,
so nothing is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from claimlight.highlight.terms import AskedTerms, Terms
from claimlight.index.scoring import CODES, NO_NORM, CenterQuery, LengthNorm, Scoring
from claimlight.text.informative import find_shared_words, is_informative
from claimlight.types import CenterId, Evidence, Span

__all__ = [
    "FeatureMeetings",
    "Forward",
    "Meetings",
    "Scoring",
    "find_shares",
    "list_evidence",
    "mark_informative",
    "measure_strengths",
    "meet",
    "meet_each",
    "sum_scores",
    "sum_strengths",
]

_shared = lru_cache(maxsize=1 << 16)(find_shared_words)
# Of one passage, and from passage to passage, the same places come up again and again.
_span = lru_cache(maxsize=1 << 16)(Span)


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
    first: NDArray[np.int64]
    """[passages + 1] where the meetings of each passage begin."""


def meet(terms: Terms, forward: Forward, scoring: Scoring) -> Meetings:
    """Find all pairs that contribute to a score; stop centers do not."""
    return _find_meetings(terms, forward, scoring.query(terms.center, terms.weight), scoring.norm)


def _find_meetings(terms: Terms, forward: Forward, query: CenterQuery, norm: LengthNorm) -> Meetings:
    from claimlight.index import forward_kernels

    size = 1 + max(int(forward.centers.max(initial=0)), int(query.centers.max(initial=0)))
    passage, row, entry, contribution, first = forward_kernels.find_meetings(
        forward.offsets,
        forward.centers,
        forward.codes,
        query.row_of_center(size),
        query.worth,
        norm.of(forward.span_counts),
    )
    # The query omits stop centers, so its rows are not those of the terms.
    term_of_row = np.searchsorted(terms.center, query.centers)
    return Meetings(passage, term_of_row[row], entry, contribution, first)


def sum_scores(meetings: Meetings, passages: int) -> NDArray[np.float64]:
    """The score of each passage: the sum of its contributions."""
    found = np.bincount(meetings.passage, weights=meetings.contribution, minlength=passages)
    return found.astype(np.float64)


def find_shares(terms: Terms, forward: Forward, scoring: Scoring) -> Meetings:
    """Find all pairs, with the share of the query that each covers.

    See `claimlight.index.scoring.make_coverage_query`.
    """
    return _find_meetings(terms, forward, scoring.shares(terms.center, terms.weight), NO_NORM)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMeetings:
    """A part of a query over all passages: its terms, their meetings, and what these add up to."""

    terms: Terms
    met: Meetings
    scores: NDArray[np.float64]
    """[P] as `sum_scores`."""
    carried: Meetings
    """The same meetings with the share that each covers, as `find_shares`."""
    strength: NDArray[np.float64]
    """[P] as `sum_strengths`; writable."""


def meet_each(parts: Sequence[Terms], forward: Forward, scoring: Scoring) -> tuple[FeatureMeetings, ...]:
    """`meet` and `find_shares` for several parts of a query, such as its features, in one pass."""
    from claimlight.index import forward_kernels

    asked = [scoring.query(terms.center, terms.weight) for terms in parts]
    shares = [scoring.shares(terms.center, terms.weight) for terms in parts]
    centers = np.concatenate([np.empty(0, dtype=np.int32), *(query.centers for query in asked)])
    order = np.argsort(centers, kind="stable")
    size = 2 + max(int(forward.centers.max(initial=0)), int(centers.max(initial=0)))
    none = np.empty((0, CODES))
    passage, row, entry, worth, share, begins, first, scores, strengths = forward_kernels.find_all_meetings(
        forward.offsets,
        forward.centers,
        forward.codes,
        np.searchsorted(centers[order], np.arange(size)),
        order,
        np.cumsum([0, *(len(query) for query in asked)]),
        np.concatenate([none, *(query.worth for query in asked)]),
        np.concatenate([none, *(query.worth for query in shares)]),
        scoring.norm.of(forward.span_counts),
    )
    found: list[FeatureMeetings] = []
    for number, (terms, query) in enumerate(zip(parts, asked, strict=True)):
        own = slice(int(begins[number]), int(begins[number] + first[number, -1]))
        # As in `_find_meetings`: the query omits stop centers.
        term = np.searchsorted(terms.center, query.centers)[row[own]]
        met, carried = (
            Meetings(passage[own], term, entry[own], added[own], first[number]) for added in (worth, share)
        )
        np.minimum(strengths[number], 1.0, out=strengths[number])
        found.append(FeatureMeetings(terms, met, scores[number], carried, strengths[number]))
    return tuple(found)


def sum_strengths(carried: Meetings, passages: int) -> NDArray[np.float64]:
    """The share of the query that each passage covers, 0 to 1; it is 1 for one that repeats the query."""
    return np.minimum(sum_scores(carried, passages), 1.0)


def mark_informative(forward: Forward, passage: int, text: str, marks: NDArray[np.bool_]) -> None:
    """Note in ``marks`` [entries] which entries of a passage have an informative span of its ``text``."""
    begin, end = forward.offsets[passage : passage + 2].tolist()
    spans = zip(forward.start[begin:end].tolist(), forward.end[begin:end].tolist(), strict=True)
    marks[begin:end] = [is_informative(text[first:last]) for first, last in spans]


def measure_strengths(
    carried: Meetings, passages: NDArray[np.int64], marks: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The match strengths of some passages: the share covered by informative words (`mark_informative`)."""
    from claimlight.index import forward_kernels

    found = forward_kernels.sum_kept(passages, carried.first, carried.entry, carried.contribution, marks)
    strengths: NDArray[np.float64] = np.minimum(found, 1.0)
    return strengths


def list_evidence(
    meetings: Meetings,
    *,
    passage: int,
    asked: AskedTerms,
    forward: Forward,
    text: str,
    anchors: Mapping[int, str] | tuple[str, ...],
) -> tuple[tuple[Evidence, ...], float]:
    """Evidence of a passage (by its index in ``forward``), strongest first, and the sum of other terms."""
    begin, end = meetings.first[passage : passage + 2].tolist()
    rows = np.argsort(-meetings.contribution[begin:end], kind="stable") + begin
    term, entry = meetings.term[rows], meetings.entry[rows]
    columns = zip(
        term.tolist(),
        forward.centers[entry].tolist(),
        forward.start[entry].tolist(),
        forward.end[entry].tolist(),
        meetings.contribution[rows].tolist(),
        strict=True,
    )
    found: list[Evidence] = []
    other = 0.0
    for number, center, start, end, contribution in columns:
        met = text[start:end]
        if not (asked.informative[number] and is_informative(met)):
            other += contribution
            continue
        found.append(
            Evidence(
                asked.spans[number],
                _span(start, end),
                CenterId(center),
                anchors[center],
                contribution,
                asked.features[number],
                _shared(asked.words[number], met),
            )
        )
    return tuple(found), other
