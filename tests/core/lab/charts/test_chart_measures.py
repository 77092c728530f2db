"""Measures of cells against brute force, and systems on the two charts of these tests."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight import codec
from claimlight.cli.__main__ import run
from claimlight.errors import InputError
from claimlight.judging import manifest as manifests
from claimlight.judging.base import Ruling
from claimlight.judging.calibration import Bounds, CalibratedJudge, Calibration
from claimlight.lab.charts.measures import average_precision, mean_statistic, resample_charts
from claimlight.lab.charts.plots import draw_areas, draw_reliability
from claimlight.lab.charts.reading import Chart
from claimlight.lab.charts.recording import record_figures
from claimlight.lab.charts.report import make_report
from claimlight.lab.charts.rivals import (
    CONTRAST,
    COSINE,
    TODAY,
    WITH_PARTS,
    WORDS,
    compare_systems,
    only_candidates,
)
from claimlight.lab.charts.tables import make_tables
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words
from tests.core.cli.schema import conforms
from tests.core.lab.charts.chart_fakes import BIKE, FILLER, KETTLE, benchmark, charts
from tests.fakes import stack

SETTINGS = change(Settings(), "centers.stop_share", 0.0)
CENTERS = content_words(" ".join([*FILLER, *BIKE, *KETTLE]))
SCHEMA = json.loads(
    (Path(__file__).resolve().parents[4] / "docs/schemas/charts.schema.json").read_text("utf-8")
)
FIRST = Calibration(1.0, 0.5, -0.5, Bounds(0.8, 0.3), candidates=1)
CALIBRATION = Calibration(2.0, 1.0, -1.0, Bounds(0.8, 0.3), candidates=3, first=FIRST)


class KnowingJudge:
    """Knows which passage discloses what, by the words of its chart."""

    name, fingerprint, languages = "knowing 1", "k", frozenset({"en"})
    reads_parts = True

    def __init__(self) -> None:
        self.right = set()
        for chart in charts():
            texts = {p["n"]: p["text"] for p in chart["document"]["paragraphs"]}
            features = {f["label"]: f["text"] for f in chart["features"]}
            self.right |= {
                (features[cell["feature"]], texts[n]) for cell in chart["cells"] for n in cell["paragraphs"]
            }
        self.asked = []

    def rule(self, pairs, context):
        self.asked += pairs
        return [Ruling(3.0 if (pair.feature, pair.passage) in self.right else -3.0) for pair in pairs]


@pytest.fixture(scope="module")
def compared():
    made = [codec.read(Chart, item) for item in charts()]
    judges = [CalibratedJudge(KnowingJudge(), CALIBRATION)]
    return compare_systems(made, judges, SETTINGS, TaskContext(), stack=lambda _: stack(CENTERS))


def brute_average_precision(values, labels):
    """Mean of the precision at each disclosed cell's value."""
    found = []
    for value, label in zip(values, labels, strict=True):
        if label:
            above = [other for own, other in zip(values, labels, strict=True) if own >= value]
            found.append(sum(above) / len(above))
    return sum(found) / len(found)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_average_precision_is_that_of_brute_force(cells):
    values = np.array([float(value) for value, _ in cells])
    labels = np.array([label for _, label in cells])
    if labels.any():
        assert average_precision(values, labels) == pytest.approx(brute_average_precision(values, labels))
    else:
        assert np.isnan(average_precision(values, labels))


def test_whole_charts_are_drawn():
    charts_of = np.array([0, 0, 0, 1, 1, 2])
    statistics = {
        "count": lambda cells: float(len(cells)),
        "mean": mean_statistic(np.array([1.0, 1.0, np.nan, 0.0, 0.0, 1.0])),
    }
    drawn = resample_charts(statistics, charts_of, resamples=200)
    possible = {float(sum(sizes)) for sizes in itertools.product((3, 2, 1), repeat=3)}
    assert set(drawn.drawn[:, 0].tolist()) <= possible
    assert drawn.values.tolist() == [6.0, 0.6]
    own = drawn.estimate("mean")
    assert own.low < own.value < own.high
    nothing = drawn.difference("mean", "mean")
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 0.0)


def test_a_judge_reads_its_candidates_only():
    scores, cosines = np.array([5.0, 1.0, 2.0, 3.0]), np.array([0.1, 0.9, 0.2, 0.8])
    assert only_candidates(scores, cosines, 2).tolist() == [-np.inf, 1.0, -np.inf, 3.0]


