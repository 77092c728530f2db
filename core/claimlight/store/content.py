"""The parts of a document, which are merged separately, and their conversion to rows and back.

A part has one form, independent of its record and of the other parts: languages in alphabetical order,
claims by language. So a part read from its rows equals the part that was written, and merging needs
nothing but the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from claimlight.store.application_keys import application_key, to_day_number
from claimlight.store.publication_keys import publication_key
from claimlight.types import Part, Patent, PublicationNumber, Role, Scheme, Section

Row = tuple[object, ...]
TextRow = tuple[str, str]
"""Language and text."""

FRONTS = tuple(section.value for section in Section if section.front)
"""Sections, and labels, of the passages of title and abstract, and of the title alone; of no others."""
_CLAIM = 4
"""Place of the claim number in a row of a passage."""


@dataclass(frozen=True, slots=True)
class Content:
    """Everything that is stored of a document."""

    publication: PublicationNumber
    titles: tuple[TextRow, ...]
    abstracts: tuple[TextRow, ...]
    claims: tuple[tuple[str, int, str, str, str], ...]
    """Language, number, parents, elements, text."""
    description: tuple[Row, ...]
    """Rows of passages."""
    language: str
    classes: tuple[Row, ...]
    citations: tuple[Row, ...]
    parties: tuple[Row, ...]
    priorities: tuple[Row, ...]
    dates: int | None
    """Day of the publication."""
    application: tuple[str, str, int | None]
    """Country, number and day of filing."""
    family: str
    related: tuple[Row, ...]
    pictures: tuple[Row, ...] = ()

    def part(self, part: Part) -> object:
        """The value of a part."""
        return getattr(self, part.value)


TEXT_PARTS = (Part.TITLES, Part.ABSTRACTS, Part.CLAIMS, Part.DESCRIPTION)


def split_content(patent: Patent) -> Content:
    """A record by its parts; `ValueError` for numbers no database can hold."""
    if any(not 0 < claim.number < 1 << 31 for claim in patent.claims):
        raise ValueError("a claim number is out of range")
    main = _find_declared_language(patent)
    application = patent.application or PublicationNumber("", "")
    publication = patent.publication
    return Content(
        publication=PublicationNumber(
            publication.country, publication.number, publication.kind.strip().upper()
        ),
        titles=_titles(patent),
        abstracts=_abstracts(patent),
        claims=_claims(patent),
        description=tuple(_description(patent, main)),
        language=main,
        classes=tuple(
            (n, c.scheme.value, c.symbol, c.inventive, c.first, c.version)
            for n, c in enumerate(patent.classes)
        ),
        citations=tuple(_citations(patent)),
        parties=tuple((n, p.role.value, p.name, p.country) for n, p in enumerate(patent.parties)),
        priorities=tuple(
            (n, p.country, p.number, to_day_number(p.date), p.kind) for n, p in enumerate(patent.priorities)
        ),
        dates=to_day_number(patent.published),
        application=(application.country, application.number, to_day_number(patent.filed)),
        family=patent.family,
        related=tuple(_related_rows(patent)),
        pictures=tuple(
            (n, p.file, p.kind.value, " ".join(p.figures), p.width, p.height, p.landscape)
            for n, p in enumerate(patent.pictures)
        ),
    )


def make_passages(content: Content) -> tuple[str, tuple[Row, ...]]:
    """Language and passages of a document in reading order.

    Title and abstract, claims, description, then the other languages.
    """
    texts = _join_titles_and_abstracts(content)
    main = content.language if content.language in texts or not texts else next(iter(texts))
    own = _claim_language(content, main)
    fronts = [_front_row(language, text) for language, text in texts.items()]
    claims = [_claim_row(claim, own=claim[0] == own) for claim in content.claims]
    rows = [
        *(row for row in fronts if row[3] == main),
        *(row for row in claims if row[3] == own),
        *content.description,
        *(row for row in fronts if row[3] != main),
        *(row for row in claims if row[3] != own),
    ]
    return main, tuple(rows)


def make_document_row(content: Content, language: str) -> Row:
    """The columns of a document (`claimlight.store.rows.DOCUMENT`)."""
    publication = content.publication
    country, number, filed = content.application
    days = [row[3] for row in content.priorities if isinstance(row[3], int)]
    titles = dict(content.titles)
    return (
        str(publication),
        publication.country,
        publication.number,
        publication.kind,
        publication_key(publication.country, publication.number),
        titles.get(language) or next((text for _, text in content.titles if text), ""),
        language,
        content.dates,
        filed,
        min(days, default=None),
        country,
        number,
        application_key(country, number, filed),
        _applicant(content),
        _class_list(content),
        content.family,
    )


def read_content(document: Row, passages: tuple[Row, ...], children: tuple[tuple[Row, ...], ...]) -> Content:
    """A stored document by its parts: the inverse of `make_passages` and `make_document_row`."""
    titles: list[TextRow] = []
    abstracts: list[TextRow] = []
    claims: list[tuple[str, int, str, str, str]] = []
    description: list[Row] = []
    for row in passages:
        if row[_CLAIM]:
            _, _, _, language, number, parents, elements, text = row
            claims.append((str(language), int(str(number)), str(parents), str(elements), str(text)))
        elif row[1] in FRONTS:
            title, cut, body = str(row[-1]).partition("\n")
            titles += [(str(row[3]), title)] if title else []
            abstracts += [(str(row[3]), body)] if cut else []
        else:
            description.append(row)
    classes, citations, parties, priorities, related, pictures = children
    filed = document[8]
    published = document[7]
    return Content(
        publication=PublicationNumber(str(document[1]), str(document[2]), str(document[3])),
        titles=tuple(sorted(titles)),
        abstracts=tuple(sorted(abstracts)),
        claims=tuple(sorted(claims, key=_language_of)),
        description=tuple(description),
        language=str(document[6]),
        classes=classes,
        citations=citations,
        parties=parties,
        priorities=priorities,
        dates=published if isinstance(published, int) else None,
        application=(str(document[10]), str(document[11]), filed if isinstance(filed, int) else None),
        family=str(document[15]),
        related=related,
        pictures=pictures,
    )


def _language_of(row: tuple[str, int, str, str, str]) -> str:
    return row[0]


def _find_declared_language(patent: Patent) -> str:
    """The language of the document, else of its title, else of its abstract."""
    present = [item.language for item in (*patent.titles, *patent.abstracts)]
    if patent.language and (patent.language in present or not present):
        return patent.language
    return present[0] if present else ""


def _titles(patent: Patent) -> tuple[TextRow, ...]:
    found: dict[str, list[str]] = {}
    for item in patent.titles:
        found.setdefault(item.language, []).append(item.text)
    # On one line: in a passage the title ends at the first line break.
    joined = ((language, " ".join(" ".join(texts).split("\n"))) for language, texts in found.items())
    return tuple(sorted((language, text) for language, text in joined if text))


def _abstracts(patent: Patent) -> tuple[TextRow, ...]:
    found: dict[str, list[str]] = {}
    for item in patent.abstracts:
        found.setdefault(item.language, []).append(item.text)
    joined = ((language, "\n".join(texts)) for language, texts in found.items())
    return tuple(sorted((language, text) for language, text in joined if text))


def _claims(patent: Patent) -> tuple[tuple[str, int, str, str, str], ...]:
    found = [
        (
            claim.language,
            claim.number,
            " ".join(map(str, claim.parents)),
            " ".join(f"{e.start}:{e.end}:{e.depth}" for e in claim.elements),
            claim.text,
        )
        for claim in patent.claims
    ]
    return tuple(sorted(found, key=_language_of))


def _description(patent: Patent, main: str) -> list[Row]:
    rows: list[Row] = []
    for paragraph in patent.description:
        if paragraph.text:
            number = paragraph.number
            label = f"[{number.zfill(4)}]" if number else f"p. {len(rows) + 1}"
            language = paragraph.language or main
            place = (paragraph.section.value, label, paragraph.heading, language, 0, "", "")
            rows.append((*place, paragraph.text))
    return rows


def _citations(patent: Patent) -> list[Row]:
    rows: list[Row] = []
    for n, item in enumerate(patent.citations):
        cited = item.publication
        key = publication_key(cited.country, cited.number) if cited else None
        number = (cited.country, cited.number, cited.kind) if cited else ("", "", "")
        said = (item.text, item.category, item.origin.value, item.claims, item.passage, item.date)
        rows.append((n, key, *number, *said))
    return rows


def _related_rows(patent: Patent) -> Iterator[Row]:
    for n, item in enumerate(patent.related):
        number, of = item.number, item.of or PublicationNumber("", "")
        relation = (item.relation.value, to_day_number(item.date), of.country, of.number, of.kind)
        yield (n, number.country, number.number, number.kind, *relation)


def _join_titles_and_abstracts(content: Content) -> dict[str, str]:
    """Title and abstract of each language as one text: the title is its first line."""
    titles, abstracts = dict(content.titles), dict(content.abstracts)
    texts: dict[str, str] = {}
    for language in sorted({*titles, *abstracts}):
        title = titles.get(language, "")
        texts[language] = f"{title}\n{abstracts[language]}" if language in abstracts else title
    return texts


def _claim_language(content: Content, main: str) -> str:
    """The language whose claims come first: that of the document, else the one with most text."""
    lengths: dict[str, int] = {}
    for language, *_, text in content.claims:
        lengths[language] = lengths.get(language, 0) + len(text)
    if main in lengths or not lengths:
        return main
    return min(lengths, key=lambda language: (-lengths[language], language))


def _front_row(language: str, text: str) -> Row:
    section = Section.ABSTRACT if "\n" in text else Section.TITLE
    return (section.value, section.value, "", language, 0, "", "", text)


def _claim_row(claim: tuple[str, int, str, str, str], *, own: bool) -> Row:
    language, number, parents, elements, text = claim
    label = f"claim {number}" if own else f"claim {number} ({language})"
    return (Section.CLAIMS.value, label, "", language, number, parents, elements, text)


def _applicant(content: Content) -> str:
    """The name a list shows: first assignee, else applicant, else inventor."""
    for role in (Role.ASSIGNEE, Role.APPLICANT, Role.INVENTOR):
        for row in content.parties:
            if row[1] == role.value:
                return str(row[2])
    return ""


def _class_list(content: Content) -> str:
    for scheme in (Scheme.CPC, Scheme.IPC):
        found = sorted((row for row in content.classes if row[1] == scheme.value), key=lambda row: not row[4])
        if found:
            return "\n".join(dict.fromkeys(str(row[2]) for row in found))
    return ""
