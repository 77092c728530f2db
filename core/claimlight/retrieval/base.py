"""The interface of rankers: a query in, a ranking of documents out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from claimlight.retrieval.catalogue import DocumentFilter
from claimlight.tasks import TaskContext
from claimlight.types import Ranker, Section


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalQuery:
    """A query in the forms that rankers need; forms that are not available (no index) are None."""

    text: str
    vector: NDArray[np.float32] | None = None
    """Pooled vector, unit length."""
    centers: NDArray[np.int32] | None = None
    """Activated centers, ascending."""
    weights: NDArray[np.float32] | None = None
    """For each center, the largest cosine of a span of the query."""
    section: Section = Section.CLAIMS
    """Kind of the text, for rankers that encode it themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Distinct documents, best first (ties: ascending id)."""

    leg: Ranker
    ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    passages: NDArray[np.int64]
    """The passage that gave each document its score; 0 if the ranker scores larger parts."""

    def __len__(self) -> int:
        return len(self.ids)


class Retriever(Protocol):
    """A ranker; thread-safe."""

    @property
    def leg(self) -> Ranker: ...

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        """The best ``depth`` of the allowed documents; fewer only if no others match."""


def rank_by_best_part(
    leg: Ranker,
    ids: NDArray[np.int64],
    scores: NDArray[np.float64],
    *,
    depth: int,
    passages: NDArray[np.int64] | None = None,
) -> Ranking:
    """Rank documents by their best scored part (passage or section).

    Among equally scored parts, the one with the lower passage id is kept.
    """
    parts = np.zeros(len(ids), dtype=np.int64) if passages is None else passages
    if not len(ids):
        return empty_ranking(leg)
    # Passages mostly come in the order of their documents: a sort by three keys would take longer than BM25.
    same = ids[1:] == ids[:-1]
    if not ((ids[1:] > ids[:-1]) | (same & (parts[1:] >= parts[:-1]))).all():
        order = np.lexsort((parts, ids))
        ids, scores, parts = ids[order], scores[order], parts[order]
        same = ids[1:] == ids[:-1]
    begins = np.flatnonzero(np.r_[True, ~same])
    best = np.maximum.reduceat(scores, begins)
    # Documents that can't be among the first need no sorting; those tied at the last place can.
    last = max(len(best) - max(depth, 1), 0)
    floor = np.partition(best, last)[last]
    # Of each document, the first of its best parts.
    sizes = np.diff(np.r_[begins, len(ids)])
    at = np.flatnonzero((scores == np.repeat(best, sizes)) & (scores >= floor))
    first = at[np.r_[True, ids[at[1:]] != ids[at[:-1]]]]
    first = first[np.lexsort((ids[first], -scores[first]))][:depth]
    return Ranking(leg, ids[first], scores[first], parts[first])


def empty_ranking(leg: Ranker) -> Ranking:
    """A ranking without documents."""
    none = np.empty(0, dtype=np.int64)
    return Ranking(leg, none, np.empty(0, dtype=np.float64), none)
