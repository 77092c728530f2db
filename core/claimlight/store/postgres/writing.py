"""Copies documents of a library's file into a shared library, and removes them there.

A program that writes documents does so in one transaction:

1. `begin_change`: it gets the version of the commit, and others wait until the transaction ends. So versions
   become visible in their order, and what is read about the families of the library stays true.
2. `find_documents` says what the server has of some publications.
3. `remove_documents` deletes those that are replaced.
4. `write_documents` writes a `Batch`, which `read_batch` has read before the transaction.

Ids are reserved in a short transaction of their own (`reserve_ids`): no two programs ever get the same, and
those of a program that was killed are lost without harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection

from claimlight.store import rows as layout
from claimlight.store.database import among
from claimlight.store.family import APPLICATION, Families, Kin, assign_families
from claimlight.store.postgres.database import driver_connection
from claimlight.store.repository import cut_chunks
from claimlight.store.row_writing import ORIGIN, PLACED, take_numbers
from claimlight.store.rows import Row, find_family_keys
from claimlight.store.store import Store
from claimlight.store.stored_records import FLAGS
from claimlight.tasks import TaskContext

LONGEST_SECONDS = 600
"""How long a statement of a writer may take."""
_OWN = layout.DOCUMENT.count(",") + 1
_PLACES = tuple(PLACED.split(", "))
_FAMILY, _DIGEST, _LENGTH, _FIRST, _MANY, _SOURCE = range(6)
"""Places in `PLACED`."""
_ORIGIN_SOURCE = ORIGIN.split(", ").index("source_id")
_QUOTED = {"offset": '"offset"'}
"""Names of columns that are words of SQL."""


@dataclass(frozen=True, slots=True)
class NewIds:
    """The ids that a document gets."""

    document: int
    first_passage: int
    """Its passages are consecutive from here."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One document of a library's file with all its rows."""

    id: int
    """Its id in the file."""
    document: Row
    """The columns of `claimlight.store.rows.DOCUMENT`."""
    placed: Row
    """The columns of `claimlight.store.row_writing.PLACED`."""
    passages: tuple[Row, ...]
    """The columns of `claimlight.store.rows.PASSAGE`, in reading order."""
    children: tuple[tuple[Row, ...], ...]
    """Rows of `claimlight.store.rows.CHILDREN`, in its order."""
    origins: tuple[Row, ...]
    """Rows of ``part_origin`` without the document."""

    @property
    def key(self) -> tuple[str, str]:
        """``number_key`` and kind: what makes two records one publication."""
        return str(self.document[4]), str(self.document[3])

    @property
    def digest(self) -> bytes:
        """Digest of its content."""
        return cast("bytes", self.placed[_DIGEST])


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a library's file, and what the file knows about their families."""

    documents: tuple[Packed, ...]
    paths: Mapping[int, str]
    """Files that the documents were read from, by their ids in the library's file."""
    aliases: tuple[tuple[str, str], ...]
    """Keys and labels of joined families: rows of ``family_alias``."""

    @property
    def passages(self) -> int:
        """Number of passages of all documents."""
        return sum(len(item.passages) for item in self.documents)

    def number(self, document: int, passage: int) -> dict[int, NewIds]:
        """Consecutive ids from these on, in the order of the documents, by the id in the file."""
        found: dict[int, NewIds] = {}
        for place, item in enumerate(self.documents):
            found[item.id] = NewIds(document + place, passage)
            passage += len(item.passages)
        return found


@dataclass(frozen=True, slots=True)
class Held:
    """A document that a shared library has."""

    id: int
    digest: bytes
    text_length: int
    first_passage: int
    passages: int


def read_batch(source: Store, documents: Sequence[int], context: TaskContext | None = None) -> Batch:
    """Read documents of a library's file, in this order; those it does not have are left out."""
    found: dict[int, Packed] = {}
    with source.read(context) as connection:
        for some in cut_chunks(documents):
            for item in _read(connection, some):
                found[item.id] = item
        ordered = tuple(found[item] for item in dict.fromkeys(documents) if item in found)
        held = {int(str(item.placed[_SOURCE])) for item in ordered}
        held |= {int(str(row[_ORIGIN_SOURCE])) for item in ordered for row in item.origins}
        paths = _lookup(connection, "SELECT id, path FROM source WHERE id", held)
        labels = {str(item.placed[_FAMILY]) for item in ordered}
        aliases = _lookup(connection, "SELECT key, family_key FROM family_alias WHERE family_key", labels)
    return Batch(ordered, dict(paths), tuple(aliases))


