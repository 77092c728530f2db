"""From a `Patent` to the rows that are written: built once, in whatever process parsed the file.

Rows are plain tuples in column order without ids; the writer puts the ids in front. They are
cheap to build, to pickle and to hand to ``executemany``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from itertools import count

from core.store.numbers import application_key, family_key, publication_key
from core.types import Claim, Patent, PublicationNumber, Role, Scheme, Section, Source

Row = tuple[object, ...]


DOCUMENT = (
    "publication, country, number, kind, number_key, title, language, published, filed, priority, "
    "application_country, application_number, application_key, applicant, classes, family"
)
"""Columns of `DocumentRows.document`."""
PASSAGE = "section, label, heading, language, claim, parents, elements, text"
"""Columns of a row of `DocumentRows.passages`."""
CHILDREN = (
    ("class_symbol", "position, scheme, symbol, inventive, first, version"),
    (
        "citation",
        "position, cited_key, country, number, kind, text, category, origin, claims, passage",
    ),
    ("party", "position, role, name, country"),
    ("priority", "position, country, number, day"),
    ("related", "position, country, number, kind"),
)
"""Tables that hang on a document, and their columns."""


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """One document, ready to be written."""

    key: tuple[str, str]
    """`Document.number_key` and kind: what makes two records one publication."""
    digest: bytes
    text_length: int
    application_key: str
    family_key: str
    document: Row
    passages: tuple[Row, ...]
    children: tuple[tuple[Row, ...], ...]
    """Rows of `CHILDREN`, in its order."""
    source: Source


def day(value: date | None) -> int | None:
    """A date as the integer ``yyyymmdd``."""
    return None if value is None else value.year * 10_000 + value.month * 100 + value.day


def document_rows(patent: Patent) -> DocumentRows:
    """All rows of one document; `ValueError` for text or numbers no database can hold."""
    if any(not 0 < claim.number < 1 << 31 for claim in patent.claims):
        raise ValueError("a claim number is out of range")
    publication = patent.publication
    number_key = publication_key(publication.country, publication.number)
    application = patent.application or PublicationNumber("", "")
    own_key = application_key(application.country, application.number)
    language, passages = _passages(patent)
    days = [item.date for item in patent.priorities if item.date is not None]
    title = passages[0][-1] if passages and passages[0][0] == Section.ABSTRACT.value else ""
    document: Row = (
        str(publication),
        publication.country,
        publication.number,
        publication.kind,
        number_key,
        str(title).partition("\n")[0],
        language,
        day(patent.published),
        day(patent.filed),
        day(min(days, default=None)),
        application.country,
        application.number,
        own_key,
        _applicant(patent),
        _class_list(patent),
        patent.family,
    )
    children = (
        tuple(
            (n, c.scheme.value, c.symbol, c.inventive, c.first, c.version)
            for n, c in enumerate(patent.classes)
        ),
        tuple(_citations(patent)),
        tuple((n, p.role.value, p.name, p.country) for n, p in enumerate(patent.parties)),
        tuple((n, p.country, p.number, day(p.date)) for n, p in enumerate(patent.priorities)),
        tuple((n, r.country, r.number, r.kind) for n, r in enumerate(patent.related)),
    )
    return DocumentRows(
        key=(number_key, publication.kind),
        digest=_digest((document,), passages, *children),
        text_length=sum(len(str(row[-1])) for row in passages),
        application_key=own_key,
        family_key=family_key(patent.family, patent.priorities, patent.application, publication),
        document=document,
        passages=passages,
        children=children,
        source=patent.source,
    )


def _passages(patent: Patent) -> tuple[str, tuple[Row, ...]]:
    """Reading order: title and abstract, claims, description, then the other languages."""
    main = _main_language(patent)
    rows: list[Row] = []
    others: list[Row] = []
    for language, text in _abstracts(patent):
        target = rows if language == main and not rows else others
        target.append((Section.ABSTRACT.value, "abstract", "", language, 0, "", "", text))
    claim_language = _claim_language(patent.claims, main)
    for claim in patent.claims:
        own = claim.language == claim_language
        (rows if own else others).append(_claim(claim, own=own))
    ordinals = count(1)
    for paragraph in patent.description:
        if not paragraph.text:
            continue
        place = next(ordinals)
        label = f"[{paragraph.number.zfill(4)}]" if paragraph.number else f"p. {place}"
        language = paragraph.language or main
        heading = paragraph.heading
        rows.append((paragraph.section.value, label, heading, language, 0, "", "", paragraph.text))
    return main, tuple(rows + others)


def _claim(claim: Claim, *, own: bool) -> Row:
    label = f"claim {claim.number}" if own else f"claim {claim.number} ({claim.language})"
    parents = " ".join(map(str, claim.parents))
    elements = " ".join(f"{e.start}:{e.end}:{e.depth}" for e in claim.elements)
    return (Section.CLAIMS.value, label, "", claim.language, claim.number, parents, elements, claim.text)


def _main_language(patent: Patent) -> str:
    """The language of the document; where it does not say, of its title, then its abstract."""
    present = [item.language for item in (*patent.titles, *patent.abstracts)]
    if patent.language and (patent.language in present or not present):
        return patent.language
    return present[0] if present else ""


def _claim_language(claims: tuple[Claim, ...], main: str) -> str:
    present = [claim.language for claim in claims]
    return main if main in present or not present else present[0]


def _abstracts(patent: Patent) -> list[tuple[str, str]]:
    """Title and abstract of each language as one text: the title is its first line."""
    titles: dict[str, list[str]] = {}
    bodies: dict[str, list[str]] = {}
    for item in patent.titles:
        titles.setdefault(item.language, []).append(item.text)
    for item in patent.abstracts:
        bodies.setdefault(item.language, []).append(item.text)
    texts = []
    for language in dict.fromkeys([*titles, *bodies]):
        title = " ".join(" ".join(titles.get(language, ())).split("\n"))
        body = "\n".join(bodies.get(language, ()))
        text = f"{title}\n{body}" if body else title
        if text:
            texts.append((language, text))
    return texts


def _applicant(patent: Patent) -> str:
    """The name a list shows: first assignee, else applicant, else inventor."""
    for role in (Role.ASSIGNEE, Role.APPLICANT, Role.INVENTOR):
        for party in patent.parties:
            if party.role is role:
                return party.name
    return ""


def _class_list(patent: Patent) -> str:
    for scheme in (Scheme.CPC, Scheme.IPC):
        found = sorted((c for c in patent.classes if c.scheme is scheme), key=lambda c: not c.first)
        if found:
            return "\n".join(dict.fromkeys(c.symbol for c in found))
    return ""


def _citations(patent: Patent) -> list[Row]:
    rows: list[Row] = []
    for n, item in enumerate(patent.citations):
        cited = item.publication
        key = publication_key(cited.country, cited.number) if cited else None
        number = (cited.country, cited.number, cited.kind) if cited else ("", "", "")
        rows.append((n, key, *number, item.text, item.category, item.origin.value, item.claims, item.passage))
    return rows


def _digest(*tables: Iterable[Row]) -> bytes:
    """Of everything that is stored but where it was read; stored text contains neither separator."""
    lines = ["\x1f".join(map(str, row)) for table in tables for row in (*table, ())]
    return blake2b("\x1e".join(lines).encode(), digest_size=16).digest()
