"""Checks each row of a case book by its digest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from claimlight.store.case_digests import digest_values, select_raw
from claimlight.store.case_rows import CHANGED, decode_value
from claimlight.store.query_sets import find_set_faults
from claimlight.types import (
    Case,
    Confirmation,
    Mark,
    PassageNote,
    ReadingSample,
    RowFault,
    SeenDocument,
    Tagged,
)

_KINDS: dict[str, type[object]] = {
    "mark": Mark,
    "seen": SeenDocument,
    "tag": Tagged,
    "confirmation": Confirmation,
    "sample": ReadingSample,
    "passage note": PassageNote,
}
_LOG = ("case_id", "at", "action", "text", "subject", "key", "before", "after", "refers", "author")


def count_readable_cases(connection: Connection) -> int:
    """How many cases can be read, in a book of any schema."""
    values = connection.exec_driver_sql("SELECT CAST(value AS BLOB) FROM case_file").scalars()
    return sum(1 for raw in values if isinstance(raw, bytes) and _explain(Case, raw) == CHANGED)


def find_row_faults(connection: Connection, *, history: bool = True) -> Iterator[RowFault]:
    """Rows changed from outside; with ``history`` also those of the log, which has most rows."""
    yield from _find_case_faults(connection)
    yield from _find_state_faults(connection)
    yield from find_set_faults(connection)
    if history:
        yield from _find_log_faults(connection)


def _find_case_faults(connection: Connection) -> Iterator[RowFault]:
    names = ("id", "created", "changed", "value", "touched")
    for made, *row in _read_rows(connection, "case_file", names):
        number, raw = row[0], row[3]
        if made != digest_values("case_file", *row):
            yield RowFault(number, "the case itself", _explain(Case, raw))


def _find_state_faults(connection: Connection) -> Iterator[RowFault]:
    for made, *row in _read_rows(connection, "state", ("case_id", "subject", "key", "value")):
        number, subject, key, raw = row
        if made != digest_values("state", *row):
            name, about = subject.decode(errors="replace"), key.decode(errors="replace")
            kind = _KINDS.get(name)
            words = " ".join(about.split())
            yield RowFault(number, f"{name} of {words}", _explain(kind, raw) if kind else CHANGED)


def _find_log_faults(connection: Connection) -> Iterator[RowFault]:
    for made, *row in _read_rows(connection, "log", ("id", *_LOG)):
        if made != digest_values("log", *row):
            yield RowFault(row[1], f"line {row[0]} of its history", CHANGED)


def _read_rows(connection: Connection, table: str, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    for row in connection.exec_driver_sql(f"SELECT digest, {select_raw(names)} FROM {table}"):  # noqa: S608
        yield tuple(row)


def _explain(kind: type[object], raw: object) -> str:
    if not isinstance(raw, bytes):
        return "it can't be read (no text)"
    try:
        decode_value(kind, raw)
    except ValueError as error:
        return f"it can't be read ({error})"
    return CHANGED
