"""Front pages in bulk: what a table of many documents shows of each, read by a handful of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Connection

from core.store.repository import to_date
from core.types import (
    ClassSymbol,
    LocalText,
    Party,
    PatentId,
    Priority,
    PublicationNumber,
    Role,
    Scheme,
    Section,
)

_HEADS = """SELECT id, country, number, kind, language, published, filed, priority, family_key,
    application_country, application_number, applicant, passages
    FROM document WHERE id IN ({})"""
_TEXTS = """SELECT p.document_id, p.section, p.language, p.text FROM document d
    JOIN passage p ON p.id >= d.first_passage AND p.id < d.first_passage + d.passages
    WHERE d.id IN ({}) AND p.section IN ('abstract', 'claims') ORDER BY p.id"""
_CLASSES = """SELECT document_id, scheme, symbol, inventive, first, version FROM class_symbol
    WHERE document_id IN ({}) ORDER BY document_id, position"""
_PARTIES = """SELECT document_id, role, name, country FROM party
    WHERE document_id IN ({}) ORDER BY document_id, position"""
_PRIORITIES = """SELECT document_id, country, number, day FROM priority
    WHERE document_id IN ({}) ORDER BY document_id, position"""
_CITES = "SELECT document_id, count(*) FROM citation WHERE document_id IN ({}) GROUP BY document_id"
_CITED = """SELECT d.id, count(DISTINCT c.document_id) FROM document d
    JOIN citation c ON c.cited_key = d.number_key WHERE d.id IN ({}) GROUP BY d.id"""
_FAMILY = """SELECT d.id, count(*) FROM document d
    JOIN document o ON o.family_key = d.family_key WHERE d.id IN ({}) GROUP BY d.id"""


@dataclass(frozen=True, slots=True)
class FrontPage:
    """One document without its description."""

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
    titles: tuple[LocalText, ...]
    """In reading order: the document's own language first."""
    abstracts: tuple[LocalText, ...]
    claims: tuple[str, ...]
    """In the language they are read in."""
    classes: tuple[ClassSymbol, ...]
    parties: tuple[Party, ...]
    priorities: tuple[Priority, ...]
    passages: int
    cites: int
    cited_by: int
    """Documents of this library."""
    family_size: int
    """Documents of this library, itself among them."""


def front_pages(connection: Connection, patents: Sequence[int]) -> list[FrontPage]:
    """The documents in the order asked for, a few hundred at once; those that are gone are left out."""

    def read(query: str) -> list[Any]:
        marks = ", ".join("?" * len(patents))
        return list(connection.exec_driver_sql(query.format(marks), tuple(patents)))

    def counted(query: str) -> dict[int, int]:
        return {row[0]: row[1] for row in read(query)}

    heads = {row.id: row for row in read(_HEADS)}
    texts = _grouped(read(_TEXTS))
    classes, parties, priorities = (
        _grouped(read(_CLASSES)),
        _grouped(read(_PARTIES)),
        _grouped(read(_PRIORITIES)),
    )
    cites, cited, family = counted(_CITES), counted(_CITED), counted(_FAMILY)
    pages: list[FrontPage] = []
    for number in patents:
        if number not in heads:
            continue
        head = heads[number]
        titles, abstracts, claims = _texts(texts[number])
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
                titles=titles,
                abstracts=abstracts,
                claims=claims,
                classes=tuple(
                    ClassSymbol(Scheme(r.scheme), r.symbol, _flag(r.inventive), bool(r.first), r.version)
                    for r in classes[number]
                ),
                parties=tuple(Party(Role(r.role), r.name, r.country) for r in parties[number]),
                priorities=tuple(Priority(r.country, r.number, to_date(r.day)) for r in priorities[number]),
                passages=head.passages,
                cites=cites.get(number, 0),
                cited_by=cited.get(number, 0),
                family_size=family.get(number, 1),
            )
        )
    return pages


def _grouped(rows: list[Any]) -> defaultdict[int, list[Any]]:
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return found


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def _texts(rows: list[Any]) -> tuple[tuple[LocalText, ...], tuple[LocalText, ...], tuple[str, ...]]:
    """Titles, abstracts, and the claims of the first language that has any."""
    titles: list[LocalText] = []
    abstracts: list[LocalText] = []
    claims = [row for row in rows if row.section == Section.CLAIMS.value]
    for row in rows:
        if row.section == Section.ABSTRACT.value:
            title, _, body = row.text.partition("\n")
            titles += [LocalText(title, row.language)] if title else []
            abstracts += [LocalText(body, row.language)] if body else []
    own = [row.text for row in claims if row.language == claims[0].language]
    return tuple(titles), tuple(abstracts), tuple(own)
