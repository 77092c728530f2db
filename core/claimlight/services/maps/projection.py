"""Vectors on a plane, neighbours near each other: principal directions, a graph of neighbours, a layout.

    vectors [n, d] -> principal directions [n, 50] -> graph of the 15 nearest -> places [n, 2]

The same vectors give the same places on one machine; nothing depends on threads or the clock.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.index.worker_threads import run_shared
from claimlight.machine import usable_cores
from claimlight.tasks import TaskContext
from claimlight.types import Progress
from claimlight.vectors import unit_rows

DIRECTIONS = 50
NEIGHBOURS = 15
STEPS = 200
_FEWEST = 5
"""Below this number the first two principal directions are the map."""
_RATE = 1.0
_BEGIN = 10.0
"""Half the width of the first plane."""
_GRAPH = {"M": 12, "ef_construction": 80, "random_seed": 100}
_SEEN = 60
"""Candidates that the search of the neighbour graph keeps."""
_ADD = 2048
_ROWS = 1024
_HALVINGS = 40
_STAGE = "map"
_WEIGHED = 5
"""Neighbours between which a document is placed that came later."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """The symmetric graph of neighbours, by document."""

    starts: NDArray[np.int64]
    """[n + 1]."""
    others: NDArray[np.int64]
    weights: NDArray[np.float64]
    """0 to 1."""


def lay_out(vectors: Floats, context: TaskContext) -> Floats:
    """Places [n, 2] of unit vectors [n, d], the middle at 0 and the farthest at 1."""
    if not len(vectors):
        return np.empty((0, 2), dtype=np.float32)
    reduced = reduce_directions(vectors, DIRECTIONS)
    context.check()
    if len(vectors) < _FEWEST:
        return _scaled(reduced[:, :2].astype(np.float64))
    edges = _weigh(*_find_neighbours(reduced, min(NEIGHBOURS, len(vectors) - 1), context))
    return _scaled(_settle(reduced[:, :2], edges, context))


def reduce_directions(vectors: Floats, directions: int) -> Floats:
    """[n, directions]: coordinates along the principal directions; zeros for those that do not exist."""
    centred = vectors - vectors.mean(axis=0)
    # d is a few hundred, so the exact directions cost one product [d, n] [n, d].
    _, found = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    kept = found[:, ::-1][:, :directions]
    # A direction and its opposite are equally good; which one comes out is chance.
    largest = kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])]
    reduced = centred @ (kept * np.where(largest < 0, -1.0, 1.0)).astype(np.float32)
    missing = directions - reduced.shape[1]
    return np.pad(reduced, ((0, 0), (0, missing))) if missing > 0 else reduced


def place_among(vectors: Floats, known: Floats, places: Floats, context: TaskContext) -> Floats:
    """Places [m, 2] of new vectors [m, d] among those of known ones [n, d], which stay where they are.

    A document is placed between its 5 nearest, weighted by cosine.
    """
    made = np.empty((len(vectors), 2), dtype=np.float32)
    many = min(_WEIGHED, len(known))
    rows, others = unit_rows(vectors), unit_rows(known)
    for begin in range(0, len(rows), _ROWS):
        context.check()
        cosines = rows[begin : begin + _ROWS] @ others.T
        near = np.argpartition(-cosines, many - 1, axis=1)[:, :many]
        weights = np.maximum(np.take_along_axis(cosines, near, axis=1), 1e-3) ** 4
        weights /= weights.sum(axis=1, keepdims=True)
        made[begin : begin + _ROWS] = (places[near] * weights[:, :, None]).sum(axis=1)
    return made


def _find_neighbours(
    reduced: Floats, many: int, context: TaskContext
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nearest other documents [n, many] and their distances, nearest first."""
    import hnswlib

    count = len(reduced)
    graph = hnswlib.Index(space="l2", dim=reduced.shape[1])
    graph.init_index(max_elements=count, **_GRAPH)
    told = _Told(context)
    for begin in range(0, count, _ADD):
        told.report(0.5 * begin / count)
        some = np.arange(begin, min(begin + _ADD, count))
        # One thread: the graph depends on the order in which documents are added.
        graph.add_items(reduced[some], some, num_threads=1)
    graph.set_ef(max(_SEEN, many + 1))
    near = np.empty((count, many), dtype=np.int64)
    distances = np.empty((count, many))
    for begin in range(0, count, _ADD):
        context.check()
        end = min(begin + _ADD, count)
        labels, squares = graph.knn_query(reduced[begin:end], k=many + 1, num_threads=usable_cores())
        labels = labels.astype(np.int64)
        other = labels != np.arange(begin, end)[:, None]
        # One of several equal vectors may not find itself: then the last one is left out instead.
        other[other.all(axis=1), -1] = False
        near[begin:end] = labels[other].reshape(-1, many)
        distances[begin:end] = np.sqrt(np.maximum(squares[other].reshape(-1, many), 0.0))
    return near, distances


