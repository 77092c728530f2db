"""Measures of a method that gives cells a value: ranking, precision at recall, reliability.

Intervals come from resampling documents, the cells of one document's claim staying together: cells of
one claim are no independent witnesses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A measure with the interval of its resamples."""

    value: float
    low: float
    high: float


def precision_at(values: NDArray[np.float64], labels: NDArray[np.bool_], recall: float) -> float:
    """Precision at the highest threshold that finds this share of the positives; ties all taken."""
    positives = np.sort(values[labels])[::-1]
    if not len(positives):
        return float("nan")
    threshold = positives[max(int(np.ceil(recall * len(positives))) - 1, 0)]
    return float(labels[values >= threshold].mean())


Measure = Callable[[NDArray[np.float64], NDArray[np.bool_]], float]


def resample(
    measure: Measure,
    columns: Sequence[NDArray[np.float64]],
    labels: NDArray[np.bool_],
    groups: NDArray[np.int64],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> tuple[list[Interval], list[Interval]]:
    """The measure of every column, and that of every column less that of the last one (paired).

    ``groups`` is the document of every cell; documents are drawn with replacement.
    """
    order = np.argsort(groups, kind="stable")
    _, first = np.unique(groups[order], return_index=True)
    members = np.split(order, first[1:])
    rng = np.random.default_rng(seed)
    whole = np.array([measure(column, labels) for column in columns])
    drawn = np.empty((resamples, len(columns)))
    for turn in range(resamples):
        taken = np.concatenate([members[n] for n in rng.integers(len(members), size=len(members))])
        drawn[turn] = [measure(column[taken], labels[taken]) for column in columns]
    return (
        [_interval(value, drawn[:, n]) for n, value in enumerate(whole)],
        [_interval(value - whole[-1], drawn[:, n] - drawn[:, -1]) for n, value in enumerate(whole)],
    )


def _interval(value: float, drawn: NDArray[np.float64]) -> Interval:
    low, high = np.nanquantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(value), float(low), float(high))


@dataclass(frozen=True, slots=True)
class Bin:
    """Cells with probabilities in one range: mean probability and share of positives."""

    low: float
    high: float
    weight: float
    said: float
    """Mean probability."""
    found: float
    """Share of positives."""


def reliability(
    probabilities: NDArray[np.float64],
    labels: NDArray[np.bool_],
    weights: NDArray[np.float64],
    bins: int = 10,
) -> tuple[tuple[Bin, ...], float]:
    """The reliability table, and the expected calibration error: the mean gap, by weight."""
    place = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    made: list[Bin] = []
    error = 0.0
    for number in range(bins):
        here = place == number
        weight = float(weights[here].sum())
        if weight <= 0:
            continue
        said = float(np.average(probabilities[here], weights=weights[here]))
        found = float(np.average(labels[here], weights=weights[here]))
        error += weight * abs(said - found)
        made.append(Bin(number / bins, (number + 1) / bins, weight, said, found))
    return tuple(made), error / float(weights.sum())
