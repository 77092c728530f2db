"""Probes against scikit-learn and brute force; splits by what they promise."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import LinearSVC

from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.lab.diagnostics.probes import (
    ProbeKind,
    ProbeSettings,
    fit,
    nearest,
    one_label,
    split_by_label,
)
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.splits import by_group, folds

DENSE = [kind for kind in ProbeKind if kind is not ProbeKind.LSTM]


@pytest.fixture
def planes():
    """Vectors whose labels three planes through the middle tell apart."""
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(240, 8)).astype(np.float32)
    targets = vectors @ rng.normal(size=(8, 3)) > 0.5
    return vectors[:160], targets[:160], vectors[160:], targets[160:]


@pytest.mark.parametrize("kind", [ProbeKind.LOGISTIC, ProbeKind.SVM])
def test_planes_are_those_of_scikit_learn(kind, planes):
    vectors, targets, asked, truth = planes
    scores = fit(vectors, targets, ProbeSettings(kind, strength=3.0), TaskContext()).scores(asked)
    assert scores.shape == truth.shape
    for label in range(3):
        if kind is ProbeKind.LOGISTIC:
            model = LogisticRegression(C=3.0, max_iter=10_000).fit(vectors, targets[:, label])
            expected = model.predict_proba(asked)[:, 1]
        else:
            model = LinearSVC(C=3.0, random_state=1).fit(vectors, targets[:, label])
            expected = model.decision_function(asked)
        np.testing.assert_allclose(scores[:, label], expected, rtol=1e-5, atol=1e-6)
    assert ((scores >= kind.cut) == truth).mean() > 0.9


@pytest.mark.parametrize("kind", [ProbeKind.LOGISTIC, ProbeKind.SVM])
def test_planes_of_many_labels_are_those_of_scikit_learn_too(kind):
    """Fitted all at once; some labels are rare, one is everywhere, one nowhere."""
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(400, 12)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    targets = vectors @ rng.normal(size=(12, 9)) > np.linspace(-0.5, 1.6, 9)
    targets[:, 0], targets[:, 1] = True, False
    probe = fit(vectors[:300], targets[:300], ProbeSettings(kind, strength=5.0), TaskContext())
    scores = probe.scores(vectors[300:])
    assert (scores[:, 0] >= kind.cut).all()
    assert (scores[:, 1] < kind.cut).all()
    for label in range(2, 9):
        if kind is ProbeKind.LOGISTIC:
            model = LogisticRegression(C=5.0, max_iter=10_000, tol=1e-8)
            expected = model.fit(vectors[:300], targets[:300, label]).predict_proba(vectors[300:])[:, 1]
        else:
            model = LinearSVC(C=5.0, tol=1e-8, max_iter=100_000, random_state=1)
            expected = model.fit(vectors[:300], targets[:300, label]).decision_function(vectors[300:])
        np.testing.assert_allclose(scores[:, label], expected, rtol=1e-2, atol=2e-3)


def test_trees_of_a_rare_label_are_its_share(planes):
    vectors, targets, asked, truth = planes
    rare = np.column_stack([targets[:, 0], np.arange(160) < 8])
    scores = fit(vectors, rare, ProbeSettings(ProbeKind.BOOSTING), TaskContext()).scores(asked)
    np.testing.assert_allclose(scores[:, 1], 8 / 160)
    assert ((scores[:, 0] >= 0.5) == truth[:, 0]).mean() > 0.75


@pytest.mark.parametrize("kind", DENSE)
def test_a_label_of_all_or_of_none_keeps_its_answer(kind, planes):
    vectors, targets, asked, _ = planes
    fixed = np.column_stack([targets[:, 0], np.ones(160, dtype=bool), np.zeros(160, dtype=bool)])
    given_labels = fit(vectors, fixed, ProbeSettings(kind), TaskContext()).scores(asked) >= kind.cut
    assert given_labels[:, 1].all()
    assert not given_labels[:, 2].any()
    assert 0 < given_labels[:, 0].sum() < 80


@pytest.mark.parametrize("kind", DENSE)
def test_a_single_label_and_the_same_seed(kind, planes):
    vectors, targets, asked, truth = planes
    if kind is ProbeKind.MLP:  # it takes small steps, as many as there are batches
        vectors, targets = np.tile(vectors, (3, 1)), np.tile(targets, (3, 1))
    first, second = (
        fit(vectors, targets[:, :1], ProbeSettings(kind, seed=5), TaskContext()).scores(asked)
        for _ in range(2)
    )
    assert first.shape == (80, 1)
    assert np.array_equal(first, second)
    assert ((first >= kind.cut) == truth[:, :1]).mean() > 0.7


def test_neighbours_vote_with_one_voice_each():
    vectors = np.array([[1, 0], [1, 0.1], [0, 1], [-1, 0]], dtype=np.float32)
    targets = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    probe = fit(vectors, targets, ProbeSettings(ProbeKind.KNN, neighbours=3), TaskContext())
    # Nearest to (5, 0.1) are rows 0, 1 and 2; the length of a vector means nothing.
    np.testing.assert_allclose(probe.scores(np.array([[5, 0.1]], dtype=np.float32)), [[2 / 3, 2 / 3]])
    assert probe.scores(np.zeros((0, 2), dtype=np.float32)).shape == (0, 2)


@pytest.mark.parametrize("count", [1, 7, 160, 500])
def test_nearest_is_brute_force(count, planes, monkeypatch):
    monkeypatch.setattr("claimlight.lab.diagnostics.probes._BLOCK", 700)
    vectors, _, asked, _ = planes
    asked_for = min(count, len(vectors))
    model = NearestNeighbors(n_neighbors=asked_for, metric="cosine", algorithm="brute").fit(vectors)
    expected = model.kneighbors(asked, return_distance=False)
    assert np.array_equal(nearest(vectors, asked, count), expected)


def test_equal_cosines_go_by_place():
    vectors = np.tile(np.array([[1, 0], [0, 1]], dtype=np.float32), (50, 1))
    found = nearest(vectors, np.array([[0, 1], [2, 0]], dtype=np.float32), 60)
    odd, even = list(range(1, 100, 2)), list(range(0, 100, 2))
    assert found.tolist() == [odd + even[:10], even + odd[:10]]


def test_one_label_is_multinomial_logistic_regression(planes):
    vectors, targets, asked, truth = planes
    labels = ["ABCD"[row[0] + 2 * row[1]] for row in targets.astype(int)]
    expected = LogisticRegression(max_iter=10_000).fit(vectors, labels).predict(asked)
    found = one_label(vectors, labels, asked)
    assert found == tuple(expected)
    right = ["ABCD"[row[0] + 2 * row[1]] for row in truth.astype(int)]
    assert np.mean(np.array(found) == right) > 0.8
    with pytest.raises(InputError, match="at least two labels"):
        one_label(vectors, ["A"] * 160, asked)


def test_nothing_to_learn_from_and_cancelling(planes):
    vectors, targets, _, _ = planes
    with pytest.raises(InputError, match="no document"):
        fit(vectors[:0], targets[:0], ProbeSettings(), TaskContext())
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        fit(vectors, targets, ProbeSettings(), context)


def test_without_scikit_learn_the_extra_is_named(planes, monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **more):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ResourceError, match=r"claimlight\[lab\]"):
        fit(planes[0], planes[1], ProbeSettings(), TaskContext())


def test_stratified_takes_its_share_of_every_label():
    labels = ["A"] * 10 + ["B"] * 5 + ["C"] * 2 + ["D"]
    split = split_by_label(labels, 0.2, seed=4)
    tested = [labels[row] for row in split.test]
    assert (tested.count("A"), tested.count("B"), tested.count("C"), tested.count("D")) == (2, 1, 0, 0)
    assert sorted([*split.train, *split.test]) == list(range(18))
    most = [labels[row] for row in split_by_label(labels, 0.9, seed=4).train]
    assert [most.count(label) for label in "ABCD"] == [1, 1, 1, 0]
    assert not np.array_equal(split.test, split_by_label(labels, 0.2, seed=5).test)


groups = st.lists(st.sampled_from(["", "f", "g", "h", "i"]), min_size=2, max_size=60)


@given(groups, st.floats(0.1, 0.9), st.integers(0, 5))
def test_no_group_is_on_both_sides(labels, share, seed):
    split = by_group(labels, share, seed=seed)
    assert sorted([*split.train, *split.test]) == list(range(len(labels)))
    sides = [{labels[row] for row in side if labels[row]} for side in (split.train, split.test)]
    assert sides[0].isdisjoint(sides[1])
    if all(not label for label in labels):
        assert len(split.test) == round(share * len(labels))


@given(groups, st.integers(2, 5), st.integers(0, 5))
def test_folds_test_every_row_once_and_keep_groups_whole(labels, count, seed):
    found = folds(labels, count, seed=seed)
    assert sorted(row for split in found for row in split.test) == list(range(len(labels)))
    for split in found:
        assert sorted([*split.train, *split.test]) == list(range(len(labels)))
        assert {labels[row] for row in split.train if labels[row]}.isdisjoint(
            labels[row] for row in split.test
        )
    largest = max((labels.count(label) for label in set(labels) if label), default=1)
    sizes = [len(split.test) for split in found]
    assert max(sizes) - min(sizes) <= max(1, largest)
