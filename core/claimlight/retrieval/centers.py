"""Center retrieval (Sparse Coverage): passages by their center score, documents by their best passage."""

from __future__ import annotations

import numpy as np

from claimlight.index.base import SearchableIndex
from claimlight.index.ranking import PassageScores, RankedDocuments, take_best_documents
from claimlight.index.scoring import CenterQuery, Scoring
from claimlight.retrieval.base import Ranking, RetrievalQuery, empty_ranking
from claimlight.retrieval.catalogue import DocumentFilter
from claimlight.retrieval.depths import fit_expectation, place_among
from claimlight.settings import CenterSettings
from claimlight.tasks import TaskContext
from claimlight.types import Ranker


class CenterRetriever:
    """Ranks by the postings of a generation, or by the engine of a shared library; exact."""

    leg = Ranker.CENTERS

    def __init__(self, generation: SearchableIndex, *, settings: CenterSettings) -> None:
        self._generation = generation
        self._settings = settings

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        if query.centers is None or query.weights is None or not len(query.centers):
            return empty_ranking(self.leg)
        context.check()
        scoring = self._generation.scoring(self._settings)
        asked = scoring.query(query.centers, query.weights)
        best = self._best(asked, scoring, allowed, depth=depth)
        if self._generation.mixed:
            context.check()
            best = self._on_one_level(best, asked, scoring, allowed, depth=depth)
        context.check()
        return Ranking(self.leg, best.documents, best.scores, best.passages)

    def _best(
        self,
        asked: CenterQuery,
        scoring: Scoring,
        allowed: DocumentFilter,
        *,
        depth: int,
        claims: bool = False,
    ) -> RankedDocuments:
        return self._generation.best_documents(
            asked, scoring.norm, depth=depth, allowed=allowed.ids, claims=claims, implied=allowed.implied
        )

    def _on_one_level(
        self,
        best: RankedDocuments,
        asked: CenterQuery,
        scoring: Scoring,
        allowed: DocumentFilter,
        *,
        depth: int,
    ) -> RankedDocuments:
        """The ranking with the scores to expect of documents whose description is not indexed."""
        index = self._generation
        claims = self._best(asked, scoring, allowed, depth=depth, claims=True)
        known = np.isin(claims.documents, index.described)
        sample = np.sort(claims.documents[known])
        if not len(sample):
            return best
        whole = index.best_documents(asked, scoring.norm, depth=len(sample), allowed=sample)
        # Of a shared library, one may have been removed since.
        known &= np.isin(claims.documents, whole.documents)
        expected = fit_expectation(
            claims.scores[known], whole.scores[place_among(claims.documents[known], whole.documents)]
        )
        if expected is None:
            return best
        partly = np.isin(claims.documents, index.claims_only)
        found = PassageScores(
            np.concatenate([best.passages, claims.passages[partly]]),
            np.concatenate([best.documents, claims.documents[partly]]),
            np.concatenate([best.scores, expected.of(claims.scores[partly])]),
        )
        return take_best_documents(found, depth)
