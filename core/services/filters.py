"""Which documents of a library a request speaks of: published before a day, without a family."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from core.retrieval import Catalogue, DocumentFilter
from core.retrieval.catalogue import UNDATED
from core.services.library import Library
from core.store import repository
from core.types import PatentId, PublicationNumber


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """The documents that may appear, and what the user must know of it."""

    documents: DocumentFilter
    notes: tuple[str, ...]


def allowed_documents(
    library: Library,
    catalogue: Catalogue,
    *,
    before: date | None = None,
    exclude_family_of: PublicationNumber | None = None,
) -> Allowed:
    """The filter of a request; an unknown family and documents without a date are told, not refused."""
    notes: list[str] = []
    without: PatentId | None = None
    if exclude_family_of is not None:
        own = exclude_family_of
        without = repository.find(library.store, own) or repository.find(library.store, replace(own, kind=""))
        if without is None:
            notes.append(f"{own} is not in this library, so no family could be left out.")
    if before is not None:
        undated = int(np.count_nonzero(catalogue.published == UNDATED))
        if undated:
            notes.append(f"Left out, as they bear no publication date: {undated:,} of the documents.")
    return Allowed(DocumentFilter.of(catalogue, before=before, without=without), tuple(notes))
