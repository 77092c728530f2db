"""Mixtures of experts: probabilities of several probes made into one (paper, section 4.3).

The paper names its experts (logistic regression, nearest neighbours, support vectors) and no gate, so there
are two: the average of calibrated probabilities, and a logistic gate for each label over what the experts
say. Beside them the plain average, which is not calibrated. Calibration and gate are learned from scores of
documents that were held back from the experts; the held-back scores of the mixture itself come from gates
that have not seen the document either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import BugError
from claimlight.lab.diagnostics.probes import Scores, Targets
from claimlight.lab.papers.cpc.runner import Scored
from claimlight.lab.papers.cpc.thresholds import LEAST
from claimlight.training.classifiers.splits import folds

_LABELS = 64
"""Gates that are fitted together; bounds memory."""
_STEPS = 30
_EDGE = 1e-6
_STILL = 1e-6

Inputs = NDArray[np.float32]
"""[documents, labels, experts] in log odds."""


class Combination(StrEnum):
    """How experts are made into one system."""

    AVERAGE = "average"
    """The mean of the experts' calibrated probabilities."""
    GATE = "gate"
    """A logistic regression for each label over the experts' log odds."""
    ENSEMBLE = "ensemble"
    """The mean of what the experts say, uncalibrated; distances go through the logistic function."""


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """A logistic regression for each label."""

    weights: NDArray[np.float64]
    """[labels, experts]."""
    offsets: NDArray[np.float64]
    """[labels]."""

    def probabilities(self, inputs: Inputs) -> Scores:
        """[documents, labels]."""
        odds: Scores = np.einsum("nle,le->nl", inputs, self.weights) + self.offsets
        return _sigmoid(odds)


def fit_gates(inputs: Inputs, targets: Targets, *, least: int = LEAST) -> Gates:
    """Fit a gate for each label: logistic regression with C = 1, the offset free.

    Labels of fewer than ``least`` documents share one gate, fitted on all of them together.
    """
    counts = targets.sum(axis=0)
    rare = (counts < least) | (counts == len(targets))
    labels, experts = targets.shape[1], inputs.shape[2]
    found = np.zeros((labels, experts + 1))
    own = np.flatnonzero(~rare)
    for begin in range(0, len(own), _LABELS):
        some = own[begin : begin + _LABELS]
        found[some] = _fit(inputs[:, some].swapaxes(0, 1), targets[:, some].T)
    if rare.any():
        together = inputs[:, rare].reshape(1, -1, experts)
        found[rare] = _fit(together, targets[:, rare].reshape(1, -1))
    return Gates(found[:, :-1], found[:, -1])


def combine(
    kind: Combination,
    experts: Sequence[Scored],
    floors: Sequence[float],
    groups: Sequence[str],
    *,
    parts: int,
    seed: int,
) -> Scored:
    """One system of several experts at the same level on the same split.

    ``floors``: of each expert the least probability that it is taken to mean (of ten neighbours none having
    a label does not mean never). ``groups`` are the families of the training side. Experts without
    held-back scores are a bug.
    """
    first = experts[0]
    held = [item.held_back for item in experts if item.held_back is not None]
    if len(held) < len(experts):
        raise BugError("A mixture of experts needs their scores of documents that were held back.")
    if kind is Combination.ENSEMBLE:
        return replace(
            first,
            held_back=_plain(held, experts),
            test=_plain([e.test for e in experts], experts),
            cut=0.5,
            probable=True,
        )
    targets = first.train_targets
    inside = _log_odds(held, experts, floors)
    outside = _log_odds([item.test for item in experts], experts, floors)
    found = np.zeros(targets.shape)
    for split in folds(groups, parts, seed=seed):
        found[split.test] = _mix(kind, inside[split.train], targets[split.train], inside[split.test])
    return replace(first, held_back=found, test=_mix(kind, inside, targets, outside), cut=0.5, probable=True)


def _mix(kind: Combination, learned: Inputs, targets: Targets, asked: Inputs) -> Scores:
    if kind is Combination.GATE:
        return fit_gates(learned, targets).probabilities(asked)
    found = np.zeros(asked.shape[:2])
    for expert in range(asked.shape[2]):
        own = slice(expert, expert + 1)
        found += fit_gates(learned[:, :, own], targets).probabilities(asked[:, :, own])
    mean: Scores = found / asked.shape[2]
    return mean


def _plain(scores: Sequence[Scores], experts: Sequence[Scored]) -> Scores:
    said = [one if expert.probable else _sigmoid(one) for one, expert in zip(scores, experts, strict=True)]
    mean: Scores = np.mean(said, axis=0)
    return mean


def _log_odds(scores: Sequence[Scores], experts: Sequence[Scored], floors: Sequence[float]) -> Inputs:
    found = np.empty((*scores[0].shape, len(scores)), dtype=np.float32)
    for place, (one, expert, floor) in enumerate(zip(scores, experts, floors, strict=True)):
        if expert.probable:
            edge = max(floor, _EDGE)
            sure = np.clip(one, edge, 1 - edge)
            found[:, :, place] = np.log(sure / (1 - sure))
        else:
            found[:, :, place] = one
    return found


def _fit(inputs: Inputs, targets: Targets) -> NDArray[np.float64]:
    """[labels, experts + 1] of inputs [labels, n, experts] and targets [labels, n]: Newton's method."""
    ones = np.ones((*inputs.shape[:2], 1))
    rows: NDArray[np.float64] = np.concatenate([inputs.astype(np.float64), ones], axis=2)
    shrunk = np.ones(rows.shape[2])
    shrunk[-1] = 0.0
    wanted = targets.astype(np.float64)
    weights = np.zeros((len(rows), rows.shape[2]))
    share = np.clip(wanted.mean(axis=1), _EDGE, 1 - _EDGE)
    weights[:, -1] = np.log(share / (1 - share))
    odds = _odds(rows, weights)
    for _ in range(_STEPS):
        sure = _sigmoid(odds)
        slope = ((sure - wanted)[:, None] @ rows)[:, 0] + shrunk * weights
        bend = rows.swapaxes(1, 2) @ ((sure * (1 - sure))[:, :, None] * rows) + np.diag(shrunk + _EDGE)
        step = -np.linalg.solve(bend, slope[:, :, None])[:, :, 0].astype(np.float64)
        before, size = _losses(odds, wanted, weights, shrunk), np.ones((len(rows), 1))
        moved = _odds(rows, step)
        while True:
            after = _losses(odds + size * moved, wanted, weights + size * step, shrunk)
            worse = (after > before + _STILL * np.abs(before)) & (size[:, 0] > 1e-4)
            if not worse.any():
                break
            size[worse] /= 2
        weights, odds = weights + size * step, odds + size * moved
        if (np.abs(size * step) < _STILL * (1 + np.abs(weights))).all():
            break
    return weights


def _odds(rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = (rows @ weights[:, :, None])[:, :, 0]
    return found


def _losses(
    odds: NDArray[np.float64],
    wanted: NDArray[np.float64],
    weights: NDArray[np.float64],
    shrunk: NDArray[np.float64],
) -> NDArray[np.float64]:
    shrink = 0.5 * (shrunk * weights**2).sum(axis=1)
    found: NDArray[np.float64] = (np.logaddexp(0.0, odds) - odds * wanted).sum(axis=1) + shrink
    return found


def _sigmoid(odds: NDArray[np.float64]) -> Scores:
    with np.errstate(over="ignore"):
        found: Scores = 1.0 / (1.0 + np.exp(-odds))
    return found
