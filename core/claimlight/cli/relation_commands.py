"""``family`` and ``citations``: the family, filing history and citations of a document."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.commands import AsJson, LibraryPlace, front_of, load_settings, open_library
from claimlight.cli.front import plain
from claimlight.services.library import relations
from claimlight.services.library.documents import identify
from claimlight.text.kind_codes import explain_kind
from claimlight.types import CitationLink, CitationView, FamilyView, PatentSummary, plural, relation_words

FAMILY_SCHEMA = "claimlight.family.1"
CITATIONS_SCHEMA = "claimlight.citations.1"
Publication = Annotated[str, typer.Argument(help="Publication number, such as EP1000000A1.")]


def family_command(
    context: typer.Context,
    publication: Publication,
    library: LibraryPlace,
    representative: Annotated[
        str | None,
        typer.Option(
            "--representative",
            metavar="RULE",
            help="Member that represents the family: best, earliest, granted, or offices and languages in "
            "order of preference (EP,US,de); default: the setting search.representative.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the simple family of a document and its filing history."""
    front = front_of(context)
    chosen = load_settings(front).search.representative if representative is None else representative
    with open_library(library) as found:
        view = relations.family(found, identify(found, publication), representative=chosen)
    if as_json:
        front.line({"schema": FAMILY_SCHEMA, **plain(view)})
        return
    shared = "; ".join(
        " ".join(filter(None, (item.country, item.number, str(item.date or "")))) for item in view.priorities
    )
    front.say(f"Family {view.label}. Priorities of all members: {shared or 'none'}.")
    front.out.print(_members(view))


def citations_command(
    context: typer.Context, publication: Publication, library: LibraryPlace, as_json: AsJson = False
) -> None:
    """Show what a document cites and what cites it, with category and origin."""
    front = front_of(context)
    with open_library(library) as found:
        view = relations.citations(found, identify(found, publication))
    if as_json:
        front.line({"schema": CITATIONS_SCHEMA, **plain(view)})
        return
    for title, links in (("Cites", view.cites), ("Cited by", view.cited_by)):
        held = sum(link.patent is not None for link in links)
        front.say(f"{title} {plural(len(links), 'document')}, {held:,} in this library.")
    if view.cites or view.cited_by:
        front.out.print(_links(view))


def _members(view: FamilyView) -> Table:
    """The members, ``*`` before the representative, then the documents of the filing history."""
    table = Table(box=None, pad_edge=False)
    for name in ("", "document", "kind", "published", "filed", "priority", "language", "title"):
        table.add_column(name, no_wrap=name not in ("kind", "title"))
    for member in view.members:
        patent = member.patent
        table.add_row(
            "*" if member.representative else "",
            str(patent.publication),
            escape(member.kind.words),
            *_days(patent),
            patent.language,
            escape(patent.title),
        )
    for entry in view.history:
        other = entry.patent
        table.add_row(
            "",
            "",
            escape(relation_words(entry.related)),
            *(_days(other) if other else ("–", "–", "–")),
            other.language if other else "",
            escape(other.title) if other else "not in this library",
        )
    return table


def _links(view: CitationView) -> Table:
    """One table for both directions, so that a program can read it line by line."""
    table = Table(box=None, pad_edge=False)
    for name in ("", "document", "category", "origin", "claims", "published", "title"):
        table.add_column(name, no_wrap=name in ("", "document", "published"))
    directions = [("cites", link) for link in view.cites] + [("cited by", link) for link in view.cited_by]
    for direction, link in directions:
        number = str(link.publication) if link.publication else "other literature"
        words = link.patent.title if link.patent else link.text or _kind(link)
        place = f" ({link.passage})" if link.passage else ""
        table.add_row(
            direction,
            number,
            escape(link.category or "–"),
            link.origin.value,
            escape(link.claims or "–"),
            str(link.patent.published or "–") if link.patent else link.date or "–",
            escape(words + place) + ("" if link.patent else " [dim](not in this library)[/]"),
        )
    return table


def _kind(link: CitationLink) -> str:
    number = link.publication
    return explain_kind(number.country, number.kind).words if number and number.kind else ""


def _days(patent: PatentSummary) -> tuple[str, str, str]:
    return (str(patent.published or "–"), str(patent.filed or "–"), str(patent.priority or "–"))
