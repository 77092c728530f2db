"""A judge learns from decided cells, and is measured on documents that it has not seen."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimlight.cli.__main__ import run
from claimlight.codec import encode
from claimlight.errors import InputError
from claimlight.evaluation import judge_adaptation
from claimlight.evaluation.judge_adaptation import LEAST_DOCUMENTS, LEAST_FITTED
from claimlight.judging.calibration import Bounds, Calibration
from claimlight.judging.fitting import JudgedCell
from claimlight.judging.package import JudgePackage
from claimlight.services.training import judge_adapting
from claimlight.services.training.judge_adapting import (
    JudgeAdaptPlan,
    count_cells,
    divide_cells,
    document_key,
    make_blocks,
    make_recipe,
    name_version,
    read_cells,
)
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.types import CellCount, DecidedCell, Note
from tests.core.cli.schema import conforms

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs/schemas/judge-adaptation.schema.json").read_text("utf-8")
)
THINGS = ("oil", "lid", "valve", "damper")


def decided(number, thing, other, *, disclosed=None, kind="A1"):
    """The passage discloses the thing if it names it; a name of its own makes it another passage."""
    said = thing == other if disclosed is None else disclosed
    own = f"{chr(97 + number % 26)} {chr(97 + number // 26)}"
    feature, passage = f"the {thing} opens", f"the {other} of the claim {own} opens"
    return DecidedCell("a device", feature, passage, said, f"EP{1_000_000 + number}{kind}", "[0001]")


def cells_of(documents, *, flip=False):
    """Two confirmed and two rejected cells of each document; ``flip``: wrong in those to train on."""
    found = []
    for number in range(documents):
        one, other = THINGS[number % 4], THINGS[(number + 1) % 4]
        found += [decided(number, a, b) for a in (one, other) for b in (one, other)]
    if not flip:
        return found
    trained = set(divide_cells(found).trained)
    return [replace(cell, disclosed=not cell.disclosed) if cell in trained else cell for cell in found]


def written(path, cells):
    path.write_text("".join(f"{encode(cell)}\n" for cell in cells), encoding="utf-8")
    return path


def test_cells_are_read_once_and_those_in_dispute_not_at_all(tmp_path):
    one = decided(1, "oil", "oil")
    again = replace(one, publication="EP2000000A1")
    against = replace(decided(1, "lid", "oil"), disclosed=True)
    first = written(tmp_path / "a.jsonl", [one, decided(1, "lid", "oil")])
    second = written(tmp_path / "b.jsonl", [again, against, decided(4, "oil", "lid")])
    told = []
    found = read_cells([first, second], TaskContext(told.append))
    assert found == (one, decided(4, "oil", "lid"))
    assert told == [Note("1 cell decided both ways by different cases: not used.")]


def test_what_is_no_cell_is_named_by_its_line(tmp_path):
    path = written(tmp_path / "a.jsonl", [decided(1, "oil", "oil")])
    path.write_text(path.read_text() + '{"feature": "x"}\n', encoding="utf-8")
    with pytest.raises(
        InputError, match=r"a\.jsonl, line 2 is not a cell of `claimlight cases export-cells`"
    ):
        read_cells([path], TaskContext())
    with pytest.raises(InputError, match=r"gone\.jsonl can't be read"):
        read_cells([tmp_path / "gone.jsonl"], TaskContext())


def test_a_document_left_out_is_left_out_whole_and_always():
    few, many = cells_of(40), cells_of(90)
    divided = divide_cells(few)
    assert not set(map(document_key, divided.trained)) & set(map(document_key, divided.left_out))
    assert len(divided.trained) + len(divided.left_out) == len(few)
    apart = set(map(document_key, divided.left_out))
    more = set(map(document_key, divide_cells(many).left_out))
    assert apart == more & set(map(document_key, few))
    assert 0.1 < len(divide_cells(cells_of(300)).left_out) / 1200 < 0.3
    # An application and its patent are one document.
    assert document_key(decided(7, "oil", "oil")) == document_key(decided(7, "oil", "oil", kind="B1"))


def test_too_few_cells_are_refused_with_what_is_needed():
    with pytest.raises(
        InputError, match=r"too few cells.*at least 10 of each.*at least 5 of each are needed"
    ):
        divide_cells(cells_of(4))
    with pytest.raises(InputError, match="0 rejected"):
        divide_cells([cell for cell in cells_of(60) if cell.disclosed])


def test_the_cells_of_a_document_are_compared_by_feature_and_passage():
    passage = "the lid (12) of the claim"
    cells = [
        DecidedCell("a device", "the lid (3)", passage, disclosed=True, publication="EP1A1", label="[1]"),
        DecidedCell("a device", "the oil", passage, disclosed=False, publication="EP1B1", label="[1]"),
        DecidedCell("a device", "the oil", "oil", disclosed=True, publication="EP2A1", label="[2]"),
    ]
    first, second = make_blocks(cells)
    assert [(cell.row, cell.column, cell.disclosed) for cell in first.cells] == [(0, 0, True), (0, 1, False)]
    # Reference signs are not read, as when the judge rules.
    assert first.cells[0].passage.split() == ["the", "lid", "of", "the", "claim"]
    assert all(term.met for term in first.cells[0].terms)
    assert len(first.cells[0].terms) == 2
    assert first.cells[1].terms == ()
    assert len(second.cells) == 1


def test_the_recipe_grows_with_the_documents_and_can_be_changed():
    assert make_recipe(2, ()).steps == 10
    assert make_recipe(100, ()).steps == 150
    assert make_recipe(9_000, ()).steps == 400
    changed = make_recipe(100, ("run.steps=7", "optimizer.lr=1e-4"))
    assert (changed.steps, changed.optimizer.lr, changed.strangers) == (7, 1e-4, 0.0)
    for wrong in ("run.nothing=1", "task.1.batch=2", "run.steps=-1"):
        with pytest.raises(InputError, match="--set"):
            make_recipe(100, (wrong,))


def test_a_version_is_that_of_the_base_and_of_what_was_learned():
    recipe, cells = make_recipe(10, ()), cells_of(3)
    name = name_version("1", cells, recipe)
    assert name.startswith("1-adapted-")
    assert name_version("1", cells, recipe) == name
    assert len({name, name_version("1", cells[1:], recipe), name_version("2", cells, recipe)}) == 3
    assert name_version(name, cells, recipe).count("adapted") == 1


def test_a_calibration_that_is_kept_says_of_which_judge_it_is():
    found = Calibration(0.0, 1.0, 0.0, Bounds(0.5, 0.2), fitted_on="ten charts")
    once = judge_adapting._mark(found)
    assert once.fitted_on == "ten charts, before the judge was adapted"
    assert judge_adapting._mark(once) == once
    assert judge_adapting._mark(None) is None


def judged(count, documents, seed=1):
    random = np.random.default_rng(seed)
    return [
        JudgedCell(
            str(number % documents),
            number % 2 == 0,
            near_miss=number % 2 == 1,
            scores=np.array([random.normal() + 2 * (number % 2 == 0)]),
            cosines=np.zeros(1),
        )
        for number in range(count)
    ]


def test_few_cells_keep_the_calibration_and_many_are_fitted_again():
    found = Calibration(0.0, 1.0, -1.0, Bounds(0.7, 0.2))
    few = judge_adaptation._Reader(found, CellCount(LEAST_FITTED - 1, LEAST_FITTED, LEAST_DOCUMENTS))
    many = judge_adaptation._Reader(found, CellCount(LEAST_FITTED, LEAST_FITTED, LEAST_DOCUMENTS))
    cells = judged(2 * LEAST_FITTED, LEAST_DOCUMENTS)
    one, other = few.read(cells), many.read(cells)
    scores = np.array([cell.scores[0] for cell in cells])
    labels = np.array([cell.disclosed for cell in cells])
    said = 1 / (1 + np.exp(1 - scores))
    assert one.fit is None
    assert one.figures.log_loss == pytest.approx(-np.log(np.where(labels, said, 1 - said)).mean())
    assert one.figures.right == pytest.approx(((said >= 0.7) == labels).mean())
    area = (scores[labels][:, None] > scores[~labels]).mean()
    assert one.figures.area == other.figures.area == pytest.approx(area)
    assert few.describe(one) == (judge_adaptation.KEPT,)
    assert other.fit is not None
    assert other.fit.calibration.cosine == 0.0
    assert other.bounds != found.bounds


def read_cells_of(seed, documents, *, better=0.0):
    random = np.random.default_rng(seed)
    labels = np.arange(4 * documents) % 2 == 0
    values = random.normal(size=len(labels)) + (1.0 + better) * labels
    return judge_adaptation.ReadCells(values, 1 / (1 + np.exp(0.5 - values)), 0.7, labels)


def test_figures_have_intervals_by_documents_and_differences_are_paired():
    names = [str(number // 4) for number in range(80)]
    before = read_cells_of(1, 20)
    found = judge_adaptation.find_intervals(before, before, names)
    figures = before.measure()
    for name in ("area", "log_loss", "right"):
        ends, difference = getattr(found.before, name), getattr(found.difference, name)
        assert ends.low < getattr(figures, name) < ends.high
        assert (difference.low, difference.high) == (0.0, 0.0)
    better = judge_adaptation.find_intervals(before, read_cells_of(1, 20, better=2.0), names)
    assert better.difference.area.low > 0
    assert better.difference.log_loss.high < 0
    assert judge_adaptation._describe_intervals(better) == ()
    assert judge_adaptation._describe_intervals(found) == (judge_adaptation.CHANCE,)


def test_cells_of_one_document_are_drawn_together():
    # The same cells in fewer documents vary more.
    cells = read_cells_of(1, 20)
    worse = read_cells_of(2, 20)
    apart = judge_adaptation.find_intervals(cells, worse, [str(number // 2) for number in range(80)])
    by_five = judge_adaptation.find_intervals(cells, worse, [str(number // 16) for number in range(80)])
    assert apart != by_five


def test_few_documents_have_no_intervals_and_the_report_says_so():
    cells = read_cells_of(1, 4)
    assert judge_adaptation.find_intervals(cells, cells, [str(n // 4) for n in range(16)]) is None
    assert judge_adaptation._describe_intervals(None) == (judge_adaptation.TOO_FEW,)


def test_draws_without_a_rejected_cell_do_not_count():
    labels = np.array([True] * 8 + [False])
    cells = judge_adaptation.ReadCells(np.linspace(1, 0, 9), np.full(9, 0.5), 0.7, labels)
    found = judge_adaptation.find_intervals(cells, cells, [str(number) for number in range(9)])
    assert (found.before.area.low, found.before.area.high) == (1.0, 1.0)


def test_an_adapted_judge_reads_as_many_passages_at_first_as_before():
    first = Calibration(0.0, 2.0, 0.0, Bounds(0.7, 0.2), candidates=2)
    found = Calibration(0.0, 1.0, -1.0, Bounds(0.7, 0.2), candidates=9, first=first)
    read = judge_adaptation._Reader(found, CellCount(LEAST_FITTED, LEAST_FITTED, LEAST_DOCUMENTS))
    made = read.read(judged(2 * LEAST_FITTED, LEAST_DOCUMENTS)).fit.calibration
    assert (made.candidates, made.at_first) == (9, 2)
    assert made.first.slope == made.slope, "one passage a cell fits both"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    for name in ("torch", "transformers", "onnxscript"):
        pytest.importorskip(name, reason="needs claimlight[train]")
    from claimlight.training.export.judge_to_package import JudgePlan, export_judge
    from tests.core.training import judge_checkpoints as tiny

    folder = tmp_path_factory.mktemp("judge")
    export_judge(
        JudgePlan(
            tiny.disclosure(folder / "model"), folder / "package", "tiny", "1", "MIT", "made here", "fp32",
            calibration=Calibration(0.0, 1.0, 0.0, Bounds(0.5, 0.2), fitted_on="ten charts"),
        )
    )  # fmt: skip
    return folder / "package"


LEARN = ("run.steps=40", "optimizer.lr=3e-3")
CPU = change(Settings(), "judge.device", "cpu")


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_judge_adapted_on_the_command_line_says_what_it_is_worth(base, tmp_path, capsys):
    file = written(tmp_path / "cells.jsonl", cells_of(40))
    options = [part for item in LEARN for part in ("--set", item)]
    out = tmp_path / "mine"
    asked = ["adapt", "--judge", str(file), "--judge-package", str(base), "-o", str(out), *options, "--json"]
    assert run(asked) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert conforms(told, SCHEMA) == []
    assert told["package"] == str(out)
    assert told["after"]["area"] > max(0.9, told["before"]["area"])
    assert not told["worse"]
    assert told["setting"] == "judge.package"
    manifest = JudgePackage.load(out).manifest
    assert (manifest.id, f"{manifest.id} {manifest.version}") == ("tiny", told["judge"])
    assert manifest.measured["area"] == told["after"]["area"]
    assert manifest.measured["log_loss_before"] == told["before"]["log_loss"]
    assert "documents left out" in manifest.measured_on
    assert manifest.calibration.fitted_on == "40 cells decided by examiners"
    assert told["fitted"]
    ends = told["intervals"]["after"]["area"]
    assert ends["low"] <= told["after"]["area"] <= ends["high"]
    ends = told["intervals"]["difference"]["area"]
    assert ends["low"] <= told["after"]["area"] - told["before"]["area"] <= ends["high"]
    assert "trained further on" in (out / "NOTICE").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells.jsonl", "mine"]
    assert run(asked) == 1
    assert "exists already" in capsys.readouterr().err


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_judge_that_became_worse_is_written_only_if_that_is_wanted(base, tmp_path):
    file = written(tmp_path / "cells.jsonl", cells_of(40, flip=True))
    plan = JudgeAdaptPlan((file,), tmp_path / "mine", str(base), changes=LEARN)
    report = judge_adaptation.adapt(plan, CPU, TaskContext())
    assert report.worse
    assert report.setting == "judge.package"
    assert report.package == ""
    assert [path.name for path in tmp_path.iterdir()] == ["cells.jsonl"]
    kept = JudgeAdaptPlan((file,), tmp_path / "mine", str(base), changes=LEARN, keep_worse=True)
    assert judge_adaptation.adapt(kept, CPU, TaskContext()).package == str(tmp_path / "mine")
    assert count_cells(divide_cells(cells_of(40)).left_out) == report.left_out


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_of_two_judges_the_second_is_adapted_and_its_setting_is_named(base, tmp_path):
    first = shutil.copytree(base, tmp_path / "first")
    two = change(change(CPU, "judge.package", str(first)), "judge.second", str(base))
    plan = JudgeAdaptPlan(
        (written(tmp_path / "cells.jsonl", cells_of(40)),), tmp_path / "mine", changes=LEARN
    )
    assert judge_adaptation.adapt(plan, two, TaskContext()).setting == "judge.second"
    first_again = replace(plan, judge=str(first), out=tmp_path / "other")
    assert judge_adaptation.adapt(first_again, two, TaskContext()).setting == "judge.package"
    # Where there is no such package the first judge is alone, as in a chart.
    assert judge_adaptation._find_second(change(two, "judge.second", "gone").judge) is None


def test_options_of_the_judge_and_of_the_encoder_do_not_mix(tmp_path, capsys):
    for asked, said in (
        (["--judge", "c"], "--judge needs --out"),
        (["--judge", "c", "-o", "f", "--keep"], "nothing to keep or discard"),
        (["--keep-worse"], "need --judge"),
        ([], "Give the --library"),
    ):
        assert run(["adapt", *asked]) == 2
        assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())
