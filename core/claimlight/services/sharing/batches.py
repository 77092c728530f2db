"""One batch of a push: claim, give the engine its parts, write the documents, let the engine forget.

    1. A short transaction claims the publications, so that no other run has them, decides what is to be done
       with each, and reserves ids.
    2. The engine gets the parts, and returns when they are durable. Nobody finds them yet: their documents
       are not in the database.
    3. One transaction writes documents, words, the index's rows and its counts, removes what is replaced, and
       acknowledges the batch.
    4. The engine forgets what was replaced.

A run that is killed before the end of 3 has changed nothing that counts, and the next run cleans up
(`claimlight.services.sharing.restoring`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from sqlalchemy import Connection

from claimlight.digests import sha256
from claimlight.errors import ResourceError
from claimlight.index import portable
from claimlight.index.backend import OFFSET_BITS, DocumentFacts, IndexSchema
from claimlight.index.segments import SegmentPart
from claimlight.services.sharing.filling import Filling
from claimlight.services.sharing.local import Key, LocalHead, LocalLibrary, load_merged, says_more
from claimlight.services.sharing.parts import (
    PassageWords,
    PlacedDocument,
    added_passages,
    count_parts,
    count_rows,
    make_facts,
    make_parts,
    words_within,
)
from claimlight.services.sharing.restoring import forget_leftovers, restore_claimed
from claimlight.services.sharing.words import PassageText, cut_batch, weigh_texts
from claimlight.store.postgres import indexed, pushes, words, writing
from claimlight.store.postgres.indexed import FULL, TEXT_ONLY, HeldIndex, IndexedDocument, IndexedPart
from claimlight.store.postgres.pushes import Claimed
from claimlight.store.postgres.writing import Held, NewIds, Packed

_NO_INDEX = HeldIndex(TEXT_ONLY, {})


class _GivenUpError(Exception):
    """Another run took this one for dead."""


class Action(Enum):
    """What a push does with a document."""

    NEW = auto()
    REPLACE = auto()
    DEEPEN = auto()
    SKIP = auto()
    KEEP = auto()
    """The shared library has another text of the publication, which stays."""
    REFUSE = auto()


@dataclass(frozen=True, slots=True)
class Planned:
    """A document of the local library, and what becomes of it."""

    head: LocalHead
    action: Action
    held: Held | None = None
    """The document of the same publication that the shared library has."""
    index: HeldIndex = _NO_INDEX
    reason: str = ""
    """Why it is kept or refused."""

    @property
    def fresh(self) -> bool:
        """Whether it gets ids of its own."""
        return self.action is not Action.DEEPEN

    @property
    def writes(self) -> bool:
        """Whether it changes the shared library."""
        return self.action in (Action.NEW, Action.REPLACE, Action.DEEPEN)


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What a batch did."""

    planned: tuple[Planned, ...]
    """Its documents, as they were when it was written."""
    postponed: tuple[LocalHead, ...] = ()
    """Those that another run has claimed."""
    sections: int = 0
    passages: int = 0
    bytes: int = 0
    written: bool = False
    """Whether anything was."""


@dataclass(slots=True)
class _Work:
    """A batch under way."""

    number: int
    planned: list[Planned]
    ids: dict[int, NewIds] = field(default_factory=dict)
    """By the id in the local library; of deepened documents, those they have."""


def plan(connection: Connection, local: LocalLibrary, heads: Sequence[LocalHead]) -> list[Planned]:
    """What is to be done with each document, in a transaction of the shared library."""
    held = writing.find_documents(connection, [head.key for head in heads])
    indexes = indexed.read_held(connection, [item.id for item in held.values()])
    planned: list[Planned] = []
    for head in heads:
        theirs = held.get(head.key)
        if head.passages >= 1 << OFFSET_BITS:
            planned.append(Planned(head, Action.REFUSE, reason=f"it has {head.passages:,} passages"))
        elif theirs is None:
            planned.append(Planned(head, Action.NEW))
        else:
            index = indexes.get(theirs.id, _NO_INDEX)
            planned.append(_compare(connection, local, Planned(head, Action.SKIP, theirs, index)))
    return planned


def _compare(connection: Connection, local: LocalLibrary, item: Planned) -> Planned:
    assert item.held is not None
    if item.held.digest == item.head.digest:
        deeper = item.head.depth > item.index.depth
        return replace(item, action=Action.DEEPEN if deeper else Action.SKIP)
    if item.head.depth < item.index.depth:
        return replace(item, action=Action.KEEP, reason="the other text of it is indexed more deeply")
    with local.store.read() as here:
        mine = load_merged(here, item.head.key)
    theirs = load_merged(connection, item.head.key)
    if mine is None:
        return item
    if theirs is None or says_more(mine, theirs):
        return replace(item, action=Action.REPLACE)
    return replace(item, action=Action.KEEP, reason="the other text of it says more, or is of a newer file")


