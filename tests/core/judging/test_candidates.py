"""Which passages a judge reads: against brute force, and what the contrast is for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from claimlight.judging.candidates import best_pieces, choose_candidates, contrast

NEAR = st.floats(-1.0, 1.0, allow_nan=False)


@given(arrays(np.float64, st.tuples(st.integers(2, 5), st.integers(1, 6)), elements=NEAR))
def test_the_contrast_is_that_of_brute_force(near):
    features, passages = near.shape
    found = contrast(near)
    for column in range(passages):
        mean = sum(near[row, column] for row in range(features)) / features
        apart = [near[row, column] - 0.5 * mean for row in range(features)]
        rivals = math.log(sum(math.exp(20.0 * value) for value in apart)) / 20.0
        for row in range(features):
            assert found[row, column] == pytest.approx(apart[row] - 0.5 * rivals, abs=1e-9)


def test_a_single_feature_has_no_rivals():
    near = np.array([[0.3, 0.9, -0.2]])
    assert contrast(near).tolist() == near.tolist()
    assert contrast(np.empty((0, 3))).shape == (0, 3)


def test_a_passage_that_is_nearest_to_another_feature_comes_later():
    # Both passages are as near to the first feature; the second is nearer still to another one.
    near = np.array([[0.5, 0.5], [0.2, 0.8], [0.3, -0.3]])
    assert choose_candidates(contrast(near)[0], 2) == [0, 1]
    # The means of the columns are the same: without rivals there is nothing between them.
    assert near[:, 0].mean() == pytest.approx(near[:, 1].mean())


def test_large_values_do_not_overflow():
    found = contrast(np.array([[900.0, -900.0], [1.0, 2.0]]))
    assert np.isfinite(found).all()


@given(st.data())
def test_of_each_passage_the_nearest_piece_counts(data):
    passages = data.draw(st.integers(1, 4))
    more = data.draw(st.lists(st.integers(0, passages - 1), max_size=5))
    place = np.array([*range(passages), *more])
    near = data.draw(arrays(np.float64, (2, len(place)), elements=NEAR))
    found = best_pieces(near, place, passages)
    for row in range(2):
        for passage in range(passages):
            own = [near[row, piece] for piece in range(len(place)) if place[piece] == passage]
            assert found[row, passage] == max(own)
