"""What the suggestions of a classifier are worth: order, F1, calibration and coverage, level by level."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from claimlight.classify.decoding import Probabilities
from claimlight.classify.labels import LabelSpace, level_of
from claimlight.types import ClassFigures, ClassLevel

DEPTHS = (1, 3, 5)
CONFIDENCES = (0.5, 0.7, 0.9)
_BINS = 10
_SEEN = 0.05
"""Least probability of an answer whose calibration counts."""


def measure(
    found: Probabilities,
    sets: Sequence[frozenset[str]],
    space: LabelSpace,
    thresholds: NDArray[np.float64],
) -> tuple[ClassFigures, ...]:
    """The figures of each level, over the documents that have a class there.

    ``found`` [documents, labels]; ``sets`` are the classes that the documents have. Classes that the
    classifier does not know count as missed.
    """
    return tuple(
        figures
        for level in space.levels
        if (figures := _measure_level(found, sets, space, thresholds, level)) is not None
    )


def _measure_level(
    found: Probabilities,
    sets: Sequence[frozenset[str]],
    space: LabelSpace,
    thresholds: NDArray[np.float64],
    level: ClassLevel,
) -> ClassFigures | None:
    columns = space.at(level)
    labels = space.labels[columns]
    known = frozenset(labels)
    has = [frozenset(label for label in item if level_of(label) is level) for item in sets]
    rows = [row for row, item in enumerate(has) if item]
    if not rows or not labels:
        return None
    said = found[rows][:, columns]
    truth = space.targets([has[row] & known for row in rows])[:, columns]
    unknown = np.array([len(has[row] - known) for row in rows], dtype=np.float64)
    given = said >= thresholds[columns]
    order = np.argsort(-said, axis=1, kind="stable")[:, : max(DEPTHS)]
    right = np.take_along_axis(truth, order, axis=1)
    hit, wrong = (truth & given).sum(axis=0), (~truth & given).sum(axis=0)
    missed = (truth & ~given).sum(axis=0)
    support = hit + missed
    micro = _ratio(2 * hit.sum(), 2 * hit.sum() + wrong.sum() + missed.sum() + unknown.sum())
    f1 = np.divide(2.0 * hit, 2.0 * hit + wrong + missed, out=np.zeros(len(labels)), where=support > 0)
    both = (truth & given).sum(axis=1)
    instance = 2.0 * both / np.maximum(1.0, truth.sum(axis=1) + unknown + given.sum(axis=1))
    missing = len({label for row in rows for label in has[row]} - known)
    return ClassFigures(
        level=level,
        labels=len(labels),
        documents=len(rows),
        first=float(right[:, 0].mean()),
        first_interval=_wilson(int(right[:, 0].sum()), len(rows)),
        precision=tuple(float(right[:, :depth].sum(axis=1).mean() / depth) for depth in DEPTHS),
        micro=micro,
        macro=_ratio(float(f1[support > 0].sum()), float((support > 0).sum() + missing)),
        instance=float(instance.mean()),
        calibration_error=calibration_error(said.ravel(), truth.ravel()),
        covered=tuple(_coverage(said, right, confidence) for confidence in CONFIDENCES),
    )


def calibration_error(said: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """Expected calibration error over tenths of probability, of the answers of .05 and more.

    Nearly all pairs of document and class are near zero and would hide the rest.
    """
    kept = said >= _SEEN
    if not kept.any():
        return 0.0
    said, truth = said[kept], truth[kept]
    bins = np.minimum((said * _BINS).astype(np.int64), _BINS - 1)
    weight = np.bincount(bins, minlength=_BINS)
    gap = np.abs(np.bincount(bins, said, _BINS) - np.bincount(bins, truth.astype(np.float64), _BINS))
    return float(gap.sum() / weight.sum())


def _coverage(said: Probabilities, right: NDArray[np.bool_], confidence: float) -> tuple[float, float, float]:
    """Confidence, share of documents whose first suggestion reaches it, and how many of these are right."""
    reached = said.max(axis=1) >= confidence
    return confidence, float(reached.mean()), float(right[reached, 0].mean()) if reached.any() else 0.0


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def _wilson(right: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    z, share = 1.96, right / count
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    whole = 1 + z * z / count
    return (middle - half) / whole, (middle + half) / whole
