"""``drawings`` and ``library drawings``: list, write and keep the drawings of documents."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from claimlight.cli.commands import AsJson, LibraryFolder, front_of, open_library
from claimlight.cli.front import Front, plain
from claimlight.errors import InputError
from claimlight.services.drawings.drawings import list_drawings, write_pages
from claimlight.services.drawings.keeping import keep_all
from claimlight.services.drawings.mentions import read_mentions
from claimlight.services.library import documents
from claimlight.types import Drawings, KeptDrawings, PictureState, ReferenceSign, plural

SCHEMA = "claimlight.drawings.1"


class DrawingsAt(StrEnum):
    """Where the drawings of imported documents are read from."""

    KEEP = "keep"
    LINK = "link"


DrawingsChoice = Annotated[
    DrawingsAt | None,
    typer.Option(
        "--drawings",
        help="keep: copy the pictures of the documents into the library (about 30 KB a page of drawings); "
        "link: leave them with the files. Without it the setting imports.drawings decides.",
        show_default=False,
    ),
]
_STATES = {
    PictureState.KEPT: "in the library",
    PictureState.SOURCE: "with the file of the document",
    PictureState.MISSING: "missing",
}


def drawings_command(
    context: typer.Context,
    publications: Annotated[
        list[str], typer.Argument(metavar="PUBLICATION", help="Publication numbers, such as EP1000000A1.")
    ],
    library: LibraryFolder,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write every picture there as PNG.", show_default=False),
    ] = None,
    signs: Annotated[
        bool,
        typer.Option(
            "--signs",
            help="List the reference signs of the description too: name, number of mentions, and the figures "
            "that the paragraphs with it name most often.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the figures and pictures of documents, or write the pictures as PNG files.

    A page in brackets is a guess, by the order of figures and pages. With --json each document is one line
    (docs/schemas/drawings.schema.json). The exit code is 1 if a picture can't be written or a publication is
    not in the library.
    """
    front = front_of(context)
    failed = False
    with open_library(library) as found:
        for publication in publications:
            try:
                view = documents.view(found, publication)
            except InputError as error:
                front.fail(error)
                failed = True
                continue
            patent = view.summary.id
            with front.working() as task:
                drawings = list_drawings(found, patent, view.passages, task)
                written, faults = write_pages(found, patent, drawings, out, task) if out else ((), ())
                listed = read_mentions(view.passages, task).signs if signs else ()
            if as_json:
                body = {"schema": SCHEMA, **plain(drawings), "written": [str(path) for path in written]}
                front.line({**body, "signs": [_sign(each) for each in listed]} if signs else body)
            else:
                _print(front, drawings)
                if signs:
                    _print_signs(front, listed)
                if out is not None:
                    front.say(f"{plural(len(written), 'picture')} written to {out}.")
            for fault in faults:
                front.fail(InputError(fault))
            failed = failed or bool(faults)
    if failed:
        raise typer.Exit(1)


def keep_command(
    context: typer.Context,
    library: LibraryFolder,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="Where the files of the documents are now, if they were moved; searched with its folders.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy the pictures of all documents into the library, from their files or from a folder.

    What is there already is not read again. Documents that were imported before the names of pictures were
    read have none until their files are imported again.
    """
    front = front_of(context)
    if folder is not None and not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    with open_library(library) as found, front.working() as task:
        kept = keep_all(found, task, folder=folder)
    if as_json:
        front.line(plain(kept))
        return
    tell_kept(front, kept, always=True)


def tell_kept(front: Front, kept: KeptDrawings, *, always: bool = False) -> None:
    """Print what was copied, what it takes, and what was not found."""
    if kept.kept or always:
        size = f"{kept.bytes / (1 << 20):,.1f} MB"
        front.say(f"Drawings: {plural(kept.kept, 'picture')} copied into the library ({size}).")
    if kept.missing and (kept.kept or always):
        front.say(
            f"Not found beside the files of the documents or in their archives: "
            f"{plural(kept.missing, 'picture')}."
        )
    if kept.refused:
        front.say(f"{plural(kept.refused, 'picture')} could not be opened and were not copied.")


def _print(front: Front, drawings: Drawings) -> None:
    out = front.out
    out.print(f"[bold]{drawings.publication}[/]")
    if drawings.reason:
        out.print(escape(drawings.reason), soft_wrap=True)
    for figure in drawings.figures:
        page = f"({figure.page})" if figure.guessed else str(figure.page or "–")
        out.print(f"[cyan]Fig. {figure.label:<5}[/] page {page:<5} {escape(figure.caption)}", soft_wrap=True)
    for item in drawings.pages:
        size = f", {item.picture.width} × {item.picture.height} mm" if item.picture.width else ""
        where = f"{item.picture.kind.value}{size}, {_STATES[item.state]}"
        out.print(f"[dim]{item.number:>4}[/]  {escape(item.picture.file)}  {where}", soft_wrap=True)


def _sign(found: ReferenceSign) -> dict[str, object]:
    return {
        "sign": found.sign,
        "name": found.name,
        "mentions": len(found.places),
        "figures": list(found.figures),
    }


def _print_signs(front: Front, signs: Sequence[ReferenceSign]) -> None:
    out = front.out
    if not signs:
        out.print("[dim]No reference signs were found in the description.[/]", soft_wrap=True)
    for found in signs:
        figures = f", Fig. {', '.join(found.figures)}" if found.figures else ""
        where = f"{plural(len(found.places), 'mention')}{figures}"
        out.print(f"[cyan]{escape(found.sign):>6}[/]  {escape(found.name)}  [dim]{where}[/]", soft_wrap=True)
