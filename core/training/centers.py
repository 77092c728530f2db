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
_CANDIDATES = 2048
PERCENTILE = 99.0
FULL_CELL = 100
"""Spans from which on a cell's own percentile is trusted alone."""


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
class Radii:
    """The radius of each center, and what it was made of."""

    radii: NDArray[np.float32]
    cell_sizes: NDArray[np.int64]
    typical: float
    """The radius that small cells are drawn to."""


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


def radii(traversal: Traversal) -> Radii:
    """The radius of each cell: its exact 99th percentile, drawn to the typical one where spans are few.

    ``r = n/100 * q99 + (1 - n/100) * typical`` below 100 spans, where ``typical`` is the median radius of
    the cells that have 100 or more. A cell of one span thus reaches as far as a usual cell does instead
    of being dead (docs/adr/0003).
    """
    number = len(traversal.chosen)
    distance = 1.0 - traversal.similarity.astype(np.float64)
    order = np.lexsort((distance, traversal.cell))
    sizes = np.bincount(traversal.cell, minlength=number)
    ends = np.cumsum(sizes)
    rank = np.ceil(sizes * (PERCENTILE / 100.0) - 1e-9).astype(np.int64)
    ordered = np.maximum(distance[order], 0.0)
    own = np.where(sizes > 0, ordered[np.maximum(ends - sizes + rank - 1, 0)], 0.0)
    full = sizes >= FULL_CELL
    typical = float(np.median(own[full])) if full.any() else float(np.percentile(ordered, PERCENTILE))
    trust = np.minimum(sizes / FULL_CELL, 1.0)
    return Radii((trust * own + (1.0 - trust) * typical).astype(np.float32), sizes, typical)


def vocabulary(
    pool: SpanPool, count: int, *, unit: str, encoder: str, seed: int, context: TaskContext
) -> CenterVocabulary:
    """Centers, radii and anchors from a pool of spans."""
    found = farthest_first(pool.vectors, count, seed=seed, context=context)
    cells = radii(found)
    parameters = {
        "method": "exact farthest-first on 8-bit spans",
        "spans": len(pool.surfaces),
        "documents": pool.documents,
        "passages": pool.passages,
        "seed": seed,
        "percentile": PERCENTILE,
        "full cell": FULL_CELL,
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
