"""Query lines and numbered sets for the terminal: how a line was read, counts, documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claimlight.cli.front import plain
from claimlight.cli.render import status_legend
from claimlight.services.search.date_words import hidden_text
from claimlight.services.search.dates import find_status
from claimlight.types import (
    DateFinding,
    ParsedQuery,
    PatentSummary,
    QuerySet,
    SearchRequest,
    SetRequest,
    SetRerun,
    SetResult,
    TermCount,
    plural,
)

_TERMS = 200
"""Number of terms listed: a table of thousands takes longer than the search."""
_LINE = 60
"""Characters of a claim shown in a list."""


def print_parsed(console: Console, parsed: ParsedQuery) -> None:
    """Print the line with every operator, and each term with its documents and words."""
    console.print(Text(parsed.canonical, style="bold"), soft_wrap=True)
    console.print(Text(f"default operator {parsed.default_operator.value}", style="dim"))
    table = Table(show_header=False, box=None, pad_edge=False)
    for term in parsed.terms[:_TERMS]:
        table.add_row(
            Text(f"{term.column:>3}", style="dim"),
            Text(term.text, style="cyan"),
            Text(plural(term.documents, "document"), justify="right"),
            Text(_words(term), style="dim"),
        )
    console.print(table)
    if len(parsed.terms) > _TERMS:
        console.print(
            Text(f"and {plural(len(parsed.terms) - _TERMS, 'more term')} (--json lists all)", style="dim")
        )


def _words(term: TermCount) -> str:
    if not term.words:
        return term.rule
    more = " …" if term.words > len(term.examples) else ""
    return f"{plural(term.words, 'word')}: {', '.join(term.examples)}{more}"


def print_set(console: Console, result: SetResult, shown: Sequence[PatentSummary]) -> None:
    """Print notes, documents and footer of the answer to a line."""
    for note in result.notes:
        console.print(Text(f"Note: {note}", style="bold yellow"))
    if not result.patents:
        console.print(Text(f"Nothing found. {result.cause}".rstrip()))
    elif hidden := hidden_text(result.hidden):
        console.print(Text(f"{hidden}; --all-dates shows them.", style="bold yellow"))
    found = [_finding(result.request, patent) for patent in shown]
    print_rows(console, shown, result.scores, found)
    for line in status_legend(found):
        console.print(line)
    seconds = sum(stage.seconds for stage in result.times)
    origin = result.provenance
    stages = ", ".join(f"{stage.stage} {stage.seconds * 1000:.0f}" for stage in result.times)
    text = (
        f"{len(result.patents):,} of {plural(origin.documents, 'document')} in {seconds:.2f} s ({stages} ms)"
    )
    if origin.generation:
        text += f"; index {origin.generation}, model {origin.encoder} on {origin.device}"
    console.print(Text(text, style="dim"))


def _finding(request: SetRequest, patent: PatentSummary) -> DateFinding:
    return find_status(request.reference, patent, request.claim) if request.reference else DateFinding()


def date_fields(request: SetRequest, patent: PatentSummary) -> dict[str, Any]:
    """The date status of a document, for JSON."""
    found = _finding(request, patent)
    return {"zone": plain(found.zone), "dates": plain(found)}


def print_rows(
    console: Console, shown: Sequence[PatentSummary], scores: Sequence[float], found: Sequence[DateFinding]
) -> None:
    """One line a document."""
    for rank, patent in enumerate(shown, 1):
        text = Text(f"{rank:>4}  ")
        text.append(str(patent.publication), style="bold")
        text.append(f"  {patent.published or 'undated'}  ", style="dim")
        if found[rank - 1].label:
            text.append(f"[{found[rank - 1].label}]  ", style="bold")
        if scores:
            text.append(f"{scores[rank - 1]:.4f}  ", style="dim")
        text.append(patent.title)
        if patent.applicant:
            text.append(f"  ({patent.applicant})", style="dim")
        console.print(text, soft_wrap=True)


def print_sets(console: Console, sets: Sequence[QuerySet]) -> None:
    """The list of sets of a case."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for item in sets:
        table.add_row(
            Text(item.label, style="bold"),
            Text(_documents(len(item.hits)), justify="right"),
            Text(item.created.strftime("%Y-%m-%d %H:%M"), style="dim"),
            Text(describe_request(item)),
        )
    console.print(table)


def _documents(count: int) -> str:
    return plural(count, "document") if count else "nothing found"


def describe_request(item: QuerySet) -> str:
    """The line or claim that a set was searched with, on one line."""
    request = item.request
    if isinstance(request, SetRequest):
        return request.expression
    text = " ".join(request.query.text.split())
    claim = f"claim {request.claim}" if request.claim else "claim"
    only = f", only {', '.join(request.only)}" if request.only else ""
    only += f" over {request.over}" if request.over is not None else ""
    return f"{claim} search{only}: {text[:_LINE]}{' …' if len(text) > _LINE else ''}"


def print_record(console: Console, item: QuerySet, rows: int) -> None:
    """Print a set as it was recorded."""
    console.print(Text(f"{item.label}  {describe_request(item)}", style="bold"), soft_wrap=True)
    if item.parsed is not None:
        print_parsed(console, item.parsed)
    for name, value in _facts(item):
        console.print(Text(f"{name:>12}  {value}", style="dim"), soft_wrap=True)
    for note in item.notes:
        console.print(Text(f"Note: {note}", style="bold yellow"))
    for rank, hit in enumerate(item.hits[:rows], 1):
        score = f"  {hit.score:.4f}" if hit.score else ""
        console.print(Text(f"{rank:>4}  {hit.publication}{score}"))
    console.print(Text(_documents(len(item.hits)), style="dim"))


def _facts(item: QuerySet) -> list[tuple[str, object]]:
    origin = item.provenance
    request: SearchRequest | SetRequest = item.request
    facts = [
        ("recorded", item.created.isoformat(timespec="seconds")),
        ("before", request.before),
        ("without", request.exclude_family_of),
        ("only classes", ", ".join(map(str, request.classes))),
        ("library", f"{origin.library}, {plural(origin.documents, 'document')}"),
        ("index", origin.generation),
        ("model", origin.encoder),
        ("parameters", ", ".join(f"{name} {value}" for name, value in origin.parameters if value)),
    ]
    return [(name, value) for name, value in facts if value]


def print_rerun(console: Console, item: QuerySet, rerun: SetRerun) -> None:
    """Print whether a set still has the same documents, and what has changed."""
    if rerun.equal:
        same = "the same document" if len(item.hits) == 1 else f"the same {len(item.hits):,} documents"
        order = " in the same order" if len(item.hits) > 1 else ""
        console.print(Text(f"{item.label}: {same}{order}.", style="green"))
    else:
        order = "" if rerun.added or rerun.missing else "; the same documents in another order"
        counts = f"{plural(rerun.added, 'document')} more and {rerun.missing:,} fewer than recorded"
        console.print(Text(f"{item.label}: {counts}{order}.", style="bold yellow"))
    for sentence in rerun.differences:
        console.print(Text(f"  {sentence}"), soft_wrap=True)
