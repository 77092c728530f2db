"""Pairs of documents that together disclose a claim: exact, best first, without forming all n² pairs.

For each feature a pair has the probability that at least one of the two documents discloses it, ``1 - (1 -
p_if)(1 - p_jf)``, so it covers the sum of these over f, divided by n. Of a match strength, which is no
probability, and anything else it has the larger. Two upper bounds prune the search: document i with the best
value of each feature in any document, and the sum of both documents' values. Only pairs that likely disclose
more features than any single document are returned, or surely disclose more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MARGIN = 1e-9
"""Rounding error of two sums of a few dozen values."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentPairs:
    """Rows of both documents, the share they cover together, and what the second adds; best first."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    covered: NDArray[np.float64]
    gain: NDArray[np.float64]


def combine(
    one: NDArray[np.float64], other: NDArray[np.float64], probable: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """What two documents have of each feature together: of probabilities that of either, else the larger."""
    larger: NDArray[np.float64] = np.maximum(one, other)
    return larger + np.where(probable, np.minimum(one, other) * (1.0 - larger), 0.0)


def find_best_pairs(
    carried: NDArray[np.float64],
    probable: NDArray[np.bool_],
    likely: NDArray[np.bool_],
    *,
    limit: int,
    sure: NDArray[np.bool_] | None = None,
) -> DocumentPairs:
    """Find the ``limit`` best pairs of rows of ``carried`` [D, F], 0 to 1.

    ``probable`` [D, F] says which values are probabilities, ``likely`` [D, F] which features a row likely
    discloses, ``sure`` [D, F] which surely (default: likely). A pair likely discloses more of them than the
    best single row, or surely discloses more than the best single row surely does. The first of a pair covers
    more on its own (ties: the earlier row). Pairs are sorted by what they cover, then by what the first
    covers alone, then by rows.
    """
    documents, features = carried.shape
    if documents < 2 or not features or limit < 1:
        none = np.empty(0, dtype=np.int64)
        return DocumentPairs(none, none, np.empty(0), np.empty(0))
    alone = carried.sum(axis=1)
    order = np.lexsort((np.arange(documents), -alone))
    sorted_rows, sums = carried[order], alone[order]
    kinds = [each[order] for each in (likely, likely if sure is None else sure)]
    sorted_probable = probable[order]
    single = [int(each.sum(axis=1).max()) for each in kinds]
    roof = combine(sorted_rows, carried.max(axis=0), np.ones_like(likely)).sum(axis=1)
    best = _Best(order, alone, limit)
    for place in range(documents - 1):
        # Rows are sorted by descending sums, so the bound of all later pairs is lower still.
        if sums[place] + sums[place + 1] < best.bar - _MARGIN:
            break
        if roof[place] < best.bar - _MARGIN:
            continue
        # Sums descend, so the others that can still reach the bar are a prefix.
        reach = int(np.searchsorted(-sums, sums[place] - best.bar + _MARGIN, side="right"))
        others = np.arange(place + 1, max(reach, place + 1))
        both = sorted_probable[place] & sorted_probable[others]
        together = combine(sorted_rows[place], sorted_rows[others], both).sum(axis=1)
        more = [
            (each[place] | each[others]).sum(axis=1) > most for each, most in zip(kinds, single, strict=True)
        ]
        kept = (more[0] | more[1]) & (together >= best.bar - _MARGIN)
        best.add(place, others[kept], together[kept])
    return best.found(features)


class _Best:
    """The best pairs so far; ``bar`` is what a further pair must reach."""

    def __init__(self, order: NDArray[np.int64], alone: NDArray[np.float64], limit: int) -> None:
        self._order, self._alone, self._limit = order, alone, limit
        self._first = np.empty(0, dtype=np.int64)
        self._second = np.empty(0, dtype=np.int64)
        self._together = np.empty(0)
        self.bar = 0.0

    def add(self, place: int, others: NDArray[np.int64], together: NDArray[np.float64]) -> None:
        """Add pairs of the document at ``place`` in the order with later documents."""
        if not len(together):
            return
        first = np.concatenate([self._first, np.full(len(others), self._order[place])])
        second = np.concatenate([self._second, self._order[others]])
        together = np.concatenate([self._together, together])
        # Rounded, because equal sums may differ in their last bits by the order of additions.
        best = np.lexsort((second, first, -np.round(self._alone[first], 9), -np.round(together, 9)))
        best = best[: self._limit]
        self._first, self._second, self._together = first[best], second[best], together[best]
        if len(best) == self._limit:
            self.bar = float(self._together.min())

    def found(self, features: int) -> DocumentPairs:
        covered = self._together / features
        return DocumentPairs(
            self._first, self._second, covered, covered - self._alone[self._first] / features
        )
