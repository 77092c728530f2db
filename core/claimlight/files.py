"""Private files and folders, and the one way in which files are replaced.

Applications are unpublished, and so is what is noted on them: only its owner can read what the program keeps
for a user. Windows has no such modes; there a user's own folders are closed to others already, and these
functions do the rest of their work.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_OTHERS = 0o077
TEMPORARY = ".tmp"
"""Suffix of everything unfinished."""
_NUMBERS = count()


def private_folder(folder: Path) -> None:
    """Make ``folder`` and those above it that are missing, durably, each for its owner alone.

    Folders that are there keep their rights: a library may be in one that a group shares.
    """
    missing = []
    while not folder.exists() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for item in reversed(missing):
        # Another process may have made it since the loop above.
        item.mkdir(mode=FOLDER_MODE, exist_ok=True)
        # What is synced inside a folder is lost with the folder if its own name is not on disk. One that may
        # be written and not read can't be synced.
        with suppress(PermissionError):
            sync(item.parent)
    if not folder.is_dir():
        # 20 is ENOTDIR.
        raise NotADirectoryError(20, "not a folder", str(folder))


def folder_inside(folder: Path) -> None:
    """Make ``folder``, as open as its parent: a library that a group shares stays shared."""
    folder.mkdir(mode=openness(folder))


def open_inside(path: Path, mode: str, **how: Any) -> IO[Any]:
    """`open` for writing: a file made by it is no more open than its folder."""
    stream: IO[Any] = open(path, mode, opener=_open_checked, **how)  # noqa: SIM115 - the caller closes it
    return stream


def touch_inside(path: Path) -> None:
    """Make an empty file as `open_inside` does, for SQLite and others that write into an existing file."""
    open_inside(path, "ab").close()


def openness(path: Path) -> int:
    """Permission bits of the folder that contains a file."""
    return path.parent.stat().st_mode & 0o777


def _open_checked(path: str, flags: int) -> int:
    # Without the x bits, which only folders need.
    return os.open(path, flags, openness(Path(path)) & 0o666)


def tighten(path: Path) -> None:
    """Take the rights of others away from a file or folder, where it is the user's to do so."""
    with suppress(OSError):
        mode = path.stat().st_mode
        if mode & _OTHERS:
            path.chmod(mode & ~_OTHERS & 0o7777)


def open_private(path: Path, mode: str, **how: Any) -> IO[Any]:
    """`open` for writing: a file made by it is for its owner alone, one that was there becomes so."""
    stream: IO[Any] = open(path, mode, opener=_open_tightened, **how)  # noqa: SIM115 - the caller closes it
    return stream


def touch_private(path: Path) -> None:
    """Make an empty file for its owner alone, for a library that writes by itself into what it finds."""
    open_private(path, "ab").close()


class Access(Enum):
    """Who may read a file that `write_atomically` has put in place."""

    OWNER = "owner"
    """Its owner alone, also where the old file was open to others."""
    AS_BEFORE = "as before"
    """Whoever could read the old file; a new one is its owner's alone."""
    FOLDER = "folder"
    """Whoever may enter its folder: a library that a group shares stays shared."""
    USUAL = "usual"
    """Whom the system's default (umask) lets: for files that a user asked for."""


def write_atomically(path: Path, body: bytes | str, access: Access = Access.OWNER) -> None:
    """Put ``body`` at ``path``; see `open_atomically` for what is promised. Text is written as UTF-8."""
    with open_atomically(path, access) as stream:
        stream.write(body.encode() if isinstance(body, str) else body)


@contextmanager
def open_atomically(path: Path, access: Access = Access.OWNER) -> Iterator[BinaryIO]:
    """Open a file that takes the name ``path`` when the block ends without an error.

    * A reader, and a program killed at any moment, finds the old file or the new one, never a part of it.
    * After a power cut the same holds: the content is on disk before the name is, and when the block has
      ended, the name is too.
    * Where the disk is full or the block fails, the old file stays, nothing is left beside it, and the error
      is passed on. Only a kill leaves the temporary file, ``NAME.….tmp`` in the same folder.
    * Two writers never mix: each has a temporary file of its own, and the last one stays.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{next(_NUMBERS)}{TEMPORARY}")
    try:
        # "x" refuses a name that exists: no two writers ever share a temporary file.
        with _OPENERS[access](temporary, "xb") as stream:
            yield stream
            stream.flush()
            # Before the rename: after a power cut the name could otherwise lead to an empty file.
            os.fsync(stream.fileno())
        if access is Access.AS_BEFORE:
            # If there is no old file, the new one stays private.
            with suppress(OSError):
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except BaseException:
        # Ctrl+C and TaskCancelled too, which are no Exception.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    # A rename survives a power cut only when its folder is on disk too.
    sync(path.parent)


@contextmanager
def open_text_atomically(path: Path, access: Access = Access.USUAL) -> Iterator[TextIO]:
    """`open_atomically` for text: UTF-8, line ends as they are written."""
    with open_atomically(path, access) as raw:
        stream = TextIOWrapper(raw, encoding="utf-8", newline="")
        try:
            yield stream
        finally:
            # Flushes, and keeps the wrapper from closing the file before it is synced.
            stream.detach()


@contextmanager
def make_folder_atomically(folder: Path) -> Iterator[Path]:
    """Give a new folder to be filled; it takes the name ``folder`` when the block ends without an error.

    The promises are those of `open_atomically`. A folder that is there already is replaced, which two renames
    do: a kill between them leaves none. What an earlier kill left is removed first. The given folder is not
    made: some libraries insist on making it.
    """
    temporary = folder.with_name(folder.name + TEMPORARY)
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        yield temporary
        for path in temporary.rglob("*"):
            sync(path)
        sync(temporary)
        # A rename does not replace a folder that has content.
        shutil.rmtree(folder, ignore_errors=True)
        put_in_place(temporary, folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def put_in_place(temporary: Path, path: Path) -> None:
    """Give a file or folder that is complete its name in the same folder, durably.

    For what a library writes by itself (SQLite, hnswlib) or what is written over several calls; the rest is
    for `open_atomically`.
    """
    # Content before name, name before folder: see `open_atomically`.
    sync(temporary)
    temporary.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    if path.is_dir():
        if os.name == "nt":
            return  # Windows opens no folders; its renames are journalled
        handle = os.open(path, os.O_RDONLY)
    else:
        handle = os.open(path, os.O_RDWR)  # Windows syncs a file only through a handle that may write
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_full(error: OSError) -> bool:
    """Whether a write failed because the disk, the quota or the largest size of a file was reached."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def parse_json(text: str | bytes) -> Any:
    """`json.loads`, whose every fault is a `ValueError`, also nesting that is too deep for Python."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _open_tightened(path: str, flags: int) -> int:
    # The mode counts only for a new file; one that was there is tightened afterwards.
    handle = os.open(path, flags, FILE_MODE)
    tighten(Path(path))
    return handle


_OPENERS: dict[Access, Callable[[Path, str], Any]] = {
    Access.OWNER: open_private,
    # Private until it is complete, then as open as the old file.
    Access.AS_BEFORE: open_private,
    Access.FOLDER: open_inside,
    Access.USUAL: open,
}
