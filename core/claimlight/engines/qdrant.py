"""Qdrant as the engine of a shared library.

An index has two collections: ``NAME_sections`` with the dense vector of each section, and ``NAME_passages``
with the sparse vectors of each passage piece. The id of a point is that of its part. The schema is in the
metadata of both collections, so that it is there from the moment they are.

What an engine of Qdrant is asked is in `claimlight.engines.qdrant_store`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from claimlight import codec
from claimlight.engines.deadline import within
from claimlight.engines.qdrant_store import Point, QdrantStore, Vector
from claimlight.engines.reasons import tell_shortfall
from claimlight.errors import BugError, EngineError, ShortfallError
from claimlight.index.backend import (
    ENGINE_SECONDS,
    UNDATED,
    DocumentFacts,
    EngineHealth,
    Found,
    IndexSchema,
    Leg,
    PartBatch,
    PartFilter,
    SparseRows,
    SparseVector,
    documents_of,
)

_T = TypeVar("_T")

WRITE_SECONDS = 60.0
"""Time that a request which stores or removes parts, or makes a collection, may take."""
MOST = 10_000
EXACT_SECTIONS = 500_000
"""Sections up to which `DenseSearch.AUTO` compares all of them with a query: 60 ms of one processor."""
EF = 800
"""Candidates of a search in the graph, at least: with fewer, a date limit loses some of the best."""
NUMBERS = 250_000
"""Most numbers in the vectors of one request: about 6 MB of JSON, where Qdrant takes 32 MB by default."""
_TRIES = 3
_SIZE_SECONDS = 60.0
"""Age at which the number of sections is asked for again."""


class DenseSearch(StrEnum):
    """How the dense leg finds its parts."""

    AUTO = "auto"
    """Exactly up to `EXACT_SECTIONS` sections, by the graph beyond."""
    EXACT = "exact"
    HNSW = "hnsw"
    """By the graph, which may miss some of the best."""


class QdrantBackend:
    """The port over Qdrant; see `IndexBackend`."""

    def __init__(
        self,
        server: str | QdrantStore,
        *,
        token: str = "",
        seconds: float = ENGINE_SECONDS,
        dense: DenseSearch = DenseSearch.AUTO,
        ef: int = EF,
        authorities: Path | None = None,
    ) -> None:
        """``server``: ``http[s]://host:port``, asked at the first call; ``seconds`` for a search.

        ``authorities``: file (PEM) of the certificates that are trusted with https, in place of those of the
        system.
        """
        if isinstance(server, str):
            from claimlight.engines.qdrant_server import QdrantServer

            server = QdrantServer(
                server,
                token=token,
                seconds=seconds,
                write_seconds=WRITE_SECONDS,
                authorities=authorities,
            )
        self._store = server
        self._seconds = seconds
        self._dense = DenseSearch(dense)
        self._ef = ef
        self._name = ""
        self._size = (-_SIZE_SECONDS, 0)

    @property
    def most(self) -> int:
        """Qdrant has no limit; answers of more take seconds."""
        return MOST

    def ensure(self, schema: IndexSchema, *, create: bool = False) -> None:
        """See `IndexBackend.ensure`."""
        self._within(WRITE_SECONDS, lambda: self._ensure(schema, create=create))

    def _ensure(self, schema: IndexSchema, *, create: bool) -> None:
        text = codec.encode(schema)
        for sections in (True, False):
            collection = _collection(schema.name, sections=sections)
            found = self._store.schema(collection)
            if found is None and create:
                self._store.create(collection, text, schema.dim if sections else None)
                # Another machine may have made it in between, for another schema.
                found = self._store.schema(collection)
            if found is None:
                raise EngineError(f"The engine at {self._store.place} has no index {schema.name}.")
            if found == "":
                raise EngineError(
                    f"The engine keeps no settings with the index {schema.name}: Qdrant 1.16 or later is "
                    "needed."
                )
            if found != text:
                raise EngineError(f"The index {schema.name} was made with another model or other settings.")
            if create:
                self._store.index(collection)
        self._name = schema.name

    def upsert(self, batch: PartBatch) -> None:
        """See `IndexBackend.upsert`."""
        for sections, points in ((True, _sections(batch)), (False, _passages(batch))):
            collection = self._collection(sections=sections)
            for some in _requests(points):
                self._within(WRITE_SECONDS, partial(self._store.upsert, collection, some))

    def delete(self, documents: Sequence[int]) -> None:
        """See `IndexBackend.delete`."""
        if not documents:
            return
        gone = self._filter(PartFilter(documents=np.unique(np.array(documents, dtype=np.int64))))
        for sections in (True, False):
            collection = self._collection(sections=sections)
            self._within(WRITE_SECONDS, partial(self._store.delete, collection, gone))

    def search(
        self, leg: Leg, vector: NDArray[np.float32] | SparseVector, allowed: PartFilter, k: int
    ) -> Found:
        """See `IndexBackend.search`."""
        if not 1 <= k <= MOST:
            raise BugError(f"{k} hits were asked of an engine that gives up to {MOST}.")
        asked: Vector
        if isinstance(vector, SparseVector):
            asked = (vector.indices.tolist(), vector.values.tolist())
            if not asked[0]:
                return _found([])
        else:
            asked = vector.tolist()
        if allowed.documents is not None and not len(allowed.documents):
            return _found([])
        return self._within(self._seconds, lambda: _found(self._search(leg, asked, allowed, k)))

    def _search(self, leg: Leg, vector: Vector, allowed: PartFilter, k: int) -> list[tuple[int, float]]:
        collection = self._collection(sections=leg.sections)
        condition = self._filter(allowed)
        exact = not leg.sections or self._is_exact(collection)
        ef = max(self._ef, k)
        # Others store and remove meanwhile, so that two answers may differ without a fault.
        for turn in range(_TRIES):
            hits = self._store.query(collection, leg, vector, condition, k, exact=exact or turn > 0, ef=ef)
            missing = self._count_missing(collection, leg, vector, allowed, k, hits)
            if not missing:
                return hits
        raise ShortfallError(tell_shortfall(self._store.place, len(hits), len(hits) + missing))

    def _count_missing(
        self,
        collection: str,
        leg: Leg,
        vector: Vector,
        allowed: PartFilter,
        k: int,
        hits: Sequence[tuple[int, float]],
    ) -> int:
        """Parts that are known to be missing among ``hits``, of those that should be there."""
        if len(hits) >= k:
            return 0
        if leg.sections:
            there = self._store.count(collection, self._filter(allowed))
            return max(0, min(k, there) - len(hits))
        # How many share an index with the query can't be counted, but none of the others may be found.
        others = self._filter(allowed, without=[part for part, _ in hits])
        return len(self._store.query(collection, leg, vector, others, 1, exact=True, ef=self._ef))

    def _is_exact(self, collection: str) -> bool:
        if self._dense is not DenseSearch.AUTO:
            return self._dense is DenseSearch.EXACT
        asked, size = self._size
        if time.monotonic() - asked > _SIZE_SECONDS:
            size = self._store.count(collection, None)
            self._size = (time.monotonic(), size)
        return size <= EXACT_SECTIONS

    def count(self, leg: Leg, allowed: PartFilter) -> int:
        """See `IndexBackend.count`."""
        collection = self._collection(sections=leg.sections)
        if allowed.documents is not None and not len(allowed.documents):
            return 0
        return self._within(self._seconds, lambda: self._store.count(collection, self._filter(allowed)))

    def health(self) -> EngineHealth:
        """See `IndexBackend.health`."""

        def ask() -> EngineHealth:
            begun = time.perf_counter()
            version = self._store.version()
            seconds = time.perf_counter() - begun
            sections, passages = (
                self._store.count(_collection(self._name, sections=each), None) if self._name else 0
                for each in (True, False)
            )
            return EngineHealth(version, seconds, sections, passages, self._store.notes())

        return self._within(self._seconds, ask)

    def close(self) -> None:
        """See `IndexBackend.close`."""
        self._store.close()

    def _within(self, seconds: float, call: Callable[[], _T]) -> _T:
        late = f"The engine at {self._store.place} did not answer within {seconds:g} seconds."
        return within(seconds, call, late=late)

    def _collection(self, *, sections: bool) -> str:
        if not self._name:
            raise EngineError("The engine has no index yet.")
        return _collection(self._name, sections=sections)

    def _filter(self, allowed: PartFilter, *, without: Sequence[int] = ()) -> Any:
        """``allowed`` in Qdrant's words, further without the parts ``without``; None if all pass."""
        words = self._store.words

        def among(key: str, values: Sequence[int] | Sequence[str]) -> Any:
            return words.FieldCondition(key=key, match=words.MatchAny(any=list(values)))

        must: list[Any] = []
        must_not: list[Any] = []
        if allowed.before:
            days = words.Range(gt=UNDATED, lt=allowed.before)
            must.append(words.FieldCondition(key="published", range=days))
        if allowed.classes:
            must.append(among("classes", allowed.classes))
        if allowed.documents is not None:
            must.append(among("document", allowed.documents.tolist()))
        if allowed.claims:
            must.append(among("claims", [1]))
        if allowed.without_families:
            must_not.append(among("family", allowed.without_families))
        if allowed.without is not None and len(allowed.without):
            must_not.append(among("document", allowed.without.tolist()))
        if without:
            must_not.append(words.HasId(without))
        if not must and not must_not:
            return None
        return words.Filter(must=must or None, must_not=must_not or None)


