"""Center retrieval (Sparse Coverage): passages by their center score.

Documents rank by their best passage, as in the paper, or by the evidence of every feature of a claim:

    score(d) = sum over features f of  m_f * s_f(d) / (s_f(d) + kappa * s_f*)

where s_f(d) is the score of the passage of d that carries most of the feature, s_f* the largest such score of
all documents, kappa the saturation and m_f the feature's share of all that the query asks for. Prior art
says the features of a claim in different paragraphs; the best passage alone can't see that.
"""

from __future__ import annotations

import numpy as np

from core.index.generation import Budget, Generation
from core.retrieval.base import Ranking, RetrievalQuery, best_first, nothing
from core.retrieval.catalogue import DocumentFilter
from core.settings import CenterSettings
from core.tasks import TaskContext
from core.types import Leg


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
        """Documents by all features; the passage of each is that of the feature it earned most with."""
        scoring = self._generation.scoring(self._settings, query.limits)
        asked = [scoring.query(item.centers, item.weights) for item in query.features]
        mass = np.array([float(item.worth[:, -1].sum()) for item in asked])
        found = self._generation.document_maxima(asked, scoring.norm)
        context.check()
        kept = np.flatnonzero(allowed.keep(found.documents))
        scores = found.scores[:, kept]
        best = np.maximum(scores.max(axis=1, initial=0.0), np.finfo(np.float64).tiny)
        half = self._settings.feature_saturation * best[:, None]
        earned = (
            (mass / max(float(mass.sum()), np.finfo(np.float64).tiny))[:, None] * scores / (scores + half)
        )
        total = earned.sum(axis=0)
        met = np.flatnonzero(total > 0)
        passages = found.passages[:, kept][earned.argmax(axis=0), np.arange(len(kept))]
        return best_first(
            self.leg, found.documents[kept][met], total[met], depth=depth, passages=passages[met]
        )
