"""Makes, checks and restores backups of the case book.

Backups are numbered, because clocks can go back. A damaged backup never replaces good ones: a copy that
fails its check gets no name, and one with damaged rows is named so. Only one process at a time makes
backups; the next one deletes what a killed one left.
"""

from __future__ import annotations

import errno
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from claimlight.encryption import (
    Passphrase,
    connect,
    convert,
    database_errors,
    fits,
    looks_encrypted,
    read_key,
)
from claimlight.errors import ResourceError
from claimlight.files import private_folder, put_in_place, sync, touch_private
from claimlight.locks import FileLock
from claimlight.store import migrate
from claimlight.store.case_check import count_readable_cases, find_row_faults
from claimlight.store.case_tables import Cases
from claimlight.store.database import LOCK_SECONDS, UNREADABLE_NAME, Database, check_file
from claimlight.types import Backup, BackupContents

KEEP_NEWEST = 3
KEEP_DAYS = 14
KEEP_MONTHS = 12
_TRY_AGAIN = 0.05
DIGESTS_SINCE = 3
_NAME = re.compile(r"^cases-(\d{6})-(\d{4}-\d\d-\d\d)(-before-schema-\d+|-with-faults)?\.db$")
WITH_FAULTS = "-with-faults"
"""In the name of a backup with rows that are not what was written."""
_LEFT = ("cases-*.tmp", "cases-*.tmp-journal", "cases-*.tmp-wal", "cases-*.tmp-shm")


def list_backups(folder: Path) -> list[Backup]:
    """All backups in ``folder``, newest first; files with other names are ignored."""
    if not folder.is_dir():
        return []
    found = [_read_name(path) for path in folder.iterdir()]
    return sorted(filter(None, found), key=lambda item: item.number, reverse=True)


def _read_name(path: Path) -> Backup | None:
    match = _NAME.match(path.name)
    if match is None or not path.is_file():
        return None
    try:
        return Backup(str(path), date.fromisoformat(match[2]), int(match[1]))
    except ValueError:  # a day such as 30 February
        return None


def find_fault(path: Path, passphrase: Passphrase | None = None) -> str:
    """The first fault that SQLite finds in pages and indexes; empty if there is none."""
    # A power cut or kill at the first opening leaves a journal, which a read-only connection can't roll back.
    mode = "rw" if Path(f"{path}-journal").exists() else "ro"
    try:
        with closing(connect(path, passphrase, mode=mode)) as connection:
            found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except database_errors() as error:
        return str(error)
    except UnicodeDecodeError:
        return UNREADABLE_NAME
    return "" if found == "ok" else found


def make_backup(
    source: Path, folder: Path, day: date, *, reason: str = "", passphrase: Passphrase | None = None
) -> Backup:
    """Copy the live database, check the copy, then give it its name; the copy is encrypted as the source is.

    ``reason`` is part of the name; without one, a copy with damaged rows is named `WITH_FAULTS`.
    """
    try:
        private_folder(folder)
        with lock_folder(folder, wait=LOCK_SECONDS):
            clear(folder)
            known = list_backups(folder)
            # Not by day: after a clock went back, the newest backup would be pruned as an old one.
            number = known[0].number + 1 if known else 1
            made = _write_copy(source, folder, f"cases-{number:06d}-{day.isoformat()}", reason, passphrase)
            _prune(folder)
            return Backup(str(made), day, number)
    except OSError as error:
        raise ResourceError(f"No backup of {source} could be made: {error.strerror}.") from error


def clear_leftovers(folder: Path) -> None:
    """Delete files of a killed backup, because they hold cases; does nothing while a backup is made."""
    if folder.is_dir() and any(True for pattern in _LEFT for _ in folder.glob(pattern)):
        with suppress(OSError), lock_folder(folder, wait=0.0):
            clear(folder)


def read_contents(backup: Backup, passphrase: Passphrase | None = None) -> BackupContents:
    """Open a backup and read what it holds; nothing is written."""
    path = Path(backup.path)
    found = BackupContents(backup)
    try:
        if looks_encrypted(path):
            if passphrase is None or not fits(path, passphrase):
                return replace(found, encrypted=True, fault=_describe_lock(passphrase))
            found = replace(found, encrypted=True)
        else:
            check_file(path, advice="It can't be used.")
        fault = find_fault(path, passphrase)
        if fault:
            return replace(found, fault=f"it is damaged ({fault})")
        # Nobody writes a backup: without locks it can be read from a read-only folder too.
        database = Database(
            path, advice="It can't be used.", read_only=True, immutable=True, passphrase=passphrase
        )
        try:
            with database.read() as connection:
                return _read(connection, found)
        finally:
            database.close()
    except (ResourceError, DBAPIError) as error:
        return replace(found, fault=str(error.orig if isinstance(error, DBAPIError) else error))


def find_newest_good(folder: Path, passphrase: Passphrase | None = None) -> BackupContents | None:
    """The newest backup that is a sound case book with cases in it; damaged rows come second."""
    second = None
    for backup in list_backups(folder):
        found = read_contents(backup, passphrase)
        if found.fault or not found.cases:
            continue
        if not found.faults:
            return found
        second = second or found
    return second


