"""An engine in the memory of this process that compares a query with every part: the others' reference."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import EngineError
from claimlight.index.backend import (
    PART_BITS,
    UNDATED,
    DocumentFacts,
    EngineHealth,
    Found,
    Ids,
    IndexSchema,
    Leg,
    PartBatch,
    PartFilter,
    SparseVector,
    documents_of,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    facts: DocumentFacts
    claims: bool
    vectors: dict[Leg, NDArray[np.float32] | tuple[Ids, NDArray[np.float32]]]


class ExactBackend:
    """Holds parts in dictionaries and scores in float64; for tests and samples of some 100,000 parts."""

    def __init__(self) -> None:
        self._schema: IndexSchema | None = None
        self._stored: dict[bool, dict[int, _Part]] = {True: {}, False: {}}
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
            raise EngineError(
                f"The index {schema.name} was made with another model or other settings."
            )

    def upsert(self, batch: PartBatch) -> None:
        """See `IndexBackend.upsert`."""
        sections, passages = batch.sections, batch.passages
        fresh: dict[bool, dict[int, _Part]] = {True: {}, False: {}}
        for row, part in enumerate(sections.parts.tolist()):
            facts = batch.facts[part_document(part)]
            vector = sections.vectors[row]
            fresh[True][part] = _Part(facts, bool(sections.claims[row]), {Leg.DENSE: vector})
        for row, part in enumerate(passages.parts.tolist()):
            facts = batch.facts[part_document(part)]
            both = {Leg.CENTERS: passages.centers.row(row), Leg.WORDS: passages.words.row(row)}
            given = {leg: vector for leg, vector in both.items() if len(vector[0])}
            fresh[False][part] = _Part(facts, bool(passages.claims[row]), {**given})
        with self._lock:
            for kind, parts in fresh.items():
                self._stored[kind].update(parts)

    def delete(self, documents: Sequence[int]) -> None:
        """See `IndexBackend.delete`."""
        gone = set(documents)
        with self._lock:
            for kind, parts in self._stored.items():
                self._stored[kind] = {
                    part: it for part, it in parts.items() if part_document(part) not in gone
                }

    def search(
        self, leg: Leg, vector: NDArray[np.float32] | SparseVector, allowed: PartFilter, k: int
    ) -> Found:
        """See `IndexBackend.search`."""
        asked = _as_dictionary(vector) if isinstance(vector, SparseVector) else vector.astype(np.float64)
        parts: list[int] = []
        scores: list[float] = []
        for part, item in self._passing(leg, allowed):
            stored = item.vectors.get(leg)
            if stored is None:
                continue
            if isinstance(stored, tuple):
                assert isinstance(asked, dict)
                met = [
                    asked[index] * value
                    for index, value in zip(stored[0].tolist(), stored[1].tolist(), strict=True)
                    if index in asked
                ]
                if not met:
                    continue
                score = sum(met)
            else:
                assert not isinstance(asked, dict)
                score = float(stored.astype(np.float64) @ asked)
            parts.append(part)
            scores.append(score)
        ids, found = np.array(parts, dtype=np.int64), np.array(scores, dtype=np.float64)
        order = np.lexsort((ids, -found))[:k]
        return Found(ids[order], found[order])

    def count(self, leg: Leg, allowed: PartFilter) -> int:
        """See `IndexBackend.count`."""
        return sum(1 for _ in self._passing(leg, allowed))

    def health(self) -> EngineHealth:
        """See `IndexBackend.health`."""
        begun = time.perf_counter()
        with self._lock:
            sections, passages = len(self._stored[True]), len(self._stored[False])
        return EngineHealth("in memory", time.perf_counter() - begun, sections, passages)

    def close(self) -> None:
        """Nothing is open."""

    def _passing(self, leg: Leg, allowed: PartFilter) -> Iterator[tuple[int, _Part]]:
        if self._schema is None:
            raise EngineError("The engine has no index yet.")
        with self._lock:
            stored = list(self._stored[leg.sections].items())
        ids = np.array([part for part, _ in stored], dtype=np.int64)
        kept = np.ones(len(ids), dtype=np.bool_)
        if allowed.documents is not None:
            kept &= np.isin(documents_of(ids), allowed.documents)
        if allowed.without is not None:
            kept &= ~np.isin(documents_of(ids), allowed.without)
        for row in np.flatnonzero(kept).tolist():
            if passes(stored[row][1].facts, allowed) and (stored[row][1].claims or not allowed.claims):
                yield stored[row]


def passes(facts: DocumentFacts, allowed: PartFilter) -> bool:
    """Whether the facts of a document meet the conditions of a filter."""
    dated = facts.published != UNDATED and facts.published < allowed.before
    return (
        (not allowed.before or dated)
        and (not allowed.classes or not set(allowed.classes).isdisjoint(facts.classes))
        and facts.family not in allowed.without_families
    )


def part_document(part: int) -> int:
    """The document of one part."""
    return part >> PART_BITS


def _as_dictionary(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))
