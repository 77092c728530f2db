"""Merging segments: write one segment with the live passages of several, in bounded memory.

Which segments are merged depends on their sizes alone (a segment is merged with the newer ones if it is less
than `GROWTH` times as large as all of them), so a build that was killed and resumed ends with the same
segments as an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight.index import files
from claimlight.index.postings import invert
from claimlight.index.segments import NAMES, Array, NewSegment, SegmentArrays, SegmentPart, SegmentRecord, publish
from claimlight.tasks import TaskContext

GROWTH = 4
"""A segment at least this many times as large as all newer ones together is not merged."""
POSTINGS_LIMIT = 1 << 28
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class MergeSource:
    """One segment to merge: its arrays, and which of its documents are live."""

    arrays: SegmentArrays
    live: NDArray[np.bool_]


def count_mergeable(postings: Sequence[int]) -> int:
    """How many of the newest segments are to be merged; below 2, none."""
    taken, total = 0, 0
    for size in reversed(postings):
        if taken and (size >= GROWTH * max(total, 1) or total + size > POSTINGS_LIMIT):
            break
        taken, total = taken + 1, total + size
    return taken


def merge_segments(
    parts: Sequence[MergeSource],
    folder: Path,
    name: str,
    *,
    centers: int,
    context: TaskContext,
    part: SegmentPart = SegmentPart.WHOLE,
) -> SegmentRecord:
    """Write one segment with every live passage of ``parts``, in their order; all are of one ``part``."""
    files.check_space(folder, sum(getattr(item.arrays, name).nbytes for item in parts for name in NAMES))
    plans = [_Plan(item) for item in parts]
    out = NewSegment(folder, name)
    _merge_rows(plans, out)
    _merge_entries(plans, out, context)
    made = out.arrays
    invert(
        made["entry_offsets"],
        made["entry_center"],
        made["entry_code"],
        centers=centers,
        new=out.new,
        context=context,
    )
    return publish(*out.finished(), part)


class _Plan:
    """Which passages and entries of one segment are kept."""

    def __init__(self, part: MergeSource) -> None:
        self.arrays = arrays = part.arrays
        self.documents = part.live
        self.whole = bool(part.live.all())
        self.kept = np.repeat(part.live, np.diff(arrays.document_offsets))
        self.counts = np.diff(arrays.entry_offsets)


def _merge_rows(plans: Sequence[_Plan], out: NewSegment) -> None:
    """Merge the arrays with one row per document, passage or section."""
    out.put("document_ids", [plan.arrays.document_ids[plan.documents] for plan in plans], np.int64)
    sizes = [np.diff(plan.arrays.document_offsets)[plan.documents] for plan in plans]
    out.put("document_offsets", [_to_offsets(sizes)], np.int64)
    out.put("document_rest", [plan.arrays.document_rest[plan.documents] for plan in plans], np.int32)
    out.put("passage_ids", [plan.arrays.passage_ids[plan.kept] for plan in plans], np.int64)
    out.put("span_counts", [plan.arrays.span_counts[plan.kept] for plan in plans], np.int32)
    out.put("entry_offsets", [_to_offsets([plan.counts[plan.kept] for plan in plans])], np.int64)
    places, kinds, vectors, base = [], [], [], 0
    for plan in plans:
        live = plan.documents[plan.arrays.section_document]
        position = np.cumsum(plan.documents) - 1 + base
        places.append(position[plan.arrays.section_document[live]])
        kinds.append(plan.arrays.section_kind[live])
        vectors.append(plan.arrays.section_vectors[live])
        base += int(plan.documents.sum())
    out.put("passage_vectors", [_kept_vectors(plan) for plan in plans], np.int8)
    out.put("section_document", places, np.int32)
    out.put("section_kind", kinds, np.uint8)
    out.put("section_vectors", vectors, np.float16)


def _kept_vectors(plan: _Plan) -> Array:
    """The vectors of the live passages; zeros where the segment has none."""
    vectors = plan.arrays.passage_vectors
    if len(vectors) == len(plan.kept):
        return vectors[plan.kept]
    return np.zeros((int(plan.kept.sum()), vectors.shape[1]), dtype=np.int8)


def _merge_entries(plans: Sequence[_Plan], out: NewSegment, context: TaskContext) -> None:
    total = sum(int(plan.counts[plan.kept].sum()) for plan in plans)
    for name in ("entry_center", "entry_code", "entry_start", "entry_length"):
        # `narrow` chose by the values of each segment, so dtypes may differ.
        dtype = np.result_type(*(getattr(plan.arrays, name).dtype for plan in plans))
        target = out.new(name, (total,), dtype)
        begin = 0
        for plan in plans:
            for values in _iterate_live_entries(plan, getattr(plan.arrays, name)):
                context.check()
                target[begin : begin + len(values)] = values
                begin += len(values)


def _iterate_live_entries(plan: _Plan, values: Array) -> Iterator[Array]:
    offsets = plan.arrays.entry_offsets
    first = 0
    while first < len(plan.kept):
        last = int(np.searchsorted(offsets, offsets[first] + _CHUNK, side="right")) - 1
        # At least one passage, however many entries it has.
        last = min(max(last, first + 1), len(plan.kept))
        chunk = values[offsets[first] : offsets[last]]
        yield chunk if plan.whole else chunk[np.repeat(plan.kept[first:last], plan.counts[first:last])]
        first = last


def _to_offsets(sizes: Sequence[Array]) -> Array:
    joined = np.concatenate(sizes)
    offsets = np.zeros(len(joined) + 1, dtype=np.int64)
    np.cumsum(joined, out=offsets[1:])
    return offsets
