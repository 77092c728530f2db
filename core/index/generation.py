"""The live index as the query side sees it: scores over passages, forward lists, dense search.

A `Generation` is one commit of an index, mapped and immutable; a newer one is another object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BugError, ResourceError
from core.index import manifest as manifests
from core.index.dense import DenseHit, DenseIndex
from core.index.live import LiveSegment
from core.index.manifest import Manifest, Recipe
from core.index.segments import WEIGHT_UNIT, open_arrays
from core.index.verify import verify
from core.settings import CenterSettings

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class PassageScores:
    """Center scores of all passages that met the query, in index order; all above zero."""

    passages: NDArray[np.int64]
    documents: NDArray[np.int64]
    scores: NDArray[np.float32]

    def best_documents(self, limit: int) -> RankedDocuments:
        """Documents by their best passage, best first (ties: lower id)."""
        order = np.lexsort((-self.scores, self.documents))
        ordered = self.documents[order]
        first = order[np.flatnonzero(np.diff(ordered, prepend=-1))]
        best = first[np.lexsort((self.documents[first], -self.scores[first]))[:limit]]
        return RankedDocuments(self.documents[best], self.scores[best])


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """Documents and their scores, best first."""

    documents: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ForwardEntries:
    """Forward lists of the passages asked for, in that order; one that is not indexed has no entries."""

    passages: NDArray[np.int64]
    offsets: NDArray[np.int64]
    centers: NDArray[np.int32]
    weights: NDArray[np.float32]
    """w_dc, the very numbers the score is made of."""
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    span_counts: NDArray[np.int32]
    """|S_d|; at least 1 for an indexed passage, 0 for one that is not."""


class Generation:
    """One commit of an index, open for reading."""

    def __init__(self, index: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self.folder = index / manifest.generation
        dead = np.array(manifest.dead, dtype=np.int64)
        self.segments = tuple(LiveSegment(open_arrays(self.folder, item), dead) for item in manifest.segments)
        self._dense = DenseIndex(self.segments, self.folder, manifest.graph, dim=manifest.dim)
        none = np.zeros(manifest.centers, dtype=np.int64)
        self.df: NDArray[np.int64] = sum((item.df for item in self.segments), start=none)
        """[V] live passages of each center."""
        self._idf: dict[float, NDArray[np.float32]] = {}

    @classmethod
    def open(cls, index: Path, *, check: bool = True) -> Generation | None:
        """The live generation of an ``index`` folder, or None where nothing was indexed yet.

        A damaged index is a `ResourceError`. ``check=False`` looks at sizes only.
        """
        for attempt in range(_ATTEMPTS):
            pointer = manifests.read_pointer(index)
            if pointer is None:
                return None
            try:
                manifest = manifests.read(index, pointer)
                if check:
                    verify(index / manifest.generation, manifest.segments)
                return cls(index, manifest)
            except ResourceError:
                # Somebody may have published between the two reads; what was named then is gone now.
                if manifests.read_pointer(index) == pointer or attempt == _ATTEMPTS - 1:
                    raise
        raise BugError("unreachable")

    @property
    def name(self) -> str:
        """How results cite this state of the index."""
        return self.manifest.name

    @property
    def recipe(self) -> Recipe:
        return self.manifest.recipe

    @property
    def documents(self) -> int:
        """Live documents."""
        return sum(item.documents for item in self.segments)

    @property
    def passages(self) -> int:
        """Live passages: N of the idf."""
        return sum(item.passages for item in self.segments)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences the user must read."""
        return (self._dense.note,) if self._dense.note else ()

    @property
    def last_document(self) -> int:
        """Documents of the library with a higher id are not in this index."""
        return self.manifest.last_document

    def document_ids(self) -> NDArray[np.int64]:
        """Live documents, ascending."""
        parts = [np.asarray(item.arrays.document_ids)[item.live_documents] for item in self.segments]
        return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *parts]))

    def idf(self, settings: CenterSettings) -> NDArray[np.float32]:
        """[V] ``ln((N + 1) / (df + 1)) + 1``; 0 for the stop centers (highest df, ties: lower id)."""
        share = settings.stop_share
        if share not in self._idf:
            table = np.log((self.passages + 1.0) / (self.df + 1.0)) + 1.0
            stops = max(1, round(len(table) * share)) if share > 0 else 0
            table[np.argsort(-self.df, kind="stable")[:stops]] = 0.0
            self._idf[share] = table.astype(np.float32)
        return self._idf[share]

    def score_centers(
        self, centers: NDArray[np.int32], weights: NDArray[np.float32], settings: CenterSettings
    ) -> PassageScores:
        """``sum over c of w_qc * w_dc * idf_c^alpha / |S_d|^gamma`` of every live passage.

        ``centers`` are distinct; ``weights`` are their w_qc.
        """
        if len(np.unique(centers)) != len(centers):
            raise BugError("a query center stands twice")
        factors = (
            weights.astype(np.float64)
            * self.idf(settings)[centers].astype(np.float64) ** float(settings.idf_exponent)
            * (self.idf(settings)[centers] > 0)
        )
        query = [(int(c), float(f)) for c, f in zip(centers, factors, strict=True) if f > 0.0]
        passages, documents, scores = [], [], []
        for segment in self.segments:
            sums = segment.accumulate(query)
            met = np.flatnonzero(sums)
            passages.append(np.asarray(segment.arrays.passage_ids)[met])
            documents.append(segment.document_of_passage[met])
            lengths = np.maximum(segment.lengths[met], settings.length_floor)
            scores.append(sums[met] / lengths**settings.length_exponent)
        return _scores(passages, documents, scores)

    def cover_centers(
        self, centers: NDArray[np.int32], weights: NDArray[np.float64], settings: CenterSettings
    ) -> PassageScores:
        """The share of some terms that each live passage carries, 0 to 1, where it carries any.

        What `core.highlight.evidence.coverage` says of single passages, over the whole index.
        """
        idf = self.idf(settings)[centers].astype(np.float64)
        asked = np.where(idf > 0, weights * idf ** float(settings.idf_exponent), 0.0)
        total = float(asked.sum())
        shares = asked / total if total > 0 else asked
        query = [
            (int(c), float(share), float(w))
            for c, share, w in zip(centers, shares, weights, strict=True)
            if share > 0.0
        ]
        passages, documents, scores = [], [], []
        for segment in self.segments:
            carried = segment.carried(query)
            met = np.flatnonzero(carried)
            passages.append(np.asarray(segment.arrays.passage_ids)[met])
            documents.append(segment.document_of_passage[met])
            scores.append(carried[met])
        return _scores(passages, documents, scores)

    def forward(self, passages: Sequence[int] | NDArray[np.int64]) -> ForwardEntries:
        """What each passage put into the index: centers, weights and the spans that won them."""
        ids = np.asarray(passages, dtype=np.int64)
        spans = np.zeros(len(ids), dtype=np.int32)
        columns: list[tuple[NDArray[np.int64], NDArray[np.int64], LiveSegment]] = []
        for segment in self.segments:
            local = segment.locate(ids)
            here = np.flatnonzero(local >= 0)
            spans[here] = np.maximum(np.asarray(segment.arrays.span_counts)[local[here]], 1)
            columns.append((here, local[here], segment))
        return _gathered(ids, spans, columns)

    def search_dense(
        self,
        vector: NDArray[np.float32],
        k: int,
        *,
        ef: int = 200,
        exact: bool = False,
        documents: NDArray[np.int64] | None = None,
    ) -> tuple[DenseHit, ...]:
        """The ``k`` nearest section vectors; see `DenseIndex.search`."""
        return self._dense.search(vector, k, ef=ef, exact=exact, documents=documents)