def push_batch(
    filling: Filling, local: LocalLibrary, heads: Sequence[LocalHead], schema: IndexSchema | None
) -> BatchResult:
    """Push some documents."""
    filling.check_alive()
    work, postponed = _begin(filling, local, heads)
    if work is None:
        return BatchResult((), postponed)
    writes = [item for item in work.planned if item.writes]
    if not writes:
        return BatchResult(tuple(work.planned), postponed)
    batch = writing.read_batch(local.store, [item.head.id for item in writes], filling.context)
    found = {packed.id: packed for packed in batch.documents}
    # What was removed from the local library meanwhile is left to its next push.
    writes = [item for item in writes if item.head.id in found]
    rows = local.rows([item.head for item in writes]) if schema is not None else {}
    filling.context.check()
    documents, counts = _give_parts(filling, work, writes, found, rows, schema)
    try:
        size = _acknowledge(filling, work, writes, batch, documents, schema)
    except _GivenUpError:
        raise _forget(filling, work) from None
    forget_leftovers(filling)
    planned = tuple(item for item in work.planned if not item.writes or item.head.id in found)
    return BatchResult(planned, postponed, *counts, size, written=bool(writes))


def _begin(
    filling: Filling, local: LocalLibrary, heads: Sequence[LocalHead]
) -> tuple[_Work | None, tuple[LocalHead, ...]]:
    """Claim and reserve: step 1."""
    with filling.store.write() as connection:
        number, claimed = pushes.begin_batch(connection, filling.worker, [head.key for head in heads])
        mine = set(claimed)
        postponed = tuple(head for head in heads if head.key not in mine)
        work = _Work(number, plan(connection, local, [head for head in heads if head.key in mine]))
        fresh = [item for item in work.planned if item.action in (Action.NEW, Action.REPLACE)]
        document, passage = writing.reserve_ids(
            connection, len(fresh), sum(item.head.passages for item in fresh)
        )
        for item in fresh:
            work.ids[item.head.id] = NewIds(document, passage)
            document, passage = document + 1, passage + item.head.passages
        for item in work.planned:
            if item.action is Action.DEEPEN and item.held is not None:
                work.ids[item.head.id] = NewIds(item.held.id, item.held.first_passage)
        claims = [
            Claimed(item.head.key, work.ids[item.head.id].document, fresh=item.fresh)
            for item in work.planned
            if item.writes
        ]
        pushes.name_documents(connection, number, claims)
        if not claims:
            pushes.drop_batch(connection, number)
    return (work if work.planned else None), postponed


def _give_parts(
    filling: Filling,
    work: _Work,
    writes: Sequence[Planned],
    found: Mapping[int, Packed],
    rows: Mapping[int, tuple[IndexedPart, ...]],
    schema: IndexSchema | None,
) -> tuple[list[IndexedDocument], tuple[int, int]]:
    """Step 2: what is to be stored of the index of each document, and how many parts the engine got."""
    placed: list[PlacedDocument] = []
    texts: list[PassageText] = []
    stored: list[IndexedDocument] = []
    for item in writes:
        packed, ids = found[item.head.id], work.ids[item.head.id]
        parts = _new_parts(item, rows.get(item.head.id, ()))
        own = tuple(portable.read(part.arrays) for part in parts)
        placed.append(PlacedDocument(ids.document, ids.first_passage, facts_of(packed), own))
        texts += [PassageText(ids.document, at, str(row[-1])) for at, row in enumerate(packed.passages)]
        stored.append(
            IndexedDocument(
                ids.document,
                ids.first_passage,
                item.head.depth if schema is not None else TEXT_ONLY,
                described=_is_described(item, parts),
                sections=0,
                passages=0,
                parts=parts,
            )
        )
    if schema is None or not placed:
        return stored, (0, 0)
    weighed = weigh_texts(filling.store, texts, schema)
    sizes = _upsert(filling, writes, placed, weighed, schema)
    stored = [replace(each, sections=s, passages=p) for each, (s, p, _, _) in zip(stored, sizes, strict=True)]
    return stored, (sum(each[2] for each in sizes), sum(each[3] for each in sizes))


def _upsert(
    filling: Filling,
    writes: Sequence[Planned],
    placed: Sequence[PlacedDocument],
    weighed: PassageWords,
    schema: IndexSchema,
) -> list[tuple[int, int, int, int]]:
    """Give the engine the parts; sections and passages that it then has of each document, and was given."""
    deepened = {
        own.document: item.index
        for item, own in zip(writes, placed, strict=True)
        if item.action is Action.DEEPEN and not _is_rewritten(item, own)
    }
    whole = [own for own in placed if own.document not in deepened]
    more = [own for own in placed if own.document in deepened]
    found: dict[int, tuple[int, int, int, int]] = {}
    for some, partly in ((whole, False), (more, True)):
        if not some:
            continue
        own_words = weighed.of([own.document for own in some])
        used = words_within(own_words, some) if partly else own_words
        batch = make_parts(some, used, schema)
        filling.ask_engine(lambda batch=batch: filling.backend.upsert(batch))  # type: ignore[misc]
        added = added_passages(batch, used)
        with filling.store.read() as connection:
            before = indexed.read_sizes(connection, [own.document for own in some]) if partly else {}
        for document, (sections, passages) in count_parts(batch).items():
            old = before.get(document, (0, 0))
            held = old[1] + added.get(document, 0) if partly else passages
            found[document] = (old[0] + sections, held, sections, passages)
    return [found[own.document] for own in placed]


