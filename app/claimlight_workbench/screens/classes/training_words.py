"""The training of a classifier in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import ClassifierReport, plural
from claimlight_workbench.screens.classes.suggest_words import LEVEL_NAMES

if TYPE_CHECKING:
    from claimlight.types import ClassFigures, Progress


def stage_text(event: Progress) -> str:
    """What the training does now, and how far it is."""
    done = f" {event.done:,} of {event.total:,}" if event.total > 1 else ""
    return f"{event.stage[:1].upper()}{event.stage[1:]}{done}…"


def report_text(report: ClassifierReport) -> str:
    """What was trained, and how good it is on documents that were left out."""
    head = (
        f"{report.model}: {plural(report.classes, 'class', 'classes')} of the {report.scheme.upper()}, "
        f"trained on {plural(report.documents, 'document')} in {report.seconds:.0f} s."
    )
    lines = [head, *report.notes]
    if report.figures:
        lines.append(f"Measured on {report.measured_on}:")
        lines += [_figures(each) for each in report.figures]
    return "\n".join(lines)


def _figures(each: ClassFigures) -> str:
    low, high = each.first_interval
    return (
        f"{LEVEL_NAMES[each.level]}: the first suggestion is right for {100 * each.first:.0f} % of "
        f"{plural(each.documents, 'document')} (95 % interval {100 * low:.0f} to {100 * high:.0f} %); "
        f"F1 of what is suggested {each.micro:.2f}"
    )
