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
from core.types import Quarantined

_PLACED = (
    "family_key, digest, text_length, first_passage, passages, source_id, member, ordinal, offset, dialect"
)
_LOOKUP = 400


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


@dataclass(frozen=True, slots=True)
class Item:
    """One record of a file, ready to be written."""

    source: int
    """Id of its file, see `source_ids`."""
    modified: int
    record: DocumentRows | Quarantined


@dataclass(frozen=True, slots=True)
class Written:
    """What one batch did."""

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


def start_source(store: Store, state: SourceState) -> int:
    """Note that a file is being read from ``state.records`` on; its id.

    A file read from its beginning loses its old quarantine: what still fails comes again.
    """
    query = """INSERT INTO source (path, size, modified, records, complete) VALUES (?, ?, ?, ?, 0)
        ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
        records = excluded.records, complete = 0 RETURNING id"""
    values = (state.path, state.size, state.modified, state.records)
    with store.write() as connection:
        number = int(connection.exec_driver_sql(query, values).scalar_one())
        if state.records == 0:
            connection.exec_driver_sql("DELETE FROM quarantine WHERE source_id = ?", (number,))
    return number


def write_batch(
    store: Store, items: Sequence[Item], progress: Iterable[tuple[int, int, bool]] = ()
) -> Written:
    """Write documents, quarantine and resume points as one durable step.

    ``progress`` holds (source id, records read of it so far, whether to its end).
    """
    documents = [item for item in items if isinstance(item.record, DocumentRows)]
    with store.write() as connection:
        winners, written = _choose(connection, documents)
        gone = [known.id for _, known in winners if known is not None]
        version = _next(connection, "version", 1 if winners else 0) + 1
        _remove(connection, gone, version)
        _insert(connection, [item for item, _ in winners])
        _quarantine(connection, items)
        for number, records, complete in progress:
            connection.exec_driver_sql(
                "UPDATE source SET records = ?, complete = ? WHERE id = ?", (records, complete, number)
            )
    return written


def _choose(
    connection: Connection, items: Sequence[Item]
) -> tuple[list[tuple[Item, _Known | None]], Written]:
    """The records to be written, each with the stored one it replaces, and the counts."""
    stored = _stored(connection, [item.record.key for item in items])  # type: ignore[union-attr]
    best: dict[tuple[str, str], tuple[Item, _Known]] = {}
    merged = unchanged = 0
    for item in items:
        rows = item.record
        assert isinstance(rows, DocumentRows)
        mine = _Known(0, rows.text_length, item.modified, rows.digest)
        chosen = best.get(rows.key)
        other = chosen[1] if chosen else stored.get(rows.key)
        if other is not None and (other.digest == mine.digest or other.rank >= mine.rank):
            unchanged += 1
            continue
        merged += other is not None
        best[rows.key] = (item, mine)
    winners = [(item, stored.get(key)) for key, (item, _) in best.items()]
    taken = len(winners) - sum(known is not None for _, known in winners)
    return winners, Written(taken, merged, unchanged)


def _stored(connection: Connection, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], _Known]:
    found = {}
    numbers = list({number for number, _ in keys})
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
        run(
            """INSERT INTO removed (document_id, version, publication)
            SELECT id, ?, publication FROM document WHERE id = ?""",
            (version, number),
        )
        between = "BETWEEN first_passage AND first_passage + passages - 1"
        run(
            f"""INSERT INTO passage_fts (passage_fts, rowid, text)
            SELECT 'delete', passage.id, text FROM document JOIN passage ON passage.id {between}
            WHERE document.id = ?""",  # noqa: S608
            (number,),
        )
        run(
            f"""DELETE FROM passage WHERE id IN (SELECT passage.id FROM document
            JOIN passage ON passage.id {between} WHERE document.id = ?)""",  # noqa: S608
            (number,),
        )
        for table, _ in layout.CHILDREN:
            run(f"DELETE FROM {table} WHERE document_id = ?", (number,))  # noqa: S608
        run("DELETE FROM document WHERE id = ?", (number,))


def _insert(connection: Connection, items: Sequence[Item]) -> None:
    """All rows of all documents, table by table."""
    records = [item.record for item in items if isinstance(item.record, DocumentRows)]
    if not records:
        return
    families = assign_families(connection, records)
    first = _next(connection, "next_document", len(records))
    many = sum(len(record.passages) for record in records)
    start = _next(connection, "next_passage", many)
    documents: list[Row] = []
    passages: list[Row] = []
    children: list[list[Row]] = [[] for _ in layout.CHILDREN]
    for number, item, record in zip(count(first), items, records, strict=False):
        family = families[record.family_key]
        documents.append((number, *record.document, *_placed(item, record, family, start + len(passages))))
        passages += [
            (place, number, *values) for place, values in enumerate(record.passages, start + len(passages))
        ]
        for rows, values in zip(children, record.children, strict=True):
            rows += [(number, *row) for row in values]
    _bulk(connection, "document", f"id, {layout.DOCUMENT}, {_PLACED}", documents)
    _bulk(connection, "passage", f"id, document_id, {layout.PASSAGE}", passages)
    for (table, columns), rows in zip(layout.CHILDREN, children, strict=True):
        _bulk(connection, table, f"document_id, {columns}", rows)
    connection.exec_driver_sql(
        "INSERT INTO passage_fts (rowid, text) SELECT id, text FROM passage WHERE id >= ? AND id < ?",
        (start, start + many),
    )


def _placed(item: Item, record: DocumentRows, family: str, passage: int) -> Row:
    """The columns of a document that only the writer knows."""
    place = record.source
    return (
        *(family, record.digest, record.text_length, passage, len(record.passages)),
        *(item.source, place.member, place.ordinal, place.offset, place.dialect),
    )


def _quarantine(connection: Connection, items: Sequence[Item]) -> None:
    rows: list[Row] = []
    for item in items:
        if isinstance(item.record, Quarantined):
            place = item.record.source
            position = (place.member, place.ordinal, place.offset, place.dialect)
            rows.append((item.source, *position, item.record.line, item.record.reason))
    columns = "source_id, member, ordinal, offset, dialect, line, reason"
    _bulk(connection, "quarantine", columns, rows)


def _bulk(connection: Connection, table: str, columns: str, rows: list[Row]) -> None:
    """One prepared statement, executed by the driver for all rows."""
    if rows:
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.exec_driver_sql(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)  # noqa: S608
