"""Backups of the case book: opened and checked before they get their name, and brought back.

A backup is numbered, because clocks go back. One damaged file never pushes good ones out: what
fails its check gets no name.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, suppress
from datetime import date
from pathlib import Path

from core.errors import ResourceError
from core.types import Backup

KEEP_NEWEST = 3
KEEP_DAYS = 14
KEEP_MONTHS = 12
_NAME = re.compile(r"^cases-(\d{6})-(\d{4}-\d\d-\d\d)(-before-schema-\d+)?\.db$")


def backups(folder: Path) -> list[Backup]:
    """All backups in ``folder``, newest first."""
    if not folder.is_dir():
        return []
    matches = [(path, _NAME.match(path.name)) for path in folder.iterdir()]
    found = [
        Backup(str(path), date.fromisoformat(match[2]), int(match[1])) for path, match in matches if match
    ]
    return sorted(found, key=lambda item: item.number, reverse=True)


def healthy(path: Path) -> str:
    """Empty when every page and index of the database is sound, else what SQLite says."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.Error as error:
        return str(error)
    return "" if found == "ok" else found


def make_backup(source: Path, folder: Path, day: date, *, reason: str = "") -> Backup:
    """Copy the live database, check the copy, then give it its name."""
    folder.mkdir(parents=True, exist_ok=True)
    known = backups(folder)
    number = known[0].number + 1 if known else 1
    target = folder / f"cases-{number:06d}-{day.isoformat()}{reason}.db"
    temporary = target.with_suffix(".tmp")
    try:
        temporary.unlink(missing_ok=True)
        _copy(source, temporary)
        fault = healthy(temporary)
        if fault:
            raise ResourceError(f"No backup of {source} was made: the copy is damaged ({fault}).")
        sync(temporary)
        temporary.replace(target)
        sync(folder)
    except OSError as error:
        raise ResourceError(f"No backup of {source} could be made: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    _prune(folder)
    return Backup(str(target), day, number)


def newest_good(folder: Path) -> Backup | None:
    """The newest backup that is sound today."""
    return next((item for item in backups(folder) if not healthy(Path(item.path))), None)


def bring_back(backup: Backup, target: Path) -> Path:
    """Put a backup in the place of ``target``; the damaged file is kept, its new name returned.

    The copy is complete and on disk before the damaged file is moved, and a ``-wal`` of the damaged
    file goes with it: beside the backup it would be applied to the wrong pages.
    """
    temporary = target.with_suffix(".restoring")
    temporary.unlink(missing_ok=True)
    _copy(Path(backup.path), temporary)
    sync(temporary)
    number = 1
    while (kept := target.with_name(f"{target.name}.damaged-{number}")).exists():
        number += 1
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            Path(f"{target}{suffix}").replace(f"{kept}{suffix}")
    temporary.replace(target)
    sync(target.parent)
    return kept


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power loss."""
    if os.name == "nt" and path.is_dir():
        return  # Windows can't open folders; its renames are journalled
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _copy(source: Path, target: Path) -> None:
    """A consistent copy, also while others write; in one file, without a log beside it."""
    try:
        with (
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as live,
            closing(sqlite3.connect(target, isolation_level=None)) as copy,
        ):
            live.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise ResourceError(f"{source} can't be copied: {error}.") from error


def _prune(folder: Path) -> None:
    """Keep the newest few, the last of each day and month, and all made before a migration."""
    routine = [item for item in backups(folder) if "-before-" not in item.path]
    days: dict[str, int] = {}
    months: dict[str, int] = {}
    for item in routine:
        days.setdefault(item.day.isoformat(), item.number)
        months.setdefault(item.day.isoformat()[:7], item.number)
    kept = {item.number for item in routine[:KEEP_NEWEST]}
    kept.update(list(days.values())[:KEEP_DAYS], list(months.values())[:KEEP_MONTHS])
    for item in routine:
        if item.number not in kept:
            with suppress(OSError):
                Path(item.path).unlink()
