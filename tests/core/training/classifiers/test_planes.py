"""Planes of many labels at once against scikit-learn, which fits one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from claimlight.tasks import TaskContext
from claimlight.training.classifiers.planes import fit_planes
from claimlight.vectors import unit_rows

ROWS, DIM, LABELS = 300, 12, 7


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(4)
    vectors = unit_rows(rng.standard_normal((ROWS, DIM))).astype(np.float32)
    wanted = vectors @ rng.standard_normal((DIM, LABELS)) + 0.4 * rng.standard_normal((ROWS, LABELS))
    # Labels of half of the rows, and of few.
    return vectors, wanted > np.linspace(0, 1.2, LABELS)


@pytest.mark.parametrize("strength", [0.3, 1.0, 10.0])
@pytest.mark.parametrize("logistic", [True, False])
def test_the_planes_are_those_of_scikit_learn(made, strength, logistic):
    vectors, targets = made
    found = fit_planes(vectors, targets, strength=strength, logistic=logistic, context=TaskContext())
    for label in range(LABELS):
        model = (
            LogisticRegression(C=strength, tol=1e-8, max_iter=10_000)
            if logistic
            else LinearSVC(C=strength, dual=False, tol=1e-8, max_iter=100_000)
        )
        model.fit(vectors.astype(np.float64), targets[:, label])
        assert found.normals[:, label] == pytest.approx(model.coef_[0], abs=2e-3 * np.abs(model.coef_).max())
        assert found.offsets[label] == pytest.approx(model.intercept_[0], abs=5e-3)


def test_labels_of_all_rows_and_of_none_are_sure(made):
    vectors, _ = made
    targets = np.zeros((ROWS, 2), dtype=np.bool_)
    targets[:, 0] = True
    found = fit_planes(vectors, targets, strength=1.0, logistic=True, context=TaskContext())
    assert found.offsets.tolist() == [np.inf, -np.inf]
    assert found.distances(vectors)[:, 0].min() == np.inf


def test_a_label_is_the_same_whatever_is_fitted_beside_it(made):
    vectors, targets = made
    both = fit_planes(vectors, targets, strength=1.0, logistic=True, context=TaskContext())
    alone = fit_planes(vectors, targets[:, 2:3], strength=1.0, logistic=True, context=TaskContext())
    assert both.normals[:, 2] == pytest.approx(alone.normals[:, 0], abs=1e-3)
