"""Merging segments: one segment with the live passages of several, in bounded memory.

Which segments to merge follows the sizes alone (a newer segment is drawn into its elders once the elder
is less than four times as large), so a build that was killed and resumed ends with the same segments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.index import files
from core.index.segments import NAMES, Array, SegmentArrays, SegmentRecord, publish
from core.tasks import TaskContext

GROWTH = 4
"""An elder segment this many times larger than all after it together is left alone."""
POSTINGS_LIMIT = 1 << 28
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class Part:
    """One segment to merge: its arrays and which of its documents live."""

    arrays: SegmentArrays
    live: NDArray[np.bool_]


def newest_run(postings: Sequence[int]) -> int:
    """How many of the newest segments belong merged; below 2 nothing is to do."""
    taken, total = 0, 0
    for size in reversed(postings):
        if taken and (size >= GROWTH * max(total, 1) or total + size > POSTINGS_LIMIT):
            break
        taken, total = taken + 1, total + size
    return taken


def merge_segments(
    parts: Sequence[Part], folder: Path, name: str, *, centers: int, context: TaskContext
) -> SegmentRecord:
    """Write one segment with every live passage of ``parts``, in their order."""
    files.check_space(folder, sum(getattr(part.arrays, item).nbytes for part in parts for item in NAMES))
    temporary = folder / (name + files.TEMPORARY)
    temporary.mkdir()
    plans = [_Plan(part) for part in parts]
    bases = np.cumsum([0, *(plan.passages for plan in plans)]).tolist()
    out = _Output(temporary)
    _small(plans, out)
    _forward(plans, out, context)
    _postings(plans, bases, out, centers, context)
    records = tuple(files.record(temporary / f"{item}.npy") for item in NAMES)
    return publish(out.arrays(), temporary, records)


class _Plan:
    """Where the passages of one part go."""

    def __init__(self, part: Part) -> None:
        self.arrays = arrays = part.arrays
        self.documents = part.live
        self.whole = bool(part.live.all())
        self.kept = np.repeat(part.live, np.diff(arrays.document_offsets))
        self.passages = int(self.kept.sum())
        self.place = np.cumsum(self.kept) - 1
        """New position of each kept passage."""
        self.counts = np.diff(arrays.entry_offsets)


class _Output:
    """The files of the new segment, mapped for writing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Array] = {}

    def put(self, name: str, parts: Sequence[Array], dtype: Any) -> None:
        shape = (sum(len(part) for part in parts), *parts[0].shape[1:])
        target = self.new(name, shape, dtype)
        begin = 0
        for part in parts:
            target[begin : begin + len(part)] = part
            begin += len(part)

    def new(self, name: str, shape: tuple[int, ...], dtype: Any) -> Array:
        path = self._folder / f"{name}.npy"
        if 0 in shape:
            # An empty file can't be mapped.
            made: Array = np.empty(shape, dtype=dtype)
            np.save(path, made, allow_pickle=False)
        else:
            made = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
        self._made[name] = made
        return made

    def arrays(self) -> SegmentArrays:
        for array in self._made.values():
            if isinstance(array, np.memmap):
                array.flush()
        return SegmentArrays(**self._made)


def _small(plans: Sequence[_Plan], out: _Output) -> None:
    """Everything that has one row for a document, a passage or a section."""
    out.put("document_ids", [plan.arrays.document_ids[plan.documents] for plan in plans], np.int64)
    sizes = [np.diff(plan.arrays.document_offsets)[plan.documents] for plan in plans]
    out.put("document_offsets", [_offsets(sizes)], np.int64)
    out.put("passage_ids", [plan.arrays.passage_ids[plan.kept] for plan in plans], np.int64)
    out.put("span_counts", [plan.arrays.span_counts[plan.kept] for plan in plans], np.int32)
    out.put("entry_offsets", [_offsets([plan.counts[plan.kept] for plan in plans])], np.int64)
    places, kinds, vectors, base = [], [], [], 0
    for plan in plans:
        live = plan.documents[plan.arrays.section_document]
        position = np.cumsum(plan.documents) - 1 + base
        places.append(position[plan.arrays.section_document[live]])
        kinds.append(plan.arrays.section_kind[live])
        vectors.append(plan.arrays.section_vectors[live])
        base += int(plan.documents.sum())
    out.put("section_document", places, np.int32)
    out.put("section_kind", kinds, np.uint8)
    out.put("section_vectors", vectors, np.float16)


