"""Queries for relations between documents: families, citations in both directions, sources of parts.

Citations are matched to documents when they are read, not when they are written, so that a document
matches citations imported before it. A citation matches a document by its number and a kind of the same
application, or by the application if it names one. A US grant has another number than its pre-grant
publication and names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from claimlight.store.content import FRONTS
from claimlight.store.publication_keys import application_key, kinds_meet, names_application, publication_key
from claimlight.store.repository import cut_chunks, make_related, to_date
from claimlight.types import Origin, Part, PartOrigin, Priority, PublicationNumber, Related

_CITATION = "c.country, c.number, c.kind, c.text, c.category, c.origin, c.claims, c.passage, c.date"
_FILLED = (
    (Part.CLASSES, "class_symbol"),
    (Part.CITATIONS, "citation"),
    (Part.PARTIES, "party"),
    (Part.PRIORITIES, "priority"),
    (Part.RELATED, "related"),
    (Part.PICTURES, "picture"),
)


PRE_GRANT_DIGITS = 11
"""Year and number of a publication of a United States application, which its grant names."""


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A citation and the document at its other end; None if it is not in the library."""

    other: int | None
    publication: PublicationNumber | None
    text: str
    category: str
    origin: Origin
    claims: str
    passage: str
    date: str


@dataclass(frozen=True, slots=True)
class _Place:
    """A document that a citation may mean."""

    id: int
    number_key: str
    kind: str
    published: int


def read_citations(connection: Connection, patent: int) -> tuple[StoredLink, ...]:
    """The citations of a document, in its own order."""
    return read_citations_of_many(connection, [patent])[patent]


def read_citations_of_many(
    connection: Connection, patents: Iterable[int]
) -> dict[int, tuple[StoredLink, ...]]:
    """As `read_citations`, of many documents: a few queries for all of them, in chunks."""
    found: dict[int, tuple[StoredLink, ...]] = {}
    for some in cut_chunks(patents):
        query = f"""SELECT c.document_id, c.cited_key, {_CITATION}, d.published FROM citation c
            JOIN document d ON d.id = c.document_id WHERE c.document_id IN ({", ".join("?" * len(some))})
            ORDER BY c.document_id, c.position"""  # noqa: S608
        links: dict[int, list[StoredLink]] = {item: [] for item in some}
        rows = connection.exec_driver_sql(query, tuple(some)).all()
        for row, link in zip(rows, _resolve_links(connection, rows), strict=True):
            links[row.document_id].append(link)
        found.update((item, tuple(own)) for item, own in links.items())
    return found


def _resolve_links(connection: Connection, rows: Sequence[Row[Any]]) -> Iterator[StoredLink]:
    """The link of each citation."""
    places = _find_places(connection, {row.cited_key for row in rows if row.cited_key})
    applications = _find_by_application(connection, [row for row in rows if _may_be_application(row)])
    away = [row.cited_key for row in rows if row.cited_key and row.cited_key not in places]
    grants = _find_by_earlier(connection, {key for key in away if key.startswith("US")})
    for row in rows:
        found = _pick_meant(places.get(row.cited_key, ()), row.kind)
        if found is None and _may_be_application(row):
            found = _pick_meant(applications.get(application_key(row.country, row.number), ()), "")
        found = grants.get(row.cited_key) if found is None else found
        number = None if row.cited_key is None else PublicationNumber(row.country, row.number, row.kind)
        yield _make_link(row, found, number)


def read_history(connection: Connection, patent: int) -> tuple[tuple[Related, int | None], ...]:
    """The filing history of a document, each entry with the document in the library that it names.

    A number without a kind is an application, unless no document has that application.
    """
    query = """SELECT country, number, kind, relation, day, of_country, of_number, of_kind FROM related
        WHERE document_id = ? ORDER BY position"""
    found = [make_related(row) for row in connection.exec_driver_sql(query, (patent,))]
    names = {item.number: publication_key(item.number.country, item.number.number) for item in found}
    filed = {item: application_key(item.country, item.number) for item in names if not item.kind}
    places = _find_places(connection, names.values())
    applications = _read_documents(connection, "application_key", set(filed.values()) - {""})
    told = []
    for item in found:
        number = item.number
        meant = _pick_meant(applications.get(filed.get(number, ""), ()), "")
        if meant is None:
            meant = _pick_meant(places.get(names[number], ()), number.kind)
        told.append((item, None if meant == patent else meant))
    return tuple(told)


