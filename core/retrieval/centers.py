"""Center retrieval (Sparse Coverage): passages by their center score, documents by their best passage."""

from __future__ import annotations

import numpy as np

from core.index.generation import Generation
from core.retrieval.base import Ranking, RetrievalQuery, best_first, nothing
from core.retrieval.catalogue import DocumentFilter
from core.settings import CenterSettings
from core.tasks import TaskContext
from core.types import Leg


class CenterRetriever:
    """Ranks with the postings of a generation; exact."""

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
        found = self._generation.score_centers(query.centers, query.weights, self._settings)
        context.check()
        kept = np.flatnonzero(allowed.keep(found.documents))
        return best_first(
            self.leg,
            found.documents[kept],
            found.scores[kept].astype(np.float64),
            depth=depth,
            passages=found.passages[kept],
        )
