"""Probabilities that agree over the levels of a scheme: no class is likelier than the one above it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from claimlight.classify.labels import LabelSpace

Probabilities = NDArray[np.float64]
"""[texts, labels]."""


def make_consistent(found: Probabilities, space: LabelSpace) -> Probabilities:
    """Raise each class to the likeliest one below it.

    A document of a subclass is one of its class, so whatever speaks for the subclass speaks for the class.
    Taking the class as an upper bound instead would let a class that is hard to tell hide subclasses that are
    not; F1 is the same (docs/lab/measured/classifiers.md).
    """
    agreed = found.copy()
    # Labels are ordered by level, so every label comes after the one above it.
    for child in range(len(space) - 1, -1, -1):
        parent = space.parents[child]
        if parent >= 0:
            np.maximum(agreed[:, parent], agreed[:, child], out=agreed[:, parent])
    return agreed
