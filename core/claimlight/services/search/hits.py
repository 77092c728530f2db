"""Hits: ranked families with their evidence, dates and how deeply they are indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from claimlight.retrieval import Ranking
from claimlight.retrieval.fusion import Folded, collect_ranks
from claimlight.services.search.dates import find_status
from claimlight.services.search.languages import note_of_document
from claimlight.services.search.query_encoding import EncodedQuery
from claimlight.services.search.result_order import sort_by_gain
from claimlight.services.search.scored_passages import ScoredPassages, not_compared, plain_hit
from claimlight.services.search.search_state import SearchState
from claimlight.services.search.verdicts import Judge
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.store.store import Store
from claimlight.tasks import TaskContext
from claimlight.types import (
    NONE_READ,
    DateFinding,
    FeatureCoverage,
    Hit,
    PassageHit,
    PassageId,
    PatentId,
    PatentSummary,
    Query,
    Ranker,
    SearchRequest,
)


class HitMaker:
    """Makes the hits of searches of one library."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def make(
        self,
        request: SearchRequest,
        *,
        rows: Sequence[Folded],
        rankings: Sequence[Ranking],
        state: SearchState,
        encoded: EncodedQuery | None,
        context: TaskContext,
    ) -> tuple[Hit, ...]:
        """The hits of ranked families, in their order; with a D1 those that add most to it first."""
        query, reference, claim = request.query, request.reference, request.claim
        patents = [PatentId(row.patent) for row in rows]
        summaries = repository.read_summaries(self._store, patents)
        others = [PatentId(patent) for row in rows for patent in row.others]
        numbers = repository.read_publications(self._store, others)
        context.check()
        passages = self.passages(summaries, query=query, encoded=encoded, state=state) if encoded else None
        context.check()
        best = passages.best(list(summaries), self._settings.search.passages_per_hit) if passages else {}
        ranks = collect_ranks(rankings, patents)
        by_words = self._by_words([p for p in patents if not best.get(p)], rankings, state)
        depths, read = state.depths(patents), state.passages_read(patents)
        hits: list[Hit] = []
        for row, patent in zip(rows, patents, strict=True):
            if patent not in summaries:
                continue  # removed by another program since the ranking
            dates = find_status(reference, summaries[patent], claim) if reference else DateFinding()
            hits.append(
                Hit(
                    patent=summaries[patent],
                    score=row.score,
                    ranks=ranks[patent],
                    coverage=passages.coverage(patent) if passages else not_compared(query),
                    passages=best.get(patent) or by_words.get(patent, ()),
                    family_members=tuple(numbers[PatentId(p)] for p in row.others if PatentId(p) in numbers),
                    zone=dates.zone,
                    dates=dates,
                    language_note=(
                        note_of_document(state.encoder.stack, summaries[patent].language)
                        if state.encoder
                        else ""
                    ),
                    depth=depths[patent],
                    read=read.get(patent, NONE_READ),
                )
            )
        first = self._coverage_of(request, encoded, state)
        return sort_by_gain(hits, first, request.only) if first else tuple(hits)

    def _coverage_of(
        self, request: SearchRequest, encoded: EncodedQuery | None, state: SearchState
    ) -> tuple[FeatureCoverage, ...]:
        """The coverage of D1; empty without a D1 or if it is not indexed."""
        patent = repository.find(self._store, request.over) if request.over is not None else None
        if patent is None or encoded is None:
            return ()
        summaries = repository.read_summaries(self._store, [patent])
        passages = self.passages(summaries, query=request.query, encoded=encoded, state=state)
        return passages.coverage(patent) if patent in summaries else ()

    def _by_words(
        self, patents: Sequence[PatentId], rankings: Sequence[Ranking], state: SearchState
    ) -> dict[PatentId, tuple[PassageHit, ...]]:
        """For documents without a center score: the passage found by keywords, else the first."""
        first = state.catalogue.first_passage[state.catalogue.rows(np.array(patents, dtype=np.int64))]
        chosen = dict(zip(patents, first.tolist(), strict=True))
        for ranking in rankings:
            if ranking.leg is Ranker.BM25:
                found = zip(ranking.ids.tolist(), ranking.passages.tolist(), strict=True)
                chosen.update((patent, passage) for patent, passage in found if patent in chosen)
        stored = repository.read_passages(self._store, [PassageId(item) for item in chosen.values()])
        return {
            patent: (plain_hit(stored[PassageId(item)]),)
            for patent, item in chosen.items()
            if PassageId(item) in stored
        }

    def passages(
        self,
        summaries: Mapping[PatentId, PatentSummary],
        *,
        query: Query,
        encoded: EncodedQuery,
        state: SearchState,
    ) -> ScoredPassages:
        """The scored passages of some documents; the state must have an index and its model."""
        assert state.generation is not None
        assert state.encoder is not None
        stack = state.encoder.stack
        return ScoredPassages(
            list(summaries),
            store=self._store,
            catalogue=state.catalogue,
            query=query,
            encoded=encoded,
            generation=state.generation,
            anchors=stack.vocabulary.anchors,
            settings=self._settings.centers,
            judge=Judge.of(stack, self._settings.search),
            languages={patent: summary.language for patent, summary in summaries.items()},
        )
