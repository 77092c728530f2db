"""What a search on the command line asks about: the claim, its own family, its dates, and their law."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from claimlight.cli.commands import day, named_file, standard_text
from claimlight.cli.front import Front
from claimlight.errors import InputError
from claimlight.services import queries
from claimlight.services.library import Library
from claimlight.store.numbers import parse_publication
from claimlight.tasks import TaskContext
from claimlight.types import PublicationNumber, Query, ReferenceDates, RuleSet

_DAY = ["%Y-%m-%d"]
_DATES = "Dates"
_WHAT = "What to search for"

ClaimsFile = Annotated[
    Path | None,
    typer.Option(
        "--claims",
        rich_help_panel=_WHAT,
        help="File with the claims: plain text, or XML of a patent office; - for standard input.",
    ),
]
ClaimText = Annotated[
    str | None,
    typer.Option("--text", rich_help_panel=_WHAT, help="The claim or text itself; - for standard input."),
]
LikeDocument = Annotated[
    str | None,
    typer.Option(
        "--like",
        metavar="PUBLICATION",
        rich_help_panel=_WHAT,
        help="Take the claims of this document of the library.",
    ),
]
ClaimNumber = Annotated[
    int | None,
    typer.Option(
        "--claim",
        rich_help_panel=_WHAT,
        help="Which claim; default: the first. The claims it depends on are included.",
    ),
]
WithoutFamily = Annotated[
    str | None,
    typer.Option("--exclude-family-of", metavar="PUBLICATION", help="Leave out the family of this document."),
]
Filed = Annotated[
    datetime | None,
    typer.Option(
        "--filed",
        formats=_DAY,
        rich_help_panel=_DATES,
        help="Filing date of the application; default: as in its file or document.",
    ),
]
PriorityDate = Annotated[
    datetime | None,
    typer.Option(
        "--priority",
        formats=_DAY,
        rich_help_panel=_DATES,
        help="Earliest priority date of the application; default: as in its file or document.",
    ),
]
PriorityValid = Annotated[
    bool,
    typer.Option(
        "--priority-valid",
        rich_help_panel=_DATES,
        help="The priority is valid; without this it counts as unverified.",
    ),
]
NoPriority = Annotated[
    bool,
    typer.Option(
        "--no-priority", rich_help_panel=_DATES, help="The claim has no priority: the filing date counts."
    ),
]
Rules = Annotated[
    RuleSet | None,
    typer.Option(
        "--rules",
        rich_help_panel=_DATES,
        help="Law for the date status: epc, or us (AIA); default: epc.",
        show_default=False,
    ),
]
Before = Annotated[
    datetime | None,
    typer.Option(
        "--before",
        formats=_DAY,
        rich_help_panel=_DATES,
        help="Only documents published before this day; also hides P and E documents.",
    ),
]
AllDates = Annotated[
    bool, typer.Option("--all-dates", rich_help_panel=_DATES, help="Also show what --before hides.")
]


@dataclass(frozen=True, slots=True)
class Asked:
    """The claim that is searched and the application it is of."""

    query: Query
    claim: int
    """Its number; 0 where the text is no claim."""
    own: PublicationNumber | None = None
    """The document whose family is left out unless somebody says otherwise."""
    dates: ReferenceDates | None = None
    """As its source gives them, nothing verified."""


def asked_of(
    front: Front,
    library: Library,
    context: TaskContext,
    *,
    claims: Path | None,
    text: str | None,
    like: str | None,
    claim: int | None,
) -> Asked:
    """What is asked about, from exactly one of a file, a text and a document of the library.

    ``-`` for a file or text is standard input.
    """
    if text == "-":
        text = standard_text(front)
    if text is not None:
        numbers = [item.number for item in queries.claims_of_text(text)]
        return Asked(queries.query_from_text(text, claim), claim or min(numbers, default=0))
    if claims is not None:
        with named_file(front, claims) as path:
            examined = queries.examined_of_file(path, context)
        own = queries.own_family(library, examined)
        query = queries.query_from_claims(examined.claims, claim)
    else:
        assert like is not None
        examined = queries.examined_of_document(library, like)
        own = examined.publication
        query = queries.query_from_document(library, like, claim)
    number = claim or min((item.number for item in examined.claims), default=0)
    return Asked(query, number, own, examined.dates)


def reference_of(
    proposed: ReferenceDates | None,
    *,
    filed: date | None,
    priority: date | None,
    valid: bool = False,
    none: bool = False,
    rules: RuleSet | None = None,
) -> ReferenceDates | None:
    """The dates of a source, or of a case, as options change them; a priority after the filing is a slip."""
    if none and (valid or priority is not None):
        raise typer.BadParameter("Give --no-priority, or --priority and --priority-valid, not both.")
    given = filed is not None or priority is not None or valid or none
    base = proposed or ReferenceDates()
    filed, priority = filed or base.filed, priority or base.priority
    if filed is not None and priority is not None and priority > filed:
        raise InputError(f"--priority {priority} lies after --filed {filed}; a priority is the earlier day.")
    if filed is None and priority is None:
        return None
    return replace(
        base,
        filed=filed,
        priority=None if none else priority,
        verified=valid or (base.verified and priority == base.priority and not none),
        rules=rules or base.rules,
        confirmed=given or base.confirmed,
    )


def publication(text: str | None) -> PublicationNumber | None:
    """A publication number as it was written; a wrong command line for what is none."""
    if text is None:
        return None
    number = parse_publication(text)
    if number is None:
        raise typer.BadParameter(
            f"{text!r} is no publication number; write it as EP1000000A1 or US 9,000,000 B2."
        )
    return number


def limit(before: datetime | None, *, all_dates: bool) -> date | None:
    """The date limit that is applied."""
    return None if all_dates else day(before)