def _weigh(near: NDArray[np.int64], distances: NDArray[np.float64]) -> _Edges:
    """The graph with UMAP's weights: from each document 1 for the nearest, log2 k in all, then both ways."""
    count, many = near.shape
    beyond = distances - distances[:, :1]
    wanted = np.log2(max(many, 2))
    low, high = np.zeros(count), np.full(count, np.inf)
    scale = np.ones(count)
    for _ in range(_HALVINGS):
        large = np.exp(-beyond / scale[:, None]).sum(axis=1) > wanted
        high, low = np.where(large, scale, high), np.where(large, low, scale)
        scale = np.where(np.isinf(high), scale * 2.0, (low + np.minimum(high, 1e300)) / 2.0)
        # Many equal distances have no scale that gives the sum wanted.
        scale = np.clip(scale, 1e-6, 1e6)
    weights = np.exp(-beyond / scale[:, None]).ravel()
    rows, columns = np.repeat(np.arange(count), many), near.ravel()
    keys = np.concatenate([rows * count + columns, columns * count + rows])
    order = np.argsort(keys, kind="stable")
    keys, both = keys[order], np.concatenate([weights, weights])[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    # Of an edge that was found both ways, the chance that at least one of the two holds.
    held = 1.0 - np.multiply.reduceat(1.0 - both, first)
    rows, columns = np.divmod(keys[first], count)
    return _Edges(np.searchsorted(rows, np.arange(count + 1)), columns, held)


def _settle(first: Floats, edges: _Edges, context: TaskContext) -> NDArray[np.float64]:
    """Places [n, 2] after `STEPS` steps from the first two principal directions."""
    from claimlight.services.maps import layout_kernels

    move: Callable[..., None] = layout_kernels.move
    count = len(first)
    places = first.astype(np.float64)
    places *= _BEGIN / max(float(np.abs(places).max()), 1e-9)
    # Equal vectors begin in one place, where nothing would part them.
    places += np.random.default_rng(0).normal(0.0, 1e-3, places.shape)
    moved = np.empty_like(places)
    speed, spread = np.zeros_like(places), np.zeros_like(places)
    threads = usable_cores() if count > _ROWS else 1
    told = _Told(context)
    for step in range(STEPS):
        told.report(0.5 + 0.5 * step / STEPS)
        rate = _RATE * (1.0 - step / STEPS)
        arrays = places, moved, edges.starts, edges.others, edges.weights
        begins = deque(range(0, count, _ROWS))

        def work(
            arrays: tuple[Any, ...] = arrays,
            begins: deque[int] = begins,
            step: int = step,
            rate: float = rate,
        ) -> None:
            with suppress(IndexError):
                while True:
                    begin = begins.popleft()
                    end = min(begin + _ROWS, count)
                    move(*arrays, begin, end, step, rate, speed, spread)

        run_shared(work, threads=threads)
        places, moved = moved, places
    return places


def _scaled(places: NDArray[np.float64]) -> Floats:
    """The middle at 0, the farthest at a distance of 1, and the longer side across, as screens are wide."""
    # The median: a few documents far away from all others must not shift the rest.
    centred = places - np.median(places, axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned = axes[:, ::-1]
    # A direction and its opposite are equally good; which one comes out is chance.
    centred = centred @ (turned * np.where(turned[np.abs(turned).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0))
    farthest = float(np.sqrt((centred**2).sum(axis=1)).max())
    scaled: Floats = (centred / max(farthest, 1e-9)).astype(np.float32)
    return scaled


class _Told:
    """Progress in per cent, with the time left."""

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self._begun: float | None = None
        self._from = 0.0

    def report(self, share: float) -> None:
        """``share`` of the whole work, 0 to 1; raises `TaskCancelled` if the task was asked to stop."""
        now = time.monotonic()
        if self._begun is None:
            self._begun, self._from = now, share
        done, seconds = share - self._from, now - self._begun
        rate = 100.0 * done / seconds if seconds > 0 else 0.0
        left = (1.0 - share) * 100.0 / rate if rate > 0 else None
        self._context.report(Progress(_STAGE, round(100 * share), 100, "%", rate, left))
