"""Passages ranked by the product: each is a document of its own in a library.

So a search answers with passages instead of documents: words by the full text of the library, vectors by
their cosine with every passage (exactly, no graph), centers by the postings of all passages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders import EncoderInput
from claimlight.errors import BugError, ResourceError
from claimlight.evaluation.systems import System, needs_index
from claimlight.index.generation import Generation
from claimlight.lab.coverage import Profile, every_span
from claimlight.lab.coverage.chunks import sentence_chunks
from claimlight.lab.papers.clef_ip.passages import PassagePool, PassageRow
from claimlight.lab.papers.clef_ip.rivals import RivalPassages
from claimlight.retrieval import DocumentFilter, Ranking, RetrievalQuery
from claimlight.retrieval.base import empty_ranking, rank_by_best_part
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.retrieval.fusion import PLAIN, Fused, Fusion
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.library.import_runs import record_import
from claimlight.services.library.importing import Importer, Step, make_rows
from claimlight.services.library.library import Library
from claimlight.services.search.query_encoding import QueryEncoder
from claimlight.services.search.search import SearchEngine
from claimlight.services.search.search_state import SearchState, open_shipped_stack
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.store.fulltext import count_passages_by_term
from claimlight.store.writer import SourceState, read_source_state
from claimlight.tasks import TaskContext
from claimlight.text.normalise import normalise
from claimlight.types import (
    COMPARED_RANKERS,
    Claim,
    LocalText,
    Paragraph,
    Patent,
    PatentId,
    PublicationNumber,
    Query,
    Ranker,
    Section,
    Source,
)

if TYPE_CHECKING:
    from claimlight.services.models.encoding_stack import EncodingStack

_OFFICE = "XX"
_CHECKED = 1000
"""Passages whose place in the library is checked."""


@dataclass(frozen=True, slots=True, eq=False)
class LegRanking:
    """The ranking of one leg."""

    leg: Ranker
    passages: NDArray[np.int64]
    """Numbers in the pool, best first, ties in reading order, none twice."""
    scores: NDArray[np.float64]
    read: int | None
    """Postings that were read; None for a leg without postings."""


class PassageLibrary:
    """Ranks all passages of a pool for a text."""

    def __init__(
        self,
        pool: PassagePool,
        library: Library,
        state: SearchState,
        *,
        settings: Settings,
        all_words: bool,
        profile: Profile,
        rivals: Mapping[Ranker, RivalPassages],
    ) -> None:
        self._pool = pool
        self._store = library.store
        self._state = state
        self._settings = settings
        self._all_words = all_words
        self._rivals = rivals
        self._best_chunk = profile is Profile.PAPER
        self._encoder = state.encoder
        if state.encoder is not None and profile is Profile.PAPER:
            self._encoder = QueryEncoder(
                state.encoder.stack, top_k=settings.centers.top_k_query, asking=every_span
            )
        self._ids = state.catalogue.ids
        self.notes = state.notes if state.generation is not None else ()
        """Notes of the engine on its index."""
        self._check()

    def _check(self) -> None:
        """Ids ascend as the passages were written, so a passage is found by its row in the catalogue."""
        if len(self._ids) != len(self._pool):
            raise BugError(f"{len(self._ids):,} of {len(self._pool):,} passages are in the library")
        # A sample: a library that was written in another order would differ almost everywhere.
        rows = range(0, len(self._ids), max(1, len(self._ids) // _CHECKED))
        ids = [PatentId(int(self._ids[row])) for row in rows]
        numbers = repository.read_publications(self._store, ids)
        if any(numbers[item] != _publication(row) for item, row in zip(ids, rows, strict=True)):
            raise BugError("the passages of the library are not in the order in which they were written")

    def rank(
        self, text: str, legs: Sequence[Ranker], *, without: NDArray[np.int32], context: TaskContext
    ) -> tuple[LegRanking, ...]:
        """Every passage with a score, except those of the documents ``without`` (places in the pool).

        A text without words finds nothing.
        """
        text = normalise(text)
        if not any(map(str.isalnum, text)):
            none = np.empty(0)
            return tuple(LegRanking(leg, none.astype(np.int64), none, 0) for leg in legs)
        allowed = DocumentFilter(self._state.catalogue, ~np.isin(self._pool.document, without))
        asked = RetrievalQuery(text)
        if self._encoder is not None and needs_index(legs):
            asked = self._encoder.encode(Query(text, (), Section.CLAIMS), context).retrieval
        return tuple(self._leg(leg, asked, allowed, context) for leg in legs)

    def _leg(
        self, leg: Ranker, asked: RetrievalQuery, allowed: DocumentFilter, context: TaskContext
    ) -> LegRanking:
        context.check()
        read: int | None
        if leg is Ranker.BM25:
            found, read = self._bm25(asked, allowed, context)
        elif leg in self._rivals:
            found, read = self._rivals[leg].rank(asked.text, allowed, context)
        else:
            generation = self._state.generation
            if not isinstance(generation, Generation):
                raise BugError(f"{leg} was asked without an index")
            if leg is Ranker.DENSE:
                found, read = _dense(generation, self._vectors(asked, context), allowed), None
            else:
                found, read = _centers(generation, asked, allowed, self._settings)
        return LegRanking(leg, self._state.catalogue.rows(found.ids), found.scores, read)

    def _vectors(self, asked: RetrievalQuery, context: TaskContext) -> list[NDArray[np.float32]]:
        """The vector of the query; by the paper one of each of its chunks, where it has several."""
        # The product asks with one vector; the paper's chunks come with its profile.
        if asked.vector is None or self._encoder is None or not self._best_chunk:
            return [] if asked.vector is None else [asked.vector]
        encoder = self._encoder.stack.encoder
        (whole,) = encoder.encode([EncoderInput(asked.text, Section.CLAIMS, is_query=True)], context)
        chunks = sentence_chunks(asked.text, whole.offsets)
        if len(chunks) == 1:
            return [asked.vector]
        inputs = [EncoderInput(chunk, Section.CLAIMS, is_query=True) for chunk in chunks]
        return [item.pooled for item in encoder.encode(inputs, context) if item.length]

    def _bm25(
        self, asked: RetrievalQuery, allowed: DocumentFilter, context: TaskContext
    ) -> tuple[Ranking, int]:
        if self._all_words:
            retriever = Bm25Retriever(self._store, terms=sys.maxsize, postings=sys.maxsize)
        else:
            retriever = Bm25Retriever(self._store, terms=self._settings.search.query_terms)
        words = retriever.words(asked.text, allowed)
        read = sum(count_passages_by_term(self._store, words).values())
        return retriever.rank(asked, allowed=allowed, depth=len(self._ids), context=context), read


def _dense(
    generation: Generation, vectors: Sequence[NDArray[np.float32]], allowed: DocumentFilter
) -> Ranking:
    """Every passage by its largest cosine with one of the vectors."""
    if not vectors:
        return empty_ranking(Ranker.DENSE)
    found = [generation.section_scores(vector) for vector in vectors]
    # Best chunk, as in the paper (section 4.3): a passage need not be like the whole claim.
    best = np.max([scores for _, scores in found], axis=0)
    return _rank_allowed(Ranker.DENSE, found[0][0], best.astype(np.float64), allowed)


def _centers(
    generation: Generation, asked: RetrievalQuery, allowed: DocumentFilter, settings: Settings
) -> tuple[Ranking, int]:
    """Every passage with a center score, and the postings read."""
    if asked.centers is None or asked.weights is None or not len(asked.centers):
        return empty_ranking(Ranker.CENTERS), 0
    scoring = generation.scoring(settings.centers)
    query = scoring.query(asked.centers, asked.weights)
    found = generation.all_passages(query, scoring.norm)
    return _rank_allowed(Ranker.CENTERS, found.documents, found.scores, allowed), generation.posting_count(
        query
    )


def _rank_allowed(
    leg: Ranker, ids: NDArray[np.int64], scores: NDArray[np.float64], allowed: DocumentFilter
) -> Ranking:
    kept = np.flatnonzero(allowed.keep(ids))
    return rank_by_best_part(leg, ids[kept], scores[kept], depth=len(kept))


def combine_legs(system: System, found: Sequence[LegRanking], settings: Settings) -> Fused:
    """The ranking of a system: that of its leg, or the fusion of its legs.

    ``+`` is plain reciprocal-rank fusion, ``hybrid`` is fused as the settings say.
    """
    used = [item for item in found if item.leg in system.legs]
    if len(system.legs) == 1:
        return Fused(used[0].passages, used[0].scores)
    # Published fusions are plain reciprocal ranks; only ``hybrid`` is the product's own.
    fusion = Fusion.of(settings.search) if system is System.HYBRID else PLAIN
    rankings = [
        Ranking(item.leg, item.passages, item.scores, np.zeros(len(item.passages), dtype=np.int64))
        for item in used
    ]
    return fusion(rankings)


@contextmanager
def passage_library(
    pool: PassagePool,
    folder: Path,
    *,
    legs: Sequence[Ranker],
    settings: Settings,
    context: TaskContext,
    all_words: bool = False,
    profile: Profile = Profile.PRODUCT,
    stack: Callable[[Settings], EncodingStack] = open_shipped_stack,
) -> Iterator[PassageLibrary]:
    """The library of a pool, made or resumed where it was stopped; indexed if a leg needs it."""
    with Library.open_or_create(folder) as library:
        _import(library, pool, settings, context)
        rivals = {
            leg: RivalPassages(leg, library, settings, context) for leg in legs if leg in COMPARED_RANKERS
        }
        if needs_index(legs):
            # Vectors are compared with every passage, so the graph is made as small as it can be; and by
            # their plain cosine, as in published runs.
            index = replace(settings.index, hnsw_m=2, ef_construction=10, section_level=0.0)
            build_index(
                index_folder(folder),
                LibraryCorpus(library.store),
                stack=stack(settings),
                settings=replace(settings, index=index),
                context=context,
            )
        engine = SearchEngine.open(library, settings, stack=stack)
        state = engine.state(context)
        if needs_index(legs) and state.generation is None:
            raise ResourceError(" ".join(state.notes))
        yield PassageLibrary(
            pool, library, state, settings=settings, all_words=all_words, profile=profile, rivals=rivals
        )


def _import(library: Library, pool: PassagePool, settings: Settings, context: TaskContext) -> None:
    """Put every passage into the library that is not in it."""
    found = pool.file.stat()
    known = read_source_state(library.store, str(pool.file))
    if known is not None and known.complete:
        return
    state = SourceState(str(pool.file), found.st_size, found.st_mtime_ns, known.records if known else 0)
    with record_import(library.store, [pool.file]) as recording:
        importer = Importer(
            library.store,
            context,
            recording,
            batch_documents=settings.imports.batch_documents,
            bytes_total=len(pool),
        )
        importer.run(_steps(state, pool))


def _steps(state: SourceState, pool: PassagePool) -> Iterator[Step]:
    for place, row in enumerate(pool.rows()):
        # A stopped import goes on behind its last commit.
        if place >= state.records:
            yield Step(state, make_rows(_patent(row, place, state.path)), place + 1, place + 1)
    yield Step(state, None, len(pool), len(pool))


def _patent(row: PassageRow, place: int, path: str) -> Patent:
    """A document that holds one passage, in its section."""
    section, text, language = row.place.section, row.text, row.language
    return Patent(
        publication=_publication(place),
        source=Source(path, ordinal=place),
        language=language,
        titles=(LocalText(row.title, language),) if row.title else (),
        abstracts=(LocalText(text, language),) if section is Section.ABSTRACT else (),
        claims=(Claim(1, text, language),) if section is Section.CLAIMS else (),
        description=(Paragraph(text, section, language=language),) if section is Section.DESCRIPTION else (),
    )


def _publication(place: int) -> PublicationNumber:
    return PublicationNumber(_OFFICE, str(place + 1))
