"""Thresholds of scores: fixed, or learned from documents that were held back.

Held back are parts of the training side, by family; the test side is never looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from claimlight.lab.diagnostics.probes import ProbeSettings, Scores, Targets, Vectors, fit
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.cuts import best_cut
from claimlight.training.classifiers.splits import folds

FOLDS = 5
LEAST = 20
"""Documents of a label that its own threshold needs: for fewer, the best F1 held back is often that of
giving it to everything."""


class Threshold(StrEnum):
    """How the threshold is chosen."""

    FIXED = "fixed"
    """Half for probabilities and votes, the plane itself for support vectors."""
    ONE = "one"
    """One for all labels: the best micro F1 held back."""
    LABEL = "label"
    """Each label its own best F1 held back; one of fewer than 20 documents has that of all."""


def score_held_back(
    vectors: Vectors,
    targets: Targets,
    groups: Sequence[str],
    settings: ProbeSettings,
    context: TaskContext,
    *,
    parts: int = FOLDS,
) -> Scores:
    """Scores of every row by a probe that has not seen its group, [rows, labels]."""
    scores = np.zeros(targets.shape)
    for split in folds(groups, parts, seed=settings.seed):
        probe = fit(vectors[split.train], targets[split.train], settings, context)
        scores[split.test] = probe.scores(vectors[split.test])
    return scores


def learn_cuts(scores: Scores, targets: Targets, how: Threshold) -> NDArray[np.float64]:
    """Thresholds by scores held back, [labels]."""
    one = best_cut(scores.ravel(), targets.ravel()).cut
    if how is Threshold.ONE:
        return np.full(targets.shape[1], one)
    cuts = [
        best_cut(scores[:, label], targets[:, label]).cut if count >= LEAST else one
        for label, count in enumerate(targets.sum(axis=0))
    ]
    return np.array(cuts)
