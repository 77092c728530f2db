"""``import``, ``index`` and ``library …``: fill a library, show and check it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.commands import (
    STANDARD_INPUT,
    AsJson,
    ColumnsFile,
    LibraryFolder,
    LibraryPlace,
    front_of,
    load_settings,
    open_library,
    standard_text,
)
from claimlight.cli.drawings_command import DrawingsAt, DrawingsChoice, keep_command, tell_kept
from claimlight.cli.front import Front, plain
from claimlight.cli.import_report import imports_command
from claimlight.cli.index_command import run_index
from claimlight.cli.login_commands import login_command, logout_command
from claimlight.cli.seeing_commands import map_command, statistics_command
from claimlight.errors import InputError
from claimlight.index.lock import is_being_written
from claimlight.services.drawings.keeping import keep_imported
from claimlight.services.indexing import maintenance
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library.library import import_paths, remove_documents
from claimlight.services.library.sharding import Shard
from claimlight.services.sharing.state import describe_encryption, read_info
from claimlight.types import ImportReport, IndexDepth, LibraryInfo, Source, name_of, plural

library_app = typer.Typer(
    no_args_is_help=True,
    help="Show, map, count, check and clean up a library; list its imports and quarantined documents.",
)
library_app.command("drawings")(keep_command)
library_app.command("imports")(imports_command)
library_app.command("login")(login_command)
library_app.command("logout")(logout_command)
library_app.command("map")(map_command)
library_app.command("statistics")(statistics_command)


def import_command(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Patent files, archives and folders; - reads their names from standard input, one per line.",
        ),
    ],
    library: LibraryFolder,
    index: Annotated[bool, typer.Option("--index", help="Index the documents after the import.")] = False,
    columns: ColumnsFile = None,
    drawings: DrawingsChoice = None,
    shard: Annotated[
        str,
        typer.Option(
            "--shard",
            metavar="N/M",
            help="Import only share N of M of the files: each of M computers imports and pushes one.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """Import patent files into a library; a new library is created if there is none.

    Importing a file again adds nothing twice. To resume a stopped import, run the command again.
    """
    front = front_of(context)
    settings = load_settings(front)
    share = Shard.parse(shard) if shard else None
    if STANDARD_INPUT in files:
        named = standard_text(front).split("\n")
        files = [*(path for path in files if path != STANDARD_INPUT), *(Path(line) for line in named if line)]
    for path in files:
        if not path.exists():
            raise InputError(f"There is no file or folder {path}.")
    with open_library(library, create=True) as found:
        with front.working() as task:
            report = import_paths(found, files, task, settings, columns=columns, shard=share)
            how = settings.imports.drawings if drawings is None else drawings.value
            kept = keep_imported(found, files, task) if how == DrawingsAt.KEEP.value else None
        front.report(report)
        tell_import(front, report)
        if kept is not None:
            tell_kept(front, kept)
        if index:
            run_index(front, library)


def tell_import(front: Front, report: ImportReport) -> None:
    """Print what an import did, and what to do about the rest."""
    aside = len(report.quarantined)
    parts = (
        (report.merged, f"{report.merged:,} merged with a fuller or newer record"),
        (report.reread, f"{report.reread:,} read again with a newer reader"),
        (report.unchanged, f"{report.unchanged:,} already in the library"),
        (
            report.skipped,
            f"{report.skipped:,} skipped (not patents)",
        ),
        (aside, f"{aside:,} quarantined (could not be read)"),
    )
    done = ", ".join(
        (f"{plural(report.taken, 'document')} imported", *(text for many, text in parts if many))
    )
    front.say(f"{done}; {plural(report.files, 'file')} in {report.seconds:.1f} s.")
    if report.files and not (report.taken or report.merged or report.reread or report.unchanged or aside):
        front.say(
            "No patent was found. Supported formats: docs/reference/formats.md; for other tables: --columns."
        )
    if report.differing:
        front.say(_differing(report))
    if report.quarantined:
        front.say("`claimlight library quarantine` lists the quarantined documents with the reasons.")


def _differing(report: ImportReport) -> str:
    """Records of one publication that differ, each with its file and position."""
    lines = [
        f"{plural(report.differing, 'record differs', 'records differ')} from another record of the same "
        "publication; of each part the fuller one was kept:"
    ]
    for item in report.differences[:_SHOWN_DIFFERENCES]:
        parts = ", ".join(item.parts)
        lines.append(f"  {item.publication}: {parts}; {place_of(item.record)} and {place_of(item.held)}")
    if report.differing > _SHOWN_DIFFERENCES:
        lines.append(f"  and {report.differing - _SHOWN_DIFFERENCES:,} more")
    return "\n".join(lines)


def place_of(source: Source) -> str:
    """File and position of a record."""
    member = f" › {source.member}" if source.member else ""
    return f"{Path(source.path).name}{member}, document {source.ordinal + 1}"


_SHOWN_DIFFERENCES = 20
"""Number of differing records that are listed."""


@library_app.command("info")
def info_command(context: typer.Context, library: LibraryPlace, as_json: AsJson = False) -> None:
    """Show the size and state of a library; of a shared one, its servers and how they answer too."""
    front = front_of(context)
    with open_library(library) as found:
        info = read_info(found)
    if as_json:
        front.line(plain(info))
    else:
        front.out.print(_info_table(info))


def _describe_index(info: LibraryInfo) -> str:
    """How many documents are indexed, and whether indexing is running; uncommitted ones do not count."""
    done = plural(info.indexed_documents, "document") if info.generation else "none"
    if info.indexing:
        done = f"{done if info.indexed_documents else 'nothing yet'}; indexing is running"
    elif info.waiting:
        done += f"; {info.waiting:,} waiting: run `claimlight index`"
    if info.claims_only:
        done += f"; {info.full_text:,} in full text, {info.claims_only:,} by title, abstract and claims only"
    return done + (f" ({info.textless:,} without text)" if info.textless else "")


def _info_table(info: LibraryInfo) -> Table:
    def several(items: tuple[tuple[object, int], ...], many: int = 8) -> str:
        shown = ", ".join(f"{name} {count:,}" for name, count in items[:many])
        return shown + (" …" if len(items) > many else "")

    years = sorted(info.years)
    languages = tuple((name_of(code) or "unknown", count) for code, count in info.languages)
    rows = {
        **_places(info),
        "documents": f"{info.documents:,} in {plural(info.families, 'family', 'families')}",
        "passages": f"{info.passages:,}",
        "indexed": _describe_index(info),
        "generation": info.generation or "–",
        "model": info.encoder or "–",
        "offices": several(info.offices) or "–",
        "languages": several(languages) or "–",
        "years": f"{years[0][0]} to {years[-1][0]}" if years else "–",
        "classes": several(info.classes) or "–",
        "quarantined": f"{info.quarantined:,}",
        "on disk": f"{info.bytes / (1 << 20):,.1f} MB",
    }
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in rows.items():
        table.add_row(f"[bold]{name}[/]", escape(value))
    return table


def _places(info: LibraryInfo) -> dict[str, str]:
    """Where a library is; of a shared one, what its servers are and how they answer."""
    shared = info.shared
    if shared is None:
        return {"folder": info.folder + (" (read-only)" if info.read_only else "")}
    name = shared.engine or "the database itself"
    engine = f"{name}, answered in {1000 * shared.engine_seconds:.0f} ms"
    return {
        "address": info.folder,
        "database": f"{shared.database}, answered in {1000 * shared.database_seconds:.0f} ms",
        "engine": shared.engine_fault or engine,
        "user": shared.user,
        "connection": describe_encryption(shared),
        **({"notes": " ".join(shared.notes)} if shared.notes else {}),
    }


@library_app.command("remove")
def remove_command(
    context: typer.Context,
    publications: Annotated[
        list[str], typer.Argument(metavar="PUBLICATION", help="Publication numbers, such as EP1000000A1.")
    ],
    library: LibraryFolder,
) -> None:
    """Remove documents from a library and its index.

    Importing their files again restores them. If one of them is not in the library, nothing is removed.
    Categories, notes and sets of cases stay.
    """
    front = front_of(context)
    with open_library(library) as found:
        removed = remove_documents(found, publications)
        indexed = bool(found.info().generation)
    front.say(f"Removed: {', '.join(map(str, removed))}.")
    if indexed:
        if is_being_written(index_folder(library)):
            front.say("The index is being written; the next indexing removes them from it.")
            return
        # Their descriptions may be left out on purpose, and would take hours.
        run_index(front, library, depth=IndexDepth.CLAIMS)


@library_app.command("verify")
def verify_command(context: typer.Context, library: LibraryFolder) -> None:
    """Check a library and its index, byte by byte, against their checksums."""
    front = front_of(context)
    with open_library(library) as found, front.working() as task:
        checked = maintenance.verify(found, task)
    for line in checked:
        front.out.print(escape(line))


@library_app.command("quarantine")
def quarantine_command(context: typer.Context, library: LibraryFolder, as_json: AsJson = False) -> None:
    """List the quarantined documents: file, position, and why they could not be read."""
    front = front_of(context)
    with open_library(library) as found:
        items = found.quarantined()
    if as_json:
        front.line({"quarantined": plain(items)})
        return
    for item in items:
        source = item.source
        place = (
            f"{source.path}{' · ' + source.member if source.member else ''}, document {source.ordinal + 1}"
        )
        line = f", line {item.line}" if item.line else ""
        front.out.print(f"[bold]{escape(place)}{line}[/]\n    {escape(item.reason)}", soft_wrap=True)
    if not items:
        front.say("No document is quarantined.")
