"""The rows of documents that were read of late, kept in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from claimlight.index.backend import IndexSource
from claimlight.index.portable import DocumentRows, read

LIMIT = 256 << 20
"""Bytes that are kept."""
Key = tuple[int, int]
"""A document, and a number that changes when more of it is indexed."""
Rows = tuple[DocumentRows, ...]


class RowCache:
    """Rows by document, the latest ones, up to a number of bytes; threads may share it."""

    def __init__(self, source: IndexSource, limit: int = LIMIT) -> None:
        self._source = source
        self._limit = limit
        self._lock = Lock()
        self._held: OrderedDict[Key, Rows] = OrderedDict()
        self._bytes = 0

    def get(self, keys: Sequence[Key]) -> dict[int, Rows]:
        """The rows of documents, in one request for all that are not held; none of those that are gone."""
        found: dict[int, Rows] = {}
        missing: list[Key] = []
        with self._lock:
            for key in keys:
                held = self._held.get(key)
                if held is None:
                    missing.append(key)
                else:
                    self._held.move_to_end(key)
                    found[key[0]] = held
        if missing:
            # Outside the lock: others need not wait for the database.
            stored = self._source.arrays([document for document, _ in missing])
            fresh = {key: tuple(map(read, stored[key[0]])) for key in missing if key[0] in stored}
            found.update((key[0], rows) for key, rows in fresh.items())
            self._put(fresh)
        return found

    def _put(self, fresh: dict[Key, Rows]) -> None:
        with self._lock:
            for key, rows in fresh.items():
                before = self._held.pop(key, ())
                self._held[key] = rows
                self._bytes += _count_bytes(rows) - _count_bytes(before)
            while self._bytes > self._limit:
                _, gone = self._held.popitem(last=False)
                self._bytes -= _count_bytes(gone)


def _count_bytes(rows: Rows) -> int:
    return sum(each.nbytes for each in rows)
