"""Migrates a database to the schema of this program in one transaction; refuses newer ones.

Alembic runs from code, with the scripts in ``migrations`` and no ini file. An up-to-date database is opened
without loading Alembic at all: ``PRAGMA user_version`` holds its schema version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sqlalchemy import Connection

from claimlight.databases import Mark
from claimlight.errors import ResourceError

_SCRIPTS = Path(__file__).resolve().parent / "migrations"


@dataclass(frozen=True, slots=True)
class Schema:
    """A kind of database: its folder of migrations, the newest of them, and its mark in the file."""

    name: str
    version: int
    application_id: int


LIBRARY = Schema("library", version=9, application_id=Mark.LIBRARY)
CASES = Schema("cases", version=4, application_id=Mark.CASES)
DRAWINGS = Schema("drawings", version=1, application_id=Mark.DRAWINGS)


def read_version(connection: Connection, schema: Schema, path: Path) -> int:
    """Schema version of the open file; refuses a newer one and a file of another program."""
    version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    mark = int(connection.exec_driver_sql("PRAGMA application_id").scalar_one())
    if mark != schema.application_id:
        raise ResourceError(f"{path} is a database, but not a Claimlight {schema.name}.")
    if version > schema.version:
        raise ResourceError(
            f"{path} has schema version {version}; this program knows versions up to {schema.version}. "
            "Open it with a newer Claimlight; nothing was changed."
        )
    if foreign := find_foreign_objects(connection, schema):
        raise ResourceError(
            f"{path} was not opened: it holds {', '.join(foreign)}, which no Claimlight {schema.name} has. A "
            "trigger or a view in a file that was handed over changes what is written and shown. Get the "
            "file again from its source, or rebuild it; nothing was changed."
        )
    return version


def find_foreign_objects(connection: Connection, schema: Schema) -> list[str]:
    """Triggers, views, tables and indexes that no migration of ``schema`` makes, each in words.

    Migrations make no triggers. A view must match a migration word for word; for tables and indexes the
    name is compared, because SQLite rewrites their text when a column is added.
    """
    script = _read_script(schema.name)
    names = frozenset(re.findall(r"\w+", script))
    found = []
    for kind, name, table, text in connection.exec_driver_sql(_OBJECTS):
        shadow = name.rpartition("_")
        known = name in names or (shadow[0] in names and shadow[2] in _SHADOWS)
        if kind == "trigger":
            found.append(f"the trigger {name} on {table}")
        elif not known or (kind == "view" and _squeeze(text) not in script):
            found.append(f"the {kind} {name}")
    return found


# SQLite reserves names with sqlite_ for its own tables and indexes.
_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_SHADOWS = frozenset(("data", "idx", "docsize", "config", "content"))
"""Tables that the full text makes for itself."""


@cache
def _read_script(name: str) -> str:
    """The text of all migrations of a schema, with single spaces."""
    scripts = sorted((_SCRIPTS / name / "versions").glob("v*.py"))
    return _squeeze(" ".join(path.read_text(encoding="utf-8") for path in scripts) + " alembic_version")


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def upgrade(connection: Connection, schema: Schema) -> None:
    """Run the missing migrations inside the transaction of ``connection``."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    # Alembic reads options with ConfigParser, in which % begins a variable.
    config.set_main_option("script_location", str(_SCRIPTS / schema.name).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    # Both are part of the transaction: after a kill the file has its old schema and its old version.
    connection.exec_driver_sql(f"PRAGMA application_id = {int(schema.application_id)}")
    connection.exec_driver_sql(f"PRAGMA user_version = {schema.version}")
