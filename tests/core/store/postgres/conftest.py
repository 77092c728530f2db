"""A library in a file, and the same documents on a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from claimlight.store import Store, postgres
from claimlight.store.postgres import writing
from claimlight.store.postgres.writing import NewIds


def all_ids(store: Store) -> list[int]:
    with store.read() as connection:
        return list(connection.exec_driver_sql("SELECT id FROM document ORDER BY id").scalars())


def push(source: Store, target: Store, documents: Sequence[int] | None = None) -> dict[int, NewIds]:
    """Write documents, by default all, in place of those of the same publications; the new ids by the old."""
    batch = writing.read_batch(source, all_ids(source) if documents is None else documents)
    with target.write() as connection:
        numbers = writing.reserve_ids(connection, len(batch.documents), batch.passages)
    ids = batch.number(*numbers)
    with target.write() as connection:
        version = writing.begin_change(connection)
        held = writing.find_documents(connection, [item.key for item in batch.documents])
        former = writing.remove_documents(connection, [item.id for item in held.values()], version)
        writing.write_documents(connection, batch, ids, version, former=former)
    return ids


@pytest.fixture
def address(postgres_server, tmp_path: Path) -> str:
    """The address of an empty library."""
    return postgres_server.empty_library(tmp_path / "made")


@pytest.fixture
def shared(address, tmp_path: Path):
    """An empty library on the server, open for writing."""
    with postgres.connect(address, tmp_path / "shared", read_only=False) as opened:
        yield opened
