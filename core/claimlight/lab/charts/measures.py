"""Measures on cells, with intervals from resampling whole charts.

Every measure is a function of the cells that a resample drew, by index; all measures of all systems see the
same resamples, so their differences are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.evaluation.measures import auc
from claimlight.lab.charts.reading import Wording
from claimlight.lab.charts.rivals import MeasuredCell, System
from claimlight.lab.diagnostics.cells.measures import reliability

RESAMPLES = 1000
SEED = 1
_FloatArray = NDArray[np.float64]
_BoolArray = NDArray[np.bool_]
Statistic = Callable[[NDArray[np.intp]], float]
"""A measure of some cells; nan if they do not define it."""

CONTESTS = ("all", "same", "other", "implicit", "near miss", "absent")
"""Disclosed against undisclosed cells: all; one kind of wording against all undisclosed ones; all disclosed
ones against one kind of undisclosed."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure and its 95 % interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What is known of the cells; arrays are [cells]."""

    disclosed: _BoolArray
    wording: tuple[Wording, ...]
    charts: NDArray[np.intp]
    """Number of the chart, or of the group of charts, that is drawn together."""

    @classmethod
    def of(cls, cells: Sequence[MeasuredCell]) -> Labels:
        """The labels of cells."""
        names = [cell.chart.group or cell.chart.id for cell in cells]
        _, numbers = np.unique(names, return_inverse=True)
        return cls(
            np.array([cell.cell.disclosed for cell in cells], dtype=np.bool_),
            tuple(cell.cell.wording for cell in cells),
            numbers,
        )

    def is_wording(self, wording: Wording) -> _BoolArray:
        """Which cells have this wording."""
        return np.array([item is wording for item in self.wording], dtype=np.bool_)

    def contest(self, name: str) -> _BoolArray:
        """Which cells take part in one of the `CONTESTS`."""
        if name == "all":
            return np.ones(len(self.wording), dtype=np.bool_)
        chosen = self.is_wording(Wording(name.replace(" ", "_")))
        return chosen | (self.disclosed if name in ("near miss", "absent") else ~self.disclosed)


def average_precision(values: _FloatArray, labels: _BoolArray) -> float:
    """Mean precision at the disclosed cells, by falling value; cells of equal value count together."""
    if not labels.any():
        return float("nan")
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    right = np.cumsum(labels[order])[last]
    return float((np.diff(right, prepend=0) * right / (last + 1)).sum() / labels.sum())


def area_statistic(system: System, labels: Labels, contest: str) -> Statistic:
    """Area under the curve in a contest."""
    return _ranked(auc, system, labels, contest)


def precision_statistic(system: System, labels: Labels, contest: str) -> Statistic:
    """Average precision in a contest."""
    return _ranked(average_precision, system, labels, contest)


def _ranked(
    measure: Callable[[_FloatArray, _BoolArray], float], system: System, labels: Labels, contest: str
) -> Statistic:
    values, mask = system.values, labels.contest(contest)

    def of(cells: NDArray[np.intp]) -> float:
        here = cells[mask[cells]]
        found = labels.disclosed[here]
        return measure(values[here], found) if found.any() and not found.all() else float("nan")

    return of


def right_statistic(system: System, cells: Sequence[MeasuredCell], depth: int) -> Statistic:
    """Share of the disclosed cells for which a right paragraph is among the first ``depth``.

    For published sets, which rule on whole pairs: share of the groups with a disclosed pair among the first.
    """
    paragraphs = any(cell.right for cell in cells)
    hits = _right_paragraphs(system, cells, depth) if paragraphs else _right_pairs(system, cells, depth)
    return mean_statistic(hits)


def _right_paragraphs(system: System, cells: Sequence[MeasuredCell], depth: int) -> _FloatArray:
    """[cells] 1 or 0; nan for undisclosed cells."""
    hits = np.full(len(cells), np.nan)
    for place, (cell, scores) in enumerate(zip(cells, system.scores, strict=True)):
        if cell.right:
            order = np.argsort(-scores, kind="stable")[:depth].tolist()
            hits[place] = any(item in cell.right and scores[item] > -np.inf for item in order)
    return hits


