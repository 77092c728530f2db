"""Fitting a judge's calibration on charts that it was not trained on.

The weight of the cosine is chosen from a few values by log loss, slope and offset by logistic regression
(Newton's method). Wording plays no part. Everything reported is of predictions for charts that were left out
of the fit, and so are the bounds of the verdicts: the charts of one author at a time, as authors differ more
than charts do and the user is another one; of fewer than three authors, one chart at a time. For the same
reason a bound has to hold for a few authors drawn from them, and not for their mean alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.judging.calibration import Bounds, Calibration

WEIGHTS = (0.0, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0)
"""Weights of the cosine that are tried."""
PRECISION = 0.85
"""Share of the cells called *disclosed* that must disclose the feature."""
NEAR = 0.10
"""Share of the near misses that may be called *disclosed*."""
SILENCED = 0.05
"""Share of the disclosing cells that may be called *nothing near*."""
SILENCED_AT_WORST = 0.10
"""The same share of the cells of a few authors, at the worse end of 95 % of draws."""
LEAST_CELLS = 20
"""Fewest cells from which a precision is taken: of ten, nine are right by luck too often."""
NEVER = 2.0
"""Bound of *disclosed* for a judge whose precision never reaches `PRECISION`."""
FURTHER = 4
"""Authors drawn, for whose charts the bounds have to hold: few, as those of a last part, or of an office."""
_AUTHORS = 3
"""Fewest authors that are left out one at a time."""
_RIDGE = 1e-4
_STEPS = 50
_STILL = 1e-9
_LOW = 0.025
"""Lower end of the intervals, as a quantile."""
_RESAMPLES = 1000
_SEED = 1
_FloatArray = NDArray[np.float64]
_BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCell:
    """A feature against a document whose ruling is known."""

    chart: str
    """Cells of one chart are resampled together."""
    disclosed: bool
    near_miss: bool
    """Undisclosed, but some passage comes near."""
    scores: _FloatArray
    """[candidates] rulings of the judge."""
    cosines: _FloatArray
    """[candidates] cosines of feature and passage."""
    author: str = ""
    """Cells of one author are left out together; empty: not known."""


@dataclass(frozen=True, slots=True)
class Held:
    """Figures on charts that took no part in the fit."""

    charts: int
    cells: int
    log_loss: float
    precision: float | None
    """Precision of *disclosed*; None if no cell is."""
    precision_low: float | None
    """Lower end of its 95 % interval, by resampling charts."""
    recall: float
    """Share of the disclosing cells called *disclosed*."""
    near: float
    """Share of the near misses called *disclosed*."""
    silenced: float
    """Share of the disclosing cells called *nothing near*."""
    cleared: float
    """Share of the other cells called *nothing near*."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted calibration and what it is worth."""

    calibration: Calibration
    held: Held
    probabilities: _FloatArray
    """[cells] each by a fit without its author, or its chart."""


@dataclass(frozen=True, slots=True)
class _Line:
    """``p = 1 / (1 + exp(-(slope * z + offset)))`` with z by the column of one weight."""

    column: int
    slope: float
    offset: float

    def probability(self, columns: _FloatArray) -> _FloatArray:
        found: _FloatArray = _sigmoid(self.slope * columns[:, self.column] + self.offset)
        return found


def fit_calibration(
    cells: Sequence[JudgedCell], *, candidates: int, fitted_on: str, weights: Sequence[float] = WEIGHTS
) -> Fit:
    """Fit a calibration on the cells of at least two charts, some of them disclosed and some not.

    Raises `InputError` for less.
    """
    labels = np.array([cell.disclosed for cell in cells], dtype=np.bool_)
    _, charts = np.unique([cell.chart for cell in cells], return_inverse=True)
    if len(np.unique(charts)) < 2 or not labels.any() or labels.all():
        raise InputError(
            "A calibration needs cells of at least two charts, some of them disclosed and some not."
        )
    columns = np.array(
        [[float((cell.scores + weight * cell.cosines).max()) for weight in weights] for cell in cells]
    )
    left_out = np.empty(len(cells))
    units = _units(cells, charts)
    for unit in np.unique(units):
        here = units == unit
        left_out[here] = _fit(columns[~here], labels[~here]).probability(columns[here])
    line = _fit(columns, labels)
    near = np.array([cell.near_miss for cell in cells], dtype=np.bool_)
    bounds = find_bounds(left_out, labels, near, units, drawn=FURTHER if by_author(cells) else 0)
    return Fit(
        Calibration(weights[line.column], line.slope, line.offset, bounds, candidates, fitted_on),
        measure_verdicts(left_out, labels, near, charts, bounds),
        left_out,
    )


def _units(cells: Sequence[JudgedCell], charts: NDArray[np.intp]) -> NDArray[np.intp]:
    """What is left out together: the cells of an author, or of a chart."""
    return np.unique([cell.author for cell in cells], return_inverse=True)[1] if by_author(cells) else charts


