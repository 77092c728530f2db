"""Writes reports and search strategies as files: whole or not at all, and over no file unless asked to."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from claimlight import files
from claimlight.codec import encode
from claimlight.errors import InputError, ResourceError
from claimlight.services.reports.layout import Layout, lay_out_report, lay_out_strategy
from claimlight.types import (
    Report,
    ReportFormat,
    ReportKind,
    SearchStrategy,
    StrategyFormat,
    WrittenReport,
)

STRATEGY_SCHEMA = "claimlight.strategy.1"
"""``$id`` of ``docs/schemas/strategy.schema.json``."""


def report_format(path: Path) -> ReportFormat:
    """The format of a report by the extension of its file."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in list(ReportFormat):
        raise InputError(_endings(path, [item.value for item in ReportFormat]))
    return ReportFormat(ending)


def strategy_format(path: Path) -> StrategyFormat:
    """The format of a search strategy by the extension of its file."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in list(StrategyFormat):
        raise InputError(_endings(path, [item.value for item in StrategyFormat]))
    return StrategyFormat(ending)


def kind_for(kind: ReportKind | None, written_as: ReportFormat) -> ReportKind:
    """What is written if a kind was chosen, or none; `InputError` if the format can't hold it.

    CSV is one table: the claim chart, or the cited documents. XML is a search report.
    """
    if written_as is ReportFormat.XML:
        if kind is ReportKind.CHART:
            raise InputError("XML is the format of search reports: write a claim chart as DOCX, PDF or CSV.")
        return ReportKind.SEARCH_REPORT
    if written_as is ReportFormat.CSV:
        return ReportKind.CHART if kind in (None, ReportKind.WHOLE) else kind
    return kind or ReportKind.WHOLE


def write_report(
    report: Report, path: Path, *, kind: ReportKind | None = None, replace: bool = False
) -> WrittenReport:
    """Write a report in the format that the file name says.

    `InputError` for an unknown extension, and for a file that exists unless ``replace`` is given.
    """
    written_as = report_format(path)
    kind = kind_for(kind, written_as)
    _check_free(path, replace=replace)
    notes: tuple[str, ...] = ()
    match written_as:
        case ReportFormat.CSV:
            from claimlight.services.reports.csv_writer import write_chart_csv, write_citations_csv

            body = write_chart_csv(report) if kind is ReportKind.CHART else write_citations_csv(report)
        case ReportFormat.XML:
            from claimlight.services.reports.xml_writer import write_search_report_xml

            body = write_search_report_xml(report)
        case ReportFormat.DOCX | ReportFormat.PDF:
            body, notes = _pages(
                lay_out_report(report, kind), report.made, as_pdf=written_as is ReportFormat.PDF
            )
    _put(path, body, replace=replace)
    return WrittenReport(str(path), notes)


def write_strategy(strategy: SearchStrategy, path: Path, *, replace: bool = False) -> WrittenReport:
    """Write a search strategy, by the same rules as `write_report`."""
    written_as = strategy_format(path)
    _check_free(path, replace=replace)
    notes: tuple[str, ...] = ()
    match written_as:
        case StrategyFormat.CSV:
            from claimlight.services.reports.csv_writer import write_strategy_csv

            body = write_strategy_csv(strategy)
        case StrategyFormat.JSON:
            body = (json.dumps(strategy_json(strategy), ensure_ascii=False, indent=2) + "\n").encode()
        case StrategyFormat.DOCX | StrategyFormat.PDF:
            body, notes = _pages(
                lay_out_strategy(strategy), strategy.made, as_pdf=written_as is StrategyFormat.PDF
            )
    _put(path, body, replace=replace)
    return WrittenReport(str(path), notes)


def strategy_json(strategy: SearchStrategy) -> dict[str, Any]:
    """A search strategy as an object of JSON (`STRATEGY_SCHEMA`)."""
    return {"schema": STRATEGY_SCHEMA, **json.loads(encode(strategy))}


def _pages(layout: Layout, made: datetime, *, as_pdf: bool) -> tuple[bytes, tuple[str, ...]]:
    # Imported here: each takes a moment, and few runs write a report.
    if as_pdf:
        from claimlight.services.reports.pdf_writer import write_pdf

        return write_pdf(layout)
    from claimlight.services.reports.docx_writer import write_docx

    return write_docx(layout, made), ()


def _check_free(path: Path, *, replace: bool) -> None:
    if path.exists() and not replace:
        raise InputError(f"{path} exists already and was not changed: name another file, or replace it.")


def _put(path: Path, body: bytes, *, replace: bool) -> None:
    # Again: laying out takes a while, in which the file may have appeared.
    _check_free(path, replace=replace)
    try:
        files.write_atomically(path, body, files.Access.AS_BEFORE)
    except OSError as error:
        reason = "the disk is full" if files.is_full(error) else error.strerror or str(error)
        raise ResourceError(f"{path} could not be written: {reason}.") from error


def _endings(path: Path, known: list[str]) -> str:
    listed = ", ".join(f".{item}" for item in known)
    return f"{path} has no known extension: end the file name in one of {listed}."
