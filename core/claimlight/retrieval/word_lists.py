"""The word lists of an FTS5 table, read from its own tables: which passages have a word, and how often.

FTS5 is asked for scores row by row, which takes most of the time of a search. Its lists are a few hundred
pages for all words of a claim, and decoding those takes milliseconds. The format is documented in SQLite's
``ext/fts5/fts5_index.c`` and has had the same number since 2015. Whatever is not as described there raises
`UnreadableListsError`, and the caller asks FTS5.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_FORMAT = 4
"""Version of the format, in the table ``_config``; 5 is written with the option ``secure-delete``."""
_AVERAGES, _STRUCTURE = 1, 10
"""Rows of the two records of a table, in ``_data``."""
_WITH_ORIGINS = b"\xff\x00\x00\x01"
"""Begins, after the cookie, the structure of a table with ``contentless_delete``."""
_SEGMENT_BITS = 37
"""A leaf is the row ``segment << 37 | page`` of ``_data``."""
_STEP = 64
"""Words that are read at once; bounds what is in memory."""
_WORDS = b"0"
"""Begins the terms of the index of whole words, in front of those of prefixes."""


class UnreadableListsError(Exception):
    """The tables are of another format than the one known here, or damaged; FTS5 has to be asked."""


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """The passages that have a word."""

    passages: NDArray[np.int64]
    """Ascending."""
    counts: NDArray[np.int32]
    """How often the word occurs in each, at least once."""

    def __len__(self) -> int:
        return len(self.passages)


_EMPTY = WordList(np.empty(0, np.int64), np.empty(0, np.int32))


@dataclass(frozen=True, slots=True)
class _Segment:
    number: int
    first: int
    last: int
    """Pages, from ``first`` to ``last``."""


class WordLists:
    """The lists of a table with one column, in the transaction that ``connection`` is in.

    Raises `UnreadableListsError`, as does every method.
    """

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection = connection
        # CROSS JOIN keeps the order of the loops, so rows come by term, then by segment, then by page.
        self._places = f"""WITH
            terms(t, term) AS (VALUES {{terms}}), segments(s, number) AS (VALUES {{segments}})
            SELECT t, s,
            (SELECT CAST(pgno AS INTEGER) FROM {table}_idx AS i WHERE segid = number AND i.term <= terms.term
                ORDER BY i.term DESC LIMIT 1),
            (SELECT CAST(pgno AS INTEGER) FROM {table}_idx AS i WHERE segid = number AND i.term > terms.term
                ORDER BY i.term LIMIT 1)
            FROM terms CROSS JOIN segments"""  # noqa: S608 - a table of ours
        self._leaves = f"""WITH spans(low, high) AS (VALUES {{spans}})
            SELECT id, CAST(block AS BLOB) FROM spans CROSS JOIN {table}_data WHERE id BETWEEN low AND high"""  # noqa: S608
        version = self._value(f"SELECT v FROM {table}_config WHERE k = 'version'", ())  # noqa: S608
        if version != _FORMAT:
            raise UnreadableListsError(f"{table} is of format {version}.")
        record = f"SELECT CAST(block AS BLOB) FROM {table}_data WHERE id = ?"  # noqa: S608 - a table of ours
        averages, structure = (self._value(record, (row,)) for row in (_AVERAGES, _STRUCTURE))
        if not isinstance(averages, bytes) or not isinstance(structure, bytes):
            raise UnreadableListsError(f"{table} has no structure.")
        self.passages, self.words = _read_averages(averages)
        """Number of passages, and of words in all of them together."""
        self._segments = _read_structure(structure)

    def read(self, stems: Sequence[str]) -> list[WordList]:
        """The list of each of some indexed terms."""
        lists: list[WordList] = []
        for first in range(0, len(stems), _STEP):
            lists += self._read_some(stems[first : first + _STEP])
        return lists

    def _read_some(self, stems: Sequence[str]) -> list[WordList]:
        from claimlight.retrieval.word_kernels import decode_lists

        if not self._segments:
            return [_EMPTY] * len(stems)
        terms = [_WORDS + stem.encode() for stem in stems]
        spans, closed = self._find_spans(terms)
        leaves, first_leaves = self._read_leaves(spans)
        data = np.frombuffer(b"".join(leaves), dtype=np.uint8)
        # An entry is at least a rowid and a size, a byte each.
        rows, counts = np.empty(len(data) // 2, np.int64), np.empty(len(data) // 2, np.int32)
        ends, plain = np.zeros(len(terms) + 1, np.int64), np.zeros(len(terms), np.int64)
        whole = decode_lists(
            data,
            _add_sizes(leaves),
            np.frombuffer(b"".join(terms), dtype=np.uint8),
            _add_sizes(terms),
            first_leaves,
            closed,
            rows,
            counts,
            ends[1:],
            plain,
        )
        if not whole:
            raise UnreadableListsError("A list is not as FTS5 writes it.")
        return [
            _pick_newest(rows[begin:end], counts[begin:end], plain=bool(simple))
            for (begin, end), simple in zip(pairwise(ends.tolist()), plain, strict=True)
        ]

    def _find_spans(self, terms: list[bytes]) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
        """The leaves that can have the list of each term in each segment, and whether it must end there."""
        marks = ", ".join(f"({n}, ?)" for n in range(len(terms)))
        segments = ", ".join(f"({n}, {segment.number})" for n, segment in enumerate(self._segments))
        query = self._places.format(terms=marks, segments=segments)
        spans: list[tuple[int, int]] = []
        closed: list[int] = []
        expected = ((t, s) for t in range(len(terms)) for s in range(len(self._segments)))
        for place, (t, s, begin, after) in zip(
            expected, self._connection.execute(query, terms).fetchall(), strict=True
        ):
            segment = self._segments[s]
            # The lowest bit says that there is an index of the list, which a whole list does not need.
            first = max(segment.first, (begin or 0) >> 1)
            last = segment.last if after is None else max(first, after >> 1)
            ordered = begin is None or after is None or begin < after
            if place != (t, s) or not ordered or not first <= last <= segment.last:
                raise UnreadableListsError(f"Segment {segment.number} has no pages {first} to {last}.")
            base = segment.number << _SEGMENT_BITS
            spans.append((base + first, base + last))
            closed.append(after is not None)
        return spans, np.array(closed, dtype=np.int64)

    def _read_leaves(self, spans: list[tuple[int, int]]) -> tuple[list[bytes], NDArray[np.int64]]:
        """The leaves of all spans, and for each span where its own begin; then where the last ones end."""
        query = self._leaves.format(spans=", ".join(f"({first}, {last})" for first, last in spans))
        rows = self._connection.execute(query).fetchall()
        sizes = [last - first + 1 for first, last in spans]
        wanted = (leaf for first, last in spans for leaf in range(first, last + 1))
        if len(rows) != sum(sizes) or any(row[0] != leaf for row, leaf in zip(rows, wanted, strict=True)):
            raise UnreadableListsError("Segments lack pages.")
        leaves = [row[1] for row in rows]
        if not all(isinstance(leaf, bytes) for leaf in leaves):
            raise UnreadableListsError("A page is empty.")
        begins = np.zeros(len(spans) + 1, dtype=np.int64)
        np.cumsum(sizes, out=begins[1:])
        return leaves, begins

    def _value(self, query: str, values: tuple[object, ...]) -> object:
        row = self._connection.execute(query, values).fetchone()
        return row[0] if row else None


def _add_sizes(parts: Sequence[bytes]) -> NDArray[np.int64]:
    """Where each of some parts begins when they are joined, and where the last one ends."""
    bounds = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=bounds[1:])
    return bounds


def _pick_newest(rows: NDArray[np.int64], counts: NDArray[np.int32], *, plain: bool) -> WordList:
    """One list from those of the segments, the oldest first: the newest entry of a passage counts."""
    if not plain:
        order = np.argsort(rows, kind="stable")
        rows, counts = rows[order], counts[order]
        # Without a position the word was deleted from the passage.
        kept = np.r_[rows[1:] != rows[:-1], True] & (counts > 0)
        rows, counts = rows[kept], counts[kept]
    return WordList(rows, counts)


def _read_averages(record: bytes) -> tuple[int, int]:
    numbers = list(_varints(record))
    # Rows, then the words of each column.
    if len(numbers) != 2 or not 0 < numbers[0] < 1 << 40:
        raise UnreadableListsError("The record of lengths is not that of one column.")
    return numbers[0], numbers[1]


def _read_structure(record: bytes) -> list[_Segment]:
    """The segments that are not empty, the oldest first."""
    if record[4:8] == _WITH_ORIGINS:
        raise UnreadableListsError("The table can delete without content.")
    numbers = _varints(record[4:])
    levels: list[list[_Segment]] = []
    try:
        count, total, _written = (next(numbers) for _ in range(3))
        for _ in range(count):
            _merging, size = next(numbers), next(numbers)
            levels.append([_Segment(next(numbers), next(numbers), next(numbers)) for _ in range(size)])
    except (StopIteration, RuntimeError) as error:
        raise UnreadableListsError("The structure is cut short.") from error
    if total != sum(map(len, levels)):
        raise UnreadableListsError("The structure does not have the segments that it counts.")
    # Level 0 is written to, and merged into the next ones; within a level the oldest comes first.
    segments = [segment for level in reversed(levels) for segment in level]
    # What an unfinished merge has read to the end is a segment without pages.
    return [segment for segment in segments if segment.first]


def _varints(record: bytes) -> Iterator[int]:
    """The numbers of SQLite's variable length that a record consists of."""
    at = 0
    while at < len(record):
        value = 0
        for n in range(9):
            if at >= len(record):
                raise UnreadableListsError("A record is cut short.")
            byte = record[at]
            at += 1
            if n == 8:
                value = value << 8 | byte
                break
            value = value << 7 | byte & 127
            if byte < 128:
                break
        yield value
