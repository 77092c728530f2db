"""Reports and strategies as headings, paragraphs and tables, for the writers of DOCX and PDF."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from claimlight.services.reports.strategy import rerun_words
from claimlight.types import (
    CitedPassage,
    ClaimChart,
    Report,
    ReportClaim,
    ReportDocument,
    ReportKind,
    RuleSet,
    SearchStrategy,
    StepRerun,
    StrategyStep,
    cite_runs,
    format_publication,
    format_related_number,
    plural,
)

CHART_DOCUMENTS = 3
"""Documents beside each other in a table of a claim chart; more make further tables."""
_UNFIT = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML, and so DOCX, can't contain."""
_LONG = 700
"""Characters of a claim search in a table; JSON has all."""
LAWS = {RuleSet.EPC: "European Patent Convention", RuleSet.US: "America Invents Act (35 USC)"}


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one appearance; a newline begins a line."""

    text: str
    bold: bool = False


Cell = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 0 is the title of the document."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Lines:
    """Names and values below each other."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose header is repeated on every page; widths are shares of the width of the page."""

    columns: tuple[str, ...]
    widths: tuple[float, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block = Heading | Lines | Text | Table


@dataclass(frozen=True, slots=True)
class Layout:
    """A document to be written."""

    title: str
    footer: str
    blocks: tuple[Block, ...]


def clean(text: str) -> str:
    """The text without characters that XML can't contain."""
    return _UNFIT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def lay_out_report(report: Report, kind: ReportKind) -> Layout:
    """The parts of a report that its kind names."""
    blocks: list[Block] = []
    if kind is not ReportKind.CHART:
        blocks += [*_head(report, "Search report"), *_search_report(report)]
    if kind is not ReportKind.SEARCH_REPORT:
        if kind is ReportKind.CHART:
            blocks += _head(report, "Claim chart")
        blocks += _charts(report)
        blocks += _chart_documents(report) if kind is ReportKind.CHART else []
    if kind is not ReportKind.CHART:
        blocks += _strategy(report.strategy)
    title = "Claim chart" if kind is ReportKind.CHART else "Search report"
    return Layout(f"{title}: {report.name}", _footer(report.case, report.name), tuple(blocks))


def lay_out_strategy(strategy: SearchStrategy) -> Layout:
    """A search strategy by itself."""
    head: list[Block] = [
        Heading("Search strategy", 0),
        Lines((("Case", f"{strategy.case}  {strategy.name}"), ("Date", day_text(strategy.made.date())))),
    ]
    blocks = (*head, *_strategy(strategy, heading=False))
    return Layout(f"Search strategy: {strategy.name}", _footer(strategy.case, strategy.name), blocks)


def day_text(day: date | None) -> str:
    """A day in ISO 8601; empty for None."""
    return day.isoformat() if day is not None else ""


def claim_ranges(numbers: Iterable[int]) -> str:
    """``1-3, 5`` for 1, 2, 3 and 5."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def passage_words(passages: Sequence[CitedPassage]) -> str:
    """``[0042] (F1, F3); claim 2 (F2)``."""
    merged: dict[str, dict[str, None]] = {}
    for item in passages:
        merged.setdefault(item.label, {}).update(dict.fromkeys(item.features))
    return "; ".join(
        f"{label} ({', '.join(features)})" if any(features) else label for label, features in merged.items()
    )


def application_number(report: Report) -> str:
    """The application as offices write it."""
    about = report.application
    if about.application is not None:
        return format_related_number(about.application, about.filed)
    return format_publication(str(about.publication)) if about.publication is not None else ""


def priority_words(report: Report) -> str:
    """The priority date and whether it is verified."""
    about = report.application
    if about.priority is None:
        return "none claimed" if about.filed is not None else ""
    return f"{about.priority.isoformat()} ({'verified' if about.verified else 'not verified'})"


def step_limits(step: StrategyStep) -> str:
    """What a search was restricted to, and the version of the claims that it searched."""
    parts = [
        f"published before {day_text(step.before)}" if step.before is not None else "",
        f"only classes {' or '.join(map(str, step.classes))}" if step.classes else "",
        f"without the family of {format_publication(str(step.without_family_of))}"
        if step.without_family_of is not None
        else "",
        f"claims {step.version}" if step.version else "",
    ]
    return "; ".join(filter(None, parts))


def step_origin(step: StrategyStep) -> str:
    """Library, model and index of a search."""
    parts = [
        f"{Path(step.library).name} ({plural(step.library_documents, 'document')})",
        f"model {step.model}" if step.model else "",
        f"index {step.index}" if step.index else "",
    ]
    return "\n".join(filter(None, parts))


def step_count(step: StrategyStep) -> str:
    """``312``, or ``best 50`` for a claim search that listed as many as it lists."""
    return f"{'best ' if step.best else ''}{step.documents:,}"


def _footer(case: int, name: str) -> str:
    return f"Case {case}: {name}"


def _head(report: Report, title: str) -> list[Block]:
    about = report.application
    pairs = (
        ("Case", f"{report.case}  {report.name}"),
        ("Application", application_number(report)),
        ("Publication", format_publication(str(about.publication)) if about.application is not None else ""),
        ("Title", about.title),
        ("Applicant", about.applicant),
        ("Filed", day_text(about.filed)),
        ("Earliest priority", priority_words(report)),
        ("Relevant date", day_text(about.relevant)),
        ("Law", LAWS[about.rules]),
        ("Claims", about.version),
        ("Date of this report", day_text(report.made.date())),
        ("Notes", report.notes),
    )
    return [Heading(title, 0), Lines(tuple((name, value) for name, value in pairs if value))]


def _search_report(report: Report) -> Iterator[Block]:
    yield Heading("Documents considered relevant")
    if rows := tuple(_cited_documents(report)):
        columns = ("Category, claims", "Document", "Relevant passages", "Date status")
        yield Table(columns, (0.13, 0.43, 0.29, 0.15), rows)
    else:
        yield Text("No document has a category.")
    yield Heading("Claims")
    yield Table(
        ("Claim", "Relevant date", "Cited documents"),
        (0.3, 0.14, 0.56),
        tuple(
            (plain(_claim_name(item)), plain(day_text(item.relevant)), _citations(report, item))
            for item in report.claims
        ),
    )
    yield Heading("Fields searched")
    accepted = [f"{item}" + (f"  {item.title}" if item.title else "") for item in report.fields.accepted]
    yield Lines(
        (
            ("Classes of the application", "\n".join(accepted) or "none accepted"),
            ("Searches restricted to", "\n".join(map(str, report.fields.restricted)) or "no class"),
        )
    )


def cited_words(report: Report, document: ReportDocument) -> list[tuple[str, str, str]]:
    """Letters, claims and passages of a document: ``X``, ``1-3, 7``, ``[0042]-[0045], claim 1``."""
    cited = report.citations_of(document)
    found = []
    for letters in dict.fromkeys(item.letters for _, item in cited):
        own = [(number, item) for number, item in cited if item.letters == letters]
        labels = [passage.label for _, item in own for passage in item.passages]
        found.append((letters, claim_ranges(number for number, _ in own if number), cite_runs(labels)))
    return found


def _cited_documents(report: Report) -> Iterator[tuple[Cell, ...]]:
    """A row for each document with a category: its claims by category, its passages once."""
    for document in report.documents:
        cited = report.citations_of(document)
        if not cited:
            continue
        runs: list[Run] = []
        for letters in dict.fromkeys(item.letters for _, item in cited):
            claims = claim_ranges(number for number, item in cited if number and item.letters == letters)
            runs.append(Run(("\n" if runs else "") + letters, bold=True))
            runs.append(Run(f"  {claims}"))
        passages = list(dict.fromkeys(passage for _, item in cited for passage in item.passages))
        statuses = dict.fromkeys(item.dates.label for _, item in cited if item.dates.label)
        yield (
            tuple(runs),
            _document(document, label=True),
            plain(passage_words(passages)),
            plain("; ".join(statuses)),
        )


def _document(document: ReportDocument, *, label: bool) -> Cell:
    printed = format_publication(str(document.publication))
    name = f"{document.label}  {printed}" if label else printed
    return (Run(f"{name}\n", bold=True), Run(_about(document)))


def _about(document: ReportDocument) -> str:
    if not document.held:
        return "\n".join(("not in the library", *(f"Note: {note}" for note in document.notes)))
    dates = ", ".join(
        f"{name} {day.isoformat()}"
        for name, day in (
            ("published", document.published),
            ("filed", document.filed),
            ("priority", document.priority),
        )
        if day is not None
    )
    tags = f"Tags: {', '.join(document.tags)}" if document.tags else ""
    notes = (f"Note: {note}" for note in document.notes)
    parts = (document.title, "; ".join(document.applicants or document.inventors), dates, tags, *notes)
    return "\n".join(filter(None, parts))


def _claim_name(claim: ReportClaim) -> str:
    if not claim.number:
        return "Whole application"
    if claim.independent:
        return f"{claim.number}, independent"
    return f"{claim.number}, dependent on {claim_ranges(claim.parents)}"


def _citations(report: Report, claim: ReportClaim) -> Cell:
    if not claim.citations:
        return plain("–")
    runs: list[Run] = []
    for item in claim.citations:
        document = report.document(item.document)
        passages = passage_words(item.passages)
        runs.append(Run(("\n" if runs else "") + f"{item.letters}  ", bold=True))
        name = f"{item.document} {format_publication(str(document.publication))}"
        parts = (name, passages, item.dates.label, item.note)
        runs.append(Run(", ".join(filter(None, parts))))
    return tuple(runs)


def _charts(report: Report) -> Iterator[Block]:
    if not report.charts:
        yield Heading("Claim chart")
        yield Text("No passage is confirmed.")
    for chart in report.charts:
        yield Heading(f"Claim chart, claim {chart.claim}" if chart.claim else "Claim chart")
        for start in range(0, len(chart.documents), CHART_DOCUMENTS):
            yield _chart(report, chart, range(start, min(start + CHART_DOCUMENTS, len(chart.documents))))


def _chart(report: Report, chart: ClaimChart, places: range) -> Table:
    letters = report.letters(chart.claim)
    names = [chart.documents[place] for place in places]
    heads = [
        f"{name}  {format_publication(str(report.document(name).publication))}"
        + (f"  ({letters[name]})" if name in letters else "")
        for name in names
    ]
    width = 0.75 / len(names)
    rows = tuple(
        (
            (
                Run(f"{row.label}  ", bold=True),
                Run(f"{row.text}\n(earlier wording)" if row.earlier else row.text),
            ),
            *(_chart_cell(row.cells[place]) for place in places),
        )
        for row in chart.rows
    )
    return Table(("Feature", *heads), (0.25, *(width for _ in names)), rows)


def _chart_cell(passages: tuple[CitedPassage, ...]) -> Cell:
    if not passages:
        return plain("–")
    runs: list[Run] = []
    for item in passages:
        comment = f"\n({item.comment})" if item.comment else ""
        runs.append(Run(("\n" if runs else "") + f"{item.label}  ", bold=True))
        runs.append(Run(f"{' '.join(item.text.split())}{comment}"))
    return tuple(runs)


def _chart_documents(report: Report) -> Iterator[Block]:
    named = {name for chart in report.charts for name in chart.documents}
    rows = tuple(
        (
            plain(item.label),
            _document(item, label=False),
            plain(item.dates.label),
        )
        for item in report.documents
        if item.label in named
    )
    if rows:
        yield Heading("Documents")
        yield Table(("", "Document", "Date status"), (0.08, 0.7, 0.22), rows)


def _strategy(strategy: SearchStrategy, *, heading: bool = True) -> Iterator[Block]:
    if heading:
        yield Heading("Search strategy")
    if not strategy.steps:
        yield Text("No search is recorded.")
        return
    again = {item.label: item for item in strategy.reruns}
    columns: tuple[str, ...] = ("Set", "Date", "Query", "Documents", "Library, model, index")
    widths: tuple[float, ...] = (0.05, 0.13, 0.5, 0.1, 0.22)
    if again:
        columns, widths = (*columns, "Now"), (0.05, 0.11, 0.34, 0.1, 0.18, 0.22)
    rows = tuple(_step(step, again.get(step.label)) for step in strategy.steps)
    yield Table(columns, widths, rows)


def _step(step: StrategyStep, rerun: StepRerun | None) -> tuple[Cell, ...]:
    query = step.query if len(step.query) <= _LONG else f"{step.query[: _LONG - 1]}…"
    limits = step_limits(step)
    cells = (
        plain(step.label),
        plain(f"{step.created:%Y-%m-%d %H:%M}"),
        plain("\n".join(filter(None, (query, limits)))),
        plain(step_count(step)),
        plain(step_origin(step)),
    )
    if rerun is None:
        return cells
    found = rerun_words(rerun)
    return (*cells, plain(found if rerun.fault else f"{rerun.documents:,}\n{found}"))


def plain(text: str) -> Cell:
    """A cell of one appearance."""
    return (Run(text),)
