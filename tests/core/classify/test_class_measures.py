"""Measures of suggestions against the same by hand."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.classify.labels import LabelSpace
from claimlight.classify.measures import calibration_error, measure
from claimlight.types import ClassLevel

SPACE = LabelSpace.of(("A", "B", "C", "A61", "B62"))
#                     A    B    C    A61  B62
FOUND = np.array(
    [
        [0.9, 0.2, 0.1, 0.8, 0.1],
        [0.3, 0.6, 0.5, 0.2, 0.6],
        [0.4, 0.3, 0.2, 0.4, 0.1],
    ]
)
SETS = (frozenset({"A", "A61"}), frozenset({"A", "C"}), frozenset({"B", "B62", "D"}))
CUTS = np.full(5, 0.5)


def test_figures_by_hand():
    section, classes = measure(FOUND, SETS, SPACE, CUTS)
    assert (section.level, section.labels, section.documents) == (ClassLevel.SECTION, 3, 3)
    # Right ones among the first one, three and five: document 1 has A first; document 2 B; document 3 A.
    assert section.first == pytest.approx(1 / 3)
    assert section.precision == pytest.approx((1 / 3, (1 + 2 + 1) / 9, (1 + 2 + 1) / 15))
    # Given: A | B, C | nothing. Right: A, C. Wrong: B. Missed: A of 2, B of 3, and D, which is unknown.
    assert section.micro == pytest.approx(2 * 2 / (2 * 2 + 1 + 3))
    # A: 2/3, B: 0, C: 1, and D, which the classifier does not know: 0.
    assert section.macro == pytest.approx((2 / 3 + 0 + 1 + 0) / 4)
    assert section.instance == pytest.approx((1 + 2 / 4 + 0) / 3)
    assert section.covered[0] == pytest.approx((0.5, 2 / 3, 0.5))
    assert section.covered[2] == pytest.approx((0.9, 1 / 3, 1.0))
    low, high = section.first_interval
    assert 0 <= low < 1 / 3 < high <= 1
    # Document 2 has no class at this level, so it is not among its documents.
    assert classes.documents == 2
    assert classes.first == 0.5


def test_calibration_is_the_mean_gap_of_answers_that_are_not_near_zero():
    said = np.array([0.25, 0.25, 0.25, 0.25, 0.85, 0.01])
    truth = np.array([True, False, False, False, False, True])
    assert calibration_error(said, truth) == pytest.approx(0.85 / 5)
    assert calibration_error(np.array([0.01]), np.array([True])) == 0.0
