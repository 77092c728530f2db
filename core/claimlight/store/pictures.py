"""The pictures that documents name, and the records that named them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from claimlight.store.record_merging import READING
from claimlight.store.store import Store
from claimlight.types import Part, PatentId, Picture, PictureKind, PublicationNumber

_MANY = 400
_ORIGIN = f"part = '{Part.PICTURES.value}'"
_PICTURES = """SELECT document_id, file, kind, figures, width, height, landscape FROM picture
    WHERE document_id IN ({}) ORDER BY document_id, position"""
_ORIGINS = """SELECT o.document_id, s.path, o.member FROM part_origin o JOIN source s ON s.id = o.source_id
    WHERE o.part = 'pictures' AND o.document_id IN ({})"""
FIRST_READING = 3
"""The first revision of the reader that reads the names of pictures."""


@dataclass(frozen=True, slots=True)
class NamedPictures:
    """The pictures of a document and the place of the record that names them."""

    patent: PatentId
    publication: PublicationNumber
    path: str
    """File of the record."""
    member: str
    """Its place in an archive; empty if the file is none."""
    pictures: tuple[Picture, ...]
    unread: bool
    """Whether the record was read before names of pictures were."""


def read_named_pictures(store: Store, patent: PatentId) -> NamedPictures | None:
    """The pictures of one document; None if the library does not contain it."""
    with store.read() as connection:
        return next(_read(connection, [patent]), None)


def read_of_sources(store: Store, paths: Sequence[str] | None = None) -> Iterator[NamedPictures]:
    """The documents with pictures named in some files, or of the whole library, by file.

    Read in pieces, with no transaction open between them.
    """
    for some in _cut(paths):
        with store.read() as connection:
            ids = _find_documents(connection, some)
        for start in range(0, len(ids), _MANY):
            with store.read() as connection:
                found = list(_read(connection, ids[start : start + _MANY]))
            yield from (item for item in found if item.pictures)


def _cut(paths: Sequence[str] | None) -> Iterator[Sequence[str] | None]:
    if paths is None:
        yield None
        return
    for start in range(0, len(paths), _MANY):
        yield paths[start : start + _MANY]


def _find_documents(connection: Connection, paths: Sequence[str] | None) -> list[int]:
    """Ids of the documents that have pictures, by the file of their record."""
    limited = "" if paths is None else f"WHERE s.path IN ({', '.join('?' * len(paths))})"
    named = "SELECT 1 FROM picture p WHERE p.document_id = d.id"
    query = f"""SELECT d.id FROM source s JOIN document d ON d.source_id = s.id {limited}
        {"AND" if limited else "WHERE"} EXISTS ({named}) ORDER BY s.id, d.id"""  # noqa: S608
    found = dict.fromkeys(connection.exec_driver_sql(query, tuple(paths or ())).scalars())
    # Of a merged document another record may have named the pictures.
    query = f"""SELECT o.document_id FROM part_origin o JOIN source s ON s.id = o.source_id {limited}
        {"AND" if limited else "WHERE"} o.{_ORIGIN}"""  # noqa: S608
    found.update(dict.fromkeys(connection.exec_driver_sql(query, tuple(paths or ())).scalars()))
    return list(found)


def _read(connection: Connection, patents: Sequence[int]) -> Iterator[NamedPictures]:
    marks = ", ".join("?" * len(patents))

    def rows(query: str) -> list[Any]:
        return list(connection.exec_driver_sql(query.format(marks), tuple(patents)))

    heads = {
        row.id: row
        for row in rows(
            "SELECT d.id, d.country, d.number, d.kind, d.reading, s.path, d.member FROM document d "
            "JOIN source s ON s.id = d.source_id WHERE d.id IN ({})"
        )
    }
    origins = {row.document_id: row for row in rows(_ORIGINS)}
    pictures: dict[int, list[Picture]] = {}
    for row in rows(_PICTURES):
        figures = tuple(row.figures.split())
        kind = PictureKind(row.kind)
        picture = Picture(row.file, kind, figures, row.width, row.height, bool(row.landscape))
        pictures.setdefault(row.document_id, []).append(picture)
    for number in patents:
        head = heads.get(number)
        if head is not None:
            place = origins.get(number, head)
            yield NamedPictures(
                PatentId(number),
                PublicationNumber(head.country, head.number, head.kind),
                place.path,
                place.member,
                tuple(pictures.get(number, ())),
                head.reading < FIRST_READING <= READING,
            )
