"""Making an engine hold what the database says: after killed pushes, removals, and losses of the engine."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from claimlight.index import portable
from claimlight.services.sharing.filling import Filling
from claimlight.services.sharing.index_source import read_schema
from claimlight.services.sharing.parts import PlacedDocument, count_parts, make_facts, make_parts
from claimlight.services.sharing.words import PassageText, weigh_texts
from claimlight.store.postgres import indexed, pushes
from claimlight.store.postgres.pushes import Claimed

_TOGETHER = 50
_HEADS = """SELECT id, first_passage, passages, published, family_key FROM document
    WHERE id = ANY(?) ORDER BY id"""


def clean_up(filling: Filling) -> int:
    """Let the engine forget what no document of the library stands for; returns how many documents.

    Batches of dead runs are given up: ids that nobody else had are removed from the engine, documents that
    were to be indexed more deeply get their stored parts again.
    """
    forget_leftovers(filling)
    cleaned = 0
    with filling.store.read() as connection:
        claimants = pushes.find_claimants(connection)
    for worker in claimants:
        if worker != filling.worker:
            cleaned += clean_after(filling, worker)
    return cleaned


def clean_after(filling: Filling, worker: int) -> int:
    """Clean up after one run if it is dead; the number of its documents."""
    with pushes.taking_over(filling.session, worker) as dead:
        if not dead:
            return 0
        with filling.store.write() as connection:
            pushes.give_up_batches(connection, worker)
        # Read after the commit: a batch that was being acknowledged meanwhile is done.
        with filling.store.read() as connection:
            claims = [claim for claim in pushes.read_given_up(connection, worker) if claim.document]
        fresh = [claim.document for claim in claims if claim.fresh]
        if fresh:
            filling.ask_engine(lambda: filling.backend.delete(fresh))
        restore(filling, [claim.document for claim in claims if not claim.fresh])
        with filling.store.write() as connection:
            # Once more later: what a killed process had sent may reach the engine after this.
            pushes.add_leftovers(connection, fresh)
            pushes.free_given_up(connection, worker)
    return len(claims)


def forget_leftovers(filling: Filling) -> None:
    """Remove from the engine what was removed from the library."""
    with filling.store.read() as connection:
        gone = pushes.read_leftovers(connection)
        known = read_schema(connection) is not None
    if not gone:
        return
    if known:
        filling.ask_engine(lambda: filling.backend.delete(gone))
    with filling.store.write() as connection:
        pushes.drop_leftovers(connection, gone)


def restore_claimed(filling: Filling, documents: Sequence[int]) -> int:
    """As `restore`, after claiming the documents; those that another run has claimed are left out."""
    done = 0
    for start in range(0, len(documents), _TOGETHER):
        with filling.store.write() as connection:
            keys = pushes.read_keys(connection, documents[start : start + _TOGETHER])
            number, claimed = pushes.begin_batch(connection, filling.worker, list(keys.values()))
            mine = set(claimed)
            some = [document for document, key in keys.items() if key in mine]
            claims = [Claimed(keys[document], document, fresh=False) for document in some]
            pushes.name_documents(connection, number, claims)
        restore(filling, some)
        with filling.store.write() as connection:
            pushes.drop_batch(connection, number)
        done += len(some)
    return done


def restore(filling: Filling, documents: Sequence[int]) -> None:
    """Give the engine the parts of documents of the library again, from what the database stores of them.

    Only for documents that the run has claimed, or whose claims it has taken over.
    """
    with filling.store.read() as connection:
        schema = read_schema(connection)
    if schema is None:
        return
    for start in range(0, len(documents), _TOGETHER):
        filling.context.check()
        some = list(documents[start : start + _TOGETHER])
        with filling.store.read() as connection:
            placed, texts = read_placed(connection, some)
        batch = make_parts(placed, weigh_texts(filling.store, texts, schema), schema)
        filling.ask_engine(lambda some=some: filling.backend.delete(some))  # type: ignore[misc]
        filling.ask_engine(lambda batch=batch: filling.backend.upsert(batch))  # type: ignore[misc]
        with filling.store.write() as connection:
            indexed.write_sizes(connection, count_parts(batch))


def read_placed(
    connection: Connection, documents: Sequence[int]
) -> tuple[list[PlacedDocument], list[PassageText]]:
    """Documents of the shared library as they are stored, and the texts of their passages."""
    run = connection.exec_driver_sql
    heads = run(_HEADS, (list(documents),)).all()
    parts = indexed.read_parts(connection, [head[0] for head in heads])
    symbols: dict[int, list[tuple[str, str]]] = {}
    query = """SELECT document_id, scheme, symbol FROM class_symbol WHERE document_id = ANY(?)
        ORDER BY document_id, position"""
    for document, scheme, symbol in run(query, (list(documents),)):
        symbols.setdefault(document, []).append((scheme, symbol))
    placed: list[PlacedDocument] = []
    texts: list[PassageText] = []
    for document, first, many, published, family in heads:
        rows = tuple(portable.read(part.arrays) for part in parts.get(document, ()))
        facts = make_facts(published, family, symbols.get(document, ()))
        placed.append(PlacedDocument(document, first, facts, rows))
        query = "SELECT id, text FROM passage WHERE id >= ? AND id < ? ORDER BY id"
        texts += [PassageText(document, row[0] - first, row[1]) for row in run(query, (first, first + many))]
    return placed, texts
