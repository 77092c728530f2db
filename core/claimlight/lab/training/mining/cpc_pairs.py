"""Pairs of documents for contrastive CPC fine-tuning: same number for every label, however rare it is.

A positive pair shares a label; a negative pair shares none at all. A patent has several sections and
classes, and the paper (Jain & Wang 2025, section 4.2) leaves open what two that share one and differ in
another are: here they are never a negative pair, since pushing them apart would work against the label
that they share. With `Sharing.ALL` they are no positive pair either. The two documents of a pair are
of different families, and no pair of a label comes twice: a label with few documents gives fewer pairs.
There are as many positive as negative ones of every label, so one that all documents bear gives none.

Groups are thin: most have two or three documents, and there are thousands. A label's pairs cost what its own
documents do, not what the section's do, and negative pairs can be taken from the label above first, since
what else is in the same subclass is what a group is confused with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 32
"""Draws before a label is left with the pairs that were found."""
_COUNTED = 1 << 18
"""Most combinations that are counted through; of more, pairs are drawn."""
_COMPARED = 1 << 25
"""Bytes of label sets that are compared for a label at most: with thousands of labels fewer combinations are
counted through."""


class Sharing(StrEnum):
    """What a positive pair has in common."""

    ANY = "any"
    """At least one label."""
    ALL = "all"
    """All labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """n pairs."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    """Places of documents, as ``left``."""
    positive: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.left)

    def at(self, rows: NDArray[np.int64]) -> Pairs:
        """Some of them, in that order."""
        return Pairs(self.left[rows], self.right[rows], self.positive[rows])


def join_pairs(parts: Sequence[Pairs]) -> Pairs:
    """Pairs one after the other."""
    if not parts:
        empty = np.empty(0, dtype=np.int64)
        return Pairs(empty, empty, np.empty(0, dtype=np.bool_))
    return Pairs(
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.right for part in parts]),
        np.concatenate([part.positive for part in parts]),
    )


class Labels:
    """Which documents bear which label, and of which family they are."""

    def __init__(self, members: Mapping[str, NDArray[np.int64]], families: NDArray[np.int64]) -> None:
        """``members`` are ascending places of documents by label, ``families`` a number for each document."""
        self.members = dict(sorted(members.items()))
        self._families = families
        self.width = (len(self.members) + 7) // 8
        """Bytes of a document's label set."""
        self._bits = np.zeros((len(families), self.width), dtype=np.uint8)
        for number, places in enumerate(self.members.values()):
            # A bit for each label: "shares one" is an AND of a few bytes for a million pairs at once.
            self._bits[places, number >> 3] |= np.uint8(1 << (number & 7))
        self.labelled: NDArray[np.int64] = np.flatnonzero(self._bits.any(axis=1))

    def share(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether documents have a label in common."""
        return np.asarray((self._bits[left] & self._bits[right]).any(axis=1), dtype=np.bool_)

    def equal(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether documents have the same labels."""
        return np.asarray((self._bits[left] == self._bits[right]).all(axis=1), dtype=np.bool_)

    def related(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether documents are of one family, or the same."""
        return np.asarray(self._families[left] == self._families[right], dtype=np.bool_)


def label_pairs(
    labels: Labels,
    label: str,
    *,
    count: int,
    seed: int,
    sharing: Sharing = Sharing.ANY,
    others: NDArray[np.int64] | None = None,
    near: NDArray[np.int64] | None = None,
) -> Pairs:
    """At most ``count`` positive and as many negative pairs of a label.

    Documents of ``others`` (default: all that have a label) are what negative pairs are completed with; those
    of ``near`` first, as far as they go.
    """
    # By label: another label more or less in the library doesn't change the draws of this one.
    rng = np.random.default_rng((seed, *label.encode()))
    own = labels.members[label]
    accepted = labels.equal if sharing is Sharing.ALL else labels.share
    # Never of one family: a text with itself would be the easiest pair.
    counted = min(_COUNTED, _COMPARED // max(1, labels.width))
    positive = _distinct(own, own, count, rng, lambda a, b: ~labels.related(a, b) & accepted(a, b), counted)

    def apart(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
        # Two that share one label and differ in another are no negative: pushing them apart would undo it.
        return ~labels.share(left, right) & ~labels.related(left, right)

    wide = labels.labelled if others is None else others
    negative = np.empty((0, 2), dtype=np.int64)
    for some in (wide,) if near is None else (near, wide):
        if len(negative) < len(positive):
            more = _distinct(own, some, len(positive), rng, apart, counted)
            negative = _once(np.concatenate([negative, more]))[: len(positive)]
    # As many of both, or the label itself would tell the answer.
    each = min(len(positive), len(negative))
    both = np.concatenate([positive[:each], negative[:each]])
    truth = np.arange(len(both)) < each
    return Pairs(both[:, 0], both[:, 1], truth)


def _distinct(
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    count: int,
    rng: np.random.Generator,
    accepted: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]],
    counted: int,
) -> NDArray[np.int64]:
    """[at most count, 2]: different pairs by chance, either order taken for the same pair."""
    if len(left) * len(right) <= counted:
        every = np.stack([np.repeat(left, len(right)), np.tile(right, len(left))], axis=1)
        every = _once(every[accepted(every[:, 0], every[:, 1])])
        return every[rng.permutation(len(every))[:count]]
    found = np.empty((0, 2), dtype=np.int64)
    for _ in range(_ROUNDS):
        # Twice as many, as some are not accepted or come twice.
        drawn = np.stack([rng.choice(left, 2 * count), rng.choice(right, 2 * count)], axis=1)
        found = _once(np.concatenate([found, drawn[accepted(drawn[:, 0], drawn[:, 1])]]))
        if len(found) >= count:
            break
    return found[:count]


def _once(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first of each pair, in their order."""
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    # One number for a pair in either order; the first of each keeps its place.
    _, first = np.unique(low * (high.max(initial=0) + 1) + high, return_index=True)
    return pairs[np.sort(first)]
