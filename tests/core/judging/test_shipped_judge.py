"""The two judges that ship: they open, and their verdicts keep their promise."""

from __future__ import annotations

from claimlight.judging.base import Pair
from claimlight.judging.fitting import NEAR, NEVER, PRECISION
from claimlight.judging.opening import open_judge
from claimlight.judging.package import JudgePackage, locate_second
from claimlight.settings import JudgeSettings
from claimlight.tasks import TaskContext
from claimlight.types.reliability import FIRST

CPU = JudgeSettings(device="cpu")


def test_the_second_one_was_measured_on_charts_that_took_no_part_in_its_calibration(shipped_judge):
    folder = locate_second("", "")
    assert folder is not None
    manifest = JudgePackage.load(folder).manifest
    read, measured = manifest.calibration, manifest.measured
    assert manifest.languages == ("en",)
    assert read is not None
    assert "part choose" in read.fitted_on
    assert "part final" in manifest.measured_on
    assert "took no part in the calibration" in manifest.measured_on
    assert manifest.reliability is not None
    assert sum(each.cells for each in manifest.reliability.wordings) == measured["cells"]
    # What the verdicts promise.
    assert read.bounds.candidate < read.bounds.disclosed < 1
    assert measured["precision"] >= PRECISION
    assert measured["near"] <= NEAR
    # A tenth is meant at the worse end of draws of four authors; these four are a little beyond it.
    assert measured["silenced"] < 0.125
    assert measured["recall"] > 0.3


def test_the_first_one_reads_few_passages_and_leaves_the_verdict_disclosed_to_the_second(shipped_judge):
    manifest = JudgePackage.load(shipped_judge).manifest
    read = manifest.calibration
    assert read is not None
    assert read.first is not None
    assert read.at_first < read.candidates
    assert read.bounds.disclosed == read.first.bounds.disclosed == NEVER
    assert "took no part in the calibration" in manifest.measured_on
    for prefix in ("", FIRST):
        # Where hardly any cell is at *nothing near*, that few disclosing ones are is no merit: both are told.
        assert 0 <= manifest.measured[f"{prefix}silenced"] < 0.1
        assert 0 <= manifest.measured[f"{prefix}cleared"] < 0.5


def test_a_passage_that_discloses_is_above_one_that_uses_the_words(shipped_judge):
    opened = open_judge(CPU)
    assert opened is not None
    assert opened.second is not None
    claim, feature = "A pump", "a valve which opens when the pressure in the chamber exceeds a threshold"
    passages = [
        "Once the chamber reaches more than 3 bar, the flap 7 is pushed off its seat and lets the gas out.",
        "The valve 7 opens when the pump is switched off. The pressure in the chamber is shown by a gauge; "
        "no threshold is set.",
        "The housing is painted green and stands on four rubber feet.",
    ]
    pairs = [Pair(claim, feature, text, "en") for text in passages]
    for judge in (opened, opened.second):
        scores = [ruling.score for ruling in judge.judge.rule(pairs, TaskContext())]
        assert scores[0] > scores[1]
        assert scores[0] > scores[2]
        assert judge.calibration.probability(scores[2], 0.0) < judge.calibration.bounds.candidate


def test_without_a_name_it_is_the_judge_in_use(shipped_judge):
    opened = open_judge(JudgeSettings(package=shipped_judge.name, device="cpu"))
    usual = open_judge(CPU)
    assert opened is not None
    assert usual is not None
    assert usual.judge.fingerprint == opened.judge.fingerprint
    assert open_judge(JudgeSettings(package="none")) is None
