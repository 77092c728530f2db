"""The library database on a PostgreSQL server: the same tables, read by the same functions.

`connect` gives a `Store` like any other. Statements that the reading functions pass to the driver have ``?``
for parameters, on both databases; `claimlight.store.postgres.database` marks them for the driver of
PostgreSQL when they are executed. The driver (psycopg) is imported when the first shared library is opened.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from sqlalchemy import Connection

from claimlight.errors import BugError, MissingPackageError
from claimlight.store.store import Store

__all__ = ["connect", "create", "open_session"]


def connect(url: str, folder: Path, *, password: str | None = None, read_only: bool = True) -> Store:
    """Open the library in a database of a server.

    ``url`` is ``postgresql://[user@]host[:port]/database``, with parameters of libpq such as
    ``?sslmode=verify-full``; it must not contain the password. ``folder`` is where this computer keeps what
    belongs to the library. Raises `InputError` for a URL that can't be read, and `ResourceError` if the
    server can't be reached, refuses, or has no library of this schema.
    """
    _require_driver()
    from claimlight.store.postgres import database, schema

    opened = database.PostgresDatabase(url, folder, password=password, read_only=read_only)
    try:
        schema.check_schema(opened)
    except BaseException:
        opened.close()
        raise
    return Store(folder, opened)


def create(url: str, folder: Path, *, password: str | None = None) -> Store:
    """Open the library in a database of a server for writing, making an empty one first if there is none.

    See `connect`.
    """
    _require_driver()
    from claimlight.store.postgres import database, schema

    opened = database.PostgresDatabase(url, folder, password=password)
    try:
        if not schema.create_schema(opened):
            schema.check_schema(opened)
    except BaseException:
        opened.close()
        raise
    return Store(folder, opened)


def open_session(store: Store) -> AbstractContextManager[Connection]:
    """A connection to the server of a shared library, outside all transactions, closed afterwards."""
    from claimlight.store.postgres.database import PostgresDatabase

    database = store._database
    if not isinstance(database, PostgresDatabase):
        raise BugError("only a shared library has sessions")
    return database.session()


def _require_driver() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise MissingPackageError("A library on a PostgreSQL server", "psycopg", "postgres") from error
