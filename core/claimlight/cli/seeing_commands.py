"""``library map`` and ``library statistics``: the documents of a library at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.case_options import CaseNumber, documents_of_set, set_number
from claimlight.cli.commands import AsJson, LibraryFolder, LibraryPlace, front_of, open_library
from claimlight.cli.front import plain
from claimlight.files import Access, write_atomically
from claimlight.services.library.counting import MOST, counts_table, within_set
from claimlight.types import CountBy, DocumentStatistics, plural

SCHEMA = "claimlight.statistics.1"
_MARK = "utf-8-sig"
"""With the mark at the beginning spreadsheets read the file as UTF-8."""
_SUFFIXES = (".csv", ".svg", ".png")


def map_command(
    context: typer.Context,
    library: LibraryFolder,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="File to write: .csv, .svg or .png.")],
    again: Annotated[
        bool,
        typer.Option("--again", help="Lay out all documents again, also those that have a place already."),
    ] = False,
) -> None:
    """Draw the documents of a library on a plane, those with near vectors near each other.

    The map is made from the index and kept in it. Documents that are indexed later are placed among the
    others, which stay where they are, until they are a fifth of all.
    """
    from claimlight.services.maps.drawing import map_png, map_svg, map_table
    from claimlight.services.maps.library_map import map_library

    front = front_of(context)
    suffix = out.suffix.lower()
    if suffix not in _SUFFIXES:
        raise typer.BadParameter(f"{out.name}: the name must end in .csv, .svg or .png.", param_hint="--out")
    with open_library(library) as opened, front.working() as task:
        found = map_library(opened, task, again=again)
    if suffix == ".csv":
        body = map_table(found).encode(_MARK)
    else:
        body = map_svg(found).encode() if suffix == ".svg" else map_png(found)
    write_atomically(out, body, Access.AS_BEFORE)
    front.say(f"{plural(len(found.points), 'document')} on the map; written: {out}.")
    if found.waiting:
        front.say(f"{plural(found.waiting, 'document')} not indexed yet: run `claimlight index`.")
    if found.note:
        front.say(found.note, style="yellow")


def statistics_command(
    context: typer.Context,
    library: LibraryPlace,
    by: Annotated[CountBy, typer.Option("--by", help="What the documents are counted by.")],
    label: Annotated[
        str,
        typer.Option(
            "--set", metavar="SET", help="Only the documents of this set, such as L3.", show_default=False
        ),
    ] = "",
    case: CaseNumber = None,
    top: Annotated[
        int, typer.Option("--top", min=0, help="How many values to list; 0: all. Years are all listed.")
    ] = MOST,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the counts as CSV.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count the documents of a library, or of a set, by year, office, subclass or applicant.

    A document counts once for each of its classes and applicants, so shares may add up to more than 100 %.
    Without --case the set is one of the case worked on last.
    """
    from claimlight.services.classes.counts import choose_scheme
    from claimlight.services.classes.schemes import Schemes
    from claimlight.services.classes.statistics import count_subclasses
    from claimlight.services.library.counting import count_documents

    front = front_of(context)
    with open_library(library) as opened, front.working() as task:
        patents = documents_of_set(opened, case, label) if label else None
        if by is CountBy.CLASS:
            scheme = choose_scheme(opened)
            found = count_subclasses(opened, Schemes(), task, scheme=scheme, patents=patents, top=top)
        else:
            found = count_documents(opened, by, task, patents=patents, top=top)
    if label:
        found = within_set(found, f"L{set_number(label)}")
    if out is not None:
        write_atomically(out, counts_table(found).encode(_MARK), Access.AS_BEFORE)
    if as_json:
        front.line({"schema": SCHEMA, **plain(found)})
        return
    if out is None:
        front.out.print(_table(found))
    front.say(_summary(found) if out is None else f"{_summary(found)} Written: {out}.")


def _table(found: DocumentStatistics) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(found.by.value)
    for name in ("documents", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    titled = found.by is CountBy.CLASS
    if titled:
        table.add_column("title")
    for each in found.counts:
        row = (escape(each.name), f"{each.documents:,}", f"{100 * each.share:.1f} %")
        table.add_row(*row, *((escape(each.title),) if titled else ()))
    return table


def _summary(found: DocumentStatistics) -> str:
    told = f"{plural(found.documents, 'document')}, {found.known:,} of them with {_WITH[found.by]}."
    return f"{told} {found.others:,} more not listed (--top 0 lists all)." if found.others else told


_WITH = {
    CountBy.YEAR: "a publication date",
    CountBy.OFFICE: "an office",
    CountBy.CLASS: "a class",
    CountBy.APPLICANT: "an applicant",
}
