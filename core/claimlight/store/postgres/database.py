"""Transactions on a PostgreSQL server, and errors that a user understands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from claimlight.databases import LIBRARY_FILE
from claimlight.errors import PasswordError, ResourceError, ServerError, TaskCancelled
from claimlight.store.database import mark_for_driver
from claimlight.store.postgres.connecting import SilentServerError, Target, WatchedConnection
from claimlight.store.postgres.explaining import explain, is_cancelled, wants_password
from claimlight.tasks import TaskContext

_POOL = 4
_MORE = 12
_STALE_SECONDS = 1.0
"""An unused connection is tried before its next use: the server may have been started again meanwhile."""
_READING = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
_DURABLE = """SELECT set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') = 'off'"""
"""A server that acknowledges what is not on its disk yet would lose documents that count as written."""
_LAST_USE = "claimlight_last_use"


class PostgresDatabase:
    """One database of a server; `read` and `write` give connections inside a transaction."""

    def __init__(
        self, url: str, folder: Path, *, password: str | None = None, read_only: bool = False
    ) -> None:
        """Nothing is connected before the first transaction; see `claimlight.store.postgres.connect`."""
        self._target = Target.of(url)
        self._password = password
        self.name = self._target.name
        self.path = folder / LIBRARY_FILE
        self.read_only = read_only
        self.shared = True
        self.identity = ""
        self.engine: Engine = create_engine(
            "postgresql+psycopg://",
            creator=lambda: self._target.connect(self._password),
            poolclass=QueuePool,
            pool_size=_POOL,
            max_overflow=_MORE,
            use_native_hstore=False,
        )
        event.listen(self.engine, "before_cursor_execute", _mark_plain, retval=True)
        event.listen(self.engine, "checkin", _note_use)
        event.listen(self.engine, "checkout", _try_stale)

    @contextmanager
    def read(self, context: TaskContext | None = None) -> Iterator[Connection]:
        """One snapshot; a query stops within a tenth of a second when ``context`` is cancelled."""
        with (
            self._told(context, "Nothing was changed."),
            self.engine.connect().execution_options(**_READING) as connection,
        ):
            raw = driver_connection(connection)
            raw.task = context
            try:
                yield connection
            finally:
                # The connection goes back to the pool: this task must not stop its next user.
                raw.task = None

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction, durable when the block is left without an exception."""
        if self.read_only:
            raise ResourceError(f"{self.name} is open for reading only.")
        with self._told(None, "Nothing of this step was saved."), self.engine.connect() as connection:
            transaction = connection.begin()
            try:
                connection.exec_driver_sql(_DURABLE)
                yield connection
            except BaseException:
                transaction.rollback()
                raise
            # If the connection is lost while it commits, nobody knows whether the server still did.
            with self._told(None, "Whether this step was saved is not known; starting it again is safe."):
                transaction.commit()

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """A connection outside all transactions, closed afterwards: advisory locks end with it."""
        with self._told(None, "Nothing of this step was saved."):
            connection = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # Out of the pool: its locks end with it, and nobody else gets them.
        connection.detach()
        try:
            with self._told(None, "What was acknowledged is kept."):
                yield connection
        finally:
            with suppress(SQLAlchemyError, psycopg.Error):
                if not connection.invalidated:
                    # At once: the server may take a while to notice that the connection is closed.
                    connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
            with suppress(SQLAlchemyError, psycopg.Error):
                connection.close()

    def close(self) -> None:
        """Close the connections that are not in use."""
        self.engine.dispose()

    @contextmanager
    def _told(self, context: TaskContext | None, outcome: str) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, psycopg.Error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if context is not None and context.cancelled and is_cancelled(cause):
                raise TaskCancelled from None
            told = explain(cause, self.name, outcome)
            if told is None:
                raise
            if wants_password(cause):
                # libpq's `used_password` is true as soon as a password is asked for.
                given = not cast("psycopg.Error", cause).pgconn.needs_password  # type: ignore[union-attr]
                raise PasswordError(told, server=self.name, wrong=given) from None
            # Without its cause, whose text may repeat the parameters of the connection.
            raise ServerError(told) from None


def driver_connection(connection: Connection) -> WatchedConnection:
    """The driver's connection, for COPY; use it within the transaction only."""
    return cast("WatchedConnection", connection.connection.driver_connection)


def _mark_plain(
    connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, *more: Any
) -> tuple[str, Any]:
    """Statements that were not composed by SQLAlchemy have ``?``."""
    del connection, cursor, more
    if context is None or context.compiled is not None or context.isddl:
        return statement, parameters
    return mark_for_driver(statement), parameters


def _note_use(connection: Any, record: Any) -> None:
    del connection
    record.info[_LAST_USE] = monotonic()


def _try_stale(connection: Any, record: Any, proxy: Any) -> None:
    del proxy
    last = record.info.get(_LAST_USE)
    if last is None or monotonic() - last < _STALE_SECONDS:
        return
    try:
        # Outside a transaction: the driver would begin one.
        connection.autocommit = True
        connection.execute("")
        connection.autocommit = False
    except SilentServerError:
        # The pool would connect again, and wait once more.
        raise
    except psycopg.Error as error:
        connection.abandon()
        raise DisconnectionError from error
