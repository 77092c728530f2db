"""Front pages and whole documents of many publications, read by a few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from sqlalchemy import Connection

from claimlight.store.content import FRONTS
from claimlight.store.repository import PASSAGE, make_related, make_stored_passage, to_date
from claimlight.store.values import StoredPassage
from claimlight.types import (
    Citation,
    Claim,
    ClassSymbol,
    LocalText,
    Origin,
    Part,
    Party,
    PatentId,
    Priority,
    PublicationNumber,
    Related,
    Role,
    Scheme,
    Section,
    Source,
)

_HEADS = """SELECT d.*, s.path FROM document d LEFT JOIN source s ON s.id = d.source_id WHERE d.id IN ({})"""
# The passages of a document have consecutive ids. Without ORDER BY: PostgreSQL, which believes that the
# ranges contain most passages, would read all of them in that order.
_TEXTS = f"""SELECT d.id AS patent, {", ".join(f"p.{column.key}" for column in PASSAGE)} FROM document d
    JOIN passage p ON p.id >= d.first_passage AND p.id < d.first_passage + d.passages
    WHERE d.id IN ({{}}) {{}}"""  # noqa: S608
_FRONT = f"AND p.section IN {(*FRONTS, Section.CLAIMS.value)}"
_CLASSES = """SELECT document_id, scheme, symbol, inventive, first, version FROM class_symbol
    WHERE document_id IN ({}) ORDER BY document_id, position"""
_PARTIES = """SELECT document_id, role, name, country FROM party
    WHERE document_id IN ({}) ORDER BY document_id, position"""
_PRIORITIES = """SELECT document_id, country, number, day, kind FROM priority
    WHERE document_id IN ({}) ORDER BY document_id, position"""
_CITATIONS = """SELECT document_id, cited_key, country, number, kind, text, category, origin, claims, passage,
    date FROM citation WHERE document_id IN ({}) ORDER BY document_id, position"""
_RELATED = """SELECT document_id, country, number, kind, relation, day, of_country, of_number, of_kind
    FROM related WHERE document_id IN ({}) ORDER BY document_id, position"""
_ORIGINS = """SELECT p.document_id, p.part, p.dialect, s.path, p.member, p.ordinal, p.offset
    FROM part_origin p JOIN source s ON s.id = p.source_id WHERE p.document_id IN ({})"""
_CITED = """SELECT d.id, count(DISTINCT c.document_id) FROM document d
    JOIN citation c ON c.cited_key = d.number_key WHERE d.id IN ({}) GROUP BY d.id"""
_FAMILY = """SELECT d.id, o.country, o.number, o.kind FROM document d
    JOIN document o ON o.family_key = d.family_key AND o.id <> d.id WHERE d.id IN ({})
    ORDER BY d.id, o.id"""


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """A record that a document, or some parts of it, were taken from."""

    source: Source
    parts: tuple[Part, ...]
    """In the order of `Part`; empty where the whole document is from this record."""


@dataclass(frozen=True, slots=True)
class FrontPage:
    """One document; without its description unless that was asked for."""

    id: PatentId
    publication: PublicationNumber
    application: PublicationNumber | None
    language: str
    published: date | None
    filed: date | None
    priority: date | None
    """The earliest."""
    applicant: str
    family: str
    office_family: str
    """The identifier that the office gives the family; empty where none."""
    titles: tuple[LocalText, ...]
    """In reading order: the document's own language first."""
    abstracts: tuple[LocalText, ...]
    claims: tuple[Claim, ...]
    """Those in the language they are read in first."""
    description: tuple[StoredPassage, ...]
    """Paragraphs; empty unless they were asked for."""
    classes: tuple[ClassSymbol, ...]
    citations: tuple[Citation, ...]
    parties: tuple[Party, ...]
    priorities: tuple[Priority, ...]
    related: tuple[Related, ...]
    passages: int
    cited_by: int
    """Documents of this library."""
    family_members: tuple[PublicationNumber, ...]
    """The other documents of this library."""
    origins: tuple[RecordOrigin, ...]


