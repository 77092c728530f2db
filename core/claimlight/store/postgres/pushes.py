"""The manifest of pushes: who fills a shared library, what is under way, what the engine must still forget.

    push_worker      each run of a push, and how it ended
    push_batch       each batch of documents: begun, and done or given up
    push_claim       the publications of the batches that are under way, each claimed by one batch
    engine_leftover  documents that the engine may hold parts of though the library does not have them

A worker is alive as long as the server holds its session, which has an advisory lock with the worker's
number: a worker that is killed, or whose computer is gone, loses it without doing anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

_ALIVE = 0x636C7075
"""First number of the advisory lock of a worker."""
_BEGINNING = 0x636C6267
"""Number of the advisory lock of the one that begins the index."""
_TABLES = """
CREATE TABLE push_worker (
    id serial PRIMARY KEY,
    name text NOT NULL,
    source text NOT NULL,
    begun timestamptz NOT NULL DEFAULT now(),
    ended timestamptz,
    error text NOT NULL DEFAULT ''
);
CREATE TABLE push_batch (
    id bigserial PRIMARY KEY,
    worker integer NOT NULL,
    begun timestamptz NOT NULL DEFAULT now(),
    done timestamptz,
    given_up timestamptz,
    documents integer NOT NULL,
    bytes bigint NOT NULL DEFAULT 0,
    digest bytea
);
CREATE INDEX push_batch_worker ON push_batch (worker);
CREATE TABLE push_claim (
    number_key text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    batch bigint NOT NULL,
    document_id bigint NOT NULL DEFAULT 0,
    fresh boolean NOT NULL DEFAULT true,
    PRIMARY KEY (number_key, kind)
);
CREATE INDEX push_claim_batch ON push_claim (batch);
CREATE TABLE engine_leftover (
    document_id bigint PRIMARY KEY
);
"""
_KEEPALIVE = ("tcp_keepalives_idle = 20", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 4")
"""A computer that lost its power must not count as alive for the two hours of the system's default."""

Key = tuple[str, str]
"""`number_key` and kind of a publication."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A publication of a batch under way."""

    key: Key
    document: int
    """The id its parts have in the engine; 0 if none was given yet."""
    fresh: bool
    """Whether nobody had the id before; else parts are added to a document of the library."""


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A run of a push."""

    id: int
    name: str
    source: str
    """The library that it pushes."""
    begun: datetime
    ended: datetime | None
    alive: bool
    batches: int
    """Those that are done."""
    documents: int
    bytes: int
    under_way: int
    """Documents of batches that are begun and neither done nor given up."""
    error: str
    """What ended it; empty otherwise."""


@dataclass(frozen=True, slots=True)
class ManifestState:
    """What was pushed into a shared library, and what is left to clean up."""

    workers: tuple[WorkerState, ...]
    """Newest first."""
    documents: int
    """Documents of the library."""
    leftovers: int
    """Documents that the engine must still forget."""


def create_tables(connection: Connection) -> None:
    """Make the tables of an empty library."""
    for statement in filter(str.strip, _TABLES.split(";")):
        connection.exec_driver_sql(statement)


def add_worker(connection: Connection, name: str, source: str) -> int:
    """Register a run; its number."""
    query = "INSERT INTO push_worker (name, source) VALUES (?, ?) RETURNING id"
    return int(connection.exec_driver_sql(query, (name, source)).scalar_one())


def end_worker(connection: Connection, worker: int, error: str = "") -> None:
    """Note that a run ended, and the error that ended it."""
    query = "UPDATE push_worker SET ended = now(), error = ? WHERE id = ?"
    connection.exec_driver_sql(query, (error, worker))


def hold_alive(connection: Connection, worker: int) -> bool:
    """Let the session of a connection be the sign of life of a worker; False if another session is."""
    for setting in _KEEPALIVE:
        connection.exec_driver_sql(f"SET {setting}")
    query = "SELECT pg_try_advisory_lock(?, ?)"
    return bool(connection.exec_driver_sql(query, (_ALIVE, worker)).scalar_one())


@contextmanager
def taking_over(connection: Connection, worker: int) -> Iterator[bool]:
    """Whether a worker is dead; then nobody else takes it over meanwhile."""
    taken = hold_alive(connection, worker)
    try:
        yield taken
    finally:
        if taken:
            connection.exec_driver_sql("SELECT pg_advisory_unlock(?, ?)", (_ALIVE, worker))


def begin_batch(connection: Connection, worker: int, keys: Sequence[Key]) -> tuple[int, list[Key]]:
    """Claim publications for a new batch; its number and those that no other batch has.

    In a transaction of its own: it waits for no batch that is under way, and none waits for it.
    """
    query = "INSERT INTO push_batch (worker, documents) VALUES (?, 0) RETURNING id"
    batch = int(connection.exec_driver_sql(query, (worker,)).scalar_one())
    query = """INSERT INTO push_claim (number_key, kind, batch)
        SELECT number_key, kind, ? FROM unnest(?::text[], ?::text[]) AS claimed (number_key, kind)
        ORDER BY number_key, kind ON CONFLICT DO NOTHING RETURNING number_key, kind"""
    # In one order: two that claim the same publications wait for each other in none.
    given = (batch, [key[0] for key in keys], [key[1] for key in keys])
    claimed = [(row[0], row[1]) for row in connection.exec_driver_sql(query, given)]
    return batch, claimed


def name_documents(connection: Connection, batch: int, claimed: Sequence[Claimed]) -> None:
    """Record the ids of a batch's documents, before the engine gets to know them; other claims are freed."""
    query = "DELETE FROM push_claim WHERE batch = ? AND NOT (number_key || chr(31) || kind = ANY(?))"
    connection.exec_driver_sql(query, (batch, ["\x1f".join(each.key) for each in claimed]))
    rows = [(each.document, each.fresh, *each.key) for each in claimed]
    if rows:
        connection.exec_driver_sql(
            "UPDATE push_claim SET document_id = ?, fresh = ? WHERE number_key = ? AND kind = ?", rows
        )
    connection.exec_driver_sql("UPDATE push_batch SET documents = ? WHERE id = ?", (len(rows), batch))