def _collection(name: str, *, sections: bool) -> str:
    return f"{name}_{'sections' if sections else 'passages'}"


def _found(hits: Sequence[tuple[int, float]]) -> Found:
    parts = np.array([part for part, _ in hits], dtype=np.int64)
    scores = np.array([score for _, score in hits], dtype=np.float64)
    order = np.lexsort((parts, -scores))
    return Found(parts[order], scores[order])


def _payload(document: int, facts: DocumentFacts, *, claims: bool) -> dict[str, Any]:
    return {
        "document": document,
        "published": facts.published,
        "family": facts.family,
        "classes": list(facts.classes),
        # As a number: qdrant-edge takes the truth value of a condition for one.
        "claims": int(claims),
    }


def _sections(batch: PartBatch) -> Iterator[Point]:
    rows = batch.sections
    for part, document, claims, vector in zip(
        rows.parts.tolist(),
        documents_of(rows.parts).tolist(),
        rows.claims.tolist(),
        rows.vectors,
        strict=True,
    ):
        payload = _payload(document, batch.facts[document], claims=claims)
        yield Point(part, {Leg.DENSE.value: vector.tolist()}, payload)


def _passages(batch: PartBatch) -> Iterator[Point]:
    rows = batch.passages
    legs: dict[str, SparseRows] = {Leg.CENTERS.value: rows.centers, Leg.WORDS.value: rows.words}
    documents = documents_of(rows.parts).tolist()
    for row, (part, document, claims) in enumerate(
        zip(rows.parts.tolist(), documents, rows.claims.tolist(), strict=True)
    ):
        vectors: dict[str, Vector] = {}
        for leg, sparse in legs.items():
            indices, values = sparse.row(row)
            if len(indices):
                vectors[leg] = (indices.tolist(), values.tolist())
        yield Point(part, vectors, _payload(document, batch.facts[document], claims=claims))


def _requests(points: Iterator[Point]) -> Iterator[list[Point]]:
    """The points in lists that are not too large for a request."""
    some: list[Point] = []
    numbers = 0
    for point in points:
        size = sum(_numbers(vector) for vector in point.vectors.values())
        if some and numbers + size > NUMBERS:
            yield some
            some, numbers = [], 0
        some.append(point)
        # The other fields of a point take as much as some ten numbers.
        numbers += size + 10
    if some:
        yield some


def _numbers(vector: Vector) -> int:
    return 2 * len(vector[0]) if isinstance(vector, tuple) else len(vector)
