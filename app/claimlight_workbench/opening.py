"""What a path on the command line is: a file manager gives the file or the folder of a double click."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from claimlight import paths
from claimlight.databases import CASES_FILE, LIBRARY_FILE, Mark, read_mark
from claimlight.errors import InputError
from claimlight.paths import path_text
from claimlight_workbench.language import tr

# What the program makes in a data folder beside the folder of cases.
_OF_DATA = ("session.json", "Libraries", "Classes", "Models")


@dataclass(frozen=True, slots=True)
class Place:
    """What is to be opened."""

    library: Path | None = None
    """Folder of a library."""
    data: Path | None = None
    """Data folder of a case book, if it is another than the one in use."""


def find_place(path: Path) -> Place:
    """Know a library or a case book by its file or its folder; `InputError` says why it is neither.

    A case book is opened where it is: with the libraries, classes and models of its data folder.
    """
    path = path.absolute()
    file = _file_in(path) if path.is_dir() else path
    name = path_text(file)
    try:
        mark = read_mark(file)
    except FileNotFoundError as error:
        raise InputError(tr("There is no {path}.", path=name)) from error
    except OSError as error:
        raise InputError(tr("{path} can't be read: {reason}.", path=name, reason=error.strerror)) from error
    if mark is Mark.LIBRARY:
        if file.name == LIBRARY_FILE:
            return Place(library=file.parent)
        raise InputError(
            tr(
                "{path} is the database of a library under another name. Put it into a folder of its own as "
                "{name} to open it.",
                path=name,
                name=LIBRARY_FILE,
            )
        )
    data = _data_of_cases(file)
    # An encrypted case book has no mark: its first page is encrypted too. Its place says what it is.
    if data is not None and mark in (Mark.CASES, None):
        return Place() if _is_own(data) else Place(data=data)
    if mark is Mark.CASES:
        raise InputError(
            tr(
                "{path} is a copy or a backup of a case book, which is not opened where it is. Backups are "
                "restored with Restore case book… in the window.",
                path=name,
            )
        )
    raise InputError(tr("{path} is neither a library nor a case book of Claimlight.", path=name))


def _file_in(folder: Path) -> Path:
    for name in (LIBRARY_FILE, CASES_FILE):
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        tr(
            "The folder {path} has no library and no case book of Claimlight in it. To make a library there, "
            "open the folder in the window (Ctrl+O).",
            path=path_text(folder),
        )
    )


def _data_of_cases(file: Path) -> Path | None:
    """The data folder whose case book a file is; None for a copy, a backup and any other file."""
    if file.name != CASES_FILE or file.parent.name != paths.cases_dir().name:
        return None
    data = file.parent.parent
    return data if _is_own(data) or any((data / name).exists() for name in _OF_DATA) else None


def _is_own(data: Path) -> bool:
    own = paths.data_dir()
    return own.exists() and data.samefile(own)
