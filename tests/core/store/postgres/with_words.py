"""Documents on a server with their words, held against the same documents in a file."""

from __future__ import annotations

from collections.abc import Sequence

from claimlight.store import Store
from claimlight.store.postgres import words, writing
from claimlight.store.postgres.schema import shared_tables
from claimlight.store.postgres.words import TABLES

_OWN = ("word_form", "stem", "document_vector", *TABLES.values())


def push_words(source: Store, target: Store, documents: Sequence[int] | None = None) -> list[int]:
    """Write documents, by default all, in place of those of the same publications; their new ids."""
    with source.read() as connection:
        every = list(connection.exec_driver_sql("SELECT id FROM document ORDER BY id").scalars())
    batch = writing.read_batch(source, every if documents is None else documents)
    with target.write() as connection:
        ids = batch.number(*writing.reserve_ids(connection, len(batch.documents), batch.passages))
    with target.write() as connection:
        version = writing.begin_change(connection)
        held = writing.find_documents(connection, [item.key for item in batch.documents])
        gone = [item.id for item in held.values()]
        words.drop_words(connection, gone)
        former = writing.remove_documents(connection, gone, version)
        writing.write_documents(connection, batch, ids, version, former=former)
        words.add_words(connection, [item.document for item in ids.values()])
    return [item.document for item in ids.values()]


def remove_with_words(target: Store, documents: Sequence[int]) -> None:
    """Delete documents and their words."""
    with target.write() as connection:
        version = writing.begin_change(connection)
        words.drop_words(connection, documents)
        writing.remove_documents(connection, documents, version)


def empty(store: Store) -> None:
    """Make the library as it was when it was made; new documents get the first ids again."""
    kept = ("meta", "shared_state")
    tables = [name for name in shared_tables().tables if name not in kept]
    with store.write() as connection:
        connection.exec_driver_sql(f"TRUNCATE {', '.join((*tables, *_OWN))}")
        connection.exec_driver_sql("UPDATE word_total SET passages = 0, words = 0")
        connection.exec_driver_sql("UPDATE meta SET value = 1 WHERE key <> 'version'")
