"""Fits the experts of a classifier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.classify.heads import Head, HeadKind, Neighbours, Planes, TwoLayers, Vectors, pack_labels
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.planes import fit_planes
from claimlight.training.classifiers.two_layers import fit_two_layers

Targets = NDArray[np.bool_]
"""[rows, labels]."""


@dataclass(frozen=True, slots=True)
class ExpertPlan:
    """How the experts are fitted."""

    neighbours: int = 20
    """Rows that vote."""
    strength: float = 1.0
    """C of logistic regression and support vectors; the smaller, the smoother."""
    least: int = 20
    """Rows that a label needs for a plane of its own: fewer say little, and labels of few rows are most of
    them, so that planes for all would take ten times as long."""
    seed: int = 1


def fit_head(
    kind: HeadKind, vectors: Vectors, targets: Targets, plan: ExpertPlan, context: TaskContext
) -> Head:
    """One expert for all labels, in the precision in which a package keeps it."""
    if kind is HeadKind.NEIGHBOURS:
        starts, codes = pack_labels(targets)
        kept = vectors.astype(np.float16)
        return Neighbours(kept, starts, codes, targets.shape[1], min(plan.neighbours, len(vectors)))
    if kind is HeadKind.TWO_LAYERS:
        found = fit_two_layers(vectors, targets, seed=plan.seed, context=context)
        first, bias, second, last = (weight.astype(np.float16) for weight in found.weights)
        return TwoLayers((first, bias, second, last), found.scale)
    return _fit_planes(kind, vectors, targets, plan, context)


def _fit_planes(
    kind: HeadKind, vectors: Vectors, targets: Targets, plan: ExpertPlan, context: TaskContext
) -> Planes:
    """A plane for each label of enough rows; the others keep the log-odds of their share of the rows."""
    counts = targets.sum(axis=0)
    shares = (counts + 0.5) / (len(targets) + 1)
    offsets = np.log(shares / (1 - shares)).astype(np.float32)
    normals = np.zeros((vectors.shape[1], targets.shape[1]), dtype=np.float16)
    told = np.flatnonzero((counts >= plan.least) & (counts < len(targets)))
    if len(told):
        made = fit_planes(
            vectors,
            targets[:, told],
            strength=plan.strength,
            logistic=kind is HeadKind.LOGISTIC,
            context=context,
        )
        normals[:, told], offsets[told] = made.normals.astype(np.float16), made.offsets
    return Planes(kind, normals, offsets)
