"""Dense retrieval: documents by their section vector nearest to the query vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from claimlight.index.base import SearchableIndex
from claimlight.index.generation import Generation
from claimlight.index.shared import SharedIndex
from claimlight.retrieval.base import Ranking, RetrievalQuery, empty_ranking, rank_by_best_part
from claimlight.retrieval.catalogue import DocumentFilter
from claimlight.retrieval.depths import fit_expectation
from claimlight.tasks import TaskContext
from claimlight.types import Ranker, Section

_SECTIONS = 3
"""Maximum number of section vectors of a document."""
_SELECTIVE = 0.5
"""Below this share of allowed documents the search is exact: the graph would mostly find filtered
documents."""


class DenseRetriever:
    """Ranks by the HNSW graph of a generation; exactly if a filter leaves few documents."""

    leg = Ranker.DENSE

    def __init__(self, generation: Generation, *, ef: int, exact: bool = False) -> None:
        self._generation = generation
        self._ef = ef
        self._exact = exact

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        if query.vector is None or not allowed.count:
            return empty_ranking(self.leg)
        everything = self._generation.documents * _SECTIONS
        selective = allowed.count < _SELECTIVE * len(allowed.catalogue)
        documents = allowed.catalogue.ids[allowed.allowed] if selective else None
        k = depth * _SECTIONS
        while True:
            context.check()
            hits = self._generation.search_dense(
                query.vector, k, ef=self._ef, exact=self._exact, documents=documents
            )
            patents = np.array([hit.document for hit in hits], dtype=np.int64)
            scores = np.array([hit.score for hit in hits], dtype=np.float64)
            kept = allowed.keep(patents)
            ranking = rank_by_best_part(self.leg, patents[kept], scores[kept], depth=depth)
            if len(ranking) >= depth or k >= everything:
                context.check()
                return _on_one_level(
                    self._generation, query.vector, np.unique(patents[kept]), ranking, depth=depth
                )
            # Several sections of one document, or filtered documents, took the places.
            k = min(k * 4, everything)


class SharedDenseRetriever:
    """Ranks by the engine of a shared library; as exact as the engine is."""

    leg = Ranker.DENSE

    def __init__(self, index: SharedIndex) -> None:
        self._index = index

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        if query.vector is None or not allowed.count:
            return empty_ranking(self.leg)
        context.check()
        patents, scores = self._index.nearest_sections(
            query.vector, depth=depth, allowed=allowed.ids, implied=allowed.implied
        )
        ranking = rank_by_best_part(self.leg, patents, scores, depth=depth)
        context.check()
        return _on_one_level(self._index, query.vector, np.unique(patents), ranking, depth=depth)


def _on_one_level(
    index: SearchableIndex,
    vector: NDArray[np.float32],
    documents: NDArray[np.int64],
    ranking: Ranking,
    *,
    depth: int,
) -> Ranking:
    """The ranking with the scores to expect of documents whose description is not indexed."""
    if not index.mixed:
        return ranking
    hits = index.search_dense(vector, _SECTIONS * len(documents), exact=True, documents=documents)
    at = np.searchsorted(documents, np.array([hit.document for hit in hits], dtype=np.int64))
    scores = np.array([hit.score for hit in hits], dtype=np.float64)
    described = np.array([hit.section is Section.DESCRIPTION for hit in hits], dtype=np.bool_)
    whole = np.full(len(documents), -np.inf)
    np.maximum.at(whole, at, scores)
    claims = np.full(len(documents), -np.inf)
    np.maximum.at(claims, at[~described], scores[~described])
    partly = np.isin(documents, index.claims_only) & np.isfinite(claims)
    # By their claims alone: a document that is here for its description says nothing of the others.
    least = claims[partly].min(initial=np.inf)
    known = np.isin(documents, index.described) & (claims >= least)
    expected = fit_expectation(claims[known], whole[known])
    if expected is None:
        return ranking
    whole[partly] = expected.of(claims[partly])
    # Of a shared library, one may have been removed since.
    there = np.isfinite(whole)
    return rank_by_best_part(ranking.leg, documents[there], whole[there], depth=depth)
