"""Filling a shared library from the library of a folder.

`push` may be run again at any time, after any end of the last run, and by several computers at once: a
document that is there already, as deeply indexed, is skipped. What is acknowledged is durable in database and
engine. See `claimlight.services.sharing.batches` for the order in which things are written.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from claimlight.errors import InputError, ResourceError
from claimlight.index.backend import IndexSchema
from claimlight.services.library.library import Library
from claimlight.services.library.rates import Rate
from claimlight.services.sharing import batches, restoring
from claimlight.services.sharing.batches import Action, BatchResult, Planned
from claimlight.services.sharing.filling import PATIENCE, Filling, SharedTarget, begin_filling
from claimlight.services.sharing.index_source import read_schema, write_schema
from claimlight.services.sharing.local import LocalHead, LocalLibrary
from claimlight.services.sharing.verifying import find_wrong
from claimlight.services.sharing.words import average_words
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.store.postgres import indexed, pushes, writing
from claimlight.tasks import TaskContext
from claimlight.types import (
    Committed,
    Note,
    PatentId,
    PublicationNumber,
    PushReaders,
    PushRemoval,
    PushReport,
    PushRestoration,
    PushStatus,
    PushWorker,
    SetAside,
)
from claimlight.types.sharing import BATCH_DOCUMENTS

BATCH_CHARACTERS = 12_000_000
"""Characters of text after which a batch is full, however few its documents: it bounds memory."""
KEPT = 50
"""Number of kept documents that a report names."""
_WAIT_SECONDS = 0.5
"""Between two looks at documents that another run is pushing."""


def push(
    library: Library,
    shared: SharedTarget,
    context: TaskContext,
    settings: Settings,
    *,
    batch_documents: int = BATCH_DOCUMENTS,
    patience: Sequence[float] = PATIENCE,
) -> PushReport:
    """Push every document of a library that the shared one does not have, or not as deeply indexed.

    Documents without an index are pushed with their text alone. Reports `Progress` and, when a batch is
    acknowledged, `Committed`. ``patience``: seconds before an engine that failed is asked again.

    Raises `InputError` before anything is written if the index was made with another model or other settings
    than that of the shared library, `ResourceError` if the local index is damaged or the database fails, and
    `EngineError` if the engine does: pushing again resumes after the last acknowledged batch.
    """
    if shared.store.read_only:
        raise ResourceError(f"{shared.store.name} is open for reading only; nothing can be pushed into it.")
    begun = time.monotonic()
    local = LocalLibrary(library)
    schema = _agree(local, shared, settings)
    with begin_filling(shared, context, source=library.folder, patience=patience) as filling:
        run = _Run(filling, local, schema, batch_documents)
        if schema is None and repository.count_documents(library.store):
            context.report(Note("The library has no index: its documents are pushed with their text alone."))
        run.cleaned = restoring.clean_up(filling)
        run.fill_in()
        run.all()
        restoring.forget_leftovers(filling)
        return run.report(time.monotonic() - begun)


def remove(
    shared: SharedTarget,
    publications: Sequence[str | PublicationNumber],
    context: TaskContext,
    *,
    patience: Sequence[float] = PATIENCE,
) -> PushRemoval:
    """Remove documents from a shared library; `InputError`, and nothing is removed, if one is not in it."""
    store = shared.store
    if store.read_only:
        raise ResourceError(f"{store.name} is open for reading only; nothing can be removed from it.")
    found: dict[PatentId, None] = {}
    for each in publications:
        patent = repository.find(store, each)
        if patent is None:
            raise InputError(f"{each} is not in {store.name}; nothing was removed.")
        found[patent] = None
    named = repository.read_publications(store, found)
    with store.read() as connection:
        schema = read_schema(connection)
    if schema is not None:
        shared.backend.ensure(schema)
    with begin_filling(shared, context, patience=patience) as filling:
        restoring.clean_up(filling)
        with store.write() as connection:
            writing.be_patient(connection)
            # Claimed to the end of this transaction, so that no push writes them meanwhile.
            keys = pushes.read_keys(connection, found)
            number, claimed = pushes.begin_batch(connection, filling.worker, list(keys.values()))
            busy = [named[PatentId(each)] for each, key in keys.items() if key not in claimed]
            if busy:
                names = ", ".join(map(str, busy))
                raise ResourceError(f"Nothing was removed: {names} is being pushed. Try again afterwards.")
            version = writing.begin_change(connection)
            lost = indexed.read_parts(connection, found)
            batches.remove(connection, list(found), version)
            if schema is not None:
                batches.count(connection, (), lost, schema)
            pushes.add_leftovers(connection, found)
            pushes.drop_batch(connection, number)
        restoring.forget_leftovers(filling)
    return PushRemoval(store.name, tuple(named[each] for each in found))


def restore_engine(
    shared: SharedTarget, context: TaskContext, *, patience: Sequence[float] = PATIENCE
) -> PushRestoration:
    """Give the engine the parts of every document of which it has another number, from the database alone.

    For an engine that lost its data, and for another engine in its place: the index is made there if it is
    missing.
    """
    store = shared.store
    with store.read() as connection:
        schema = read_schema(connection)
        documents = indexed.read_ids(connection)
    if schema is None:
        return PushRestoration(store.name, 0, 0)
    shared.backend.ensure(schema, create=True)
    rate = Rate("restore", len(documents), "documents", context)
    restored = 0
    with begin_filling(shared, context, patience=patience) as filling:
        restoring.clean_up(filling)
        for start in range(0, len(documents), BATCH_DOCUMENTS):
            some = documents[start : start + BATCH_DOCUMENTS]
            restored += restoring.restore_claimed(filling, find_wrong(shared, some))
            rate.reached(start + len(some), f"{restored:,} restored")
    return PushRestoration(store.name, len(documents), restored)


def allow_reading(shared: SharedTarget, role: str) -> PushReaders:
    """Let a user or group of the database search a shared library, and change nothing in it.

    The documents, and the index if the same database holds it; an engine of its own has its own tokens.
    `InputError` if the server has no such role, `ResourceError` if the user of the address is not the owner.
    """
    from claimlight.store.postgres import readers

    with shared.store.write() as connection:
        schema = read_schema(connection)
        readers.allow_reading(connection, role, () if schema is None else (schema.name,))
    return PushReaders(shared.store.name, role)


def read_status(shared: SharedTarget) -> PushStatus:
    """The manifest of a shared library."""
    with shared.store.read() as connection:
        state = pushes.read_manifest(connection)
        depths = indexed.count_depths(connection)
    workers = tuple(
        PushWorker(
            number=each.id,
            name=each.name,
            source=each.source,
            begun=each.begun,
            ended=each.ended,
            state=_describe(each),
            batches=each.batches,
            documents=each.documents,
            bytes=each.bytes,
            under_way=each.under_way,
            error=each.error,
        )
        for each in state.workers
    )
    return PushStatus(shared.store.name, state.documents, depths, workers, state.leftovers)


def _describe(worker: pushes.WorkerState) -> str:
    if worker.ended is not None:
        return "failed" if worker.error else "done"
    return "running" if worker.alive else "lost"


def _agree(local: LocalLibrary, shared: SharedTarget, settings: Settings) -> IndexSchema | None:
    """What the index of the shared library is made with, begun now if this is its first index."""
    with shared.store.read() as connection:
        schema = read_schema(connection)
    if schema is None and local.generation is not None:
        made = local.make_schema(settings, average_words(local.store))
        assert made is not None
        with shared.store.write() as connection:
            # Others that begin at the same moment wait here, and find this one's.
            pushes.lock_beginning(connection)
            schema = read_schema(connection)
            if schema is None:
                shared.backend.ensure(made, create=True)
                write_schema(connection, made)
                return made
    if schema is not None:
        local.check_fits(schema, shared.store.name)
        shared.backend.ensure(schema)
    return schema


@dataclass(slots=True)
class _Run:
    """The counts of a push under way."""

    filling: Filling
    local: LocalLibrary
    schema: IndexSchema | None
    batch_documents: int
    cleaned: int = 0
    actions: Counter[Action] = field(default_factory=Counter)
    text_only: int = 0
    sections: int = 0
    passages: int = 0
    bytes: int = 0
    batches: int = 0
    kept: list[SetAside] = field(default_factory=list)
    refused: list[SetAside] = field(default_factory=list)

    def all(self) -> None:
        """Push all documents of the library."""
        total = repository.count_documents(self.local.store)
        rate = Rate("push", total, "documents", self.filling.context)
        postponed: list[LocalHead] = []
        for heads in self.local.heads():
            with self.filling.store.read() as connection:
                planned = batches.plan(connection, self.local, heads)
            self._count(item for item in planned if not item.writes)
            rate.reached(self._seen)
            for some in self._cut([item.head for item in planned if item.writes]):
                postponed += self._push(some)
                rate.reached(self._seen, f"{self._written:,} pushed")
        while postponed:
            # Another run has them: it ends, or dies and is cleaned up after.
            self.filling.context.wait(_WAIT_SECONDS)
            with self.filling.store.read() as connection:
                others = pushes.find_claimants(connection, [head.key for head in postponed])
            for worker in others:
                if worker != self.filling.worker:
                    self.cleaned += restoring.clean_after(self.filling, worker)
            waiting, postponed = postponed, []
            for some in self._cut(waiting):
                postponed += self._push(some)
            rate.reached(self._seen, f"{self._written:,} pushed")

    def fill_in(self) -> None:
        """Give the engine the words of documents that were pushed before there was an index."""
        if self.schema is None:
            return
        with self.filling.store.read() as connection:
            without = indexed.find_without_parts(connection)
        restoring.restore_claimed(self.filling, without)

    def report(self, seconds: float) -> PushReport:
        """What was done."""
        return PushReport(
            shared=self.filling.store.name,
            new=self.actions[Action.NEW],
            replaced=self.actions[Action.REPLACE],
            deepened=self.actions[Action.DEEPEN],
            skipped=self.actions[Action.SKIP],
            kept=self.actions[Action.KEEP],
            refused=tuple(self.refused),
            text_only=self.text_only,
            sections=self.sections,
            passages=self.passages,
            bytes=self.bytes,
            batches=self.batches,
            cleaned=self.cleaned,
            seconds=seconds,
            kept_documents=tuple(self.kept),
        )

    def _push(self, heads: Sequence[LocalHead]) -> tuple[LocalHead, ...]:
        result = batches.push_batch(self.filling, self.local, heads, self.schema)
        self._count(result.planned)
        self._add(result)
        return result.postponed

    def _add(self, result: BatchResult) -> None:
        self.sections += result.sections
        self.passages += result.passages
        self.bytes += result.bytes
        if result.written:
            self.batches += 1
            self.text_only += sum(item.writes and not item.head.depth for item in result.planned)
            self.filling.context.report(Committed("push", self._written))

    def _count(self, planned: Iterator[Planned] | Sequence[Planned]) -> None:
        for item in planned:
            self.actions[item.action] += 1
            if item.action is Action.KEEP and len(self.kept) < KEPT:
                self.kept.append(self._aside(item))
            elif item.action is Action.REFUSE:
                self.refused.append(self._aside(item))

    def _aside(self, item: Planned) -> SetAside:
        patent = PatentId(item.head.id)
        number = repository.read_publications(self.local.store, [patent]).get(patent)
        return SetAside(str(number or item.head.key[0]), item.reason)

    @property
    def _written(self) -> int:
        return sum(self.actions[each] for each in (Action.NEW, Action.REPLACE, Action.DEEPEN))

    @property
    def _seen(self) -> int:
        return sum(self.actions.values())

    def _cut(self, heads: Sequence[LocalHead]) -> Iterator[list[LocalHead]]:
        """Batches by number of documents and characters."""
        some: list[LocalHead] = []
        characters = 0
        for head in heads:
            if some and (
                len(some) == self.batch_documents or characters + head.text_length > BATCH_CHARACTERS
            ):
                yield some
                some, characters = [], 0
            some.append(head)
            characters += head.text_length
        if some:
            yield some
