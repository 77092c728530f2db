"""Mixtures of experts: gates against scikit-learn, and that no document judges itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from claimlight.errors import BugError
from claimlight.lab.papers.cpc.experts import Combination, combine, fit_gates
from claimlight.lab.papers.cpc.levels import Labelled
from claimlight.lab.papers.cpc.runner import Scored
from claimlight.training.classifiers.splits import Split


def drawn(count=300, labels=3, experts=2, seed=1):
    """Log odds of experts that are right more often than not, each in its own scale."""
    rng = np.random.default_rng(seed)
    targets = rng.random((count, labels)) < np.linspace(0.5, 0.2, labels)
    signal = np.where(targets, 1.0, -1.0)[:, :, None] + rng.normal(size=(count, labels, experts))
    return (signal * [4.0, 0.5][:experts] - 1.0).astype(np.float32), targets


def test_gates_are_logistic_regressions():
    inputs, targets = drawn()
    gates = fit_gates(inputs, targets)
    found = gates.probabilities(inputs)
    for label in range(3):
        model = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(inputs[:, label], targets[:, label])
        np.testing.assert_allclose(gates.weights[label], model.coef_[0], rtol=1e-3)
        np.testing.assert_allclose(found[:, label], model.predict_proba(inputs[:, label])[:, 1], atol=5e-4)


def test_rare_labels_share_a_gate():
    inputs, targets = drawn(labels=4)
    targets[:, 2:] = False
    targets[:5, 2:] = True
    gates = fit_gates(inputs, targets, least=20)
    np.testing.assert_array_equal(gates.weights[2], gates.weights[3])
    flat = inputs[:, 2:].reshape(-1, 2)
    model = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(flat, targets[:, 2:].ravel())
    np.testing.assert_allclose(gates.weights[2], model.coef_[0], rtol=1e-3)
    # One that every document has can't be learned either.
    targets[:, 3] = True
    assert np.isfinite(fit_gates(inputs, targets).probabilities(inputs)).all()


def scored(held_back, test, targets, *, probable):
    every = np.concatenate([targets, np.zeros((len(test), targets.shape[1]), dtype=bool)])
    labels = tuple(f"A{number:02}" for number in range(targets.shape[1]))
    split = Split(np.arange(len(targets)), np.arange(len(targets), len(every)))
    return Scored(Labelled(labels, every), np.arange(len(labels)), split, held_back, test, probable=probable)


def experts(seed=1):
    """A probability and a distance for each of 300 training and 100 other documents."""
    inputs, targets = drawn(400, seed=seed)
    odds = inputs.astype(np.float64)
    sure = 1 / (1 + np.exp(-odds[:, :, 0]))
    one = scored(sure[:300], sure[300:], targets[:300], probable=True)
    other = scored(odds[:300, :, 1], odds[300:, :, 1], targets[:300], probable=False)
    return (one, other), targets[300:]


def brier(found, truth):
    return float(np.square(found - truth).mean())


def test_a_mixture_is_better_calibrated_than_its_experts_and_the_plain_average():
    pair, truth = experts()
    found = {kind: combine(kind, pair, [0.0, 0.0], [""] * 300, parts=5, seed=1) for kind in Combination}
    for item in found.values():
        assert item.probable
        assert item.test.shape == truth.shape
        assert ((item.test >= 0) & (item.test <= 1)).all()
    plain = (pair[0].test + 1 / (1 + np.exp(-pair[1].test))) / 2
    np.testing.assert_allclose(found[Combination.ENSEMBLE].test, plain)
    for kind in (Combination.AVERAGE, Combination.GATE):
        assert brier(found[kind].test, truth) < brier(plain, truth)
        assert brier(found[kind].test, truth) < brier(pair[0].test, truth)


def test_a_gate_has_not_seen_what_it_is_held_back_from():
    """Turning a family's labels round does not change what the mixture says of that family."""
    pair, _ = experts()
    groups = [f"family {row // 3}" for row in range(300)]
    turned = pair[0].labelled.targets.copy()
    turned[:3] = ~turned[:3]
    for kind in (Combination.AVERAGE, Combination.GATE):
        first = combine(kind, pair, [0.0, 0.0], groups, parts=5, seed=1)
        other = [
            Scored(
                Labelled(item.labelled.labels, turned),
                item.fitted,
                item.split,
                item.held_back,
                item.test,
                probable=item.probable,
            )
            for item in pair
        ]
        second = combine(kind, other, [0.0, 0.0], groups, parts=5, seed=1)
        np.testing.assert_array_equal(first.held_back[:3], second.held_back[:3])
        assert not np.array_equal(first.held_back, second.held_back)


def test_a_vote_of_none_does_not_mean_never():
    pair, _ = experts()
    votes = np.round(pair[0].held_back, 1)
    knn = scored(votes, np.zeros_like(pair[0].test), pair[0].train_targets, probable=True)
    found = combine(Combination.AVERAGE, [knn, pair[1]], [0.05, 0.0], [""] * 300, parts=3, seed=1)
    assert (found.test > 0).all()


def test_experts_without_held_back_scores_are_refused():
    pair, _ = experts()
    bare = scored(None, pair[0].test, pair[0].train_targets, probable=True)
    with pytest.raises(BugError, match="held back"):
        combine(Combination.GATE, [bare, pair[1]], [0.0, 0.0], [""] * 300, parts=3, seed=1)
