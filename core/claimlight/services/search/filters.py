"""The documents of a library that a request may find: by date and class, without certain families."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from claimlight.index.backend import class_tokens
from claimlight.retrieval import Catalogue, DocumentFilter
from claimlight.retrieval.catalogue import UNDATED
from claimlight.retrieval.date_status import ZONES
from claimlight.services.library.library import Library
from claimlight.services.search.class_filter import find_class_members
from claimlight.store import repository
from claimlight.types import ClassFilter, PatentId, PublicationNumber, ReferenceDates, ZoneCount, plural


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """The documents that may be found, with notes for the user."""

    documents: DocumentFilter
    without_limit: DocumentFilter
    """As `documents`, without the date limit."""
    with_own: DocumentFilter
    """As `documents`, with the families that are left out."""
    notes: tuple[str, ...]
    classes: tuple[ClassFilter, ...] = ()
    """Those that the documents must have one of."""


def filter_documents(
    library: Library,
    catalogue: Catalogue,
    *,
    before: date | None = None,
    without: Iterable[PublicationNumber | None] = (),
    classes: Sequence[ClassFilter] = (),
) -> Allowed:
    """The filter of a request; unknown families and undated documents become notes, not errors.

    ``without`` are documents whose families are left out; None is ignored. Of ``classes`` a document must
    have one, or one below it; none: all documents.
    """
    notes: list[str] = []
    left_out: list[PatentId] = []
    for own in without:
        if own is None:
            continue
        # The library may hold another stage of the application: the grant instead of the A1, say.
        patent = repository.find(library.store, own) or repository.find(library.store, replace(own, kind=""))
        if patent is None:
            notes.append(f"{own} is not in this library, so no family could be left out.")
        else:
            left_out.append(patent)
    if before is not None:
        undated = int(np.count_nonzero(catalogue.published == UNDATED))
        if undated:
            notes.append(
                f"{plural(undated, 'document')} without a publication date left out. "
                "Without a date limit they are searched too."
            )
    free = DocumentFilter.of(catalogue, without=left_out)
    limited = DocumentFilter.of(catalogue, before=before, without=left_out) if before is not None else free
    whole = DocumentFilter.of(catalogue, before=before) if left_out else limited
    if classes:
        members = find_class_members(library, classes)
        held, tokens = members.ids, tuple(map(_subclass_token, classes))
        free, limited, whole = (each.among(held, classes=tokens) for each in (free, limited, whole))
        notes += members.notes
    return Allowed(limited, free, whole, tuple(notes), tuple(classes))


def _subclass_token(each: ClassFilter) -> str:
    """What every document of a class has, and of what is below it: at most its subclass.

    Symbols below one of a main group may be of another, as the indexing codes ``B62K 2025/00``.
    """
    head = each.symbol.partition(" ")[0]
    return class_tokens(each.scheme.value, head)[-1]


def zone_counts(
    catalogue: Catalogue, patents: NDArray[np.int64], reference: ReferenceDates | None, claim: int
) -> tuple[ZoneCount, ...]:
    """Number of documents by zone; all unknown without dates to compare with."""
    codes = catalogue.zones(patents, reference or ReferenceDates(), claim)
    counts = np.bincount(codes, minlength=len(ZONES)).tolist()
    return tuple(ZoneCount(zone, many) for zone, many in zip(ZONES, counts, strict=True) if many)
