"""Center retrieval (Sparse Coverage): passages by their center score.

Documents rank by their best passage, as in the paper, or by the evidence of every feature of a claim:

    score(d) = mean over features f of  the largest share of f that a passage of d carries

A share is 0 to 1 and saturates: what a passage says as plainly as the claim counts in full and no more
(`claimlight.index.scoring.coverage_query`). Prior art says the features of a claim in different paragraphs;
the best passage alone can't see that.
"""

from __future__ import annotations

import numpy as np

from claimlight.index.generation import Budget, Generation
from claimlight.index.scoring import NO_NORM
from claimlight.retrieval.base import Ranking, RetrievalQuery, best_first, nothing
from claimlight.retrieval.catalogue import DocumentFilter
from claimlight.settings import CenterSettings
from claimlight.tasks import TaskContext
from claimlight.types import Leg


class CenterRetriever:
    """Ranks with the postings of a generation; exact unless ``centers.posting_budget`` ends it early."""

    leg = Leg.CENTERS

    def __init__(self, generation: Generation, *, settings: CenterSettings) -> None:
        self._generation = generation
        self._settings = settings

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        if query.centers is None or query.weights is None or not len(query.centers):
            return nothing(self.leg)
        context.check()
        if self._settings.documents == "features" and len(query.features) > 1:
            return self._by_features(query, allowed, depth=depth, context=context)
        scoring = self._generation.scoring(self._settings, query.limits)
        best = self._generation.best_documents(
            scoring.query(query.centers, query.weights),
            scoring.norm,
            depth=depth,
            allowed=allowed.ids,
            budget=Budget(self._settings.posting_budget),
        )
        context.check()
        return Ranking(self.leg, best.documents, best.scores, best.passages, best.complete)

    def _by_features(
        self, query: RetrievalQuery, allowed: DocumentFilter, *, depth: int, context: TaskContext
    ) -> Ranking:
        """Documents by all features; the passage of each is the one that carries most of a feature."""
        scoring = self._generation.scoring(self._settings, query.limits)
        asked = [scoring.shares(item.centers, item.weights) for item in query.features]
        found = self._generation.document_maxima(asked, NO_NORM)
        context.check()
        kept = np.flatnonzero(allowed.keep(found.documents))
        carried = found.scores[:, kept]
        total = carried.mean(axis=0)
        met = np.flatnonzero(total > 0)
        passages = found.passages[:, kept][carried.argmax(axis=0), np.arange(len(kept))]
        return best_first(
            self.leg, found.documents[kept][met], total[met], depth=depth, passages=passages[met]
        )
