"""Compiled loops that read word lists of SQLite's FTS5 and add up BM25.

The format is described at the top of SQLite's ``ext/fts5/fts5_index.c``. A *leaf* is a page of a segment:
four bytes of header (the first rowid on the page, if it comes before the first term, and the footer; both
big-endian offsets), terms with their lists, and a footer with the distances of the terms. Every read is
checked against the bounds of the page, so damaged pages end with `DAMAGED`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.index.jit import kernel

Array = NDArray[Any]

DAMAGED = -1
_HEADER = 4
_ABSENT = -2

CHUNK_BITS = 16
"""Lengths are kept in chunks of 2 ** `CHUNK_BITS` passage ids."""
_CHUNK = 1 << CHUNK_BITS


@kernel
def _byte(data: Array, at: int) -> Any:
    # Bytes are unsigned, and numba makes a float of them and a signed number.
    return np.int64(data[at])


@kernel
def _read_varint(data: Array, at: int, end: int) -> tuple[int, int]:
    """The number of SQLite's variable length at ``at``, and its end: `DAMAGED` if not before ``end``."""
    value = 0
    for n in range(9):
        if at >= end:
            return 0, DAMAGED
        byte = _byte(data, at)
        at += 1
        if n == 8:
            return (value << 8) | byte, at
        value = (value << 7) | (byte & 127)
        if byte < 128:
            return value, at
    return 0, DAMAGED


@kernel
def decode_lengths(data: Array, lengths: Array) -> int:
    """Decode all numbers of ``data``; returns how many, or `DAMAGED` if ``lengths`` has no room for them."""
    at, end, count = 0, len(data), 0
    while at < end:
        value, at = _read_varint(data, at, end)
        if at < 0 or value < 0 or value > 0x7FFFFFFF or count == len(lengths):
            return DAMAGED
        lengths[count] = value
        count += 1
    return count


@kernel
def _read_leaf(data: Array, base: int, stop: int) -> tuple[int, int, int]:
    """Offsets of the first rowid (0: none), the footer and the first term (0: none) of a leaf."""
    if stop - base < _HEADER:
        return DAMAGED, 0, 0
    row = (_byte(data, base) << 8) | _byte(data, base + 1)
    footer = (_byte(data, base + 2) << 8) | _byte(data, base + 3)
    if footer < _HEADER or base + footer > stop or (row != 0 and (row < _HEADER or row >= footer)):
        return DAMAGED, 0, 0
    term = 0
    if base + footer < stop:
        term, after = _read_varint(data, base + footer, stop)
        if after < 0 or term < _HEADER or term >= footer:
            return DAMAGED, 0, 0
        term += base
    return base + row if row else row, base + footer, term


@kernel
def _find_term(data: Array, footer: int, stop: int, term: Array) -> tuple[int, int]:
    """Where on a leaf, ``data``, the list of a term begins, and where its part on this leaf ends."""
    wanted = len(term)
    common, length, place = 0, 0, 0
    first = True
    # Offsets and the first distance count from the beginning of the leaf.
    step, at = _read_varint(data, footer, stop)
    if at < 0:
        return DAMAGED, 0
    while True:
        place += step
        if step <= 0 or place >= footer:
            return DAMAGED, 0
        cursor, kept = place, 0
        if not first:
            kept, cursor = _read_varint(data, cursor, footer)
            if cursor < 0:
                return DAMAGED, 0
        new, cursor = _read_varint(data, cursor, footer)
        if cursor < 0 or new < 0 or kept < 0 or kept > length or new > footer - cursor:
            return DAMAGED, 0
        # Letters in common with the term wanted; more than those of the term before can't be, if more
        # of the term before than that is kept.
        if kept <= common:
            common = kept
            while common < wanted and common - kept < new and data[cursor + common - kept] == term[common]:
                common += 1
        length = kept + new
        cursor += new
        first = False
        more = at < stop
        if more:
            step, at = _read_varint(data, at, stop)
            if at < 0 or step < 0 or step >= footer:
                return DAMAGED, 0
        if common == wanted and length == wanted:
            end = place + step if more else footer
            if end > footer or cursor > end:
                return DAMAGED, 0
            return cursor, end
        if not more:
            return _ABSENT, 0


@kernel
def _count_positions(data: Array, at: int, end: int) -> int:
    """Number of positions between two offsets; `DAMAGED` if one is cut, or belongs to another column."""
    count, begins = 0, True
    for n in range(at, end):
        byte = data[n]
        # Positions are written plus 2; 1 announces another column, and there is one only.
        if begins and byte < 2:
            return DAMAGED
        begins = byte < 128
        if begins:
            count += 1
    return count if begins else DAMAGED


