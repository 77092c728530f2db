"""Planes of many labels at once: logistic regression and linear support vectors, one against the rest.

The objectives are those of scikit-learn's ``LogisticRegression`` and ``LinearSVC`` with their defaults, and
so are the planes, up to the tolerance. scikit-learn fits a label after the other; here a step of Newton's
method for some hundred labels is a handful of matrix products, which at the level of groups is the difference
between minutes and hours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.tasks import TaskContext

_LABELS = 256
"""Labels that are fitted together; bounds memory to a few arrays of [rows, labels]."""
_STEPS, _INNER = 50, 40
_TOLERANCE = 1e-5
"""Length of the gradient at which a label is done, relative to that at the start."""
_SHORTEST = 2.0**-10

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """``vectors @ normals + offsets`` are [rows, labels]."""

    normals: Array
    """[dimensions, labels]."""
    offsets: Array
    """[labels]."""

    def distances(self, vectors: Array) -> NDArray[np.float64]:
        """[rows, labels] of [rows, dimensions]; the greater, the surer."""
        found: NDArray[np.float64] = (vectors @ self.normals + self.offsets).astype(np.float64)
        return found


def fit_planes(
    vectors: Array, targets: NDArray[np.bool_], *, strength: float, logistic: bool, context: TaskContext
) -> Planes:
    """Fit a plane for each label of ``targets`` [rows, labels] on ``vectors`` [rows, dimensions].

    ``strength`` is C. Logistic regression leaves the offset free; support vectors (squared hinge) shrink it
    like the normal, as ``LinearSVC`` does. A label that all rows carry, or none, gets an offset of ±
    infinity.
    """
    rows = np.concatenate([vectors, np.ones((len(vectors), 1), dtype=np.float32)], axis=1)
    weights = np.zeros((rows.shape[1], targets.shape[1]), dtype=np.float32)
    shares = targets.mean(axis=0)
    told = np.flatnonzero((shares > 0) & (shares < 1))
    for begin in range(0, len(told), _LABELS):
        some = told[begin : begin + _LABELS]
        weights[:, some] = _fit(_Problem(rows, targets[:, some], strength, logistic=logistic), context)
    weights[-1, shares == 1] = np.inf
    weights[-1, shares == 0] = -np.inf
    return Planes(weights[:-1], weights[-1])


class _Problem:
    """Loss, gradient and curvature of some labels."""

    def __init__(self, rows: Array, targets: NDArray[np.bool_], strength: float, *, logistic: bool) -> None:
        self.rows, self._strength, self._logistic = rows, np.float32(strength), logistic
        self.signs: Array = np.where(targets, np.float32(1), np.float32(-1))
        self._shrunk = np.ones((rows.shape[1], 1), dtype=np.float32)
        if logistic:
            self._shrunk[-1] = 0

    def only(self, kept: NDArray[np.bool_]) -> None:
        """Keep some of the labels."""
        self.signs = self.signs[:, kept]

    def losses(self, weights: Array, given: Array) -> NDArray[np.float64]:
        """[labels]; ``given`` are ``rows @ weights``."""
        margins = self.signs * given
        if self._logistic:
            parts = np.logaddexp(np.float32(0), -margins)
        else:
            parts = np.square(np.maximum(1 - margins, 0))
        shrink = 0.5 * np.square(weights * self._shrunk).sum(axis=0, dtype=np.float64)
        found: NDArray[np.float64] = shrink + float(self._strength) * parts.sum(axis=0, dtype=np.float64)
        return found

    def slopes(self, weights: Array, given: Array) -> tuple[Array, Array]:
        """Gradients [dimensions + 1, labels] and the curvature of each row's loss [rows, labels]."""
        margins = self.signs * given
        if self._logistic:
            with np.errstate(over="ignore"):
                miss = 1 / (1 + np.exp(margins))
            pull, curvature = -self.signs * miss, miss * (1 - miss)
        else:
            miss = np.maximum(1 - margins, 0)
            pull, curvature = -2 * self.signs * miss, np.where(miss > 0, np.float32(2), np.float32(0))
        gradient: Array = self._strength * (self.rows.T @ pull) + self._shrunk * weights
        return gradient, self._strength * curvature

    def curve(self, curvature: Array, along: Array) -> Array:
        """The Hessian times ``along`` [dimensions + 1, labels]."""
        found: Array = self.rows.T @ (curvature * (self.rows @ along)) + self._shrunk * along
        return found

    def diagonal(self, curvature: Array) -> Array:
        found: Array = np.square(self.rows).T @ curvature + self._shrunk
        return np.maximum(found, np.float32(1e-6))


