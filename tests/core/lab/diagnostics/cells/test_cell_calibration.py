"""Calibrations: rising curves, thresholds, files, and to which model they belong."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.errors import ResourceError
from claimlight.lab.diagnostics.cells import calibration
from claimlight.lab.diagnostics.cells.calibration import Basis, Calibration
from claimlight.settings import CenterSettings

BASIS = Basis.of("encoder-1", "centers-1", CenterSettings())
MADE = Calibration(
    name="encoder-1",
    basis=BASIS,
    intercept=-4.0,
    knots=(0.0, 0.5, 1.0),
    ramps=(2.0, 3.0),
    extent=0.5,
    covered=0.7,
    nothing=0.2,
    provenance=(("data", "numbers"),),
)
_share = st.floats(0, 1)


@given(_share, _share, st.floats(0, 5), st.floats(0, 5))
def test_more_coverage_and_more_extent_are_never_less_likely(a, b, extent, more):
    low, high = sorted((a, b))
    first, second = MADE.probability(np.array([low, high]), extent)
    assert 0 <= first <= second < 1
    assert MADE.probability(np.array([high]), extent + more)[0] >= second


def test_the_curve_between_and_at_its_knots():
    found = MADE.probability(np.array([0.0, 0.25, 0.5, 1.0]), 2.0)
    logits = [-4 + 1 + rise for rise in (1.0, 2.0, 5.0)]
    assert found[0] == 0
    assert found[1:] == pytest.approx([1 / (1 + np.exp(-logit)) for logit in logits])


def test_a_file_gives_back_what_was_written(tmp_path):
    calibration.write(MADE, tmp_path / "a.json")
    assert calibration.read(tmp_path / "a.json") == MADE


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"ramps": [1.0]},
        {"ramps": [-1.0, 2.0]},
        {"knots": [0.0, 1.0, 0.5]},
        {"basis": {"encoder": "x"}},
        {"intercept": "steep"},
    ],
)
def test_a_broken_file_is_refused_with_its_name(tmp_path, change):
    path = tmp_path / "broken.json"
    calibration.write(MADE, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ResourceError, match=r"broken\.json is no calibration"):
        calibration.read(path)
