"""A probe with one hidden layer, fitted as PatentMap fits its own (appendix C.1 and the authors' code).

1,024 rectified units, a sigmoid for each label, binary cross-entropy; Adam (3e-4, weight decay 1e-5),
gradients of length one at most, batches of 256. After each epoch the loss on a tenth of the rows, kept out,
is looked at; where it has not fallen for five epochs, or after a hundred, the best weights are taken.

Not scikit-learn's: it looks at the share of rows all of whose labels are right, which stays 0 for many epochs
where labels are many and rare, and stops before anything is learned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.tasks import TaskContext
from claimlight.types import Progress

HIDDEN = 1024
RATE, DECAY = 3e-4, 1e-5
BATCH, EPOCHS, PATIENCE = 256, 100, 5
_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8
_LONGEST = 1.0
_ENOUGH = 20

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TwoLayers:
    """Weights [dimensions, hidden], [hidden], [hidden, labels], [labels]."""

    weights: tuple[Array, ...]
    scale: float = 1.0
    """Factor of the vectors before the first layer."""

    def logits(self, vectors: Array) -> Array:
        """[rows, labels] of [rows, dimensions]."""
        return _forward(self.weights, vectors * np.float32(self.scale))[1]

    def scores(self, vectors: Array) -> NDArray[np.float64]:
        """Probabilities [rows, labels]."""
        logits = self.logits(vectors).astype(np.float64)
        with np.errstate(over="ignore"):
            found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-logits))
        return found


def fit_two_layers(
    vectors: Array, targets: NDArray[np.bool_], *, seed: int, context: TaskContext
) -> TwoLayers:
    """Fit on ``vectors`` [n, d] and ``targets`` [n, labels]; the same seed gives the same weights.

    Of fewer than 20 rows none is kept out, and all epochs are gone through. Reports `Progress` in epochs.
    """
    rng = np.random.default_rng(seed)
    scale = scale_of(vectors)
    given = vectors * np.float32(scale)
    model = _Model(first_weights(vectors.shape[1], targets.shape[1], rng))
    order = rng.permutation(len(vectors))
    held = -(-len(order) // 10) if len(order) >= _ENOUGH else 0
    kept, rest = order[:held], order[held:]
    wanted = targets.astype(np.float32)
    best, least, since = model.copy(scale), np.inf, 0
    for epoch in range(EPOCHS):
        context.report(Progress("probe", epoch, EPOCHS, "epochs", 0.0, None))
        for rows in _batches(rng.permutation(rest)):
            context.check()
            model.step(given[rows], wanted[rows])
        if not held:
            best = model.copy(scale)
            continue
        loss = loss_of(TwoLayers(model.weights).logits(given[kept]), wanted[kept])
        since += 1
        if loss < least:
            best, least, since = model.copy(scale), loss, 0
        if since == PATIENCE:
            break
    return best


def scale_of(vectors: Array) -> float:
    """What brings the mean square of a component to one, as it is behind the last layer of an encoder.

    The authors give the probe vectors as they come from there. Brought to length one before, they are so
    short that a hundred epochs of such small steps do not suffice.
    """
    square = float(np.square(vectors, dtype=np.float64).mean()) if vectors.size else 0.0
    return square**-0.5 if square > 0 else 1.0


def first_weights(dimensions: int, labels: int, rng: np.random.Generator) -> tuple[Array, ...]:
    """Uniform between ± 1 / √inputs, as torch begins."""
    shapes = ((dimensions, HIDDEN), (HIDDEN,), (HIDDEN, labels), (labels,))
    inputs = (dimensions, dimensions, HIDDEN, HIDDEN)
    return tuple(
        rng.uniform(-(many**-0.5), many**-0.5, shape).astype(np.float32)
        for shape, many in zip(shapes, inputs, strict=True)
    )


def loss_of(logits: Array, wanted: Array) -> float:
    """Binary cross-entropy, the mean over rows and labels."""
    given = logits.astype(np.float64)
    losses = np.maximum(given, 0) - given * wanted + np.log1p(np.exp(-np.abs(given)))
    return float(losses.mean())


def gradients(weights: tuple[Array, ...], vectors: Array, wanted: Array) -> tuple[Array, ...]:
    """Gradients of `loss_of` by each of the weights."""
    hidden, logits = _forward(weights, vectors)
    with np.errstate(over="ignore"):
        sigmoid: Array = np.float32(1) / (np.float32(1) + np.exp(-logits))
    error: Array = (sigmoid - wanted) / np.float32(wanted.size)
    back: Array = (error @ weights[2].T) * (hidden > 0)
    return vectors.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)


class _Model:
    """Weights with the moments of Adam."""

    def __init__(self, weights: tuple[Array, ...]) -> None:
        self.weights = weights
        self._first = tuple(np.zeros_like(item) for item in weights)
        self._second = tuple(np.zeros_like(item) for item in weights)
        self._steps = 0

    def copy(self, scale: float) -> TwoLayers:
        return TwoLayers(tuple(item.copy() for item in self.weights), scale)

    def step(self, vectors: Array, wanted: Array) -> None:
        """One batch."""
        found = gradients(self.weights, vectors, wanted)
        length = float(np.sqrt(sum(float(np.vdot(item, item)) for item in found)))
        scale = np.float32(min(1.0, _LONGEST / (length + 1e-6)))
        self._steps += 1
        rate = RATE * np.sqrt(1 - _SECOND**self._steps) / (1 - _FIRST**self._steps)
        tiny = _TINY * np.sqrt(1 - _SECOND**self._steps)
        parts = zip(self.weights, found, self._first, self._second, strict=True)
        for weight, gradient, first, second in parts:
            slope = gradient * scale + np.float32(DECAY) * weight
            first += (1 - _FIRST) * (slope - first)
            second += (1 - _SECOND) * (slope * slope - second)
            weight -= np.float32(rate) * first / (np.sqrt(second) + np.float32(tiny))


def _forward(weights: tuple[Array, ...], vectors: Array) -> tuple[Array, Array]:
    """Hidden units and logits."""
    hidden: Array = np.maximum(vectors @ weights[0] + weights[1], 0)
    logits: Array = hidden @ weights[2] + weights[3]
    return hidden, logits


def _batches(order: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for begin in range(0, len(order), BATCH):
        yield order[begin : begin + BATCH]
