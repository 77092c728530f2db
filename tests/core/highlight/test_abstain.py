"""Calibrations: rising curves, thresholds, files, and to which model they belong."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import paths
from core.errors import ResourceError
from core.highlight import abstain
from core.highlight.abstain import Basis, Calibration
from core.settings import CenterSettings
from core.types import CellVerdict

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


@given(st.floats(0.05, 0.95), st.floats(0, 4))
def test_the_least_coverage_is_where_the_probability_is_reached(probability, extent):
    least = MADE.least_coverage(probability, extent)
    everything = np.linspace(1e-4, 1.0, 3001)
    reached = MADE.probability(everything, extent) >= probability
    if least > 1:
        assert not reached.any()
    else:
        assert reached[everything >= least].all()
        assert not reached[everything < least - 1 / 4000].any()


def test_verdicts():
    assert [MADE.verdict(p) for p in (0.7, 0.69, 0.2, 0.19)] == [
        CellVerdict.COVERED,
        CellVerdict.PARTIAL,
        CellVerdict.PARTIAL,
        CellVerdict.NOTHING,
    ]


def test_a_file_gives_back_what_was_written(tmp_path):
    abstain.write(MADE, tmp_path / "a.json")
    assert abstain.read(tmp_path / "a.json") == MADE
    assert "numbers" in MADE.title


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
    abstain.write(MADE, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ResourceError, match=r"broken\.json is no calibration"):
        abstain.read(path)


def test_a_calibration_belongs_to_its_model_and_scoring(tmp_path):
    abstain.write(MADE, tmp_path / "a.json")
    assert abstain.fitting(BASIS, (tmp_path,)) == MADE
    for other in (
        replace(BASIS, encoder="encoder-2"),
        replace(BASIS, centers="centers-2"),
        replace(BASIS, idf_exponent=3.0),
        replace(BASIS, top_k_query=4),
        replace(BASIS, stop_share=0.0),
    ):
        assert abstain.fitting(other, (tmp_path,)) is None
    abstain.write(replace(MADE, covered=0.8), tmp_path / "a.json")
    changed = abstain.fitting(BASIS, (tmp_path,))
    assert changed is not None
    assert changed.covered == 0.8
    assert changed.digest != MADE.digest


def test_the_user_s_own_calibration_is_found():
    folder = paths.data_dir() / "Calibrations"
    folder.mkdir(parents=True)
    abstain.write(MADE, folder / "mine.json")
    assert abstain.fitting(BASIS) == MADE
