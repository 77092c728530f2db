"""Opens SQLite files: checks, pragmas, transactions, and errors that a user understands.

Reads run in a deferred transaction (one snapshot), writes in ``BEGIN IMMEDIATE``: SQLite lets a transaction
that begins with a read fail at its first write if another program is writing, without waiting.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from claimlight.encryption import HEADER, Passphrase, connect, database_errors, driver, looks_encrypted
from claimlight.errors import ResourceError, TaskCancelled
from claimlight.tasks import TaskContext

LOCK_SECONDS = 5.0
UNREADABLE_NAME = "a name in its schema is no text"
"""The finding of SQLite itself then can't be read."""
_WRITE = "claimlight_write"
_NO_TEXT = "Could not decode to UTF-8"
"""The driver's message for text with invalid UTF-8; SQLite itself does not check."""
_INTERRUPT_STEPS = 10_000
"""Virtual machine steps between two checks for cancelling: well under a millisecond."""


def check_file(path: Path, *, advice: str) -> None:
    """Refuse a file that is not a database; SQLite would treat an empty one as new."""
    try:
        with path.open("rb") as stream:
            header = stream.read(len(HEADER))
    except FileNotFoundError as error:
        raise ResourceError(f"There is no {path}.") from error
    except OSError as error:
        raise ResourceError(f"{path} can't be read: {error.strerror}.") from error
    if header != HEADER:
        state = "is empty" if not header else "does not begin like a database"
        raise ResourceError(f"{path} is damaged: it {state}. {advice}")


def find_page_faults(connection: Connection, most: int = 5) -> list[str]:
    """What SQLite finds wrong with pages, indexes and constraints, the first ``most``."""
    try:
        found = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA integrity_check({most})")]
    except UnicodeDecodeError:
        return [UNREADABLE_NAME]
    return [] if found == ["ok"] else found


class Transactions(Protocol):
    """A database of documents: one SQLite file, or a database of a server."""

    @property
    def path(self) -> Path:
        """The file; of a server's database a name in the working folder, at which there is no file."""
        ...

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether `write` is refused."""
        ...

    @property
    def shared(self) -> bool:
        """Whether it is a database of a server."""
        ...

    @property
    def identity(self) -> str:
        """What distinguishes a server's library from one that is made again; empty for a file."""
        ...

    def read(self, context: TaskContext | None = None) -> AbstractContextManager[Connection]:
        """A connection on one snapshot."""
        ...

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in one transaction."""
        ...

    def close(self) -> None:
        """Release what is open."""
        ...


def mark_for_driver(query: str) -> str:
    """A query with ``?`` for its parameters, as the driver of PostgreSQL reads it."""
    return query.replace("%", "%%").replace("?", "%s")


def is_shared(connection: Connection) -> bool:
    """Whether a connection is to a server."""
    return connection.dialect.name != "sqlite"


def execute_plain(connection: Connection, query: str, values: Sequence[object] = ()) -> Any:
    """The driver's own cursor after a query with ``?``: quicker than SQLAlchemy for very many rows."""
    if is_shared(connection):
        query = mark_for_driver(query)
    cursor = connection.connection.cursor()
    cursor.execute(query, tuple(values))
    return cursor


def among(connection: Connection, values: Iterable[object]) -> tuple[str, object]:
    """The condition that a column is one of these values, and its one parameter.

    For any number of values: both databases limit how many parameters a statement may have. The condition
    goes behind the name of the column.
    """
    listed = list(values)
    if is_shared(connection):
        return "= ANY(?)", listed
    return "IN (SELECT value FROM json_each(?))", json.dumps(listed)


