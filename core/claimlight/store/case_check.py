"""Whether a case book is what was written: pages, and each row by its digest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from claimlight.store.case_digests import digest, raw_columns
from claimlight.store.case_rows import CHANGED, decoded
from claimlight.store.query_sets import set_faults
from claimlight.types import Case, Mark, RowFault, SeenDocument, Tagged

_KINDS: dict[str, type[object]] = {"mark": Mark, "seen": SeenDocument, "tag": Tagged}
_LOG = ("case_id", "at", "action", "text", "subject", "key", "before", "after", "refers", "author")


def page_faults(connection: Connection) -> list[str]:
    """What SQLite finds wrong with pages and indexes, the first few."""
    found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(5)")]
    return [] if found == ["ok"] else found


def readable_cases(connection: Connection) -> int:
    """How many cases can be read, in a book of any schema."""
    values = connection.exec_driver_sql("SELECT CAST(value AS BLOB) FROM case_file").scalars()
    return sum(1 for raw in values if isinstance(raw, bytes) and _reason(Case, raw) == CHANGED)


def row_faults(connection: Connection, *, history: bool = True) -> Iterator[RowFault]:
    """Rows that are not as they were written; with ``history`` the log too, which is the most of them."""
    yield from _case_faults(connection)
    yield from _state_faults(connection)
    yield from set_faults(connection)
    if history:
        yield from _log_faults(connection)


def _case_faults(connection: Connection) -> Iterator[RowFault]:
    names = ("id", "created", "changed", "value", "touched")
    for made, *row in _rows(connection, "case_file", names):
        number, raw = row[0], row[3]
        if made != digest("case_file", *row):
            yield RowFault(number, "the case itself", _reason(Case, raw))


def _state_faults(connection: Connection) -> Iterator[RowFault]:
    for made, *row in _rows(connection, "state", ("case_id", "subject", "key", "value")):
        number, subject, key, raw = row
        if made != digest("state", *row):
            name, about = subject.decode(errors="replace"), key.decode(errors="replace")
            kind = _KINDS.get(name)
            words = " ".join(about.split())
            yield RowFault(number, f"{name} of {words}", _reason(kind, raw) if kind else CHANGED)


def _log_faults(connection: Connection) -> Iterator[RowFault]:
    for made, *row in _rows(connection, "log", ("id", *_LOG)):
        if made != digest("log", *row):
            yield RowFault(row[1], f"line {row[0]} of its history", CHANGED)


def _rows(connection: Connection, table: str, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    for row in connection.exec_driver_sql(f"SELECT digest, {raw_columns(names)} FROM {table}"):  # noqa: S608
        yield tuple(row)


def _reason(kind: type[object], raw: object) -> str:
    if not isinstance(raw, bytes):
        return "it can't be read (no text)"
    try:
        decoded(kind, raw)
    except ValueError as error:
        return f"it can't be read ({error})"
    return CHANGED
