"""The index of a shared library as its database knows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from claimlight.engines.invented import make_schema
from claimlight.index.levels import SectionLevels
from claimlight.services.sharing.index_source import DatabaseIndexSource, write_schema
from claimlight.store import postgres
from claimlight.store.postgres import indexed
from claimlight.store.postgres.indexed import CLAIMS, FULL, IndexedDocument, IndexedPart
from claimlight.store.postgres.writing import begin_change

pytestmark = pytest.mark.loopback


@pytest.fixture
def shared(postgres_server, tmp_path):
    with postgres.connect(postgres_server.empty_library(tmp_path), tmp_path, read_only=False) as opened:
        yield opened


def write(store, *documents, removed=()):
    with store.write() as connection:
        version = begin_change(connection)
        indexed.drop_indexed(connection, removed)
        for each in removed:
            connection.exec_driver_sql("INSERT INTO removed VALUES (?, ?, ?)", (each, version, "EP1"))
        indexed.write_indexed(connection, documents, version)
        indexed.add_counts(connection, len(documents), np.arange(5))


def document(number, depth, *parts, described=False):
    return IndexedDocument(number, 10 * number, depth, described, 1, 1, parts)


def test_the_schema_comes_back_to_the_last_digit(shared):
    source = DatabaseIndexSource(shared)
    assert source.schema() is None
    levels = SectionLevels(0.75, tuple(tuple(np.sin(np.arange(3) + kind).tolist()) for kind in range(3)))
    schema = replace(make_schema("claimlight_x"), average_words=123.456789012345, levels=levels)
    with shared.write() as connection:
        write_schema(connection, schema)
    assert source.schema() == schema


def test_columns_follow_what_is_written_and_removed(shared):
    source = DatabaseIndexSource(shared)
    write(shared, document(4, FULL), document(2, CLAIMS), document(9, CLAIMS))
    before = source.columns()
    write(shared, document(9, FULL, described=True), document(5, FULL), removed=[4])
    after, whole = source.columns(before), source.columns()
    for name in ("version", "passages"):
        assert getattr(after, name) == getattr(whole, name)
    for name in ("documents", "first_passage", "claims_only", "described", "df"):
        np.testing.assert_array_equal(getattr(after, name), getattr(whole, name))
    assert after.documents.tolist() == [2, 5, 9]
    assert after.claims_only.tolist() == [True, False, False]
    assert after.described.tolist() == [False, False, True]
    assert after.df.tolist() == [0, 2, 4, 6, 8]
    again = source.columns(after)
    np.testing.assert_array_equal(again.documents, after.documents)


def test_rows_of_documents_come_in_the_order_of_their_parts(shared):
    write(shared, document(1, FULL, IndexedPart(2, b"two"), IndexedPart(1, b"one")), document(3, FULL))
    assert DatabaseIndexSource(shared).arrays([1, 3, 8]) == {1: (b"one", b"two")}
