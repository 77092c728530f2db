"""Puts a database in the place of another one, which is kept: at any moment one of them has the name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from claimlight.files import put_in_place, sync, touch_private

_WITH = ("", "-wal")
"""A database and its write-ahead log, which belongs to no other."""


def put_database(new: Path, target: Path, word: str) -> Path | None:
    """Give the complete database ``new`` the name ``target``; where the old one is kept, None without one.

    The old one is ``….<word>-<n>``. The caller must keep others from the database. A kill leaves the old
    database or the new one under the name, and the old one is kept in either case.
    """
    kept = keep_database(target, word)
    # Before the new file has the name: SQLite would apply the log to its pages. What is in the log is kept.
    for suffix in ("-wal", "-shm", "-journal"):
        Path(f"{target}{suffix}").unlink(missing_ok=True)
    put_in_place(new, target)
    return kept


def keep_database(target: Path, word: str) -> Path | None:
    """Keep a database and its log under another name too; None if there is none."""
    if not any(Path(f"{target}{suffix}").exists() for suffix in _WITH):
        return None
    number = 1
    while any(Path(f"{target}.{word}-{number}{suffix}").exists() for suffix in _WITH):
        number += 1
    kept = target.with_name(f"{target.name}.{word}-{number}")
    # The log first: a database that is kept without its log would lack what was written last.
    for suffix in reversed(_WITH):
        if Path(f"{target}{suffix}").exists():
            _keep(Path(f"{target}{suffix}"), Path(f"{kept}{suffix}"))
    sync(target.parent)
    return kept


def _keep(path: Path, kept: Path) -> None:
    try:
        # A second name for the same file costs nothing, and replacing the first does not touch it.
        os.link(path, kept)
    except OSError:  # a file system without links
        temporary = kept.with_name(f"{kept.name}.tmp")
        temporary.unlink(missing_ok=True)
        touch_private(temporary)
        shutil.copyfile(path, temporary)
        put_in_place(temporary, kept)
