"""Experts of a classifier: plain arrays that score the labels of vectors.

Neighbours vote by their labels (k-nearest neighbours), planes are logistic regressions or linear support
vectors, one against the rest, and two layers are PatentMap's probe (section 5.2). Scores of an expert can be
compared with each other, but not with those of another: the gate brings them together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from claimlight.vectors import unit_rows

Vectors = NDArray[np.float32]
"""[rows, dimensions], unit rows."""
Scores = NDArray[np.float64]
"""[rows, labels]; the higher, the likelier."""
Arrays = Mapping[str, NDArray[Any]]

_BLOCK = 1 << 24
"""Cosines held at once."""
_CEILING = 12.0
"""Most that a score is away from zero: beyond, a probability says no more."""


class HeadKind(StrEnum):
    """What an expert is."""

    NEIGHBOURS = "neighbours"
    LOGISTIC = "logistic"
    SVM = "svm"
    TWO_LAYERS = "two-layers"


class Head(Protocol):
    """One expert."""

    @property
    def kind(self) -> HeadKind:
        """What it is."""
        ...

    def scores(self, vectors: Vectors) -> Scores:
        """[rows, labels]."""
        ...

    def arrays(self) -> Arrays:
        """What `read_head` makes it of again, in the precision in which it is kept."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The nearest rows of a text."""

    rows: NDArray[np.int64]
    """[asked, k] places of rows, the nearest first."""
    cosines: NDArray[np.float64]
    """[asked, k]."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Documents that vote: the share of the nearest rows, weighted by cosine, that have a label."""

    vectors: NDArray[np.float16]
    """[rows, dimensions], unit rows."""
    starts: NDArray[np.int64]
    """[rows + 1] start of each row's labels in ``codes``."""
    codes: NDArray[np.int32]
    """Columns of labels."""
    labels: int
    count: int
    """Rows that are asked."""

    @property
    def kind(self) -> HeadKind:
        """What it is."""
        return HeadKind.NEIGHBOURS

    def nearest(self, vectors: Vectors) -> Nearest:
        """The rows nearest to each vector; equal ones by place."""
        count = min(self.count, len(self.vectors))
        rows = np.empty((len(vectors), count), dtype=np.int64)
        cosines = np.empty((len(vectors), count))
        base, asked = self._rows, unit_rows(vectors)
        step = max(1, _BLOCK // max(1, len(base)))
        for begin in range(0, len(asked), step):
            found = asked[begin : begin + step] @ base.T
            part = np.sort(np.argpartition(-found, count - 1, axis=1)[:, :count], axis=1)
            near = np.take_along_axis(found, part, axis=1)
            order = np.argsort(-near, axis=1, kind="stable")
            rows[begin : begin + step] = np.take_along_axis(part, order, axis=1)
            cosines[begin : begin + step] = np.take_along_axis(near, order, axis=1)
        return Nearest(rows, cosines)

    @cached_property
    def _rows(self) -> Vectors:
        # Twice the memory of the kept ones, and half of the time of a question.
        return self.vectors.astype(np.float32)

    def votes(self, nearest: Nearest) -> NDArray[np.float64]:
        """[asked, labels] weighted share of the nearest rows that have each label."""
        weights = np.maximum(nearest.cosines, 0.0) ** _SHARPNESS
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        found = np.zeros((len(nearest.rows), self.labels))
        for asked, (rows, shares) in enumerate(zip(nearest.rows, weights, strict=True)):
            for row, share in zip(rows.tolist(), shares.tolist(), strict=True):
                found[asked, self.codes[self.starts[row] : self.starts[row + 1]]] += share
        return found

    def scores(self, vectors: Vectors) -> Scores:
        """Log-odds of the votes; a label that nobody voted for gets half a vote of the least weight."""
        votes = self.votes(self.nearest(vectors))
        least = 0.5 / (self.count + 1)
        return _log_odds(least + (1 - 2 * least) * votes)

    def arrays(self) -> Arrays:
        """What `read_head` makes it of again."""
        return {
            "vectors": self.vectors,
            "starts": self.starts,
            "codes": self.codes,
            "shape": np.array([self.labels, self.count], dtype=np.int64),
        }


_LAYERS = ("first", "bias", "second", "offsets")
_SHARPNESS = 12.0
"""Power of the cosine by which a neighbour votes."""


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """One plane for each label; scores are distances from it, of a logistic regression the log-odds."""

    kind: HeadKind
    normals: NDArray[np.float16]
    """[dimensions, labels]."""
    offsets: NDArray[np.float32]
    """[labels]."""

    def scores(self, vectors: Vectors) -> Scores:
        """[rows, labels]."""
        found = vectors @ self.normals.astype(np.float32) + self.offsets
        return np.clip(found.astype(np.float64), -_CEILING, _CEILING)

    def arrays(self) -> Arrays:
        """What `read_head` makes it of again."""
        return {"normals": self.normals, "offsets": self.offsets}


@dataclass(frozen=True, slots=True, eq=False)
class TwoLayers:
    """A layer of rectified units before the planes; scores are log-odds."""

    weights: tuple[NDArray[np.float16], NDArray[np.float16], NDArray[np.float16], NDArray[np.float16]]
    """[dimensions, hidden], [hidden], [hidden, labels], [labels]."""
    scale: float
    """Factor of the vectors before the first layer."""

    @property
    def kind(self) -> HeadKind:
        """What it is."""
        return HeadKind.TWO_LAYERS

    def scores(self, vectors: Vectors) -> Scores:
        """[rows, labels]."""
        first, bias, second, offsets = (item.astype(np.float32) for item in self.weights)
        hidden = np.maximum(vectors * np.float32(self.scale) @ first + bias, 0)
        return np.clip((hidden @ second + offsets).astype(np.float64), -_CEILING, _CEILING)

    def arrays(self) -> Arrays:
        """What `read_head` makes it of again."""
        return {
            **dict(zip(_LAYERS, self.weights, strict=True)),
            "scale": np.array([self.scale], dtype=np.float32),
        }


def read_head(kind: HeadKind, arrays: Arrays, labels: int) -> Head:
    """An expert from its arrays; `ValueError` or `KeyError` for arrays that can't be one of its kind."""
    if kind is HeadKind.NEIGHBOURS:
        return _read_neighbours(arrays, labels)
    if kind is HeadKind.TWO_LAYERS:
        first, bias, second, last = (arrays[name] for name in _LAYERS)
        fits = first.shape[1:] == bias.shape and second.shape == (*bias.shape, labels)
        if not fits or first.ndim != 2 or last.shape != (labels,):
            raise ValueError("layers that do not fit each other")
        return TwoLayers((first, bias, second, last), float(arrays["scale"][0]))
    normals, offsets = arrays["normals"], arrays["offsets"]
    if normals.ndim != 2 or normals.shape[1:] != (labels,) or offsets.shape != (labels,):
        raise ValueError("planes that do not fit the labels")
    return Planes(kind, normals, offsets)


def _read_neighbours(arrays: Arrays, labels: int) -> Neighbours:
    vectors, starts, codes = arrays["vectors"], arrays["starts"], arrays["codes"]
    if (vectors.ndim, starts.ndim, codes.ndim) != (2, 1, 1) or {starts.dtype.kind, codes.dtype.kind} != {"i"}:
        raise ValueError("neighbours whose labels are no whole numbers, or of another shape")
    known, count = (int(value) for value in arrays["shape"])
    if known != labels or count < 1 or not len(vectors) or len(starts) != len(vectors) + 1:
        raise ValueError("neighbours that do not fit the labels")
    if starts[0] or starts[-1] != len(codes) or (np.diff(starts) < 0).any():
        raise ValueError("neighbours whose labels do not fit the rows")
    if len(codes) and not 0 <= codes.min() <= codes.max() < labels:
        raise ValueError("neighbours with labels that are not there")
    return Neighbours(vectors, starts, codes, labels, count)


def dimensions_of(head: Head) -> int:
    """Dimensions of the vectors that an expert scores."""
    if isinstance(head, Neighbours):
        return int(head.vectors.shape[1])
    if isinstance(head, TwoLayers):
        return int(head.weights[0].shape[0])
    assert isinstance(head, Planes)
    return int(head.normals.shape[0])


def pack_labels(targets: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The labels of each row as starts and columns."""
    rows, columns = np.nonzero(targets)
    starts = np.searchsorted(rows, np.arange(len(targets) + 1)).astype(np.int64)
    return starts, columns.astype(np.int32)


def _log_odds(shares: Sequence[float] | NDArray[np.float64]) -> Scores:
    values = np.asarray(shares, dtype=np.float64)
    found: Scores = np.log(values) - np.log1p(-values)
    return found
