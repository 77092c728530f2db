"""``search``: rank the documents of a library for a claim, a text or a document, with evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from claimlight.cli import render
from claimlight.cli.case_options import case_book, find_case
from claimlight.cli.commands import AsJson, LibraryPlace, front_of, load_settings, open_library, to_day
from claimlight.cli.front import plain
from claimlight.cli.search_input import (
    ALL_RANKERS,
    AllDates,
    Before,
    ClaimNumber,
    ClaimsFile,
    ClaimText,
    Classes,
    Filed,
    FormerRankers,
    LikeDocument,
    NoPriority,
    PriorityDate,
    PriorityValid,
    Rankers,
    Rules,
    WithoutFamily,
    date_limit,
    merge_dates,
    parse_rankers,
    read_classes,
    read_input,
    read_publication,
)
from claimlight.services.search.feedback import make_feedback
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.types import TOP

SCHEMA = "claimlight.search.2"


def search_command(
    context: typer.Context,
    library: LibraryPlace,
    claims: ClaimsFile = None,
    text: ClaimText = None,
    like: LikeDocument = None,
    claim: ClaimNumber = None,
    before: Before = None,
    all_dates: AllDates = False,
    filed: Filed = None,
    priority: PriorityDate = None,
    priority_valid: PriorityValid = False,
    no_priority: NoPriority = False,
    rules: Rules = None,
    classes: Classes = None,
    exclude_family_of: WithoutFamily = None,
    keep_own_family: Annotated[
        bool,
        typer.Option(
            "--keep-own-family",
            help="Keep the own family of --like or of an XML file; it is left out otherwise.",
        ),
    ] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="How many documents to list.")] = TOP,
    marks: Annotated[
        int | None,
        typer.Option(
            "--marks",
            metavar="CASE",
            min=1,
            help="Rank with the marks of a case for this claim: documents marked X or Y and confirmed "
            "passages pull, documents marked 0 push.",
            show_default=False,
        ),
    ] = None,
    rankers: Rankers = ALL_RANKERS,
    legs: FormerRankers = None,
    as_json: AsJson = False,
) -> None:
    """Search a library and show which terms of the claim match which terms of each document.

    The exit code is 1 if no ranker could search, as when the servers of a shared library are gone.
    """
    front = front_of(context)
    settings = load_settings(front)
    if sum(source is not None for source in (claims, text, like)) != 1:
        raise typer.BadParameter("Give exactly one of --claims, --text or --like.")
    ways = parse_rankers(legs or rankers)
    with open_library(library) as found, front.working() as task:
        asked = read_input(front, found, task, claims=claims, text=text, like=like, claim=claim)
        request = claim_search(
            asked.query,
            claim=asked.claim,
            dates=merge_dates(
                asked.dates,
                filed=to_day(filed),
                priority=to_day(priority),
                valid=priority_valid,
                none=no_priority,
                rules=rules,
            ),
            before=date_limit(before, all_dates=all_dates),
            own_family=read_publication(exclude_family_of) or (None if keep_own_family else asked.own),
            legs=ways,
            top=top,
            classes=read_classes(classes),
        )
        if marks is not None:
            with case_book() as book:
                case = find_case(book, marks)
                given = make_feedback(book.marks(case.id), book.confirmations(case.id), claim=asked.claim)
            request = replace(request, feedback=given)
        results = SearchEngine.open(found, settings).run(
            request, task, reading=settings.search.reading_seconds
        )
    if as_json or front.events:
        front.line({"event": "results", "schema": SCHEMA, **plain(results)})
    else:
        render.print_results(front.out, results)
    if not results.answered:
        raise typer.Exit(1)
