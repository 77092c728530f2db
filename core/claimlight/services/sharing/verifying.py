"""Comparing a shared library with a library that was pushed into it, and its engine by counts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import Connection

from claimlight.index.backend import IndexSchema, Leg, PartFilter
from claimlight.services.library.library import Library
from claimlight.services.library.rates import Rate
from claimlight.services.sharing import batches
from claimlight.services.sharing.batches import Action, Planned
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.index_source import read_schema
from claimlight.services.sharing.local import LocalLibrary
from claimlight.store import repository
from claimlight.store.postgres import indexed, pushes
from claimlight.tasks import TaskContext
from claimlight.types import PatentId, PushCheck

_TOGETHER = 200


@dataclass(slots=True)
class _Counts:
    documents: int = 0
    same: int = 0
    other: int = 0
    missing: list[str] = field(default_factory=list)
    parts: int = 0
    other_rows: int = 0
    damaged: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)


def verify(library: Library, shared: SharedTarget, context: TaskContext) -> PushCheck:
    """Whether all documents of a library are in the shared one, undamaged, and its engine has their parts.

    The server computes the checksums of the stored rows; those of the local rows are computed here. The
    engine's counts are compared document by document, some at a time, and in all. Changes nothing, and may
    run while others push: what they are writing at the moment counts as it was before.
    """
    begun = time.monotonic()
    local = LocalLibrary(library)
    counts = _Counts()
    store = shared.store
    with store.read(context) as connection:
        schema = read_schema(connection)
    if schema is not None:
        shared.backend.ensure(schema)
    rate = Rate("verify", repository.count_documents(local.store), "documents", context)
    for heads in local.heads():
        for start in range(0, len(heads), _TOGETHER):
            some = heads[start : start + _TOGETHER]
            with store.read(context) as connection:
                planned = batches.plan(connection, local, some)
                held = [item for item in planned if item.held is not None and not item.writes]
                _compare(connection, local, held, counts)
            counts.documents += len(some)
            counts.missing += [_name(local, item) for item in planned if item.writes]
            counts.other += sum(item.action is Action.KEEP for item in planned)
            if schema is not None:
                ids = [item.held.id for item in held if item.held is not None]
                counts.wrong += find_wrong(shared, ids)
            rate.reached(counts.documents)
    return _report(shared, schema, counts, time.monotonic() - begun)


def _compare(connection: Connection, local: LocalLibrary, held: Sequence[Planned], counts: _Counts) -> None:
    ids = [item.held.id for item in held if item.held is not None]
    counts.damaged += [document for document, _ in indexed.find_damaged(connection, ids)]
    same = [item for item in held if item.action is Action.SKIP]
    counts.same += len(same)
    rows = local.rows([item.head for item in same])
    for item in same:
        for part in rows.get(item.head.id, ()):
            known = item.index.parts.get(part.part)
            # Of a document that is indexed more deeply there, or as a whole, the parts are others.
            if known is not None:
                counts.parts += 1
                counts.other_rows += known != part.digest


def find_wrong(shared: SharedTarget, documents: Sequence[int]) -> list[int]:
    """The documents of which the engine has another number of parts, ascending; found by halving."""
    if not documents:
        return []
    with shared.store.read() as connection:
        sizes = indexed.read_sizes(connection, documents)
    # One that was removed in the meantime has no size.
    known = sorted(sizes)
    expected = tuple(sum(sizes[document][place] for document in known) for place in (0, 1))
    only = PartFilter(documents=np.array(known, dtype=np.int64))
    found = (shared.backend.count(Leg.DENSE, only), shared.backend.count(Leg.CENTERS, only))
    if not known or found == expected:
        return []
    if len(known) == 1:
        return known
    middle = len(known) // 2
    return find_wrong(shared, known[:middle]) + find_wrong(shared, known[middle:])


def _report(shared: SharedTarget, schema: IndexSchema | None, counts: _Counts, seconds: float) -> PushCheck:
    with shared.store.read() as connection:
        expected = indexed.count_sizes(connection)
        leftovers = len(pushes.read_leftovers(connection))
    health = shared.backend.health() if schema is not None else None
    return PushCheck(
        shared=shared.store.name,
        documents=counts.documents,
        same=counts.same,
        other=counts.other,
        missing=tuple(counts.missing),
        parts=counts.parts,
        other_rows=counts.other_rows,
        damaged=_names(shared, counts.damaged),
        expected_sections=expected[0],
        found_sections=health.sections if health is not None else 0,
        expected_passages=expected[1],
        found_passages=health.passages if health is not None else 0,
        wrong_documents=_names(shared, counts.wrong),
        leftovers=leftovers,
        seconds=seconds,
    )


def _name(local: LocalLibrary, item: Planned) -> str:
    patent = PatentId(item.head.id)
    return str(repository.read_publications(local.store, [patent]).get(patent, item.head.key[0]))


def _names(shared: SharedTarget, documents: Sequence[int]) -> tuple[str, ...]:
    patents = [PatentId(document) for document in dict.fromkeys(documents)]
    named = repository.read_publications(shared.store, patents)
    return tuple(str(named[patent]) for patent in patents if patent in named)
