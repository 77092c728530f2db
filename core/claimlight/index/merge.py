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
from claimlight.index.entries import PackedEntries, PlainEntries, iterate_parts, pack, to_offsets
from claimlight.index.postings import invert
from claimlight.index.segments import Array, NewSegment, SegmentArrays, SegmentPart, SegmentRecord, publish
from claimlight.tasks import TaskContext

GROWTH = 4
"""A segment at least this many times as large as all newer ones together is not merged."""
POSTINGS_LIMIT = 1 << 25
"""Postings of a merged segment, at most: about 300 MB, which a merge needs beside the old segments."""


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
    files.check_space(folder, sum(item.arrays.nbytes for item in parts))
    plans = [_Plan(item) for item in parts]
    out = NewSegment(folder, name)
    _merge_rows(plans, out)
    put_entries(out, [plan.lists for plan in plans], context)
    made = out.arrays
    invert(
        made["entry_offsets"],
        made["entry_gap"],
        made["entry_word"],
        centers=centers,
        new=out.new,
        context=context,
    )
    return publish(*out.finished(), part)


class _Plan:
    """Which documents and passages of one segment are kept."""

    def __init__(self, part: MergeSource) -> None:
        self.arrays = arrays = part.arrays
        self.documents = part.live
        self.kept = np.repeat(part.live, np.diff(arrays.document_offsets))
        self.lists = KeptLists(arrays.entries, self.kept)


class KeptLists:
    """The forward lists of some passages of a segment, packed."""

    def __init__(self, entries: PackedEntries | PlainEntries, kept: NDArray[np.bool_]) -> None:
        self._entries = entries
        self._kept = kept

    def iterate(self, context: TaskContext) -> Iterator[PackedEntries]:
        """The lists in parts that fit into memory."""
        for first, last in iterate_parts(self._entries.offsets):
            context.check()
            some = self._entries.part(first, last)
            packed = some if isinstance(some, PackedEntries) else pack(some)
            yield packed.keep(self._kept[first:last])

    def sizes(self, context: TaskContext) -> tuple[Array, Array]:
        """Bytes of the entries, and of the spans, of each passage."""
        if isinstance(self._entries, PackedEntries):
            both = self._entries.offsets, self._entries.span_offsets
            entries, spans = (np.diff(np.asarray(each))[self._kept] for each in both)
            return entries, spans
        none = np.empty(0, dtype=np.int64)
        # Packed twice, here and to be written: the files have to be as large as what goes into them.
        made = [(np.diff(part.offsets), np.diff(part.span_offsets)) for part in self.iterate(context)]
        return (
            np.concatenate([none, *(item[0] for item in made)]),
            np.concatenate([none, *(item[1] for item in made)]),
        )


def put_entries(out: NewSegment, lists: Sequence[KeptLists], context: TaskContext) -> None:
    """Write the packed entries of several segments, one after another."""
    sizes = [item.sizes(context) for item in lists]
    for name, part in (("entry_offsets", 0), ("span_offsets", 1)):
        offsets = to_offsets(np.concatenate([item[part] for item in sizes]))
        out.put(name, [offsets], offsets.dtype)
    entries, spans = (int(out.arrays[name][-1]) for name in ("entry_offsets", "span_offsets"))
    gap, word = out.new("entry_gap", (entries,), np.uint8), out.new("entry_word", (entries,), np.uint16)
    span_bytes = out.new("span_bytes", (spans,), np.uint8)
    at, place = 0, 0
    for item in lists:
        for some in item.iterate(context):
            end, stop = at + len(some.gap), place + len(some.span_bytes)
            gap[at:end], word[at:end], span_bytes[place:stop] = some.gap, some.word, some.span_bytes
            at, place = end, stop


def _merge_rows(plans: Sequence[_Plan], out: NewSegment) -> None:
    """Merge the arrays with one row per document, passage or section."""
    out.put("document_ids", [plan.arrays.document_ids[plan.documents] for plan in plans], np.int64)
    sizes = [np.diff(plan.arrays.document_offsets)[plan.documents] for plan in plans]
    out.put("document_offsets", [to_offsets(np.concatenate(sizes))], np.int64)
    out.put("document_rest", [plan.arrays.document_rest[plan.documents] for plan in plans], np.int32)
    out.put("passage_ids", [plan.arrays.passage_ids[plan.kept] for plan in plans], np.int64)
    out.put("span_counts", [plan.arrays.span_counts[plan.kept] for plan in plans], np.int32)
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
