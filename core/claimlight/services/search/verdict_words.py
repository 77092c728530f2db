"""What a verdict is worth, in words for window and guide (docs/guide/verdicts.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from claimlight.types import (
    ChartVerdict,
    Reliability,
    ReliabilityBin,
    WordingFigures,
    name_of,
    plural,
    strength_figure,
)
from claimlight.types.reliability import FIRST

if TYPE_CHECKING:
    from claimlight.judging.calibration import CalibratedJudge
    from claimlight.services.models.judges import JudgeFacts

PROBABILITY = "probability, 0 to 100, that the document discloses the feature"
PROMISES = {
    ChartVerdict.DISCLOSED: (
        "the judge takes the passage to disclose the feature. If the judge was calibrated on charts, at "
        "least 85 of 100 such cells were right there; on charts that took no part it may be fewer, and the "
        "figures of the judge say how many. Of any other judge nobody has measured it. Read the passage "
        "before you rely on it."
    ),
    ChartVerdict.CANDIDATE: (
        "the best passage of the document for the feature. Read it: it may disclose the feature or only "
        "speak of the same things, and in a document on another subject not even that."
    ),
    ChartVerdict.NOTHING: (
        "the judge found no passage that is near enough to be read first. It is no proof that the document "
        "lacks the feature."
    ),
}
ABSTENTION = (
    "There is no verdict if the document has no passage in a language that the judge reads, if it is not "
    "indexed, or if the judge has failed or was stopped. The cell then shows the match strength.",
    "The judge reads only the passages whose vectors are nearest to the feature's, compared with the other "
    "features of the claim. The tool tip of a cell says how many passages were read.",
    "What is disclosed by several passages together, or by a drawing, the judge does not see.",
    "Title, drawings, lines of fewer than 40 words that say what a drawing shows, and what a library does "
    "not hold are not read: a document with an abstract only has a list of its own.",
)
"""When the judge says nothing, and what it does not see."""
BEGIN = "Disclosed from {}, candidate from {}"
NOT_PRECISE = (
    "It never says disclosed by itself, as too few of its cells were right on charts; candidate from {}"
)
NOT_CALIBRATED = "It never says disclosed, as nobody has calibrated it; candidate from {}"
CALIBRATED = "The probabilities were fitted on {}."
AS_GIVEN = "The judge was not calibrated on charts: its probabilities are taken as it gives them."
READS = "It reads at most {} of a document for a feature."
READS_ON = (
    "It reads {} of a document for a feature, and up to {} in the first document and in those that disclose "
    "most, alone or together."
)
READS_FIRST = "It reads {} of every document for a feature."
SECOND_READS = (
    "It reads up to {} for a feature in the first document and in those that disclose most, alone or "
    "together. The verdicts there are its own. Where it gives none the other judge reads on; the verdict of "
    "that one also counts where it names a likelier passage that this one does not read."
)
NO_SECOND = "The second judge can't be used: {}"
NOT_READ_ON = "The second judge {} could not read on: {}"
ALONE = "The verdicts are those of {} alone."
READ_FIRST_ONLY = "Of the best documents {} has read the first passages only."
AT_FIRST = "Of documents of which it has read {} only: {}."
MEASURED = "Measured on {}"
MEASURED_BY = "Measured on {}, up to {} of a document read"
UNMEASURED = "No figures were recorded with this judge."
NO_JUDGE = "There is no judge: the cells show match strengths, and no verdicts."
_FIGURES = {
    "precision": "{} of 100 cells called disclosed were right",
    "precision_low": "with a confidence of 95 %, at least {} of 100",
    "recall": "{} of 100 cells that disclose the feature are called disclosed",
    "near": "{} of 100 near misses are called disclosed",
    "silenced": "{} of 100 cells that disclose the feature are called nothing near",
    "cleared": "{} of 100 cells that do not disclose it are called nothing near",
}
"""The figures that a judge's package keeps, by their names."""


def figure_sentences(measured: Mapping[str, float]) -> tuple[str, ...]:
    """What was measured of a judge, one line for each figure that an examiner can use."""
    return tuple(
        words.format(round(100 * measured[name])) for name, words in _FIGURES.items() if name in measured
    )


WORDING_TITLE = "Verdicts by kind of wording"
WORDING_HEADINGS = (
    "the document",
    "cells",
    *(f"{'called ' if each is ChartVerdict.DISCLOSED else ''}{each.value}" for each in ChartVerdict),
)
RELIABILITY_TITLE = "How many cells disclose the feature, by probability"
RELIABILITY_HEADINGS = ("probability", "cells", "mean", "disclose the feature", "95 %")
WORDING_NAMES = {
    "same": "discloses, in words of the claim",
    "other": "discloses, in other words",
    "implicit": "discloses implicitly",
    "near_miss": "does not disclose, near miss",
    "absent": "does not disclose, absent",
}
"""What a document does with a feature, by the names of `WordingFigures`."""


def wording_rows(found: Sequence[WordingFigures]) -> tuple[tuple[str, ...], ...]:
    """Name, cells and the share of each verdict in per cent, a row for each wording."""
    return tuple(
        (
            WORDING_NAMES.get(each.wording, each.wording),
            f"{each.cells:,}",
            *(f"{_percent(number / each.cells)} %" for number in _verdicts(each)),
        )
        for each in found
    )


