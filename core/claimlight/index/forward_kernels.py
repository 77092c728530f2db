"""Compiled loops over forward lists: packing and selecting entries, and matching them with a query."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.index.jit import kernel, prefetch
from claimlight.index.order_kernels import grow

Array = NDArray[Any]


_GROUP = 256
"""Passages whose entries are selected before their words are read."""
_AHEAD = 32
"""Hits between loading a word into the cache and reading it."""
_CENTER_BITS = 24
"""Bits of a hit below the position of its entry."""
_CENTER_MASK = (1 << _CENTER_BITS) - 1
_PAIRWISE = 128
"""Number of values above which numpy adds up two halves."""


@kernel
def select_plain(first: Array, last: Array, entry_center: Array, wanted: Array) -> tuple[Array, Array]:
    """Positions of the entries whose center is ``wanted`` [V], 0 or 1, and their number per passage."""
    counts = np.zeros(len(first), np.int64)
    found = np.empty(1024, np.int64)
    count: Any = 0
    for n in range(len(first)):
        # Room for the whole passage: the loop writes before it decides, and bounds are not checked.
        while len(found) - count < last[n] - first[n]:
            found = grow(found)
        before = count
        for entry in range(first[n], last[n]):
            # Always written, and kept by raising the count: a branch would often be predicted wrongly.
            found[count] = entry
            count += np.int64(wanted[entry_center[entry]])
        counts[n] = count - before
    return counts, found[:count].copy()


@kernel
def select_packed(
    positions: Array,
    offsets: Array,
    entry_gap: Array,
    entry_word: Array,
    span_offsets: Array,
    span_bytes: Array,
    wanted: Array,
) -> tuple[Array, Array, Array, Array, Array]:
    """Entries of some passages whose center is ``wanted`` [V], 0 or 1: number per passage, and the columns.

    The columns are center, code, start and end.
    """
    counts = np.zeros(len(positions), np.int64)
    found = np.empty(1024, np.int64)
    center, code = np.empty(1024, np.int32), np.empty(1024, np.uint8)
    start, end = np.empty(1024, np.int32), np.empty(1024, np.int32)
    span_start, span_end = np.empty(256, np.int32), np.empty(256, np.int32)
    count = 0
    # In groups: the words of a hit are then known, and loaded into the cache, before they are needed.
    for first in range(0, len(positions), _GROUP):
        last = min(first + _GROUP, len(positions))
        hits: Any = 0
        for n in range(first, last):
            begin, stop = np.int64(offsets[positions[n]]), np.int64(offsets[positions[n] + 1])
            while len(found) - hits < stop - begin + _AHEAD:
                found = grow(found)
            before = hits
            reached: Any = 0
            for entry in range(begin, stop):
                reached += np.int64(entry_gap[entry])
                # As in `select_plain`. A carry passes centers that it does not have; it is dropped below.
                found[hits] = entry << _CENTER_BITS | reached
                hits += np.int64(wanted[reached])
            counts[n] = hits - before
        found[hits : hits + _AHEAD] = 0
        while len(center) - count < hits:
            center, code, start, end = grow(center), grow(code), grow(start), grow(end)
        hit: Any = 0
        for n in range(first, last):
            begin, before = np.int64(offsets[positions[n]]), count
            most: Any = -1
            for at in range(hit, hit + counts[n]):
                prefetch(entry_word, found[at + _AHEAD] >> _CENTER_BITS)
                entry = found[at] >> _CENTER_BITS
                word = np.int64(entry_word[entry])
                if word > 255:
                    span, carry = word & 255, entry - 1
                    while carry >= begin and entry_word[carry] < 256:
                        span += np.int64(entry_word[carry]) << 8
                        carry -= 1
                    center[count], code[count] = found[at] & _CENTER_MASK, word >> 8
                    start[count] = span
                    most = max(most, span)
                    count += 1
            hit += counts[n]
            counts[n] = count - before
            if most >= len(span_start):
                span_start, span_end = np.empty(2 * most, np.int32), np.empty(2 * most, np.int32)
            _read_spans(span_bytes, np.int64(span_offsets[positions[n]]), most, span_start, span_end)
            for at in range(before, count):
                span = start[at]
                start[at], end[at] = span_start[span], span_end[span]
    return counts, center[:count], code[:count], start[:count], end[:count]


@kernel
def _read_spans(span_bytes: Array, place: Any, most: Any, start: Array, end: Array) -> None:
    """Decode the spans 0 to ``most`` of a passage."""
    reached: Any = 0
    for span in range(most + 1):
        value = np.int64(span_bytes[place])
        place += 1
        if value != 0:
            start[span] = reached + (value >> 4)
            reached += (value >> 4) + (value & 15)
        else:
            distance, place = _read_varint(span_bytes, place)
            length, place = _read_varint(span_bytes, place)
            start[span] = reached + ((distance >> 1) ^ -(distance & 1))
            reached = np.int64(start[span]) + length
        end[span] = reached


@kernel
def pack_entries(
    offsets: Array, center: Array, code: Array, start: Array, length: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """The arrays of `claimlight.index.entries.PackedEntries`, of plain ones."""
    passages = len(offsets) - 1
    entry_offsets, span_offsets = np.zeros(passages + 1, np.int64), np.zeros(passages + 1, np.int64)
    gaps, words = np.empty(len(center) + 1024, np.uint8), np.empty(len(center) + 1024, np.uint16)
    packed = np.empty(len(center) + 1024, np.uint8)
    at = 0
    place: Any = 0
    for passage in range(passages):
        first, last = np.int64(offsets[passage]), np.int64(offsets[passage + 1])
        keys, number = np.empty(last - first, np.int64), np.empty(last - first, np.int64)
        for entry in range(first, last):
            keys[entry - first] = (np.int64(start[entry]) << 32) | np.int64(length[entry])
        order = np.argsort(keys)
        # At most a byte to announce a span, and two varints of 5 bytes.
        while len(packed) - place < 11 * len(keys):
            packed = grow(packed)
        reached: Any = 0
        known: Any = -1
        for n in range(len(order)):
            key = keys[order[n]]
            if n == 0 or key != keys[order[n - 1]]:
                begin, size = key >> 32, key & 0xFFFFFFFF
                distance = begin - reached
                if 0 <= distance < 16 and 0 < size < 16:
                    packed[place] = (distance << 4) | size
                    place += 1
                else:
                    packed[place] = 0
                    place = _write_varint(packed, place + 1, (distance << 1) ^ (distance >> 63))
                    place = _write_varint(packed, place, size)
                reached = begin + size
                known += 1
            number[order[n]] = known
        span_offsets[passage + 1] = place
        previous: Any = 0
        for entry in range(first, last):
            gap: Any = np.int64(center[entry]) - previous
            previous = np.int64(center[entry])
            span = number[entry - first]
            above: Any = span >> 8
            while len(gaps) - at < 2 + gap // 255 + above // 255:
                gaps, words = grow(gaps), grow(words)
            while gap > 255 or above > 0:
                gaps[at], words[at] = min(gap, 255), min(above, 255)
                gap -= min(gap, 255)
                above -= min(above, 255)
                at += 1
            gaps[at], words[at] = gap, np.int64(code[entry]) << 8 | (span & 255)
            at += 1
        entry_offsets[passage + 1] = at
    return entry_offsets, gaps[:at].copy(), words[:at].copy(), span_offsets, packed[:place].copy()


@kernel
def _write_varint(target: Array, place: Any, value: Any) -> Any:
    while value > 127:
        target[place] = (value & 127) | 128
        value >>= 7
        place += 1
    target[place] = value
    return place + 1


@kernel
def _read_varint(source: Array, place: Any) -> tuple[Any, Any]:
    value: Any = 0
    shift = 0
    while source[place] > 127:
        value |= (np.int64(source[place]) & 127) << shift
        shift += 7
        place += 1
    return value | (np.int64(source[place]) << shift), place + 1


@kernel
def find_meetings(
    offsets: Array, centers: Array, codes: Array, row: Array, worth: Array, norms: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Passage, row of ``worth``, position and contribution of each entry that contributes, in order.

    Also where the meetings of each passage begin, and the last ones end.
    """
    size = 0
    for entry in range(len(centers)):
        size += row[centers[entry]] >= 0
    passages, rows, entries = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    added, first = np.empty(size), np.zeros(len(offsets), np.int64)
    count = 0
    for passage in range(len(offsets) - 1):
        for entry in range(offsets[passage], offsets[passage + 1]):
            at = row[centers[entry]]
            if at >= 0 and worth[at, codes[entry]] > 0.0:
                passages[count], rows[count], entries[count] = passage, at, entry
                added[count] = worth[at, codes[entry]] / norms[passage]
                count += 1
        first[passage + 1] = count
    return passages[:count], rows[:count], entries[:count], added[:count], first


