"""Compiled loops that build postings from forward lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.index.jit import kernel
from claimlight.index.segments import BLOCK

Array = NDArray[Any]


@kernel
def measure_lists(
    first: int, last: int, entry_offsets: Array, entry_gap: Array, entry_word: Array, sizes: Array
) -> None:
    """Sizes of the posting lists of one block of passages [first, last).

    ``sizes`` [V, 3] receives, for each center, the 16-bit words of its list, whether it is stored as gaps,
    and its number of postings.
    """
    count = np.zeros(len(sizes), np.int64)
    carried = np.zeros(len(sizes), np.int64)
    previous = np.zeros(len(sizes), np.int64)
    for passage in range(first, last):
        place = passage - first
        center: Any = 0
        for entry in range(entry_offsets[passage], entry_offsets[passage + 1]):
            center += np.int64(entry_gap[entry])
            if entry_word[entry] < 256:
                continue
            gap = place - previous[center]
            if gap > 255:
                carried[center] += (gap - 1) // 255
            previous[center] = place
            count[center] += 1
    for center in range(len(sizes)):
        gaps, places = count[center] + carried[center], count[center] + (count[center] + 1) // 2
        sizes[center, 0] = min(gaps, places)
        # Gaps also if both are equally long: one access reads a gap and its code.
        sizes[center, 1] = gaps <= places
        sizes[center, 2] = count[center]


@kernel
def write_lists(
    block: int,
    first: int,
    last: int,
    entry_offsets: Array,
    entry_gap: Array,
    entry_word: Array,
    starts: Array,
    data: Array,
) -> None:
    """Write the posting lists of one block of passages [first, last) into ``data`` at ``starts``."""
    blocks = max(1, (len(entry_offsets) - 2) // BLOCK + 1)
    cursor = np.zeros((len(starts) - 1) // blocks, np.int64)
    previous = np.zeros(len(cursor), np.int64)
    for passage in range(first, last):
        place = passage - first
        center: Any = 0
        for entry in range(entry_offsets[passage], entry_offsets[passage + 1]):
            center += np.int64(entry_gap[entry])
            if entry_word[entry] < 256:
                continue
            at_list = center * blocks + block
            start = starts[at_list]
            begin, end = start >> 1, starts[at_list + 1] >> 1
            at = begin + cursor[center]
            if start & 1:
                gap = place - previous[center]
                while gap > 255:
                    data[at] = 255
                    at += 1
                    gap -= 255
                data[at] = gap | (np.int64(entry_word[entry]) & 0xFF00)
            else:
                nth = cursor[center]
                data[at] = place
                # n places and (n + 1) // 2 words of codes: n is two thirds of the length, rounded down.
                codes = begin + (2 * (end - begin)) // 3
                data[codes + nth // 2] |= (np.int64(entry_word[entry]) >> 8) << (8 * (nth % 2))
            cursor[center] = at + 1 - begin
            previous[center] = place
