"""The rankers of one request, which rank its documents, and those that it left out."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from claimlight.errors import EngineError
from claimlight.retrieval import DocumentFilter, Ranking, RetrievalQuery, Retriever, Sources, open_retriever
from claimlight.services.search.stages import Clock
from claimlight.tasks import TaskContext
from claimlight.types import Ranker


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What the rankers of a request found among some documents."""

    rankings: tuple[Ranking, ...]
    """In the order of the request."""
    gone: Mapping[Ranker, EngineError]
    """Rankers that the engine of a shared library gave nothing for."""


@dataclass(frozen=True, slots=True, eq=False)
class AskedRankers:
    """The rankers of one request."""

    rankers: tuple[Ranker, ...]
    """In the order of the request, each once."""
    sources: Sources
    others: Mapping[Ranker, Retriever | None]
    """Rankers with an index of their own, and those that plug-ins add; None for one that can't be used."""
    query: RetrievalQuery
    depth: int
    """Documents of each ranking, at most."""
    context: TaskContext

    def rank(
        self, allowed: DocumentFilter, clock: Clock, begun: Mapping[Ranker, Future[Ranking]] | None = None
    ) -> Answers:
        """Rank the allowed documents; rankings that are ``begun`` are waited for last."""
        waited = begun or {}
        rankings: dict[Ranker, Ranking] = {}
        gone: dict[Ranker, EngineError] = {}
        for leg in sorted(self.rankers, key=lambda leg: leg in waited):
            self.context.check()
            if leg.added and leg not in self.others:
                continue  # its plug-in could not be opened, and the notes say so
            try:
                if leg in waited:
                    with clock.stage(leg.value):
                        rankings[leg] = waited[leg].result()
                    continue
                retriever = self.others[leg] if leg in self.others else open_retriever(leg, self.sources)
                if retriever is not None:
                    with clock.stage(leg.value):
                        rankings[leg] = retriever.rank(
                            self.query, allowed=allowed, depth=self.depth, context=self.context
                        )
            except EngineError as error:
                gone[leg] = error
        return Answers(tuple(rankings[leg] for leg in self.rankers if leg in rankings), gone)
