"""Scores of documents whose description is not indexed yet, beside those of documents that are indexed whole.

A document is ranked by its best part, so a description adds to its score whatever it is about. Of the
documents that are indexed whole both figures are known for a query: by title, abstract and claims alone, and
by everything. A line through them gives a score to the others.

The line of least squares gives the expected score, and keeps the others from the first places: what is
expected varies less than what is known. The line that keeps the spread puts too many there. The slope is the
geometric mean of the two (docs/lab/measured/index-depths.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

LEAST = 20
"""Documents below which no line is drawn."""
_LEAST_SLOPE = 1e-6
_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class Expectation:
    """The score of a whole document to expect from that of its claims: ``offset + slope * claims``."""

    slope: float
    offset: float

    def of(self, claims: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expected scores; never below those of the claims."""
        return np.maximum(claims, self.offset + self.slope * claims)


def fit_expectation(claims: NDArray[np.float64], whole: NDArray[np.float64]) -> Expectation | None:
    """Fit documents that are indexed whole; None if they are too few, or all alike."""
    if len(claims) < LEAST:
        return None
    spread = float(claims.var())
    if spread <= _NO_SPREAD:
        return None
    shared = float(((claims - claims.mean()) * (whole - whole.mean())).mean())
    # Neither is below zero: a line that falls or is level would not keep the order of the claims.
    least_squares = max(shared / spread, _LEAST_SLOPE)
    same_spread = max(sqrt(float(whole.var()) / spread), _LEAST_SLOPE)
    slope = sqrt(least_squares * same_spread)
    return Expectation(slope, float(whole.mean() - slope * claims.mean()))


def place_among(wanted: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where each of some distinct numbers is among others, in any order; all of them are there."""
    order = np.argsort(there)
    return order[np.searchsorted(there, wanted, sorter=order)]
