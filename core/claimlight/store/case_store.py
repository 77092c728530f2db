"""Opens, checks and migrates ``cases.db``; a backup is made before each migration."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection

from claimlight import paths
from claimlight.encryption import (
    Passphrase,
    connect,
    database_errors,
    driver,
    fits,
    looks_encrypted,
    remove,
)
from claimlight.errors import LockedCasesError, ResourceError, WrongPassphraseError
from claimlight.files import private_folder, put_in_place, tighten, touch_private
from claimlight.store import book_encryption, migrate
from claimlight.store.backup import clear_leftovers, find_fault, list_backups, lock_folder, make_backup
from claimlight.store.book_lock import BookLock
from claimlight.store.database import LOCK_SECONDS, Database, check_file

ADVICE = "Your work is not lost: restore the newest good backup."


class DamagedCasesError(ResourceError):
    """The case book is damaged; it was not changed."""


class CaseStore:
    """An open ``cases.db``."""

    def __init__(self, database: Database, lock: BookLock, passphrase: Passphrase | None) -> None:
        self._database = database
        self.passphrase = passphrase
        """What opened the book, and opens its backups; None if it is plain."""
        self._lock = lock
        self.author = lock.token
        """Names this opening of the book in its log."""

    @classmethod
    def open(
        cls,
        path: Path,
        backup_folder: Path,
        *,
        timeout: float = LOCK_SECONDS,
        passphrase: Passphrase | None = None,
    ) -> CaseStore:
        """Open the case book; create it, plain, if there never was one.

        `DamagedCasesError` if the file is damaged, or missing while backups exist. While it is open no backup
        can replace it. `LockedCasesError` if it is encrypted and ``passphrase`` is missing or wrong.
        """
        lock = BookLock(path)
        try:
            lock.share()
            database = _open(path, backup_folder, timeout, passphrase)
            return cls(database, lock, passphrase if looks_encrypted(path) else None)
        except BaseException:
            lock.release()
            raise

    @property
    def path(self) -> Path:
        """The database file."""
        return self._database.path

    def others(self) -> set[str]:
        """Other authors that have the book open."""
        return self._lock.others()

    def read(self) -> AbstractContextManager[Connection]:
        """A connection on one snapshot."""
        return self._database.read()

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in one transaction, on disk when the block is left."""
        return self._database.write()

    def compact(self) -> None:
        """Rewrite the file without erased data, whose bytes remain in its free space until then."""
        try:
            # A connection of its own: VACUUM is refused inside a transaction.
            with closing(connect(self.path, self.passphrase, mode="rw", timeout=LOCK_SECONDS)) as connection:
                connection.execute("VACUUM")
                # VACUUM writes into the log. Only this brings its pages into the file and empties the log.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except database_errors() as error:
            raise ResourceError(
                f"Erased data may still be in the free space of {self.path} ({error}). It "
                "is removed with the next case that is purged while no other window has the book open."
            ) from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()
        self._lock.release()


def _open(path: Path, backup_folder: Path, timeout: float, passphrase: Passphrase | None) -> Database:
    clear_leftovers(backup_folder)
    _keep_private(path, backup_folder)
    if not path.exists():
        # ``….damaged-1`` or ``….replaced-1``: a restore that was killed between its renames.
        if list_backups(backup_folder) or any(path.parent.glob(f"{path.name}.*ed-[0-9]*")):
            raise DamagedCasesError(f"{path} is gone, but backups of it are there. {ADVICE}")
        _create(path, timeout)
    if looks_encrypted(path):
        _unlock(path, backup_folder, passphrase)
    else:
        passphrase = None
        try:
            # SQLite itself would take an empty file for a new database.
            check_file(path, advice=ADVICE)
        except ResourceError as error:
            raise DamagedCasesError(str(error)) from error
    database = Database(path, advice=ADVICE, timeout=timeout, cache_mib=8, passphrase=passphrase)
    try:
        _ensure_schema(database, backup_folder, passphrase)
        if passphrase is not None:
            # What an encryption that was killed has left.
            book_encryption.encrypt_rest(path, backup_folder, passphrase)
    except BaseException:
        database.close()
        raise
    return database


def _unlock(path: Path, backup_folder: Path, passphrase: Passphrase | None) -> None:
    """Make sure that the passphrase fits."""
    if passphrase is None:
        driver(encrypted=True)
        raise LockedCasesError(f"The case book {path} is encrypted: its passphrase is needed.")
    if fits(path, passphrase):
        return
    # A first page that is damaged looks like a wrong passphrase. A backup of the same key says which it is.
    if book_encryption.has_twin(path, backup_folder, passphrase):
        raise DamagedCasesError(f"{path} is damaged: the passphrase fits its backups only. {ADVICE}")
    raise WrongPassphraseError(f"The passphrase does not fit the case book {path}.")


def _keep_private(path: Path, backup_folder: Path) -> None:
    """Make files of earlier versions private; a folder that the user chose keeps its permissions."""
    with suppress(OSError):
        # Left by a restore, or by an encryption, that was killed.
        for suffix in (".restoring", book_encryption.UNFINISHED):
            remove(path.with_suffix(suffix))
    if path.parent == paths.cases_dir():
        tighten(path.parent)
    for own in (backup_folder, *backup_folder.glob("cases-*"), *path.parent.glob(f"{path.name}*")):
        tighten(own)


def _create(path: Path, timeout: float) -> None:
    """Create the book under a lock: of two programs that start together, one creates it."""
    try:
        private_folder(path.parent)
        with lock_folder(path.parent, wait=timeout):
            # Again under the lock: another program may have created it since.
            if not path.exists():
                _make(path, timeout)
    except OSError as error:
        raise ResourceError(f"No case book can be made at {path}: {error.strerror}.") from error


def _make(path: Path, timeout: float) -> None:
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    touch_private(temporary)
    # No write-ahead log: it would be left behind under the temporary name.
    database = Database(temporary, advice=ADVICE, timeout=timeout, journal="DELETE")
    try:
        with database.write() as connection:
            migrate.upgrade(connection, migrate.CASES)
    finally:
        database.close()
    put_in_place(temporary, path)


def _ensure_schema(database: Database, backup_folder: Path, passphrase: Passphrase | None) -> None:
    fault = find_fault(database.path, passphrase)
    # A book in which another window is just writing is not damaged.
    if "locked" not in fault and fault:
        raise DamagedCasesError(f"{database.path} is damaged ({fault}). {ADVICE}")
    with database.read() as connection:
        version = migrate.read_version(connection, migrate.CASES, database.path)
    if version == migrate.CASES.version:
        return
    make_backup(
        database.path,
        backup_folder,
        datetime.now(UTC).date(),
        reason=f"-before-schema-{migrate.CASES.version}",
        passphrase=passphrase,
    )
    with database.write() as connection:
        migrate.upgrade(connection, migrate.CASES)
