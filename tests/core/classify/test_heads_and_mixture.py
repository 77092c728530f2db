"""Experts against brute force, and how their scores become probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.classify.heads import (
    HeadKind,
    Neighbours,
    Planes,
    TwoLayers,
    dimensions_of,
    pack_labels,
    read_head,
)
from claimlight.classify.labels import LabelSpace
from claimlight.classify.mixture import Combination, Mixture, sigmoid
from claimlight.vectors import unit_rows

ROWS, DIM, LABELS = 60, 8, 5


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def vectors(rng):
    return unit_rows(rng.standard_normal((ROWS, DIM))).astype(np.float32)


@pytest.fixture
def targets(rng):
    return rng.random((ROWS, LABELS)) < 0.3


def neighbours(vectors, targets, count=7):
    starts, codes = pack_labels(targets)
    return Neighbours(vectors.astype(np.float16), starts, codes, LABELS, count)


def heads(vectors, targets, rng):
    weights = tuple(
        rng.standard_normal(shape).astype(np.float16) for shape in ((DIM, 16), (16,), (16, LABELS), (LABELS,))
    )
    planes = Planes(
        HeadKind.SVM,
        rng.standard_normal((DIM, LABELS)).astype(np.float16),
        rng.standard_normal(LABELS).astype(np.float32),
    )
    return (neighbours(vectors, targets), planes, TwoLayers(weights, 2.5))


def test_labels_of_rows_are_packed_without_loss(targets):
    starts, codes = pack_labels(targets)
    for row, has in enumerate(targets):
        assert codes[starts[row] : starts[row + 1]].tolist() == np.flatnonzero(has).tolist()


def test_the_nearest_rows_are_those_of_brute_force(vectors, targets, rng):
    head = neighbours(vectors, targets)
    asked = unit_rows(rng.standard_normal((9, DIM))).astype(np.float32)
    found = head.nearest(asked)
    cosines = asked @ head.vectors.astype(np.float32).T
    for row, each in enumerate(cosines):
        order = sorted(range(ROWS), key=lambda place: (-each[place], place))[:7]
        assert found.rows[row].tolist() == order
        assert found.cosines[row] == pytest.approx(each[order], abs=1e-6)


def test_votes_are_shares_weighted_by_cosine(vectors, targets, rng):
    head = neighbours(vectors, targets)
    asked = unit_rows(rng.standard_normal((4, DIM))).astype(np.float32)
    near = head.nearest(asked)
    votes = head.votes(near)
    assert (votes >= 0).all()
    assert (votes <= 1 + 1e-9).all()
    for row in range(4):
        weights = np.maximum(near.cosines[row], 0) ** 12
        wanted = (weights[:, None] * targets[near.rows[row]]).sum(axis=0) / weights.sum()
        assert votes[row] == pytest.approx(wanted)
    # More votes, a higher score; the scores are finite where nobody or everybody voted.
    scores = head.scores(asked)
    assert np.isfinite(scores).all()
    assert (np.argsort(scores, axis=1) == np.argsort(votes, axis=1, kind="stable")).mean() > 0.7


def test_fewer_rows_than_neighbours_all_vote(targets):
    vectors = np.eye(3, DIM, dtype=np.float32)
    head = neighbours(vectors, targets[:3], count=10)
    assert head.nearest(vectors).rows.shape == (3, 3)


def test_an_expert_is_the_same_after_its_arrays(vectors, targets, rng):
    asked = unit_rows(rng.standard_normal((6, DIM))).astype(np.float32)
    for head in heads(vectors, targets, rng):
        again = read_head(head.kind, head.arrays(), LABELS)
        assert np.array_equal(again.scores(asked), head.scores(asked))
        assert again.kind is head.kind
        assert dimensions_of(again) == DIM


@pytest.mark.parametrize(
    ("kind", "name", "change"),
    [
        (0, "starts", lambda array: array[:-1]),
        (0, "codes", lambda array: array + LABELS),
        (0, "shape", lambda array: array * 0),
        (0, "starts", lambda array: array[::-1]),
        (1, "normals", lambda array: array[:, 1:]),
        (1, "offsets", lambda array: array[1:]),
        (2, "second", lambda array: array[1:]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(vectors, targets, rng, kind, name, change):
    head = heads(vectors, targets, rng)[kind]
    arrays = dict(head.arrays())
    arrays[name] = change(arrays[name])
    with pytest.raises(ValueError, match=r"fit|there"):
        read_head(head.kind, arrays, LABELS)


def test_a_mixture_averages_or_adds_by_level(rng):
    space = LabelSpace.of(("A", "B", "A61", "B62"))
    scores = [rng.standard_normal((3, 4)), rng.standard_normal((3, 4))]
    slopes = np.array([[0.5, 2.0], [1.0, -0.5]])
    offsets = np.array([[0.1, 0.0], [-1.0, 0.3]])
    level = np.array([0, 0, 1, 1])
    parts = [slopes[level, expert] * scores[expert] + offsets[level, expert] for expert in (0, 1)]
    gate = Mixture(Combination.GATE, slopes, offsets).probabilities(scores, space)
    mean = Mixture(Combination.AVERAGE, slopes, offsets).probabilities(scores, space)
    assert gate == pytest.approx(1 / (1 + np.exp(-(parts[0] + parts[1]))))
    assert mean == pytest.approx((1 / (1 + np.exp(-parts[0])) + 1 / (1 + np.exp(-parts[1]))) / 2)


def test_probabilities_of_huge_scores_do_not_overflow():
    with np.errstate(all="raise"):
        assert sigmoid(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]
