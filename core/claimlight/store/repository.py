"""Reads a library: each function takes the open `Store` and returns values.

Ids are row ids of the library; lists of any length are queried in chunks. Unknown ids are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import Connection, and_, case, func, or_, select

from claimlight.store.content import FRONTS
from claimlight.store.library_tables import Document, FamilyAlias, Meta, Passage, RelatedRow, Removed
from claimlight.store.publication_keys import parse_publication, publication_key
from claimlight.store.store import Store
from claimlight.store.values import StoredDocument, StoredPassage
from claimlight.tasks import TaskContext
from claimlight.types import (
    ClaimElement,
    PassageId,
    PatentId,
    PatentSummary,
    PublicationNumber,
    Related,
    Relation,
    Section,
)

CHUNK = 500
"""Ids in one query."""
_T = TypeVar("_T")

PASSAGE = (
    Passage.id,
    Passage.document_id,
    Passage.section,
    Passage.label,
    Passage.language,
    Passage.text,
    Passage.heading,
    Passage.claim,
    Passage.parents,
    Passage.elements,
)
"""The columns that `make_stored_passage` takes."""
_PASSAGES = f"SELECT {', '.join(column.key for column in PASSAGE)} FROM {Passage.__tablename__}"  # noqa: S608
_OF_DOCUMENT = (Passage.id >= Document.first_passage, Passage.id < Document.first_passage + Document.passages)
"""What joins passages to their document: they have consecutive ids, and no index of their documents."""
_SUMMARY = (
    Document.id,
    Document.country,
    Document.number,
    Document.kind,
    Document.title,
    Document.published,
    Document.filed,
    Document.priority,
    Document.applicant,
    Document.family_key,
    Document.language,
    Document.classes,
)

_OF_ITS_APPLICATION = (Relation.PREVIOUSLY_PUBLISHED, Relation.SAME_APPLICATION, Relation.PCT)
"""Relations to other publications of the document's own application."""


def count_documents(store: Store) -> int:
    """How many documents the library holds."""
    with store.read() as connection:
        return connection.execute(select(func.count()).select_from(Document)).scalar_one()


def read_library_version(store: Store) -> int:
    """Grows with every commit that adds, replaces or removes documents."""
    with store.read() as connection:
        return read_version(connection)


def read_version(connection: Connection) -> int:
    """See `read_library_version`."""
    return connection.execute(select(Meta.value).where(Meta.key == "version")).scalar_one()


def read_removed_since(store: Store, version: int) -> tuple[PatentId, ...]:
    """Documents removed or replaced by commits after library version ``version``, ascending."""
    query = select(Removed.document_id).where(Removed.version > version).order_by(Removed.document_id)
    with store.read() as connection:
        return tuple(PatentId(item) for item in connection.execute(query).scalars())


def read_documents_after(store: Store, patent: PatentId | int, limit: int) -> list[StoredDocument]:
    """The next ``limit`` documents with an id above ``patent``, ascending, with all their passages."""
    query = (
        select(
            Document.id,
            Document.country,
            Document.number,
            Document.kind,
            Document.language,
            Document.first_passage,
            Document.passages,
        )
        .where(Document.id > patent)
        .order_by(Document.id)
        .limit(limit)
    )
    with store.read() as connection:
        heads = connection.execute(query).all()
        if not heads:
            return []
        found: dict[int, list[StoredPassage]] = {head.id: [] for head in heads}
        low = min(head.first_passage for head in heads)
        high = max(head.first_passage + head.passages for head in heads)
        rows = select(*PASSAGE).where(Passage.id >= low, Passage.id < high).order_by(Passage.id)
        for row in connection.execute(rows):
            if row.document_id in found:
                found[row.document_id].append(make_stored_passage(row))
    return [
        StoredDocument(
            PatentId(head.id),
            PublicationNumber(head.country, head.number, head.kind),
            head.language,
            tuple(found[head.id]),
        )
        for head in heads
    ]


def read_summaries(store: Store, patents: Iterable[PatentId]) -> dict[PatentId, PatentSummary]:
    """What a row of a list shows, by document."""
    with store.read() as connection:
        return read_summaries_in(connection, patents)


