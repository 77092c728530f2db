"""Builds a classifier from its material, and measures it on families that are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from claimlight.classify.classifier import Classifier
from claimlight.classify.decoding import make_consistent
from claimlight.classify.heads import HeadKind
from claimlight.classify.labels import LEVELS, LabelSpace, level_of
from claimlight.classify.mixture import Combination, Mixture
from claimlight.errors import InputError
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.fitting import ExpertPlan, fit_head
from claimlight.training.classifiers.material import Material
from claimlight.training.classifiers.stacking import fit_mixture, learn_thresholds, score_held_back
from claimlight.types import ClassLevel, Progress, plural

MIXTURE = (HeadKind.NEIGHBOURS, HeadKind.LOGISTIC)
"""Experts of a classifier unless others are asked for (docs/lab/measured/classifiers.md)."""
_LEAST = 2
FEWEST = 20
"""Documents with classes below which nothing is trained."""


@dataclass(frozen=True, slots=True)
class ClassifierPlan:
    """What is trained."""

    heads: tuple[HeadKind, ...] = MIXTURE
    combination: Combination = Combination.AVERAGE
    levels: tuple[ClassLevel, ...] = LEVELS
    least: Mapping[ClassLevel, int] = field(
        default_factory=lambda: {ClassLevel.MAIN_GROUP: 5, ClassLevel.SUBGROUP: 10}
    )
    """Documents that a class needs to be learned, by level; 2 at levels that are not named."""
    experts: ExpertPlan = field(default_factory=ExpertPlan)


def choose_labels(material: Material, plan: ClassifierPlan) -> LabelSpace:
    """The classes that have enough documents."""
    owners: dict[str, set[str]] = {}
    for labels, document in zip(material.labels, material.documents, strict=True):
        for label in labels:
            owners.setdefault(label, set()).add(document)
    counts = Counter({label: len(found) for label, found in owners.items()})
    return LabelSpace.of(
        label
        for label, count in counts.items()
        if level_of(label) in plan.levels and count >= plan.least.get(level_of(label), _LEAST)
    )


def build(material: Material, plan: ClassifierPlan, context: TaskContext) -> Classifier:
    """Train a classifier; raises `InputError` if there are too few documents or classes.

    Documents without any of the classes stay in: they say what the classes are not.
    """
    space = choose_labels(material, plan)
    documents = len(set(material.documents))
    if documents < FEWEST or not len(space):
        raise InputError(
            f"A classifier needs at least {FEWEST} documents that have classes, and classes that several of "
            f"them share; to learn from, there are {plural(documents, 'document')} and "
            f"{plural(len(space), 'such class', 'such classes')}. Import more documents that have classes."
        )
    targets = space.targets(material.labels)
    held_back = score_held_back(material, targets, plan.heads, plan.experts, context)
    mixture = _as_kept(fit_mixture(held_back, targets, space, plan.combination))
    found = make_consistent(mixture.probabilities(held_back, space), space)
    thresholds = learn_thresholds(found, targets, space).astype(np.float32)
    heads = []
    for place, kind in enumerate(plan.heads):
        context.report(Progress("experts", place, len(plan.heads), "fits", 0.0, None, kind.value))
        heads.append(fit_head(kind, material.vectors, targets, plan.experts, context))
    votes = any(kind is HeadKind.NEIGHBOURS for kind in plan.heads)
    return Classifier(
        space,
        tuple(heads),
        mixture,
        thresholds.astype(np.float64),
        documents=material.documents if votes else (),
    )


def _as_kept(mixture: Mixture) -> Mixture:
    """In the precision of a package, so that what is measured is what is read again."""
    slopes, offsets = (
        array.astype(np.float32).astype(np.float64) for array in (mixture.slopes, mixture.offsets)
    )
    return Mixture(mixture.combination, slopes, offsets)
