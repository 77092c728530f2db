"""The mixture and the thresholds, fitted on what experts say of families that they have not seen.

Every expert is fitted several times, each time without a part of the families, and scores that part. On these
scores the mixture is fitted by maximum likelihood, level by level: a few numbers for a hundred thousand
answers, so the probabilities are calibrated without another part held back.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from claimlight.classify.decoding import Probabilities
from claimlight.classify.heads import HeadKind, Scores
from claimlight.classify.labels import LabelSpace
from claimlight.classify.mixture import Combination, Mixture, sigmoid
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.cuts import best_cut
from claimlight.training.classifiers.fitting import ExpertPlan, Targets, fit_head
from claimlight.training.classifiers.material import Material
from claimlight.training.classifiers.splits import folds
from claimlight.types import Progress

FOLDS = 3
LEAST = 20
"""Documents of a label that its own threshold needs: for fewer, the best F1 held back is often that of giving
it to everything."""
_STEPS, _TOLERANCE = 100, 1e-8
_RIDGE = 1.0
"""Shrinks the slopes: nothing against thousands of answers, but where experts distinguish few documents
perfectly it keeps probabilities from 0 and 1."""
_ANSWERS = 1_000_000
"""Most wrong answers of a level that the mixture is fitted on."""
_SEEN = 0.02
_FLOOR = 0.5
"""Least threshold of a class, as a share of its level's: the best F1 of few documents is often chance."""


def score_held_back(
    material: Material,
    targets: Targets,
    heads: Sequence[HeadKind],
    plan: ExpertPlan,
    context: TaskContext,
    *,
    parts: int = FOLDS,
) -> tuple[Scores, ...]:
    """Scores [rows, labels] of each expert, of every row by a fit without its family. Reports `Progress`."""
    found = tuple(np.zeros(targets.shape) for _ in heads)
    splits = folds(material.groups, parts, seed=plan.seed)
    for number, split in enumerate(splits):
        for place, kind in enumerate(heads):
            step = number * len(heads) + place
            context.report(
                Progress("experts", step, (len(splits) + 1) * len(heads), "fits", 0.0, None, kind.value)
            )
            head = fit_head(kind, material.vectors[split.train], targets[split.train], plan, context)
            found[place][split.test] = head.scores(material.vectors[split.test])
    return found


def fit_mixture(
    scores: Sequence[Scores], targets: Targets, space: LabelSpace, combination: Combination
) -> Mixture:
    """The mixture of the greatest likelihood on scores held back, level by level.

    Of levels with very many answers all true ones are looked at, and a random sample of the others, each for
    as many as it stands for.
    """
    slopes = np.zeros((len(space.levels), len(scores)))
    offsets = np.zeros_like(slopes)
    rng = np.random.default_rng(0)
    for number, level in enumerate(space.levels):
        columns = space.at(level)
        truth = targets[:, columns].ravel()
        kept, weights = _sample(truth, rng)
        said = np.stack([found[:, columns].ravel()[kept] for found in scores], axis=1)
        wanted = truth[kept].astype(np.float64)
        if combination is Combination.GATE:
            fitted = _logistic(said, wanted, weights)
            slopes[number], offsets[number, 0] = fitted[:-1], fitted[-1]
        else:
            for expert in range(len(scores)):
                slopes[number, expert], offsets[number, expert] = _logistic(
                    said[:, expert : expert + 1], wanted, weights
                )
    return Mixture(combination, slopes, offsets)


def _sample(
    truth: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Places of the answers that are looked at, and how many each stands for."""
    right, wrong = np.flatnonzero(truth), np.flatnonzero(~truth)
    if len(wrong) <= _ANSWERS:
        return np.arange(len(truth)), np.ones(len(truth))
    some = np.sort(rng.choice(wrong, _ANSWERS, replace=False))
    weights = np.concatenate([np.ones(len(right)), np.full(_ANSWERS, len(wrong) / _ANSWERS)])
    return np.concatenate([right, some]), weights


def learn_thresholds(found: Probabilities, targets: Targets, space: LabelSpace) -> NDArray[np.float64]:
    """[labels] the probability of the best F1 held back.

    Of each label with enough documents its own, of the others that of their level.
    """
    cuts = np.ones(len(space))
    for level in space.levels:
        columns = space.at(level)
        said, truth = found[:, columns], targets[:, columns]
        # Nearly all answers are close to zero, and the best threshold of a level is not.
        seen = said >= _SEEN
        one = best_cut(said[seen], truth[seen], total=int(truth.sum())).cut
        one = one if np.isfinite(one) else 1.0
        for label in range(columns.start, columns.stop):
            own = one
            if int(targets[:, label].sum()) >= LEAST:
                own = best_cut(found[:, label], targets[:, label]).cut
            cuts[label] = max(own, _FLOOR * one)
    return np.clip(cuts, 0.0, 1.0)


def _logistic(
    features: NDArray[np.float64], truth: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """[features + 1] coefficients and offset of a logistic regression by Newton's method, hardly shrunk.

    ``counts`` [rows]: how many answers each row stands for.
    """
    rows = np.concatenate([features, np.ones((len(features), 1))], axis=1)
    shrink = np.diag([_RIDGE] * features.shape[1] + [0.0])
    weights = np.zeros(rows.shape[1])
    share = float(np.clip(np.average(truth, weights=counts), 1e-9, 1 - 1e-9)) if len(truth) else 0.5
    weights[-1] = np.log(share / (1 - share))

    def loss_of(weights: NDArray[np.float64]) -> float:
        values = rows @ weights
        return float(counts @ (np.logaddexp(0, values) - truth * values) + 0.5 * weights @ shrink @ weights)

    loss = loss_of(weights)
    for _ in range(_STEPS):
        said = sigmoid(rows @ weights)
        gradient = rows.T @ (counts * (said - truth)) + shrink @ weights
        curve = (rows * (counts * said * (1 - said))[:, None]).T @ rows + shrink + 1e-9 * np.eye(len(weights))
        step = np.linalg.solve(curve, gradient)
        size = 1.0
        while (after := loss_of(weights - size * step)) > loss and size > 1e-6:
            size /= 2
        if after >= loss - _TOLERANCE * abs(loss):
            break
        weights, loss = weights - size * step, after
    return weights