def test_every_system_scores_every_paragraph_of_every_cell(compared):
    assert [system.name for system in compared.systems] == [
        WORDS,
        TODAY,
        COSINE,
        CONTRAST,
        WITH_PARTS,
        "token by token",
        "knowing 1, 3 candidates",
        "knowing 1, all",
        "knowing 1, calibrated",
        "knowing 1, first 1",
    ]
    assert [(cell.chart.id, cell.cell.feature) for cell in compared.cells] == [
        (chart, f"F{n}") for chart in ("T01", "T02") for n in range(1, 6)
    ]
    assert all(scores.shape == (14,) for system in compared.systems for scores in system.scores)
    spout = compared.cells.index(next(c for c in compared.cells if c.chart.id == "T02"))
    for name in (WORDS, TODAY, COSINE):
        assert compared.system(name).scores[spout].argmax() == 0, f"{name}: the spout of glass comes first"
    assert compared.system(WORDS).scores[spout][0] == pytest.approx(1.0)


def test_claims_of_the_document_are_passages_and_judges_read_their_parts(tmp_path):
    _, item = charts()
    lines = ["A kettle comprising:", *(f"{text};" for text in KETTLE), "a valve."]
    item["document"]["claims"] = [{"n": "claim 1", "text": "\n".join(lines)}]
    item["cells"][0]["paragraphs"].append("claim 1")
    chart = codec.read(Chart, item)
    judge = KnowingJudge()
    compared = compare_systems(
        [chart],
        [CalibratedJudge(judge, CALIBRATION)],
        SETTINGS,
        TaskContext(),
        read_all=False,
        stack=lambda _: stack(CENTERS),
    )
    assert compared.cells[0].right == {0, 14}
    assert all(scores.shape == (15,) for system in compared.systems for scores in system.scores)
    claims = [pair for pair in judge.asked if pair.parts]
    assert all(pair.passage.startswith("A kettle comprising") for pair in claims)
    assert {pair.feature for pair in claims} == {feature.text for feature in chart.features}, (
        "second at least"
    )
    assert all(
        len(pair.parts) == 2 and set(pair.parts) <= {*KETTLE, "A kettle", "a valve"} for pair in claims
    )
    assert len(judge.asked) == 5 * (3 + 1)


def test_what_is_read_at_first_is_the_best_candidate_by_contrast(compared):
    whole, first = compared.system("knowing 1, calibrated"), compared.system("knowing 1, first 1")
    contrasts, cosines = compared.system(CONTRAST).scores, compared.system(COSINE).scores
    assert first.calibration == FIRST
    for cell, (every, one) in enumerate(zip(whole.scores, first.scores, strict=True)):
        (place,) = np.flatnonzero(np.isfinite(one))
        assert place == contrasts[cell].argmax()
        assert one[place] == pytest.approx(every[place] - cosines[cell][place]), "by its own calibration"
        assert first.probabilities[cell] == FIRST.probability(one[place], 0.0)


def test_figures_of_charts_apart_from_the_calibration_are_recorded_beside_it(
    compared, tmp_path, shipped_judge
):
    shutil.copy(shipped_judge / "manifest.json", tmp_path)
    read = replace(CALIBRATION, fitted_on="9 claim charts (made, part choose)")
    item = CalibratedJudge(KnowingJudge(), read)
    record_figures(tmp_path, item, compared, "2 claim charts (made, part final)")
    found = manifests.read(tmp_path / "manifest.json")
    assert found.calibration == read
    assert found.measured_on == "2 claim charts (made, part final), which took no part in the calibration"
    system = compared.system("knowing 1, calibrated")
    said = system.probabilities >= CALIBRATION.bounds.disclosed
    labels = np.array([cell.cell.disclosed for cell in compared.cells])
    assert (found.measured["charts"], found.measured["cells"]) == (2, 10)
    assert found.measured["precision"] == labels[said].mean()
    first = compared.system("knowing 1, first 1").probabilities >= FIRST.bounds.disclosed
    assert found.measured["first_recall"] == first[labels].mean()
    assert sum(each.disclosed for each in found.reliability.wordings) == said.sum()
    with pytest.raises(InputError, match="measure it on others"):
        record_figures(tmp_path, item, compared, "9 claim charts (made, part choose)")


