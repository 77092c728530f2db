"""The best threshold against trying every one; scores held back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.lab.diagnostics.probes import ProbeKind, ProbeSettings
from claimlight.lab.papers.cpc.thresholds import Threshold, learn_cuts, score_held_back
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.cuts import best_cut


def f1_score(truth, given_labels):
    return 2 * (truth & given_labels).sum() / max(1, truth.sum() + given_labels.sum())


answers = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=1, max_size=30)


@given(answers)
def test_no_threshold_is_better(pairs):
    scores = np.array([score / 4 for score, _ in pairs])
    truth = np.array([right for _, right in pairs])
    found = best_cut(scores, truth)
    every = [f1_score(truth, scores >= cut) for cut in np.unique(scores)]
    assert found.f1 == pytest.approx(max(every))
    assert f1_score(truth, scores >= found.cut) == pytest.approx(found.f1)
    if truth.any():
        # Of equally good thresholds the one that gives the fewest.
        good = [cut for cut, f1 in zip(np.unique(scores), every, strict=True) if f1 >= max(every) - 1e-12]
        assert (scores >= found.cut).sum() == (scores >= max(good)).sum()


def test_it_stands_in_the_middle_and_nothing_true_gives_nothing():
    assert best_cut(np.array([0.9, 0.5, 0.1]), np.array([True, True, False])).cut == pytest.approx(0.3)
    assert best_cut(np.array([0.9, 0.5]), np.array([False, False])).cut == np.inf
    assert best_cut(np.array([1.0, -np.inf]), np.array([True, False])).cut == 1.0


def test_one_for_all_or_each_its_own():
    scores = np.array([[0.9, 0.4, 0.2], [0.8, 0.3, 0.1], [0.1, 0.2, 0.3], [0.2, 0.1, 0.9]])
    truth = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    one = learn_cuts(scores, truth, Threshold.ONE)
    # Of all twelve answers, giving those from 0.3 on finds all four and two wrong ones: F1 0.8. From 0.4 on
    # three are found with one wrong: 0.75.
    assert one.tolist() == pytest.approx([0.25, 0.25, 0.25])
    # Labels of few documents have that of all as well.
    assert learn_cuts(scores, truth, Threshold.LABEL).tolist() == one.tolist()
    many, often = np.tile(scores, (10, 1)), np.tile(truth, (10, 1))
    own = learn_cuts(many, often, Threshold.LABEL)
    assert own.tolist() == pytest.approx([0.5, 0.25, 0.25])
    often[0, :2] = False
    assert learn_cuts(many, often, Threshold.LABEL)[0] == learn_cuts(many, often, Threshold.ONE)[0] != 0.5


def test_held_back_scores_come_from_other_families():
    """Twins of one family lie together: with their own family seen they would vote for themselves."""
    rng = np.random.default_rng(2)
    places = np.repeat(rng.normal(size=(20, 6)), 2, axis=0).astype(np.float32)
    targets = np.repeat(np.eye(20, dtype=bool), 2, axis=0)
    families = [f"family {row // 2}" for row in range(40)]
    settings = ProbeSettings(ProbeKind.KNN, neighbours=1)
    held_back = score_held_back(places, targets, families, settings, TaskContext())
    assert not (held_back[targets] > 0).any()
    assert (held_back.sum(axis=1) == 1).all()
    alone = score_held_back(places, targets, [""] * 40, settings, TaskContext())
    assert (alone[targets] > 0).mean() > 0.5