def restore(backup: Backup, target: Path, passphrase: Passphrase | None = None) -> Path:
    """Replace ``target`` by a backup; the old file is kept, and its new name returned.

    That is ``….damaged-n``, or ``….replaced-n`` if it had no fault. The caller must hold the
    lock of the case book. A plain backup takes the place of an encrypted book encrypted.
    """
    # The copy is complete before the old file moves: a kill in between leaves a book or a backup, never half.
    temporary = target.with_suffix(".restoring")
    temporary.unlink(missing_ok=True)
    source = Path(backup.path)
    if passphrase is not None and looks_encrypted(target) and not looks_encrypted(source):
        convert(source, temporary, old=None, key=passphrase.new_key())
    else:
        copy_book(source, temporary, passphrase)
    word, number = _describe_state(target, passphrase), 1
    while (kept := target.with_name(f"{target.name}.{word}-{number}")).exists():
        number += 1
    # Logs move with their file: beside the backup, SQLite would apply them to the wrong pages.
    for suffix in ("-wal", "-shm", "-journal", ""):
        with suppress(FileNotFoundError):
            Path(f"{target}{suffix}").replace(f"{kept}{suffix}")
    # After a power cut no log may be back when the backup has its name.
    sync(target.parent)
    put_in_place(temporary, target)
    return kept


def _describe_lock(passphrase: Passphrase | None) -> str:
    return "it is encrypted" if passphrase is None else "it is encrypted with another passphrase, or damaged"


def _describe_state(path: Path, passphrase: Passphrase | None) -> str:
    """The suffix of a case book that is replaced: ``damaged`` or ``replaced``."""
    found = read_contents(Backup(str(path), date.min, 0), passphrase)
    return "damaged" if found.fault or found.faults else "replaced"


@contextmanager
def lock_folder(folder: Path, *, wait: float) -> Iterator[None]:
    """Hold the lock of ``folder``; `BlockingIOError` if another process keeps it longer than ``wait``."""
    lock, until = FileLock(folder / ".lock"), time.monotonic() + wait
    while not lock.take():
        if time.monotonic() >= until:
            raise BlockingIOError(errno.EAGAIN, "another program is at it")
        time.sleep(_TRY_AGAIN)
    try:
        yield
    finally:
        lock.release()


def clear(folder: Path) -> None:
    """Delete unfinished files, by whoever holds the lock of the folder."""
    for pattern in _LEFT:
        for path in folder.glob(pattern):
            with suppress(OSError):
                path.unlink()


def _write_copy(source: Path, folder: Path, name: str, reason: str, passphrase: Passphrase | None) -> Path:
    temporary = folder / f"{name}.tmp"
    try:
        copy_book(source, temporary, passphrase)
        fault = find_fault(temporary, passphrase)
        if fault:
            raise ResourceError(f"No backup of {source} was made: the copy is damaged ({fault}).")
        # A copy made before a migration keeps that name, by which `_prune` never deletes it.
        if not reason and read_contents(Backup(str(temporary), date.min, 0), passphrase).faults:
            reason = WITH_FAULTS
        target = folder / f"{name}{reason}.db"
        put_in_place(temporary, target)
    finally:
        clear(folder)
    return target


def _read(connection: Connection, found: BackupContents) -> BackupContents:
    version = migrate.read_version(connection, migrate.CASES, Path(found.backup.path))
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    missing = sorted(set(Cases.metadata.tables) - tables)
    if missing:
        return replace(found, fault=f"it has no table {', '.join(missing)}")
    newest = "SELECT CAST(max(changed) AS BLOB) FROM case_file"
    changed = connection.exec_driver_sql(newest).scalar_one()
    cases = count_readable_cases(connection)
    marks = connection.exec_driver_sql("SELECT count(*) FROM state WHERE subject = 'mark'").scalar_one()
    sets = connection.exec_driver_sql("SELECT count(*) FROM query_set").scalar_one()
    # Older schemas have no digests yet.
    faults = sum(1 for _ in find_row_faults(connection)) if version >= DIGESTS_SINCE else 0
    return replace(found, cases=cases, marks=marks, sets=sets, changed=_read_time(changed), faults=faults)


def _read_time(text: bytes | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text.decode()) if text else None
    except ValueError:
        return None


def copy_book(source: Path, target: Path, passphrase: Passphrase | None = None) -> None:
    """A consistent copy in one file, without a write-ahead log, even while others write.

    That of an encrypted file has its key: SQLite copies pages, and the key of each is that of the file.
    """
    key = read_key(source, passphrase)
    # SQLite would create it with the permissions of the umask.
    touch_private(target)
    try:
        with (
            closing(connect(source, passphrase)) as live,
            closing(connect(target, mode="rw", key=key)) as copy,
        ):
            live.backup(copy)
            # WAL is a mark in the header, which is copied too: a restored file would need a log again.
            copy.execute("PRAGMA journal_mode = DELETE")
    except database_errors() as error:
        raise ResourceError(f"{source} can't be copied: {error}.") from error


def _prune(folder: Path) -> None:
    """Keep the newest few, the last of each day and month, and all made before a migration."""
    everything = [item for item in list_backups(folder) if "-before-" not in Path(item.path).name]
    faulty = [item for item in everything if WITH_FAULTS in Path(item.path).name]
    # A copy with damaged rows must not take the place of a sound one of its day or month.
    routine = [item for item in everything if item not in faulty]
    days: dict[str, int] = {}
    months: dict[str, int] = {}
    for item in routine:
        # Newest first, so the first one met is the last of its day.
        days.setdefault(item.day.isoformat(), item.number)
        months.setdefault(item.day.isoformat()[:7], item.number)
    kept = {item.number for item in routine[:KEEP_NEWEST]}
    kept.update(item.number for item in faulty[:KEEP_NEWEST])
    kept.update(list(days.values())[:KEEP_DAYS], list(months.values())[:KEEP_MONTHS])
    for item in everything:
        if item.number not in kept:
            with suppress(OSError):
                Path(item.path).unlink()
