"""The index of a shared library, searched as one in a folder is.

The engine ranks (`claimlight.index.engine_search`); what rankings depend on of the whole library, and the
rows of the found documents, come from the database. So scores are those of the workstation up to the
precision of fp32, and evidence is exactly the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import BugError, InputError
from claimlight.index import forward as forwards
from claimlight.index.backend import (
    ALL,
    Found,
    Ids,
    IndexBackend,
    IndexColumns,
    IndexSchema,
    IndexSource,
    Leg,
    PartFilter,
    SparseVector,
    WordStatistics,
    documents_of,
    passage_offsets,
    section_kinds,
)
from claimlight.index.dense import DenseHit, SectionVectors
from claimlight.index.engine_search import EngineSearch, Keep, name_few
from claimlight.index.forward import ForwardEntries
from claimlight.index.generation import warm_lists
from claimlight.index.live import LiveSegment, among
from claimlight.index.manifest import IndexRecipe
from claimlight.index.portable import PARTS, PlacedRows, decode
from claimlight.index.ranking import PassageScores, RankedDocuments, take_best_documents
from claimlight.index.row_cache import RowCache
from claimlight.index.scoring import CODES, CenterQuery, CenterWeights, LengthNorm, Scoring, StopList
from claimlight.index.sections import SectionKind
from claimlight.index.segments import WEIGHT_UNIT
from claimlight.settings import CenterSettings
from claimlight.types import PatentId
from claimlight.vectors import unit

MOST_READ = 2_000
"""Documents whose rows are read, at most, to answer what an engine can't rank."""
_AT_ONCE = 200
"""Documents whose rows are in memory at once."""
# Scores of an engine are those of fp32 vectors: what is at a bound must not be missed.
_SLACK = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class SharedParts:
    """The index of a shared library: what holds it, and what knows of it."""

    backend: IndexBackend
    source: IndexSource
    words: WordStatistics | None = None
    """None: those in the library's own database."""