def _acknowledge(
    filling: Filling,
    work: _Work,
    writes: Sequence[Planned],
    batch: writing.Batch,
    documents: Sequence[IndexedDocument],
    schema: IndexSchema | None,
) -> int:
    """Step 3; the bytes that were written."""
    size, digest = _measure(batch, documents)
    fresh = {
        item.head.id: work.ids[item.head.id] for item in writes if item.action in (Action.NEW, Action.REPLACE)
    }
    gone = [item.held.id for item in writes if item.action is Action.REPLACE and item.held is not None]
    # Before the transaction, in which others wait.
    new_words = cut_batch(batch, fresh)
    # Parts of the claims that are part of the whole now.
    rewritten = [
        each.document
        for item, each in zip(writes, documents, strict=True)
        if item.action is Action.DEEPEN and any(part.part == 0 for part in each.parts)
    ]
    with filling.store.write() as connection:
        writing.be_patient(connection)
        if not pushes.finish_batch(connection, work.number, documents=len(writes), size=size, digest=digest):
            raise _GivenUpError
        if writes:
            version = writing.begin_change(connection)
            lost = indexed.read_parts(connection, [*gone, *rewritten])
            former = remove(connection, gone, version)
            indexed.drop_parts(connection, rewritten)
            writing.write_documents(connection, batch, fresh, version, former=former)
            words.write_words(connection, new_words)
            indexed.write_indexed(connection, documents, version)
            if schema is not None:
                count(connection, [part for each in documents for part in each.parts], lost, schema)
            pushes.add_leftovers(connection, gone)
        pushes.free_claims(connection, work.number)
    return size


def _forget(filling: Filling, work: _Work) -> ResourceError:
    """Let the engine forget a batch that another run gave up; what to say."""
    fresh = [work.ids[item.head.id].document for item in work.planned if item.writes and item.fresh]
    others = [work.ids[item.head.id].document for item in work.planned if item.writes and not item.fresh]
    with filling.store.write() as connection:
        pushes.add_leftovers(connection, fresh)
    forget_leftovers(filling)
    restore_claimed(filling, others)
    return ResourceError(
        f"The connection to {filling.store.name} was lost for a while, and another push gave up the last "
        "batch of this one. What was acknowledged is kept; run the same command again to resume."
    )


def remove(connection: Connection, documents: Sequence[int], version: int) -> dict[Key, str]:
    """Delete documents with their words and the rows of their index, but not from the counts."""
    if not documents:
        return {}
    words.drop_words(connection, documents)
    indexed.drop_indexed(connection, documents)
    return writing.remove_documents(connection, documents, version)


def count(
    connection: Connection,
    added: Sequence[IndexedPart],
    lost: Mapping[int, tuple[IndexedPart, ...]],
    schema: IndexSchema,
) -> None:
    """Correct N and df for parts that are stored now, and for those that no longer are."""
    more = count_rows((portable.read(part.arrays) for part in added), schema.centers)
    less = count_rows(
        (portable.read(part.arrays) for parts in lost.values() for part in parts), schema.centers
    )
    if added or lost:
        indexed.add_counts(connection, more.passages - less.passages, more.df - less.df, more.spans)


def facts_of(packed: Packed) -> DocumentFacts:
    """What its parts can be filtered by."""
    published = packed.document[7]
    symbols = [(str(row[1]), str(row[2])) for row in packed.children[0]]
    return make_facts(published if isinstance(published, int) else None, str(packed.placed[0]), symbols)


def _new_parts(item: Planned, parts: tuple[IndexedPart, ...]) -> tuple[IndexedPart, ...]:
    """The parts that the shared library does not have."""
    if item.action is not Action.DEEPEN or any(part.part == 0 for part in parts):
        return parts
    return tuple(part for part in parts if part.part not in item.index.parts)


def _is_rewritten(item: Planned, own: PlacedDocument) -> bool:
    """Whether the engine gets all parts of a deepened document."""
    whole = any(rows.part is SegmentPart.WHOLE for rows in own.rows)
    return whole or not item.index.parts


def _is_described(item: Planned, parts: Sequence[IndexedPart]) -> bool:
    described = portable.PARTS.index(SegmentPart.DESCRIPTION)
    return item.head.depth == FULL and any(part.part == described for part in parts)


def _measure(batch: writing.Batch, documents: Sequence[IndexedDocument]) -> tuple[int, bytes]:
    """Bytes of texts and rows of a batch, and a digest of what it wrote."""
    written: list[bytes] = []
    size = 0
    for packed in batch.documents:
        written.append(packed.digest)
        size += sum(len(str(row[-1]).encode("utf-8", "surrogatepass")) for row in packed.passages)
    for each in documents:
        for part in each.parts:
            written.append(part.digest)
            size += len(part.arrays)
    return size, bytes.fromhex(sha256(b"".join(written)))
