"""An engine in the memory of this process that compares a query with every part: the others' reference."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import EngineError
from claimlight.index.backend import (
    UNDATED,
    DocumentFacts,
    EngineHealth,
    Found,
    Ids,
    IndexSchema,
    Leg,
    PartBatch,
    PartFilter,
    SparseRows,
    SparseVector,
    documents_of,
)

_Flags = NDArray[np.bool_]
_Vectors = NDArray[np.float32] | SparseRows


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The sections, or the passage pieces, of one batch."""

    parts: Ids
    facts: Mapping[int, DocumentFacts]
    """By document."""
    claims: _Flags
    vectors: dict[Leg, _Vectors]
    alive: _Flags
    """[n]; parts that were replaced or removed are not."""

    def passing(self, allowed: PartFilter) -> _Flags:
        """[n] the live parts that a filter lets pass."""
        return self.alive & passing(self.parts, self.claims, self.facts, allowed)


class ExactBackend:
    """Holds parts in arrays and scores in float64; for tests and samples of some million parts."""

    def __init__(self) -> None:
        self._schema: IndexSchema | None = None
        self._blocks: dict[bool, list[_Block]] = {True: [], False: []}
        self._lock = RLock()

    @property
    def most(self) -> int:
        """No limit of its own."""
        return 1 << 30

    def ensure(self, schema: IndexSchema, *, create: bool = False) -> None:
        """See `IndexBackend.ensure`."""
        if self._schema is None:
            if not create:
                raise EngineError(f"The engine has no index {schema.name}.")
            self._schema = schema
        elif self._schema != schema:
            raise EngineError(f"The index {schema.name} was made with another model or other settings.")

    def upsert(self, batch: PartBatch) -> None:
        """See `IndexBackend.upsert`."""
        sections, passages = batch.sections, batch.passages
        fresh = {
            True: _block(batch, sections.parts, sections.claims, {Leg.DENSE: sections.vectors}),
            False: _block(
                batch,
                passages.parts,
                passages.claims,
                {Leg.CENTERS: passages.centers, Leg.WORDS: passages.words},
            ),
        }
        with self._lock:
            for kind, block in fresh.items():
                for before in self._blocks[kind]:
                    before.alive[np.isin(before.parts, block.parts)] = False
                self._blocks[kind].append(block)

    def delete(self, documents: Sequence[int]) -> None:
        """See `IndexBackend.delete`."""
        gone = np.array(documents, dtype=np.int64)
        with self._lock:
            for block in (*self._blocks[True], *self._blocks[False]):
                block.alive[np.isin(documents_of(block.parts), gone)] = False

    def search(
        self, leg: Leg, vector: NDArray[np.float32] | SparseVector, allowed: PartFilter, k: int
    ) -> Found:
        """See `IndexBackend.search`."""
        parts, scores = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float64)]
        for block in self._opened(leg):
            stored = block.vectors[leg]
            if isinstance(stored, SparseRows):
                assert isinstance(vector, SparseVector)
                given, met = score_sparse(stored, vector)
                rows = np.flatnonzero(block.passing(allowed) & met)
            else:
                assert not isinstance(vector, SparseVector)
                given = stored.astype(np.float64) @ vector.astype(np.float64)
                rows = np.flatnonzero(block.passing(allowed))
            parts.append(block.parts[rows])
            scores.append(given[rows])
        ids, found = np.concatenate(parts), np.concatenate(scores)
        order = np.lexsort((ids, -found))[:k]
        return Found(ids[order], found[order])

    def count(self, leg: Leg, allowed: PartFilter) -> int:
        """See `IndexBackend.count`."""
        return sum(int(np.count_nonzero(block.passing(allowed))) for block in self._opened(leg))

    def health(self) -> EngineHealth:
        """See `IndexBackend.health`."""
        begun = time.perf_counter()
        with self._lock:
            sections, passages = (
                sum(int(block.alive.sum()) for block in self._blocks[kind]) for kind in (True, False)
            )
        return EngineHealth("in memory", time.perf_counter() - begun, sections, passages)

    def close(self) -> None:
        """Nothing is open."""

    def _opened(self, leg: Leg) -> list[_Block]:
        if self._schema is None:
            raise EngineError("The engine has no index yet.")
        with self._lock:
            return list(self._blocks[leg.sections])


def _block(batch: PartBatch, parts: Ids, claims: _Flags, vectors: dict[Leg, _Vectors]) -> _Block:
    return _Block(parts, batch.facts, claims, vectors, np.ones(len(parts), dtype=np.bool_))


def score_sparse(rows: SparseRows, vector: SparseVector) -> tuple[NDArray[np.float64], _Flags]:
    """[n] products of sparse rows with a query, and whether a row shares an index with it."""
    at = np.searchsorted(vector.indices, rows.indices)
    inside = np.minimum(at, max(len(vector.indices) - 1, 0))
    met = vector.indices[inside] == rows.indices if len(vector.indices) else np.zeros(len(at), np.bool_)
    products = vector.values[inside[met]].astype(np.float64) * rows.values[met]
    counts = np.concatenate([[0], np.cumsum(met)])
    firsts, lasts = counts[rows.offsets[:-1]], counts[rows.offsets[1:]]
    some = lasts > firsts
    scores = np.zeros(len(rows), dtype=np.float64)
    # Row by row: with sums from the beginning, rows with the same numbers would differ in their last digits.
    if some.any():
        scores[some] = np.add.reduceat(products, firsts[some])
    return scores, some


def passing(parts: Ids, claims: _Flags, facts: Mapping[int, DocumentFacts], allowed: PartFilter) -> _Flags:
    """[n] which parts a filter lets pass; ``claims`` [n] as in `SectionRows`, ``facts`` by document."""
    documents = documents_of(parts)
    kept = np.ones(len(parts), dtype=np.bool_)
    if allowed.documents is not None:
        kept &= np.isin(documents, allowed.documents)
    if allowed.without is not None:
        kept &= ~np.isin(documents, allowed.without)
    if allowed.claims:
        kept &= claims
    if allowed.before or allowed.classes or allowed.without_families:
        some = np.unique(documents[kept]).tolist()
        kept &= np.isin(documents, [each for each in some if _meets(facts[each], allowed)])
    return kept


def _meets(facts: DocumentFacts, allowed: PartFilter) -> bool:
    dated = facts.published != UNDATED and facts.published < allowed.before
    return (
        (not allowed.before or dated)
        and (not allowed.classes or not set(allowed.classes).isdisjoint(facts.classes))
        and facts.family not in allowed.without_families
    )
