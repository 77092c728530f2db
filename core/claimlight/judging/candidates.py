"""Which passages of a document a judge reads for a feature of a claim."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SHARED = 0.5
"""Share of the mean that is taken off: with all of it, a passage that discloses several features would
be a candidate for none (docs/lab/measured/judge-training.md)."""


def contrast(cosines: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """How near each passage is to a feature, less half of how near it is to the claim's features: [F, P].

    ``cosines`` [F, P] are those of features and passages. All features of a claim share its subject, and so
    do the passages of a document that is worth charting: what they share says little of where one feature
    stands. Of a single feature, the cosines themselves.
    """
    given = np.asarray(cosines, dtype=np.float64)
    return given - SHARED * given.mean(axis=0) if len(given) > 1 else given


def choose_candidates(contrasts: NDArray[np.floating[Any]], number: int) -> list[int]:
    """Indices of the ``number`` passages of highest contrast [P] for one feature, best first."""
    return [int(place) for place in np.argsort(-contrasts, kind="stable")[:number]]
