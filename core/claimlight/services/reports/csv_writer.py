"""Claim charts, cited documents and search strategies as CSV, one table to a file."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from claimlight.services.library.export_files import harmless
from claimlight.services.reports.layout import day_text, passage_words
from claimlight.services.reports.strategy import rerun_words
from claimlight.types import (
    CitedPassage,
    Report,
    ReportDocument,
    SearchStrategy,
    cite_passage,
    format_publication,
)

_CHART = (
    "claim",
    "feature",
    "text",
    "wording",
    "document",
    "publication",
    "category",
    "published",
    "date_status",
    "citation",
    "passage",
    "comment",
)
_CITATIONS = (
    "claim",
    "independent",
    "relevant_date",
    "category",
    "document",
    "publication",
    "title",
    "applicants",
    "published",
    "filed",
    "priority",
    "date_status",
    "passages",
    "note",
)
_STRATEGY = (
    "set",
    "date",
    "query",
    "parsed",
    "claim",
    "features",
    "documents",
    "best",
    "published_before",
    "classes",
    "without_family_of",
    "library",
    "library_documents",
    "model",
    "index",
    "notes",
    "version",
)
_RERUN = ("documents_now", "new", "no_longer_found", "changed")


def write_chart_csv(report: Report) -> bytes:
    """One row for each confirmed passage of a feature, and one for each feature without any."""
    rows: list[list[str]] = []
    for chart in report.charts:
        letters = report.letters(chart.claim)
        for row in chart.rows:
            head = [str(chart.claim), row.label, row.text, "earlier" if row.earlier else "current"]
            found = [
                [
                    *head,
                    *_document(report.document(name), letters.get(name, "")),
                    *_passage(report, name, item),
                ]
                for name, cell in zip(chart.documents, row.cells, strict=True)
                for item in cell
            ]
            rows += found or [head + [""] * (len(_CHART) - len(head))]
    return _table(_CHART, rows)


def write_citations_csv(report: Report) -> bytes:
    """One row for each document cited for a claim, and one for each claim without any."""
    rows: list[list[str]] = []
    for claim in report.claims:
        head = [str(claim.number or ""), "yes" if claim.independent else "no", day_text(claim.relevant)]
        for item in claim.citations:
            document = report.document(item.document)
            rows.append(
                [
                    *head,
                    item.letters,
                    document.label,
                    format_publication(str(document.publication)),
                    document.title,
                    "; ".join(document.applicants),
                    *(map(day_text, (document.published, document.filed, document.priority))),
                    item.dates.label,
                    passage_words(item.passages),
                    item.note,
                ]
            )
        if not claim.citations:
            rows.append(head + [""] * (len(_CITATIONS) - len(head)))
    return _table(_CITATIONS, rows)


def write_strategy_csv(strategy: SearchStrategy) -> bytes:
    """One row for each set; with re-runs also what has changed."""
    again = {item.label: item for item in strategy.reruns}
    rows: list[list[str]] = []
    for step in strategy.steps:
        row = [
            step.label,
            step.created.isoformat(timespec="seconds"),
            step.query,
            step.parsed,
            str(step.claim or ""),
            "; ".join(step.features),
            str(step.documents),
            "yes" if step.best else "no",
            day_text(step.before),
            " or ".join(map(str, step.classes)),
            str(step.without_family_of or ""),
            step.library,
            str(step.library_documents),
            step.model,
            step.index,
            " ".join(step.notes),
            step.version,
        ]
        if again:
            now = again[step.label]
            row += [str(now.documents), str(now.added), str(now.missing), rerun_words(now)]
        rows.append(row)
    return _table([*_STRATEGY, *(_RERUN if again else ())], rows)


def _document(document: ReportDocument, letters: str) -> list[str]:
    return [
        document.label,
        format_publication(str(document.publication)),
        letters,
        day_text(document.published),
        document.dates.label,
    ]


def _passage(report: Report, name: str, item: CitedPassage) -> list[str]:
    cited = cite_passage(report.document(name).publication, item.label)
    return [cited, " ".join(item.text.split()), item.comment]


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """RFC 4180 in UTF-8, with the byte order mark by which spreadsheets recognise UTF-8."""
    stream = StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(columns)
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return codecs.BOM_UTF8 + stream.getvalue().encode()
