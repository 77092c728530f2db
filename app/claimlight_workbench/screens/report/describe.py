"""A report in words, before it is written and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import plural

if TYPE_CHECKING:
    from claimlight.types import Report, WrittenReport


def contents_text(report: Report) -> str:
    """How much is in a report."""
    marked = sum(1 for item in report.documents if report.citations_of(item))
    shown = (passage for chart in report.charts for passage in chart.confirmed())
    passages = len({(passage.claim, name, passage.label) for name, passage in shown})
    return (
        f"{plural(marked, 'document')} with a category, {plural(passages, 'confirmed passage')}, "
        f"{plural(len(report.strategy.steps), 'set')}."
    )


def warnings_text(report: Report) -> str:
    """How many warnings there are."""
    if not report.warnings:
        return "No warning."
    return f"{plural(len(report.warnings), 'warning')}:"


def written_text(written: WrittenReport) -> str:
    """Where a file was written, and what is not in it."""
    return " ".join((f"Written: {written.path}", *written.notes))
