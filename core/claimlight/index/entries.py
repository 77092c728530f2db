"""Entries of forward lists as bytes: one per center of a passage, and the spans they name, once.

An entry is three bytes, and a passage has the spans of its entries once, ordered by start and end:

    entry_gap    8 bits: distance to the center before it in the passage; that of the first is its center
    entry_word   16 bits: the code of the cosine, in the high byte, and which span of the passage it is

A code of 0 marks a carry, which precedes an entry that does not fit: its gap is added to the center, and 256
times its span to the number of the span, of the entry after it. A span is one byte, ``distance << 4 |
length``, the distance being that of its start from the end of the span before it. A byte 0 announces two
varints instead, distance (zigzag: spans may overlap) and length.

Segments of format 4 and earlier have `PlainEntries`, one array for each number. They are read as they are,
and packed when they are merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_CHUNK = 1 << 22
"""Entries that are copied or packed at once, between two looks at cancellation."""


@dataclass(frozen=True, slots=True, eq=False)
class PlainEntries:
    """Entries with an array for each number; the centers of a passage ascend."""

    offsets: Array
    """[P + 1]"""
    center: Array
    code: Array
    start: Array
    length: Array

    def part(self, first: int, last: int) -> PlainEntries:
        """The entries of the passages [first, last)."""
        some = slice(int(self.offsets[first]), int(self.offsets[last]))
        columns = (np.asarray(each[some]) for each in (self.center, self.code, self.start, self.length))
        return PlainEntries(self.offsets[first : last + 1] - self.offsets[first], *columns)

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in (self.offsets, self.center, self.code, self.start, self.length))


@dataclass(frozen=True, slots=True, eq=False)
class PackedEntries:
    """Entries as segments store them; see the module."""

    offsets: Array
    """[P + 1] of each passage, in ``gap`` and ``word`` alike."""
    gap: Array
    word: Array
    span_offsets: Array
    """[P + 1] of ``span_bytes``."""
    span_bytes: Array

    def part(self, first: int, last: int) -> PackedEntries:
        """The entries of the passages [first, last)."""
        some = slice(int(self.offsets[first]), int(self.offsets[last]))
        spans = slice(int(self.span_offsets[first]), int(self.span_offsets[last]))
        return PackedEntries(
            self.offsets[first : last + 1] - self.offsets[first],
            np.asarray(self.gap[some]),
            np.asarray(self.word[some]),
            self.span_offsets[first : last + 1] - self.span_offsets[first],
            np.asarray(self.span_bytes[spans]),
        )

    def keep(self, kept: NDArray[np.bool_]) -> PackedEntries:
        """Those of the passages marked in ``kept`` [P]."""
        if kept.all():
            return self
        sizes, spans = np.diff(self.offsets), np.diff(self.span_offsets)
        some = np.repeat(kept, sizes)
        return PackedEntries(
            to_offsets(sizes[kept]),
            self.gap[some],
            self.word[some],
            to_offsets(spans[kept]),
            self.span_bytes[np.repeat(kept, spans)],
        )


def pack(plain: PlainEntries) -> PackedEntries:
    """The same entries as bytes."""
    from claimlight.index import forward_kernels as kernels

    offsets, gap, word, span_offsets, span_bytes = kernels.pack_entries(
        np.asarray(plain.offsets),
        np.asarray(plain.center),
        np.asarray(plain.code),
        np.asarray(plain.start),
        np.asarray(plain.length),
    )
    return PackedEntries(_narrow(offsets), gap, word, _narrow(span_offsets), span_bytes)


def count_centers(
    entries: PlainEntries | PackedEntries, first: int, last: int, centers: int
) -> NDArray[np.int64]:
    """[V] how many of the passages [first, last) have each center."""
    some = entries.part(first, last)
    if isinstance(some, PlainEntries):
        return np.bincount(some.center, minlength=centers)
    # Without a kernel: opening an index with removed documents need not wait for compiled code.
    center = some.gap.astype(np.int64)
    begins = some.offsets[:-1][np.diff(some.offsets) > 0]
    if len(begins):
        # Back to 0 at the beginning of each passage.
        center[begins[1:]] -= np.add.reduceat(center, begins)[:-1]
        np.cumsum(center, out=center)
    carries = np.flatnonzero(some.word < 256)
    return np.bincount(center, minlength=centers) - np.bincount(center[carries], minlength=centers)


def iterate_parts(offsets: Array) -> Iterator[tuple[int, int]]:
    """Ranges of passages with about as many entries as fit into memory well; at least one passage each."""
    first, passages = 0, len(offsets) - 1
    while first < passages:
        last = int(np.searchsorted(offsets, int(offsets[first]) + _CHUNK, side="right")) - 1
        last = min(max(last, first + 1), passages)
        yield first, last
        first = last


def to_offsets(sizes: Array) -> Array:
    """[n + 1] where each of ``sizes`` [n] begins, in 32 bits if these suffice."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return _narrow(offsets)


def _narrow(offsets: Array) -> Array:
    # Signed: compiled loops compute with them, and int64 with uint64 gives floats there.
    return offsets.astype(np.int32) if offsets[-1] <= np.iinfo(np.int32).max else offsets
