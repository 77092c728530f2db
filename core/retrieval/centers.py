"""Center retrieval (Sparse Coverage): passages by their center score, documents by their best passage."""

from __future__ import annotations

from core.index.generation import Budget, Generation
from core.retrieval.base import Ranking, RetrievalQuery, nothing
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
        scoring = self._generation.scoring(self._settings, query.limits)
        best = self._generation.best_documents(
            scoring.query(query.centers, query.weights),
            scoring.norm,
            depth=depth,
            allowed=allowed.ids,
            budget=Budget(self._settings.posting_budget),
        )
        context.check()
        return Ranking(self.leg, best.documents, best.scores, best.passages)
