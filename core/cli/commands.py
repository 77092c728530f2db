"""Options that several commands share, and what they open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from core import settings as settings_module
from core.cli.front import Front
from core.services.library import Library
from core.settings import Settings

LibraryFolder = Annotated[
    Path,
    typer.Option(
        "--library",
        "-l",
        envvar="CLAIMLIGHT_LIBRARY",
        help="Folder of the library; the variable CLAIMLIGHT_LIBRARY names it as well.",
        show_default=False,
    ),
]
ColumnsFile = Annotated[
    Path | None,
    typer.Option(
        "--columns",
        metavar="FILE",
        help="TOML or JSON file: which column of a table or JSON record is which field (docs/formats.md).",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def front_of(context: typer.Context) -> Front:
    """The streams of this run."""
    front = context.obj
    assert isinstance(front, Front)
    return front


def load_settings(front: Front) -> Settings:
    """The user's settings; what is wrong with their file is said."""
    loaded = settings_module.load()
    if loaded.note:
        front.say(loaded.note, style="yellow")
    return loaded.settings


@contextmanager
def opened(folder: Path, *, create: bool = False) -> Iterator[Library]:
    """An open library."""
    with Library.open_or_create(folder) if create else Library.open(folder) as library:
        yield library


def day(value: datetime | None) -> date | None:
    """The day of a command-line date."""
    return value.date() if value else None
