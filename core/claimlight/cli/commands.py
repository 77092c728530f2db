"""Options that several commands share, and what they open."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from claimlight import settings as settings_module
from claimlight.cli.front import Front
from claimlight.errors import InputError
from claimlight.services.library.library import Library
from claimlight.services.sharing import opening
from claimlight.settings import Settings

LIBRARY_VARIABLE = "CLAIMLIGHT_LIBRARY"
"""Names the library where ``--library`` is not given."""


def check_folder(place: str) -> Path:
    """The folder that ``--library`` or the variable names; `InputError` for an address, with what to do."""
    try:
        return opening.check_folder(place)
    except InputError as error:
        if place != os.environ.get(LIBRARY_VARIABLE):
            raise
        raise InputError(
            f"{error} {LIBRARY_VARIABLE} has an address: name the folder with --library DIR."
        ) from None


LibraryFolder = Annotated[
    Path,
    typer.Option(
        "--library",
        "-l",
        envvar=LIBRARY_VARIABLE,
        metavar="DIR",
        parser=check_folder,
        help="Folder of the library.",
        show_default=False,
    ),
]
LibraryPlace = Annotated[
    str,
    typer.Option(
        "--library",
        "-l",
        envvar=LIBRARY_VARIABLE,
        metavar="DIR|ADDRESS",
        help="Folder of the library, or address of a shared one.",
        show_default=False,
    ),
]
ColumnsFile = Annotated[
    Path | None,
    typer.Option(
        "--columns",
        metavar="FILE",
        help="TOML or JSON file that maps columns or JSON keys to fields (docs/reference/formats.md).",
        show_default=False,
    ),
]
STANDARD_INPUT = Path("-")
"""``-``: standard input, or standard output for a file that is written."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def front_of(context: typer.Context) -> Front:
    """The streams of this run of the command line."""
    front = context.obj
    assert isinstance(front, Front)
    return front


def load_settings(front: Front) -> Settings:
    """Load the user's settings and report faults of their file."""
    loaded = settings_module.load()
    if loaded.note:
        front.say(loaded.note, style="yellow")
    return loaded.settings


@contextmanager
def open_library(place: Path | str, *, create: bool = False) -> Iterator[Library]:
    """Open the library of a folder or an address."""
    with opening.open_library(place, create=create) as library:
        yield library


def standard_input(front: Front) -> bytes:
    """Read all of standard input; `InputError` with ``--events jsonl``, which reads ``cancel`` from it."""
    if front.events:
        raise InputError(
            "With --events jsonl standard input is reserved for the line `cancel`: give a file instead."
        )
    return sys.stdin.buffer.read()


def standard_text(front: Front) -> str:
    """As `standard_input`, decoded from UTF-8; CR LF becomes LF."""
    try:
        return standard_input(front).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"Standard input is not UTF-8 text (byte {error.start}).") from error


@contextmanager
def open_named_file(front: Front, path: Path) -> Iterator[Path]:
    """The file of an argument; for ``-`` a temporary copy of standard input."""
    if path != STANDARD_INPUT:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="claimlight-") as folder:
        copy = Path(folder) / "standard input"
        copy.write_bytes(standard_input(front))
        yield copy


def to_day(value: datetime | None) -> date | None:
    """The date part of a command-line date."""
    return value.date() if value else None