def read_citing(connection: Connection, patent: int) -> tuple[StoredLink, ...]:
    """The citations of this document, or of another publication of its application, in other documents.

    Ordered by publication date of the citing document; a document that cites twice occurs twice.
    """
    own = connection.exec_driver_sql(
        "SELECT number_key, kind, application_country, application_key FROM document WHERE id = ?", (patent,)
    ).one_or_none()
    if own is None:
        return ()
    kinds = _read_kinds_by_key(connection, own, patent)
    spellings = _spell_application(own.application_country, own.application_key)
    keys = sorted({*kinds, *spellings})
    query = f"""SELECT c.cited_key, {_CITATION}, d.id, d.published, d.country AS office, d.number AS serial,
        d.kind AS stage FROM citation c JOIN document d ON d.id = c.document_id
        WHERE c.cited_key IN ({", ".join("?" * len(keys))})
        ORDER BY d.published NULLS FIRST, d.country, d.number, d.kind, d.id, c.position"""  # noqa: S608
    rows = connection.exec_driver_sql(query, tuple(keys)).all()
    return tuple(
        _make_link(row, row.id, PublicationNumber(row.office, row.serial, row.stage))
        for row in rows
        if row.id != patent and _meets(row, kinds, spellings)
    )


def read_cited_documents(connection: Connection, patents: Iterable[int]) -> set[int]:
    """The documents of the library that some documents cite."""
    found = read_citations_of_many(connection, patents)
    return {link.other for links in found.values() for link in links if link.other is not None}


def read_citing_documents(connection: Connection, patents: Iterable[int]) -> set[int]:
    """The documents that cite some documents, or other publications of their applications.

    The same as `read_citing` of each, in a few queries for many; a document does not cite itself.
    """
    found: set[int] = set()
    for some in cut_chunks(patents):
        wanted = ", ".join("?" * len(some))
        query = f"""SELECT id, number_key, kind, application_country, application_key FROM document
            WHERE id IN ({wanted})"""  # noqa: S608
        owns = connection.exec_driver_sql(query, tuple(some)).all()
        asked: dict[str, list[tuple[int, dict[str, list[str]], frozenset[str]]]] = {}
        for own in owns:
            kinds = _read_kinds_by_key(connection, own, own.id)
            spellings = _spell_application(own.application_country, own.application_key)
            for key in {*kinds, *spellings}:
                asked.setdefault(key, []).append((own.id, kinds, spellings))
        for keys in cut_chunks(sorted(asked)):
            for row in connection.exec_driver_sql(
                f"""SELECT c.cited_key, c.number, c.kind, d.id, d.published FROM citation c
                JOIN document d ON d.id = c.document_id
                WHERE c.cited_key IN ({", ".join("?" * len(keys))})""",  # noqa: S608
                tuple(keys),
            ):
                if any(
                    row.id != own and _meets(row, kinds, spellings)
                    for own, kinds, spellings in asked[row.cited_key]
                ):
                    found.add(row.id)
    return found


def read_citing_number(connection: Connection, publication: PublicationNumber) -> set[int]:
    """The documents that cite a publication that the library need not contain."""
    key = publication_key(publication.country, publication.number)
    rows = connection.exec_driver_sql(
        "SELECT document_id, kind FROM citation WHERE cited_key = ?", (key,)
    ).all()
    return {row.document_id for row in rows if kinds_meet(key, publication.kind, row.kind)}


def read_shared_priorities(connection: Connection, patents: Iterable[int]) -> tuple[Priority, ...]:
    """The priorities that all of these documents claim; those that claim none are first filings."""
    claimed: dict[int, dict[str, Priority]] = {}
    for some in cut_chunks(patents):
        query = f"""SELECT document_id, country, number, day, kind FROM priority
            WHERE document_id IN ({", ".join("?" * len(some))}) ORDER BY document_id, position"""  # noqa: S608
        for row in connection.exec_driver_sql(query, tuple(some)):
            claim = Priority(row.country, row.number, to_date(row.day), row.kind)
            claimed.setdefault(row.document_id, {})[application_key(row.country, row.number, row.day)] = claim
    if not claimed:
        return ()
    first, *others = claimed.values()
    return tuple(claim for key, claim in first.items() if all(key in other for other in others))


def read_origins(connection: Connection, patent: int) -> tuple[PartOrigin, ...]:
    """For each part that the document has, the record it was taken from, in the order of `Part`."""
    query = """SELECT p.part, p.dialect, s.path, p.member FROM part_origin p
        JOIN source s ON s.id = p.source_id WHERE p.document_id = ?"""
    kept = {row.part: row for row in connection.exec_driver_sql(query, (patent,))}
    if kept:
        rows = [(part, kept[part.value]) for part in Part if part.value in kept]
        return tuple(PartOrigin(part, row.dialect, row.path, row.member) for part, row in rows)
    row = connection.exec_driver_sql(
        "SELECT d.*, s.path FROM document d JOIN source s ON s.id = d.source_id WHERE d.id = ?", (patent,)
    ).one_or_none()
    if row is None:
        return ()
    return tuple(
        PartOrigin(part, row.dialect, row.path, row.member) for part in _find_filled_parts(connection, row)
    )