def by_author(cells: Sequence[JudgedCell]) -> bool:
    """Whether all charts of an author are left out together; else one chart at a time."""
    names = {cell.author for cell in cells}
    return len(names) >= _AUTHORS and "" not in names


def fit_readings(
    whole: Sequence[JudgedCell],
    first: Sequence[JudgedCell],
    *,
    candidates: tuple[int, int],
    fitted_on: str,
) -> tuple[Fit, Fit]:
    """Fit a judge that reads on: on all candidates of the same cells, and on those that it reads at first.

    ``candidates`` are the numbers of both. The calibration of the fit for all holds that for the first. Both
    have the same bounds, the higher one of *disclosed* and the lower one of *candidate*, so that a figure
    means the same in every row. Errors as of `fit_calibration`.
    """
    one, other = (
        fit_calibration(cells, candidates=number, fitted_on=fitted_on)
        for cells, number in zip((whole, first), candidates, strict=True)
    )
    found = (one.calibration.bounds, other.calibration.bounds)
    bounds = Bounds(max(item.disclosed for item in found), min(item.candidate for item in found))
    one, other = _with_bounds(one, whole, bounds), _with_bounds(other, first, bounds)
    return replace(one, calibration=replace(one.calibration, first=other.calibration)), other


def _with_bounds(fit: Fit, cells: Sequence[JudgedCell], bounds: Bounds) -> Fit:
    labels = np.array([cell.disclosed for cell in cells], dtype=np.bool_)
    near = np.array([cell.near_miss for cell in cells], dtype=np.bool_)
    _, charts = np.unique([cell.chart for cell in cells], return_inverse=True)
    held = measure_verdicts(fit.probabilities, labels, near, charts, bounds)
    return replace(fit, calibration=replace(fit.calibration, bounds=bounds), held=held)


def held_figures(held: Held, *, prefix: str = "") -> dict[str, float]:
    """The figures that are known, by name, as a manifest keeps them."""
    return {f"{prefix}{name}": float(value) for name, value in asdict(held).items() if value is not None}


def find_bounds(
    probabilities: _FloatArray,
    labels: _BoolArray,
    near: _BoolArray,
    units: NDArray[np.intp],
    *,
    drawn: int = 0,
) -> Bounds:
    """The probabilities at which the verdict changes, by `PRECISION`, `NEAR` and `SILENCED`.

    Arrays are [cells], ``units`` the authors, or charts, by number. *Disclosed* begins at the least
    probability above which precision and near misses keep to their limits at the worse ends of 95 % of draws
    of ``drawn`` units (0: as many as there are): on other charts either is worse as often as better.
    *Candidate* begins where `SILENCED` of the disclosed cells are below, and at those worse ends
    `SILENCED_AT_WORST` at most.
    """
    disclosed = NEVER
    found = _worst_above(probabilities, labels, near, units, drawn)
    for bound, cells, precision, wrong in zip(*found, strict=True):
        if wrong > NEAR:
            break
        if cells >= LEAST_CELLS and precision >= PRECISION:
            disclosed = float(bound)
    candidate = _find_candidate(probabilities[labels], units[labels], drawn or int(units.max()) + 1)
    return Bounds(disclosed, min(candidate, disclosed))


def _find_candidate(disclosing: _FloatArray, units: NDArray[np.intp], drawn: int) -> float:
    """The highest of the probabilities [cells] of disclosing cells below which few enough of them are."""
    order = np.argsort(disclosing, kind="stable")
    ranked, most = disclosing[order], int(SILENCED * len(order))
    # Of the first cells only: further ones are beyond the share of all of them in any case.
    each = np.zeros((most + 1, int(units.max()) + 1))
    each[np.arange(1, most + 1), units[order[:most]]] = 1
    times = _draw(units, drawn)
    of = times @ np.bincount(units, minlength=times.shape[1])
    below = times @ each.cumsum(axis=0).T / np.maximum(of, 1.0)[:, None]
    worst = np.quantile(below, 1.0 - _LOW, axis=0)
    return float(ranked[int(np.flatnonzero(worst <= SILENCED_AT_WORST)[-1])])