def _forward(plans: Sequence[_Plan], out: _Output, context: TaskContext) -> None:
    total = sum(int(plan.counts[plan.kept].sum()) for plan in plans)
    for name in ("entry_center", "entry_weight", "entry_start", "entry_length"):
        dtype = np.result_type(*(getattr(plan.arrays, name).dtype for plan in plans))
        target = out.new(name, (total,), dtype)
        begin = 0
        for plan in plans:
            for values in _live_entries(plan, getattr(plan.arrays, name)):
                context.check()
                target[begin : begin + len(values)] = values
                begin += len(values)


def _live_entries(plan: _Plan, values: Array) -> Iterator[Array]:
    offsets = plan.arrays.entry_offsets
    first = 0
    while first < len(plan.kept):
        last = int(np.searchsorted(offsets, offsets[first] + _CHUNK, side="right")) - 1
        last = min(max(last, first + 1), len(plan.kept))
        chunk = values[offsets[first] : offsets[last]]
        yield chunk if plan.whole else chunk[np.repeat(plan.kept[first:last], plan.counts[first:last])]
        first = last


def _postings(
    plans: Sequence[_Plan], bases: Sequence[int], out: _Output, centers: int, context: TaskContext
) -> None:
    """Centers in chunks: the slices of the parts are contiguous, a stable sort keeps passages ascending."""
    offsets = np.sum([plan.arrays.posting_offsets for plan in plans], axis=0)
    total = sum(int(plan.counts[plan.kept].sum()) for plan in plans)
    passage = out.new("posting_passage", (total,), np.uint16 if bases[-1] <= 1 << 16 else np.uint32)
    weight = out.new("posting_weight", (total,), np.uint16)
    df = np.zeros(centers, dtype=np.int64)
    first = written = 0
    while first < centers:
        context.check()
        last = int(np.searchsorted(offsets, offsets[first] + _CHUNK, side="right")) - 1
        last = min(max(last, first + 1), centers)
        keys, ids, weights = _chunk(plans, bases, first, last)
        order = np.argsort(keys, kind="stable")
        passage[written : written + len(keys)] = ids[order]
        weight[written : written + len(keys)] = weights[order]
        df[first:last] = np.bincount(keys, minlength=last - first)
        written += len(keys)
        first = last
    out.put("posting_offsets", [_offsets([df])], np.int64)


def _chunk(plans: Sequence[_Plan], bases: Sequence[int], first: int, last: int) -> tuple[Array, Array, Array]:
    """Postings of the centers [first, last): center (from 0), new passage, weight."""
    keys, ids, weights = [], [], []
    for plan, base in zip(plans, bases, strict=False):
        offsets = plan.arrays.posting_offsets
        window = slice(int(offsets[first]), int(offsets[last]))
        old = plan.arrays.posting_passage[window]
        key = np.repeat(np.arange(last - first, dtype=np.int32), np.diff(offsets[first : last + 1]))
        live = plan.kept[old]
        keys.append(key[live])
        ids.append(plan.place[old[live]] + base)
        weights.append(plan.arrays.posting_weight[window][live])
    return np.concatenate(keys), np.concatenate(ids), np.concatenate(weights)


def _offsets(sizes: Sequence[Array]) -> Array:
    joined = np.concatenate(sizes)
    offsets = np.zeros(len(joined) + 1, dtype=np.int64)
    np.cumsum(joined, out=offsets[1:])
    return offsets