def finish_batch(connection: Connection, batch: int, *, documents: int, size: int, digest: bytes) -> bool:
    """Acknowledge a batch; False if it was given up meanwhile: then nothing counts.

    The first statement of the transaction that writes the documents: one that cleans up waits for it.
    """
    query = """UPDATE push_batch SET done = now(), documents = ?, bytes = ?, digest = ?
        WHERE id = ? AND done IS NULL AND given_up IS NULL"""
    return connection.exec_driver_sql(query, (documents, size, digest, batch)).rowcount == 1


def free_claims(connection: Connection, batch: int) -> None:
    """Free the claims of a batch: last in its transaction, as others wait for claims that are changing."""
    connection.exec_driver_sql("DELETE FROM push_claim WHERE batch = ?", (batch,))


def drop_batch(connection: Connection, batch: int) -> None:
    """Strike a batch that has nothing to write."""
    free_claims(connection, batch)
    connection.exec_driver_sql("DELETE FROM push_batch WHERE id = ?", (batch,))


def give_up_batches(connection: Connection, worker: int) -> None:
    """End the batches of a dead worker; if one of its transactions is still committing, after it."""
    query = "UPDATE push_batch SET given_up = now() WHERE worker = ? AND done IS NULL AND given_up IS NULL"
    connection.exec_driver_sql(query, (worker,))


def read_given_up(connection: Connection, worker: int) -> list[Claimed]:
    """The claims of batches of a worker that were given up."""
    query = """SELECT c.number_key, c.kind, c.document_id, c.fresh FROM push_claim c
        JOIN push_batch b ON b.id = c.batch WHERE b.worker = ? AND b.given_up IS NOT NULL"""
    rows = connection.exec_driver_sql(query, (worker,))
    return [Claimed((row[0], row[1]), row[2], row[3]) for row in rows]


def free_given_up(connection: Connection, worker: int) -> None:
    """Free those claims, once the engine has forgotten their parts."""
    query = """DELETE FROM push_claim USING push_batch b
        WHERE b.id = batch AND b.worker = ? AND b.given_up IS NOT NULL"""
    connection.exec_driver_sql(query, (worker,))