def test_the_candidates_are_nearer_to_the_feature_than_the_other_features_let_expect(compared):
    candidates, cosine = compared.system("knowing 1, 3 candidates"), compared.system(COSINE)
    for chart in ("T01", "T02"):
        mine = [n for n, cell in enumerate(compared.cells) if cell.chart.id == chart]
        cosines = np.array([cosine.scores[n] for n in mine])
        for n, own in zip(mine, cosines, strict=True):
            lead = []
            for place in range(14):
                mean = sum(cosines[:, place]) / len(mine)
                rivals = np.log(sum(np.exp(20.0 * (near - mean / 2)) for near in cosines[:, place])) / 20.0
                lead.append(own[place] - mean / 2 - rivals / 2)
            read = np.flatnonzero(np.isfinite(candidates.scores[n]))
            assert sorted(read) == sorted(sorted(range(14), key=lambda place: -lead[place])[:3])


def test_a_calibrated_judge_has_the_probability_of_its_chosen_passage(compared):
    calibrated = compared.system("knowing 1, calibrated")
    read, cosine = compared.system("knowing 1, 3 candidates"), compared.system(COSINE)
    for n in range(len(compared.cells)):
        kept = np.flatnonzero(np.isfinite(read.scores[n]))
        scores, cosines = read.scores[n][kept].tolist(), cosine.scores[n][kept].tolist()
        place = CALIBRATION.choose(scores, cosines)
        said = CALIBRATION.probability(scores[place], cosines[place])
        assert calibrated.probabilities[n] == pytest.approx(said)


def test_the_report_of_a_judge_that_knows(compared):
    report = make_report(compared, source="made", part="choose", resamples=50)
    knowing = next(item for item in report.systems if item.system == "knowing 1, all")
    assert {item.contest: item.area.value for item in knowing.contests} == dict.fromkeys(
        ("all", "same", "other", "implicit", "near miss", "absent"), 1.0
    )
    assert [item.share.value for item in knowing.right] == [1.0, 1.0]
    assert knowing.verdicts is None
    today = next(item for item in report.systems if item.system == TODAY)
    assert today.contest("all").area_over_today is None
    gained = knowing.contest("all").area_over_today.value
    assert gained == pytest.approx(1.0 - today.contest("all").area.value)
    calibrated = next(item for item in report.systems if item.verdicts)
    assert calibrated.verdicts.precision.value == 1.0
    assert calibrated.verdicts.near_disclosed.value == 0.0
    assert sum(item.weight for item in calibrated.verdicts.bins) == report.cells == 10
    assert next(table.title for table in make_tables(report)) == "made choose: 2 charts, 10 cells"
    # Four of all systems, and the verdicts by wording of both readings.
    assert len(list(make_tables(report))) == 6


def test_the_json_of_a_report_conforms_to_its_schema(compared):
    report = make_report(compared, source="made", part="", resamples=20)
    body = json.loads(json.dumps({"schema": "claimlight.charts.1", **codec.plain(report)}, allow_nan=False))
    assert conforms(body, SCHEMA) == []


def test_plots_are_the_same_for_the_same_figures(compared, tmp_path):
    report = make_report(compared, source="made", part="choose", resamples=20)
    for draw in (draw_areas, draw_reliability):
        one, other = draw(report, tmp_path / "a"), draw(report, tmp_path / "b")
        assert [path.suffix for path in one] == [".png", ".svg"]
        assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_a_paragraph_that_the_import_changes_is_an_error():
    item, _ = charts()
    item["document"]["paragraphs"][4]["text"] = "Cut\n\nin two by an empty line."
    chart = codec.read(Chart, item)
    with pytest.raises(InputError, match="T01: the import does not keep paragraph 0005"):
        compare_systems([chart], [], SETTINGS, TaskContext(), stack=lambda _: stack(CENTERS))


def test_the_command_measures_the_part_that_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: stack(CENTERS)
    )
    benchmark(tmp_path / "B")
    assert run(["settings", "set", "centers.stop_share", "0"]) == 0
    capsys.readouterr()
    out = tmp_path / "out.json"
    command = ["lab", "charts", "measure", str(tmp_path / "B"), "--resamples", "10", "--out", str(out)]
    assert run([*command, "--part", "fit"]) == 0
    assert "B fit: 1 charts, 5 cells" in capsys.readouterr().out
    body = json.loads(out.read_text())
    assert (body["part"], body["charts"], body["cells"]) == ("fit", 1, 5)
    assert conforms(body, SCHEMA) == []
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["part"] == "choose"
