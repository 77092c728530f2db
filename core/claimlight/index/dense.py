"""Dense search over section vectors: an HNSW graph, and exact search for sections that are not in it.

The score of a section is <query, vector - level of its kind> (`claimlight.index.levels`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import AppError, ResourceError
from claimlight.files import put_in_place, touch_inside
from claimlight.index import files
from claimlight.index.levels import SectionLevels
from claimlight.index.live import LiveSegment, among
from claimlight.index.manifest import GraphRecord
from claimlight.index.sections import KINDS, SectionKind
from claimlight.settings import IndexSettings
from claimlight.tasks import TaskContext
from claimlight.types import PatentId, Progress, Section
from claimlight.vectors import unit

_LABEL = 4
"""Label of a section in the graph: document * 4 + kind, which does not change when segments are merged."""
_CHUNK = 8192
# Sections added between two looks at cancellation.
_ADD = 512
# hnswlib's own default.
_SEED = 100


@dataclass(frozen=True, slots=True)
class DenseHit:
    """A section near the query vector."""

    document: PatentId
    section: Section
    score: float
    """Cosine to the query, minus the level of the section's kind."""


class DenseGraph:
    """A loaded hnswlib file, verified by its hash."""

    def __init__(self, index: Any, record: GraphRecord) -> None:
        self._index = index
        self.record = record
        self.labels: NDArray[np.int64] = np.sort(np.array(index.get_ids_list(), dtype=np.int64))
        """Labels of its sections, ascending."""

    @classmethod
    def load(cls, folder: Path, record: GraphRecord, *, dim: int) -> DenseGraph:
        """Load a graph after verifying its hash: hnswlib would crash on a damaged file."""
        import hnswlib

        path = folder / record.file.name
        # The size first: a file cut short is found without reading it.
        files.check_sizes(folder, (record.file,))
        files.check_hash(path, record.file)
        index = hnswlib.Index(space="ip", dim=dim)
        index.load_index(str(path))
        return cls(index, record)

    def search(self, vector: NDArray[np.float32], k: int, ef: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Labels and scores of approximately the ``k`` nearest sections."""
        k = min(k, self.record.count)
        if k < 1:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        # hnswlib can't return more than ef neighbours.
        self._index.set_ef(max(ef, k))
        labels, distances = self._index.knn_query(vector, k=k, num_threads=1)
        # The distance of the space "ip" is 1 - <q, v>.
        return labels[0].astype(np.int64), 1.0 - distances[0]


def build_graph(
    segments: Sequence[LiveSegment],
    folder: Path,
    *,
    levels: SectionLevels,
    name: str,
    through: int,
    settings: IndexSettings,
    context: TaskContext,
) -> GraphRecord | None:
    """Write a graph of all live sections; None if there are none.

    One thread and a fixed seed: hnswlib's result depends on the order of insertion, and the file should not.
    """
    import hnswlib

    count = sum(int(_live_sections(item).sum()) for item in segments)
    if not count:
        return None
    dim = segments[0].arrays.section_vectors.shape[1]
    # Not "cosine", which would renormalise the vectors and undo the levels.
    index = hnswlib.Index(space="ip", dim=dim)
    index.init_index(
        max_elements=count, M=settings.hnsw_m, ef_construction=settings.ef_construction, random_seed=_SEED
    )
    done = 0
    for labels, vectors in _iterate_batches(segments, levels.array()):
        context.report(Progress("dense", done, count, "sections", 0.0, None))
        index.add_items(vectors, labels, num_threads=1)
        done += len(labels)
    return _save(index, folder, name, count=count, through=through)


def _save(index: Any, folder: Path, name: str, *, count: int, through: int) -> GraphRecord:
    """Save the graph, durably."""
    expected = int(index.index_file_size())
    files.check_space(folder, expected)
    temporary = folder / (name + files.TEMPORARY)
    # hnswlib would create the file with the rights of the umask; it keeps those of one that exists.
    touch_inside(temporary)
    index.save_index(str(temporary))
    record = files.record_file(temporary)
    # hnswlib does not report failed writes.
    if record.bytes != expected:
        temporary.unlink()
        raise files.disk_full_error(
            folder, f"{record.bytes:,} of {expected:,} bytes of the graph were written"
        )
    put_in_place(temporary, folder / name)
    return GraphRecord(files.FileRecord(name, record.bytes, record.sha256), count, through)


@dataclass(frozen=True, slots=True, eq=False)
class SectionVectors:
    """Sections in index order."""

    documents: NDArray[np.int64]
    """[n] ids."""
    kinds: NDArray[np.uint8]
    """[n] `SectionKind`."""
    vectors: NDArray[np.float16]
    """[n, d] unit rows."""


class DenseIndex:
    """Dense search of a generation; without a usable graph it is exact, and ``note`` says why."""

    def __init__(
        self,
        segments: Sequence[LiveSegment],
        folder: Path,
        record: GraphRecord | None,
        levels: SectionLevels | None,
        *,
        dim: int,
        before: DenseIndex | None = None,
    ) -> None:
        """``before`` is that of an earlier commit in the same folder, whose graph may be the same."""
        self._segments = segments
        self._levels = np.zeros((KINDS, dim), dtype=np.float32) if levels is None else levels.array()
        self._graph: DenseGraph | None = None
        self.note = ""
        known = before._graph if before is not None else None
        if known is not None and known.record == record:
            self._graph = known
        elif record is not None:
            try:
                self._graph = DenseGraph.load(folder, record, dim=dim)
            except (ResourceError, RuntimeError) as error:
                reason = str(error) if isinstance(error, AppError) else f"hnswlib refused it ({error})"
                self.note = f"The dense graph is not used, the search is exact and slower instead. {reason}"

    def search(
        self,
        vector: NDArray[np.float32],
        k: int,
        *,
        ef: int,
        exact: bool = False,
        documents: NDArray[np.int64] | None = None,
    ) -> tuple[DenseHit, ...]:
        """Find the ``k`` nearest live sections, best first (ties: lower document, then section).

        ``documents`` (ascending ids) restricts the search and makes it exact.
        """
        query = unit(vector.astype(np.float32, copy=False))
        graph = None if exact or documents is not None else self._graph
        labels, scores = [], []
        if graph is not None:
            try:
                found = self._from_graph(graph, query, k, ef)
                labels.append(found[0])
                scores.append(found[1])
            except RuntimeError:
                # hnswlib fails if fewer than k sections can be reached, as among hundreds of equal vectors.
                graph = None
        taken = self._levels @ query
        for segment, outside in zip(self._segments, self._outside, strict=True):
            rest = _score_exactly(segment, query, taken, documents, outside if graph is not None else None)
            labels.append(rest[0])
            scores.append(rest[1])
        # The empty list is for an index without segments.
        return _take_best(np.concatenate([*labels, []]), np.concatenate([*scores, []]), k)

    def scores(self, vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Document and exact score of every live section, in index order."""
        query = unit(vector.astype(np.float32, copy=False))
        taken = self._levels @ query
        found = [_score_exactly(segment, query, taken, None) for segment in self._segments]
        labels = np.concatenate([np.empty(0, dtype=np.int64), *(item[0] for item in found)])
        scores = np.concatenate([np.empty(0, dtype=np.float32), *(item[1] for item in found)])
        return labels // _LABEL, scores

    def vectors(self, only: NDArray[np.int64] | None = None) -> SectionVectors:
        """Every live section with its vector, or those of ``only`` some documents."""
        documents, kinds, vectors = [], [], []
        for segment in self._segments:
            wanted = _live_sections(segment)
            if only is not None:
                wanted = wanted & np.isin(_section_documents(segment), only)
            rows = np.flatnonzero(wanted)
            documents.append(_section_documents(segment)[rows])
            kinds.append(np.asarray(segment.arrays.section_kind)[rows])
            vectors.append(np.asarray(segment.arrays.section_vectors[rows]))
        if not vectors:
            empty = np.empty((0, self._levels.shape[1]), dtype=np.float16)
            return SectionVectors(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8), empty)
        return SectionVectors(np.concatenate(documents), np.concatenate(kinds), np.concatenate(vectors))

    def _from_graph(
        self, graph: DenseGraph, query: NDArray[np.float32], k: int, ef: int
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        # Sections of removed documents are still in the graph: search for that many more, then drop them.
        outside = sum(int(item.sum()) for item in self._outside)
        removed = graph.record.count - (len(self._live) - outside)
        labels, scores = graph.search(query, k + removed, ef)
        alive = among(labels, self._live)
        return labels[alive], scores[alive]

    @cached_property
    def _live(self) -> NDArray[np.int64]:
        """Labels of all live sections, ascending."""
        parts = [_section_labels(item)[_live_sections(item)] for item in self._segments]
        return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *parts]))

    @cached_property
    def _outside(self) -> list[NDArray[np.bool_]]:
        """For each segment, its live sections that the graph does not hold."""
        held = np.empty(0, dtype=np.int64) if self._graph is None else self._graph.labels
        return [_live_sections(item) & ~among(_section_labels(item), held) for item in self._segments]


