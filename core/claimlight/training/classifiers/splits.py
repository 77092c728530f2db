"""How rows are split to fit and to test: whole families, so that no relative gives an answer away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Rows to fit on and rows to test on, both ascending."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]


def by_group(groups: Sequence[str], share: float, *, seed: int) -> Split:
    """Whole groups (families) go to the test, at random, until it has ``share`` of the rows.

    A row whose group is empty is a group of its own.
    """
    members, chosen = _rows_by_group(groups), np.zeros(len(groups), dtype=np.bool_)
    wanted, taken = round(share * len(groups)), 0
    for place in np.random.default_rng(seed).permutation(len(members)):
        rows = members[place]
        # A group that would overshoot by more than it is short of is left to the training side.
        if 2 * (wanted - taken) >= len(rows):
            chosen[rows] = True
            taken += len(rows)
    return split_rows(chosen)


def folds(groups: Sequence[str], count: int, *, seed: int) -> tuple[Split, ...]:
    """Every row is tested once, in one of ``count`` splits of about equal size; groups stay whole.

    Groups go, the largest first and equal ones at random, to the fold that has the fewest rows. Folds that
    no group is left for are not there.
    """
    rows = _rows_by_group(groups)
    order = np.random.default_rng(seed).permutation(len(rows))
    fold, sizes = np.empty(len(groups), dtype=np.int64), [0] * count
    for place in sorted(order, key=lambda place: -len(rows[place])):
        smallest = sizes.index(min(sizes))
        fold[rows[place]] = smallest
        sizes[smallest] += len(rows[place])
    return tuple(split_rows(fold == number) for number in range(count) if sizes[number])


def _rows_by_group(groups: Sequence[str]) -> list[list[int]]:
    members: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group or f"\0{row}", []).append(row)
    return list(members.values())


def split_rows(chosen: NDArray[np.bool_]) -> Split:
    """The rows that are not ``chosen`` to fit on, the chosen ones to test on."""
    return Split(np.flatnonzero(~chosen), np.flatnonzero(chosen))