def read_summaries_in(connection: Connection, patents: Iterable[int]) -> dict[PatentId, PatentSummary]:
    """As `read_summaries`, inside a transaction that is open already."""
    found: dict[PatentId, PatentSummary] = {}
    for some in cut_chunks(patents):
        earlier = _read_earlier(connection, some)
        for row in connection.execute(select(*_SUMMARY).where(Document.id.in_(some))):
            found[PatentId(row.id)] = _make_summary(row, earlier.get(PatentId(row.id)))
    return found


def _read_earlier(connection: Connection, patents: Sequence[int]) -> dict[PatentId, Related]:
    """The first publication of the application of each document that names one with its day."""
    found: dict[PatentId, Related] = {}
    query = (
        select(RelatedRow)
        .join(Document, Document.id == RelatedRow.document_id)
        .where(
            RelatedRow.document_id.in_(patents),
            RelatedRow.relation.in_(_OF_ITS_APPLICATION),
            RelatedRow.of_number == "",
            or_(Document.published.is_(None), RelatedRow.day < Document.published),
            # Of an application, not of a publication: numbers without a kind, and PCT/… under WO.
            or_(RelatedRow.kind != "", RelatedRow.country == "WO"),
            func.upper(func.substr(RelatedRow.number, 1, 3)) != "PCT",
        )
        .order_by(RelatedRow.day.nulls_first(), RelatedRow.position)
    )
    for row in connection.execute(query):
        found.setdefault(PatentId(row.document_id), make_related(row))
    return found


def read_passages(store: Store, ids: Iterable[PassageId]) -> dict[PassageId, StoredPassage]:
    """Passages by their ids."""
    found: dict[PassageId, StoredPassage] = {}
    with store.read() as connection:
        for some in cut_chunks(ids):
            # As plain SQL: a search reads a few texts a dozen times, and composing the query takes longer.
            query = f"{_PASSAGES} WHERE id IN ({', '.join('?' * len(some))})"
            for row in connection.exec_driver_sql(query, tuple(some)).all():
                found[PassageId(row[0])] = make_stored_passage(row)
    return found


def find_passages_not_in(
    store: Store, ids: Iterable[PassageId], languages: Collection[str], *, context: TaskContext | None = None
) -> frozenset[PassageId]:
    """Those passages whose own or whose document's language is known and not in ``languages``."""
    # A passage without a language of its own has that of its document.
    own = case((Passage.language != "", Passage.language), else_=Document.language)
    query = select(Passage.id).join(Document, Passage.document_id == Document.id)
    found: set[PassageId] = set()
    with store.read(context) as connection:
        for some in cut_chunks(ids):
            if context is not None:
                context.check()
            here = query.where(Passage.id.in_(some), own.not_in(["", *languages]))
            found.update(map(PassageId, connection.execute(here).scalars()))
    return frozenset(found)


def read_passages_of(store: Store, patents: Iterable[PatentId]) -> dict[PatentId, tuple[StoredPassage, ...]]:
    """All passages of each document, in reading order."""
    found: dict[PatentId, list[StoredPassage]] = {}
    # Not ordered by the database: see `claimlight.store.front_pages`.
    texts = select(*PASSAGE).join(Document, and_(*_OF_DOCUMENT))
    with store.read() as connection:
        for some in cut_chunks(patents):
            held = connection.execute(select(Document.id).where(Document.id.in_(some)))
            found.update((PatentId(number), []) for number in held.scalars())
            for row in connection.execute(texts.where(Document.id.in_(some))):
                found[PatentId(row.document_id)].append(make_stored_passage(row))
    return {patent: tuple(sorted(own, key=_place_of)) for patent, own in found.items()}


def _place_of(passage: StoredPassage) -> PassageId:
    return passage.id


def find_with_full_text(store: Store, patents: Iterable[PatentId]) -> frozenset[PatentId]:
    """Those of some documents that have claims or description, not only title and abstract."""
    found: set[PatentId] = set()
    with store.read() as connection:
        for part in cut_chunks(patents):
            text = select(Passage.id).where(*_OF_DOCUMENT, Passage.section.not_in(FRONTS)).exists()
            query = select(Document.id).where(Document.id.in_(part), text)
            found.update(map(PatentId, connection.execute(query).scalars()))
    return frozenset(found)


def read_passages_between(connection: Connection, first: int, many: int) -> tuple[StoredPassage, ...]:
    """``many`` consecutive passages from ``first``."""
    query = select(*PASSAGE).where(Passage.id >= first, Passage.id < first + many)
    return tuple(make_stored_passage(row) for row in connection.execute(query.order_by(Passage.id)))


