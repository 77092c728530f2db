"""An adaptation in words and as rows of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import Verdict
from claimlight_workbench.language import number, tr, trn

if TYPE_CHECKING:
    from claimlight.types import AdaptedFigure, AdaptReport, KeptModel

HEADINGS = ("", tr("Before"), tr("After"), tr("Gain"), tr("95 % interval"), "p")
_SAID = {
    Verdict.BETTER: tr("▲ The adapted encoder finds more: the interval is above zero."),
    Verdict.WORSE: tr("▼ The adapted encoder finds less: discard it."),
    Verdict.UNDECIDED: tr("◆ The difference may be chance: the interval includes zero."),
    Verdict.UNMEASURED: tr("It could not be measured whether the adapted encoder finds more."),
}
_MEASURES = {"AP": tr("Average precision")}


def rows_of(report: AdaptReport) -> tuple[tuple[str, ...], ...]:
    """A row for each measure."""
    return tuple(_row(item) for item in report.figures)


def tip_of(figure: AdaptedFigure) -> str:
    """A measure as a sentence."""
    what = _MEASURES.get(figure.measure, "")
    if figure.measure.startswith("R@"):
        what = tr(
            "Share of a document's citations among the first {measure} families", measure=figure.measure[2:]
        )
    return tr(
        "{what}: {before:.1%} before, {after:.1%} after; the difference is between "
        "{low:+.1f} and {high:+.1f} points (95 %)",
        what=what,
        before=figure.before,
        after=figure.after,
        low=100 * figure.low,
        high=100 * figure.high,
    )


def verdict_text(report: AdaptReport) -> str:
    """What the figures show."""
    return _SAID[report.verdict]


def summary(report: AdaptReport) -> str:
    """What was trained and compared, in a line or two."""
    training = report.training
    told = tr(
        "{base} trained on {documents} in {steps}, loss {first_loss:.3f} to {last_loss:.3f}.",
        base=report.base,
        documents=trn("{n:,} document", "{n:,} documents", report.documents),
        steps=trn("{n:,} step", "{n:,} steps", training.steps),
        first_loss=training.first_loss,
        last_loss=training.last_loss,
    )
    if report.figures:
        told += tr(
            " Compared on {documents} kept from the training: {citations} among {families}.",
            documents=trn("{n:,} document", "{n:,} documents", report.queries),
            citations=trn("{n:,} citation", "{n:,} citations", report.citations),
            families=trn("{n:,} family", "{n:,} families", report.candidates),
        )
    return " ".join((told, *report.notes))


def kept_text(kept: KeptModel) -> str:
    """What was done, and what to do next."""
    then = tr(" The index was built with another model: rebuild it.") if kept.stale_index else ""
    return tr("{name} is installed and in use.{then}", name=kept.name, then=then)


def _row(figure: AdaptedFigure) -> tuple[str, ...]:
    return (
        figure.measure,
        f"{number(100 * figure.before, '.1f')} %",
        f"{number(100 * figure.after, '.1f')} %",
        number(100 * figure.difference, "+.1f"),
        tr("{low:+.1f} to {high:+.1f}", low=100 * figure.low, high=100 * figure.high),
        number(figure.p, ".3f"),
    )