def reliability_rows(found: Reliability) -> tuple[tuple[str, ...], ...]:
    """Probability, cells, mean probability, share that discloses, its 95 % interval: a row for each bin."""
    return tuple(
        (
            f"{_percent(each.low)} to {_percent(each.high)}",
            f"{each.cells:,}",
            f"{_percent(each.probability)}",
            f"{_percent(each.share)} %",
            _interval(each),
        )
        for each in found.bins
    )


def reliability_sentences(found: Reliability) -> tuple[str, ...]:
    """The diagram in words, a line for each bin."""
    return tuple(
        f"Probability {_percent(each.low)} to {_percent(each.high)}: {each.disclosed:,} of {each.cells:,} "
        f"cells disclose the feature, {_percent(each.share)} % (95 %: {_interval(each)})"
        for each in found.bins
    )


def notes_of_judge(found: CalibratedJudge) -> tuple[str, ...]:
    """Notes on a judge that was opened: why its second one can't be used."""
    if not found.fault:
        return ()
    return (f"{NO_SECOND.format(found.fault.rstrip('.'))}. {ALONE.format(found.judge.name)}",)


def describe_fault(judge: CalibratedJudge, error: Exception) -> str:
    """Note that a judge, or its second one if it has one, has failed in reading on."""
    name, reason = judge.judge.name, str(error).rstrip(".")
    if judge.second is None:
        return f"{reason}. {READ_FIRST_ONLY.format(name)}"
    return f"{NOT_READ_ON.format(judge.second.judge.name, reason)}. {ALONE.format(name)}"


def judge_sentences(facts: JudgeFacts) -> tuple[str, ...]:
    """Which judge it is, where its verdicts begin, what it was fitted on, and what was measured.

    Of one with a second judge, what holds of the passages that it reads itself.
    """
    if facts.second is None:
        told = (_introduce(facts), *_reading(facts), *_fitted(facts), *_measured(facts), *_at_first(facts))
        return (*told, f"{NO_SECOND.format(facts.fault.rstrip('.'))}.") if facts.fault else told
    reads = (READS_FIRST.format(plural(facts.first, "passage")),) if facts.first else ()
    few = {name: facts.measured[f"{FIRST}{name}"] for name in _FIGURES if f"{FIRST}{name}" in facts.measured}
    depth = facts.first if few else facts.candidates
    measured = _measured(replace(facts, measured=few or facts.measured), passages=depth)
    return (_introduce(facts), *reads, *_fitted(facts), *measured)


def second_sentences(facts: JudgeFacts) -> tuple[str, ...]:
    """The same of a second judge."""
    reads = SECOND_READS.format(plural(facts.candidates, "passage"))
    return (_introduce(facts), reads, *_fitted(facts), *_measured(facts, passages=facts.candidates))


def _introduce(facts: JudgeFacts) -> str:
    languages = ", ".join(map(name_of, facts.languages)) or "any language"
    candidate = strength_figure(facts.candidate)
    if facts.disclosed <= 1.0:
        begin = BEGIN.format(strength_figure(facts.disclosed), candidate)
    else:
        begin = (NOT_PRECISE if facts.calibrated else NOT_CALIBRATED).format(candidate)
    return f"{facts.name}; reads {languages}. {begin}."


def _fitted(facts: JudgeFacts) -> tuple[str, ...]:
    if not facts.calibrated:
        return (AS_GIVEN,)
    return (CALIBRATED.format(facts.fitted_on),) if facts.fitted_on else ()


def _measured(facts: JudgeFacts, *, passages: int = 0) -> tuple[str, ...]:
    """The figures with what they were measured on, and with how many ``passages`` of a document, if not 0."""
    figures = figure_sentences(facts.measured)
    if not figures:
        return (UNMEASURED,)
    if not passages:
        return (f"{MEASURED.format(facts.measured_on)}:", *figures)
    read = plural(passages, "passage")
    return (f"{MEASURED_BY.format(facts.measured_on, read)}:", *figures)


def _at_first(facts: JudgeFacts) -> tuple[str, ...]:
    shown = ("precision", "near", "silenced", "cleared")
    few = {name: facts.measured[f"{FIRST}{name}"] for name in shown if f"{FIRST}{name}" in facts.measured}
    told = "; ".join(figure_sentences(few))
    return (AT_FIRST.format(plural(facts.first, "passage"), told),) if few else ()


def _reading(facts: JudgeFacts) -> tuple[str, ...]:
    if not facts.candidates:
        return ()
    if facts.first == facts.candidates:
        return (READS.format(plural(facts.candidates, "passage")),)
    return (READS_ON.format(plural(facts.first, "passage"), facts.candidates),)


def _verdicts(each: WordingFigures) -> tuple[int, ...]:
    return each.disclosed, each.candidate, each.nothing


def _interval(each: ReliabilityBin) -> str:
    return f"{_percent(each.interval.low)} to {_percent(each.interval.high)}"


def _percent(share: float) -> int:
    return round(100 * share)
