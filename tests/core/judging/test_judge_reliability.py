"""The reliability of a judge: Wilson's interval by its definition, and manifests with and without it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.encoders.manifest import TOKENIZER_FILE
from claimlight.encoders.package_files import FileRecord
from claimlight.errors import InputError
from claimlight.judging import manifest as manifests
from claimlight.judging.calibration import Bounds, Calibration
from claimlight.judging.manifest import JUDGE_FILE, JudgeKind, JudgeManifest
from claimlight.judging.package import write_calibration
from claimlight.types import Reliability, ReliabilityBin, WordingFigures, wilson_interval

FOUND = Reliability(
    (ReliabilityBin(0.2, 0.3, 40, 0.26, 9), ReliabilityBin(0.8, 0.9, 20, 0.84, 18)),
    (WordingFigures("same", 12, 15, 1), WordingFigures("near_miss", 2, 22, 8)),
)
MANIFEST = JudgeManifest(
    "made", "1", JudgeKind.DISCLOSURE, "MIT", "here", 64, "fp32",
    measured_on="4 charts",
    files=tuple(FileRecord(name, "0" * 64, 1) for name in (JUDGE_FILE, TOKENIZER_FILE)),
)  # fmt: skip


@given(cells=st.integers(1, 2000), data=st.data())
def test_at_the_ends_of_the_interval_the_share_is_as_far_off_as_95_in_100_are(cells, data):
    found = data.draw(st.integers(0, cells))
    reach = wilson_interval(found, cells)
    share = found / cells
    assert 0.0 <= reach.low <= share <= reach.high <= 1.0
    for end in (reach.low, reach.high):
        if 1e-9 < end < 1 - 1e-9:
            spread = (end * (1 - end) / cells) ** 0.5
            assert abs(share - end) / spread == pytest.approx(1.959964, rel=1e-4)


def test_a_manifest_keeps_its_reliability_and_its_fingerprint(tmp_path):
    path = tmp_path / "manifest.json"
    manifests.write(MANIFEST, path)
    read = Calibration(2.0, 1.0, -1.0, Bounds(0.8, 0.3), fitted_on="4 charts")
    written = write_calibration(tmp_path, read, measured={}, reliability=FOUND, measured_on="4 charts")
    assert manifests.read(path) == written == replace(MANIFEST, calibration=read, reliability=FOUND)
    assert written.fingerprint == MANIFEST.fingerprint
    again = write_calibration(tmp_path, read, measured={}, measured_on="others")
    assert again.reliability is None, "the former one is of another calibration"


def test_a_manifest_of_an_earlier_version_has_none(tmp_path):
    path = tmp_path / "manifest.json"
    manifests.write(MANIFEST, path)
    body = json.loads(path.read_text(encoding="utf-8"))
    del body["reliability"]
    path.write_text(json.dumps(body), encoding="utf-8")
    assert manifests.read(path) == MANIFEST


@pytest.mark.parametrize(
    "wrong",
    [
        Reliability((ReliabilityBin(0.2, 0.3, 4, 0.26, 5),), ()),
        Reliability((ReliabilityBin(0.2, 0.3, 0, 0.26, 0),), ()),
        Reliability((ReliabilityBin(0.3, 0.2, 4, 0.26, 1),), ()),
        Reliability((ReliabilityBin(0.9, 1.0, 4, 1.5, 1),), ()),
        Reliability((), (WordingFigures("same", -1, 2, 0),)),
        Reliability((), (WordingFigures("same", 0, 0, 0),)),
    ],
)
def test_figures_that_no_cells_can_have_are_refused(tmp_path, wrong):
    path = tmp_path / "manifest.json"
    manifests.write(replace(MANIFEST, reliability=wrong), path)
    with pytest.raises(InputError, match="no cells can have"):
        manifests.read(path)


def test_a_reliability_says_what_it_was_measured_on(tmp_path):
    path = tmp_path / "manifest.json"
    manifests.write(replace(MANIFEST, reliability=FOUND, measured_on=""), path)
    with pytest.raises(InputError, match="measured on"):
        manifests.read(path)
