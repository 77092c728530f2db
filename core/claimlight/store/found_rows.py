"""What the full text answers, in a library's file or on a server."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
NO_ROWS: Rows = np.empty(0, np.int64)
LAST = "\U0010ffff"
"""Behind every word with the same beginning."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundRows:
    """Rows of a query, ascending; none is in both."""

    sure: Rows
    open: Rows = field(default_factory=lambda: NO_ROWS)
    """Rows that may be meant: the database can't decide it."""


@dataclass(frozen=True, slots=True)
class IndexedWord:
    """An indexed word and the number of rows that contain it."""

    word: str
    rows: int


def join_rows(one: Rows, other: Rows) -> Rows:
    """The rows of both, ascending, none twice."""
    # Most often one of them is empty, and then nothing has to be sorted.
    return np.union1d(one, other) if len(one) and len(other) else one if len(one) else other


def read_listed(listed: str | None) -> Rows:
    """Ids from a text with commas between them, ascending; none from NULL."""
    return np.sort(np.fromstring(listed, np.int64, sep=",")) if listed else NO_ROWS
