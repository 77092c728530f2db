"""The file ``cases.db``: opened, checked, migrated behind a backup."""

from __future__ import annotations

import secrets
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection

from core.errors import ResourceError
from core.locks import FileLock
from core.store import migrate
from core.store.backup import alone, backups, clear_leftovers, healthy, make_backup, sync
from core.store.database import LOCK_SECONDS, Database, check_file

ADVICE = "Your work is not lost: restore the newest good backup."


class DamagedCasesError(ResourceError):
    """The case book can't be read as it is; it was left untouched."""


class CaseStore:
    """An open ``cases.db``."""

    def __init__(self, database: Database, lock: FileLock) -> None:
        self._database = database
        self._lock = lock
        self.author = secrets.token_hex(8)
        """Names this opening of the book in its log."""

    @classmethod
    def open(cls, path: Path, backup_folder: Path, *, timeout: float = LOCK_SECONDS) -> CaseStore:
        """Open the case book, made first if there never was one.

        `DamagedCasesError` when the file is no sound database, or is gone while backups of it exist. Until
        it is closed nobody can put a backup in its place.
        """
        lock = _shared(path)
        try:
            return cls(_opened(path, backup_folder, timeout), lock)
        except BaseException:
            lock.release()
            raise

    @property
    def path(self) -> Path:
        """The database file."""
        return self._database.path

    def read(self) -> AbstractContextManager[Connection]:
        """A connection on one snapshot."""
        return self._database.read()

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in one transaction, on disk when the block is left."""
        return self._database.write()

    def close(self) -> None:
        """Give the file back."""
        self._database.close()
        self._lock.release()


def hold_alone(path: Path) -> FileLock:
    """Keep everybody from the book while a backup takes its place; `ResourceError` where it is open."""
    lock = FileLock(_lock_path(path))
    try:
        if lock.take():
            return lock
    except OSError as error:
        raise ResourceError(f"{path} can't be replaced: {error.strerror}.") from error
    raise ResourceError(
        f"The case book {path} is open in a window or another command. Close every Claimlight window and "
        "try again; nothing was changed."
    )


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _shared(path: Path) -> FileLock:
    lock = FileLock(_lock_path(path))
    try:
        if lock.take(shared=True):
            return lock
    except OSError:
        return lock  # nobody can put a backup into a folder that can't be written
    raise ResourceError(f"A backup is taking the place of {path} just now. Try again in a moment.")


def _opened(path: Path, backup_folder: Path, timeout: float) -> Database:
    clear_leftovers(backup_folder)
    if not path.exists():
        if backups(backup_folder) or any(path.parent.glob(f"{path.name}.damaged-*")):
            raise DamagedCasesError(f"{path} is gone, but backups of it are there. {ADVICE}")
        _create(path, timeout)
    try:
        check_file(path, advice=ADVICE)
    except ResourceError as error:
        raise DamagedCasesError(str(error)) from error
    database = Database(path, advice=ADVICE, timeout=timeout, cache_mib=8)
    try:
        _ensure_schema(database, backup_folder)
    except BaseException:
        database.close()
        raise
    return database


def _create(path: Path, timeout: float) -> None:
    """Of two programs that start together one makes the book, and the other finds it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with alone(path.parent, wait=timeout):
            if not path.exists():
                _make(path, timeout)
    except OSError as error:
        raise ResourceError(f"No case book can be made at {path}: {error.strerror}.") from error


def _make(path: Path, timeout: float) -> None:
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    temporary.touch()
    database = Database(temporary, advice=ADVICE, timeout=timeout, journal="DELETE")
    try:
        with database.write() as connection:
            migrate.upgrade(connection, migrate.CASES)
    finally:
        database.close()
    temporary.replace(path)
    sync(path.parent)


def _ensure_schema(database: Database, backup_folder: Path) -> None:
    fault = healthy(database.path)
    if "locked" not in fault and fault:
        raise DamagedCasesError(f"{database.path} is damaged ({fault}). {ADVICE}")
    with database.read() as connection:
        version = migrate.version_of(connection, migrate.CASES, database.path)
    if version == migrate.CASES.version:
        return
    make_backup(
        database.path,
        backup_folder,
        datetime.now(UTC).date(),
        reason=f"-before-schema-{migrate.CASES.version}",
    )
    with database.write() as connection:
        migrate.upgrade(connection, migrate.CASES)
