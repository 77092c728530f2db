"""Measures of cells against their definitions, and the fit against a model that is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.evaluation.measures import auc
from claimlight.lab.diagnostics.cells.fit import KNOTS, PRECISION, SILENCED, Weighted, check, fit, thresholds
from claimlight.lab.diagnostics.cells.measures import precision_at, reliability, resample

_cells = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.5, 0.9]), st.booleans()), min_size=2, max_size=30
)


def columns(pairs):
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])


@given(_cells)
def test_auc_is_the_share_of_pairs_in_order(pairs):
    values, labels = columns(pairs)
    won = [1.0 if a > b else 0.5 if a == b else 0.0 for a in values[labels] for b in values[~labels]]
    found = auc(values, labels)
    assert np.isnan(found) if not won else found == pytest.approx(np.mean(won))


@given(_cells, st.sampled_from([0.5, 0.8, 1.0]))
def test_precision_at_recall_by_trying_every_threshold(pairs, recall):
    values, labels = columns(pairs)
    found = precision_at(values, labels, recall)
    if not labels.any():
        assert np.isnan(found)
        return
    reached = [
        t for t in sorted(set(values), reverse=True) if labels[values >= t].sum() >= recall * labels.sum()
    ]
    assert found == pytest.approx(labels[values >= reached[0]].mean())


def test_intervals_are_of_documents_and_differences_are_paired():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(30), 10)
    labels = np.tile(np.arange(10) < 4, 30)
    good = labels + rng.normal(0, 0.5, 300)
    poor = labels + rng.normal(0, 2.0, 300)
    values, gains = resample(auc, [good, poor], labels, groups, seed=1, resamples=200)
    assert values[0].low < values[0].value < values[0].high
    assert gains[0].low > 0.1, "the better method is better on nearly every resample"
    assert (gains[1].low, gains[1].value, gains[1].high) == (0, 0, 0)
    whole = np.repeat(np.arange(3), 100)
    wider, _ = resample(auc, [good, poor], labels, whole, seed=1, resamples=200)
    again, _ = resample(auc, [good, poor], labels, groups, seed=1, resamples=200)
    assert again == values
    assert wider[0].value == values[0].value


def test_reliability_of_what_is_said():
    said = np.array([0.15, 0.15, 0.95, 0.95])
    labels = np.array([False, True, True, True])
    bins, error = reliability(said, labels, np.array([1.0, 1.0, 1.0, 1.0]))
    assert [(round(b.low, 1), b.weight, b.found) for b in bins] == [(0.1, 2.0, 0.5), (0.9, 2.0, 1.0)]
    assert error == pytest.approx((2 * 0.35 + 2 * 0.05) / 4)
    _, weighted = reliability(said, labels, np.array([3.0, 1.0, 1.0, 1.0]))
    assert weighted == pytest.approx((4 * 0.10 + 2 * 0.05) / 6)


def drawn(seed, cells=20_000):
    rng = np.random.default_rng(seed)
    coverage, extent = rng.random(cells), rng.integers(1, 30, cells)
    logit = -5 + 6 * coverage + 1.0 * np.log1p(extent)
    labels = rng.random(cells) < 1 / (1 + np.exp(-logit))
    return Weighted(coverage, np.log1p(extent), labels, np.full(cells, 1 / cells)), logit


def test_a_known_model_is_found_and_calibrated():
    cells, logit = drawn(1)
    curve = fit(cells)
    assert min(curve.ramps) >= 0
    assert curve.extent == pytest.approx(1.0, abs=0.15)
    assert curve.ramps == pytest.approx(6 * np.diff(KNOTS), abs=0.45)
    assert np.abs(curve.probability(cells) - 1 / (1 + np.exp(-logit))).mean() < 0.02
    unseen, _ = drawn(2)
    covered, nothing = thresholds(curve.probability(cells), cells)
    checked = check(curve.probability(unseen), unseen, covered, nothing)
    assert checked.error < 0.02
    assert checked.precision == pytest.approx(PRECISION, abs=0.02)
    assert checked.silenced == pytest.approx(SILENCED, abs=0.01)
    assert checked.recall > 0.5
    assert checked.silence > checked.silenced


def test_what_falls_with_coverage_is_not_learnt():
    rng = np.random.default_rng(3)
    coverage = rng.random(4000)
    labels = rng.random(4000) < 1 - coverage
    curve = fit(Weighted(coverage, np.zeros(4000), labels, np.full(4000, 1 / 4000)))
    assert curve.ramps == pytest.approx([0] * (len(KNOTS) - 1), abs=1e-3)


def test_weights_count_as_copies():
    cells, _ = drawn(5, cells=600)
    twice = np.arange(600) % 3 == 0
    weighted = Weighted(cells.coverage, cells.extent, cells.labels, np.where(twice, 2.0, 1.0))
    index = np.concatenate([np.arange(600), np.flatnonzero(twice)])
    copied = Weighted(cells.coverage[index], cells.extent[index], cells.labels[index], np.ones(len(index)))
    one, two = fit(weighted), fit(copied)
    assert (one.intercept, *one.ramps, one.extent) == pytest.approx(
        (two.intercept, *two.ramps, two.extent), abs=1e-6
    )


def test_covered_holds_its_precision_and_nothing_comes_after_it():
    said = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.1])
    labels = np.array([True, True, True, False, False, True])
    cells = Weighted(said, np.zeros(6), labels, np.ones(6))
    assert thresholds(said, cells) == (0.7, 0.1)
