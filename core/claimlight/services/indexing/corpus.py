"""A library as the indexer reads it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from claimlight.store import repository
from claimlight.store.library_tables import Document, Passage
from claimlight.store.store import Store
from claimlight.store.values import StoredDocument
from claimlight.types import PatentId


class LibraryCorpus:
    """The documents of an open library by ascending id; ids are never reused."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def documents_after(self, document: int, limit: int) -> Sequence[StoredDocument]:
        return repository.read_documents_after(self._store, PatentId(document), limit)

    def ids_after(self, document: int, limit: int) -> Sequence[int]:
        query = select(Document.id).where(Document.id > document).order_by(Document.id).limit(limit)
        with self._store.read() as connection:
            return connection.execute(query).scalars().all()

    def relatives(self, documents: Sequence[int]) -> Sequence[int]:
        families = select(Document.family_key).where(Document.id.in_(documents))
        query = select(Document.id).where(
            Document.family_key.in_(families), Document.family_key != "", Document.id.not_in(documents)
        )
        with self._store.read() as connection:
            return connection.execute(query.order_by(Document.id)).scalars().all()

    def count_after(self, document: int) -> int:
        query = select(func.count()).select_from(Document).where(Document.id > document)
        with self._store.read() as connection:
            return int(connection.execute(query).scalar_one())

    def long_documents(self, characters: int, through: int) -> Sequence[int]:
        query = select(Passage.document_id).where(func.length(Passage.text) > characters).distinct()
        ordered = query.where(Passage.document_id <= through).order_by(Passage.document_id)
        with self._store.read() as connection:
            return connection.execute(ordered).scalars().all()

    def passages_after(self, document: int) -> int:
        query = select(func.coalesce(func.sum(Document.passages), 0)).where(Document.id > document)
        with self._store.read() as connection:
            return int(connection.execute(query).scalar_one())

    def removed_since(self, version: int) -> Sequence[int]:
        return repository.read_removed_since(self._store, version)

    def version(self) -> int:
        return repository.read_library_version(self._store)
