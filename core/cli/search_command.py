"""``search``: a claim, a text or a document in, ranked documents with their evidence out."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from core.cli import render
from core.cli.commands import AsJson, LibraryFolder, day, front_of, load_settings, opened
from core.cli.front import plain
from core.errors import InputError
from core.services import queries
from core.services.library import Library
from core.services.search import SearchEngine
from core.store.numbers import parse_publication
from core.tasks import TaskContext
from core.types import Leg, PublicationNumber, Query, ReferenceDates, SearchRequest

SCHEMA = "claimlight.search.2"


def search_command(
    context: typer.Context,
    library: LibraryFolder,
    claims: Annotated[
        Path | None, typer.Option("--claims", help="File with claims: plain text, or an office's XML.")
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="The claim or text itself.")] = None,
    like: Annotated[
        str | None, typer.Option("--like", metavar="PUBLICATION", help="A document of the library.")
    ] = None,
    claim: Annotated[
        int | None,
        typer.Option("--claim", help="Which claim, the first by default; those it depends on are included."),
    ] = None,
    before: Annotated[
        datetime | None,
        typer.Option("--before", formats=["%Y-%m-%d"], help="Only documents published before this day."),
    ] = None,
    filed: Annotated[
        datetime | None,
        typer.Option(
            "--filed", formats=["%Y-%m-%d"], help="Filing date of the application: every hit gets its zone."
        ),
    ] = None,
    priority: Annotated[
        datetime | None,
        typer.Option(
            "--priority", formats=["%Y-%m-%d"], help="Its earliest priority date, where it has one."
        ),
    ] = None,
    exclude_family_of: Annotated[
        str | None,
        typer.Option("--exclude-family-of", metavar="PUBLICATION", help="Leave this family out."),
    ] = None,
    keep_own_family: Annotated[
        bool,
        typer.Option("--keep-own-family", help="Do not leave out the family of --like or of an XML file."),
    ] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="How many documents.")] = 10,
    legs: Annotated[
        str, typer.Option("--legs", help="Ways of ranking to be fused, separated by commas.")
    ] = "bm25,dense,centers",
    as_json: AsJson = False,
) -> None:
    """Search a library and show which words of the claim met which words of each document."""
    front = front_of(context)
    settings = load_settings(front)
    if sum(source is not None for source in (claims, text, like)) != 1:
        raise typer.BadParameter("Give one of --claims FILE, --text TEXT and --like PUBLICATION.")
    ways = _legs(legs)
    with opened(library) as found, front.working() as task:
        query, own = asked_query(found, task, claims=claims, text=text, like=like, claim=claim)
        request = SearchRequest(
            query=query,
            before=day(before),
            exclude_family_of=publication(exclude_family_of) or (None if keep_own_family else own),
            top=top,
            legs=ways,
            reference=_reference(day(filed), day(priority)),
            claim=claim or 0,
        )
        results = SearchEngine.open(found, settings).run(request, task)
    if as_json or front.events:
        front.line({"event": "results", "schema": SCHEMA, **plain(results)})
    else:
        render.print_results(front.out, results)


def asked_query(
    library: Library,
    context: TaskContext,
    *,
    claims: Path | None,
    text: str | None,
    like: str | None,
    claim: int | None,
) -> tuple[Query, PublicationNumber | None]:
    """The query, and the document whose family is left out unless somebody says otherwise."""
    if claims is not None:
        examined = queries.examined_of_file(claims, context)
        return queries.query_from_claims(examined.claims, claim), queries.own_family(library, examined)
    if text is not None:
        return queries.query_from_text(text, claim), None
    assert like is not None
    return queries.query_from_document(library, like, claim), parse_publication(like)


def _reference(filed: date | None, priority: date | None) -> ReferenceDates | None:
    """The dates of the application; a priority after the filing is a slip of the pen."""
    if filed is None and priority is None:
        return None
    if filed is not None and priority is not None and priority > filed:
        raise InputError(f"--priority {priority} lies after --filed {filed}; a priority is the earlier day.")
    return ReferenceDates(filed=filed, priority=priority)


def _legs(text: str) -> tuple[Leg, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [leg.value for leg in Leg]
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"--legs: {name!r} is none of {', '.join(known)}.")
    return tuple(Leg(name) for name in dict.fromkeys(names))


def publication(text: str | None) -> PublicationNumber | None:
    if text is None:
        return None
    number = parse_publication(text)
    if number is None:
        raise InputError(f"{text!r} is no publication number; write it as EP1000000A1 or US 9,000,000 B2.")
    return number
