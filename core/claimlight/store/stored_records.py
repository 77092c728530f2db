"""Stored data of publications that an import meets again: heads at once, the rest on demand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from claimlight.store import rows as layout
from claimlight.store.content import Content, Row, read_content
from claimlight.store.record_merging import Merged, Place, Stamp, digest_content
from claimlight.store.rows import DocumentRows
from claimlight.types import Part

_LOOKUP = 400
# OFFSET is a word of SQL, hence the quotes.
_PLACE = 'path, member, ordinal, "offset", dialect, reading'
FLAGS = {"class_symbol": (3, 4), "picture": (6,)}
"""Columns that SQLite returns as numbers."""


@dataclass(frozen=True, slots=True)
class Head:
    """The columns of a stored document that show whether a record is new."""

    id: int
    digest: bytes
    place: Place
    several: bool
    """Whether it was merged from several records."""
    application_key: str
    family: str
    """Its label."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored document, whole."""

    merged: Merged
    document: Row
    passages: tuple[Row, ...]
    language: str


def read_heads(
    connection: Connection, keys: Iterable[str], sources: dict[str, int]
) -> dict[tuple[str, str], Head]:
    """The stored publications of these numbers, of any kind; adds their files to ``sources``."""
    found: dict[tuple[str, str], Head] = {}
    numbers = list(keys)
    for start in range(0, len(numbers), _LOOKUP):
        some = numbers[start : start + _LOOKUP]
        marks = ", ".join("?" * len(some))
        query = f"""SELECT number_key, kind, d.id, digest, application_key, family_key, source_id,
            EXISTS (SELECT 1 FROM part_origin p WHERE p.document_id = d.id) AS several, d.modified, {_PLACE}
            FROM document d JOIN source s ON s.id = source_id WHERE number_key IN ({marks})"""  # noqa: S608
        for row in connection.exec_driver_sql(query, tuple(some)):
            place = Place(*row[8:])
            sources.setdefault(place.path, row.source_id)
            found[(row.number_key, row.kind)] = Head(
                row.id, row.digest, place, bool(row.several), row.application_key, row.family_key
            )
    return found


def load_stored(connection: Connection, head: Head, sources: dict[str, int]) -> Stored:
    """A stored document with the record each of its parts is from."""
    query = f"SELECT {layout.DOCUMENT}, text_length, first_passage, passages FROM document WHERE id = ?"  # noqa: S608
    *document, length, first, many = connection.exec_driver_sql(query, (head.id,)).one()
    query = f"SELECT {layout.PASSAGE} FROM passage WHERE id >= ? AND id < ? ORDER BY id"  # noqa: S608
    found = connection.exec_driver_sql(query, (first, first + many))
    passages = tuple(tuple(row) for row in found)
    content = read_content(tuple(document), passages, read_children(connection, head.id))
    language = content.language
    if not head.several:
        return Stored(Merged.of_content(content, head.place, length), tuple(document), passages, language)
    content, stamps = _read_stamps(connection, head.id, content, sources)
    return Stored(Merged(content, stamps, head.place), tuple(document), passages, language)


def read_children(connection: Connection, document: int) -> tuple[tuple[Row, ...], ...]:
    found: list[tuple[Row, ...]] = []
    for table, columns in layout.CHILDREN:
        query = f"SELECT {columns} FROM {table} WHERE document_id = ? ORDER BY position"  # noqa: S608
        flags = FLAGS.get(table, ())
        found.append(
            tuple(
                tuple(
                    bool(value) if place in flags and value is not None else value
                    for place, value in enumerate(row)
                )
                for row in connection.exec_driver_sql(query, (document,))
            )
        )
    return tuple(found)


def _read_stamps(
    connection: Connection, document: int, content: Content, sources: dict[str, int]
) -> tuple[Content, dict[Part, Stamp]]:
    """The origin of each part, and the content with the language as its record gave it."""
    query = f"""SELECT part, richness, value, source_id, p.modified, {_PLACE} FROM part_origin p
        JOIN source s ON s.id = p.source_id WHERE document_id = ?"""  # noqa: S608
    rows = connection.exec_driver_sql(query, (document,)).all()
    for row in rows:
        if row.part == Part.LANGUAGE.value:
            content = replace(content, language=row.value)
    stamps = {}
    for row in rows:
        place = Place(*row[4:])
        sources.setdefault(place.path, row.source_id)
        part = Part(row.part)
        stamps[part] = Stamp(row.richness, place.modified, digest_content(content, part), place)
    return content, stamps


def read_text_rows(stored: Stored, rows: DocumentRows) -> DocumentRows:
    """The rows of a document that keeps its stored passages."""
    if rows.passages == stored.passages:
        return rows
    digest = layout.digest_document(rows.document, stored.passages, rows.children)
    return replace(rows, passages=stored.passages, digest=digest)


def has_same_text(stored: Stored, rows: DocumentRows, merged: Merged) -> bool:
    """Whether the stored passages can stay: the text is the same, perhaps with languages reordered."""
    if rows.passages == stored.passages:
        return True
    texts = (Part.TITLES, Part.ABSTRACTS, Part.CLAIMS, Part.DESCRIPTION)
    changed = set(merged.differs(stored.merged))
    return rows.document[6] == stored.language and changed.isdisjoint(texts)
