"""What charts keep in memory: the latest rulings, and vectors of parts of claims."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from claimlight.judging.base import Ruling

_RULINGS = 1 << 17
"""Rulings kept: some 200 matrices of 50 documents and nine features."""
_VECTORS = 1 << 14
"""Vectors kept: the parts of some 400 documents with 40 parts each."""
_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """The values that were put or asked for last; safe to share between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._known: OrderedDict[_K, _V] = OrderedDict()

    def get(self, key: _K) -> _V | None:
        """The value of a key, if it is known."""
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
            return found

    def put(self, key: _K, value: _V) -> None:
        """Keep a value."""
        with self._lock:
            self._known[key] = value
            while len(self._known) > self._limit:
                self._known.popitem(last=False)


class ChartCache:
    """Shared by the charts of one engine and their threads."""

    def __init__(self) -> None:
        self.rulings: Recent[tuple[str, ...], Ruling] = Recent(_RULINGS)
        """By fingerprint of the judge, preamble, feature, digest of the passage, and parts read."""
        self.vectors: Recent[tuple[str, str], NDArray[np.floating[Any]]] = Recent(_VECTORS)
        """By fingerprint of the encoder and text."""
