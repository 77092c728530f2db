"""Checks a library: database pages, documents by their digests, full text against the texts."""

from __future__ import annotations

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from claimlight.errors import ResourceError
from claimlight.store import database
from claimlight.store import rows as layout
from claimlight.store.store import ADVICE, Store
from claimlight.store.stored_records import read_children
from claimlight.tasks import TaskContext

_MOST = 5
"""Faults that are named before the check ends."""
_WORDS = ("passage_fts", "passage_words", "party_words")
_BATCH = 100


def find_page_faults(store: Store, context: TaskContext) -> list[str]:
    """What SQLite finds wrong with pages, indexes and constraints; a server looks after its own."""
    if store.shared:
        return []
    with store.read(context) as connection:
        return database.find_page_faults(connection, _MOST)


def find_changed_documents(store: Store, context: TaskContext) -> list[str]:
    """The first few publications whose rows no longer match their digest."""
    found: list[str] = []
    # The least integer of SQLite: a damaged file may hold ids below zero.
    last = -(1 << 63)
    query = f"SELECT id, publication, digest FROM document WHERE id > ? ORDER BY id LIMIT {_BATCH}"  # noqa: S608
    while len(found) < _MOST:
        with store.read(context) as connection:
            batch = connection.exec_driver_sql(query, (last,)).all()
            found += [row.publication for row in batch if _digest(connection, row.id) != row.digest]
        if not batch:
            break
        last = batch[-1].id
        context.check()
    return found[:_MOST]


def _digest(connection: Connection, number: int) -> bytes:
    query = f"SELECT {layout.DOCUMENT}, first_passage, passages FROM document WHERE id = ?"  # noqa: S608
    *document, first, many = connection.exec_driver_sql(query, (number,)).one()
    query = f"SELECT {layout.PASSAGE} FROM passage WHERE id >= ? AND id < ? AND document_id = ? ORDER BY id"  # noqa: S608
    passages = tuple(tuple(row) for row in connection.exec_driver_sql(query, (first, first + many, number)))
    return layout.digest_document(tuple(document), passages, read_children(connection, number))


def check_words(store: Store) -> None:
    """Raise `ResourceError` if the full text does not match the texts; needs write access, writes nothing."""
    for table in _WORDS:
        # With rank 1 FTS5 also compares its index with the texts, which are stored outside it.
        query = f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)"  # noqa: S608
        try:
            with store.write() as connection:
                connection.exec_driver_sql(query)
        except DBAPIError as error:
            raise ResourceError(f"{store.path} is damaged ({table}: {error.orig}). {ADVICE}") from error
