"""``query``: search with a query line; prints how it was read, counts and documents."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from claimlight.cli import set_render
from claimlight.cli.case_options import CaseNumber, case_book, find_case
from claimlight.cli.commands import (
    AsJson,
    LibraryPlace,
    front_of,
    load_settings,
    open_library,
    open_named_file,
    standard_text,
    to_day,
)
from claimlight.cli.front import Front, plain
from claimlight.cli.search_input import (
    AllDates,
    Before,
    Classes,
    Filed,
    NoPriority,
    PriorityDate,
    PriorityValid,
    Rules,
    WithoutFamily,
    date_limit,
    merge_dates,
    read_classes,
    read_publication,
)
from claimlight.errors import InputError, QueryError
from claimlight.services.search import queries
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.tasks import TaskContext
from claimlight.types import (
    Case,
    DefaultOperator,
    ParsedQuery,
    PatentSummary,
    QuerySet,
    SetRequest,
    SetResult,
    plural,
)

SCHEMA = "claimlight.set.1"


def query_command(
    context: typer.Context,
    line: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="Query line (docs/reference/query.md); - reads lines from standard input."
        ),
    ],
    library: LibraryPlace,
    case: CaseNumber = None,
    new_case: Annotated[
        str | None,
        typer.Option(
            "--new-case", metavar="NAME", help="Create a case with this name and record the set in it."
        ),
    ] = None,
    claims: Annotated[
        Path | None,
        typer.Option(
            "--claims", help="File with the claims whose features COVERS(F1) refers to; - for standard input."
        ),
    ] = None,
    claim: Annotated[int, typer.Option("--claim", help="Number of the claim in --claims.")] = 1,
    before: Before = None,
    all_dates: AllDates = False,
    filed: Filed = None,
    priority: PriorityDate = None,
    priority_valid: PriorityValid = False,
    no_priority: NoPriority = False,
    rules: Rules = None,
    classes: Classes = None,
    exclude_family_of: WithoutFamily = None,
    default_operator: Annotated[
        DefaultOperator,
        typer.Option("--default-operator", help="Operator between two words without one."),
    ] = DefaultOperator.AND,
    depth: Annotated[
        int,
        typer.Option("--depth", min=1, help="Maximum number of documents that a semantic operator finds."),
    ] = 1000,
    top: Annotated[int, typer.Option("--top", min=0, help="How many documents to list; 0: all.")] = 20,
    count: Annotated[
        bool,
        typer.Option(
            "--count", help="Only show how the line is read and how many documents match each term."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search with a query line; --case records the result as the next set of the case.

    A line combines words with fields, truncation and proximity, classes, dates and numbers, sets of the
    case (L1 AND L2) and semantic operators (~"text", LIKE(EP1000000A1), COVERS(F3)): docs/reference/query.md.
    """
    front = front_of(context)
    settings = load_settings(front)
    if case is not None and new_case is not None:
        raise typer.BadParameter("Give --case or --new-case, not both.")
    lines = _lines(front, line)
    faults = 0
    with open_library(library) as found, ExitStack() as stack, front.working() as task:
        book = stack.enter_context(case_book()) if case is not None or new_case is not None else None
        chosen = find_case(book, case) if book is not None and new_case is None else None
        examined = _read_application(front, claims, task)
        reference = merge_dates(
            examined.dates if examined is not None else chosen.dates if chosen is not None else None,
            filed=to_day(filed),
            priority=to_day(priority),
            valid=priority_valid,
            none=no_priority,
            rules=rules,
        )
        request = SetRequest(
            expression="",
            query=queries.query_from_claims(examined.claims, claim) if examined is not None else None,
            before=date_limit(before, all_dates=all_dates),
            exclude_family_of=read_publication(exclude_family_of),
            default_operator=default_operator,
            depth=depth,
            reference=reference,
            claim=claim,
            classes=read_classes(classes),
        )
        searcher = SetSearch(found, settings, SearchEngine.open(found, settings))
        for expression in lines:
            asked = replace(request, expression=expression)
            # Read again for each line, which may name the set of the line before.
            sets = {item.number: item for item in book.sets(chosen.id)} if book is not None and chosen else {}
            try:
                if count:
                    parsed = searcher.parse(expression, sets, default_operator, query=asked.query)
                    _print_parsed(front, parsed, as_json=as_json)
                    continue
                result = searcher.run(asked, sets, task)
            except QueryError as error:
                _point(front, expression, error.column)
                if line != "-":
                    raise
                front.fail(error)
                faults += 1
                continue
            record: QuerySet | None = None
            if book is not None:
                chosen = chosen or book.create_case(new_case or "")
                record = book.record_set(chosen.id, result)
            shown = searcher.summaries(result.patents[: top or None])
            _print_result(front, _Answer(result, shown, chosen, record), as_json=as_json)
    if faults:
        raise InputError(f"{faults:,} of {plural(len(lines), 'line')} could not be read.")


def _lines(front: Front, line: str) -> list[str]:
    """The line itself, or for ``-`` the lines of standard input."""
    if line != "-":
        return [line]
    return [text for text in standard_text(front).split("\n") if text.strip()]


@dataclass(frozen=True, slots=True)
class _Answer:
    """A set, those of its documents that are printed, and where it was recorded."""

    result: SetResult
    shown: tuple[PatentSummary, ...]
    case: Case | None
    record: QuerySet | None


def _read_application(front: Front, claims: Path | None, task: TaskContext) -> queries.Application | None:
    if claims is None:
        return None
    with open_named_file(front, claims) as path:
        return queries.read_application(path, task)


def _point(front: Front, line: str, column: int) -> None:
    """Mark the column of the line where something is wrong."""
    if column and line.strip():
        front.say(f"{line}\n{' ' * (column - 1)}^")


def _print_parsed(front: Front, parsed: ParsedQuery, *, as_json: bool) -> None:
    if as_json or front.events:
        front.line({"event": "parsed", "schema": SCHEMA, "parsed": plain(parsed)})
    else:
        set_render.print_parsed(front.out, parsed)


def _print_result(front: Front, answer: _Answer, *, as_json: bool) -> None:
    result, record = answer.result, answer.record
    if as_json or front.events:
        front.line(_body(answer))
        return
    set_render.print_parsed(front.out, result.parsed)
    front.out.print()
    set_render.print_set(front.out, result, answer.shown)
    if answer.case is not None and record is not None:
        front.say(f"{record.label} of case {answer.case.id} ({answer.case.name}).")


def _body(answer: _Answer) -> dict[str, Any]:
    """What ``--json`` prints; see docs/reference/json.md."""
    result, record = answer.result, answer.record
    scores = result.scores or (None,) * len(result.patents)
    by_id = dict(zip(result.patents, scores, strict=True))
    return {
        "event": "set",
        "schema": SCHEMA,
        "set": record.label if record else None,
        "case": int(answer.case.id) if answer.case else None,
        "request": plain(result.request),
        "parsed": plain(result.parsed),
        "documents": len(result.patents),
        "hits": [
            {"patent": plain(item), "score": by_id[item.id], **set_render.date_fields(result.request, item)}
            for item in answer.shown
        ],
        "hidden": plain(result.hidden),
        "cause": result.cause,
        "notes": list(result.notes),
        "times": plain(result.times),
        "provenance": plain(result.provenance),
    }
