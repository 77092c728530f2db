"""Posting lists of a segment, written from its forward lists.

The list of a center is divided into blocks of `BLOCK` passages, so that the sums of one block stay in the CPU
cache; the blocks of a center are consecutive. The n postings of a block are stored in the smaller of two
forms:

    n places of 16 bits, then n codes, two to a word                        3 n bytes, and one where n is odd
    m gaps of 8 bits, each with its code in the high byte of its word; a
    gap of 255 with code 0 only carries                                     2 m bytes, m >= n

Both are sequences of 16-bit words, so a gap posting is read at once. ``starts`` [V * blocks + 1] is twice
the word at which the list of (center, block) begins, plus 1 if it is stored as gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from claimlight.index.segments import BLOCK, Array
from claimlight.machine import usable_cores
from claimlight.tasks import TaskContext

_WORKERS = 4
_SMALL = 1 << 20
"""With fewer entries, starting threads costs more than it saves."""

NewArray = Callable[[str, tuple[int, ...], type], Array]
"""Creates an array of the segment by name, shape and dtype: in memory, or as a memory-mapped file."""


@dataclass(frozen=True, slots=True)
class Postings:
    """The three arrays of a segment that hold its postings."""

    center_df: Array
    starts: Array
    data: Array


def new_in_memory(name: str, shape: tuple[int, ...], dtype: type) -> Array:
    """The `NewArray` of a segment that is built in memory."""
    # Zeros: `write_lists` sets the two codes of a word one after the other by |=.
    return np.zeros(shape, dtype=dtype)


def count_blocks(passages: int) -> int:
    """Number of blocks of a segment; at least 1."""
    return max(1, -(-passages // BLOCK))


def invert(
    entry_offsets: Array,
    entry_gap: Array,
    entry_word: Array,
    *,
    centers: int,
    new: NewArray = new_in_memory,
    context: TaskContext | None = None,
) -> Postings:
    """Build the postings of ``centers`` centers from packed forward lists (`claimlight.index.entries`)."""
    from claimlight.index import posting_kernels as kernels

    entry_offsets, entry_gap, entry_word = map(np.asarray, (entry_offsets, entry_gap, entry_word))
    passages = len(entry_offsets) - 1
    blocks = count_blocks(passages)
    bounds = [(n, n * BLOCK, min((n + 1) * BLOCK, passages)) for n in range(blocks)]
    sizes = np.zeros((blocks, centers, 3), dtype=np.int64)

    def measure(bound: tuple[int, int, int]) -> None:
        block, first, last = bound
        kernels.measure_lists(first, last, entry_offsets, entry_gap, entry_word, sizes[block])

    _do_blocks(measure, bounds, len(entry_gap), context)
    df = new("center_df", (centers,), np.int64)
    df[:] = sizes[:, :, 2].sum(axis=0)
    starts = new("posting_starts", (centers * blocks + 1,), np.int64)
    # By center, then by block: a query on a cold disk reads one run of bytes per center.
    by_center = sizes.transpose(1, 0, 2)
    ends = np.cumsum(by_center[:, :, 0].ravel())
    starts[0] = 0
    starts[1:] = 2 * ends
    starts[:-1] += by_center[:, :, 1].ravel()
    data = new("posting_words", (int(ends[-1]) if len(ends) else 0,), np.uint16)

    at, body = np.asarray(starts), np.asarray(data)

    def write(bound: tuple[int, int, int]) -> None:
        block, first, last = bound
        kernels.write_lists(block, first, last, entry_offsets, entry_gap, entry_word, at, body)

    _do_blocks(write, bounds, len(entry_gap), context)
    return Postings(df, starts, data)


def read_list(starts: Array, data: Array, *, center: int, block: int, blocks: int) -> tuple[Array, Array]:
    """Places in the block and codes of one list, including carries (code 0) of long gaps."""
    start, after = int(starts[center * blocks + block]), int(starts[center * blocks + block + 1])
    raw = np.asarray(data[start >> 1 : after >> 1])
    if start & 1:
        return np.cumsum(raw & 255, dtype=np.int64), (raw >> 8).astype(np.uint8)
    count = 2 * len(raw) // 3
    codes = np.stack((raw[count:] & 255, raw[count:] >> 8), axis=1).reshape(-1)[:count]
    return raw[:count].astype(np.int64), codes.astype(np.uint8)


def _do_blocks(
    work: Callable[[tuple[int, int, int]], None],
    bounds: list[tuple[int, int, int]],
    entries: int,
    context: TaskContext | None,
) -> None:
    """Process blocks in sequence, or in threads if there is enough work."""

    def checked(bound: tuple[int, int, int]) -> None:
        if context is not None:
            context.check()
        work(bound)

    workers = min(_WORKERS, usable_cores(), len(bounds))
    if workers < 2 or entries < _SMALL:
        for bound in bounds:
            checked(bound)
        return
    # Kernels release the GIL, and each block writes words of its own: no lock.
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(checked, bounds):
            pass