def find_claimants(connection: Connection, keys: Iterable[Key] | None = None) -> list[int]:
    """The workers that have claims, or claims of some publications."""
    if keys is None:
        query = "SELECT DISTINCT b.worker FROM push_claim c JOIN push_batch b ON b.id = c.batch ORDER BY 1"
        return [int(row[0]) for row in connection.exec_driver_sql(query)]
    query = """SELECT DISTINCT b.worker FROM push_claim c JOIN push_batch b ON b.id = c.batch
        WHERE c.number_key || chr(31) || c.kind = ANY(?) ORDER BY 1"""
    named = ["\x1f".join(key) for key in keys]
    return [int(row[0]) for row in connection.exec_driver_sql(query, (named,))]


def add_leftovers(connection: Connection, documents: Iterable[int]) -> None:
    """Record documents that the engine must forget, in the transaction that removes them."""
    rows = [(each,) for each in documents]
    if rows:
        query = "INSERT INTO engine_leftover (document_id) VALUES (?) ON CONFLICT DO NOTHING"
        connection.exec_driver_sql(query, rows)


def read_leftovers(connection: Connection) -> list[int]:
    """The documents that the engine must forget, ascending."""
    query = "SELECT document_id FROM engine_leftover ORDER BY 1"
    return [int(row[0]) for row in connection.exec_driver_sql(query)]


def drop_leftovers(connection: Connection, documents: Sequence[int]) -> None:
    """Strike documents that the engine has forgotten."""
    query = "DELETE FROM engine_leftover WHERE document_id = ANY(?)"
    connection.exec_driver_sql(query, (list(documents),))


def read_manifest(connection: Connection) -> ManifestState:
    """The state of all runs."""
    # A lock of two numbers has the first in classid, the second in objid (pg_locks, objsubid 2).
    query = """SELECT w.id, w.name, w.source, w.begun, w.ended, EXISTS (SELECT 1 FROM pg_locks
            WHERE locktype = 'advisory' AND classid = ? AND objid = w.id AND objsubid = 2
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS alive,
        count(b.done) AS batches,
        coalesce(sum(b.documents) FILTER (WHERE b.done IS NOT NULL), 0) AS documents,
        coalesce(sum(b.bytes) FILTER (WHERE b.done IS NOT NULL), 0) AS bytes,
        coalesce(sum(b.documents) FILTER (WHERE b.done IS NULL AND b.given_up IS NULL), 0) AS under_way,
        w.error
        FROM push_worker w LEFT JOIN push_batch b ON b.worker = w.id
        GROUP BY w.id ORDER BY w.id DESC"""
    rows = connection.exec_driver_sql(query, (_ALIVE,))
    workers = tuple(
        WorkerState(
            row.id,
            row.name,
            row.source,
            row.begun,
            row.ended,
            row.alive,
            int(row.batches),
            int(row.documents),
            int(row.bytes),
            int(row.under_way),
            row.error,
        )
        for row in rows
    )
    documents = connection.exec_driver_sql("SELECT count(*) FROM document").scalar_one()
    leftovers = connection.exec_driver_sql("SELECT count(*) FROM engine_leftover").scalar_one()
    return ManifestState(workers, int(documents), int(leftovers))


def is_held(connection: Connection, worker: int) -> bool:
    """Whether this session still has the sign of life of a worker."""
    query = """SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ? AND objid = ?
        AND objsubid = 2 AND pid = pg_backend_pid())"""
    return bool(connection.exec_driver_sql(query, (_ALIVE, worker)).scalar_one())


def read_keys(connection: Connection, documents: Iterable[int]) -> dict[int, Key]:
    """The publications of documents of the library."""
    query = "SELECT id, number_key, kind FROM document WHERE id = ANY(?) ORDER BY id"
    return {row[0]: (row[1], row[2]) for row in connection.exec_driver_sql(query, (list(documents),))}


def lock_beginning(connection: Connection) -> None:
    """Wait until no other transaction begins the index of the library; held to the end of this one."""
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(?)", (_BEGINNING,))
