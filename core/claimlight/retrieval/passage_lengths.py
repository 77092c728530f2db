"""How many words each passage has, read once from an FTS5 table and kept."""

from __future__ import annotations

import sqlite3

import numpy as np
from numpy.typing import NDArray

from claimlight.retrieval.word_lists import UnreadableListsError


class PassageLengths:
    """The lengths of passages by id, in chunks; an id without a passage has -1.

    Ids are given once, and a passage is never changed under its id: a newer state of the table only adds to
    what is known. 4 bytes a passage.
    """

    def __init__(self, chunks: NDArray[np.int64], lengths: NDArray[np.int32], last: int) -> None:
        self.chunks = chunks
        """Ascending: chunk c has the ids from c * 2 ** `CHUNK_BITS` on."""
        self.lengths = lengths
        """[C, 2 ** `CHUNK_BITS`]"""
        self._last = last
        """The largest id that is known."""

    @classmethod
    def empty(cls) -> PassageLengths:
        """No lengths."""
        from claimlight.retrieval.word_kernels import CHUNK_BITS

        return cls(np.empty(0, np.int64), np.empty((0, 1 << CHUNK_BITS), np.int32), -(1 << 63))

    def update(self, connection: sqlite3.Connection, table: str) -> PassageLengths:
        """These lengths with those of passages added since; these themselves if there are none."""
        from claimlight.retrieval.word_kernels import CHUNK_BITS

        newest = f"SELECT max(id) FROM {table}_docsize"  # noqa: S608 - a table of ours
        following = f"SELECT min(id) FROM {table}_docsize WHERE id > ?"  # noqa: S608
        (end,) = connection.execute(newest).fetchone()
        if end is None or end <= self._last:
            return self
        known = dict(zip(self.chunks.tolist(), self.lengths, strict=True))
        last = self._last
        while last < end:
            (first,) = connection.execute(following, (last,)).fetchone()
            chunk = first >> CHUNK_BITS
            start = chunk << CHUNK_BITS
            last = start + (1 << CHUNK_BITS) - 1
            ids, found = _read_lengths(connection, table, first, last)
            part = known[chunk].copy() if chunk in known else np.full(1 << CHUNK_BITS, -1, np.int32)
            part[ids - start] = found
            known[chunk] = part
        chunks = sorted(known)
        return PassageLengths(
            np.array(chunks, np.int64), np.stack([known[chunk] for chunk in chunks]), int(end)
        )


def _read_lengths(
    connection: sqlite3.Connection, table: str, first: int, last: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Ids from ``first`` to ``last`` that have a passage, and their lengths."""
    from claimlight.retrieval.word_kernels import decode_lengths

    between = f"FROM {table}_docsize WHERE id BETWEEN ? AND ?"
    # Joined by SQLite, in the order of the range that it walks: a row for each passage in Python takes three
    # times as long, and so does the order in a query of its own.
    joined = f"SELECT CAST(group_concat(sz, '') AS BLOB) {between}"
    low, high = connection.execute(f"SELECT min(id), max(id) {between}", (first, last)).fetchone()
    (data,) = connection.execute(joined, (first, last)).fetchone()
    if not isinstance(data, bytes):
        raise UnreadableListsError(f"The lengths of passages {first} to {last} are no numbers.")
    lengths = np.empty(high - low + 1, np.int32)
    count = decode_lengths(np.frombuffer(data, np.uint8), lengths)
    if count == high - low + 1:
        return np.arange(low, high + 1, dtype=np.int64), lengths
    rows = connection.execute(f"SELECT id {between} ORDER BY id", (first, last)).fetchall()
    if count != len(rows):
        raise UnreadableListsError(f"The lengths of passages {first} to {last} are damaged.")
    return np.array([row[0] for row in rows], dtype=np.int64), lengths[:count]
