"""A case book as version 1 wrote it, and its migration by a child that is killed at a statement.

`main` opens the book named, so migrates it, and dies before the n-th statement; given a case, it records sets
in it and prints a line for each until then.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from sqlalchemy import event

from claimlight.services.cases.cases import CaseBook
from claimlight.store import migrate
from claimlight.store.database import Database
from claimlight.store.migrations.cases.versions import v0001_first
from claimlight.types import (
    CaseId,
    DefaultOperator,
    ParsedQuery,
    PatentId,
    Provenance,
    SetHits,
    SetRequest,
    SetResult,
    publication_text,
)

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


def found() -> SetResult:
    """A set of 500 documents."""
    keys = [publication_text("EP", str(n), "A1") for n in range(500)]
    parsed = ParsedQuery("x", "x", (), DefaultOperator.AND)
    origin = Provenance("L", "", 500, "", "", "")
    return SetResult(
        SetRequest("x"), parsed, tuple(map(PatentId, range(500))), (), (), (), origin, SetHits(keys)
    )


def main(path: str, statement: str, case: str = "") -> None:
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
    with CaseBook.open(Path(path)) as book:
        while case:
            book.record_set(CaseId(int(case)), found())
            sys.stdout.write("recorded\n")
            sys.stdout.flush()
