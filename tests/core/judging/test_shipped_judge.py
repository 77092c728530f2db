"""The judge that ships: it opens, its verdicts keep their promise."""

from __future__ import annotations

from claimlight.judging.base import Pair
from claimlight.judging.opening import open_judge
from claimlight.judging.package import JudgePackage
from claimlight.settings import JudgeSettings
from claimlight.tasks import TaskContext
from claimlight.types.reliability import FIRST

CPU = JudgeSettings(device="cpu")


def test_its_figures_are_of_charts_that_were_left_out_of_the_fit(shipped_judge):
    manifest = JudgePackage.load(shipped_judge).manifest
    read, measured = manifest.calibration, manifest.measured
    assert manifest.languages == ("en",)
    assert read is not None
    assert read.bounds.candidate < read.bounds.disclosed < 1
    assert read.first is not None
    assert read.at_first < read.candidates
    assert read.first.bounds == read.bounds
    assert "part choose" in read.fitted_on
    assert "left out of the fit" in manifest.measured_on
    assert manifest.reliability is not None
    assert sum(each.cells for each in manifest.reliability.wordings) == measured["cells"]
    # What they are is told, not promised; far worse, it would not ship.
    for prefix in ("", FIRST):
        assert measured[f"{prefix}precision"] > 0.8
        assert measured[f"{prefix}near"] < 0.1
        assert measured[f"{prefix}silenced"] < 0.1


def test_a_passage_that_discloses_is_above_one_that_uses_the_words(shipped_judge):
    opened = open_judge(CPU)
    assert opened is not None
    claim, feature = "A pump", "a valve which opens when the pressure in the chamber exceeds a threshold"
    passages = [
        "Once the chamber reaches more than 3 bar, the flap 7 is pushed off its seat and lets the gas out.",
        "The valve 7 opens when the pump is switched off. The pressure in the chamber is shown by a gauge; "
        "no threshold is set.",
        "The housing is painted green and stands on four rubber feet.",
    ]
    said = opened.judge.rule([Pair(claim, feature, text, "en") for text in passages], TaskContext())
    scores = [ruling.score for ruling in said]
    assert scores[0] > scores[1]
    assert scores[0] > scores[2]
    assert opened.calibration.probability(scores[2], 0.0) < opened.calibration.bounds.candidate


def test_without_a_name_it_is_the_judge_in_use(shipped_judge):
    opened = open_judge(JudgeSettings(package=shipped_judge.name, device="cpu"))
    usual = open_judge(CPU)
    assert opened is not None
    assert usual is not None
    assert usual.judge.fingerprint == opened.judge.fingerprint
    assert open_judge(JudgeSettings(package="none")) is None
