"""The append-only log of a case, from which undo and redo are derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from claimlight.store.case_digests import digest_values
from claimlight.types import Action

_COLUMNS = ("case_id", "at", "action", "text", "subject", "key", "before", "after", "refers", "author")


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the log with a change; ``refers`` is the change that it undid or redid."""

    id: int
    action: Action
    text: str
    subject: str
    key: str
    refers: int | None
    author: str


@dataclass(frozen=True, slots=True)
class Step:
    """A whole line of the log."""

    id: int
    at: datetime
    action: Action
    text: str
    subject: str
    key: str
    before: str | None
    after: str | None
    refers: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A new line of the log."""

    at: datetime
    action: Action
    text: str
    subject: str = ""
    key: str = ""
    before: str | None = None
    after: str | None = None
    refers: int | None = None


def append_line(connection: Connection, case: int, line: Line, author: str) -> None:
    """Append a line to the log of a case."""
    # The digest covers the number, so it must be known before the row. AUTOINCREMENT's own counter is the
    # only one that also knows lines that were purged: `refers` and undo rely on numbers being used once.
    following = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'log'"
    values = (
        *(connection.exec_driver_sql(following).scalar_one(), case),
        *(line.at.isoformat(), line.action.value, line.text, line.subject, line.key),
        *(line.before, line.after, line.refers, author),
    )
    names = ", ".join(f'"{name}"' for name in ("id", *_COLUMNS, "digest"))
    query = f"INSERT INTO log ({names}) VALUES ({', '.join('?' * (len(values) + 1))})"  # noqa: S608
    connection.exec_driver_sql(query, (*values, digest_values("log", *values)))


def read_steps(connection: Connection, case: int) -> Iterator[Step]:
    """Every line that can be read, oldest first."""
    names = ("at", "action", "text", "subject", "key", "before", "after")
    texts = ", ".join(f'CAST("{name}" AS BLOB)' for name in names)
    query = f"SELECT id, refers, {texts} FROM log WHERE case_id = ? ORDER BY id"  # noqa: S608
    # Texts are read as bytes: the driver raises for invalid UTF-8, and one damaged line would hide all.
    for number, refers, *raw in connection.exec_driver_sql(query, (case,)):
        try:
            at, action, text, subject, key = (value.decode() for value in raw[:5])
            before, after = (None if value is None else value.decode() for value in raw[5:])
            when = datetime.fromisoformat(at)
            yield Step(number, when, Action(action), text, subject, key, before, after, refers)
        except ValueError:
            continue


def read_touches(connection: Connection, case: int) -> Iterator[tuple[datetime, Action, str, bool]]:
    """Time, action, key and whether a value stood after it, of all lines on documents, oldest first."""
    query = """SELECT CAST(at AS BLOB), CAST(action AS BLOB), CAST(key AS BLOB), "after" IS NOT NULL
        FROM log WHERE case_id = ? AND subject IN ('seen', 'mark', 'confirmation') ORDER BY id"""
    for at, action, key, after in connection.exec_driver_sql(query, (case,)):
        try:
            yield datetime.fromisoformat(at.decode()), Action(action.decode()), key.decode(), bool(after)
        except ValueError:
            continue


def read_changes(connection: Connection, case: int) -> Iterator[Change]:
    """The changes that undo and redo apply to, oldest first; reading a document is logged but not undone."""
    query = """SELECT id, CAST(action AS BLOB), CAST(text AS BLOB), CAST(subject AS BLOB), CAST(key AS BLOB),
        refers, CAST(author AS BLOB) FROM log
        WHERE case_id = ? AND action <> 'seen' AND (subject <> '' OR refers IS NOT NULL) ORDER BY id"""
    for number, action, text, subject, key, refers, author in connection.exec_driver_sql(query, (case,)):
        try:
            yield Change(
                *(number, Action(action.decode()), text.decode(), subject.decode(), key.decode()),
                *(refers, author.decode()),
            )
        except ValueError:
            continue


def read_values(connection: Connection, change: int) -> tuple[str | None, str | None]:
    """The state before and after a change."""
    query = 'SELECT "before", "after" FROM log WHERE id = ?'
    before, after = connection.exec_driver_sql(query, (change,)).one()
    return before, after


def read_last_line(connection: Connection) -> int:
    """Number of the newest line of any case; 0 if there is none."""
    return int(connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM log").scalar_one())


def find_undoable(
    changes: Iterator[Change], mine: Callable[[Change], bool]
) -> tuple[list[Change], list[Change]]:
    """The own changes that can be undone and redone, next one last, found by replaying the log."""
    done: list[Change] = []
    undone: list[Change] = []
    for change in changes:
        if not mine(change):
            continue
        if change.action is Action.UNDONE:
            _move(change.refers, done, undone)
        elif change.action is Action.REDONE:
            _move(change.refers, undone, done)
        else:
            done.append(change)
            undone.clear()
    return done, undone


def _move(number: int | None, source: list[Change], target: list[Change]) -> None:
    found = next((item for item in reversed(source) if item.id == number), None)
    if found is not None:
        source.remove(found)
        target.append(found)