@kernel
def find_all_meetings(
    offsets: Array,
    centers: Array,
    codes: Array,
    row_first: Array,
    rows: Array,
    asked_first: Array,
    worth: Array,
    shares: Array,
    norms: Array,
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array]:
    """As `find_meetings` for several queries at once, with two contributions for each meeting.

    The rows of ``worth`` and ``shares`` that ask for center c are ``rows[row_first[c]:row_first[c + 1]]``;
    those of query q are from ``asked_first[q]`` on. Meetings are by query: passage, row within the query,
    entry, worth divided by the norm, share; then the first meeting of each query, the first of each passage
    within its query [Q, P + 1], and the sums of both contributions [Q, P].
    """
    queries, passages = len(asked_first) - 1, len(offsets) - 1
    query_of = np.empty(len(rows), np.int64)
    for query in range(queries):
        query_of[asked_first[query] : asked_first[query + 1]] = query
    begins = np.zeros(queries + 1, np.int64)
    for entry in range(offsets[passages]):
        for at in range(row_first[centers[entry]], row_first[centers[entry] + 1]):
            begins[query_of[rows[at]] + 1] += 1
    for query in range(queries):
        begins[query + 1] += begins[query]
    size = begins[queries]
    passage_of, row_of = np.empty(size, np.int64), np.empty(size, np.int64)
    entry_of, added, shared = np.empty(size, np.int64), np.empty(size), np.empty(size)
    first = np.zeros((queries, passages + 1), np.int64)
    scores, strengths = np.zeros((queries, passages)), np.zeros((queries, passages))
    counts = np.zeros(queries, np.int64)
    for passage in range(passages):
        for entry in range(offsets[passage], offsets[passage + 1]):
            center, code = centers[entry], codes[entry]
            for at in range(row_first[center], row_first[center + 1]):
                row = rows[at]
                if worth[row, code] > 0.0:
                    query = query_of[row]
                    place = begins[query] + counts[query]
                    counts[query] += 1
                    passage_of[place], entry_of[place] = passage, entry
                    row_of[place] = row - asked_first[query]
                    added[place], shared[place] = worth[row, code] / norms[passage], shares[row, code]
                    scores[query, passage] += added[place]
                    strengths[query, passage] += shared[place]
        for query in range(queries):
            first[query, passage + 1] = counts[query]
    return passage_of, row_of, entry_of, added, shared, begins[:queries], first, scores, strengths


