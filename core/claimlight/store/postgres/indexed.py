"""The index's rows of a shared library, beside its documents: what evidence is read from, and the counts.

    indexed_document    what an engine holds of each document, and how deeply it is indexed
    indexed_part        the rows of each indexed part of a document (`claimlight.index.portable`)
    shared_state        ``df``: int64 [V] passages with each center; ``passages``: their number N; ``spans``:
                        the most spans that a passage ever had

All of it is written in the transaction that writes the documents, so the counts are always exact. Writers
come one after another (`claimlight.store.postgres.writing.begin_change`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from claimlight.digests import sha256
from claimlight.store.postgres.columns import read_columns as read_records
from claimlight.store.repository import read_version

_Ids = NDArray[np.int64]

DF, PASSAGES, SPANS = "df", "passages", "spans"
"""Rows of ``shared_state``."""
TEXT_ONLY, CLAIMS, FULL = 0, 1, 2
"""How deeply a document is indexed: not, without its description, whole."""
_TABLES = """
CREATE TABLE indexed_document (
    document_id bigint PRIMARY KEY,
    version bigint NOT NULL,
    first_passage bigint NOT NULL,
    depth smallint NOT NULL,
    described boolean NOT NULL,
    sections integer NOT NULL,
    passages integer NOT NULL
);
CREATE INDEX indexed_document_version ON indexed_document (version);
CREATE TABLE indexed_part (
    document_id bigint NOT NULL,
    part smallint NOT NULL,
    arrays bytea NOT NULL,
    sha256 bytea NOT NULL,
    PRIMARY KEY (document_id, part)
);
ALTER TABLE indexed_part ALTER COLUMN arrays SET STORAGE EXTERNAL;
"""
# EXTERNAL: codes of vectors and entries hardly get smaller, and PostgreSQL would try with each row.
_COLUMNS = {
    "document": ("document_id", 8),
    "first_passage": ("first_passage", 8),
    "depth": ("depth", 2),
    "described": ("described::int", 2),
}


@dataclass(frozen=True, slots=True)
class IndexedPart:
    """The rows of one part of a document."""

    part: int
    """0 the whole document, 1 title, abstract and claims, 2 the description."""
    arrays: bytes

    @property
    def digest(self) -> bytes:
        """SHA-256 of the rows."""
        return bytes.fromhex(sha256(self.arrays))


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """What is stored of a document's index."""

    document: int
    first_passage: int
    depth: int
    """`TEXT_ONLY`, `CLAIMS` or `FULL`."""
    described: bool
    """Whether its description was indexed after its claims."""
    sections: int
    """Its sections, and below its passage pieces, in the engine."""
    passages: int
    parts: tuple[IndexedPart, ...]


@dataclass(frozen=True, slots=True)
class HeldIndex:
    """What the library holds of a document's index, without the rows."""

    depth: int
    parts: Mapping[int, bytes]
    """SHA-256 of the rows by part."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangedColumns:
    """Documents with an index that were written after a version of the library."""

    version: int
    """Version of the library now."""
    documents: _Ids
    """Ascending, as are all columns by document."""
    first_passage: _Ids
    claims_only: NDArray[np.bool_]
    described: NDArray[np.bool_]
    removed: _Ids
    passages: int
    """N."""
    df: _Ids
    """[V]; empty before the first indexed document."""
    most_spans: int


def create_tables(connection: Connection) -> None:
    """Make the tables of an empty library."""
    for statement in filter(str.strip, _TABLES.split(";")):
        connection.exec_driver_sql(statement)


def write_indexed(connection: Connection, documents: Sequence[IndexedDocument], version: int) -> None:
    """Store the index of documents in place of what is stored of the same ones; parts not given stay.

    ``version``: `library_version` of this commit. The counts are those of `add_counts`.
    """
    if not documents:
        return
    query = """INSERT INTO indexed_document VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (document_id) DO UPDATE
        SET version = excluded.version, depth = excluded.depth, described = excluded.described,
        sections = excluded.sections, passages = excluded.passages"""
    rows = [
        (each.document, version, each.first_passage, each.depth, each.described, each.sections, each.passages)
        for each in documents
    ]
    connection.exec_driver_sql(query, rows)
    parts = [
        (each.document, part.part, part.arrays, part.digest) for each in documents for part in each.parts
    ]
    if parts:
        connection.exec_driver_sql("INSERT INTO indexed_part VALUES (?, ?, ?, ?)", parts)


def drop_parts(connection: Connection, documents: Iterable[int]) -> None:
    """Remove the rows of all parts of documents, before other parts replace them."""
    connection.exec_driver_sql("DELETE FROM indexed_part WHERE document_id = ANY(?)", (list(documents),))


def drop_indexed(connection: Connection, documents: Iterable[int]) -> None:
    """Remove documents that are removed from the library."""
    gone = list(documents)
    drop_parts(connection, gone)
    connection.exec_driver_sql("DELETE FROM indexed_document WHERE document_id = ANY(?)", (gone,))


def read_held(connection: Connection, documents: Iterable[int]) -> dict[int, HeldIndex]:
    """What is stored of the index of each document."""
    wanted = list(documents)
    query = "SELECT document_id, part, sha256 FROM indexed_part WHERE document_id = ANY(?)"
    parts: dict[int, dict[int, bytes]] = {}
    for document, part, digest in connection.exec_driver_sql(query, (wanted,)):
        parts.setdefault(document, {})[part] = bytes(digest)
    query = "SELECT document_id, depth FROM indexed_document WHERE document_id = ANY(?)"
    return {
        document: HeldIndex(depth, parts.get(document, {}))
        for document, depth in connection.exec_driver_sql(query, (wanted,))
    }


def read_parts(connection: Connection, documents: Iterable[int]) -> dict[int, tuple[IndexedPart, ...]]:
    """The stored parts of each document, in the order of their numbers."""
    query = """SELECT document_id, part, arrays FROM indexed_part WHERE document_id = ANY(?)
        ORDER BY document_id, part"""
    found: dict[int, list[IndexedPart]] = {}
    for document, part, arrays in connection.exec_driver_sql(query, (list(documents),)):
        found.setdefault(document, []).append(IndexedPart(part, bytes(arrays)))
    return {document: tuple(parts) for document, parts in found.items()}


def find_damaged(connection: Connection, documents: Iterable[int]) -> list[tuple[int, int]]:
    """Documents and parts whose stored rows have another SHA-256 now, computed by the server."""
    query = """SELECT document_id, part FROM indexed_part
        WHERE document_id = ANY(?) AND sha256 <> sha256(arrays) ORDER BY document_id, part"""
    return [(row[0], row[1]) for row in connection.exec_driver_sql(query, (list(documents),))]


def read_sizes(connection: Connection, documents: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Sections and passage pieces of each document that the engine is to hold."""
    query = "SELECT document_id, sections, passages FROM indexed_document WHERE document_id = ANY(?)"
    return {row[0]: (row[1], row[2]) for row in connection.exec_driver_sql(query, (list(documents),))}


