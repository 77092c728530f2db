"""Classifiers trained on invented documents: what they learn, how sure they are, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.classify.heads import HeadKind
from claimlight.classify.labels import labels_of
from claimlight.classify.mixture import Combination
from claimlight.errors import InputError
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.building import ClassifierPlan, build, choose_labels
from claimlight.training.classifiers.fitting import ExpertPlan, fit_head
from claimlight.training.classifiers.material import Material
from claimlight.training.classifiers.stacking import fit_mixture, score_held_back
from claimlight.types import ClassLevel
from claimlight.vectors import unit_rows

SYMBOLS = ("A61B 5/02", "A61B 5/08", "A61K 31/04", "B62K 25/04", "H04L 9/32", "H04L 63/08")
DIM = 24


def made(count=360, seed=1, noise=0.6):
    """Documents around one direction for each symbol; every third has two, every second a relative."""
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(7).standard_normal((len(SYMBOLS), DIM))
    vectors, labels, families = [], [], []
    for number in range(count):
        own = [number % len(SYMBOLS)] + ([(number // 2) % len(SYMBOLS)] if number % 3 == 0 else [])
        direction = centers[own].mean(axis=0) + noise * rng.standard_normal(DIM)
        vectors.append(direction)
        labels.append(frozenset(label for place in own for label in labels_of(SYMBOLS[place])))
        families.append(f"F{number // 12}" if number % 2 else "")
    return Material(
        unit_rows(np.array(vectors)).astype(np.float32),
        tuple(labels),
        tuple(f"EP{number:07}A1" for number in range(count)),
        tuple(families),
    )


@pytest.mark.parametrize("kind", list(HeadKind))
def test_every_expert_learns(kind):
    train, test = made(), made(120, seed=2)
    space = choose_labels(train, ClassifierPlan())
    head = fit_head(kind, train.vectors, space.targets(train.labels), ExpertPlan(), TaskContext())
    columns = space.at(ClassLevel.SUBCLASS)
    scores = head.scores(test.vectors)[:, columns]
    truth = space.targets(test.labels)[:, columns]
    assert truth[np.arange(len(test)), scores.argmax(axis=1)].mean() > 0.85


def test_classes_of_too_few_documents_are_not_learned():
    material = made(60)
    rare = ClassifierPlan(least={ClassLevel.SUBGROUP: 1000, ClassLevel.MAIN_GROUP: 1})
    space = choose_labels(material, rare)
    assert ClassLevel.SUBGROUP not in space.levels
    assert "A61B 5/00" in space.labels
    only = choose_labels(material, ClassifierPlan(levels=(ClassLevel.SECTION,)))
    assert only.labels == ("A", "B", "H")


def test_two_rows_of_one_document_count_as_one():
    material = made(30)
    twice = material.rows([*range(30), *range(30)])
    least = ClassifierPlan(least=dict.fromkeys(ClassLevel, 6))
    assert choose_labels(twice, least).labels == choose_labels(material, least).labels


def test_a_row_is_scored_by_experts_that_have_not_seen_its_family():
    material = made(120, noise=3.0)
    # Every family is a class of its own: only who has seen the family can know it.
    owned = Material(
        material.vectors,
        tuple(
            frozenset({"A", f"A{int(group[1:]) % 90 + 10}"}) if group[0] == "F" else frozenset({"A"})
            for group in material.groups
        ),
        material.documents,
        material.families,
    )
    space = choose_labels(owned, ClassifierPlan())
    targets = space.targets(owned.labels)
    plan = ExpertPlan(neighbours=1)
    (held,) = score_held_back(owned, targets, [HeadKind.NEIGHBOURS], plan, TaskContext())
    seen = fit_head(HeadKind.NEIGHBOURS, owned.vectors, targets, plan, TaskContext()).scores(owned.vectors)
    columns = space.at(ClassLevel.CLASS)
    has = targets[:, columns].any(axis=1)

    def known(scores):
        """Share of the families' own classes that some vote is for."""
        return (scores[:, columns][targets[:, columns]] > 0).mean()

    assert has.any()
    assert known(seen) == 1.0
    assert known(held) == 0.0


@pytest.mark.parametrize("combination", list(Combination))
def test_probabilities_are_calibrated_on_documents_that_were_not_trained_on(combination):
    train, test = made(900, noise=1.6), made(600, seed=5, noise=1.6)
    plan = ClassifierPlan((HeadKind.NEIGHBOURS, HeadKind.LOGISTIC), combination)
    classifier = build(train, plan, TaskContext())
    found = classifier.probabilities(test.vectors)
    truth = classifier.space.targets(test.labels)
    columns = classifier.space.at(ClassLevel.SUBCLASS)
    said, right = found[:, columns].ravel(), truth[:, columns].ravel()
    for low, high in ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.0)):
        some = (said >= low) & (said < high)
        if some.sum() > 60:
            assert said[some].mean() == pytest.approx(right[some].mean(), abs=0.12)


def test_a_gate_of_one_expert_is_its_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    material = made(200, noise=1.5)
    space = choose_labels(material, ClassifierPlan(levels=(ClassLevel.SECTION,)))
    targets = space.targets(material.labels)
    rng = np.random.default_rng(0)
    scores = np.where(targets, 1.0, -1.0) + rng.standard_normal(targets.shape)
    mixture = fit_mixture([scores], targets, space, Combination.GATE)
    # Its objective is C times the loss and half the squared slope, as here with C = 1.
    model = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(scores.reshape(-1, 1), targets.ravel())
    assert mixture.slopes[0, 0] == pytest.approx(model.coef_[0, 0], rel=1e-3)
    assert mixture.offsets[0, 0] == pytest.approx(model.intercept_[0], rel=1e-2, abs=1e-3)


def test_the_same_material_gives_the_same_classifier():
    material = made(90)
    plan = ClassifierPlan(least=dict.fromkeys(ClassLevel, 3))
    first, second = (build(material, plan, TaskContext()) for _ in range(2))
    assert np.array_equal(first.probabilities(material.vectors), second.probabilities(material.vectors))
    assert np.array_equal(first.thresholds, second.thresholds)


def test_too_few_documents_are_refused():
    with pytest.raises(InputError, match="at least 20 documents"):
        build(made(12), ClassifierPlan(), TaskContext())
