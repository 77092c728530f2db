"""Creates, opens and migrates ``library.db`` of a library folder."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from claimlight import files
from claimlight.databases import LIBRARY_FILE
from claimlight.errors import InputError, ResourceError
from claimlight.store import migrate
from claimlight.store.database import LOCK_SECONDS, Database, Transactions, check_file
from claimlight.tasks import TaskContext

FILE_NAME = LIBRARY_FILE
_PAGE_BYTES = 16 << 10
"""A library is mostly long texts and long lists of places: large pages take fewer steps."""
ADVICE = (
    "The file was left as it is. `claimlight doctor --repair --library DIR` makes the library again of what "
    "is undamaged and of the patent files."
)


class Store:
    """An open library database. Use the functions of `claimlight.store.repository` to read it.

    `claimlight.store.postgres.connect` opens one on a server.
    """

    def __init__(self, folder: Path, database: Transactions) -> None:
        self.folder = folder
        self._database = database

    @classmethod
    def create(cls, folder: Path, *, timeout: float = LOCK_SECONDS) -> Store:
        """Make an empty library in ``folder``, which may exist but must hold no library.

        If several processes create one at the same time, one succeeds, and none overwrites another's.
        """
        path = folder / FILE_NAME
        if path.exists():
            raise _raise_taken(folder)
        # A name for each process: two that create the library at once must not write one file.
        temporary = path.with_name(f"{path.stem}.{os.getpid()}.new")
        try:
            files.private_folder(folder)
            temporary.unlink(missing_ok=True)
            files.touch_private(temporary)
        except OSError as error:
            raise ResourceError(f"No library can be made in {folder}: {error.strerror}.") from error
        # No write-ahead log: it would be left behind under the temporary name.
        database = Database(
            temporary, advice=ADVICE, timeout=timeout, journal="DELETE", page_bytes=_PAGE_BYTES
        )
        try:
            with database.write() as connection:
                migrate.upgrade(connection, migrate.LIBRARY)
        except ResourceError as error:
            if path.exists():  # the other process has cleared the folder
                raise _raise_taken(folder) from error
            raise
        finally:
            database.close()
        _publish(temporary, path)
        # Left by killed processes. One that is still at work fails, and reports the library it finds instead.
        for leftover in folder.glob(f"{path.stem}*.new"):
            leftover.unlink(missing_ok=True)
        return cls.open(folder, timeout=timeout)

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False, timeout: float = LOCK_SECONDS) -> Store:
        """Open the library in ``folder``; one that can't be written is opened read-only.

        A library of a newer schema, a damaged one and a file of another kind are refused with
        `ResourceError`; none of them is touched.
        """
        path = folder / FILE_NAME
        check_file(path, advice=ADVICE)
        # SQLite writes its log beside the file, so a read-only folder makes the library read-only.
        writable = os.access(path, os.W_OK) and os.access(folder, os.W_OK)
        read_only = read_only or not writable
        immutable = read_only and not writable and not _is_readable_live(path)
        database = Database(path, advice=ADVICE, read_only=read_only, immutable=immutable, timeout=timeout)
        try:
            _ensure_schema(database)
        except BaseException:
            database.close()
            raise
        return cls(folder, database)

    @property
    def path(self) -> Path:
        """The database file; of a shared library a name in its folder, at which there is no file."""
        return self._database.path

    @property
    def name(self) -> str:
        """What messages call the database."""
        return self._database.name

    @property
    def shared(self) -> bool:
        """Whether the documents are in a database of a server."""
        return self._database.shared

    @property
    def identity(self) -> str:
        """What distinguishes a shared library from one that is made again under its address; else empty."""
        return self._database.identity

    @property
    def read_only(self) -> bool:
        """Whether `write` is refused."""
        return self._database.read_only

    def read(self, context: TaskContext | None = None) -> AbstractContextManager[Connection]:
        """A connection on one snapshot; queries stop at once when ``context`` is cancelled."""
        return self._database.read(context)

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in one transaction, durable when the block is left without an exception."""
        return self._database.write()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _ensure_schema(database: Database) -> None:
    with database.read() as connection:
        version = migrate.read_version(connection, migrate.LIBRARY, database.path)
    if version == migrate.LIBRARY.version:
        return
    if database.read_only:
        raise ResourceError(
            f"{database.path} has the older schema {version} and is read-only, so it can't be brought to "
            f"{migrate.LIBRARY.version}. Open it once where it can be written."
        )
    try:
        with database.write() as connection:
            migrate.upgrade(connection, migrate.LIBRARY)
    except DBAPIError as error:
        raise ResourceError(
            f"{database.path} is damaged: it can't be brought from schema {version} to "
            f"{migrate.LIBRARY.version} ({error.orig}). {ADVICE}"
        ) from error


def _is_readable_live(path: Path) -> bool:
    """Whether SQLite can read the file without being allowed to write beside it.

    A write-ahead-logged database needs its ``-shm`` file, which a read-only folder can't take. Then
    only ``immutable`` works, which is right there: nobody can write the file.
    """
    try:
        with _plain(path) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        return False
    return True


@contextmanager
def _plain(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def _raise_taken(folder: Path) -> InputError:
    return InputError(f"{folder} already holds a library.")


def _publish(temporary: Path, path: Path) -> None:
    """Give a finished library its name, durably, unless another process was first."""
    try:
        # A link fails if the name is taken; a rename would overwrite the other library.
        os.link(temporary, path)
    except FileExistsError as error:
        raise _raise_taken(path.parent) from error
    except OSError:  # a file system without links
        if path.exists():
            raise _raise_taken(path.parent) from None
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)
    files.sync(path.parent)
