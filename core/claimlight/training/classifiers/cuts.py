"""Thresholds of scores by the best F1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class BestCut:
    """A threshold with the F1 that it had where it was learned."""

    cut: float
    f1: float


def best_cut(scores: NDArray[np.float64], truth: NDArray[np.bool_], *, total: int | None = None) -> BestCut:
    """The threshold of the best F1 of some answers; of equally good ones the highest.

    It is the mean of the lowest score above and the highest below. Without a single true answer
    nothing is ever given. ``total``: true answers, where those of low scores were left out.
    """
    total = int(truth.sum()) if total is None else total
    if not total or not len(scores):
        return BestCut(float("inf"), 0.0)
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    right = np.cumsum(truth[order])
    # F1 after each answer given: 2 right / (given + true).
    f1 = 2.0 * right / (np.arange(1, len(ranked) + 1) + total)
    ends = np.append(ranked[:-1] > ranked[1:], [True])  # scores that are equal are given together
    best = int(np.argmax(np.where(ends, f1, -1.0)))
    after = ranked[best + 1] if best + 1 < len(ranked) else ranked[best]
    return BestCut(_middle(float(ranked[best]), float(after)), float(f1[best]))


def _middle(high: float, low: float) -> float:
    """Between two scores; endless ones (of labels that were never seen) have no middle."""
    return (high + low) / 2.0 if np.isfinite(low) and np.isfinite(high) else high
