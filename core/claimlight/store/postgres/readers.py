"""Who may read a shared library: rights of the database, for a user or a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import sql
from sqlalchemy import Connection

from claimlight.errors import InputError, ResourceError
from claimlight.store.postgres.database import driver_connection

_GRANTS = (
    "GRANT CONNECT ON DATABASE {database} TO {role}",
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}",
    # Tables that a later version of the program adds.
    "ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT ON TABLES TO {role}",
)
_LACKING = """
    SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %(schema)s AND c.relkind IN ('r', 'p')
      AND NOT (has_schema_privilege(%(role)s, n.oid, 'USAGE')
               AND has_table_privilege(%(role)s, c.oid, 'SELECT'))
"""


def allow_reading(connection: Connection, role: str, indexes: Sequence[str]) -> None:
    """Let a user or group of the server read the library, and the ``indexes`` that its database holds.

    ``indexes`` are names of schemas; those that there are not are skipped. Nothing is allowed beyond
    reading. `InputError` if the server has no such role; `ResourceError` if the connection is not that of the
    owner, who alone can give these rights.
    """
    # Not for SQLAlchemy: names can't be parameters.
    raw: Any = driver_connection(connection)
    if raw.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        raise InputError(
            f"The server has no user or group {role}. Its administrator makes one with CREATE ROLE."
        )
    database, own = raw.execute("SELECT current_database(), current_schema()").fetchone()
    # An engine of its own holds its indexes itself.
    held = raw.execute(
        "SELECT nspname FROM pg_namespace WHERE nspname = ANY(%s)", (list(indexes),)
    ).fetchall()
    for schema in (own, *(name for (name,) in held)):
        names = {"database": database, "schema": schema, "role": role}
        for grant in _GRANTS:
            raw.execute(sql.SQL(grant).format(**{key: sql.Identifier(name) for key, name in names.items()}))
        # Who may not give a right gets a warning, and no error.
        if raw.execute(_LACKING, {"schema": schema, "role": role}).fetchone()[0]:
            raise ResourceError(f"Only the owner of the library can let {role} read it. Nothing was changed.")
