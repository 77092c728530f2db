"""Bringing a database to the schema of this program, in one transaction, and refusing newer ones.

Alembic runs from code: the scripts lie beside this module, there is no ini file, and a database
that is up to date is opened without loading Alembic at all (``PRAGMA user_version`` tells).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from core.errors import ResourceError

_SCRIPTS = Path(__file__).resolve().parent / "migrations"


@dataclass(frozen=True, slots=True)
class Schema:
    """A kind of database: its folder of migrations, the newest of them, and its mark in the file."""

    name: str
    version: int
    application_id: int


LIBRARY = Schema("library", version=6, application_id=0x434C4C42)
CASES = Schema("cases", version=2, application_id=0x434C4353)


def version_of(connection: Connection, schema: Schema, path: Path) -> int:
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
    return version


def upgrade(connection: Connection, schema: Schema) -> None:
    """Run the missing migrations inside the transaction of ``connection``."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS / schema.name).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    connection.exec_driver_sql(f"PRAGMA application_id = {schema.application_id}")
    connection.exec_driver_sql(f"PRAGMA user_version = {schema.version}")
