"""Making a center vocabulary: exact farthest-first traversal of real spans, then a radius for each cell.

Everything here works on 8-bit vectors, of which only the direction counts. Their inner products are
whole numbers below 2**24, which fp32 represents exactly in any order of summation, so the traversal
is the same to the last bit for every block size, thread count, BLAS and device, and equal to the
textbook loop by construction. Ties go to the lower span id.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import BugError, InputError
from core.index.centers import CenterVocabulary
from core.tasks import TaskContext
from core.training.sampling import SpanPool, anchor
from core.types import Progress

_EXACT = 1 << 24
"""Below this every whole number is an fp32 number."""
_ROWS = 16384
_NEAREST_ROWS = 2048
_CANDIDATES = 2048
PERCENTILE = 99.0
FULL_CELL = 100
"""Spans from which on a cell's own percentile is trusted alone."""
ORDER = 5
"""Nearest centers of a span that may count it in: the K of Eq. 4."""


@dataclass(frozen=True, slots=True)
class Traversal:
    """The order in which spans became centers, and where every span ended up."""

    chosen: NDArray[np.int64]
    """[V] span ids, in order: a shorter vocabulary is a prefix of a longer one."""
    cell: NDArray[np.int32]
    """[N] nearest center of each span (ties: the earlier center)."""
    similarity: NDArray[np.float32]
    """[N] cosine to it."""
    passes: int
    """How often all spans were read."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest centers of every span, nearest first."""

    centers: NDArray[np.int32]
    similarity: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Radii:
    """The radius of each center, and what it was made of."""

    radii: NDArray[np.float32]
    cell_sizes: NDArray[np.int64]
    """Spans each center is nearest to."""
    order: NDArray[np.int64]
    """How many nearest centers of a span were looked at until the cell was full; 0 where it never was."""
    typical: float
    """The radius that cells which never filled are drawn to."""


