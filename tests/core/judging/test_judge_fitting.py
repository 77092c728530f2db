"""Fitting a judge's calibration: the best line by brute force, and bounds that keep what they promise."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from claimlight.errors import InputError
from claimlight.judging.fitting import (
    FURTHER,
    LEAST_CELLS,
    NEAR,
    NEVER,
    PRECISION,
    SILENCED,
    SILENCED_AT_WORST,
    JudgedCell,
    by_author,
    find_bounds,
    fit_calibration,
    fit_readings,
)


def made_cells(charts=30, each=8, *, told=1.5, seed=3):
    """Cells whose rulings follow score and cosine, with noise."""
    rng = np.random.default_rng(seed)
    cells = []
    for chart, _ in itertools.product(range(charts), range(each)):
        disclosed = bool(rng.random() < 0.5)
        scores = rng.normal(size=3)
        cosines = rng.uniform(0.2, 0.8, size=3)
        if disclosed:
            scores[rng.integers(3)] += 2 * told
            cosines[rng.integers(3)] += 0.07 * told
        near = not disclosed and bool(rng.random() < 0.6)
        cells.append(JudgedCell(f"C{chart}", disclosed, near, scores, cosines))
    return cells


def log_loss(cells, calibration, slope, offset):
    total = 0.0
    for cell in cells:
        z = max(s + calibration.cosine * c for s, c in zip(cell.scores, cell.cosines, strict=True))
        p = 1 / (1 + np.exp(-(slope * z + offset)))
        total -= np.log(p if cell.disclosed else 1 - p)
    return total / len(cells)


def test_no_line_nearby_fits_better():
    cells = made_cells()
    found = fit_calibration(cells, candidates=3, fitted_on="made cells").calibration
    own = log_loss(cells, found, found.slope, found.offset)
    steps = np.linspace(-0.5, 0.5, 11)
    others = [
        log_loss(cells, found, found.slope + a, found.offset + b) for a, b in itertools.product(steps, steps)
    ]
    assert found.slope > 0
    # The ridge moves the fit by a trace.
    assert own <= min(others) + 1e-4
    assert (found.candidates, found.fitted_on) == (3, "made cells")


def test_a_calibration_gives_the_probability_that_was_fitted():
    cells = made_cells()
    fit = fit_calibration(cells, candidates=3, fitted_on="")
    for cell, left_out in zip(cells, fit.probabilities, strict=True):
        place = fit.calibration.choose(cell.scores.tolist(), cell.cosines.tolist())
        whole = fit.calibration.probability(float(cell.scores[place]), float(cell.cosines[place]))
        assert whole == pytest.approx(left_out, abs=0.1), "one chart of thirty moves little"


def test_a_chart_is_predicted_without_its_own_rulings():
    cells = made_cells(charts=5)
    before = fit_calibration(cells, candidates=3, fitted_on="").probabilities
    turned = [
        JudgedCell(c.chart, not c.disclosed, False, c.scores, c.cosines) if c.chart == "C0" else c
        for c in cells
    ]
    after = fit_calibration(turned, candidates=3, fitted_on="").probabilities
    own = np.array([cell.chart == "C0" for cell in cells])
    assert after[own] == pytest.approx(before[own])
    assert after[~own] != pytest.approx(before[~own])


def worse_ends(above, labels, near, charts, drawn=0):
    """Lower end of the precision of some cells, and upper end of their share of the near misses, one draw of
    charts, or authors, after the other."""
    rng, number = np.random.default_rng(1), charts.max() + 1
    precisions, shares = [], []
    for places in rng.integers(number, size=(1000, drawn or number)):
        cells = np.concatenate([np.flatnonzero(charts == chart) for chart in places])
        said = cells[above[cells]]
        precisions.append(labels[said].mean() if len(said) else np.nan)
        shares.append(near[said].sum() / near[cells].sum())
    return np.nanquantile(precisions, 0.025), np.quantile(shares, 0.975)


def test_bounds_keep_what_the_verdicts_promise_at_the_worse_ends_of_their_intervals():
    cells = made_cells()
    fit = fit_calibration(cells, candidates=3, fitted_on="")
    bounds, held = fit.calibration.bounds, fit.held
    labels = np.array([cell.disclosed for cell in cells])
    near = np.array([cell.near_miss for cell in cells])
    charts = np.unique([cell.chart for cell in cells], return_inverse=True)[1]
    above = fit.probabilities >= bounds.disclosed
    assert held.precision == labels[above].mean()
    assert held.near == above[near].mean()
    low, high = worse_ends(above, labels, near, charts)
    assert held.precision_low == pytest.approx(low)
    assert held.precision > low >= PRECISION
    assert held.near < high <= NEAR
    assert held.silenced == (fit.probabilities < bounds.candidate)[labels].mean() <= SILENCED
    assert held.cleared == (fit.probabilities < bounds.candidate)[~labels].mean() > SILENCED
    next_lower = max(p for p in np.unique(fit.probabilities) if p < bounds.disclosed)
    low, high = worse_ends(fit.probabilities >= next_lower, labels, near, charts)
    assert low < PRECISION or high > NEAR, "it is the least such bound"


def silenced_at_worst(bound, probabilities, labels, units, drawn):
    """Upper end of the share of disclosing cells below a bound, one draw of authors after the other."""
    places = np.random.default_rng(1).integers(units.max() + 1, size=(1000, drawn))
    below = np.array([(probabilities < bound)[labels & (units == each)].sum() for each in range(10)])
    cells = np.array([(labels & (units == each)).sum() for each in range(10)])
    return np.quantile(below[places].sum(axis=1) / cells[places].sum(axis=1), 0.975)


@pytest.mark.parametrize("harder", [0, 2])
def test_candidate_begins_where_a_few_authors_lose_little(harder):
    """Two of ten authors disclose in terms that the judge doubts more: four drawn may have both."""
    rng = np.random.default_rng(6)
    units = np.repeat(np.arange(10), 60)
    labels = rng.random(600) < 0.5
    logits = rng.normal(np.where(labels, 1.5, -1.0) - 1.2 * labels * (units < harder), 1.0)
    said = 1 / (1 + np.exp(-logits))
    found = find_bounds(said, labels, ~labels, units, drawn=4).candidate
    worst = silenced_at_worst(found, said, labels, units, 4)
    assert (said[labels] < found).mean() <= SILENCED
    assert worst <= SILENCED_AT_WORST
    higher = min(said[labels & (said > found)])
    more = (said[labels] < higher).mean() > SILENCED
    assert more or silenced_at_worst(higher, said, labels, units, 4) > SILENCED_AT_WORST
    assert more == (harder == 0), "with such authors the draws decide"


def test_bounds_hold_for_a_few_authors_and_not_for_their_mean_alone():
    """Two of ten authors write harder near misses: four drawn may be these two and two others."""
    rng = np.random.default_rng(2)
    cells = []
    for number, author in itertools.product(range(60), "ABCDEFGHIJ"):
        kind = number % 3
        hard = author in "AB"
        score = {0: 2.5, 1: 1.2 if hard else -1.5, 2: -2.5}[kind] + rng.normal()
        cells.append(
            JudgedCell(
                f"{author}{number // 6}", kind == 0, kind == 1, np.array([score]), np.zeros(1), author=author
            )
        )
    fit = fit_calibration(cells, candidates=1, fitted_on="made cells")
    labels = np.array([cell.disclosed for cell in cells])
    near = np.array([cell.near_miss for cell in cells])
    authors = np.unique([cell.author for cell in cells], return_inverse=True)[1]
    found = find_bounds(fit.probabilities, labels, near, authors, drawn=FURTHER)
    assert found == fit.calibration.bounds
    low, high = worse_ends(fit.probabilities >= found.disclosed, labels, near, authors, FURTHER)
    assert low >= PRECISION
    assert high <= NEAR
    mean = find_bounds(fit.probabilities, labels, near, authors)
    assert mean.disclosed < found.disclosed
    assert worse_ends(fit.probabilities >= mean.disclosed, labels, near, authors, FURTHER)[1] > NEAR


def test_what_is_read_at_first_has_a_line_of_its_own_and_the_bounds_of_all():
    cells = made_cells()
    few = [JudgedCell(c.chart, c.disclosed, c.near_miss, c.scores[:1], c.cosines[:1]) for c in cells]
    whole, first = fit_readings(cells, few, candidates=(3, 1), fitted_on="made cells")
    read = whole.calibration
    assert read.first == first.calibration
    assert (read.candidates, read.at_first, first.calibration.candidates) == (3, 1, 1)
    assert (read.after(3), read.after(2)) == (read, read)
    assert read.after(1) == first.calibration
    alone = [fit_calibration(each, candidates=1, fitted_on="") for each in (cells, few)]
    assert read.slope == alone[0].calibration.slope
    assert first.calibration.slope == alone[1].calibration.slope
    bounds = [fit.calibration.bounds for fit in alone]
    assert read.bounds == first.calibration.bounds
    assert read.bounds.disclosed == max(each.disclosed for each in bounds)
    assert read.bounds.candidate == min(each.candidate for each in bounds)
    labels = np.array([cell.disclosed for cell in cells])
    for fit in (whole, first):
        above = fit.probabilities >= read.bounds.disclosed
        assert fit.held.recall == above[labels].mean()
        assert fit.held.silenced == (fit.probabilities < read.bounds.candidate)[labels].mean() <= SILENCED


def test_a_judge_that_never_reaches_the_precision_never_says_disclosed():
    fit = fit_calibration(made_cells(told=0.0, seed=5), candidates=3, fitted_on="")
    assert fit.calibration.bounds.disclosed == NEVER
    assert (fit.held.precision, fit.held.precision_low, fit.held.recall) == (None, None, 0.0)


def test_a_few_lucky_cells_are_no_precision():
    labels = np.arange(60) < LEAST_CELLS - 1
    probabilities = np.where(labels, 0.9, 0.1)
    charts = np.arange(60) % 12
    assert find_bounds(probabilities, labels, np.zeros(60, bool), charts).disclosed == NEVER
    more = np.arange(60) < LEAST_CELLS
    found = find_bounds(np.where(more, 0.9, 0.1), more, np.zeros(60, bool), charts)
    assert found.disclosed == 0.9


def test_a_judge_that_is_wrong_is_not_turned_round():
    cells = [
        JudgedCell(f"C{n % 6}", n % 2 == 0, False, np.array([-1.0 if n % 2 == 0 else 1.0]), np.zeros(1))
        for n in range(60)
    ]
    fit = fit_calibration(cells, candidates=1, fitted_on="")
    assert fit.calibration.slope == 0
    assert fit.calibration.probability(5.0, 0.0) == pytest.approx(0.5)


@pytest.mark.parametrize("charts", [0, 1])
def test_too_few_charts_are_refused(charts):
    with pytest.raises(InputError, match="at least two charts"):
        fit_calibration(made_cells(charts=charts), candidates=3, fitted_on="")


def test_charts_of_one_author_are_left_out_together():
    """An author whose cells follow the opposite rule does not help to predict his own."""
    cells = [
        JudgedCell(
            f"C{n % 12}",
            n % 2 == 0,
            False,
            np.array([(1.0 if n % 2 == 0 else -1.0) * (-1.0 if n % 12 < 3 else 1.0)]),
            np.zeros(1),
            author="ABCD"[n % 12 // 3],
        )
        for n in range(240)
    ]
    fit = fit_calibration(cells, candidates=1, fitted_on="made cells")
    labels = np.array([cell.disclosed for cell in cells])
    odd = np.array([cell.author == "A" for cell in cells])
    # By the others' rule every cell of the odd author is wrong, and all alike.
    assert (fit.probabilities[odd & labels] < 0.1).all()
    assert (fit.probabilities[odd & ~labels] > 0.9).all()
    alone = [replace(cell, author="A") for cell in cells]
    assert by_author(cells)
    assert not by_author(alone)
    assert not by_author([*cells, replace(cells[0], author="")])
    by_chart = fit_calibration(alone, candidates=1, fitted_on="made cells").probabilities
    assert not np.allclose(by_chart, fit.probabilities)
    unknown = [replace(cell, author="") for cell in cells]
    assert np.allclose(by_chart, fit_calibration(unknown, candidates=1, fitted_on="made cells").probabilities)
