"""What a verdict is worth: one text in window and guide, and the figures of a judge in words."""

from dataclasses import fields
from pathlib import Path

from claimlight.judging.base import Ruling
from claimlight.judging.calibration import UNCALIBRATED, CalibratedJudge
from claimlight.judging.fitting import Held
from claimlight.lab.charts.reading import DISCLOSED, UNDISCLOSED
from claimlight.services.models.judges import JudgeFacts, describe_judge
from claimlight.services.search.verdict_words import (
    ABSTENTION,
    AS_GIVEN,
    PROBABILITY,
    PROMISES,
    WORDING_HEADINGS,
    WORDING_NAMES,
    figure_sentences,
    judge_sentences,
    reliability_rows,
    reliability_sentences,
    second_sentences,
    wording_rows,
)
from claimlight.types import ChartVerdict, Reliability, ReliabilityBin, WordingFigures

GUIDE = Path(__file__).parents[4] / "docs/guide/verdicts.md"


def flat(text):
    return " ".join(text.replace("[match strength](evidence.md#match-strength)", "match strength").split())


def test_the_guide_promises_what_the_window_promises():
    page = flat(GUIDE.read_text(encoding="utf-8")).casefold()
    assert set(PROMISES) == set(ChartVerdict)
    for words in (*PROMISES.values(), *ABSTENTION, PROBABILITY):
        assert flat(words).casefold() in page


def test_every_share_that_a_package_keeps_has_words():
    plain = {"charts", "cells", "log_loss"}
    shares = {item.name: 0.875 for item in fields(Held) if item.name not in plain}
    assert len(figure_sentences(shares)) == len(shares)
    assert "88 of 100 cells called disclosed were right" in figure_sentences({"precision": 0.88})
    assert figure_sentences({"log_loss": 0.5}) == ()


def test_a_judge_that_is_no_package_has_no_figures():
    class Plain:
        name, fingerprint, languages = "plain 1", "plain-1", frozenset({"de", "en"})
        reads_parts = False

        def rule(self, pairs, context):
            return [Ruling(0.0) for _ in pairs]

    found = describe_judge(CalibratedJudge(Plain()))
    assert (found.name, found.languages, found.measured) == ("plain 1", ("de", "en"), {})
    assert found.disclosed == UNCALIBRATED.bounds.disclosed > 1.0
    assert found.reliability is None
    assert AS_GIVEN in judge_sentences(found)


def test_the_judge_is_named_with_what_it_was_fitted_on():
    facts = JudgeFacts("made 1", 0.8, 0.3, "4 charts", ("en",), calibrated=True)
    assert judge_sentences(facts)[:2] == (
        "made 1; reads English. Disclosed from 80, candidate from 30.",
        "The probabilities were fitted on 4 charts.",
    )


def test_a_judge_that_reads_on_says_so_and_has_figures_of_both_readings():
    facts = JudgeFacts(
        "made 1", 0.8, 0.3, measured={"precision": 0.9, "first_precision": 0.88}, measured_on="4 charts",
        calibrated=True, first=4, candidates=24,
    )  # fmt: skip
    said = judge_sentences(facts)
    assert said[1].startswith("It reads 4 passages of a document for a feature, and up to 24")
    assert said[-3:] == (
        "Measured on 4 charts:",
        "90 of 100 cells called disclosed were right",
        "Of documents of which it has read 4 passages only: 88 of 100 cells called disclosed were right.",
    )
    at_once = JudgeFacts("made 1", 0.8, 0.3, calibrated=True, first=3, candidates=3)
    assert judge_sentences(at_once)[1] == "It reads at most 3 passages of a document for a feature."


def test_of_two_judges_each_has_the_figures_of_what_it_reads():
    second = JudgeFacts(
        "large 1", 0.7, 0.2, measured={"precision": 0.95}, measured_on="4 charts", first=4, candidates=24,
        calibrated=True,
    )  # fmt: skip
    facts = JudgeFacts(
        "made 1", 0.8, 0.3, measured={"precision": 0.9, "first_precision": 0.88}, measured_on="9 charts",
        calibrated=True, first=4, candidates=24, second=second,
    )  # fmt: skip
    assert judge_sentences(facts)[1:] == (
        "It reads 4 passages of every document for a feature.",
        "Measured on 9 charts, up to 4 passages of a document read:",
        "88 of 100 cells called disclosed were right",
    )
    said = second_sentences(second)
    assert said[0] == "large 1; reads any language. Disclosed from 70, candidate from 20."
    assert said[1].startswith("It reads up to 24 passages for a feature in the first document and in those")
    assert "Where it gives none the other judge reads on" in said[1]
    assert said[2:] == (
        "Measured on 4 charts, up to 24 passages of a document read:",
        "95 of 100 cells called disclosed were right",
    )


def test_rows_and_sentences_say_shares_with_the_cells_behind_them():
    found = Reliability(
        (ReliabilityBin(0.8, 0.9, 20, 0.84, 18),),
        (WordingFigures("near_miss", 2, 5, 13), WordingFigures("other_new", 1, 0, 0)),
    )
    assert wording_rows(found.wordings) == (
        ("does not disclose, near miss", "20", "10 %", "25 %", "65 %"),
        ("other_new", "1", "100 %", "0 %", "0 %"),
    )
    assert len(WORDING_HEADINGS) == len(wording_rows(found.wordings)[0])
    assert reliability_rows(found) == (("80 to 90", "20", "84", "90 %", "70 to 97"),)
    assert reliability_sentences(found) == (
        "Probability 80 to 90: 18 of 20 cells disclose the feature, 90 % (95 %: 70 to 97)",
    )


def test_every_wording_of_a_chart_has_a_name():
    for wordings, start in ((DISCLOSED, "discloses"), (UNDISCLOSED, "does not disclose")):
        for each in wordings:
            assert WORDING_NAMES[each.value].startswith(start)
