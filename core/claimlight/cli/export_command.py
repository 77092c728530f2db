"""``export``: write a set or the whole library as a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from claimlight.cli.case_options import CaseNumber, case_book, find_case, find_set
from claimlight.cli.commands import STANDARD_INPUT, LibraryPlace, front_of, load_settings, open_library
from claimlight.cli.front import Front
from claimlight.services.library.library import Library
from claimlight.types import ExportKind, PatentId, QuerySet, plural


def export_command(
    context: typer.Context,
    library: LibraryPlace,
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="FILE", help="File to write: .csv, .jsonl or .parquet; - for standard output."
        ),
    ],
    label: Annotated[
        str,
        typer.Option(
            "--set", metavar="SET", help="Export this set of the case, such as L3.", show_default=False
        ),
    ] = "",
    case: CaseNumber = None,
    everything: Annotated[bool, typer.Option("--all", help="Export every document of the library.")] = False,
    written_as: Annotated[
        ExportKind | None,
        typer.Option(
            "--format", help="Format; default: by the file name extension, csv for standard output."
        ),
    ] = None,
    with_text: Annotated[
        bool,
        typer.Option(
            "--with-text",
            help="Add a column with title, abstract and claims; in CSV also claims and description.",
        ),
    ] = False,
    front_page: Annotated[
        bool,
        typer.Option(
            "--front-page",
            help="Leave out claims and description, which JSON lines and Parquet include otherwise.",
        ),
    ] = False,
) -> None:
    """Export the documents of a set, or all, as CSV, JSON lines or Parquet (docs/reference/export.md)."""
    from claimlight.services.library.export import export, kind_of

    front = front_of(context)
    if bool(label) == everything:
        raise typer.BadParameter("Give one of --set L1 and --all.")
    kind = written_as or (ExportKind.CSV if to == STANDARD_INPUT else kind_of(to))
    record = _record(label, case) if label else None
    with open_library(library) as found, front.working() as task:
        patents = None if record is None else _members(front, found, record)
        target = sys.stdout.buffer if to == STANDARD_INPUT else to
        rows = export(found, patents, target, kind=kind, context=task, text=with_text, front_page=front_page)
    if to == STANDARD_INPUT:
        sys.stdout.flush()
        return
    if front.events:
        front.line({"event": "exported", "path": str(to), "kind": kind.value, "rows": rows})
    front.say(f"Wrote {plural(rows, 'document')} to {to}.")


def _record(label: str, number: int | None) -> QuerySet:
    with case_book() as book:
        case = find_case(book, number)
        return find_set(book.sets(case.id), label, case)


def _members(front: Front, library: Library, record: QuerySet) -> tuple[PatentId, ...]:
    """The documents of a set that this library holds, in the order of the set."""
    from claimlight.services.search.search import SearchEngine
    from claimlight.services.sets.sets import SetSearch

    settings = load_settings(front)
    found = SetSearch(library, settings, SearchEngine.open(library, settings)).patents(record)
    held = tuple(patent for patent in found if patent is not None)
    if len(held) < len(found):
        gone = len(found) - len(held)
        front.say(
            f"{gone:,} of the {plural(len(found), 'document')} of {record.label} "
            f"{'is' if gone == 1 else 'are'} not in {library.name} and left out.",
            style="yellow",
        )
    return held
