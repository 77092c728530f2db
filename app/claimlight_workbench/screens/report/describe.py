"""A report in words, before it is written and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.language import tr, trn

if TYPE_CHECKING:
    from claimlight.types import Report, WrittenReport


def contents_text(report: Report) -> str:
    """How much is in a report."""
    marked = sum(1 for item in report.documents if report.citations_of(item))
    shown = (passage for chart in report.charts for passage in chart.confirmed())
    passages = len({(passage.claim, name, passage.label) for name, passage in shown})
    return tr(
        "{documents} with a category, {confirmed_passages}, {sets}.",
        documents=trn("{n:,} document", "{n:,} documents", marked),
        confirmed_passages=trn("{n:,} confirmed passage", "{n:,} confirmed passages", passages),
        sets=trn("{n:,} set", "{n:,} sets", len(report.strategy.steps)),
    )


def warnings_text(report: Report) -> str:
    """How many warnings there are."""
    if not report.warnings:
        return tr("No warning.")
    return f"{trn('{n:,} warning', '{n:,} warnings', len(report.warnings))}:"


def written_text(written: WrittenReport) -> str:
    """Where a file was written, and what is not in it."""
    return " ".join((tr("Written: {path}", path=written.path), *written.notes))
