"""Convert segments of earlier formats to the current one, without reading or encoding text.

Format 1 stored weights in units of 1/65535 and postings as pairs of passage and weight. Codes and postings
are computed from its forward lists; everything else is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from claimlight.index import files
from claimlight.index.entries import PlainEntries
from claimlight.index.manifest import IndexManifest
from claimlight.index.merge import KeptLists, put_entries
from claimlight.index.postings import invert
from claimlight.index.segments import WEIGHT_UNIT, Array, NewSegment, SegmentRecord, publish
from claimlight.tasks import TaskContext

_OLD_UNIT = 65535
_COPIED = (
    "document_ids",
    "document_offsets",
    "passage_ids",
    "span_counts",
    "section_document",
    "section_kind",
    "section_vectors",
)
# Values copied between two looks at cancellation, which also bounds the memory.
_CHUNK = 1 << 22


def convert_segments(
    folder: Path, old: IndexManifest, names: Sequence[str], *, context: TaskContext
) -> tuple[SegmentRecord, ...]:
    """Convert the segments of a manifest of format 1 to segments called ``names``; the old ones are kept."""
    return tuple(
        convert_segment(folder, item, name, centers=old.centers, context=context)
        for item, name in zip(old.segments, names, strict=True)
    )


def convert_segment(
    folder: Path, item: SegmentRecord, name: str, *, centers: int, context: TaskContext
) -> SegmentRecord:
    """Convert a segment of format 1 to ``folder/name``; the old one is kept."""
    old = folder / item.name
    files.check_space(folder, item.bytes)
    out = NewSegment(folder, name)
    for array in _COPIED:
        source = _map_array(old, array)
        target = out.new(array, source.shape, source.dtype)
        for begin in _iterate_chunks(len(source), context):
            target[begin : begin + _CHUNK] = source[begin : begin + _CHUNK]
    names = ("entry_offsets", "entry_center", "entry_weight", "entry_start", "entry_length")
    offsets, center, weights, start, length = (_map_array(old, name) for name in names)
    codes = np.empty(len(weights), dtype=np.uint8)
    for begin in _iterate_chunks(len(weights), context):
        some = weights[begin : begin + _CHUNK].astype(np.float64)
        # At least 1: code 0 marks a carry.
        codes[begin : begin + _CHUNK] = np.maximum(np.rint(some * (WEIGHT_UNIT / _OLD_UNIT)), 1)
    every = np.ones(len(offsets) - 1, dtype=np.bool_)
    put_entries(out, [KeptLists(PlainEntries(offsets, center, codes, start, length), every)], context)
    dim = out.arrays["section_vectors"].shape[1]
    out.new("passage_vectors", (0, dim), np.int8)
    rest = out.new("document_rest", out.arrays["document_ids"].shape, np.int32)
    rest[:] = 0
    made = out.arrays
    invert(
        made["entry_offsets"],
        made["entry_gap"],
        made["entry_word"],
        centers=centers,
        new=out.new,
        context=context,
    )
    return publish(*out.finished())


def _iterate_chunks(count: int, context: TaskContext) -> Iterator[int]:
    for begin in range(0, count, _CHUNK):
        context.check()
        yield begin


def _map_array(folder: Path, name: str) -> Array:
    path = folder / f"{name}.npy"
    try:
        found: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise files.damage_error(path, str(error)) from error
    return found
