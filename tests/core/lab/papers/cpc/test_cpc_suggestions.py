"""Precision at k, calibration and coverage by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.lab.papers.cpc.levels import Labelled, Level
from claimlight.lab.papers.cpc.runner import Scored, cap
from claimlight.lab.papers.cpc.suggestions import (
    best_labels,
    bin_figures,
    confidence_figures,
    first_bins,
    rank_figures,
)
from claimlight.training.classifiers.splits import Split

TRUTH = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]], dtype=bool)
SCORES = np.array(
    [
        [0.9, 0.6, 0.2, 0.1, 0.0, 0.0],
        [0.8, 0.3, 0.5, 0.1, 0.0, 0.0],
        [0.4, 0.3, 0.2, 0.1, 0.05, -np.inf],
    ]
)
COMMON = np.array([5, 4, 3, 2, 1, 0])


def values(figures):
    return {item.name: item.value for item in figures}


def test_precision_at_k_by_hand():
    found = values(rank_figures(TRUTH, SCORES, COMMON))
    # First: A right, A wrong, A wrong. Of three: two, one and none. Of five: the same.
    assert found["P@1"] == pytest.approx(1 / 3)
    assert found["P@3"] == pytest.approx((2 + 1 + 0) / 9)
    assert found["P@5"] == pytest.approx(3 / 15)
    assert found["R@5"] == pytest.approx((1 + 1 + 0) / 3)


def test_fewer_labels_than_k_still_divide_by_k():
    found = values(rank_figures(TRUTH[:2, :3], SCORES[:2, :3], COMMON[:3]))
    assert found["P@5"] == pytest.approx((2 + 1) / 10)


def test_equal_scores_go_by_how_common_a_label_is():
    flat = np.zeros((1, 4))
    assert best_labels(flat, np.array([1, 7, 3, 7]), 3).tolist() == [[1, 3, 2]]


def test_confidence_by_hand():
    found = values(confidence_figures(TRUTH, SCORES))
    # First suggestions: .9 right, .8 wrong, .4 wrong, each alone in its bin.
    assert found["ECE first"] == pytest.approx((0.1 + 0.8 + 0.4) / 3)
    assert found["cover .5"] == pytest.approx(2 / 3)
    # At half: A and B of the first, A (wrong) and C of the second.
    assert found["P .5"] == pytest.approx(3 / 4)
    assert found["cover .7"] == pytest.approx(2 / 3)
    assert found["P .7"] == pytest.approx(1 / 2)
    assert found["cover .9"] == pytest.approx(1 / 3)
    assert found["P .9"] == 1.0


def brute_error(truth, scores, least):
    pairs = [
        (float(scores[row, label]), bool(truth[row, label]))
        for row in range(len(truth))
        for label in range(truth.shape[1])
        if scores[row, label] >= least
    ]
    gap = 0.0
    for number in range(10):
        own = [pair for pair in pairs if min(int(pair[0] * 10), 9) == number]
        if own:
            gap += abs(sum(sure for sure, _ in own) - sum(right for _, right in own))
    return gap / len(pairs)


def test_calibration_error_by_brute_force_with_its_interval():
    rng = np.random.default_rng(4)
    scores = rng.random((200, 5)) ** 2
    truth = rng.random((200, 5)) < scores
    sharp = {item.name: item for item in confidence_figures(truth, scores)}
    assert sharp["ECE from 0.1"].value == pytest.approx(brute_error(truth, scores, 0.1))
    assert sharp["ECE from 0.1"].value < 0.06
    over = {item.name: item for item in confidence_figures(truth, np.sqrt(scores))}
    assert over["ECE from 0.1"].value > 0.1
    item = over["ECE first"]
    assert item.low < item.value < item.high
    bins = list(first_bins(truth, scores))
    assert sum(one.documents for one in bins) == 200
    assert all(one.low <= one.probability <= one.high for one in bins)
    assert bin_figures(bins)[-1][0] == "0.9–1.0"


def at_level(labels, targets, held_back, test, train, tested):
    return Scored(
        Labelled(labels, targets),
        np.arange(len(labels)),
        Split(np.array(train), np.array(tested)),
        held_back,
        test,
    )


def test_no_label_is_more_probable_than_its_parent():
    """Document 1 has a section alone, so the levels have other rows."""
    sections = np.array([[1, 0], [0, 1], [1, 1], [0, 1]], dtype=bool)
    parent = at_level(
        ("A", "B"),
        sections,
        np.array([[0.9, 0.1], [0.5, 0.5]]),
        np.array([[0.3, 0.8], [0.2, 0.7]]),
        [0, 1],
        [2, 3],
    )
    classes = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1], [0, 0, 1]], dtype=bool)
    child = at_level(
        ("A01", "A21", "C07"), classes, np.array([[0.95, 0.2, 0.9]]), np.array([[0.4, 0.1, 0.6]]), [0], [2]
    )
    found = cap(child, parent, Level.SECTION)
    np.testing.assert_allclose(found.held_back, [[0.9, 0.2, 0.9]])
    np.testing.assert_allclose(found.test, [[0.3, 0.1, 0.6]])
    np.testing.assert_allclose(child.test, [[0.4, 0.1, 0.6]])
