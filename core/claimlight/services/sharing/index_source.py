"""What a shared library's database knows of its index: the port of `claimlight.index.backend.IndexSource`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from claimlight import codec
from claimlight.index.backend import IndexColumns, IndexSchema
from claimlight.store import Store
from claimlight.store.postgres import indexed
from claimlight.store.postgres.schema import read_state, write_state

SCHEMA = "schema"
"""Row of ``shared_state``."""


class DatabaseIndexSource:
    """Reads the index's rows of an open shared library; threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._schema: IndexSchema | None = None

    def schema(self) -> IndexSchema | None:
        """See `IndexSource.schema`; it never changes once it is there."""
        if self._schema is None:
            with self._store.read() as connection:
                self._schema = read_schema(connection)
        return self._schema

    def columns(self, before: IndexColumns | None = None) -> IndexColumns:
        """See `IndexSource.columns`."""
        with self._store.read() as connection:
            changed = indexed.read_columns(connection, -1 if before is None else before.version)
        schema = self.schema()
        # Before the first indexed document there are no counts to read.
        df = changed.df if len(changed.df) or schema is None else np.zeros(schema.centers, dtype=np.int64)
        if before is None:
            return IndexColumns(
                changed.version,
                changed.documents,
                changed.first_passage,
                changed.claims_only,
                changed.described,
                changed.passages,
                df,
                changed.most_spans,
            )
        kept = ~np.isin(before.documents, np.concatenate([changed.documents, changed.removed]))
        order = np.argsort(np.concatenate([before.documents[kept], changed.documents]), kind="stable")

        def joined(old: NDArray[np.generic], new: NDArray[np.generic]) -> NDArray[np.generic]:
            return np.concatenate([old[kept], new])[order]

        return IndexColumns(
            changed.version,
            joined(before.documents, changed.documents).astype(np.int64, copy=False),
            joined(before.first_passage, changed.first_passage).astype(np.int64, copy=False),
            joined(before.claims_only, changed.claims_only).astype(np.bool_, copy=False),
            joined(before.described, changed.described).astype(np.bool_, copy=False),
            changed.passages,
            df,
            changed.most_spans,
        )

    def arrays(self, documents: Sequence[int]) -> Mapping[int, tuple[bytes, ...]]:
        """See `IndexSource.arrays`; documents without an index are left out."""
        with self._store.read() as connection:
            found = indexed.read_parts(connection, documents)
        return {document: tuple(part.arrays for part in parts) for document, parts in found.items()}


def read_schema(connection: Connection) -> IndexSchema | None:
    """What the index of a shared library was made with; None before the first indexed document."""
    found = read_state(connection, SCHEMA)
    return None if found is None else codec.decode(IndexSchema, found)


def write_schema(connection: Connection, schema: IndexSchema) -> None:
    """Fix what the index is made with."""
    write_state(connection, SCHEMA, codec.encode(schema).encode())
