"""``cases claims``: the claims of a case, their versions, and what differs between two of them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from claimlight.cli.case_options import case_book
from claimlight.cli.cases_command import Number
from claimlight.cli.commands import AsJson, front_of, open_named_file
from claimlight.cli.front import Front, plain
from claimlight.errors import InputError
from claimlight.types import CaseId, Change, ClaimComparison, numbered_text

if TYPE_CHECKING:
    from claimlight.types import Case

_MARKS = {Change.SAME: ("", ""), Change.INSERTED: ("{+", "+}"), Change.DELETED: ("[-", "-]")}
_STYLES = {Change.SAME: "", Change.INSERTED: "green underline", Change.DELETED: "red strike"}


def claims_command(
    context: typer.Context,
    number: Number,
    versions: Annotated[
        bool, typer.Option("--versions", help="List the versions instead of the claims.")
    ] = False,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            metavar="VERSION",
            help="Compare a version with the one searched, or with a second --compare; by its name or its "
            "place from 1.",
            show_default=False,
        ),
    ] = None,
    add: Annotated[
        Path | None,
        typer.Option(
            "--add",
            metavar="FILE",
            help="Add the claims of a file (XML of an office, or plain text) as an amended version, which is "
            "searched from now on.",
            show_default=False,
        ),
    ] = None,
    use: Annotated[
        str,
        typer.Option("--use", metavar="VERSION", help="Search this version from now on.", show_default=False),
    ] = "",
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name of the added version.", show_default=False)
    ] = "",
    day: Annotated[
        datetime | None,
        typer.Option(
            "--day",
            formats=["%Y-%m-%d"],
            metavar="DATE",
            help="When the added version was filed.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the claims of a case; add an amended version, choose the one that is searched, compare two."""
    from claimlight.services.cases.claim_versions import compare_claims, find_version, versions_of
    from claimlight.services.search.queries import claims_of_text

    front, given = front_of(context), compare or []
    if len(given) > 2:
        raise InputError("Two versions can be compared; give --compare once or twice.")
    with case_book() as book:
        case = book.case(CaseId(number))
        if add is not None:
            text = _read_claims(front, add)
            case = book.add_version(case.id, text, name=name, day=day.date() if day is not None else None)
        if use:
            case = book.use_version(case.id, use)
    known = versions_of(case)
    if given:
        first = find_version(case, given[0])
        second = find_version(case, given[1]) if len(given) > 1 else known[case.version]
        found = compare_claims(claims_of_text(first.text), claims_of_text(second.text))
        if as_json:
            front.line(
                {
                    "schema": "claimlight.claims.1",
                    "case": number,
                    "first": first.label,
                    "second": second.label,
                    "claims": [_comparison(item) for item in found],
                }
            )
            return
        front.say(f"{first.label} → {second.label}")
        for item in found:
            _print_comparison(front, item)
        return
    if as_json:
        listed = [
            {**plain(item), "searched": place == case.version, "claims": len(claims_of_text(item.text))}
            for place, item in enumerate(known)
        ]
        front.line({"schema": "claimlight.claims.1", "case": number, "versions": listed})
        return
    if versions:
        _print_versions(front, case)
        return
    front.out.print(Text(case.application or "This case has no claims."), soft_wrap=True)


def _print_versions(front: Front, case: Case) -> None:
    from claimlight.services.cases.claim_versions import versions_of
    from claimlight.services.search.queries import claims_of_text

    table = Table(show_header=False, box=None, pad_edge=False)
    for place, item in enumerate(versions_of(case)):
        count = len(claims_of_text(item.text))
        searched = "searched" if place == case.version else ""
        table.add_row(str(place + 1), Text(item.label), f"{count} claim{'s' * (count != 1)}", searched)
    front.out.print(table)


def _read_claims(front: Front, file: Path) -> str:
    """The claims of a file as numbered text, read as the window reads them."""
    from claimlight.services.search.queries import read_application

    with front.working() as task, open_named_file(front, file) as path:
        found = read_application(path, task)
    if not found.claims:
        raise InputError(f"{file} has no claims.")
    return numbered_text(found.claims)


def _comparison(item: ClaimComparison) -> dict[str, object]:
    return {
        "old": item.old,
        "new": item.new,
        "change": item.change.value,
        "inserted": item.count(Change.INSERTED),
        "deleted": item.count(Change.DELETED),
        "pieces": plain(item.pieces),
    }


def _print_comparison(front: Front, item: ClaimComparison) -> None:
    number = item.new if item.new is not None else item.old
    name = f"Claim {item.old} → {item.new}" if item.renumbered else f"Claim {number}"
    words = {Change.SAME: "unchanged", Change.INSERTED: "new", Change.DELETED: "deleted"}
    line = Text(f"{name}: {words.get(item.change, 'changed')}", style="bold")
    if item.change is not Change.SAME:
        line.append("\n")
        for piece in item.pieces:
            before, after = _MARKS[piece.change]
            text = piece.text.rstrip()
            line.append(f"{before}{text}{after}", style=f"not bold {_STYLES[piece.change]}".strip())
            line.append(" " * (len(piece.text) > len(text)))
    front.out.print(line, soft_wrap=True)
