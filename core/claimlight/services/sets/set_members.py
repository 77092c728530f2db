"""Conversion of the publication numbers of sets to row ids of a library and back, in bulk.

Sets are stored by publication number, because row ids are valid in one library only; set arithmetic needs
ids. One directory of the library serves both directions. Converted sets are cached by content, so a line that
combines sets again needs no query of the database.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.store.database import execute_plain
from claimlight.store.repository import read_library_version
from claimlight.store.store import Store
from claimlight.types import SetHit, SetHits

KEPT = 64
"""Number of cached sets: a set of 100,000 documents takes 0.8 MB."""
_NUMBERS = "SELECT id, country || '\x1f' || number || '\x1f' || kind FROM document ORDER BY id"
"""Spelt as `publication_text` does."""


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The documents of a set in one library."""

    ids: NDArray[np.int64]
    """Id of each hit in order; 0 if the library does not contain it (any more)."""
    held: NDArray[np.int64]
    """Ids in the library, ascending, none twice."""

    @property
    def missing(self) -> int:
        """Number of hits that are not in this library."""
        return int(np.count_nonzero(self.ids == 0))


@dataclass(frozen=True, slots=True, eq=False)
class _Directory:
    """All documents of one library version."""

    version: int
    ids: NDArray[np.int64]
    """Ascending."""
    keys: NDArray[np.object_]
    """`publication_text` of each."""
    by_key: dict[str, int]


class SetMembers:
    """Converts the sets of one library; threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._directory: _Directory | None = None
        self._known: OrderedDict[bytes, Members] = OrderedDict()

    def members(self, hits: Sequence[SetHit], version: int) -> Members:
        """The documents of some hits in version ``version`` of the library."""
        packed = hits if isinstance(hits, SetHits) else SetHits.of(hits)
        directory = self._current(version)
        key = packed.digest()
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
                return found
        known = directory.by_key
        ids = np.fromiter((known.get(key, 0) for key in packed.keys), dtype=np.int64, count=len(packed))
        ordered = np.sort(ids)
        fresh = np.diff(ordered, prepend=0) > 0  # sorted, so this is quicker than np.unique
        found = Members(ids, ordered[fresh])
        with self._lock:
            # Another thread may have read a newer library meanwhile, in which these ids mean nothing.
            if self._directory is directory:
                self._known[key] = found
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
        return found

    def hits(self, ids: NDArray[np.int64], scores: Sequence[float], version: int) -> SetHits:
        """The hits of a set of documents, in their order."""
        directory = self._current(version)
        if not len(ids):
            return SetHits()
        return SetHits(directory.keys[np.searchsorted(directory.ids, ids)].tolist(), scores)

    def _current(self, version: int) -> _Directory:
        with self._lock:
            if self._directory is None or self._directory.version != version:
                self._directory = _read(self._store, version)
                self._known.clear()
            return self._directory


def find_documents(store: Store, hits: Sequence[SetHit]) -> list[int]:
    """Ids of the documents of a set that are in a library, ascending."""
    held: list[int] = SetMembers(store).members(hits, read_library_version(store)).held.tolist()
    return held


def _read(store: Store, version: int) -> _Directory:
    with store.read() as connection:
        rows = execute_plain(connection, _NUMBERS).fetchall()
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    keys = np.empty(len(rows), dtype=object)
    keys[:] = [row[1] for row in rows]
    return _Directory(version, ids, keys, {key: number for number, key in rows})
