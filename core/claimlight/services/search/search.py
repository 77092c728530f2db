"""Search: ranks documents for a request, with the evidence of their scores.

    parse (queries) -> rankers -> fusion -> families -> passages of the top documents -> evidence

An engine belongs to one library; threads may share it. Without an index, or with a model that does not match
it, keywords still find documents, and the notes of the result say what is missing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.collecting import paused_collection
from claimlight.errors import EngineError, InputError, ResourceError
from claimlight.index.generation import Generation
from claimlight.judging.calibration import CalibratedJudge
from claimlight.machine import usable_cores
from claimlight.retrieval import (
    DocumentFilter,
    Ranking,
    RetrievalQuery,
    Sources,
    open_retriever,
)
from claimlight.retrieval.fusion import Folded, Fused, Fusion, fold_families
from claimlight.retrieval.representatives import check_preference
from claimlight.services.indexing import wanted
from claimlight.services.library.compared_rankers import ComparedRankers
from claimlight.services.library.library import Library
from claimlight.services.models.judges import open_judge
from claimlight.services.search import causes
from claimlight.services.search.added_rankers import AddedRankers, parse_weights
from claimlight.services.search.asked_rankers import Answers, AskedRankers
from claimlight.services.search.chart_cache import ChartCache
from claimlight.services.search.charting import Chart
from claimlight.services.search.date_words import notes_of_dates
from claimlight.services.search.dates import find_status
from claimlight.services.search.filters import Allowed, filter_documents, zone_counts
from claimlight.services.search.hits import HitMaker
from claimlight.services.search.index_notes import describe_gone, describe_uncounted
from claimlight.services.search.marked_query import apply_feedback
from claimlight.services.search.pair_words import notes_of_first
from claimlight.services.search.query_encoding import EncodedQuery, text_of
from claimlight.services.search.reading import (
    DOCUMENTS,
    ReadPassages,
    describe_reading,
    keep,
    read_descriptions,
)
from claimlight.services.search.requests import check_request, cut_query
from claimlight.services.search.result_order import choose_representatives
from claimlight.services.search.scored_passages import not_compared
from claimlight.services.search.search_state import SearchState, StateOpener, open_shipped_stack, provenance
from claimlight.services.search.stages import Clock
from claimlight.services.search.verdict_words import notes_of_judge
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import (
    CellRuling,
    DocumentEvidence,
    FeatureEvidence,
    Hit,
    IndexDepth,
    PatentId,
    PublicationNumber,
    Query,
    Ranker,
    SearchRequest,
    SearchResults,
    ZoneCount,
)

if TYPE_CHECKING:
    from claimlight.services.models.encoding_stack import EncodingStack


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The rankings of a request, and what they are based on."""

    request: SearchRequest
    """The request as checked by `check_request`."""
    state: SearchState
    encoded: EncodedQuery | None
    rankings: tuple[Ranking, ...]
    fused: Fused
    notes: tuple[str, ...]
    clock: Clock
    fusion: Fusion
    """Makes ``fused`` from ``rankings``, or from some of them."""
    allowed: Allowed
    again: Callable[[DocumentFilter], Answers]
    """Ranks other documents for the same request."""
    gone: Mapping[Ranker, EngineError]
    """Rankers that the engine of a shared library gave nothing for, with the reason."""
    fault: str
    """Why rankers of a shared library are missing; empty if none are."""