def _scores(
    passages: Sequence[NDArray[np.int64]],
    documents: Sequence[NDArray[np.int64]],
    scores: Sequence[NDArray[np.float64]],
) -> PassageScores:
    """The parts of all segments as one."""
    none = np.empty(0, dtype=np.int64)
    return PassageScores(
        np.concatenate([none, *passages]),
        np.concatenate([none, *documents]),
        np.concatenate([none, *scores]).astype(np.float32),
    )


def _gathered(
    ids: NDArray[np.int64],
    spans: NDArray[np.int32],
    columns: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], LiveSegment]],
) -> ForwardEntries:
    sizes = np.zeros(len(ids), dtype=np.int64)
    for here, local, segment in columns:
        offsets = segment.arrays.entry_offsets
        sizes[here] = offsets[local + 1] - offsets[local]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    total = int(offsets[-1])
    centers, weights = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.float32)
    start, length = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    for here, local, segment in columns:
        arrays = segment.arrays
        first = np.asarray(arrays.entry_offsets)[local]
        count = sizes[here]
        step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        source = np.repeat(first, count) + step
        target = np.repeat(offsets[here], count) + step
        centers[target] = arrays.entry_center[source]
        weights[target] = arrays.entry_weight[source] / np.float32(WEIGHT_UNIT)
        start[target] = arrays.entry_start[source]
        length[target] = arrays.entry_length[source]
    return ForwardEntries(ids, offsets, centers, weights, start, start + length, spans)