class _Pool:
    """Spans with what the distance needs: reciprocal lengths, and blocks converted when they are used."""

    def __init__(self, spans: NDArray[np.int8]) -> None:
        if spans.shape[1] * 127 * 127 >= _EXACT:
            raise BugError(f"inner products of {spans.shape[1]} dimensions are not exact in fp32")
        self.spans = spans
        squares = np.concatenate(
            [
                np.einsum("ij,ij->i", part, part, dtype=np.int64)
                for part in np.array_split(spans, -(-len(spans) // _ROWS))
            ]
        )
        if (squares == 0).any():
            raise BugError("a span vector is zero")
        self.reciprocal = (1.0 / np.sqrt(squares.astype(np.float64))).astype(np.float32)

    def columns(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self.spans[ids].astype(np.float32), self.reciprocal[ids]


def farthest_first(
    spans: NDArray[np.int8], count: int, *, seed: int = 123, context: TaskContext | None = None
) -> Traversal:
    """Choose ``count`` spans, each the farthest (by cosine) from all chosen before; exact, in few passes.

    The farthest spans by the distances of the last pass are the candidates. Distances only shrink, so as
    long as the best candidate, kept up to date, is farther than every other span was, it is the farthest
    of all. One pass over the spans then takes all the accepted centers at once.
    """
    if not 0 < count <= len(spans):
        raise InputError(f"{count} centers can't be taken from {len(spans)} spans")
    pool = _Pool(spans)
    best = np.full(len(spans), -np.inf, dtype=np.float32)
    """Largest <x, c> / |c| so far; times the span's own reciprocal length it is the cosine."""
    cell = np.zeros(len(spans), dtype=np.int32)
    chosen = [int(np.random.default_rng(seed).integers(len(spans)))]
    _update(pool, np.array(chosen), best, cell, 0)
    passes = 1
    while len(chosen) < count:
        accepted = _accept(pool, best * pool.reciprocal, count - len(chosen))
        _update(pool, accepted, best, cell, len(chosen))
        chosen.extend(accepted.tolist())
        passes += 1
        if context is not None:
            context.report(Progress("centers", len(chosen), count, "centers", 0.0, None))
    return Traversal(np.array(chosen, dtype=np.int64), cell, best * pool.reciprocal, passes)


def _accept(pool: _Pool, similarity: NDArray[np.float32], wanted: int) -> NDArray[np.int64]:
    """The next centers, in order: at least one, at most ``wanted``."""
    size = min(_CANDIDATES, len(similarity))
    if size < len(similarity):
        split = np.argpartition(similarity, size)
        candidates = np.sort(split[:size])
        bound = similarity[split[size]]
    else:
        candidates, bound = np.arange(size), np.float32(np.inf)
    farthest = int(np.argmin(similarity))
    if similarity[farthest] >= bound:
        # Everything left is tied: the candidates were cut at random among equals.
        return np.array([farthest])
    vectors, reciprocal = pool.columns(candidates)
    gram = vectors @ vectors.T
    gram *= reciprocal
    current = similarity[candidates]
    accepted: list[int] = []
    while len(accepted) < wanted:
        place = int(np.argmin(current))
        if not current[place] < bound:
            break
        accepted.append(place)
        # Rows of `gram` are scaled by the column's length: <x, c> / |c| needs c's, then x's own.
        np.maximum(current, gram[:, place] * reciprocal, out=current)
    taken: NDArray[np.int64] = candidates[np.array(accepted)]
    return taken


def _update(
    pool: _Pool, centers: NDArray[np.int64], best: NDArray[np.float32], cell: NDArray[np.int32], first: int
) -> None:
    """Bring ``best`` and ``cell`` up to date with ``centers``, whose ids start at ``first``."""
    columns, reciprocal = pool.columns(centers)
    transposed = np.ascontiguousarray(columns.T)
    for begin in range(0, len(best), _ROWS):
        block = slice(begin, begin + _ROWS)
        scores = pool.spans[block].astype(np.float32) @ transposed
        scores *= reciprocal
        nearer = np.flatnonzero(scores.max(axis=1) > best[block])
        winner = scores[nearer].argmax(axis=1)
        best[begin + nearer] = scores[nearer, winner]
        cell[begin + nearer] = winner + first


def nearest(spans: NDArray[np.int8], centers: NDArray[np.int64], count: int) -> Neighbours:
    """The ``count`` nearest of ``centers`` (span ids) for every span; exact, ties to the earlier center."""
    pool = _Pool(spans)
    columns, reciprocal = pool.columns(centers)
    transposed = np.ascontiguousarray(columns.T)
    count = min(count, len(centers))
    found = np.empty((len(spans), count), dtype=np.int32)
    similarity = np.empty((len(spans), count), dtype=np.float32)
    for begin in range(0, len(spans), _NEAREST_ROWS):
        block = slice(begin, begin + _NEAREST_ROWS)
        scores = spans[block].astype(np.float32) @ transposed
        scores *= reciprocal
        rows = np.arange(len(scores))
        for place in range(count):
            best = scores.argmax(axis=1)
            found[block, place] = best
            similarity[block, place] = scores[rows, best] * pool.reciprocal[block]
            scores[rows, best] = -np.inf
    return Neighbours(found, similarity)


def radii(neighbours: Neighbours, count: int) -> Radii:
    """The radius of each of ``count`` centers: the exact 99th percentile of its cell (docs/adr/0003).

    The cell of a center is the spans it is nearest to. A cell of fewer than 100 spans can't tell its own
    99th percentile; it takes in the spans the center is second nearest to, then third, up to the order of
    ``neighbours``, until it has 100. What is still smaller is drawn to the median of the others, so no
    center is dead: ``r = n/100 * q99 + (1 - n/100) * typical``.
    """
    radius = np.full(count, np.nan)
    order = np.zeros(count, dtype=np.int64)
    own = np.zeros(count)
    sizes = first = np.zeros(count, dtype=np.int64)
    distances = np.maximum(1.0 - neighbours.similarity.astype(np.float64), 0.0)
    for depth in range(1, neighbours.centers.shape[1] + 1):
        sizes, own = _percentiles(neighbours.centers[:, :depth], distances[:, :depth], count)
        first = sizes if depth == 1 else first
        settled = np.isnan(radius) & (sizes >= FULL_CELL)
        radius[settled] = own[settled]
        order[settled] = depth
    typical = float(np.nanmedian(radius)) if (order > 0).any() else float(np.percentile(own, PERCENTILE))
    trust = np.minimum(sizes / FULL_CELL, 1.0)
    small = trust * own + (1.0 - trust) * typical
    return Radii(np.where(order > 0, radius, small).astype(np.float32), first, order, typical)


def _percentiles(
    centers: NDArray[np.int32], distances: NDArray[np.float64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Size of each center's cell and the smallest distance that holds 99 % of it."""
    cell, distance = centers.reshape(-1), distances.reshape(-1)
    ordered = distance[np.lexsort((distance, cell))]
    sizes = np.bincount(cell, minlength=count)
    ends = np.cumsum(sizes)
    rank = np.ceil(sizes * (PERCENTILE / 100.0) - 1e-9).astype(np.int64)
    place = np.clip(ends - sizes + rank - 1, 0, len(ordered) - 1)
    return sizes, np.where(sizes > 0, ordered[place], 0.0)


def vocabulary(
    pool: SpanPool, count: int, *, unit: str, encoder: str, seed: int, context: TaskContext
) -> CenterVocabulary:
    """Centers, radii and anchors from a pool of spans."""
    found = farthest_first(pool.vectors, count, seed=seed, context=context)
    cells = radii(nearest(pool.vectors, found.chosen, ORDER), count)
    parameters = {
        "method": "exact farthest-first on 8-bit spans",
        "spans": len(pool.surfaces),
        "documents": pool.documents,
        "passages": pool.passages,
        "seed": seed,
        "percentile": PERCENTILE,
        "full cell": FULL_CELL,
        "order": ORDER,
        "typical radius": round(cells.typical, 4),
        "full cells": int((cells.cell_sizes >= FULL_CELL).sum()),
        "single cells": int((cells.cell_sizes <= 1).sum()),
    }
    return CenterVocabulary(
        quantised=pool.vectors[found.chosen],
        radii=cells.radii,
        anchors=tuple(anchor(pool.surfaces[place]) for place in found.chosen),
        unit=unit,
        encoder=encoder,
        parameters=tuple((key, str(value)) for key, value in parameters.items()),
    )