def reserve_ids(connection: Connection, documents: int, passages: int) -> tuple[int, int]:
    """Take consecutive ids for a number of documents and passages; returns the first of each."""
    return (
        take_numbers(connection, "next_document", documents),
        take_numbers(connection, "next_passage", passages),
    )


def be_patient(connection: Connection) -> None:
    """Let statements of this transaction wait for the writers before it, for `LONGEST_SECONDS` each."""
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{LONGEST_SECONDS}s'")


def begin_change(connection: Connection) -> int:
    """Begin to write documents; returns the library version that the commit makes.

    It waits for all other writers (`be_patient`).
    """
    be_patient(connection)
    # The row stays locked until the transaction ends.
    return take_numbers(connection, "version", 1) + 1


def find_documents(connection: Connection, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Held]:
    """Those of some publications (``number_key`` and kind) that the library has."""
    wanted = set(keys)
    held, values = among(connection, {key for key, _ in wanted})
    query = f"""SELECT number_key, kind, id, digest, text_length, first_passage, passages FROM document
        WHERE number_key {held}"""  # noqa: S608
    rows = connection.exec_driver_sql(query, (values,))
    return {(row[0], row[1]): Held(*row[2:]) for row in rows if (row[0], row[1]) in wanted}


def remove_documents(
    connection: Connection, documents: Iterable[int], version: int
) -> dict[tuple[str, str], str]:
    """Delete documents with their rows; returns the label of the family of each by publication.

    ``version`` is that of `begin_change`. The labels are for `write_documents`, if it writes the publications
    again.
    """
    run = connection.exec_driver_sql
    held, values = among(connection, map(int, documents))
    query = f"""SELECT id, publication, number_key, kind, family_key, first_passage, first_passage + passages
        FROM document WHERE id {held} ORDER BY id"""  # noqa: S608
    rows = run(query, (values,)).all()
    if not rows:
        return {}
    note = "INSERT INTO removed (document_id, version, publication) VALUES (?, ?, ?)"
    run(note, [(row[0], version, row[1]) for row in rows])
    run("DELETE FROM passage WHERE id >= ? AND id < ?", [(row[5], row[6]) for row in rows])
    for table in ("part_origin", *(name for name, _ in layout.CHILDREN)):
        run(f"DELETE FROM {table} WHERE document_id {held}", (values,))  # noqa: S608
    run(f"DELETE FROM document WHERE id {held}", (values,))  # noqa: S608
    return {(row[2], row[3]): row[4] for row in rows}


def write_documents(
    connection: Connection,
    batch: Batch,
    ids: Mapping[int, NewIds],
    version: int,
    *,
    former: Mapping[tuple[str, str], str] | None = None,
) -> None:
    """Write the documents of a batch under new ids, and join the families that they connect.

    ``ids`` by the id in the file; documents without any are left out. ``version`` is that of `begin_change`;
    ``former`` is what `remove_documents` returned for publications that are replaced. A publication that the
    library has is an error of the database, and the transaction fails.
    """
    items = [item for item in batch.documents if item.id in ids]
    if not items:
        return
    families = _join_families(connection, items, batch.aliases, former or {}, version)
    sources = _write_sources(connection, batch.paths)
    documents: list[Row] = []
    passages: list[Row] = []
    for item in items:
        own = ids[item.id]
        placed = list(item.placed)
        placed[_FAMILY] = families.label(str(item.placed[_FAMILY]))
        placed[_FIRST] = own.first_passage
        placed[_SOURCE] = sources[int(str(item.placed[_SOURCE]))]
        documents.append((own.document, *item.document, *placed, version))
        passages += [(n, own.document, *row) for n, row in enumerate(item.passages, own.first_passage)]
    _copy(connection, "document", f"id, {layout.DOCUMENT}, {PLACED}, changed", documents)
    _copy(connection, "passage", f"id, document_id, {layout.PASSAGE}", passages)
    for place, (table, columns) in enumerate(layout.CHILDREN):
        rows = [(ids[item.id].document, *row) for item in items for row in item.children[place]]
        _copy(connection, table, f"document_id, {columns}", rows)
    origins = [
        (
            ids[item.id].document,
            *row[:_ORIGIN_SOURCE],
            sources[int(str(row[_ORIGIN_SOURCE]))],
            *row[_ORIGIN_SOURCE + 1 :],
        )
        for item in items
        for row in item.origins
    ]
    _copy(connection, "part_origin", f"document_id, {ORIGIN}", origins)