def _score_exactly(
    segment: LiveSegment,
    query: NDArray[np.float32],
    taken: NDArray[np.float32],
    documents: NDArray[np.int64] | None,
    chosen: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Score the ``chosen`` sections, or all live ones; ``taken`` [KINDS] is <query, level of the kind>."""
    ids = _section_documents(segment)
    wanted = _live_sections(segment) if chosen is None else chosen
    if documents is not None:
        wanted = wanted & np.isin(ids, documents)
    rows = np.flatnonzero(wanted)
    vectors = segment.arrays.section_vectors
    # In chunks: the fp16 rows are copied to fp32 for the product.
    cosines = [
        vectors[rows[begin : begin + _CHUNK]].astype(np.float32) @ query
        for begin in range(0, len(rows), _CHUNK)
    ]
    kinds = np.asarray(segment.arrays.section_kind)[rows]
    labels = _section_labels(segment)[rows]
    return labels, np.concatenate([np.empty(0, dtype=np.float32), *cosines]) - taken[kinds]


def _take_best(labels: NDArray[Any], scores: NDArray[Any], k: int) -> tuple[DenseHit, ...]:
    # A lower label is a lower document, then a lower section: the order of ties.
    order = np.lexsort((labels, -scores))[:k]
    return tuple(
        DenseHit(
            PatentId(int(labels[place]) // _LABEL),
            SectionKind(int(labels[place]) % _LABEL).section,
            float(scores[place]),
        )
        for place in order
    )


def _iterate_batches(
    segments: Sequence[LiveSegment], levels: NDArray[np.float32]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    for segment in segments:
        rows = np.flatnonzero(_live_sections(segment))
        kinds = np.asarray(segment.arrays.section_kind)
        labels = _section_labels(segment)
        for begin in range(0, len(rows), _ADD):
            some = rows[begin : begin + _ADD]
            vectors = segment.arrays.section_vectors[some].astype(np.float32)
            yield labels[some], vectors - levels[kinds[some]]


def _section_documents(segment: LiveSegment) -> NDArray[np.int64]:
    """PatentId of each section."""
    ids: NDArray[np.int64] = np.asarray(segment.arrays.document_ids)[segment.arrays.section_document]
    return ids


def _section_labels(segment: LiveSegment) -> NDArray[np.int64]:
    """Label of each section."""
    labels: NDArray[np.int64] = _section_documents(segment) * _LABEL + np.asarray(segment.arrays.section_kind)
    return labels


def _live_sections(segment: LiveSegment) -> NDArray[np.bool_]:
    live: NDArray[np.bool_] = segment.live_documents[segment.arrays.section_document]
    return live
