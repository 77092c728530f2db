"""The tables of a shared library: those of a library's file, and what only a server has.

Made at once; the number of this schema is a row of ``shared_state``. Texts are in the collation ``C``: their
order and ranges are then those of SQLite, byte by byte of UTF-8, in databases of any locale.
"""

from __future__ import annotations

import secrets
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    select,
)

from claimlight.errors import InputError, ResourceError
from claimlight.store.library_tables import Library
from claimlight.store.postgres import indexed, pushes, words
from claimlight.store.postgres.explaining import NO_LIBRARY

if TYPE_CHECKING:
    from claimlight.store.postgres.database import PostgresDatabase

VERSION = 1
"""Number of the schema; a library of a newer one is refused."""
VERSION_KEY = "library_schema"
"""Row of ``shared_state`` with the version of the schema, as decimal digits."""
IDENTITY_KEY = "library_identity"
"""Row of ``shared_state`` with random bytes: a library that is made again has others."""
_IDENTITY_BYTES = 16
_COUNTERS = {"version": 0, "next_document": 1, "next_passage": 1}
_NUMBERED = ("source", "quarantine", "import_run", "import_fault")
"""Tables whose ids the server gives."""
_LOCK = 0x636C616D
"""Number of the advisory lock that lets one program at a time make a library."""


@cache
def shared_tables() -> MetaData:
    """All tables with the columns and indexes that only a server has.

    * ``shared_state``: named values of what belongs to the whole library.
    * ``document.changed``: `library_version` of the commit that wrote the row.
    """
    made = MetaData()
    for table in Library.metadata.sorted_tables:
        own = table.to_metadata(made)
        for column in own.columns:
            if isinstance(column.type, String):
                column.type = Text(collation="C")
            if column.primary_key and table.name not in _NUMBERED:
                column.autoincrement = False
    document = made.tables["document"]
    changed: Column[int] = Column("changed", BigInteger, nullable=False)
    document.append_column(changed)
    Index("document_changed", changed)
    Index("removed_version", made.tables["removed"].c.version)
    Table(
        "shared_state",
        made,
        Column("name", Text(collation="C"), primary_key=True),
        Column("value", LargeBinary, nullable=False),
    )
    return made


def create_schema(database: PostgresDatabase) -> bool:
    """Make the tables of an empty library; False, and nothing is changed, if there is one already.

    `InputError` if the tables of something else are in the way.
    """
    with database.write() as connection:
        run = connection.exec_driver_sql
        encoding = run("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            raise ResourceError(
                f"{database.name} has the encoding {encoding}; a library needs UTF8. Make a database with it."
            )
        run("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
        if _has_table(connection, "shared_state"):
            return False
        if _has_table(connection, "document"):
            raise InputError(
                f"{database.name} has a table `document` of another program; give a database of its own."
            )
        shared_tables().create_all(connection, checkfirst=False)
        words.create_tables(connection)
        indexed.create_tables(connection)
        pushes.create_tables(connection)
        run("INSERT INTO meta (key, value) VALUES (?, ?)", list(_COUNTERS.items()))
        write_state(connection, VERSION_KEY, str(VERSION).encode())
        identity = secrets.token_bytes(_IDENTITY_BYTES)
        write_state(connection, IDENTITY_KEY, identity)
    database.identity = identity.hex()
    return True


def check_schema(database: PostgresDatabase) -> None:
    """Refuse a database without a library, and one of another schema, with `ResourceError`."""
    with database.read() as connection:
        found = read_state(connection, VERSION_KEY) if _has_table(connection, "shared_state") else None
        database.identity = "" if found is None else read_identity(connection)
    if found is None:
        raise ResourceError(f"{database.name} {NO_LIBRARY}")
    version = int(found)
    if version > VERSION:
        raise ResourceError(
            f"{database.name} has schema version {version}; this program knows versions up to {VERSION}. "
            "Open it with a newer Claimlight; nothing was changed."
        )


def read_identity(connection: Connection) -> str:
    """What the library was given when it was made, as hexadecimal digits."""
    return (read_state(connection, IDENTITY_KEY) or b"").hex()


def read_state(connection: Connection, name: str) -> bytes | None:
    """A value of the whole library; None if it was never written."""
    state = shared_tables().tables["shared_state"]
    found: bytes | None = connection.execute(select(state.c.value).where(state.c.name == name)).scalar()
    return found


def write_state(connection: Connection, name: str, value: bytes) -> None:
    """Store a value of the whole library in place of its former one."""
    connection.exec_driver_sql(
        "INSERT INTO shared_state (name, value) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _has_table(connection: Connection, name: str) -> bool:
    return connection.exec_driver_sql("SELECT to_regclass(?)", (name,)).scalar() is not None
