"""``lab charts calibrate`` on a judge package: its manifest keeps the calibration and the figures."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from claimlight import codec
from claimlight.cli.__main__ import run
from claimlight.judging.calibration import Calibration
from claimlight.judging.package import JudgePackage
from claimlight.text.words import content_words
from claimlight.training.export.judge_to_package import JudgePlan, export_judge
from tests.core.lab.charts.chart_fakes import BIKE, FILLER, KETTLE, charts, write
from tests.core.training import judge_checkpoints as tiny
from tests.fakes import stack

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
CENTERS = content_words(" ".join([*FILLER, *BIKE, *KETTLE]))


def test_a_package_keeps_its_calibration_and_figures(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: stack(CENTERS)
    )
    assert run(["settings", "set", "centers.stop_share", "0"]) == 0
    package = tmp_path / "package"
    checkpoint = tiny.disclosure(tmp_path / "model", longest=150)
    plan = JudgePlan(checkpoint, package, "tiny", "2", "MIT", "made here", "int8", languages=("en",))
    export_judge(plan)
    write(tmp_path / "B" / "choose" / "a.jsonl", charts())
    command = ["lab", "charts", "calibrate", str(tmp_path / "B"), "--judge", str(package)]
    before = JudgePackage.load(package).manifest
    assert run([*command, "--dry-run"]) == 0
    assert JudgePackage.load(package).manifest == before
    assert run([*command, "--out", str(tmp_path / "calibration.json")]) == 0
    after = JudgePackage.load(package).manifest
    assert after.calibration == codec.decode(Calibration, (tmp_path / "calibration.json").read_text())
    assert after.fingerprint == before.fingerprint
    assert (after.measured["charts"], after.measured["cells"]) == (2.0, 10.0)
    assert after.reliability is not None
    assert sum(each.cells for each in after.reliability.wordings) == 10
    assert sum(each.cells for each in after.reliability.bins) == 10
    assert after.measured_on == "2 claim charts (B, part choose), each left out of the fit"
    capsys.readouterr()
    measure = ["lab", "charts", "measure", str(tmp_path / "B"), "--judge", str(package), "--resamples", "10"]
    assert run([*measure, "--candidates-only"]) == 0
    assert "tiny 2, calibrated" in capsys.readouterr().out
