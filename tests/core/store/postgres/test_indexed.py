"""The index's rows of a shared library and the manifest of pushes: what SQL has to get right."""

from __future__ import annotations

import threading
from hashlib import sha256

import numpy as np
import pytest

from claimlight.store.postgres import indexed, open_session, pushes
from claimlight.store.postgres.indexed import CLAIMS, FULL, TEXT_ONLY, IndexedDocument, IndexedPart
from claimlight.store.postgres.pushes import Claimed
from claimlight.store.postgres.writing import begin_change

pytestmark = pytest.mark.loopback


def document(number: int, depth: int, *parts: IndexedPart, described: bool = False) -> IndexedDocument:
    return IndexedDocument(number, 100 * number, depth, described, 2, 3, parts)


def write(store, *documents: IndexedDocument) -> int:
    with store.write() as connection:
        version = begin_change(connection)
        indexed.write_indexed(connection, documents, version)
    return version


def test_columns_are_read_anew_as_far_as_they_changed(shared):
    first = write(shared, document(3, CLAIMS), document(1, FULL), document(2, TEXT_ONLY))
    with shared.read() as connection:
        whole = indexed.read_columns(connection)
    assert whole.version == first
    assert whole.documents.tolist() == [1, 3]
    assert whole.first_passage.tolist() == [100, 300]
    assert whole.claims_only.tolist() == [False, True]
    assert not whole.described.any()
    second = write(shared, document(3, FULL, described=True), document(7, FULL))
    with shared.write() as connection:
        third = begin_change(connection)
        indexed.drop_indexed(connection, [1])
        connection.exec_driver_sql("INSERT INTO removed VALUES (?, ?, ?)", (1, third, "EP1"))
    with shared.read() as connection:
        changed = indexed.read_columns(connection, first)
        nothing = indexed.read_columns(connection, third)
    assert (changed.version, changed.documents.tolist()) == (third, [3, 7])
    assert second < third
    assert changed.described.tolist() == [True, False]
    assert not changed.claims_only.any()
    assert changed.removed.tolist() == [1]
    assert not len(nothing.documents)
    assert not len(nothing.removed)


def test_rows_are_stored_with_checksums_that_the_server_can_check(shared):
    parts = IndexedPart(1, b"claims" * 1000), IndexedPart(2, bytes(range(256)))
    write(shared, document(5, FULL, *parts, described=True), document(6, CLAIMS, IndexedPart(1, b"other")))
    with shared.write() as connection:
        held = indexed.read_held(connection, [5, 6, 9])
        assert held[5].parts == {part.part: sha256(part.arrays).digest() for part in parts}
        assert (held[5].depth, held[6].depth, set(held)) == (FULL, CLAIMS, {5, 6})
        assert indexed.read_parts(connection, [6, 5])[5] == parts
        assert indexed.find_damaged(connection, [5, 6]) == []
        connection.exec_driver_sql("UPDATE indexed_part SET arrays = ? WHERE part = 2", (b"\x00",))
        assert indexed.find_damaged(connection, [5, 6]) == [(5, 2)]
        assert indexed.read_sizes(connection, [5]) == {5: (2, 3)}
        assert indexed.count_sizes(connection) == (4, 6)


def test_counts_add_up_and_never_fall_below_nothing(shared):
    with shared.write() as connection:
        assert indexed.read_counts(connection)[0] == 0
        indexed.add_counts(connection, 5, np.array([1, 0, 3]), spans=70)
        indexed.add_counts(connection, -2, np.array([0, 2, -3]), spans=40)
        passages, df, spans = indexed.read_counts(connection)
        assert (passages, df.tolist(), spans) == (3, [1, 2, 0], 70)
        with pytest.raises(ValueError, match="more passages"):
            indexed.add_counts(connection, 0, np.array([0, -3, 0]))


def test_a_publication_is_claimed_by_one_batch(shared):
    keys = [("EP1", "A1"), ("EP2", "A1"), ("EP2", "B1")]
    with shared.write() as connection:
        one, first = pushes.begin_batch(connection, 1, keys[:2])
    with shared.write() as connection:
        two, second = pushes.begin_batch(connection, 2, keys[1:])
        assert pushes.find_claimants(connection, keys[2:]) == [2]
        assert pushes.find_claimants(connection) == [1, 2]
    assert (sorted(first), second) == (keys[:2], [keys[2]])
    with shared.write() as connection:
        # A claim that is not named is free again.
        pushes.name_documents(connection, one, [Claimed(keys[1], 8, fresh=True)])
        assert pushes.begin_batch(connection, 2, keys[:1])[1] == keys[:1]
        assert pushes.finish_batch(connection, one, documents=1, size=10, digest=b"d")
        pushes.free_claims(connection, one)
        assert not pushes.finish_batch(connection, one, documents=1, size=10, digest=b"d")
        pushes.give_up_batches(connection, 2)
        assert [claim.key for claim in pushes.read_given_up(connection, 2)] != []
        assert not pushes.finish_batch(connection, two, documents=1, size=10, digest=b"d")
        pushes.free_given_up(connection, 2)
        assert pushes.find_claimants(connection) == []


def test_batches_that_claim_the_same_at_once_never_wait_in_a_circle(shared):
    keys = [(f"EP{number}", "A1") for number in range(200)]
    claimed: list[list[tuple[str, str]]] = []

    def claim(worker: int) -> None:
        mine = keys if worker % 2 else keys[::-1]
        with shared.write() as connection:
            claimed.append(pushes.begin_batch(connection, worker, mine)[1])

    threads = [threading.Thread(target=claim, args=(worker,)) for worker in range(1, 7)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(key for some in claimed for key in some) == sorted(keys)


def test_a_worker_is_alive_as_long_as_its_session(shared):
    with shared.write() as connection:
        worker = pushes.add_worker(connection, "somebody@computer", "/library")
    with open_session(shared) as own, open_session(shared) as other:
        assert pushes.hold_alive(own, worker)
        assert pushes.is_held(own, worker)
        assert not pushes.is_held(other, worker)
        with pushes.taking_over(other, worker) as dead:
            assert not dead
        with shared.read() as connection:
            (state,) = pushes.read_manifest(connection).workers
        assert (state.alive, state.ended, state.name) == (True, None, "somebody@computer")
    with open_session(shared) as other:
        with pushes.taking_over(other, worker) as dead:
            assert dead
        with pushes.taking_over(other, worker) as dead:
            assert dead
    with shared.write() as connection:
        pushes.end_worker(connection, worker, "the engine failed")
        (state,) = pushes.read_manifest(connection).workers
    assert (state.alive, state.error) == (False, "the engine failed")
    assert state.ended is not None


def test_what_the_engine_must_forget_is_remembered(shared):
    with shared.write() as connection:
        pushes.add_leftovers(connection, [9, 3])
        pushes.add_leftovers(connection, [3, 4])
        assert pushes.read_leftovers(connection) == [3, 4, 9]
        pushes.drop_leftovers(connection, [3, 9])
        assert pushes.read_leftovers(connection) == [4]
        assert pushes.read_manifest(connection).leftovers == 1