@kernel
def sum_kept(passages: Array, first: Array, entries: Array, added: Array, kept: Array) -> Array:
    """For each of some passages, the sum of what those of its meetings add whose entry is ``kept``.

    Added up in numpy's order, so that the sum is the same to the last bit.
    """
    sums, values = np.zeros(len(passages)), np.empty(256)
    for n in range(len(passages)):
        begin, end = first[passages[n]], first[passages[n] + 1]
        while len(values) < end - begin:
            values = grow(values)
        count: Any = 0
        for at in range(begin, end):
            values[count] = added[at]
            count += np.int64(kept[entries[at]])
        sums[n] = _sum_pairwise(values, count)
    return sums


@kernel
def _sum_pairwise(values: Array, count: Any) -> Any:
    """The sum of the first ``count`` values in the order of `numpy.sum`: halves of halves, then blocks."""
    if count <= _PAIRWISE:
        return _sum_block(values, 0, count)
    # Not recursive: numba can't load a kernel that calls itself from its cache. A count of 0: add two sums.
    begins, counts, sums = np.empty(128, np.int64), np.empty(128, np.int64), np.empty(128)
    begins[0], counts[0] = 0, count
    open_parts, known = 1, 0
    while open_parts > 0:
        open_parts -= 1
        begin, size = begins[open_parts], counts[open_parts]
        if size == 0:
            known -= 1
            sums[known - 1] += sums[known]
        elif size <= _PAIRWISE:
            sums[known] = _sum_block(values, begin, size)
            known += 1
        else:
            half = size // 2 - size // 2 % 8
            counts[open_parts] = 0
            begins[open_parts + 1], counts[open_parts + 1] = begin + half, size - half
            begins[open_parts + 2], counts[open_parts + 2] = begin, half
            open_parts += 3
    return sums[0]


@kernel
def _sum_block(values: Array, begin: Any, count: Any) -> Any:
    """The sum of ``count`` values from ``begin``, as `numpy.sum` adds up to 128: every eighth together."""
    total: Any = 0.0
    done: Any = 0
    if count >= 8:
        sums = values[begin : begin + 8].copy()
        done = 8
        while done + 8 <= count:
            for n in range(8):
                sums[n] += values[begin + done + n]
            done += 8
        total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    for at in range(begin + done, begin + count):
        total += values[at]
    return total


@kernel
def choose_rows(
    scores: Array, strength: Array, offered: Array, settled: Array, first: Array, many: int
) -> tuple[Array, Array]:
    """The best row of each document, -1 without one, and up to ``many`` rows of each that may be the best.

    Of ``offered`` rows with a score and a strength the best has the greatest strength to six decimals, then
    the greatest score, then comes first. One that is not ``settled`` may lose strength: such rows are given
    in their order, down to the first that is settled. The rows of document d are ``first[d]:first[d + 1]``.
    """
    # Rounded as by numpy.round.
    rounded = np.rint(strength * 1e6) / 1e6
    best, waiting = np.full(len(first) - 1, -1, np.int64), np.empty(many * (len(first) - 1), np.int64)
    count = 0
    for document in range(len(first) - 1):
        last: Any = -1
        for turn in range(many):
            found: Any = -1
            for row in range(first[document], first[document + 1]):
                if not (offered[row] and scores[row] > 0.0 and strength[row] > 0.0):
                    continue
                if last >= 0 and not _is_better(last, row, rounded, scores):
                    continue
                if found < 0 or _is_better(row, found, rounded, scores):
                    found = row
            if turn == 0:
                best[document] = found
            if found < 0 or settled[found]:
                break
            waiting[count] = found
            count += 1
            last = found
    return best, waiting[:count]


@kernel
def _is_better(one: Any, other: Any, strength: Array, scores: Array) -> Any:
    if strength[one] != strength[other]:
        return strength[one] > strength[other]
    if scores[one] != scores[other]:
        return scores[one] > scores[other]
    return one < other
