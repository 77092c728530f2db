"""Converts a `Patent` to rows, in the process that parsed the file.

Rows are plain tuples in column order without ids, which the writer adds. They are cheap to build, to pickle
and to pass to ``executemany``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

from claimlight.store.application_keys import application_key
from claimlight.store.content import Content, Row, make_document_row, make_passages, split_content
from claimlight.store.publication_keys import family_keys_of
from claimlight.types import Patent, Relation, Section, Source

__all__ = [
    "CHILDREN",
    "DOCUMENT",
    "PASSAGE",
    "DocumentRows",
    "Row",
    "digest_document",
    "make_document_rows",
    "make_rows",
]

DOCUMENT = (
    "publication, country, number, kind, number_key, title, language, published, filed, priority, "
    "application_country, application_number, application_key, applicant, classes, family"
)
"""Columns of `DocumentRows.document`."""
_NUMBER, _APPLICATION, _FAMILY = 4, 12, 15
"""Places of ``number_key``, ``application_key`` and ``family``."""
PASSAGE = "section, label, heading, language, claim, parents, elements, text"
"""Columns of a row of `DocumentRows.passages`."""
CHILDREN = (
    ("class_symbol", "position, scheme, symbol, inventive, first, version"),
    (
        "citation",
        "position, cited_key, country, number, kind, text, category, origin, claims, passage, date",
    ),
    ("party", "position, role, name, country"),
    ("priority", "position, country, number, day, kind"),
    ("related", "position, country, number, kind, relation, day, of_country, of_number, of_kind"),
    ("picture", "position, file, kind, figures, width, height, landscape"),
)
"""Tables with rows of a document, and their columns."""
_TABLES = tuple(table for table, _ in CHILDREN)
_UNSAID: dict[str, Row] = {
    "citation": ("",),
    "priority": ("",),
    "related": (Relation.OTHER.value, None, "", "", ""),
}
"""Empty values of the columns that schema 8 added at the end of tables."""


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """One document, ready to be written."""

    key: tuple[str, str]
    """`Document.number_key` and kind: what makes two records one publication."""
    digest: bytes
    text_length: int
    application_key: str
    family_keys: tuple[str, ...]
    """What it shares with its family; the first one is its label while nothing joins it to others."""
    document: Row
    passages: tuple[Row, ...]
    children: tuple[tuple[Row, ...], ...]
    """Rows of `CHILDREN`, in its order."""
    source: Source


def make_document_rows(patent: Patent) -> DocumentRows:
    """All rows of one document; `ValueError` for text or numbers no database can hold."""
    return make_rows(split_content(patent), patent.source)


def make_rows(content: Content, source: Source) -> DocumentRows:
    """All rows of a document, whether it is one record or was merged from several."""
    language, passages = make_passages(content)
    document = make_document_row(content, language)
    children = (
        *(content.classes, content.citations, content.parties),
        *(content.priorities, content.related, content.pictures),
    )
    return DocumentRows(
        key=(str(document[_NUMBER]), content.publication.kind),
        digest=digest_document(document, passages, children),
        text_length=sum(len(str(row[-1])) for row in passages),
        application_key=str(document[_APPLICATION]),
        family_keys=find_family_keys(document, children),
        document=document,
        passages=passages,
        children=children,
        source=source,
    )


def find_family_keys(document: Row, children: Sequence[Sequence[Row]]) -> tuple[str, ...]:
    """What a document shares with its family, by its row and those of `CHILDREN`."""
    priorities, related = (children[_TABLES.index(table)] for table in ("priority", "related"))
    claims = [(str(row[1]), str(row[2]), row[3]) for row in priorities]
    return family_keys_of(
        str(document[_FAMILY]),
        claimed=[application_key(c, n, d if isinstance(d, int) else None) for c, n, d in claims],
        own=str(document[_APPLICATION]),
        related=[(str(row[1]), str(row[2])) for row in related],
        publication=str(document[_NUMBER]),
    )


def digest_document(document: Row, passages: Sequence[Row], children: Sequence[Sequence[Row]]) -> bytes:
    """Digest of a document, the same under all schemas, so that documents of old libraries are recognised.

    A title alone counts as an abstract, as it once was; columns and tables of later schemas
    don't count while they are empty.
    """
    fronts = (Section.TITLE.value, Section.TITLE.value)
    one = (Section.ABSTRACT.value, Section.ABSTRACT.value)
    told = [(*one, *row[2:]) if row[:2] == fronts else row for row in passages]
    tables = [
        [row[: -len(unsaid)] for row in rows]
        if unsaid and all(row[-len(unsaid) :] == unsaid for row in rows)
        else rows
        for rows, unsaid in zip(children, (_UNSAID.get(table, ()) for table, _ in CHILDREN), strict=True)
    ]
    if not tables[-1]:  # pictures, of schema 9
        tables.pop()
    return _digest((document,), told, *tables)


def _digest(*tables: Sequence[Row]) -> bytes:
    """Digest of all stored values except their source; stored text contains neither separator.

    One format string per table is faster than one per row: a document has about a hundred rows.
    """
    forms: list[str] = []
    values: list[object] = []
    for table in tables:
        if table:
            forms.append(("\x1f".join(["%s"] * len(table[0])) + "\x1e") * len(table))
            values += chain.from_iterable(table)
        forms.append("\x1e")
    text = "".join(forms)[:-1] % tuple(values)
    return blake2b(text.encode(), digest_size=16).digest()