def _read(connection: Connection, ids: Sequence[int]) -> Iterable[Packed]:
    run = connection.exec_driver_sql
    marks = ", ".join("?" * len(ids))
    columns = f"{layout.DOCUMENT}, {_quote(PLACED)}"
    heads = run(f"SELECT id, {columns} FROM document WHERE id IN ({marks})", tuple(ids)).all()  # noqa: S608
    children = [
        _group(
            run(
                f"""SELECT document_id, {names} FROM {table} WHERE document_id IN ({marks})
                ORDER BY document_id, position""",  # noqa: S608
                tuple(ids),
            ),
            FLAGS.get(table, ()),
        )
        for table, names in layout.CHILDREN
    ]
    query = f"SELECT document_id, {_quote(ORIGIN)} FROM part_origin WHERE document_id IN ({marks})"  # noqa: S608
    origins = _group(run(query, tuple(ids)), ())
    texts = f"SELECT {layout.PASSAGE} FROM passage WHERE id >= ? AND id < ? ORDER BY id"  # noqa: S608
    for number, *values in heads:
        document, placed = tuple(values[:_OWN]), tuple(values[_OWN:])
        first = int(str(placed[_FIRST]))
        yield Packed(
            number,
            document,
            placed,
            tuple(map(tuple, run(texts, (first, first + int(str(placed[_MANY])))).all())),
            tuple(tuple(each.get(number, ())) for each in children),
            tuple(origins.get(number, ())),
        )


def _group(rows: Iterable[Sequence[Any]], flags: Sequence[int]) -> dict[int, list[Row]]:
    """Rows by document, which is their first column; SQLite returns flags as numbers."""
    found: dict[int, list[Row]] = {}
    for number, *values in rows:
        for place in flags:
            values[place] = None if values[place] is None else bool(values[place])
        found.setdefault(number, []).append(tuple(values))
    return found


def _lookup(connection: Connection, query: str, values: Iterable[Any]) -> list[tuple[Any, Any]]:
    held, listed = among(connection, values)
    return [(row[0], row[1]) for row in connection.exec_driver_sql(f"{query} {held}", (listed,))]


def _join_families(
    connection: Connection,
    items: Sequence[Packed],
    aliases: Iterable[tuple[str, str]],
    former: Mapping[tuple[str, str], str],
    version: int,
) -> Families:
    """The families of new documents; every stored document that gets another label is marked as changed.

    Labels of the file are keys like others here: the server may have joined them to another family.
    """
    kin: list[Kin] = []
    for item in items:
        label = str(item.placed[_FAMILY])
        own = find_family_keys(item.document, item.children)
        kin.append(Kin((label, *own, *filter(None, (former.get(item.key),))), str(item.document[12])))
    labels = {item.keys[0] for item in kin}
    for key, label in aliases:
        if label in labels:
            # What documents that the file no longer has, or has not yet, share with the family.
            forgotten = key.startswith(APPLICATION)
            kin.append(
                Kin((label,), key.removeprefix(APPLICATION), forgotten=True)
                if forgotten
                else Kin((label, key), "")
            )
    families = assign_families(connection, kin)
    if families.moved:
        held, values = among(connection, {new for _, new in families.moved})
        connection.exec_driver_sql(
            f"UPDATE document SET changed = ? WHERE family_key {held}",  # noqa: S608
            (version, values),
        )
    return families


def _write_sources(connection: Connection, paths: Mapping[int, str]) -> dict[int, int]:
    """Ids of the files here, by their ids in the library's file; new ones in that order."""
    add = """INSERT INTO source (path, size, modified, records, complete) VALUES (?, 0, 0, 0, false)
        ON CONFLICT (path) DO NOTHING"""
    ordered = sorted(paths.items())
    connection.exec_driver_sql(add, [(path,) for _, path in ordered])
    known = dict(_lookup(connection, "SELECT path, id FROM source WHERE path", paths.values()))
    return {number: known[path] for number, path in ordered}


def _copy(connection: Connection, table: str, columns: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    query = f"COPY {table} ({_quote(columns)}) FROM STDIN"
    with driver_connection(connection).cursor() as cursor, cursor.copy(query.encode()) as copy:
        for row in rows:
            copy.write_row(row)


def _quote(columns: str) -> str:
    return ", ".join(_QUOTED.get(name, name) for name in columns.split(", "))
