"""``cases report`` and ``cases strategy``: the work product of a search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from claimlight.cli.case_options import case_book
from claimlight.cli.cases_command import Number
from claimlight.cli.commands import AsJson, front_of, load_settings, open_library
from claimlight.cli.front import Front, plain
from claimlight.errors import AppError
from claimlight.services.library.library import Library
from claimlight.services.sharing import opening
from claimlight.types import (
    Case,
    CaseId,
    Report,
    ReportKind,
    SearchStrategy,
    StepRerun,
    WrittenReport,
    format_publication,
    plural,
)

Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]
OtherLibrary = Annotated[
    str | None,
    typer.Option(
        "--library",
        "-l",
        metavar="DIR|ADDRESS",
        help="Folder of the library, or address of a shared one.",
        show_default=False,
    ),
]


def report_command(
    context: typer.Context,
    number: Number,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="File to write: .docx, .pdf, .csv or .xml; without it only the summary is printed.",
            show_default=False,
        ),
    ] = None,
    chart: Annotated[bool, typer.Option("--chart", help="Only the claim chart.")] = False,
    search_report: Annotated[
        bool, typer.Option("--search-report", help="Only the search report, with the search strategy.")
    ] = False,
    notes: Annotated[
        bool, typer.Option("--notes", help="Include notes on documents and passages, and tags.")
    ] = False,
    library: OtherLibrary = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Export what was confirmed and marked in a case as search report and claim chart.

    Warnings are printed first. CSV has one table: the claim chart, or with --search-report the cited
    documents. XML (WIPO ST.36) has the search report. The library is the one that the case was searched in.
    """
    from claimlight.services.reports.gathering import gather_report
    from claimlight.services.reports.writing import write_report

    front = front_of(context)
    if chart and search_report:
        raise typer.BadParameter("Give one of --chart and --search-report, or none for both.")
    kind = ReportKind.CHART if chart else ReportKind.SEARCH_REPORT if search_report else None
    with case_book() as book:
        case = book.case(CaseId(number))
        with _library(front, case, library) as found:
            report = gather_report(book, case.id, found, notes=notes)
    written = write_report(report, out, kind=kind, replace=force) if out is not None else None
    if as_json or front.events:
        front.line(_report_body(report, written))
        return
    _print_report(front, report)
    _say_written(front, written)


def strategy_command(
    context: typer.Context,
    number: Number,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="File to write: .docx, .pdf, .csv or .json.", show_default=False
        ),
    ] = None,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run every set again and report what changed since.")
    ] = False,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            metavar="DIR|ADDRESS",
            help="For --rerun: the library to search; default: the one of each set.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Print or export every set of a case: number, query, documents, date, library, model and index."""
    from claimlight.services.reports.strategy import Libraries, rerun_sets, strategy_of
    from claimlight.services.reports.writing import strategy_json, write_strategy

    front = front_of(context)
    with case_book() as book:
        case = book.case(CaseId(number))
        sets = book.sets(case.id)
    reruns: tuple[StepRerun, ...] = ()
    if rerun:
        with Libraries(load_settings(front)) as libraries, front.working() as task:
            reruns = rerun_sets(sets, libraries.search, task, library=library)
    strategy = strategy_of(case, sets, made=datetime.now(UTC), reruns=reruns)
    written = write_strategy(strategy, out, replace=force) if out is not None else None
    if as_json or front.events:
        front.line({"event": "strategy", **strategy_json(strategy)})
        return
    _print_strategy(front, strategy)
    _say_written(front, written)


@contextmanager
def _library(front: Front, case: Case, place: str | None) -> Iterator[Library | None]:
    """The library that is named, else that of the case; None, with the reason, if that can't be opened."""
    if place is not None:
        with open_library(place) as found:
            yield found
        return
    if not case.library:
        yield None
        return
    try:
        opened = opening.open_library(case.library)
    except AppError as error:
        front.say(f"{error} --library names another one.", style="yellow")
        yield None
        return
    with opened as found:
        yield found


def _report_body(report: Report, written: WrittenReport | None) -> dict[str, object]:
    return {
        "event": "report",
        "case": report.case,
        "path": written.path if written is not None else "",
        "notes": list(written.notes) if written is not None else [],
        "warnings": plain(report.warnings),
        "documents": plain(report.documents),
        "claims": plain(report.claims),
    }


def _print_report(front: Front, report: Report) -> None:
    from claimlight.services.reports.layout import cited_words

    for warning in report.warnings:
        front.out.print(Text(f"Warning: {warning.text}", style="bold yellow"), soft_wrap=True)
    table = Table(show_header=False, box=None, pad_edge=False)
    for document in report.documents:
        cited = [
            ": ".join(filter(None, (f"{letters} {claims}".rstrip(), passages)))
            for letters, claims, passages in cited_words(report, document)
        ]
        table.add_row(
            document.label,
            Text(format_publication(str(document.publication)), style="bold"),
            Text("\n".join(cited) or "no category"),
            Text(document.dates.label),
            Text(document.title),
        )
    front.out.print(table)
    if not report.documents:
        front.say("No document has a category or a confirmed passage in this case.")
    for chart in report.charts:
        disclosed = sum(1 for row in chart.rows if any(row.cells))
        front.say(
            f"Claim {chart.claim}: passages are confirmed for {disclosed} of "
            f"{plural(len(chart.rows), 'feature')}."
        )


def _print_strategy(front: Front, strategy: SearchStrategy) -> None:
    from claimlight.services.reports.layout import step_count, step_limits
    from claimlight.services.reports.strategy import rerun_words

    again = {item.label: item for item in strategy.reruns}
    table = Table(show_header=False, box=None, pad_edge=False)
    for step in strategy.steps:
        limits = step_limits(step)
        table.add_row(
            Text(step.label, style="bold"),
            Text(f"{step.created:%Y-%m-%d %H:%M}", style="dim"),
            Text(step_count(step), justify="right"),
            Text(f"{step.query}\n{limits}" if limits else step.query),
            Text(rerun_words(again[step.label]) if again else "", style="yellow"),
        )
    front.out.print(table)
    if not strategy.steps:
        front.say("No set has been recorded yet.")


def _say_written(front: Front, written: WrittenReport | None) -> None:
    if written is not None:
        for note in written.notes:
            front.say(note, style="yellow")
        front.say(f"Written: {written.path}")
