"""``lab charts calibrate`` and judges on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from claimlight import codec
from claimlight.cli.__main__ import run
from claimlight.judging.base import Ruling
from claimlight.judging.calibration import Bounds, CalibratedJudge, Calibration
from claimlight.judging.fitting import Fit, Held, fit_calibration
from claimlight.lab.charts.reading import Chart, ChartCell, Wording
from claimlight.lab.charts.reliability import measure_reliability
from claimlight.lab.charts.rivals import CONTRAST, COSINE, MeasuredCell, compare_systems, judged_cells
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words
from tests.core.lab.charts.chart_fakes import BIKE, FILLER, KETTLE, charts, write
from tests.fakes import stack

CENTERS = content_words(" ".join([*FILLER, *BIKE, *KETTLE]))


class CountingJudge:
    """Scores a passage by how many words of the feature it has."""

    name, fingerprint, languages = "counting 2", "c", frozenset()
    reads_parts = False

    def __init__(self):
        self.asked = []

    def rule(self, pairs, context):
        self.asked += pairs
        return [Ruling(float(len(set(pair.feature.split()) & set(pair.passage.split())))) for pair in pairs]


@pytest.fixture
def model(monkeypatch):
    monkeypatch.setattr(
        "claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: stack(CENTERS)
    )
    judge = CountingJudge()
    monkeypatch.setattr(
        "claimlight.lab.cli.charts.open_plugin_judge", lambda name: {"counting": CalibratedJudge(judge)}[name]
    )
    assert run(["settings", "set", "centers.stop_share", "0"]) == 0
    return judge


def test_a_calibration_is_fitted_on_what_the_judge_read():
    made = [codec.read(Chart, item) for item in charts()]
    judge = CountingJudge()
    settings = change(Settings(), "centers.stop_share", 0.0)
    compared = compare_systems(
        made,
        [CalibratedJudge(judge)],
        settings,
        TaskContext(),
        read_all=False,
        stack=lambda _: stack(CENTERS),
    )
    assert len(judge.asked) == 10 * 3
    assert {pair.subject for pair in judge.asked} == {"A device comprising"}
    cells = judged_cells(compared, "counting 2", 3)
    cosine, contrast = compared.system(COSINE).scores, compared.system(CONTRAST).scores
    for cell, measured, cosines, contrasts in zip(cells, compared.cells, cosine, contrast, strict=True):
        chosen = sorted(np.argsort(-contrasts, kind="stable")[:3])
        assert cell.cosines.tolist() == cosines[chosen].tolist()
        assert cell.near_miss == (measured.cell.wording is Wording.NEAR_MISS)
    fit = fit_calibration(cells, candidates=3, fitted_on="two charts")
    assert (fit.held.charts, fit.held.cells) == (2, 10)
    assert sum(each.cells for each in measure_reliability(compared.cells, fit).bins) == 10


def test_bins_and_verdicts_by_wording_count_every_cell():
    rng = np.random.default_rng(7)
    kinds = (Wording.SAME, Wording.OTHER, Wording.IMPLICIT, Wording.NEAR_MISS, Wording.UNKNOWN)
    wordings = [kinds[at] for at in rng.integers(len(kinds), size=300)]
    said = rng.random(300)
    said[:3] = 0.0, 0.5, 1.0
    (chart, *_) = (codec.read(Chart, item) for item in charts())
    cells = [
        MeasuredCell(chart, ChartCell("F1", bool(rng.random() < 0.5), wording), frozenset())
        for wording in wordings
    ]
    bounds = Bounds(disclosed=0.8, candidate=0.3)
    held = Held(1, 300, 0.0, None, None, 0.0, 0.0, 0.0, 0.0)
    found = measure_reliability(cells, Fit(Calibration(0.0, 1.0, 0.0, bounds), held, said))
    for each in found.bins:
        here = [at for at, p in enumerate(said) if each.low <= p < each.high or (p == each.high == 1.0)]
        assert (each.cells, each.disclosed) == (len(here), sum(cells[at].cell.disclosed for at in here))
        assert each.probability == pytest.approx(np.mean(said[here]))
    assert sum(each.cells for each in found.bins) == 300
    assert [each.wording for each in found.wordings] == ["same", "other", "implicit", "near_miss"]
    for each in found.wordings:
        own = [p for p, wording in zip(said, wordings, strict=True) if wording == each.wording]
        assert each.disclosed == sum(p >= 0.8 for p in own)
        assert each.nothing == sum(p < 0.3 for p in own)
        assert each.cells == len(own)


def test_the_command_writes_what_it_fitted(tmp_path, model, capsys):
    write(tmp_path / "B" / "choose" / "a.jsonl", charts())
    out = tmp_path / "calibration.json"
    command = ["lab", "charts", "calibrate", str(tmp_path / "B"), "--judge", "plugin:counting"]
    capsys.readouterr()
    assert run([*command, "--candidates", "2", "--first", "1", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "counting 2: fitted on 2 claim charts (B, part choose)" in printed
    assert "Verdicts by kind of wording" in printed
    found = codec.decode(Calibration, out.read_text())
    assert (found.candidates, found.fitted_on) == (2, "2 claim charts (B, part choose)")
    assert found.at_first == 1
    assert (found.first.candidates, found.first.first) == (1, None)
    assert "counting 2, at first: fitted on" in printed
    assert len(model.asked) == 10 * (2 + 1), "what it reads at first is asked apart, without parts of claims"
    assert run([*command, "--json"]) == 0
    body = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert body["held"]["cells"] == 10
    assert body["held_first"] is None
    kinds = {each["wording"]: each for each in body["reliability"]["wordings"]}
    assert sum(kinds["near_miss"][verdict] for verdict in ("disclosed", "candidate", "nothing")) > 0
    assert sum(each["cells"] for each in body["reliability"]["bins"]) == 10


def test_judges_are_measured_beside_the_other_systems(tmp_path, model, capsys):
    write(tmp_path / "B" / "a.jsonl", charts())
    command = ["lab", "charts", "measure", str(tmp_path / "B"), "--judge", "plugin:counting"]
    assert run([*command, "--resamples", "10"]) == 0
    printed = capsys.readouterr().out
    assert "counting 2, 3 candidates" in printed
    assert "counting 2, all" in printed
    assert run([*command, "--resamples", "10", "--candidates-only"]) == 0
    assert "counting 2, all" not in capsys.readouterr().out


def test_one_source_is_measured(tmp_path, capsys):
    write(tmp_path / "B" / "a.jsonl", charts())
    assert run(["lab", "charts", "measure"]) != 0
    assert run(["lab", "charts", "measure", str(tmp_path / "B"), "--panorama", str(tmp_path / "B")]) != 0
    assert "Name one source" in capsys.readouterr().err
