"""Whole documents of a library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from claimlight.errors import InputError
from claimlight.services.library.library import Library
from claimlight.store import document_view, repository
from claimlight.store.front_pages import FrontPage, read_front_pages
from claimlight.store.publication_keys import parse_publication
from claimlight.types import DocumentView, PatentId, PublicationNumber


def view(library: Library, document: str | PublicationNumber | PatentId) -> DocumentView:
    """A document by its publication number in any usual spelling, or by its id.

    `InputError` if the library does not contain it.
    """
    if isinstance(document, int):
        return document_view.read_document_view(library.store, document)
    return document_view.read_document_view(library.store, identify(library, document))


_BATCH = 100
"""Number of documents read at once."""


def pages(library: Library, patents: Sequence[PatentId], *, description: bool = True) -> Iterator[FrontPage]:
    """Many documents one after the other, in this order; those removed meanwhile are left out.

    No transaction is open between two batches, so a caller that stops in the middle blocks nobody.
    """
    for start in range(0, len(patents), _BATCH):
        with library.store.read() as connection:
            some = read_front_pages(connection, patents[start : start + _BATCH], description=description)
        yield from some


def all_ids(library: Library) -> tuple[PatentId, ...]:
    """The ids of all documents, in the order they were imported."""
    with library.store.read() as connection:
        return tuple(
            map(PatentId, connection.exec_driver_sql("SELECT id FROM document ORDER BY id").scalars())
        )


def identify(library: Library, publication: str | PublicationNumber) -> PatentId:
    """The id of a publication; `InputError` if the library does not contain it."""
    found = repository.find(library.store, publication)
    if found is None:
        if isinstance(publication, str) and parse_publication(publication) is None:
            raise InputError(
                f"{publication!r} is not a publication number: write it as EP1000000A1 or US 9,000,000 B2."
            )
        raise InputError(f"{publication} is not in the library {library.name}: import its file first.")
    return found
