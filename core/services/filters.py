"""Which documents of a library a request speaks of: by their dates, and without a family."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from core.retrieval import Catalogue, DocumentFilter
from core.retrieval.catalogue import UNDATED
from core.retrieval.zones import ZONES
from core.services.library import Library
from core.store import repository
from core.types import PatentId, PublicationNumber, ReferenceDates, Zone


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
    reference: ReferenceDates | None = None,
    claim: int = 0,
) -> Allowed:
    """The filter of a request; an unknown family and documents without a date are told, not refused.

    ``reference`` and ``claim`` leave out what is no prior art for that claim.
    """
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
            notes.append(
                f"Left out, as they bear no publication date: {undated:,} of the documents. "
                "Without a date limit they are searched too."
            )
    documents = DocumentFilter.of(catalogue, before=before, without=without, reference=reference, claim=claim)
    if reference is not None:
        notes.extend(_of_dates(documents, reference, claim))
    return Allowed(documents, tuple(notes))


def _of_dates(documents: DocumentFilter, reference: ReferenceDates, claim: int) -> Iterator[str]:
    """What can't be told of the dates of the application and of the documents."""
    if reference.relevant(claim) is None:
        yield (
            "The application has neither filing nor priority date, so no document was left out by its dates."
        )
        return
    zones = documents.catalogue.zones(reference, claim)
    unknown = int(np.count_nonzero(documents.allowed & (zones == ZONES.index(Zone.UNKNOWN))))
    if unknown:
        yield f"Kept without a zone, as too few dates are known to give one: {unknown:,} of the documents."