class SearchEngine:
    """Searches one library; threads may share it."""

    def __init__(
        self,
        library: Library,
        settings: Settings,
        *,
        stack: Callable[[Settings], EncodingStack] = open_shipped_stack,
        judge: Callable[[Settings], CalibratedJudge | None] = open_judge,
    ) -> None:
        self._library = library
        self._settings = settings
        self._opener = StateOpener(library, settings, stack)
        self._hits = HitMaker(library.store, settings)
        self._others = ComparedRankers(library.folder, settings)
        self._added = AddedRankers(library.store, library.folder)
        self._lock = threading.Lock()
        self._state: SearchState | None = None
        self._open_judge = judge
        self._judge_lock = threading.Lock()
        self._judge: tuple[CalibratedJudge | None, tuple[str, ...]] | None = None
        self._read = ReadPassages()
        self._reading = threading.Lock()
        self._extended: tuple[SearchState, int, SearchState] | None = None
        self._wanted: tuple[PatentId, ...] = ()
        self.charts = ChartCache()
        """What the judges of this engine have said, and what they went by."""

    @classmethod
    def open(
        cls,
        library: Library,
        settings: Settings,
        *,
        stack: Callable[[Settings], EncodingStack] = open_shipped_stack,
        judge: Callable[[Settings], CalibratedJudge | None] = open_judge,
    ) -> SearchEngine:
        """An engine over an open library; model, index and judge are opened when they are first used."""
        return cls(library, settings, stack=stack, judge=judge)

    def judge(self) -> tuple[CalibratedJudge | None, tuple[str, ...]]:
        """The judge of the settings, with its second one, and notes on them.

        None if there is none, or it can't be opened.
        """
        with self._judge_lock:
            if self._judge is None:
                try:
                    found = self._open_judge(self._settings)
                    self._judge = found, () if found is None else notes_of_judge(found)
                except (InputError, ResourceError) as error:
                    self._judge = None, (f"{error} The cells have match strengths only.",)
            return self._judge

    @property
    def device(self) -> str:
        """Device of the encoder; empty until it is open."""
        return self._opener.device

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the open model package; empty until one is open."""
        return self._opener.fingerprint

    def refresh(self, context: TaskContext | None = None) -> bool:
        """Load what was imported or indexed since; returns whether anything changed."""
        before = self._state
        after = self.state(context or TaskContext())
        return before is None or before.identity != after.identity

    def run(self, request: SearchRequest, context: TaskContext, *, reading: float = 0.0) -> SearchResults:
        """Search; `InputError` for an empty query.

        With ``reading`` seconds above 0 the search first reads passages of the best documents whose
        description is not indexed (`read_descriptions`), and then ranks again.
        """
        found = self.rank(request, context)
        if reading > 0.0:
            best, first = _to_read(found)
            read = self.read_descriptions(request.query, best, seconds=reading, context=context, first=first)
            if read:
                found = self.rank(request, context)
                found = replace(found, notes=(*found.notes, describe_reading(read)))
        request, state = found.request, found.state
        with found.clock.stage("fusion"):
            rows = choose_representatives(
                self._library.store,
                fold_families(found.fused, state.catalogue, top=request.top),
                self._settings.search.representative,
                catalogue=state.catalogue,
                reference=request.reference,
                claim=request.claim,
            )
            hidden, uncounted = self._hidden(found)
        context.check()
        with found.clock.stage("evidence"), paused_collection():
            hits = self._hits.make(
                request,
                rows=rows,
                rankings=found.rankings,
                state=state,
                encoded=found.encoded,
                context=context,
            )
        if request.feedback is not None:
            hits = self._with_unmarked_ranks(request, hits, context)
        origin = provenance(request, state, library=self._library, settings=self._settings)
        notes = tuple(dict.fromkeys((*request.query.notes, *found.notes, *uncounted)))
        cause = "" if hits else self._cause(found, hidden)
        self._want([hit.patent.id for hit in hits if hit.depth is not IndexDepth.FULL])
        # The ranking of a claim without any known word is empty, but there.
        answered = bool(found.rankings) or not found.fault
        return SearchResults(
            request,
            hits,
            notes,
            tuple(found.clock.times),
            origin,
            hidden,
            cause,
            answered=answered,
            engine_fault=str(next(iter(found.gone.values()), "")),
        )

    def read_descriptions(
        self,
        query: Query,
        patents: Sequence[PatentId],
        *,
        seconds: float,
        context: TaskContext,
        first: Sequence[int] = (),
    ) -> int:
        """Read passages of documents whose description is not indexed, the first ones first.

        The passages ``first`` come before all others. They are kept in the index, unless it is being written:
        then in memory until their description is indexed. Returns how many were read; if any were, evidence
        and matrix are to be computed again. Of a shared library none are: only those who push make its index.
        """
        if self._library.shared is not None:
            return 0
        with self._reading:
            state = self.state(context)
            arrays = read_descriptions(
                self._library,
                self._settings,
                state,
                cut_query(query)[0],
                patents,
                seconds=seconds,
                context=context,
                first=first,
            )
            if arrays is None:
                return 0
            self._read.add(arrays)
            assert state.generation is not None
            kept = self._read.take()
            if not keep(self._library, kept, state.generation.recipe, context):
                for item in kept:
                    self._read.add(item)
            return len(np.unique(arrays.passage_ids))

    def _with_unmarked_ranks(
        self, request: SearchRequest, hits: tuple[Hit, ...], context: TaskContext
    ) -> tuple[Hit, ...]:
        """The hits with the place that their family has without the marks."""
        plain = self.rank(replace(request, feedback=None), context)
        rows = fold_families(plain.fused, plain.state.catalogue, top=len(plain.fused.ids))
        places = {member: place for place, row in enumerate(rows, 1) for member in (row.patent, *row.others)}
        return tuple(replace(hit, unmarked_rank=places.get(hit.patent.id, 0)) for hit in hits)

    def _want(self, patents: Sequence[PatentId]) -> None:
        """Ask for descriptions to be indexed first."""
        if self._library.read_only or self._library.shared is not None:
            return
        if patents and tuple(patents) != self._wanted:
            self._wanted = tuple(patents)
            wanted.add(self._library.folder, patents)

    def _hidden(self, found: Ranked) -> tuple[tuple[ZoneCount, ...], tuple[str, ...]]:
        """Families hidden by the date limit, counted by the zone of their best member; and notes."""
        request, catalogue = found.request, found.state.catalogue
        if request.before is None:
            return (), ()
        answers = found.again(found.allowed.without_limit)
        lost = [leg for leg in answers.gone if leg not in found.gone]
        notes = (describe_uncounted(lost, str(answers.gone[lost[0]])),) if lost else ()
        rows = fold_families(found.fusion(answers.rankings), catalogue, top=request.top)
        # A family with one member before the limit is in the results, not hidden.
        out = [row for row in rows if not found.allowed.documents.keep(_members(row)).any()]
        out = choose_representatives(
            self._library.store,
            out,
            "",
            catalogue=catalogue,
            reference=request.reference,
            claim=request.claim,
        )
        patents = np.array([row.patent for row in out], dtype=np.int64)
        return zone_counts(catalogue, patents, request.reference, request.claim), notes

    def _cause(self, found: Ranked, hidden: tuple[ZoneCount, ...]) -> str:
        """Explain why nothing was found."""
        request, catalogue = found.request, found.state.catalogue
        if found.fault:
            return found.fault
        own = [item for item in (request.exclude_family_of, request.over) if item is not None]

        def with_own() -> int:
            fused = found.fusion(found.again(found.allowed.with_own).rankings)
            return len(fold_families(fused, catalogue, top=request.top))

        return causes.explain_empty_search(
            documents=len(catalogue),
            classes=found.allowed.classes,
            classified=found.allowed.with_own.count,
            indexed=found.encoded is not None,
            hidden=hidden,
            own=own,
            found_with_own=with_own,
        )

    def rank_publications(
        self, request: SearchRequest, context: TaskContext, *, fold: bool = False
    ) -> tuple[tuple[PublicationNumber, float], ...]:
        """The best ``request.top`` documents with their fused scores, without evidence.

        With ``fold`` each family is one entry, as in `run`; else each document.
        """
        found = self.rank(request, context)
        fused = found.fused
        if fold:
            rows = fold_families(fused, found.state.catalogue, top=request.top)
            best = [(PatentId(row.patent), row.score) for row in rows]
        else:
            pairs = zip(fused.ids[: request.top], fused.scores[: request.top], strict=True)
            best = [(PatentId(int(patent)), float(score)) for patent, score in pairs]
        names = repository.read_publications(self._library.store, [patent for patent, _ in best])
        return tuple((names[patent], score) for patent, score in best if patent in names)

    def rank(
        self,
        request: SearchRequest,
        context: TaskContext,
        *,
        among: Collection[PatentId] | NDArray[np.int64] | None = None,
    ) -> Ranked:
        """Rank documents by fused score, without evidence and without folding families.

        ``among`` restricts the documents; None: no restriction.
        """
        # Left when all of it has ended, also after an error.
        with ThreadPoolExecutor(1, thread_name_prefix="keywords") as beside:
            return self._rank(request, context, among, beside)

    def _rank(
        self,
        request: SearchRequest,
        context: TaskContext,
        among: Collection[PatentId] | NDArray[np.int64] | None,
        beside: Executor,
    ) -> Ranked:
        request, notes = check_request(request)
        check_preference(self._settings.search.representative)
        clock = Clock()
        with clock.stage("open"):
            state = self.state(context)
            last = int(state.catalogue.ids.max(initial=0))
            others = self._others.opened(request.legs, last_document=last)
            # Faults of the index do not concern rankers with an index of their own, nor keywords beside them.
            if not others or set(request.legs) & {Ranker.DENSE, Ranker.CENTERS}:
                notes += state.notes
            notes += tuple(note for item in others.values() for note in item.notes)
            added, faults = self._added.open(request.legs, state.identity)
        with clock.stage("filter"):
            allowed = filter_documents(
                self._library,
                state.catalogue,
                before=request.before,
                without=(request.exclude_family_of, request.over),
                classes=request.classes,
            )
            notes += (*allowed.notes, *notes_of_dates(request.reference, request.claim))
            notes += self._of_first(request)
            documents = allowed.documents if among is None else allowed.documents.among(among)
        sources = Sources(
            self._library.store,
            self._settings,
            state.generation,
            shared=self._library.shared is not None,
            words=state.words,
        )
        depth = max(self._settings.search.depth, request.top)
        asked = RetrievalQuery(text=text_of(request.query, request.only), section=request.query.section)
        encoded = None
        begun: dict[Ranker, Future[Ranking]] = {}
        if state.encoder is not None:
            # Keywords need no vector, and a claim that fits into one window keeps one core busy. With marks
            # they also search what is added below.
            early = Ranker.BM25 in request.legs and Ranker.BM25 not in others and request.feedback is None
            keywords = open_retriever(Ranker.BM25, sources) if early and usable_cores() > 1 else None
            if keywords is not None:
                begun[Ranker.BM25] = beside.submit(
                    keywords.rank, asked, allowed=documents, depth=depth, context=context
                )
            with clock.stage("encode"):
                encoded = state.encoder.encode_only(request.query, request.only, context)
            asked = encoded.retrieval
        if request.feedback is not None:
            asked, told = apply_feedback(asked, request.feedback, self._library.store, state.generation)
            notes += told
        fusion = Fusion.of(self._settings.search)
        fusion = replace(
            fusion, weights={**fusion.weights, **parse_weights(self._settings.search.weight_plugins)}
        )

        rankers = AskedRankers(
            tuple(dict.fromkeys(request.legs)),
            sources,
            {leg: item.retriever for leg, item in others.items()} | added,
            asked,
            depth,
            context,
        )
        answers = rankers.rank(documents, clock, begun)
        notes += (*faults, *(note for item in added.values() for note in item.notes))
        fault = state.silence
        if answers.gone:
            # One of the reasons: the engine is one and the same.
            reason = str(next(iter(answers.gone.values())))
            fault = describe_gone(list(answers.gone), reason, every=not answers.rankings)
            notes += (fault,)
        return Ranked(
            request,
            state,
            encoded,
            answers.rankings,
            fusion(answers.rankings),
            notes,
            clock,
            fusion,
            allowed,
            # A clock of its own: each stage of the search is timed once.
            again=lambda among: rankers.rank(among, Clock()),
            gone=answers.gone,
            fault=fault,
        )

    def document_evidence(self, query: Query, patent: PatentId, context: TaskContext) -> DocumentEvidence:
        """The evidence of every passage of a document; without an index no feature is compared."""
        state = self.state(context)
        known = bool((state.catalogue.rows(np.array([patent], dtype=np.int64)) >= 0).all())
        query, _ = cut_query(query)
        if not known:
            return DocumentEvidence(patent, (), ())
        if state.generation is None or state.encoder is None:
            said = zip(query.features, not_compared(query), strict=True)
            features = (FeatureEvidence(each, 0.0, cell.verdict, (), cell.cause) for each, cell in said)
            return DocumentEvidence(patent, (), tuple(features))
        if state.depths([patent])[patent] is not IndexDepth.FULL:
            self._want([patent])
        encoded = state.encoder.encode(query, context)
        context.check()
        with paused_collection():
            return self._evidence(query, patent, state, encoded, context)

    def _evidence(
        self,
        query: Query,
        patent: PatentId,
        state: SearchState,
        encoded: EncodedQuery,
        context: TaskContext,
    ) -> DocumentEvidence:
        summaries = repository.read_summaries(self._library.store, [patent])
        passages = self._hits.passages(summaries, query=query, encoded=encoded, state=state)
        context.check()
        # Removed by another program since the state was read.
        if patent not in summaries:
            return DocumentEvidence(patent, (), ())
        return DocumentEvidence(patent, passages.best([patent])[patent], passages.features(patent))

    def rule(
        self,
        query: Query,
        patents: Sequence[PatentId],
        context: TaskContext,
        *,
        rejected: Mapping[str, frozenset[str]] | None = None,
    ) -> Iterator[tuple[PatentId, tuple[CellRuling | None, ...]]]:
        """The rulings of the judge of the settings on documents, one after the other; see `Chart.rule`.

        Nothing without a judge or an index, and no ruling on a document that is not indexed.
        """
        judge, _ = self.judge()
        state = self.state(context)
        if judge is None or state.generation is None or state.encoder is None:
            return
        query, _ = cut_query(query)
        chart = Chart(
            judge,
            store=self._library.store,
            generation=state.generation,
            stack=state.encoder.stack,
            query=query,
            cache=self.charts,
            rejected=rejected,
        )
        there = np.intersect1d(np.array(patents, dtype=np.int64), state.generation.document_ids())
        indexed = set(there.tolist())
        shown = [patent for patent in patents if patent in indexed]
        summaries = repository.read_summaries(self._library.store, shown)
        languages = {patent: summary.language for patent, summary in summaries.items()}
        yield from chart.rule([patent for patent in shown if patent in summaries], languages, context)

    def state(self, context: TaskContext) -> SearchState:
        """The current state on disk; opened again only after an import or indexing."""
        with self._lock:
            # Under the lock: two threads must not open the model twice.
            self._state = self._opener.current(self._state, context)
            if not self._read or not isinstance(self._state.generation, Generation):
                return self._state
            # Beside it, not in its place: the opener compares what it has opened.
            key = self._state, self._read.version
            if self._extended is None or self._extended[:2] != key:
                over = self._read.over(self._state.generation)
                self._extended = (*key, replace(self._state, generation=over))
            return self._extended[2]

    def _of_first(self, request: SearchRequest) -> tuple[str, ...]:
        """What the dates of D1 make of it, where it does not count for all that it is searched for."""
        if request.over is None or request.reference is None:
            return ()
        patent = repository.find(self._library.store, request.over)
        summaries = repository.read_summaries(self._library.store, [patent] if patent is not None else [])
        return tuple(
            note
            for first in summaries.values()
            for note in notes_of_first(
                first.publication,
                find_status(request.reference, first, request.claim),
                request.reference.rules,
            )
        )


def _to_read(found: Ranked) -> tuple[list[PatentId], list[int]]:
    """The documents whose passages a search reads first, and the passages to begin with.

    The best ones in all take turns with the best ones by keywords, whose best passage is known: it may be all
    that the description has on the claim.
    """
    words = next((ranking for ranking in found.rankings if ranking.leg is Ranker.BM25), None)
    ids = [] if words is None else words.ids[:DOCUMENTS].tolist()
    best = found.fused.ids[:DOCUMENTS].tolist()
    turns = (each for pair in zip_longest(ids, best) for each in pair if each is not None)
    chosen = list(dict.fromkeys(turns))[:DOCUMENTS]
    places = {} if words is None else dict(zip(ids, words.passages[:DOCUMENTS].tolist(), strict=True))
    first = [places[each] for each in chosen if each in places]
    return [PatentId(each) for each in chosen], first


def _members(row: Folded) -> NDArray[np.int64]:
    return np.array((row.patent, *row.others), dtype=np.int64)
