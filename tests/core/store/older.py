"""A library as an older program left it: made by its own migrations, filled with the rows of a new one."""

from __future__ import annotations

import importlib.util
import sqlite3
from contextlib import closing
from pathlib import Path

from claimlight.store import Store, migrate
from claimlight.store.soundness import _digest

_VERSIONS = Path(migrate.__file__).parent / "migrations" / "library" / "versions"
_TITLES = 7
"""The first schema with titles that are no abstracts."""
_KNOWING = 8
"""The first schema that knows what related documents are."""
_NAMING = 9
"""The first schema with the pictures that documents name."""
_FULL_TEXT = ("passage_fts", "passage_words", "party_words")


def older_library(folder: Path, version: int) -> None:
    """Turn the library in ``folder`` into one of an earlier schema."""
    if version < _NAMING:
        _forget(folder, version)
    new, old = folder / "library.db", folder / "older.db"
    with closing(sqlite3.connect(old)) as connection:
        for script in sorted(_VERSIONS.glob("v*.py"))[:version]:
            spec = importlib.util.spec_from_file_location(script.stem, script)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            for statement in (*getattr(module, "FORMS", ()), *module.STATEMENTS):
                connection.execute(statement)
        connection.execute("DELETE FROM meta")
        connection.execute("ATTACH ? AS new", (str(new),))
        listed = "SELECT name FROM {}.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        there = {row[0] for row in connection.execute(listed.format("new"))}
        for (table,) in connection.execute(listed.format("main")).fetchall():
            if table in there and not table.startswith(_FULL_TEXT):
                columns = ", ".join(
                    f'"{row[1]}"' for row in connection.execute(f"PRAGMA table_info({table})")
                )
                connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM new.{table}")
        if version < _TITLES:
            connection.execute(
                "UPDATE passage SET section = 'abstract', label = 'abstract' WHERE label = 'title'"
            )
        for table in _FULL_TEXT:
            if connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = ?", (table,)).fetchone():
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        connection.execute("INSERT INTO alembic_version VALUES (?)", (f"{version:04d}",))
        connection.commit()
        connection.execute("DETACH new")
        connection.execute(f"PRAGMA application_id = {migrate.LIBRARY.application_id}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA journal_mode = WAL")
    old.replace(new)


def _forget(folder: Path, version: int) -> None:
    """What programs of that schema did not know goes, and the digests are of the rest, as theirs were."""
    with Store.open(folder) as store, store.write() as connection:
        run = connection.exec_driver_sql
        run("DELETE FROM picture")
        if version < _KNOWING:
            run("UPDATE citation SET date = ''")
            run("UPDATE priority SET kind = ''")
            unsaid = "relation = 'other', day = NULL, of_country = '', of_number = '', of_kind = ''"
            run(f"UPDATE related SET {unsaid}")
        for number in run("SELECT id FROM document").scalars().all():
            run("UPDATE document SET digest = ? WHERE id = ?", (_digest(connection, number), number))