def _right_pairs(system: System, cells: Sequence[MeasuredCell], depth: int) -> _FloatArray:
    """[cells] 1 or 0 for the first pair of each group that has pairs of both kinds; else nan."""
    labels, values = Labels.of(cells), system.values
    hits = np.full(len(cells), np.nan)
    for number in np.unique(labels.charts):
        own = np.flatnonzero(labels.charts == number)
        found = labels.disclosed[own]
        if found.any() and not found.all():
            hits[own[0]] = found[np.argsort(-values[own], kind="stable")[:depth]].any()
    return hits


def verdict_statistics(system: System, labels: Labels) -> dict[str, Statistic]:
    """What the verdicts of a calibrated system are worth."""
    assert system.calibration is not None
    assert system.probabilities is not None
    bounds, said = system.calibration.bounds, system.probabilities
    above = np.where(said >= bounds.disclosed, 1.0, 0.0)
    below = np.where(said < bounds.candidate, 1.0, 0.0)
    near = labels.is_wording(Wording.NEAR_MISS)
    nan = np.nan
    return {
        "precision": mean_statistic(np.where(above > 0, labels.disclosed, nan)),
        "recall": mean_statistic(np.where(labels.disclosed, above, nan)),
        "near_disclosed": mean_statistic(np.where(near, above, nan)),
        "disclosed_at_nothing": mean_statistic(np.where(labels.disclosed, below, nan)),
        "undisclosed_at_nothing": mean_statistic(np.where(~labels.disclosed, below, nan)),
        "calibration_error": lambda cells: reliability(
            said[cells], labels.disclosed[cells], np.ones(len(cells))
        )[1],
    }


def mean_statistic(values: _FloatArray) -> Statistic:
    """Mean over the cells whose value is not nan."""
    known = ~np.isnan(values)

    def of(cells: NDArray[np.intp]) -> float:
        here = cells[known[cells]]
        return float(values[here].mean()) if len(here) else float("nan")

    return of


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Measures of all cells and of every resample."""

    columns: Mapping[str, int]
    values: _FloatArray
    """[measures]."""
    drawn: _FloatArray
    """[resamples, measures]."""

    def estimate(self, name: str) -> Estimate:
        """A measure with its interval."""
        column = self.columns[name]
        return _estimate(float(self.values[column]), self.drawn[:, column])

    def difference(self, name: str, other: str) -> Estimate:
        """One measure less another, paired."""
        one, two = self.columns[name], self.columns[other]
        return _estimate(float(self.values[one] - self.values[two]), self.drawn[:, one] - self.drawn[:, two])


def resample_charts(
    statistics: Mapping[str, Statistic], charts: NDArray[np.intp], *, resamples: int = RESAMPLES
) -> Resampled:
    """All statistics on all cells, and on cells of charts drawn with replacement."""
    order = np.argsort(charts, kind="stable")
    _, first = np.unique(charts[order], return_index=True)
    members = np.split(order, first[1:])
    rng = np.random.default_rng(SEED)
    every = np.arange(len(charts))
    drawn = np.empty((resamples, len(statistics)))
    for turn in range(resamples):
        taken = np.concatenate([members[item] for item in rng.integers(len(members), size=len(members))])
        drawn[turn] = [statistic(taken) for statistic in statistics.values()]
    return Resampled(
        {name: column for column, name in enumerate(statistics)},
        np.array([statistic(every) for statistic in statistics.values()]),
        drawn,
    )


def _estimate(value: float, drawn: _FloatArray) -> Estimate:
    known = drawn[~np.isnan(drawn)]
    if math.isnan(value) or not len(known):
        return Estimate(None, None, None)
    low, high = np.quantile(known, (0.025, 0.975))
    return Estimate(value, float(low), float(high))
