"""Exact intervals for the number of relevant documents in a stratified, finite list, from a random sample.

The tests of Wendell and Schmee (1996): a total is in the interval unless every way to spread it over the
strata makes the observed estimate, or one further from it, less probable than half of the error.
Probabilities are hypergeometric, so the interval holds for small samples, for samples without a relevant
document and for strata that were read completely, whatever the prevalence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import BugError

Floats = NDArray[np.float64]
_STEPS = {1: 512, 2: 160, 3: 48}
"""Values of the relevant documents of a stratum that are tried at a time, by the number of strata."""
MOST_STRATA = 3
"""More would need a search of their own: every way to spread a total is tried."""


@dataclass(frozen=True, slots=True)
class StratumCount:
    """A part of a list: its documents, those of a random sample that were read, and the relevant of them."""

    size: int
    read: int
    relevant: int


@dataclass(frozen=True, slots=True)
class TotalInterval:
    """Estimate and interval of the relevant documents in a list, those of the sample included."""

    estimate: float
    low: int
    high: int


def interval_of_total(strata: Sequence[StratumCount], *, confidence: float = 0.95) -> TotalInterval:
    """Two-sided interval of the total over at most `MOST_STRATA` strata; none of them is too small."""
    kept = tuple(item for item in strata if item.size)
    if len(kept) > MOST_STRATA or any(not 0 <= i.relevant <= i.read <= i.size for i in kept):
        raise BugError(f"no interval for {kept}")
    tail = (1.0 - confidence) / 2
    size = sum(item.size for item in kept)
    estimate = sum(item.size * item.relevant / item.read for item in kept if item.read)
    # A stratum without a document read says nothing: its estimate is the mean share of the others.
    known = sum(item.size for item in kept if item.read)
    estimate = estimate * size / known if known else size / 2
    others = tuple(StratumCount(item.size, item.read, item.read - item.relevant) for item in kept)
    low, high = size - _upper(others, tail), _upper(kept, tail)
    return TotalInterval(min(max(estimate, low), high), low, high)


@lru_cache(maxsize=4096)
def _upper(strata: tuple[StratumCount, ...], tail: float) -> int:
    """Largest total that gives the observed estimate, or a smaller one, more probability than ``tail``."""
    unread = sum(item.size for item in strata if not item.read)
    sampled = [item for item in strata if item.read]
    if not sampled:
        return unread
    # The stratum with most values is last: only its sum of outcomes needs no loop.
    lows = [item.relevant for item in sampled]
    highs = [item.size - item.read + item.relevant for item in sampled]
    steps = _STEPS[len(sampled)]
    while True:
        grids = [_grid(low, high, steps) for low, high in zip(lows, highs, strict=True)]
        chance = _chance_below(sampled, grids)
        totals = grids[0].astype(np.int64)
        for grid in grids[1:]:
            totals = totals[..., None] + grid
        allowed = np.where(chance > tail, totals, -1)
        at = np.unravel_index(int(allowed.argmax()), allowed.shape)
        if all(len(grid) == high - low + 1 for grid, low, high in zip(grids, lows, highs, strict=True)):
            return unread + max(int(allowed.max()), sum(item.relevant for item in sampled))
        # Again, finer, around the best: two steps to each side.
        for i, grid in enumerate(grids):
            best = int(at[i])
            lows[i] = int(grid[max(0, best - 2)])
            highs[i] = int(grid[min(len(grid) - 1, best + 2)])


def _grid(low: int, high: int, steps: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(low, high, min(steps, high - low + 1)).round().astype(np.int64))


def _chance_below(sampled: Sequence[StratumCount], grids: Sequence[NDArray[np.int64]]) -> Floats:
    """Probability of an estimate up to the observed one, for each combination of the grids' values."""
    weights = [item.size / item.read for item in sampled]
    observed = sum(weight * item.relevant for weight, item in zip(weights, sampled, strict=True))
    # Sums in another order of additions may differ in the last bits; such are ties.
    observed += 1e-9 * sum(item.size for item in sampled)
    chances = [_hypergeometric(item, grid) for item, grid in zip(sampled, grids, strict=True)]
    last = sampled[-1]
    below = np.concatenate([np.zeros((len(grids[-1]), 1)), chances[-1].cumsum(axis=1)], axis=1)
    sums = np.zeros(())
    for weight, item in zip(weights[:-1], sampled[:-1], strict=True):
        sums = sums[..., None] + weight * np.arange(item.read + 1)
    reach = np.clip(np.floor((observed - sums) / weights[-1]) + 1, 0, last.read + 1).astype(np.intp)
    found: Floats = below[:, reach]
    if len(sampled) == 1:
        return found
    if len(sampled) == 2:
        both: Floats = np.einsum("ax,bx->ab", chances[0], found)
        return both
    every: Floats = np.einsum("ax,by,cxy->abc", chances[0], chances[1], found, optimize=True)
    return every


def _hypergeometric(item: StratumCount, relevant: NDArray[np.int64]) -> Floats:
    """Probabilities [values, read + 1] of 0, 1, … relevant documents in the sample of a stratum."""
    logs = np.concatenate([[0.0], np.log(np.arange(1, item.size + 1, dtype=np.float64)).cumsum()])
    drawn = np.arange(item.read + 1)
    one, other = relevant[:, None], item.size - relevant[:, None]
    possible = (drawn <= one) & (item.read - drawn <= other)

    def choose(many: NDArray[np.int64], few: NDArray[np.int64]) -> Floats:
        few = np.clip(few, 0, many)
        found: Floats = logs[many] - logs[few] - logs[many - few]
        return found

    whole = logs[item.size] - logs[item.read] - logs[item.size - item.read]
    logged = choose(one, drawn) + choose(other, item.read - drawn) - whole
    return np.where(possible, np.exp(logged), 0.0)