class SharedIndex:
    """One state of the index of a shared library; see `claimlight.index.base.SearchableIndex`."""

    def __init__(
        self, schema: IndexSchema, columns: IndexColumns, *, engine: EngineSearch, rows: RowCache
    ) -> None:
        self.schema = schema
        self.columns = columns
        self.engine = engine
        self._rows = rows
        self._weights = CenterWeights(columns.df, columns.passages)

    @classmethod
    def open(
        cls, backend: IndexBackend, source: IndexSource, before: SharedIndex | None = None
    ) -> SharedIndex | None:
        """The current state; None before the first document.

        ``before`` is an earlier state of the same library: what has not changed is not read again, and it is
        returned itself if nothing has. The engine is reached with the first search. `ResourceError` if the
        database is gone.
        """
        schema = source.schema()
        if schema is None:
            return None
        known = before if before is not None and before.schema == schema else None
        columns = source.columns(known.columns if known is not None else None)
        if known is None:
            engine, rows = EngineSearch(backend, schema), RowCache(source)
            return cls(schema, columns, engine=engine, rows=rows)
        if columns.version == known.columns.version:
            return known
        return cls(schema, columns, engine=known.engine, rows=known._rows)

    # What it is

    @property
    def name(self) -> str:
        """Identifies this state of the index in results."""
        return f"{self.schema.name}/{self.columns.version}"

    @property
    def recipe(self) -> IndexRecipe:
        return self.schema.recipe

    @property
    def documents(self) -> int:
        """Indexed documents."""
        return len(self.columns.documents)

    @property
    def passages(self) -> int:
        """Indexed passages: N in the idf."""
        return self.columns.passages

    @property
    def df(self) -> Ids:
        """[V] passages with an entry of each center."""
        return self._weights.df

    @property
    def notes(self) -> tuple[str, ...]:
        """None: what is wrong with an engine shows in its searches."""
        return ()

    def document_ids(self) -> Ids:
        """Ids of the indexed documents, ascending."""
        return self.columns.documents

    @cached_property
    def claims_only(self) -> Ids:
        """Ids of the documents whose description is still to be indexed, ascending."""
        return self.columns.documents[self.columns.claims_only]

    @cached_property
    def described(self) -> Ids:
        """Ids of the documents whose description was indexed after their claims, ascending."""
        return self.columns.documents[self.columns.described]

    @property
    def mixed(self) -> bool:
        """Whether the description of some documents is indexed, and that of others is not."""
        return bool(self.columns.claims_only.any() and self.columns.described.any())

    # Scores

    def idf(self, settings: CenterSettings) -> NDArray[np.float32]:
        """See `CenterWeights.idf`."""
        return self._weights.idf(settings)

    def stops(self, settings: CenterSettings) -> StopList:
        """See `CenterWeights.stops`."""
        return self._weights.stops(settings)

    def scoring(self, settings: CenterSettings) -> Scoring:
        """The scoring function under ``settings``, with the length norm of the stored parts."""
        return self._weights.scoring(self._own(settings))

    def describe_settings(self, settings: CenterSettings) -> str:
        """Note on settings that are not those of the shared index; empty if there are none."""
        own = self._own(settings)
        if own == settings:
            return ""
        return (
            f"The shared index was made with centers.length_exponent = {own.length_exponent:g} and "
            f"centers.length_floor = {own.length_floor}. Your settings of these do not apply to it."
        )

    def _own(self, settings: CenterSettings) -> CenterSettings:
        return replace(
            settings,
            length_exponent=self.schema.length_exponent,
            length_floor=int(self.schema.length_floor),
        )

    @property
    def _norm(self) -> LengthNorm:
        return LengthNorm(self.schema.length_exponent, int(self.schema.length_floor))

    def warm(self) -> None:
        """Load the compiled loops of evidence; the engine is not asked."""
        none = np.empty(0, dtype=np.int64)
        worth = np.ones((1, CODES))
        worth[:, 0] = 0.0
        query = CenterQuery(np.zeros(1, dtype=np.int32), worth)
        empty = LiveSegment(decode([], centers=self.schema.centers, dim=self.schema.dim), none)
        warm_lists(forwards.read_entries((empty,), none, query.centers), query, LengthNorm(0.0))

    # Rankings

    def best_documents(
        self,
        query: CenterQuery,
        norm: LengthNorm,
        *,
        depth: int,
        allowed: Ids | None = None,
        claims: bool = False,
        implied: PartFilter = ALL,
    ) -> RankedDocuments:
        """See `SearchableIndex.best_documents`."""
        if norm != self._norm:
            raise BugError(f"a shared index with the norm {self._norm} was searched with {norm}")
        only, keep = self._select(allowed)
        if not len(query) or (only is not None and not len(only)):
            return RankedDocuments(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
        found = self.engine.best_parts(
            Leg.CENTERS,
            SparseVector(query.centers.astype(np.int64), query.worth[:, -1].astype(np.float32)),
            depth=depth,
            keep=keep,
            conditions=replace(implied, claims=claims),
            only=only,
        )
        return take_best_documents(self._as_passages(found), depth)

    def nearest_sections(
        self,
        vector: NDArray[np.float32],
        *,
        depth: int,
        allowed: Ids | None = None,
        implied: PartFilter = ALL,
    ) -> tuple[Ids, NDArray[np.float64]]:
        """Documents and scores of sections, best first, of at least the ``depth`` nearest documents."""
        only, keep = self._select(allowed)
        if only is not None and not len(only):
            return np.empty(0, np.int64), np.empty(0)
        found = self.engine.best_parts(
            Leg.DENSE, _unit(vector), depth=depth, keep=keep, conditions=implied, only=only
        )
        return documents_of(found.parts), found.scores

    def search_dense(
        self,
        vector: NDArray[np.float32],
        k: int,
        *,
        ef: int = 200,
        exact: bool = False,
        documents: Ids | None = None,
    ) -> tuple[DenseHit, ...]:
        """The ``k`` nearest sections, best first (ties: lower document, then section).

        With ``documents`` every section of them is compared, whatever ``exact`` says; ``ef`` is the engine's
        own concern.
        """
        if documents is None:
            found = self.engine.best_parts(Leg.DENSE, _unit(vector), depth=k, keep=self._among_own)
        else:
            held = documents[self._among_own(documents)]
            found = self.engine.sections_of(_unit(vector), held)
        order = np.lexsort((found.parts, -found.scores))[:k]
        return tuple(
            DenseHit(PatentId(document), SectionKind(kind).section, score)
            for document, kind, score in zip(
                documents_of(found.parts[order]).tolist(),
                section_kinds(found.parts[order]).tolist(),
                found.scores[order].tolist(),
                strict=True,
            )
        )

    def passages_above(self, query: CenterQuery, least: float) -> PassageScores:
        """See `SearchableIndex.passages_above`.

        The engine's scores bound those without a norm from above, by the longest passage; all documents
        within the bound are read, and of more than `MOST_READ` none.
        """
        none = np.empty(0, dtype=np.int64)
        if not len(query):
            return PassageScores(none, none, np.empty(0))
        if not self.columns.most_spans:
            raise InputError("The shared library does not know its longest passage, which this needs.")
        # What a code adds is at most so many times its cosine.
        steepest = (query.worth[:, 1:] / (np.arange(1, CODES) / WEIGHT_UNIT)).max(axis=1)
        longest = float(self._norm.of(np.array([self.columns.most_spans]))[0])
        kept = steepest > 0.0
        asked = SparseVector(query.centers[kept].astype(np.int64), steepest[kept].astype(np.float32))
        bound = least / longest * (1.0 - _SLACK)
        found = self.engine.parts_above(
            Leg.CENTERS, asked, least=bound, keep=self._among_own, documents=MOST_READ
        )
        documents = np.unique(documents_of(found.parts))
        if len(documents) > MOST_READ:
            raise InputError(
                f"On a shared library this is answered for up to {MOST_READ:,} documents, and more come into "
                "question here."
            )
        parts = [
            self._score_whole(query, documents[at : at + _AT_ONCE], least)
            for at in range(0, len(documents), _AT_ONCE)
        ]
        return PassageScores(
            np.concatenate([none, *(item.passages for item in parts)]),
            np.concatenate([none, *(item.documents for item in parts)]),
            np.concatenate([np.empty(0), *(item.scores for item in parts)]),
        )

    def _score_whole(self, query: CenterQuery, documents: Ids, least: float) -> PassageScores:
        """The passages of some documents with ``least`` or more, without a norm."""
        segments = self._segments(documents)
        passages = np.unique(np.concatenate([item.passage_ids for item in segments] or [documents[:0]]))
        lists = forwards.read_entries(segments, passages, query.centers)
        row = query.row_of_center(self.schema.centers)[lists.centers]
        owner = np.repeat(np.arange(len(lists.passages)), np.diff(lists.offsets))
        worth = query.worth[row, lists.codes]
        scores = np.bincount(owner, weights=worth, minlength=len(lists.passages)).astype(np.float64)
        kept = np.flatnonzero(scores >= least)
        found = lists.passages[kept]
        return PassageScores(found, self._documents_of(found), scores[kept])

    def _select(self, allowed: Ids | None) -> tuple[Ids | None, Keep]:
        """The documents to be named to the engine, and which of those it finds count."""
        if allowed is None:
            return None, self._among_own
        ids = allowed

        def keep(documents: Ids) -> NDArray[np.bool_]:
            return among(documents, ids) & self._among_own(documents)

        return name_few(ids, self.documents), keep

    def _among_own(self, documents: Ids) -> NDArray[np.bool_]:
        """Which documents the library knows: an engine may have parts of a push that did not end."""
        return among(documents, self.columns.documents)

    def _as_passages(self, found: Found) -> PassageScores:
        documents = documents_of(found.parts)
        first = self.columns.first_passage[np.searchsorted(self.columns.documents, documents)]
        return PassageScores(first + passage_offsets(found.parts), documents, found.scores)

    # Rows of documents

    def forward(
        self, passages: Sequence[int] | Ids, centers: NDArray[np.int32] | None = None
    ) -> ForwardEntries:
        """See `SearchableIndex.forward`; one request to the database."""
        asked = np.asarray(passages, dtype=np.int64)
        return forwards.read_entries(self._segments(self._documents_of(asked)), asked, centers)

    def passage_vectors(self, passages: Sequence[int] | Ids) -> tuple[Ids, NDArray[np.float32]]:
        """See `SearchableIndex.passage_vectors`; one request to the database."""
        asked = np.asarray(passages, dtype=np.int64)
        return forwards.read_vectors(self._segments(self._documents_of(asked)), asked, self.schema.dim)

    def section_vectors(self, only: Ids) -> SectionVectors:
        """See `SearchableIndex.section_vectors`; one request to the database."""
        held = np.unique(only[self._among_own(only)])
        documents, kinds = [np.empty(0, np.int64)], [np.empty(0, np.uint8)]
        vectors = [np.empty((0, self.schema.dim), np.float16)]
        for item in self._segments(held):
            documents.append(item.document_ids[item.arrays.section_document])
            kinds.append(np.asarray(item.arrays.section_kind))
            vectors.append(np.asarray(item.arrays.section_vectors))
        return SectionVectors(np.concatenate(documents), np.concatenate(kinds), np.concatenate(vectors))

    @cached_property
    def _by_passage(self) -> tuple[Ids, Ids]:
        """First passages ascending, and the document of each."""
        order = np.argsort(self.columns.first_passage, kind="stable")
        return self.columns.first_passage[order], self.columns.documents[order]

    def _documents_of(self, passages: Ids) -> Ids:
        """The document that each passage is of, if it is of any here."""
        first, documents = self._by_passage
        if not len(first):
            return passages[:0]
        return documents[np.maximum(np.searchsorted(first, passages, side="right") - 1, 0)]

    def _segments(self, documents: Ids) -> list[LiveSegment]:
        """The rows of some documents, as one segment for each part that they are indexed in."""
        own = np.unique(documents)
        rows = np.searchsorted(self.columns.documents, own)
        states = 2 * self.columns.claims_only[rows].astype(np.int64) + self.columns.described[rows]
        held = self._rows.get(list(zip(own.tolist(), states.tolist(), strict=True)))
        first = dict(zip(own.tolist(), self.columns.first_passage[rows].tolist(), strict=True))
        segments = []
        for part in PARTS:
            placed = [
                PlacedRows(document, first[document], each)
                for document, every in sorted(held.items())
                for each in every
                if each.part is part
            ]
            if placed:
                arrays = decode(placed, centers=self.schema.centers, dim=self.schema.dim)
                segments.append(LiveSegment(arrays, np.empty(0, dtype=np.int64), part))
        return segments


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return unit(vector.astype(np.float32, copy=False))