def _find_filled_parts(connection: Connection, row: Row[Any]) -> Iterator[Part]:
    """The parts of a document that are not empty, in the order of `Part`."""
    kinds = f"""SELECT DISTINCT label IN {FRONTS}, claim > 0, text LIKE ?, text LIKE ? FROM passage
        WHERE id >= ? AND id < ?"""  # noqa: S608
    passages = connection.exec_driver_sql(
        kinds, ("\n%", "%\n%", row.first_passage, row.first_passage + row.passages)
    ).all()
    there = {
        # The first line of a front is its title, which may be empty.
        Part.TITLES: any(head and not untitled for head, _, untitled, _ in passages),
        Part.ABSTRACTS: any(head and cut for head, _, _, cut in passages),
        Part.CLAIMS: any(claim for _, claim, _, _ in passages),
        Part.DESCRIPTION: any(not head and not claim for head, claim, _, _ in passages),
        Part.LANGUAGE: bool(row.language),
        Part.DATES: row.published is not None,
        Part.APPLICATION: bool(row.application_number) or row.filed is not None,
        Part.FAMILY: bool(row.family),
    }
    for part, table in _FILLED:
        query = f"SELECT EXISTS (SELECT 1 FROM {table} WHERE document_id = ?)"  # noqa: S608
        there[part] = bool(connection.exec_driver_sql(query, (row.id,)).scalar())
    return (part for part in Part if there[part])


def _find_places(connection: Connection, keys: Iterable[str]) -> dict[str, list[_Place]]:
    """Documents by number, oldest publication first."""
    return _read_documents(connection, "number_key", keys)


def _find_by_application(connection: Connection, rows: Sequence[Row[Any]]) -> dict[str, list[_Place]]:
    keys = {application_key(row.country, row.number) for row in rows} - {""}
    return _read_documents(connection, "application_key", keys)


def _read_documents(connection: Connection, column: str, keys: Iterable[str]) -> dict[str, list[_Place]]:
    found: dict[str, list[_Place]] = {}
    for some in cut_chunks(keys):
        # A document without a date must not count as the oldest.
        query = f"""SELECT {column}, id, number_key, kind, published FROM document
            WHERE {column} IN ({", ".join("?" * len(some))})
            ORDER BY published NULLS LAST, kind, id"""  # noqa: S608
        for row in connection.exec_driver_sql(query, tuple(some)):
            place = _Place(row.id, row.number_key, row.kind, row.published or 0)
            found.setdefault(row[0], []).append(place)
    return found


def _pick_meant(places: Sequence[_Place], kind: str) -> int | None:
    """The document that a citation names: of exactly that kind, else the oldest match."""
    exact = [place.id for place in places if place.kind == kind]
    others = (place.id for place in places if kinds_meet(place.number_key, place.kind, kind))
    return exact[0] if exact else next(others, None)


def _may_be_application(row: Row[Any]) -> bool:
    return row.cited_key is not None and names_application(row.cited_key, row.kind, row.published)


def _find_by_earlier(connection: Connection, keys: Iterable[str]) -> dict[str, int]:
    """United States grants by the key of the pre-grant publication that they name as their own."""
    found: dict[str, int] = {}
    for some in cut_chunks(key[2:] for key in keys if len(key) == 2 + PRE_GRANT_DIGITS):
        # Newest first: of several grants the oldest is entered last, and stays.
        query = f"""SELECT r.number, d.id FROM related r JOIN document d ON d.id = r.document_id
            WHERE r.number IN ({", ".join("?" * len(some))}) AND r.country = 'US' AND d.country = 'US'
            ORDER BY d.published DESC NULLS LAST, d.id DESC"""  # noqa: S608
        found.update((f"US{row.number}", row.id) for row in connection.exec_driver_sql(query, tuple(some)))
    return found


def _read_kinds_by_key(connection: Connection, own: Row[Any], patent: int) -> dict[str, list[str]]:
    """Numbers and kinds of all publications of the application of a document, held or named by it."""
    kinds = {own.number_key: [own.kind]}
    query = "SELECT number, kind FROM related WHERE document_id = ? AND country = 'US' AND length(number) = ?"
    if own.number_key.startswith("US"):
        for row in connection.exec_driver_sql(query, (patent, PRE_GRANT_DIGITS)):
            kinds.setdefault(publication_key("US", row.number), []).append(row.kind)
    if own.application_key:
        query = "SELECT number_key, kind FROM document WHERE application_key = ?"
        for row in connection.exec_driver_sql(query, (own.application_key,)):
            kinds.setdefault(row.number_key, []).append(row.kind)
    return kinds


def _spell_application(country: str, key: str) -> frozenset[str]:
    """How a citation of an application would be keyed."""
    if not key:
        return frozenset()
    return frozenset({f"WO{key}", f"{country}{key}"} if key.startswith("PCT") else {key})


def _meets(row: Row[Any], kinds: dict[str, list[str]], spellings: frozenset[str]) -> bool:
    own = kinds.get(row.cited_key, ())
    if any(kinds_meet(row.cited_key, kind, row.kind) for kind in own):
        return True
    return row.cited_key in spellings and names_application(row.cited_key, row.kind, row.published)


def _make_link(row: Row[Any], other: int | None, publication: PublicationNumber | None) -> StoredLink:
    said = (row.text, row.category, Origin(row.origin), row.claims, row.passage, row.date)
    return StoredLink(other, publication, *said)
