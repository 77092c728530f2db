"""Brings the scores of several experts together as probabilities.

The paper names a mixture of experts (logistic regression, neighbours, support vectors) without describing its
gate. Two readings of it are built:

    average   p = mean over e of 1 / (1 + exp(-(slope_e * s_e + offset_e)))
    gate      p = 1 / (1 + exp(-(sum over e of slope_e * s_e + offset)))

Slopes and offsets belong to a level. They are fitted on scores of documents whose families the experts had
not seen (stacking), so the probabilities are calibrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from claimlight.classify.decoding import Probabilities
from claimlight.classify.heads import Scores
from claimlight.classify.labels import LabelSpace


class Combination(StrEnum):
    """How experts become one."""

    AVERAGE = "average"
    GATE = "gate"


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """The fitted combination."""

    combination: Combination
    slopes: NDArray[np.float64]
    """[levels, experts]."""
    offsets: NDArray[np.float64]
    """[levels, experts]; of a gate the sum counts."""

    def probabilities(self, scores: Sequence[Scores], space: LabelSpace) -> Probabilities:
        """[texts, labels] from the scores of each expert, [texts, labels]."""
        level = space.level_numbers
        parts = [
            self.slopes[level, expert] * found + self.offsets[level, expert]
            for expert, found in enumerate(scores)
        ]
        if self.combination is Combination.GATE:
            return sigmoid(np.sum(parts, axis=0))
        mean: Probabilities = np.mean([sigmoid(part) for part in parts], axis=0)
        return mean


def sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """``1 / (1 + exp(-x))``, without overflow."""
    found: NDArray[np.float64] = 0.5 * (1.0 + np.tanh(0.5 * values))
    return found
