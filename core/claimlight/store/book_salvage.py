"""Makes a case book again of a damaged one: its sound rows, its own history, and a backup for the rest.

If SQLite finds all pages sound, the damaged book is copied, and only rows whose digest does not hold are
replaced: by what the history of their case says, if that is whole, else by the row of the backup. A row that
neither has stays as it is. If pages are damaged, the backup is copied, and every row of the damaged book
whose digest holds is put over it, because the book is the later one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from claimlight.codec import decode
from claimlight.files import touch_private
from claimlight.store import backup as copies
from claimlight.store import migrate
from claimlight.store.case_digests import Value, digest_values, select_raw
from claimlight.store.case_rows import UNREADABLE, put_case, put_state
from claimlight.store.database import Database
from claimlight.types import Action, Case
from claimlight.types.repairs import BookSalvaged

_LOG = ("id", "case_id", "at", "action", "text", "subject", "key", "before", "after", "refers", "author")
_SET = ("case_id", "number", "created", "request", "provenance", "notes", "parsed", "documents", "hits")
_HIT = ("rank", "country", "publication", "kind", "score")
_TABLES: dict[str, tuple[tuple[str, ...], int]] = {
    "case_file": (("id", "created", "changed", "value", "touched"), 1),
    "state": (("case_id", "subject", "key", "value"), 3),
    "query_set": (_SET, 2),
    "log": (_LOG, 1),
}
"""Columns of each table that its digest covers, and how many of them are its key."""
_BLOBS = {"hits"}
_BROKEN = (sqlite3.Error, OverflowError, ValueError)
_Key = tuple[str, tuple[Any, ...]]


@dataclass(slots=True)
class _Rows:
    """The rows of a book, by table and key."""

    sound: dict[_Key, tuple[Any, ...]] = field(default_factory=dict)
    """Values of the columns and the digest."""
    damaged: list[_Key] = field(default_factory=list)
    hits: dict[tuple[Any, Any], list[tuple[Any, ...]]] = field(default_factory=dict)
    """Hits that are rows of their own, by case and number of set."""

    def last_line(self) -> int:
        return max((key[0] for table, key in self.sound if table == "log"), default=0)


def salvage_book(damaged: Path, backup: Path | None, target: Path, *, pages_sound: bool) -> BookSalvaged:
    """Write a book at ``target``, which must not exist, of a damaged one and a backup of it.

    `ResourceError` if there is neither a backup nor a readable row.
    """
    found = _read(damaged)
    old = _read(backup) if backup is not None else _Rows()
    start = damaged if pages_sound else backup
    if start is not None:
        copies.copy_book(start, target)
    else:
        touch_private(target)
    database = Database(target, advice="", journal="DELETE")
    try:
        with database.write() as connection:
            if start is None or not pages_sound:
                migrate.upgrade(connection, migrate.CASES)
            report = _mend(connection, found, old) if pages_sound else _overlay(connection, found, old)
    finally:
        database.close()
    return report


def _mend(connection: Connection, found: _Rows, old: _Rows) -> BookSalvaged:
    """Replace the damaged rows of a copy whose pages are sound."""
    history: list[str] = []
    older: list[str] = []
    lost: list[str] = []
    # Lines of the history first: a backup may complete what the others are taken from.
    for place in sorted(found.damaged, key=lambda item: item[0] != "log"):
        table, key = place
        if table in ("state", "case_file") and _from_history(connection, found, place):
            history.append(_name(place))
        elif place in old.sound:
            _put(connection, table, old.sound[place])
            if table == "query_set":
                _put_hits(connection, key, old)
            if table == "log":
                found.sound[place] = old.sound[place]
                found.damaged.remove(place)
            older.append(_name(place))
        else:
            lost.append(_name(place))
    unchanged = [item for item in older if not item.startswith(("a line", "set"))]
    return BookSalvaged(
        from_history=tuple(history),
        # Neither a set nor a line of the history ever changes: they are as they were.
        newer=len(older) - len(unchanged),
        older=tuple(unchanged),
        lost=tuple(lost),
    )


def _overlay(connection: Connection, found: _Rows, old: _Rows) -> BookSalvaged:
    """Put the sound rows of a damaged book over those of its backup."""
    before = old.last_line()
    newer = 0
    for place, row in found.sound.items():
        if old.sound.get(place) != row:
            _put(connection, place[0], row)
            if place[0] == "query_set":
                _put_hits(connection, place[1], found)
            newer += 1
    # A row that can't be read, or that only the backup has: the history knows what became of it.
    history: list[str] = []
    last = _replay(found, before)
    for place, value in last.items():
        if place not in found.sound and (value is not None or place in old.sound):
            case, subject, about = place[1]
            put_state(connection, case, subject, about, value)
            history.append(_name(place))
    rest = [place for place in found.damaged if place not in last]
    _set_counters(connection)
    return BookSalvaged(
        newer=newer,
        from_history=tuple(history),
        older=tuple(_name(place) for place in rest if place in old.sound),
        lost=tuple(_name(place) for place in rest if place not in old.sound),
        whole=False,
    )


def _from_history(connection: Connection, found: _Rows, place: _Key) -> bool:
    """Set a damaged row to what the history says last; False if that is not sure."""
    table, key = place
    case = key[0]
    if any(name == "log" for name, _ in found.damaged) or not isinstance(case, int):
        return False
    subject, about = ("case", "") if table == "case_file" else (_text(key[1]), _text(key[2]))
    lines = [row for (name, _), row in found.sound.items() if name == "log" and row[1] == case]
    lines.sort(key=lambda row: row[0])
    by_number = {row[0]: row for row in lines}
    value: str | None = None
    known = False
    for row in lines:
        action, refers = _text(row[3]), row[9]
        line = by_number.get(refers) if refers is not None else row
        if line is None or (_text(line[5]), _text(line[6])) != (subject, about):
            continue
        if refers is not None and table == "case_file":
            return False  # an undo changes single fields of a case
        value = _text(line[7] if action == Action.UNDONE.value else line[8])
        known = True
    if not known or (table == "case_file" and not value):
        return False
    if table == "state":
        put_state(connection, case, subject, about, value or None)
        return True
    with suppress(*UNREADABLE):
        said = decode(Case, value or "")
        changed = datetime.fromisoformat(_text(lines[-1][2]))
        query = "UPDATE case_file SET created = ?, touched = 0 WHERE id = ?"
        connection.exec_driver_sql(query, (said.created.isoformat(), case))
        put_case(connection, replace(said, changed=changed))
        return True
    return False


def _replay(found: _Rows, before: int) -> dict[_Key, str | None]:
    """What the history after a line says last of each row of ``state``; None: it was removed."""
    last: dict[_Key, str | None] = {}
    lines = sorted((row for (name, _), row in found.sound.items() if name == "log"), key=lambda row: row[0])
    by_number = {row[0]: row for row in lines}
    for row in lines:
        line = by_number.get(row[9]) if row[9] is not None else row
        if row[0] <= before or line is None or not line[5] or _text(line[5]) == "case":
            continue
        value = line[7] if _text(row[3]) == Action.UNDONE.value else line[8]
        last["state", (line[1], _text(line[5]), _text(line[6]))] = None if value is None else _text(value)
    return last


def _read(path: Path) -> _Rows:
    """Every row that can be read, from both ends of each table."""
    found = _Rows()
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with suppress(*_BROKEN), closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        for number, rank, *hit in _walk(connection, "set_hit", ("case_id", "number", *_HIT), "rank"):
            found.hits.setdefault((number, rank), []).append(tuple(hit))
        for table, (names, width) in _TABLES.items():
            seen: set[_Key] = set()
            for row in _walk(connection, table, (*names, "digest"), ", ".join(names[:width])):
                place = table, tuple(map(_plain, row[:width]))
                if place in seen:
                    continue
                seen.add(place)
                if row[-1] is not None and row[-1] == _digest(table, row[:-1], found):
                    found.sound[place] = row
                else:
                    found.damaged.append(place)
    return found


def _walk(
    connection: sqlite3.Connection, table: str, names: tuple[str, ...], key: str
) -> Iterator[tuple[Any, ...]]:
    backwards = ", ".join(f"{name} DESC" for name in key.split(", "))
    for order in (key, backwards):
        try:
            query = f"SELECT {select_raw(names)} FROM {table} ORDER BY {order}"  # noqa: S608 - names of ours
            yield from connection.execute(query)
        except _BROKEN:
            continue
        return


def _digest(table: str, row: tuple[Value, ...], found: _Rows) -> bytes:
    single: list[Value] = []
    if table == "query_set" and row[-1] is None:
        hits = sorted(found.hits.get((row[0], row[1]), []), key=lambda hit: str(hit[0]))
        hits.sort(key=lambda hit: hit[0] if isinstance(hit[0], int) else 0)
        single = [value for hit in hits for value in hit]
    return digest_values(table, *row, *single)


def _put(connection: Connection, table: str, row: tuple[Any, ...]) -> None:
    names = (*_TABLES[table][0], "digest")
    columns = ", ".join(f'"{name}"' for name in names)
    marks = ", ".join("?" * len(names))
    values = [
        value if name in _BLOBS or name == "digest" else _plain(value)
        for name, value in zip(names, row, strict=True)
    ]
    query = f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 - names of ours
    connection.exec_driver_sql(query, tuple(values))


def _put_hits(connection: Connection, key: tuple[Any, ...], rows: _Rows) -> None:
    for hit in rows.hits.get((key[0], key[1]), []):
        query = """INSERT OR REPLACE INTO set_hit (case_id, number, rank, country, publication, kind, score)
            VALUES (?, ?, ?, ?, ?, ?, ?)"""
        connection.exec_driver_sql(query, (*key, *map(_plain, hit)))


def _set_counters(connection: Connection) -> None:
    """Numbers of cases and lines are never used twice: rows with a number set the counters."""
    for table in ("case_file", "log"):
        highest = f"SELECT coalesce(max(id), 0) FROM {table}"  # noqa: S608 - one of two tables of ours
        number = connection.exec_driver_sql(highest).scalar_one()
        query = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
        connection.exec_driver_sql(query, (number, table))


def _name(place: _Key) -> str:
    table, key = place
    if table == "log":
        return f"a line of a history (number {key[0]})"
    if table == "query_set":
        return f"set L{key[1]} of case {key[0]}"
    if table == "case_file":
        return f"case {key[0]} itself"
    return f"{key[1]} of {' '.join(str(key[2]).split())} in case {key[0]}"


def _plain(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _text(value: Any) -> str:
    return "" if value is None else str(_plain(value))