def count_sizes(connection: Connection) -> tuple[int, int]:
    """Sections and passage pieces that the engine is to hold, in all."""
    query = "SELECT coalesce(sum(sections), 0), coalesce(sum(passages), 0) FROM indexed_document"
    sections, passages = connection.exec_driver_sql(query).one()
    return int(sections), int(passages)


def read_counts(connection: Connection) -> tuple[int, _Ids, int]:
    """N, df [V] and the most spans of a passage; 0 and no df before the first indexed document."""
    query = "SELECT name, value FROM shared_state WHERE name IN (?, ?, ?)"
    held = {row[0]: bytes(row[1]) for row in connection.exec_driver_sql(query, (DF, PASSAGES, SPANS))}
    df = np.frombuffer(held.get(DF, b""), dtype="<i8").astype(np.int64)
    passages, spans = (int.from_bytes(held.get(name, b""), "little") for name in (PASSAGES, SPANS))
    return passages, df, spans


def add_counts(connection: Connection, passages: int, df: _Ids, spans: int = 0) -> None:
    """Add to N and df [V], negative for what was removed; ``spans``: the most of a passage that is added.

    Only after `begin_change`: others wait for the counts until the transaction ends.
    """
    before, counts, most = read_counts(connection)
    after = df if not len(counts) else counts + df
    if before + passages < 0 or (after < 0).any():
        raise ValueError("more passages were removed than there are")
    query = """INSERT INTO shared_state (name, value) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
    rows = [
        (DF, after.astype("<i8").tobytes()),
        (PASSAGES, (before + passages).to_bytes(8, "little")),
        (SPANS, max(most, spans).to_bytes(8, "little")),
    ]
    connection.exec_driver_sql(query, rows)


def read_columns(connection: Connection, after: int = -1) -> ChangedColumns:
    """The indexed documents written after version ``after``, and those removed since; in one snapshot."""
    run = connection.exec_driver_sql
    version = read_version(connection)
    rows = read_records(
        connection,
        f"indexed_document WHERE version > ? AND depth > {TEXT_ONLY}",
        _COLUMNS,
        (after,),
        by="document_id",
    )
    rows = rows[np.argsort(rows["document"])]
    removed = np.empty(0, dtype=np.int64)
    if after >= 0:
        gone = run("SELECT document_id FROM removed WHERE version > ? ORDER BY document_id", (after,))
        removed = np.fromiter((row[0] for row in gone), dtype=np.int64)
    passages, df, spans = read_counts(connection)
    return ChangedColumns(
        version=version,
        documents=rows["document"].astype(np.int64),
        first_passage=rows["first_passage"].astype(np.int64),
        claims_only=rows["depth"] == CLAIMS,
        described=rows["described"] != 0,
        removed=removed,
        passages=passages,
        df=df,
        most_spans=spans,
    )


def write_sizes(connection: Connection, sizes: Mapping[int, tuple[int, int]]) -> None:
    """Record how many sections and passage pieces the engine has of documents."""
    rows = [(sections, passages, document) for document, (sections, passages) in sizes.items()]
    if rows:
        query = "UPDATE indexed_document SET sections = ?, passages = ? WHERE document_id = ?"
        connection.exec_driver_sql(query, rows)


def find_without_parts(connection: Connection) -> list[int]:
    """Documents of which the engine was never given a part: pushed before there was an index at all."""
    query = "SELECT document_id FROM indexed_document WHERE sections = 0 AND passages = 0 ORDER BY 1"
    return [int(row[0]) for row in connection.exec_driver_sql(query)]


def count_depths(connection: Connection) -> int:
    """Number of documents in the semantic index."""
    query = "SELECT count(*) FROM indexed_document WHERE depth > ?"
    return int(connection.exec_driver_sql(query, (TEXT_ONLY,)).scalar_one())


def read_ids(connection: Connection) -> list[int]:
    """Every document that the engine is to have parts of, ascending."""
    query = "SELECT document_id FROM indexed_document ORDER BY 1"
    return [int(row[0]) for row in connection.exec_driver_sql(query)]