def _worst_above(
    probabilities: _FloatArray,
    labels: _BoolArray,
    near: _BoolArray,
    units: NDArray[np.intp],
    drawn: int,
) -> tuple[_FloatArray, _FloatArray, _FloatArray, _FloatArray]:
    """Each probability, falling, and three figures of the cells from it on.

    Their number, the 2.5 % quantile of their precision, and the 97.5 % quantile of the share of the near
    misses that they hold.
    """
    order = np.argsort(-probabilities, kind="stable")
    ranked = probabilities[order]
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)

    def count(cells: _BoolArray) -> _FloatArray:
        """[units, probabilities] such cells of each unit from each probability on."""
        each = np.zeros((len(order), int(units.max()) + 1))
        each[np.arange(len(order)), units[order]] = cells[order]
        counted: _FloatArray = each.cumsum(axis=0)[ends].T
        return counted

    times = _draw(units, drawn)
    above = times @ count(np.ones_like(labels))
    right, wrong = times @ count(labels), times @ count(near)
    of = times @ np.bincount(units, near, times.shape[1])
    # A draw without such cells says nothing; without near misses at all nothing is wrong.
    precision = np.where(above > 0, right / np.maximum(above, 1.0), np.nan)
    share = np.where(of > 0, (wrong.T / np.maximum(of, 1.0)), np.nan if near.any() else 0.0).T
    low, high = np.nanquantile(precision, _LOW, axis=0), np.nanquantile(share, 1.0 - _LOW, axis=0)
    return ranked[ends], (ends + 1).astype(np.float64), low, high


def _draw(units: NDArray[np.intp], drawn: int = 0) -> _FloatArray:
    """[resamples, units] how often each is drawn, of ``drawn`` draws; 0: as many as there are units."""
    number = int(units.max()) + 1
    places = np.random.default_rng(_SEED).integers(number, size=(_RESAMPLES, drawn or number))
    return np.array([np.bincount(each, minlength=number) for each in places], dtype=np.float64)


def _fit(columns: _FloatArray, labels: _BoolArray) -> _Line:
    """The weight with the least log loss, and its line."""
    found = [_logistic(columns[:, column], labels) for column in range(columns.shape[1])]
    losses = [
        log_loss(_sigmoid(slope * columns[:, column] + offset), labels)
        for column, (slope, offset) in enumerate(found)
    ]
    best = int(np.argmin(losses))
    return _Line(best, *found[best])


def _logistic(values: _FloatArray, labels: _BoolArray) -> tuple[float, float]:
    """Slope, not below 0, and offset of a logistic regression on one column."""
    middle, spread = float(values.mean()), float(values.std()) or 1.0
    design = np.column_stack([(values - middle) / spread, np.ones(len(values))])
    ridge = np.array([_RIDGE, 0.0])
    at = np.array([0.0, _logit(float(labels.mean()))])
    for _ in range(_STEPS):
        said = _sigmoid(design @ at)
        gradient = design.T @ (said - labels) / len(labels) + ridge * at
        curvature = (design.T * (said * (1 - said))) @ design / len(labels) + np.diag(ridge + _STILL)
        step = np.linalg.solve(curvature, gradient)
        at = at - step
        if float(np.abs(step).max()) < _STILL:
            break
    if at[0] <= 0:  # the judge is no better than chance, and its order is not turned round
        return 0.0, _logit(float(labels.mean()))
    slope = float(at[0]) / spread
    return slope, float(at[1]) - slope * middle


def measure_verdicts(
    probabilities: _FloatArray, labels: _BoolArray, near: _BoolArray, charts: NDArray[np.intp], bounds: Bounds
) -> Held:
    """The figures of cells [cells] whose probabilities are known; ``charts`` are their charts by number."""
    above, below = probabilities >= bounds.disclosed, probabilities < bounds.candidate
    return Held(
        charts=len(np.unique(charts)),
        cells=len(labels),
        log_loss=log_loss(probabilities, labels),
        precision=float(labels[above].mean()) if above.any() else None,
        precision_low=_lower_precision(above, labels, charts),
        recall=float(above[labels].mean()),
        near=float(above[near].mean()) if near.any() else 0.0,
        silenced=float(below[labels].mean()),
        cleared=float(below[~labels].mean()) if not labels.all() else 0.0,
    )


def _lower_precision(above: _BoolArray, labels: _BoolArray, charts: NDArray[np.intp]) -> float | None:
    """2.5 % quantile of the precision over resampled charts."""
    times = _draw(charts)
    number = times.shape[1]
    totals = times @ np.bincount(charts, above, number)
    right = times @ np.bincount(charts, above & labels, number)
    known = totals > 0
    return float(np.quantile(right[known] / totals[known], _LOW)) if known.any() else None


def log_loss(probabilities: _FloatArray, labels: _BoolArray) -> float:
    """Mean of -log of the probability of what is the case."""
    right = np.where(labels, probabilities, 1.0 - probabilities)
    return float(-np.log(np.maximum(right, 1e-15)).mean())


def _sigmoid(x: _FloatArray) -> _FloatArray:
    # Clipped: exp overflows beyond 709, and nothing is gained beyond 35.
    found: _FloatArray = 1.0 / (1.0 + np.exp(-np.clip(x, -35.0, 35.0)))
    return found


def _logit(share: float) -> float:
    return float(np.log(share / (1.0 - share)))
