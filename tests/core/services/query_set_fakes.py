"""A case book as version 1 wrote it, and its migration by a child that is killed at a statement.

Run as a program it opens the book named, so migrates it, and dies before the n-th statement of that.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from core.store import migrate
from core.store.database import Database
from core.store.migrations.cases.versions import v0001_first

REQUEST = (
    '{"query":{"text":"a damper","features":[],"section":"claims"},"before":"2020-01-01","top":5,'
    '"legs":["bm25"]}'
)
PROVENANCE = (
    '{"library":"L","generation":"g1","documents":9,"encoder":"e","centers":"c","device":"cpu",'
    '"parameters":[]}'
)
CASE = '{"id":1,"name":"old","created":"2026-03-01T09:00:00+00:00","changed":"2026-03-01T09:00:00+00:00"}'


def old_book(path: Path) -> None:
    """One case with one set of two documents, a row each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        for statement in v0001_first.STATEMENTS:
            connection.execute(statement)
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
        when = "2026-03-01T09:00:00+00:00"
        connection.execute("INSERT INTO case_file VALUES (1, ?, ?, ?)", (when, when, CASE))
        connection.execute(
            "INSERT INTO query_set VALUES (1, 1, ?, ?, ?, 'a note')", (when, REQUEST, PROVENANCE)
        )
        connection.executemany(
            "INSERT INTO set_hit VALUES (1, 1, ?, 'US', ?, 'B2', ?)", [(1, "3", 0.5), (2, "1", 0.25)]
        )
        connection.execute(f"PRAGMA application_id = {migrate.CASES.application_id}")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


def main(path: str, statement: str) -> None:
    from sqlalchemy import event

    from core.services.cases import CaseBook

    left = [int(statement)]

    def count(*_):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    made = Database.__init__

    def watched(self, *arguments, **options):
        made(self, *arguments, **options)
        event.listen(self.engine, "before_cursor_execute", count)
        event.listen(self.engine, "commit", count)

    Database.__init__ = watched
    CaseBook.open(Path(path)).close()


if __name__ == "__main__":
    main(*sys.argv[1:])
