"""Forward lists across segments: the entries of passages, of all centers or of some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.index.entries import PackedEntries
from claimlight.index.live import LiveSegment
from claimlight.index.segments import WEIGHT_UNIT
from claimlight.vectors import unit_rows

_Columns = tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]
"""Centers, codes, starts and ends of entries."""


@dataclass(frozen=True, slots=True, eq=False)
class ForwardEntries:
    """Forward lists of the requested passages, in that order; a passage that is not indexed has no entries.

    A passage that is indexed in pieces has one list per piece, consecutively.
    """

    passages: NDArray[np.int64]
    """[R] passage of each list."""
    place: NDArray[np.int64]
    """[R] its index among the requested passages; ascending."""
    offsets: NDArray[np.int64]
    centers: NDArray[np.int32]
    codes: NDArray[np.uint8]
    """w_dc in units of 1/255: the numbers that scores are computed from."""
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    span_counts: NDArray[np.int32]
    """|S_d|; at least 1 for an indexed passage, 0 for one that is not."""

    @property
    def weights(self) -> NDArray[np.float32]:
        """w_dc as cosines."""
        return (self.codes / np.float32(WEIGHT_UNIT)).astype(np.float32, copy=False)


def read_entries(
    segments: Sequence[LiveSegment], passages: NDArray[np.int64], centers: NDArray[np.int32] | None
) -> ForwardEntries:
    """The forward lists of ``passages``; only the entries of ``centers`` if given."""
    located = [(segment, *segment.locate(passages)) for segment in segments]
    counts = np.zeros(len(passages), dtype=np.int64)
    for _, place, _ in located:
        counts += np.bincount(place, minlength=len(passages))
    in_pieces = int(counts.max(initial=0)) > 1
    # A passage that is not indexed has one list, an empty one.
    counts = np.maximum(counts, 1)
    first = np.cumsum(counts) - counts
    places = np.repeat(np.arange(len(passages)), counts)
    spans = np.zeros(len(places), dtype=np.int32)
    sizes = np.zeros(len(places), dtype=np.int64)
    parts: list[tuple[NDArray[np.int64], _Columns]] = []
    for segment, place, at in located:
        if len(place):
            here = first[place]
            if in_pieces:
                # `place` ascends: the n-th time that a passage occurs in it is the passage's n-th piece.
                here += np.arange(len(place)) - np.searchsorted(place, place)
            # At least 1, as 0 means that the passage is not indexed.
            spans[here] = np.maximum(np.asarray(segment.arrays.span_counts)[at], 1)
            sizes[here], columns = select_entries(segment, at, centers)
            parts.append((here, columns))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return ForwardEntries(passages[places], places, offsets, *_join(parts, offsets, sizes), spans)


def _join(
    parts: Sequence[tuple[NDArray[np.int64], _Columns]], offsets: NDArray[np.int64], sizes: NDArray[np.int64]
) -> _Columns:
    """The columns of several segments, in the order of the lists."""
    if len(parts) == 1:
        # `here` ascends, so they are in order.
        return parts[0][1]
    center, code, start, end = _no_entries(int(offsets[-1]))
    for here, columns in parts:
        target = _expand_ranges(offsets[here], sizes[here])
        center[target], code[target], start[target], end[target] = columns
    return center, code, start, end


def read_vectors(
    segments: Sequence[LiveSegment], passages: NDArray[np.int64], dim: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """See `Generation.passage_vectors`; rows are ordered by ``passages``."""
    places = [np.empty(0, dtype=np.int64)]
    parts = [np.empty((0, dim), dtype=np.float32)]
    for segment in segments:
        stored = segment.arrays.passage_vectors
        if not len(stored):
            continue
        place, at = segment.locate(passages)
        codes = np.asarray(stored)[at]
        known = codes.any(axis=1)
        places.append(place[known])
        # The unit of the codes cancels out: they are normalised below.
        parts.append(codes[known].astype(np.float32))
    place, vectors = np.concatenate(places), np.concatenate(parts)
    order = np.argsort(place, kind="stable")
    return place[order], unit_rows(vectors[order])


def select_entries(
    segment: LiveSegment, positions: NDArray[np.int64], centers: NDArray[np.int32] | None
) -> tuple[NDArray[np.int64], _Columns]:
    """Numbers of entries of each passage, and the entries."""
    from claimlight.index import forward_kernels as kernels

    entries = segment.arrays.entries
    # One byte per center, so that the table stays in the L1 cache.
    wanted = np.full(len(segment.arrays.center_df), centers is None, dtype=np.uint8)
    if centers is not None:
        wanted[centers] = 1
    if isinstance(entries, PackedEntries):
        sizes, center, code, start, end = kernels.select_packed(
            positions,
            np.asarray(entries.offsets),
            np.asarray(entries.gap),
            np.asarray(entries.word),
            np.asarray(entries.span_offsets),
            np.asarray(entries.span_bytes),
            wanted,
        )
        return sizes, (center, code, start, end)
    offsets = np.asarray(entries.offsets)
    sizes, found = kernels.select_plain(
        offsets[positions], offsets[positions + 1], np.asarray(entries.center), wanted
    )
    center, code, start, length = (
        np.asarray(each)[found] for each in (entries.center, entries.code, entries.start, entries.length)
    )
    # Their widths differ from segment to segment.
    start = start.astype(np.int32)
    return sizes, (center.astype(np.int32), code, start, start + length.astype(np.int32))


def _no_entries(count: int) -> _Columns:
    """Columns to be filled."""
    return (
        np.empty(count, dtype=np.int32),
        np.empty(count, dtype=np.uint8),
        np.empty(count, dtype=np.int32),
        np.empty(count, dtype=np.int32),
    )


def _expand_ranges(first: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ranges [first[i], first[i] + sizes[i]) one after another."""
    step = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(first, sizes) + step
