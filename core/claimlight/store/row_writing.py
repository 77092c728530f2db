"""Writes and deletes the rows of documents in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count

from sqlalchemy import Connection

from claimlight.store import rows as layout
from claimlight.store.batches import Entry
from claimlight.store.family import Families
from claimlight.store.record_merging import Merged, Place
from claimlight.store.rows import DocumentRows, Row
from claimlight.store.word_index import add_words, drop_words
from claimlight.types import Part

PLACED = (
    "family_key, digest, text_length, first_passage, passages, "
    "source_id, modified, member, ordinal, offset, dialect, reading"
)
"""Columns of a document that only the writer knows."""
_STAND = "source_id, modified, member, ordinal, offset, dialect, reading"
ORIGIN = f"part, richness, value, {_STAND}"
"""Columns of ``part_origin`` after the document."""
_TEXT = 2 + layout.PASSAGE.split(", ").index("text")
_NONE = range(0)
_TOGETHER = 50
"""Rows of one statement; more of them gain nothing."""


def delete_documents(connection: Connection, gone: Sequence[int], version: int) -> None:
    """Delete documents and leave a note for the index."""
    run = connection.exec_driver_sql
    for number in gone:
        query = "SELECT publication, first_passage, first_passage + passages FROM document WHERE id = ?"
        publication, first, end = run(query, (number,)).one()
        run(
            "INSERT INTO removed (document_id, version, publication) VALUES (?, ?, ?)",
            (number, version, publication),
        )
        # Before the rows: FTS5 needs their text to find the entries to remove.
        drop_words(connection, number, passages=range(first, end))
        run("DELETE FROM passage WHERE id >= ? AND id < ?", (first, end))
        _delete_children(connection, number)
        run("DELETE FROM document WHERE id = ?", (number,))


def insert_documents(
    connection: Connection, entries: Sequence[Entry], families: Families, sources: dict[str, int]
) -> None:
    """All rows of new documents, table by table."""
    if not entries:
        return
    first = take_numbers(connection, "next_document", len(entries))
    many = sum(len(entry.rows.passages) for entry in entries)
    start = take_numbers(connection, "next_passage", many)
    documents: list[Row] = []
    passages: list[Row] = []
    for number, entry in zip(count(first), entries, strict=False):
        record = entry.rows
        place = start + len(passages)
        label = families.label(entry.family_key)
        text = (label, record.digest, record.text_length, place, len(record.passages))
        documents.append((number, *record.document, *text, *_stand(entry.place, sources)))
        passages += [(n, number, *values) for n, values in enumerate(record.passages, place)]
    execute_bulk(connection, "document", f"id, {layout.DOCUMENT}, {PLACED}", documents)
    execute_bulk(connection, "passage", f"id, document_id, {layout.PASSAGE}", passages)
    _insert_children(connection, list(zip(count(first), entries, strict=False)), sources)
    add_words(
        connection,
        documents=range(first, first + len(entries)),
        passages=range(start, start + many),
        texts=[(int(str(row[0])), str(row[_TEXT])) for row in passages],
    )


def update_documents(
    connection: Connection, entries: Sequence[Entry], families: Families, sources: dict[str, int]
) -> None:
    """Write all but the text of documents that keep it; their ids and passages stay."""
    columns = f"{layout.DOCUMENT}, family_key, digest, {_STAND}".split(", ")
    query = f"UPDATE document SET {', '.join(f'{name} = ?' for name in columns)} WHERE id = ?"  # noqa: S608
    for entry in entries:
        number, record = entry.document.id, entry.rows
        # Names may have changed, passages have not: their words stay.
        drop_words(connection, number, passages=_NONE)
        _delete_children(connection, number)
        own = (families.label(entry.family_key), record.digest)
        values = (*record.document, *own, *_stand(entry.place, sources), number)
        connection.exec_driver_sql(query, values)
        _insert_children(connection, [(number, entry)], sources)
        add_words(connection, documents=range(number, number + 1), passages=_NONE, texts=())


def restamp_documents(connection: Connection, entries: Sequence[Entry], sources: dict[str, int]) -> None:
    """Store the newer files or reader of documents whose content stays the same."""
    if not entries:
        return
    query = f"UPDATE document SET ({_STAND}, digest) = ({'?, ' * 7}?) WHERE id = ?"  # noqa: S608
    rows: list[Row] = []
    for entry in entries:  # an older program computed the digest of the same content differently
        digest = entry.rows.digest if entry.result is not None else entry.document.digest
        rows.append((*_stand(entry.place, sources), digest, entry.document.id))
    connection.exec_driver_sql(query, rows)
    for entry in entries:
        if entry.merged is not None:
            connection.exec_driver_sql("DELETE FROM part_origin WHERE document_id = ?", (entry.document.id,))
            rows = _origin_rows(entry.document.id, entry.merged, entry.merged.rows(), sources)
            execute_bulk(connection, "part_origin", f"document_id, {ORIGIN}", rows)


def take_numbers(connection: Connection, counter: str, step: int) -> int:
    """Reserve ``step`` ids; returns the first."""
    query = "UPDATE meta SET value = value + ? WHERE key = ? RETURNING value"
    return int(connection.exec_driver_sql(query, (step, counter)).scalar_one()) - step


def execute_bulk(connection: Connection, table: str, columns: str, rows: list[Row]) -> None:
    """Execute one statement for many rows at a time, which saves a call per row."""
    cursor = connection.connection.cursor()
    marks = f"({', '.join('?' * (columns.count(',') + 1))})"
    begin = f"INSERT INTO {table} ({columns}) VALUES "  # noqa: S608
    for start in range(0, len(rows), _TOGETHER):
        some = rows[start : start + _TOGETHER]
        cursor.execute(begin + ", ".join([marks] * len(some)), tuple(chain.from_iterable(some)))
    cursor.close()


def _insert_children(
    connection: Connection, entries: Sequence[tuple[int, Entry]], sources: dict[str, int]
) -> None:
    for at, (table, columns) in enumerate(layout.CHILDREN):
        rows = [(number, *row) for number, entry in entries for row in entry.rows.children[at]]
        execute_bulk(connection, table, f"document_id, {columns}", rows)
    origins: list[Row] = []
    for number, entry in entries:
        if entry.merged is not None:
            origins += _origin_rows(number, entry.merged, entry.rows, sources)
    execute_bulk(connection, "part_origin", f"document_id, {ORIGIN}", origins)


def _delete_children(connection: Connection, number: int) -> None:
    for table in ("part_origin", *(name for name, _ in layout.CHILDREN)):
        connection.exec_driver_sql(f"DELETE FROM {table} WHERE document_id = ?", (number,))  # noqa: S608


def _stand(place: Place, sources: dict[str, int]) -> Row:
    position = (place.member, place.ordinal, place.offset, place.dialect)
    return (sources[place.path], place.modified, *position, place.reading)


def _origin_rows(number: int, merged: Merged, rows: DocumentRows, sources: dict[str, int]) -> list[Row]:
    """The record of each part; no rows if all are from the document's own record."""
    if merged.told_by(rows):
        return []
    language = merged.content.language
    return [
        (
            number,
            part.value,
            stamp.richness,
            language if part is Part.LANGUAGE else "",
            *_stand(stamp.place, sources),
        )
        for part, stamp in merged.stamps.items()
    ]
