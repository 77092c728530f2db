"""Compiled loop of the layout: one step of every document; decision 35 has the method."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.index.jit import kernel

Array = NDArray[Any]

# The curve 1 / (1 + A d^2B) falls from 1 beyond a distance of 0.1: UMAP's, for its default of that distance.
A, B = 1.577, 0.895
REPELLED = 8
"""Documents that push each one away in a step, drawn at random."""
_NEGATIVES = 5.0
"""Weight of what pushes, for each unit of what pulls."""
_MOST = 4.0


@kernel
def move(
    places: Array,
    moved: Array,
    starts: Array,
    others: Array,
    weights: Array,
    begin: int,
    end: int,
    step: int,
    rate: float,
    speed: Array,
    spread: Array,
) -> None:
    """Move documents ``begin`` to ``end`` by a step of Adam: ``places`` [n, 2] is read, ``moved`` is written.

    As no document sees another one move in the same step, any number of threads gives the same plane.
    """
    count = len(places)
    for row in range(begin, end):
        x, y = places[row, 0], places[row, 1]
        pull_x, pull_y, total = 0.0, 0.0, 0.0
        for at in range(starts[row], starts[row + 1]):
            to_x, to_y = x - places[others[at], 0], y - places[others[at], 1]
            square = to_x * to_x + to_y * to_y
            total += weights[at]
            if square > 0.0:
                power = square**B
                force = -2.0 * A * B * power / (square * (1.0 + A * power)) * weights[at]
                pull_x += force * to_x
                pull_y += force * to_y
        # xorshift*, begun anew for each document and step, so that threads don't share a state.
        state = np.uint64(row + 1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(step + 1) * np.uint64(
            0xBF58476D1CE4E5B9
        )
        push_x, push_y = 0.0, 0.0
        for _ in range(REPELLED):
            state ^= state >> np.uint64(12)
            state ^= state << np.uint64(25)
            state ^= state >> np.uint64(27)
            other = np.int64((state * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(33)) % count
            to_x, to_y = x - places[other, 0], y - places[other, 1]
            square = to_x * to_x + to_y * to_y
            if square > 0.0:
                force = 2.0 * B / ((0.001 + square) * (1.0 + A * square**B))
                push_x += min(_MOST, max(-_MOST, force * to_x))
                push_y += min(_MOST, max(-_MOST, force * to_y))
        share = _NEGATIVES * total / REPELLED
        for axis in range(2):
            gradient = pull_x + push_x * share if axis == 0 else pull_y + push_y * share
            speed[row, axis] = 0.5 * speed[row, axis] + 0.5 * gradient
            spread[row, axis] = 0.9 * spread[row, axis] + 0.1 * gradient * gradient
            mean = speed[row, axis] / (1.0 - 0.5 ** (step + 1))
            size = np.sqrt(spread[row, axis] / (1.0 - 0.9 ** (step + 1)))
            moved[row, axis] = places[row, axis] + rate * mean / (size + 1e-7)
