"""Options that say what to search for, and for which dates.

`claimlight.services.search.search_input` reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from claimlight.cli.commands import open_named_file, standard_text, to_day
from claimlight.cli.front import Front
from claimlight.errors import InputError
from claimlight.services.library.library import Library
from claimlight.services.search import search_input
from claimlight.services.search.class_filter import read_class_filter
from claimlight.services.search.search_input import SearchInput
from claimlight.tasks import TaskContext
from claimlight.types import SEARCH_RANKERS, ClassFilter, PublicationNumber, Ranker, ReferenceDates, RuleSet

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
        help="Search for the claims of this document of the library.",
    ),
]
ClaimNumber = Annotated[
    int | None,
    typer.Option(
        "--claim",
        rich_help_panel=_WHAT,
        help="Number of the claim; default: the first. The claims it depends on are included.",
    ),
]
WithoutFamily = Annotated[
    str | None,
    typer.Option("--exclude-family-of", metavar="PUBLICATION", help="Leave out the family of this document."),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class",
        metavar="SYMBOL",
        help="Only documents with this class or one below it: B62K, B62K25/04, IPC=B62K25/04. Several "
        "options: documents with at least one of the classes.",
        show_default=False,
    ),
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
        help="The priority is valid; without this option it counts as unverified.",
    ),
]
NoPriority = Annotated[
    bool,
    typer.Option(
        "--no-priority", rich_help_panel=_DATES, help="The claim enjoys no priority: the filing date counts."
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
ALL_RANKERS = ",".join(SEARCH_RANKERS)
Rankers = Annotated[
    str,
    typer.Option(
        "--rankers", metavar="RANKER,...", help="Rankers to combine: bm25, dense, centers, plugin:NAME."
    ),
]
FormerRankers = Annotated[
    str | None, typer.Option("--legs", metavar="RANKER,...", hidden=True, help="Former name of --rankers.")
]
"""The name of ``--rankers`` in version 0.1."""


def read_input(
    front: Front,
    library: Library,
    context: TaskContext,
    *,
    claims: Path | None,
    text: str | None,
    like: str | None,
    claim: int | None,
) -> SearchInput:
    """Read the claim or text to search for, from exactly one of ``claims``, ``text`` and ``like``.

    ``-`` for a file or text is standard input.
    """
    if text == "-":
        text = standard_text(front)
    if text is not None:
        return search_input.input_from_text(text, claim)
    if claims is not None:
        with open_named_file(front, claims) as path:
            return search_input.input_from_file(library, path, claim, context)
    assert like is not None
    return search_input.input_from_document(library, like, claim)


def merge_dates(
    proposed: ReferenceDates | None,
    *,
    filed: date | None,
    priority: date | None,
    valid: bool = False,
    none: bool = False,
    rules: RuleSet | None = None,
) -> ReferenceDates | None:
    """The dates of a file, document or case, changed by options."""
    if none and (valid or priority is not None):
        raise typer.BadParameter("Give --no-priority, or --priority and --priority-valid, not both.")
    return search_input.merge_dates(
        proposed, filed=filed, priority=priority, valid=valid, none=none, rules=rules
    )


def read_publication(text: str | None) -> PublicationNumber | None:
    """Parse a publication number; anything else is a wrong command line."""
    try:
        return search_input.read_publication(text)
    except InputError as error:
        raise typer.BadParameter(str(error)) from error


def read_classes(texts: Sequence[str] | None) -> tuple[ClassFilter, ...]:
    """The classes of ``--class``; what is no symbol is a wrong command line."""
    try:
        return tuple(dict.fromkeys(read_class_filter(text) for text in texts or ()))
    except InputError as error:
        raise typer.BadParameter(f"--class: {error}") from error


def date_limit(before: datetime | None, *, all_dates: bool) -> date | None:
    """The date limit in force; None with ``--all-dates``."""
    return None if all_dates else to_day(before)


def parse_rankers(text: str) -> tuple[Ranker, ...]:
    """The rankers named in ``--rankers``; an unknown one is a wrong command line."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    try:
        return tuple(Ranker(name) for name in dict.fromkeys(names))
    except ValueError as error:
        known = ", ".join((*(ranker.value for ranker in Ranker), "plugin:NAME"))
        wrong = next(name for name in names if not _is_ranker(name))
        raise typer.BadParameter(f"--rankers: {wrong!r} is not one of {known}.") from error


def _is_ranker(name: str) -> bool:
    try:
        return bool(Ranker(name))
    except ValueError:
        return False