def find(store: Store, publication: str | PublicationNumber) -> PatentId | None:
    """The document of a publication number in any usual spelling.

    Without a kind code it is the latest publication of that number. An ending like a kind code may also be
    part of the number, as in names of documents that no office has numbered.
    """
    if not isinstance(publication, str):
        return _find(store, publication)
    parsed = parse_publication(publication)
    found = None if parsed is None else _find(store, parsed)
    if found is None and parsed is not None and parsed.kind:
        return _find(store, PublicationNumber(parsed.country, f"{parsed.number}{parsed.kind}"))
    return found


def _find(store: Store, wanted: PublicationNumber) -> PatentId | None:
    key = publication_key(wanted.country, wanted.number)
    query = select(Document.id, Document.kind).where(Document.number_key == key)
    latest = query.order_by(Document.published.desc().nulls_last(), Document.kind.desc(), Document.id)
    with store.read() as connection:
        rows = connection.execute(latest).all()
    if not rows:
        return None
    exact = [row.id for row in rows if row.kind == wanted.kind]
    if wanted.kind and not exact:
        return None
    return PatentId(exact[0] if exact else rows[0].id)


def find_family(store: Store, keys: Sequence[str]) -> PatentId | None:
    """The first document of the family that has one of these `publication_keys.family_keys`."""
    joined = select(FamilyAlias.family_key).where(FamilyAlias.key.in_(keys))
    query = select(func.min(Document.id)).where(
        Document.family_key.in_(keys) | Document.family_key.in_(joined)
    )
    with store.read() as connection:
        found = connection.execute(query).scalar()
    return None if found is None else PatentId(found)


def read_family(connection: Connection, patent: int) -> tuple[int, ...]:
    """Ids of the family of ``patent``, ascending."""
    own = select(Document.family_key).where(Document.id == patent).scalar_subquery()
    query = select(Document.id).where(Document.family_key == own).order_by(Document.id)
    return tuple(connection.execute(query).scalars())


def read_publications(store: Store, patents: Iterable[PatentId]) -> dict[PatentId, PublicationNumber]:
    """Publication numbers by document."""
    found: dict[PatentId, PublicationNumber] = {}
    query = select(Document.id, Document.country, Document.number, Document.kind)
    with store.read() as connection:
        for some in cut_chunks(patents):
            for row in connection.execute(query.where(Document.id.in_(some))):
                found[PatentId(row.id)] = PublicationNumber(row.country, row.number, row.kind)
    return found


def cut_chunks(items: Iterable[_T]) -> Iterator[list[_T]]:
    """Pieces of at most `CHUNK` items."""
    iterator = iter(items)
    while piece := list(islice(iterator, CHUNK)):
        # sqlite3 binds a NumPy integer as a blob, which equals no id.
        yield [int(item) if isinstance(item, np.integer) else item for item in piece]  # type: ignore[misc]


def make_stored_passage(row: Any) -> StoredPassage:
    """A passage from a row of `PASSAGE`."""
    number, document, section, label, language, text, heading, claim, parents, elements = row
    return StoredPassage(
        PassageId(number),
        PatentId(document),
        Section(section),
        label,
        language,
        text,
        heading,
        claim,
        tuple(map(int, parents.split())) if parents else (),
        _read_elements(elements) if elements else (),
    )


def _read_elements(text: str) -> tuple[ClaimElement, ...]:
    return tuple(ClaimElement(*map(int, item.split(":"))) for item in text.split())


def _make_summary(row: Any, earlier: Related | None) -> PatentSummary:
    return PatentSummary(
        id=PatentId(row.id),
        publication=PublicationNumber(row.country, row.number, row.kind),
        title=row.title,
        published=to_date(row.published),
        filed=to_date(row.filed),
        priority=to_date(row.priority),
        applicant=row.applicant,
        family=row.family_key,
        language=row.language,
        classes=tuple(row.classes.split("\n")) if row.classes else (),
        earlier=earlier,
    )


def to_date(value: int | None) -> date | None:
    """The date of an integer ``yyyymmdd``."""
    return None if value is None else date(value // 10_000, value // 100 % 100, value % 100)


def make_related(row: Any) -> Related:
    """A document of the same filing history from its row."""
    return Related(
        Relation(row.relation),
        PublicationNumber(row.country, row.number, row.kind),
        to_date(row.day),
        PublicationNumber(row.of_country, row.of_number, row.of_kind) if row.of_number else None,
    )
