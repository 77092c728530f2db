"""``classes …``: editions of CPC and IPC: import, list, show, search, expand, count, compare, remove."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from claimlight.cli import classes_render
from claimlight.cli.case_options import CaseNumber, documents_of_set, set_number
from claimlight.cli.commands import AsJson, LibraryPlace, front_of, open_library
from claimlight.cli.front import plain
from claimlight.errors import InputError
from claimlight.services.classes.counts import choose_scheme
from claimlight.services.classes.schemes import Schemes
from claimlight.services.classes.statistics import MOST, count_at_level, within_set
from claimlight.types import ClassLevel, EditionReport, Scheme

SCHEMA = "claimlight.classes.1"

classes_app = typer.Typer(no_args_is_help=True, help="Look up, search and import the classes of CPC and IPC.")


class Kind(StrEnum):
    """The schemes that can be imported."""

    CPC = "cpc"
    IPC = "ipc"


KindOption = Annotated[
    Kind | None,
    typer.Option("--kind", help="The scheme; default: the CPC, then the IPC.", show_default=False),
]
OneKind = Annotated[Kind, typer.Option("--kind", help="The scheme.")]
VersionOption = Annotated[
    str,
    typer.Option(
        "--version", metavar="YYYY.MM", help="Imported version; default: the newest.", show_default=False
    ),
]
Symbol = Annotated[
    list[str],
    typer.Argument(
        metavar="SYMBOL", help="A symbol in any spelling, such as B62K25/04, B62K 25/04 or B62K0025040000."
    ),
]
Symbols = Annotated[
    list[str],
    typer.Argument(
        metavar="SYMBOL",
        help="A symbol in any spelling, such as B62K25/04 or B62K0025040000; several with ; or // between.",
    ),
]


def _scheme(kind: Kind | None) -> Scheme | None:
    return Scheme(kind.value) if kind else None


@classes_app.command("import")
def import_command(
    context: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(
            help="Folder, zip or file: title lists or scheme XML of the CPC; titles or scheme XML of the IPC."
        ),
    ],
    kind: Annotated[
        Kind | None,
        typer.Option(
            "--kind", help="The scheme; default: what the files or their names say.", show_default=False
        ),
    ] = None,
    version: Annotated[
        str,
        typer.Option(
            "--version",
            metavar="YYYY.MM",
            help="The version; default: what the files or their names say.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """Import a version of CPC or IPC from its official files.

    Several versions are kept side by side. The same files again change nothing.
    """
    front = front_of(context)
    with front.working() as task:
        report = Schemes().import_files(path, task, scheme=_scheme(kind), version=version)
    if front.events:
        front.line({"event": "classes_import", "schema": SCHEMA, **plain(report)})
        return
    front.say(_told(report))


def _told(report: EditionReport) -> str:
    info = report.info
    if report.unchanged:
        return f"{info.edition} was already imported from these files; nothing was changed."
    left = info.subclasses - info.detailed
    missing = f" The files have no groups of {left:,} of its {info.subclasses:,} subclasses." if left else ""
    return (
        f"Imported {info.edition}: {info.entries:,} entries in {report.seconds:.1f} s, "
        f"{info.size / 1e6:.0f} MB.{missing}"
    )


@classes_app.command("list")
def list_command(context: typer.Context, as_json: AsJson = False) -> None:
    """List the imported versions."""
    front = front_of(context)
    infos, faults = Schemes().list()
    if as_json:
        front.line({"schema": SCHEMA, "editions": plain(infos), "faults": list(faults)})
        return
    for fault in faults:
        front.say(fault, style="yellow")
    if infos:
        front.out.print(classes_render.editions(infos))
    elif not faults:
        front.say(
            "No version of CPC or IPC was imported; titles of sections, classes and subclasses are there. "
            "Import the official files: claimlight classes import PATH"
        )


@classes_app.command("show")
def show_command(
    context: typer.Context,
    symbol: Symbols,
    tree: Annotated[bool, typer.Option("--tree", help="Also list everything below it, indented.")] = False,
    kind: KindOption = None,
    version: VersionOption = "",
    as_json: AsJson = False,
) -> None:
    """Show a class: title, place in the scheme, notes, references, what is below it, and if it is retired."""
    front = front_of(context)
    schemes = Schemes()
    views = schemes.show_all(" ".join(symbol), scheme=_scheme(kind), version=version)
    for number, view in enumerate(views):
        below = None
        if tree:
            edition = view.edition
            expansion = schemes.expand(view.entry.symbol, scheme=edition.scheme, version=edition.version)
            below = [item.entry for item in expansion.entries[1:]]
        if as_json:
            more = {} if below is None else {"tree": plain(below)}
            front.line({"schema": SCHEMA, **plain(view), **more})
            continue
        if number:
            front.out.print()
        classes_render.print_view(front, view, below)


@classes_app.command("search")
def search_command(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help="Words of titles; weld* is a word that begins so.")],
    level: Annotated[
        ClassLevel | None,
        typer.Option("--level", help="Only entries of this level; default: all.", show_default=False),
    ] = None,
    below: Annotated[
        str,
        typer.Option("--below", metavar="SYMBOL", help="Only what is below this symbol.", show_default=False),
    ] = "",
    top: Annotated[int, typer.Option("--top", min=1, help="How many entries to list.")] = 20,
    kind: OneKind = Kind.CPC,
    version: VersionOption = "",
    as_json: AsJson = False,
) -> None:
    """Search in the titles; words of an entry's own title count more than those of the titles above it."""
    front = front_of(context)
    with front.working() as task:
        hits = Schemes().search(
            " ".join(words),
            task,
            scheme=Scheme(kind.value),
            version=version,
            level=level,
            below=below,
            top=top,
        )
    if as_json:
        front.line({"schema": SCHEMA, **plain(hits)})
        return
    if not hits.hits:
        front.say(f"No title of {hits.edition} has any of the words.")
        return
    if hits.partial:
        front.say(f"No title of {hits.edition} has all the words; these have some of them.", style="yellow")
    front.out.print(classes_render.hits(hits))