def _fit(problem: _Problem, context: TaskContext) -> Array:
    """Newton's method with conjugate gradients and a backtracking search, all labels in step."""
    labels = problem.signs.shape[1]
    done = np.zeros((problem.rows.shape[1], labels), dtype=np.float32)
    open_ = np.arange(labels)
    weights, given = done.copy(), np.zeros_like(problem.signs)
    first: Array | None = None
    for _ in range(_STEPS):
        context.check()
        gradient, curvature = problem.slopes(weights, given)
        lengths = np.linalg.norm(gradient, axis=0)
        first = lengths if first is None else first
        done[:, open_] = weights
        left = lengths > _TOLERANCE * first
        if not left.any():
            break
        if not left.all():
            problem.only(left)
            open_, first, lengths = open_[left], first[left], lengths[left]
            weights, given = weights[:, left], given[:, left]
            gradient, curvature = gradient[:, left], curvature[:, left]
        step = _direction(problem, gradient, curvature, np.minimum(0.5, np.sqrt(lengths / first)) * lengths)
        moved = problem.rows @ step
        size = _step_sizes(problem, weights, given, step, moved, gradient)
        weights, given = weights + size * step, given + size * moved
    done[:, open_] = weights
    return done


def _direction(problem: _Problem, gradient: Array, curvature: Array, enough: Array) -> Array:
    """Newton's direction by preconditioned conjugate gradients, until residuals are short ``enough``."""
    scale = 1 / problem.diagonal(curvature)
    found, rest = np.zeros_like(gradient), -gradient
    search: Array = np.asarray(scale * rest, dtype=np.float32)
    energy = (rest * search).sum(axis=0)
    for _ in range(_INNER):
        curved = problem.curve(curvature, search)
        bend = (search * curved).sum(axis=0)
        # A label that is done stays where it is while others go on.
        going = (np.linalg.norm(rest, axis=0) > enough) & (bend > 0)
        if not going.any():
            break
        size: Array = np.where(going, energy / np.where(bend > 0, bend, 1), 0).astype(np.float32)
        found, rest = found + size * search, rest - size * curved
        scaled = scale * rest
        now = (rest * scaled).sum(axis=0)
        again = np.where(energy > 0, now / np.where(energy > 0, energy, 1), 0).astype(np.float32)
        search = scaled + again * search
        energy = now
    return found


def _step_sizes(
    problem: _Problem, weights: Array, given: Array, step: Array, moved: Array, gradient: Array
) -> Array:
    """[labels] the first of 1, ½, ¼ … that makes the loss fall enough (Armijo); 0 if none does."""
    before = problem.losses(weights, given)
    fall = (gradient * step).sum(axis=0, dtype=np.float64)
    sizes = np.ones(len(before), dtype=np.float32)
    while True:
        after = problem.losses(weights + sizes * step, given + sizes * moved)
        # Losses of many rows in fp32 differ by rounding alone.
        short = (after > before + 1e-4 * sizes * fall + 1e-6 * np.abs(before)) & (sizes > 0)
        if not short.any():
            return sizes
        sizes = np.where(short, np.where(sizes > _SHORTEST, sizes / 2, 0), sizes).astype(np.float32)
