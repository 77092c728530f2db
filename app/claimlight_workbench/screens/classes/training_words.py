"""The training of a classifier in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import ClassifierReport
from claimlight_workbench.language import tr, trn
from claimlight_workbench.progress_words import stage_heading
from claimlight_workbench.screens.classes.suggest_words import LEVEL_NAMES

if TYPE_CHECKING:
    from claimlight.types import ClassFigures, Progress


def stage_text(event: Progress) -> str:
    """What the training does now, and how far it is."""
    done = tr(" {done:,} of {total:,}", done=event.done, total=event.total) if event.total > 1 else ""
    return f"{stage_heading(event.stage)}{done}…"


def report_text(report: ClassifierReport) -> str:
    """What was trained, and how good it is on documents that were left out."""
    head = tr(
        "{model}: {classes} of the {scheme}, trained on {documents} in {seconds:.0f} s.",
        model=report.model,
        classes=trn("{n:,} class", "{n:,} classes", report.classes),
        scheme=report.scheme.upper(),
        documents=trn("{n:,} document", "{n:,} documents", report.documents),
        seconds=report.seconds,
    )
    lines = [head, *report.notes]
    if report.figures:
        lines.append(tr("Measured on {measured_on}:", measured_on=report.measured_on))
        lines += [_figures(each) for each in report.figures]
    return "\n".join(lines)


def _figures(each: ClassFigures) -> str:
    low, high = each.first_interval
    return tr(
        "{level_names}: the first suggestion is right for {first:.0f} % of {documents} (95 % "
        "interval {low:.0f} to {high:.0f} %); F1 of what is suggested {micro:.2f}",
        level_names=LEVEL_NAMES[each.level],
        first=100 * each.first,
        documents=trn("{n:,} document", "{n:,} documents", each.documents),
        low=100 * low,
        high=100 * high,
        micro=each.micro,
    )