def read_front_pages(
    connection: Connection, patents: Sequence[int], *, description: bool = False
) -> list[FrontPage]:
    """Yields the documents in the given order, a few hundred per query; removed ones are left out."""

    def read(query: str, *more: str) -> list[Any]:
        marks = ", ".join("?" * len(patents))
        return list(connection.exec_driver_sql(query.format(marks, *more), tuple(patents)))

    heads = {row.id: row for row in read(_HEADS)}
    texts = _group_by_document(sorted(read(_TEXTS, "" if description else _FRONT), key=_passage_of))
    classes, parties, priorities, citations, related, family, origins = (
        _group_by_document(read(query))
        for query in (_CLASSES, _PARTIES, _PRIORITIES, _CITATIONS, _RELATED, _FAMILY, _ORIGINS)
    )
    cited = {row[0]: row[1] for row in read(_CITED)}
    pages: list[FrontPage] = []
    for number in patents:
        if number not in heads:
            continue
        head = heads[number]
        passages = [make_stored_passage(row[1:]) for row in texts[number]]
        titles, abstracts = read_titles_and_abstracts(passages)
        application = PublicationNumber(head.application_country, head.application_number)
        pages.append(
            FrontPage(
                id=PatentId(number),
                publication=PublicationNumber(head.country, head.number, head.kind),
                application=application if application.number else None,
                language=head.language,
                published=to_date(head.published),
                filed=to_date(head.filed),
                priority=to_date(head.priority),
                applicant=head.applicant,
                family=head.family_key,
                office_family=head.family,
                titles=titles,
                abstracts=abstracts,
                claims=tuple(_read_claim(item) for item in passages if item.claim),
                description=tuple(item for item in passages if not item.claim and item.label not in FRONTS),
                classes=tuple(
                    ClassSymbol(Scheme(r.scheme), r.symbol, _read_flag(r.inventive), bool(r.first), r.version)
                    for r in classes[number]
                ),
                citations=tuple(_read_citation(row) for row in citations[number]),
                parties=tuple(Party(Role(r.role), r.name, r.country) for r in parties[number]),
                priorities=tuple(
                    Priority(r.country, r.number, to_date(r.day), r.kind) for r in priorities[number]
                ),
                related=tuple(map(make_related, related[number])),
                passages=head.passages,
                cited_by=cited.get(number, 0),
                family_members=tuple(PublicationNumber(r.country, r.number, r.kind) for r in family[number]),
                origins=_read_origins(head, origins[number]),
            )
        )
    return pages


class _Text(Protocol):
    """A passage, whoever shows it."""

    @property
    def label(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def text(self) -> str: ...


def read_titles_and_abstracts(
    passages: Iterable[_Text],
) -> tuple[tuple[LocalText, ...], tuple[LocalText, ...]]:
    """Titles and abstracts of a document, each with its language: of a passage the title is line 1."""
    titles: list[LocalText] = []
    abstracts: list[LocalText] = []
    for item in passages:
        if item.label in FRONTS:
            title, _, body = item.text.partition("\n")
            titles += [LocalText(title, item.language)] if title else []
            abstracts += [LocalText(body, item.language)] if body else []
    return tuple(titles), tuple(abstracts)


def _group_by_document(rows: list[Any]) -> defaultdict[int, list[Any]]:
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return found


def _passage_of(row: Any) -> int:
    """The id of the passage in a row of `_TEXTS`."""
    return int(row[1])


def _read_claim(item: StoredPassage) -> Claim:
    return Claim(item.claim, item.text, item.language, item.parents, item.elements)


def _read_citation(row: Any) -> Citation:
    cited = None if row.cited_key is None else PublicationNumber(row.country, row.number, row.kind)
    return Citation(cited, row.text, row.category, Origin(row.origin), row.claims, row.passage, row.date)


def _read_origins(head: Any, rows: list[Any]) -> tuple[RecordOrigin, ...]:
    if not rows:
        return (
            RecordOrigin(Source(head.path or "", head.member, head.ordinal, head.offset, head.dialect), ()),
        )
    kept = {row.part: Source(row.path, row.member, row.ordinal, row.offset, row.dialect) for row in rows}
    parts: dict[Source, list[Part]] = {}
    for part in Part:
        if part.value in kept:
            parts.setdefault(kept[part.value], []).append(part)
    return tuple(RecordOrigin(source, tuple(some)) for source, some in parts.items())


def _read_flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
