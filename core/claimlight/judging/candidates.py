"""Which passages of a document a judge reads for a feature of a claim."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.judging.nearness import Nearness

SHARED = 0.5
"""Share of the mean over the claim's features that is taken off."""
RIVALS = 0.5
"""Share of what the nearest features of the claim have that is taken off."""
SHARPNESS = 20.0
"""How far the nearest feature outweighs the others among the rivals; per unit of nearness."""


def compare_vectors(
    features: NDArray[np.floating[Any]],
    pieces: NDArray[np.floating[Any]],
    place: NDArray[np.integer[Any]],
    passages: int,
    nearness: Nearness | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cosines and contrasts [F, P] of features and passages.

    ``features`` [F, d] and ``pieces`` [n, d] are unit vectors, ``place`` [n] the index of the passage of each
    piece; every passage has at least one. Without ``nearness`` the contrasts are of cosines.
    """
    cosines = best_pieces(features @ pieces.T, place, passages)
    if nearness is None:
        return cosines, contrast(cosines)
    return cosines, contrast(best_pieces(nearness.score(features, pieces), place, passages))


def contrast(near: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """How near each passage is to one feature, less what it has for the claim's features anyway: [F, P].

        s = near - SHARED * mean_F(near)
        contrast = s - RIVALS * log(sum_F(exp(SHARPNESS * s))) / SHARPNESS

    ``near`` [F, P] says how near features and passages are: `claimlight.judging.nearness`, or cosines. All
    features of a claim share its subject, and so do the passages of a document that is worth charting: what
    they share says little of where one feature is disclosed. And a passage that is nearest to another feature
    is the less likely one. With all of either taken off, a passage that discloses several features would be a
    candidate for none (docs/lab/measured/judge-training.md). Of a single feature, ``near`` itself.
    """
    given = np.asarray(near, dtype=np.float64)
    if len(given) <= 1:
        return given
    apart = given - SHARED * given.mean(axis=0)
    rivals = np.logaddexp.reduce(SHARPNESS * apart, axis=0) / SHARPNESS
    return np.asarray(apart - RIVALS * rivals)


def choose_candidates(contrasts: NDArray[np.floating[Any]], number: int) -> list[int]:
    """Indices of the ``number`` passages of highest contrast [P] for one feature, best first."""
    return [int(place) for place in np.argsort(-contrasts, kind="stable")[:number]]


def best_pieces(
    near: NDArray[np.floating[Any]], place: NDArray[np.integer[Any]], passages: int
) -> NDArray[np.float64]:
    """[F, P] from the pieces of passages, ``near`` [F, pieces]: of each passage its nearest piece.

    ``place`` [pieces] is the index of the passage, which has at least one piece.
    """
    found = np.full((passages, len(near)), -np.inf)
    np.maximum.at(found, place, np.asarray(near, dtype=np.float64).T)
    return np.ascontiguousarray(found.T)
