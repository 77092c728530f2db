"""The regular check of a library and the case book, which finds damage before it is needed."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import date
from pathlib import Path

import psutil

from claimlight.services.repair import check_dates, diagnosis
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types.repairs import Checkup

_LOW = 10
"""Niceness on Unix, 0 to 19."""


def check_due(
    settings: Settings,
    folder: Path | None,
    days: int,
    context: TaskContext,
    *,
    passphrase: str | None = None,
    today: date | None = None,
) -> Checkup:
    """Check what was not found undamaged within ``days`` days, and remember what is; nothing is changed.

    The pages and documents of the library, the bytes of its index, and the pages and rows of the case book
    and its backups are read, encrypted ones with their ``passphrase``. What is damaged or could not be
    checked is due again the next time.
    """
    today = today or date.today()  # noqa: DTZ011 - the user's day
    library = check_dates.name_library(folder) if folder is not None else ""
    due = check_dates.find_due(filter(None, (library, check_dates.BOOK)), days, today)
    seen = diagnosis.examine_stored(
        settings,
        folder if library in due else None,
        context,
        book=check_dates.BOOK in due,
        passphrase=passphrase,
    )
    faults = {item.subject for item in seen.findings if not item.ok}
    if seen.book is not None and seen.book.unchecked:
        faults.add(diagnosis.BOOK)
    # Of a library, its own parts; of the case book, its own.
    sound = [
        name
        for name in due
        if not (faults & {diagnosis.BOOK} if name == check_dates.BOOK else faults - {diagnosis.BOOK})
    ]
    if sound:
        # A folder that can't be written is checked again the next time.
        with suppress(OSError):
            check_dates.remember(sound, today)
    newest = seen.book.newest if seen.book is not None else None
    return Checkup(seen.findings, newest.backup.day if newest is not None else None)


def step_back() -> None:
    """Let every other process go first from now on."""
    with suppress(psutil.Error, OSError):
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else _LOW)
