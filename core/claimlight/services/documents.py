"""One document of a library, whole."""

from __future__ import annotations

from claimlight.errors import InputError
from claimlight.services.library import Library
from claimlight.store import repository, views
from claimlight.store.numbers import parse_publication
from claimlight.types import DocumentView, PatentId, PublicationNumber


def view(library: Library, document: str | PublicationNumber | PatentId) -> DocumentView:
    """The document of a publication number in any usual spelling, or of an id.

    `InputError` when the library has none.
    """
    if isinstance(document, int):
        return views.document_view(library.store, document)
    return views.document_view(library.store, identify(library, document))


def identify(library: Library, publication: str | PublicationNumber) -> PatentId:
    """The id of a publication; `InputError` when the library does not hold it."""
    found = repository.find(library.store, publication)
    if found is None:
        if isinstance(publication, str) and parse_publication(publication) is None:
            raise InputError(
                f"{publication!r} is no publication number: write it as EP1000000A1 or US 9,000,000 B2."
            )
        raise InputError(f"{publication} is not in the library {library.folder}: import its file first.")
    return found
