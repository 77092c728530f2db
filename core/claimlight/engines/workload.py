"""Parts of the shape of real ones, in any number, for measuring an engine at the size it will have.

Sections are in clusters, as subjects do: among vectors that point everywhere, no graph finds the nearest, and
that would say nothing about patents. Centers and stems are as unevenly frequent as words are. A batch depends
on its number alone, so that brute force over all of them needs the memory of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.engines.exact import passing, score_sparse
from claimlight.index.backend import (
    ALL,
    DocumentFacts,
    Found,
    Ids,
    IndexSchema,
    Leg,
    PartBatch,
    PartFilter,
    PassageRows,
    SectionRows,
    SparseRows,
    SparseVector,
    class_tokens,
    passage_parts,
    section_parts,
)
from claimlight.index.manifest import IndexRecipe

Query = NDArray[np.float32] | SparseVector
_LATENT = 64
"""Dimensions in which subjects differ."""
_SUBJECTS = 400
_NEAR = 0.35
"""Noise of a section around its subject."""
_OF_QUERY = {Leg.CENTERS: 400, Leg.WORDS: 40}
FILTERS = {
    "all": ALL,
    "a date and a section": PartFilter(before=20150101, classes=("cpc:H",)),
    "a subclass": PartFilter(classes=("cpc:H04L",)),
}
"""What is measured; the last two let pass about a twelfth and a hundredth."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Invented documents; ``first`` is the id of the first one."""

    documents: int
    passages: int = 20
    """Passage pieces of a document."""
    dim: int = 384
    centers: int = 20_000
    stems: int = 200_000
    first: int = 1
    seed: int = 0
    passage_centers: int = 120
    """Numbers in the sparse vectors of a passage, and those drawn twice."""
    passage_stems: int = 60
    batch_documents: int = 200
    """Documents of a batch; the parts depend on it."""

    def schema(self, name: str) -> IndexSchema:
        """The schema of its parts."""
        shape = f"{self.dim} {self.centers}"
        return IndexSchema(
            name=name,
            recipe=IndexRecipe(encoder=f"invented {shape}", normaliser="", centers=shape, unit="", top_k=5),
            dim=self.dim,
            centers=self.centers,
            length_exponent=0.5,
            length_floor=8.0,
            average_words=100.0,
        )

    def batches(self) -> Iterator[PartBatch]:
        """All parts, some documents at a time; the same each time."""
        for begin in range(0, self.documents, self.batch_documents):
            yield self.batch(range(begin, min(begin + self.batch_documents, self.documents)))

    def batch(self, numbers: range) -> PartBatch:
        """The parts of the documents with these numbers, counted from 0."""
        rng = np.random.default_rng([self.seed, 1, numbers.start])
        documents = np.arange(numbers.start, numbers.stop, dtype=np.int64) + self.first
        pieces = np.repeat(documents, self.passages)
        places = np.tile(np.arange(self.passages, dtype=np.int64), len(documents))
        sections, kinds = np.repeat(documents, 3), np.tile(np.arange(3), len(documents))
        return PartBatch(
            dict(zip(documents.tolist(), self._facts(rng, len(documents)), strict=True)),
            SectionRows(section_parts(sections, kinds), kinds < 2, self._vectors(rng, len(documents), 3)),
            PassageRows(
                passage_parts(pieces, places, np.zeros_like(places)),
                places < max(self.passages // 8, 1),
                self._rows(rng, Leg.CENTERS, len(pieces)),
                self._rows(rng, Leg.WORDS, len(pieces)),
            ),
        )

    def queries(self, count: int) -> Iterator[dict[Leg, Query]]:
        """Queries for each leg, near to subjects of the documents."""
        rng = np.random.default_rng([self.seed, 2])
        for _ in range(count):
            yield {
                Leg.DENSE: self._vectors(rng, 1, 1)[0],
                **{leg: self._query(rng, leg) for leg in (Leg.CENTERS, Leg.WORDS)},
            }

    def exact(
        self, queries: Sequence[Mapping[Leg, Query]], filters: Mapping[str, PartFilter], k: int
    ) -> dict[str, list[dict[Leg, Found]]]:
        """The best ``k`` parts of each query under each filter, by brute force, batch by batch."""
        best = {name: [{leg: _Best(k) for leg in query} for query in queries] for name in filters}
        for batch in self.batches():
            ids = {leg: (batch.sections if leg.sections else batch.passages).parts for leg in Leg}
            kept = {name: _passing(batch, allowed) for name, allowed in filters.items()}
            for number, query in enumerate(queries):
                for leg, vector in query.items():
                    scores, met = _score(batch, leg, vector)
                    for name, each in kept.items():
                        rows = np.flatnonzero(each[leg] & met)
                        best[name][number][leg].add(ids[leg][rows], scores[rows])
        return {
            name: [{leg: item.found() for leg, item in each.items()} for each in some]
            for name, some in best.items()
        }

    def _vectors(self, rng: np.random.Generator, documents: int, each: int) -> NDArray[np.float32]:
        fixed = np.random.default_rng([self.seed, 3])
        latent = min(_LATENT, self.dim)
        subjects = fixed.standard_normal((_SUBJECTS, latent))
        spread = fixed.standard_normal((latent, self.dim)) / np.sqrt(latent)
        chosen = np.repeat(rng.integers(0, _SUBJECTS, documents), each)
        near = subjects[chosen] + _NEAR * rng.standard_normal((len(chosen), latent))
        vectors = near @ spread + 0.02 * rng.standard_normal((len(chosen), self.dim))
        made: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(
            np.float32
        )
        return made

    def _size(self, leg: Leg) -> int:
        return self.centers if leg is Leg.CENTERS else self.stems

    def _draw(self, rng: np.random.Generator, leg: Leg, many: int) -> Ids:
        # Inverse of the distribution function of p ~ (rank + 10)^-0.5.
        size = self._size(leg)
        low, high = np.sqrt(10.0), np.sqrt(size + 10.0)
        drawn = (low + (high - low) * rng.random(many)) ** 2 - 10.0
        found: Ids = np.clip(drawn.astype(np.int64), 0, size - 1)
        return found

    def _rows(self, rng: np.random.Generator, leg: Leg, count: int) -> SparseRows:
        each = min(self.passage_centers if leg is Leg.CENTERS else self.passage_stems, self._size(leg) // 2)
        drawn = np.sort(self._draw(rng, leg, count * each).reshape(count, each), axis=1)
        fresh = np.ones(drawn.shape, dtype=np.bool_)
        fresh[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
        offsets = np.concatenate([[0], np.cumsum(fresh.sum(axis=1))]).astype(np.int64)
        indices = drawn[fresh]
        return SparseRows(offsets, indices, rng.uniform(0.02, 0.3, len(indices)).astype(np.float32))

    def _query(self, rng: np.random.Generator, leg: Leg) -> SparseVector:
        indices = np.unique(self._draw(rng, leg, min(_OF_QUERY[leg], self._size(leg) // 2)))
        return SparseVector(indices, rng.uniform(0.5, 9.0, len(indices)).astype(np.float32))

    def _facts(self, rng: np.random.Generator, count: int) -> Iterator[DocumentFacts]:
        letters = np.array(list("ABCDEFGH"))
        for _ in range(count):
            section, subclass = str(rng.choice(letters)), int(rng.integers(0, 12))
            symbol = f"{section}{subclass // 4 + 3:02d}{'LMNP'[subclass % 4]} {int(rng.integers(1, 60))}/00"
            if section == "H":
                symbol = f"H04{'LWBNHQJKMRSG'[subclass]} {int(rng.integers(1, 60))}/00"
            day = int(rng.integers(1990, 2027)) * 10000 + 601
            yield DocumentFacts(day, int(rng.integers(0, 1 << 40)), class_tokens("cpc", symbol))


class _Best:
    """The best parts so far."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._parts = np.empty(0, dtype=np.int64)
        self._scores = np.empty(0, dtype=np.float64)

    def add(self, parts: Ids, scores: NDArray[np.float64]) -> None:
        parts, scores = np.concatenate([self._parts, parts]), np.concatenate([self._scores, scores])
        order = np.lexsort((parts, -scores))[: self._k]
        self._parts, self._scores = parts[order], scores[order]

    def found(self) -> Found:
        return Found(self._parts, self._scores)


def _score(batch: PartBatch, leg: Leg, vector: Query) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    if isinstance(vector, SparseVector):
        rows = batch.passages.centers if leg is Leg.CENTERS else batch.passages.words
        return score_sparse(rows, vector)
    scores = batch.sections.vectors.astype(np.float64) @ vector.astype(np.float64)
    return scores, np.ones(len(scores), dtype=np.bool_)


def _passing(batch: PartBatch, allowed: PartFilter) -> dict[Leg, NDArray[np.bool_]]:
    rows, pieces = batch.sections, batch.passages
    sections = passing(rows.parts, rows.claims, batch.facts, allowed)
    passages = passing(pieces.parts, pieces.claims, batch.facts, allowed)
    return {leg: sections if leg.sections else passages for leg in Leg}