@kernel
def _decode_list(data: Array, bounds: Array, term: Array, closed: int, rows: Array, counts: Array) -> int:
    """Decode the list of a term of one segment; returns the number of entries (see `decode_lists`)."""
    leaves = len(bounds) - 1
    leaf = 0
    base, stop = bounds[0], bounds[1]
    row_at, footer, term_at = _read_leaf(data, base, stop)
    if row_at < 0:
        return DAMAGED
    if term_at == 0:
        return DAMAGED
    at, end = _find_term(data[base:stop], footer - base, stop - base, term)
    if at == _ABSENT:
        return 0
    if at < 0:
        return DAMAGED
    at, end = at + base, end + base
    # Whether the list may go on with the next leaf: no term follows on this one.
    goes_on = end == footer
    count, row, literal = 0, 0, True
    while True:
        if at >= end:
            if at > end:
                return DAMAGED
            if not goes_on:
                return count
            leaf += 1
            if leaf == leaves:
                return DAMAGED if closed else count
            base, stop = bounds[leaf], bounds[leaf + 1]
            row_at, footer, term_at = _read_leaf(data, base, stop)
            if row_at < 0:
                return DAMAGED
            if row_at == 0:
                # No row: the list is over, and a term begins the leaf.
                return count if term_at == base + _HEADER else DAMAGED
            at, end = base + _HEADER, term_at if term_at else footer
            goes_on = term_at == 0
            literal = True
            if row_at != at:
                return DAMAGED
        value, at = _read_varint(data, at, end)
        if at < 0:
            return DAMAGED
        before = row
        row = value if literal else row + value
        if count > 0 and row <= before:
            return DAMAGED
        literal = False
        size, at = _read_varint(data, at, end)
        if at < 0 or size < 0:
            return DAMAGED
        # The lowest bit says that an older entry of the row is deleted; the newer entry counts in any case.
        left = size >> 1
        if count == len(rows):
            return DAMAGED
        taken = min(left, end - at)
        found = _count_positions(data, at, at + taken)
        if found < 0:
            return DAMAGED
        at += taken
        left -= taken
        if left > 0 and not goes_on:
            return DAMAGED
        over = False
        while left > 0:
            leaf += 1
            if leaf == leaves:
                return DAMAGED
            base, stop = bounds[leaf], bounds[leaf + 1]
            row_at, footer, term_at = _read_leaf(data, base, stop)
            if row_at < 0:
                return DAMAGED
            at, end = base + _HEADER, term_at if term_at else footer
            goes_on = term_at == 0
            after = row_at if row_at else end
            taken = min(left, after - at)
            more = _count_positions(data, at, at + taken)
            if more < 0:
                return DAMAGED
            found += more
            at += taken
            left -= taken
            if at != after:
                return DAMAGED
            if left > 0 and (row_at or term_at):
                return DAMAGED
            if left == 0:
                literal = True
                over = row_at == 0 and term_at != 0
        rows[count], counts[count] = row, found
        count += 1
        if over:
            return count


@kernel
def decode_lists(
    data: Array,
    bounds: Array,
    terms: Array,
    term_bounds: Array,
    first_leaves: Array,
    closed: Array,
    rows: Array,
    counts: Array,
    ends: Array,
    plain: Array,
) -> bool:
    """Decode the lists of some terms in every segment; False if anything is not as FTS5 writes it.

    Leaf i is [bounds[i], bounds[i + 1]) of ``data``. List j, of term ``j // segments`` in the segment
    ``j % segments``, the oldest first, has the leaves from ``first_leaves[j]`` up to those of the next list;
    the first is the one that has the term if any has. Where ``closed[j]`` the list must end within them, else
    the segment ends with them. Term t is [term_bounds[t], term_bounds[t + 1]) of ``terms``.

    Written are the entries of all lists, one after the other: ``rows`` and ``counts``, 0 for a row from which
    the term was deleted. Those of term t end at ``ends[t]``, and are ``plain`` if their rows ascend from
    segment to segment and none is deleted.
    """
    number = len(term_bounds) - 1
    segments = len(closed) // number
    at = 0
    for t in range(number):
        term = terms[term_bounds[t] : term_bounds[t + 1]]
        plain[t] = 1
        begin = at
        for j in range(t * segments, (t + 1) * segments):
            own = bounds[first_leaves[j] : first_leaves[j + 1] + 1]
            found = _decode_list(data, own, term, closed[j], rows[at:], counts[at:])
            if found < 0:
                return False
            if found and at > begin and rows[at] <= rows[at - 1]:
                plain[t] = 0
            at += found
        for n in range(begin, at):
            if counts[n] == 0:
                plain[t] = 0
                break
        ends[t] = at
    return True


@kernel
def add_up(
    rows: Array,
    parts: Array,
    bounds: Array,
    idf: Array,
    chunks: Array,
    lengths: Array,
    average: float,
    k1: float,
    b: float,
    found: Array,
    scores: Array,
) -> int:
    """BM25 of all passages that some lists name, ascending; returns their number, or `DAMAGED`.

    List i is [bounds[i], bounds[i + 1]) of ``rows``, ascending, and ``parts``: how often the word occurs, or,
    if ``idf`` is 0, what it adds to the score. ``lengths`` [C, 2 ** `CHUNK_BITS`] are the words of the
    passages of each of ``chunks``, -1 for none; a passage without a length is damage. Parts are added in the
    order of the lists, in the order of operations of FTS5, so scores are equal to the last bit.
    """
    lists = len(bounds) - 1
    cursors = bounds[:lists].copy()
    sums = np.zeros(_CHUNK)
    count = 0
    for chunk in range(len(chunks)):
        first = chunks[chunk] << CHUNK_BITS
        named = False
        for n in range(lists):
            at, end = cursors[n], bounds[n + 1]
            weight = idf[n]
            while at < end and rows[at] - first < _CHUNK:
                place = rows[at] - first
                if place < 0:
                    return DAMAGED
                length = lengths[chunk, place]
                if length < 0:
                    return DAMAGED
                part = parts[at]
                if weight != 0.0:
                    part = weight * (
                        (part * (k1 + 1.0)) / (part + k1 * (1.0 - b + b * np.float64(length) / average))
                    )
                sums[place] += part
                named = True
                at += 1
            cursors[n] = at
        if named:
            for place in range(_CHUNK):
                if sums[place] != 0.0:
                    if count == len(found):
                        return DAMAGED
                    found[count], scores[count] = first + place, sums[place]
                    sums[place] = 0.0
                    count += 1
    for n in range(lists):
        if cursors[n] != bounds[n + 1]:
            return DAMAGED
    return count
