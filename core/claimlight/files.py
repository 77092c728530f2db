"""Files and folders for their owner alone: applications are unpublished, and so is what is noted on them.

Where the system has no such rights (Windows), a user's own folders are closed to others already, and these
functions do the rest of their work.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_OTHERS = 0o077


def private_folder(folder: Path) -> None:
    """Make ``folder`` and those above it that are missing, each for its owner alone.

    Folders that are there keep their rights: a library may lie in one that a group shares.
    """
    missing = []
    while not folder.exists() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for item in reversed(missing):
        item.mkdir(mode=FOLDER_MODE, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(20, "not a folder", str(folder))


def folder_inside(folder: Path) -> None:
    """Make ``folder``, as open as the one it lies in: a library that a group shares stays shared."""
    folder.mkdir(mode=openness(folder))


def open_inside(path: Path, mode: str, **how: Any) -> IO[Any]:
    """`open` for writing: a file made by it is no more open than the folder it lies in."""
    stream: IO[Any] = open(path, mode, opener=_opened_inside, **how)  # noqa: SIM115 - the caller closes it
    return stream


def touch_inside(path: Path) -> None:
    """Make an empty file as `open_inside` does, for a library that writes by itself into what it finds."""
    open_inside(path, "ab").close()


def openness(path: Path) -> int:
    """Who may do what with the folder that a file lies in, as the bits of its mode."""
    return path.parent.stat().st_mode & 0o777


def _opened_inside(path: str, flags: int) -> int:
    return os.open(path, flags, openness(Path(path)) & 0o666)


def tighten(path: Path) -> None:
    """Take the rights of others away from a file or folder, where it is the user's to do so."""
    with suppress(OSError):
        mode = path.stat().st_mode
        if mode & _OTHERS:
            path.chmod(mode & ~_OTHERS & 0o7777)


def open_private(path: Path, mode: str, **how: Any) -> IO[Any]:
    """`open` for writing: a file made by it is for its owner alone, one that was there becomes so."""
    stream: IO[Any] = open(path, mode, opener=_opened, **how)  # noqa: SIM115 - the caller closes it
    return stream


def touch_private(path: Path) -> None:
    """Make an empty file for its owner alone, for a library that writes by itself into what it finds."""
    open_private(path, "ab").close()


def replace_private(path: Path, body: bytes | str) -> None:
    """Put ``body`` at ``path``, on disk when this returns: a reader sees the old file or the new one.

    Text is written as UTF-8.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open_private(temporary, "wb") as stream:
            stream.write(body.encode() if isinstance(body, str) else body)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def parsed_json(text: str | bytes) -> Any:
    """`json.loads`, whose every fault is a `ValueError`, also nesting that is too deep for Python."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def sync_folder(folder: Path) -> None:
    """Make renames inside ``folder`` survive a power cut, where the system has folder handles."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _opened(path: str, flags: int) -> int:
    handle = os.open(path, flags, FILE_MODE)
    tighten(Path(path))
    return handle
