"""Checking the case book, and making it again of a damaged one and its backups."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from claimlight.encryption import Passphrase, connect, database_errors, fits, has_header, looks_encrypted
from claimlight.errors import ResourceError
from claimlight.services.cases import case_backups
from claimlight.services.cases.case_paths import backup_folder, default_path
from claimlight.store import backup as copies
from claimlight.store import book_encryption, case_check, migrate
from claimlight.store.book_lock import BookLock
from claimlight.store.book_salvage import salvage_book
from claimlight.store.database import Database, check_file, find_page_faults
from claimlight.store.replacing import put_database
from claimlight.types import Backup, BackupContents, RowFault
from claimlight.types.repairs import BookSalvaged

REPAIRING = ".repairing"
"""Suffix of a book that a repair has not put in place yet."""
NONE_GIVEN = "no passphrase"
"""Why an encrypted book is not checked where none was given."""
_DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class BookState:
    """What a check of a case book found; nothing was changed."""

    path: Path
    there: bool = True
    """Whether the file is there."""
    refused: str = ""
    """Why a sound book of another version is refused."""
    encrypted: bool = False
    """Whether it or a backup is encrypted: then it is not repaired, only checked with its passphrase."""
    unchecked: str = ""
    """Why an encrypted one was not checked."""
    pages: str = ""
    """What is wrong with the file, its pages or its tables."""
    rows: tuple[RowFault, ...] = ()
    schema: int = 0
    backups: int = 0
    newest: BackupContents | None = None
    """The backup that would be used."""
    bad_backups: tuple[BackupContents, ...] = ()

    @property
    def damaged(self) -> bool:
        """Whether it is damaged in a way that `repair_book` can mend."""
        return not self.encrypted and bool(self.pages or self.rows or (not self.there and self.backups))


def examine_book(path: Path | None = None, passphrase: str | None = None) -> BookState | None:
    """Check every page and row of a case book and its backups; None if there never was one.

    An encrypted one is checked with its passphrase.
    """
    path = path or default_path()
    key = case_backups.as_key(passphrase)
    backups = case_backups.list_contents(path, passphrase)
    newest = copies.find_newest_good(backup_folder(path), key)
    # Without the passphrase nothing is known of an encrypted one.
    bad = tuple(item for item in backups if (item.fault or item.faults) and (key or not item.encrypted))
    if looks_encrypted(path) or any(item.encrypted for item in backups):
        there = looks_encrypted(path) or has_header(path)
        state = BookState(
            path, there=there, encrypted=True, backups=len(backups), newest=newest, bad_backups=bad
        )
        return _examine_encrypted(state, key)
    if not path.exists():
        if not backups and not any(path.parent.glob(f"{path.name}.*ed-[0-9]*")):
            return None
        fault = f"{path} is gone."
        return BookState(path, there=False, pages=fault, backups=len(backups), newest=newest, bad_backups=bad)
    state = BookState(path, backups=len(backups), newest=newest, bad_backups=bad)
    return _check(state, None)


def _examine_encrypted(state: BookState, key: Passphrase | None) -> BookState:
    if not state.there or key is None:
        return replace(state, unchecked=NONE_GIVEN)
    try:
        if looks_encrypted(state.path) and not fits(state.path, key):
            # A first page that is damaged looks like a wrong passphrase. A backup says which it is.
            if book_encryption.has_twin(state.path, backup_folder(state.path), key):
                return replace(state, pages=f"{state.path} is damaged: the passphrase fits its backups only")
            # Nor does it say anything about the backups.
            return replace(state, unchecked="the passphrase does not fit", bad_backups=())
    except ResourceError as error:
        return replace(state, unchecked=str(error), bad_backups=())
    return _check(state, key)


def _check(state: BookState, key: Passphrase | None) -> BookState:
    """Check the version, the pages and the rows."""
    path = state.path
    schema = 0
    refused = pages = ""
    rows: tuple[RowFault, ...] = ()
    try:
        if not looks_encrypted(path):
            check_file(path, advice="")
        schema = _read_schema(path, key)
        if schema > migrate.CASES.version:
            refused = (
                f"{path} has schema version {schema}; this program knows versions up to "
                f"{migrate.CASES.version}. Open it with a newer Claimlight."
            )
        else:
            pages, rows = _examine(path, schema, key)
    except _errors() as error:
        pages = str(error.orig if isinstance(error, DBAPIError) else error)
    return replace(state, refused=refused, pages=pages, rows=rows, schema=schema)


def repair_book(state: BookState) -> BookSalvaged:
    """Put a book of the sound rows and a backup in the place of a damaged one, which is kept.

    `ResourceError` if the book is open anywhere, or there is nothing to make it of; then nothing changes.
    """
    lock = BookLock(state.path)
    lock.take()
    work = state.path.with_name(f"{state.path.name}{REPAIRING}")
    try:
        _remove(work)
        return _repair(state, work)
    finally:
        _remove(work)
        lock.release()


def _repair(state: BookState, work: Path) -> BookSalvaged:
    backup = None if state.newest is None else Path(state.newest.backup.path)
    report = BookSalvaged()
    # Rows of older schemas have no digests, or other columns: then the backup alone is used.
    if state.there and state.schema == migrate.CASES.version:
        report = salvage_book(state.path, backup, work, pages_sound=not state.pages)
    elif backup is not None:
        copies.copy_book(backup, work)
        report = report._replace(whole=False)
    else:
        raise ResourceError(
            f"The case book {state.path} can't be repaired: nothing of it can be read, and there is no "
            "undamaged backup. Nothing was changed."
        )
    fault = copies.find_fault(work)
    contents = copies.read_contents(Backup(str(work), date.min, 0))
    if fault or contents.fault or not (contents.cases or report.newer):
        raise ResourceError(
            f"The case book {state.path} can't be repaired: "
            f"{fault or contents.fault or 'no case in it can be read'}. Nothing was changed."
        )
    kept = put_database(work, state.path, _DAMAGED)
    day = "" if state.newest is None else state.newest.backup.day.isoformat()
    return report._replace(
        kept="" if kept is None else str(kept), backup="" if backup is None else str(backup), day=day
    )


def _errors() -> tuple[type[Exception], ...]:
    return (ResourceError, DBAPIError, *database_errors())


def _read_schema(path: Path, key: Passphrase | None) -> int:
    with closing(connect(path, key, mode="ro")) as connection:
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if mark != migrate.CASES.application_id:
        raise ResourceError(f"{path} is a database, but not a Claimlight case book.")
    return version


def _examine(path: Path, schema: int, key: Passphrase | None) -> tuple[str, tuple[RowFault, ...]]:
    database = Database(path, advice="", read_only=True, passphrase=key)
    try:
        with database.read() as connection:
            migrate.read_version(connection, migrate.CASES, path)
            faults = find_page_faults(connection)
            if faults or schema < copies.DIGESTS_SINCE:
                return "; ".join(faults), ()
            return "", tuple(case_check.find_row_faults(connection))
    finally:
        database.close()


def _remove(work: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{work}{suffix}").unlink()