class Database:
    """One SQLite file; `read` and `write` give connections inside a transaction."""

    def __init__(
        self,
        path: Path,
        *,
        advice: str,
        read_only: bool = False,
        immutable: bool = False,
        timeout: float = LOCK_SECONDS,
        journal: str = "WAL",
        cache_mib: int = 64,
        page_bytes: int | None = None,
        passphrase: Passphrase | None = None,
    ) -> None:
        """``page_bytes`` is the page size of a file that is still empty; others keep theirs.

        ``passphrase`` opens an encrypted file, and has no effect on a plain one.
        """
        self.path = path
        self.name = str(path)
        self.read_only = read_only
        self.shared = False
        self.identity = ""
        self._advice = advice
        self._timeout = timeout
        self._journal = journal
        self._cache_mib = cache_mib
        self._page_bytes = page_bytes
        self._passphrase = passphrase
        self._immutable = immutable
        self.engine: Engine = create_engine(
            "sqlite://",
            module=driver(encrypted=looks_encrypted(path)),
            creator=self._connect,
            poolclass=QueuePool,
            pool_size=4,
            max_overflow=12,
        )
        event.listen(self.engine, "begin", _begin_transaction)

    def _connect(self) -> sqlite3.Connection:
        # Without transactions of the driver, which would always be deferred ones. The pool hands connections
        # from thread to thread, which SQLite allows if they are not used at once.
        connection = connect(
            self.path,
            self._passphrase,
            mode="ro" if self.read_only else "rw",
            immutable=self._immutable,
            timeout=self._timeout,
        )
        # Negative means KiB, so the size of the cache does not depend on the page size.
        connection.execute(f"PRAGMA cache_size = {-1024 * self._cache_mib}")
        connection.execute("PRAGMA temp_store = MEMORY")
        # The file may be foreign: its views must not call functions with side effects.
        connection.execute("PRAGMA trusted_schema = OFF")
        if self._page_bytes is not None:
            # Before the journal mode: that writes the first page, and from then on the size is fixed.
            connection.execute(f"PRAGMA page_size = {self._page_bytes}")
        if not self.read_only:
            connection.execute(f"PRAGMA journal_mode = {self._journal}")
            # With NORMAL, a power loss could undo commits that were already reported as done.
            connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def read(self, context: TaskContext | None = None) -> Iterator[Connection]:
        """One snapshot; a query stops within milliseconds when ``context`` is cancelled."""
        with self._told(context), self.engine.connect() as connection:
            if context is None:
                yield connection
                return
            raw = _driver_connection(connection)
            raw.set_progress_handler(lambda: int(context.cancelled), _INTERRUPT_STEPS)
            try:
                yield connection
            finally:
                # The connection goes back to the pool: this task must not interrupt its next user.
                raw.set_progress_handler(None, 0)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction, durable when the block is left without an exception."""
        if self.read_only:
            raise ResourceError(f"{self.path} is open for reading only.")
        with (
            self._told(None),
            self.engine.connect().execution_options(**{_WRITE: True}) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _told(self, context: TaskContext | None) -> Iterator[None]:
        try:
            yield
        except _driver_errors() as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            # The low byte of an extended code is the primary one (SQLITE_IOERR_WRITE is an SQLITE_IOERR).
            code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
            if code == sqlite3.SQLITE_INTERRUPT and context is not None and context.cancelled:
                raise TaskCancelled from None
            told = self._explain(code, str(cause))
            if told is None:
                raise
            raise told from error
        except UnicodeDecodeError as error:
            # An error of SQLite quotes a name of the schema, and the driver can't read the error.
            raise ResourceError(f"{self.path} is damaged ({UNREADABLE_NAME}). {self._advice}") from error

    def _explain(self, code: int, detail: str) -> ResourceError | None:
        name = self.path
        messages = {
            sqlite3.SQLITE_BUSY: f"{name} is locked by another program for over {self._timeout:g} seconds. "
            "Close the other import or window and try again; nothing was changed.",
            sqlite3.SQLITE_LOCKED: f"{name} is locked. Try again; nothing was changed.",
            sqlite3.SQLITE_FULL: f"The disk is full: {name} can't grow. Nothing of this step was saved; "
            "free some space and start it again; it resumes where it stopped.",
            sqlite3.SQLITE_CORRUPT: f"{name} is damaged ({detail}). {self._advice}",
            sqlite3.SQLITE_NOTADB: f"{name} is damaged ({detail}). {self._advice}",
            sqlite3.SQLITE_READONLY: f"{name} can't be written: the file or its folder is read-only.",
            sqlite3.SQLITE_CANTOPEN: f"{name} can't be opened ({detail}).",
            sqlite3.SQLITE_IOERR: f"Reading or writing {name} failed ({detail}). Check the disk.",
        }
        if code == 0 and detail.startswith(_NO_TEXT):
            code = sqlite3.SQLITE_CORRUPT
        message = messages.get(code)
        return ResourceError(message) if message else None

    def close(self) -> None:
        """Close the file; the last writer merges the write-ahead log into it."""
        self.engine.dispose()


def _driver_errors() -> tuple[type[Exception], ...]:
    return (DBAPIError, *database_errors())


def _begin_transaction(connection: Connection) -> None:
    immediate = connection.get_execution_options().get(_WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _driver_connection(connection: Connection) -> sqlite3.Connection:
    # That of an encrypted file is no `sqlite3.Connection`, but has its methods.
    return cast("sqlite3.Connection", connection.connection.driver_connection)
