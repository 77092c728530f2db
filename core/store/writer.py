"""Writing documents: one batch, one transaction, everything in bulk.

Which record of a publication wins is decided by a total order, so the order of the files never
matters and importing the same files again changes nothing: the fuller text, then the newer file,
then the greater digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from sqlalchemy import Connection

from core.store import rows as layout
from core.store.family import assign_families
from core.store.rows import DocumentRows, Row
from core.store.store import Store
from core.store.words import add_words, drop_words
from core.types import Quarantined

PLACED = (
    "family_key, digest, text_length, first_passage, passages, source_id, member, ordinal, offset, dialect"
)
_LOOKUP = 400
_INSERT_TEXT = "INSERT INTO passage_fts (rowid, text) SELECT id, text FROM passage WHERE id >= ? AND id < ?"


@dataclass(frozen=True, slots=True)
class SourceState:
    """A file and how far it is read."""

    path: str
    size: int
    modified: int
    """Nanoseconds."""
    records: int = 0
    """Records of it that are in the library or its quarantine."""
    complete: bool = False
    from_start: bool = False
    """Whether a run began at its first record with this batch: then its old quarantine goes."""


@dataclass(frozen=True, slots=True)
class Written:
    """What one batch did: every record of it is counted once."""

    taken: int = 0
    merged: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class _Known:
    """A record of a publication, in the library or earlier in the batch."""

    id: int
    text_length: int
    modified: int
    digest: bytes

    @property
    def rank(self) -> tuple[int, int, bytes]:
        return (self.text_length, self.modified, self.digest)


def source_state(store: Store, path: str) -> SourceState | None:
    """How far a file was read; None for one never seen."""
    query = "SELECT size, modified, records, complete FROM source WHERE path = ?"
    with store.read() as connection:
        row = connection.exec_driver_sql(query, (path,)).one_or_none()
    return None if row is None else SourceState(path, row[0], row[1], row[2], bool(row[3]))


def write_batch(
    store: Store,
    documents: Sequence[DocumentRows],
    quarantined: Sequence[Quarantined],
    sources: Sequence[SourceState],
) -> Written:
    """Write documents, quarantine and resume points as one durable step.

    ``sources`` names every file that a record of the batch comes from.
    """
    with store.write() as connection:
        ids = {state.path: _source(connection, state) for state in sources}
        modified = {state.path: state.modified for state in sources}
        winners, replaced, written = _choose(connection, documents, modified)
        version = _next(connection, "version", 1 if winners else 0) + 1
        _remove(connection, replaced, version)
        _insert(connection, winners, ids)
        _quarantine(connection, quarantined, ids)
    return written


def _source(connection: Connection, state: SourceState) -> int:
    """Note how far a file is read; its id."""
    query = """INSERT INTO source (path, size, modified, records, complete) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
        records = excluded.records, complete = excluded.complete RETURNING id"""
    values = (state.path, state.size, state.modified, state.records, state.complete)
    number = int(connection.exec_driver_sql(query, values).scalar_one())
    if state.from_start:
        connection.exec_driver_sql("DELETE FROM quarantine WHERE source_id = ?", (number,))
    return number


def _choose(
    connection: Connection, documents: Sequence[DocumentRows], modified: dict[str, int]
) -> tuple[list[DocumentRows], list[int], Written]:
    """The records to be written, the ids of those they replace, and the counts."""
    stored = _stored(connection, {rows.key[0] for rows in documents})
    best: dict[tuple[str, str], tuple[DocumentRows, _Known]] = {}
    merged = unchanged = 0
    for rows in documents:
        mine = _Known(0, rows.text_length, modified[rows.source.path], rows.digest)
        chosen = best.get(rows.key)
        other = chosen[1] if chosen else stored.get(rows.key)
        if other is not None and (other.digest == mine.digest or other.rank >= mine.rank):
            unchanged += 1
            continue
        merged += other is not None
        best[rows.key] = (rows, mine)
    replaced = [stored[key].id for key in best if key in stored]
    winners = [rows for rows, _ in best.values()]
    return winners, replaced, Written(len(winners) - len(replaced), merged, unchanged)


def _stored(connection: Connection, keys: Iterable[str]) -> dict[tuple[str, str], _Known]:
    """The stored publications of these numbers, of any kind."""
    found = {}
    numbers = list(keys)
    for start in range(0, len(numbers), _LOOKUP):
        some = numbers[start : start + _LOOKUP]
        marks = ", ".join("?" * len(some))
        query = f"""SELECT number_key, kind, document.id, text_length, modified, digest
            FROM document JOIN source ON source.id = source_id WHERE number_key IN ({marks})"""  # noqa: S608
        for row in connection.exec_driver_sql(query, tuple(some)):
            found[(row[0], row[1])] = _Known(*row[2:])
    return found


def _next(connection: Connection, counter: str, step: int) -> int:
    """Hand out ``step`` numbers; the first of them."""
    query = "UPDATE meta SET value = value + ? WHERE key = ? RETURNING value"
    return int(connection.exec_driver_sql(query, (step, counter)).scalar_one()) - step


def _remove(connection: Connection, gone: Sequence[int], version: int) -> None:
    """Delete documents and leave a note for the index."""
    run = connection.exec_driver_sql
    for number in gone:
        query = "SELECT publication, first_passage, first_passage + passages FROM document WHERE id = ?"
        publication, first, end = run(query, (number,)).one()
        run(
            "INSERT INTO removed (document_id, version, publication) VALUES (?, ?, ?)",
            (number, version, publication),
        )
        run(
            "INSERT INTO passage_fts (passage_fts, rowid, text) "
            "SELECT 'delete', id, text FROM passage WHERE id >= ? AND id < ?",
            (first, end),
        )
        drop_words(connection, number, passages=range(first, end))
        run("DELETE FROM passage WHERE id >= ? AND id < ?", (first, end))
        for table, _ in layout.CHILDREN:
            run(f"DELETE FROM {table} WHERE document_id = ?", (number,))  # noqa: S608
        run("DELETE FROM document WHERE id = ?", (number,))


def _insert(connection: Connection, records: Sequence[DocumentRows], sources: dict[str, int]) -> None:
    """All rows of all documents, table by table."""
    if not records:
        return
    families = assign_families(connection, records)
    first = _next(connection, "next_document", len(records))
    many = sum(len(record.passages) for record in records)
    start = _next(connection, "next_passage", many)
    documents: list[Row] = []
    passages: list[Row] = []
    children: list[list[Row]] = [[] for _ in layout.CHILDREN]
    for number, record in zip(count(first), records, strict=False):
        place = start + len(passages)
        placed = _placed(record, sources[record.source.path], families[record.family_key], place)
        documents.append((number, *record.document, *placed))
        passages += [(n, number, *values) for n, values in enumerate(record.passages, place)]
        for rows, values in zip(children, record.children, strict=True):
            rows += [(number, *row) for row in values]
    _bulk(connection, "document", f"id, {layout.DOCUMENT}, {PLACED}", documents)
    _bulk(connection, "passage", f"id, document_id, {layout.PASSAGE}", passages)
    for (table, columns), rows in zip(layout.CHILDREN, children, strict=True):
        _bulk(connection, table, f"document_id, {columns}", rows)
    connection.exec_driver_sql(_INSERT_TEXT, (start, start + many))
    add_words(
        connection,
        documents=range(first, first + len(records)),
        passages=range(start, start + many),
    )


def _placed(record: DocumentRows, source: int, family: str, passage: int) -> Row:
    """The columns of a document that only the writer knows: `PLACED`."""
    place = record.source
    return (
        *(family, record.digest, record.text_length, passage, len(record.passages)),
        *(source, place.member, place.ordinal, place.offset, place.dialect),
    )


def _quarantine(connection: Connection, items: Sequence[Quarantined], sources: dict[str, int]) -> None:
    rows: list[Row] = []
    for item in items:
        place = item.source
        position = (place.member, place.ordinal, place.offset, place.dialect)
        rows.append((sources[place.path], *position, item.line, item.reason))
    columns = "source_id, member, ordinal, offset, dialect, line, reason"
    _bulk(connection, "quarantine", columns, rows)


def _bulk(connection: Connection, table: str, columns: str, rows: list[Row]) -> None:
    """One prepared statement, executed by the driver for all rows."""
    if rows:
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.exec_driver_sql(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)  # noqa: S608