@classes_app.command("expand")
def expand_command(
    context: typer.Context,
    symbol: Symbol,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            metavar="DIR|ADDRESS",
            help="Count the documents of this library.",
            show_default=False,
        ),
    ] = None,
    kind: KindOption = None,
    version: VersionOption = "",
    as_json: AsJson = False,
) -> None:
    """List a symbol with everything below it, by the dots of the scheme, and count its documents."""
    front = front_of(context)
    with ExitStack() as stack:
        opened = stack.enter_context(open_library(library)) if library else None
        found = Schemes().expand(" ".join(symbol), scheme=_scheme(kind), version=version, library=opened)
    if as_json:
        front.line({"schema": SCHEMA, **plain(found)})
        return
    front.out.print(classes_render.expansion(found))
    if found.documents is not None:
        front.say(f"{found.documents:,} documents have at least one of {len(found.entries):,} symbols.")


@classes_app.command("statistics")
def statistics_command(
    context: typer.Context,
    library: LibraryPlace,
    label: Annotated[
        str,
        typer.Option(
            "--set", metavar="SET", help="Only the documents of this set, such as L3.", show_default=False
        ),
    ] = "",
    case: CaseNumber = None,
    level: Annotated[ClassLevel, typer.Option("--level", help="The level.")] = ClassLevel.SUBCLASS,
    top: Annotated[int, typer.Option("--top", min=0, help="How many classes to list; 0: all.")] = MOST,
    kind: Annotated[
        Kind | None,
        typer.Option(
            "--kind",
            help="The scheme; default: the one that more documents of the library have.",
            show_default=False,
        ),
    ] = None,
    version: VersionOption = "",
    as_json: AsJson = False,
) -> None:
    """Count the documents of each class of a level, in the whole library or in a set of a case.

    A document counts once for each of its classes, so shares may add up to more than 100 %. Without --case
    the set is one of the case worked on last.
    """
    front = front_of(context)
    with open_library(library) as opened, front.working() as task:
        patents = documents_of_set(opened, case, label) if label else None
        found = count_at_level(
            opened,
            Schemes(),
            task,
            scheme=_scheme(kind) or choose_scheme(opened),
            level=level,
            version=version,
            patents=patents,
            top=top,
        )
    if label:
        found = within_set(found, f"L{set_number(label)}")
    if as_json:
        front.line({"schema": SCHEMA, "statistics": plain(found)})
        return
    front.out.print(classes_render.statistics(found))
    front.say(classes_render.statistics_summary(found))


@classes_app.command("compare")
def compare_command(
    context: typer.Context,
    before: Annotated[str, typer.Argument(metavar="VERSION", help="The older version, such as 2019.08.")],
    after: Annotated[str, typer.Argument(metavar="VERSION", help="The newer version.")],
    kind: OneKind = Kind.CPC,
    as_json: AsJson = False,
) -> None:
    """Compare two imported versions: symbols added, removed and with another title."""
    front = front_of(context)
    with front.working() as task:
        found = Schemes().compare(before, after, task, scheme=Scheme(kind.value))
    if as_json:
        body: dict[str, Any] = plain(found)
        front.line({"schema": SCHEMA, **body})
        return
    front.out.print(classes_render.comparison(found))
    front.say(classes_render.comparison_summary(found))


@classes_app.command("remove")
def remove_command(
    context: typer.Context,
    kind: Annotated[Kind, typer.Argument(help="The scheme.")],
    version: Annotated[str, typer.Argument(metavar="VERSION", help="The version, such as 2019.08.")],
) -> None:
    """Delete an imported version."""
    front = front_of(context)
    if not version:
        raise InputError("Name the version: claimlight classes remove cpc 2019.08")
    edition = Schemes().remove(Scheme(kind.value), version)
    front.say(f"Removed {edition}.")
