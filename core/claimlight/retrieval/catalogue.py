"""The documents of a library as numpy columns: dates, families and passage ranges.

Every leg needs them for each of thousands of candidates; asking the database one by one would cost
more than the ranking itself. A catalogue belongs to one library version.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from claimlight.errors import ResourceError
from claimlight.index.backend import ALL, PartFilter
from claimlight.retrieval.date_status import (
    UNDATED,
    DateColumns,
    Office,
    day_number,
    find_strengths,
    find_zones,
)
from claimlight.store.library_tables import Document, Removed
from claimlight.store.repository import read_library_version, read_version
from claimlight.store.store import Store
from claimlight.tasks import TaskContext
from claimlight.types import ReferenceDates

__all__ = ["UNDATED", "Catalogue", "DocumentFilter", "load"]


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """One row per document, ids ascending."""

    version: int
    ids: NDArray[np.int64]
    published: NDArray[np.int64]
    """Dates as ``yyyymmdd``, `UNDATED` if missing."""
    filed: NDArray[np.int64]
    priority: NDArray[np.int64]
    """Earliest priority date."""
    family: NDArray[np.int64]
    """Family numbers: documents of one family have the same."""
    first_passage: NDArray[np.int64]
    passages: NDArray[np.int64]
    office: NDArray[np.int8]
    """`claimlight.retrieval.date_status.Office` of each document."""

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, patents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row of each document; -1 if it is not in the library (any more)."""
        if not len(self.ids):
            return np.full(len(patents), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, patents), len(self.ids) - 1)
        return np.where(self.ids[at] == patents, at, -1)

    def documents_of(self, passages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Document id of each passage; 0 if the passage does not exist (any more)."""
        if not len(self.ids):
            return np.zeros(len(passages), dtype=np.int64)
        order = np.argsort(self.first_passage, kind="stable")
        firsts = self.first_passage[order]
        row = order[np.maximum(np.searchsorted(firsts, passages, side="right") - 1, 0)]
        inside = (passages >= self.first_passage[row]) & (
            passages < self.first_passage[row] + self.passages[row]
        )
        return np.where(inside, self.ids[row], 0)

    def zones(
        self, patents: NDArray[np.int64], reference: ReferenceDates, claim: int = 0
    ) -> NDArray[np.int8]:
        """The zone of some documents, as indexes into `claimlight.retrieval.date_status.ZONES`."""
        return find_zones(reference, self._dates(patents), claim)

    def strengths(
        self, patents: NDArray[np.int64], reference: ReferenceDates, claim: int = 0
    ) -> NDArray[np.int8]:
        """How strong the dates make each document: places in `claimlight.retrieval.date_status.STRENGTH`."""
        return find_strengths(reference, self._dates(patents), claim)

    def _dates(self, patents: NDArray[np.int64]) -> DateColumns:
        rows = self.rows(patents)
        return DateColumns(self.published[rows], self.filed[rows], self.priority[rows], self.office[rows])

    def family_rows(self, patent: int) -> NDArray[np.int64]:
        """Rows of the family of a document, including itself."""
        row = self.rows(np.array([patent], dtype=np.int64))[0]
        return np.flatnonzero(self.family == self.family[row]) if row >= 0 else np.empty(0, np.int64)


def load(store: Store, context: TaskContext | None = None, before: Catalogue | None = None) -> Catalogue:
    """Read the catalogue of a library.

    ``before`` is an older catalogue of the same library: of a shared library only what changed since is read.
    """
    version = read_library_version(store)
    if before is not None and before.version == version:
        return before
    if store.shared:
        return _load_shared(store, context, before)
    query = select(
        Document.id,
        Document.published,
        Document.first_passage,
        Document.passages,
        Document.family_key,
        Document.filed,
        Document.priority,
        Document.country,
    ).order_by(Document.id)
    with store.read(context) as connection:
        rows = connection.execute(query).all()
    codes: dict[str, int] = {}
    family = [codes.setdefault(row[4], len(codes)) for row in rows]
    return Catalogue(
        version=version,
        ids=_column([row[0] for row in rows]),
        published=_days([row[1] for row in rows]),
        filed=_days([row[5] for row in rows]),
        priority=_days([row[6] for row in rows]),
        family=_column(family),
        first_passage=_column([row[2] for row in rows]),
        passages=_column([row[3] for row in rows]),
        office=np.array([Office.of(row[7]) for row in rows], dtype=np.int8),
    )


def _load_shared(store: Store, context: TaskContext | None, before: Catalogue | None) -> Catalogue:
    """The catalogue of a shared library; families get a digest of their key as number.

    So families keep their numbers in later versions, and no texts are read: among ten million families, two
    have the same number with a probability of three in a million.
    """
    from claimlight.store.postgres.columns import read_columns
    from claimlight.store.postgres.schema import read_identity

    with store.read(context) as connection:
        if read_identity(connection) != store.identity:
            raise ResourceError(f"{store.name} was made again since it was opened. Open it again.")
        version = read_version(connection)
        since = -1 if before is None else before.version
        rows = read_columns(connection, "document WHERE changed > ?", _SHARED_COLUMNS, (since,))
        gone = np.empty(0, dtype=np.int64)
        if before is not None:
            query = select(Removed.document_id).where(Removed.version > since)
            gone = _column(list(connection.execute(query).scalars()))
    codes, places = np.unique(rows["country"], return_inverse=True)
    offices = [Office.of(f"{chr(code >> 16)}{chr(code & 0xFFFF)}") for code in codes.tolist()]
    read = {name: rows[name].astype(np.int64) for name in _SHARED_COLUMNS if name != "country"}
    fresh: dict[str, NDArray[Any]] = {**read, "office": np.array(offices, dtype=np.int8)[places]}
    if before is not None:
        kept = ~np.isin(before.ids, np.concatenate([gone, fresh["ids"]]))
        fresh = {name: np.concatenate([getattr(before, name)[kept], own]) for name, own in fresh.items()}
    order = np.argsort(fresh["ids"], kind="stable")
    return Catalogue(version, **{name: own[order] for name, own in fresh.items()})


# Offices have two letters; other codes are of no office that the law names.
_SHARED_COLUMNS = {
    "ids": ("id", 8),
    "published": (f"coalesce(published, {UNDATED})", 4),
    "filed": (f"coalesce(filed, {UNDATED})", 4),
    "priority": (f"coalesce(priority, {UNDATED})", 4),
    "family": ("hashtextextended(family_key, 0)", 8),
    "first_passage": ("first_passage", 8),
    "passages": ("passages", 4),
    "country": (
        "CASE WHEN length(country) = 2 THEN least(ascii(country), 32767) * 65536 "
        "+ least(ascii(substr(country, 2)), 65535) ELSE 0 END",
        4,
    ),
}
"""Column of the catalogue, expression and bytes."""


def _column(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _days(values: list[int | None]) -> NDArray[np.int64]:
    return _column([UNDATED if value is None else value for value in values])


@dataclass(frozen=True, slots=True, eq=False)
class DocumentFilter:
    """Which documents may appear; every leg asks it before it cuts its ranking."""

    catalogue: Catalogue
    allowed: NDArray[np.bool_]
    """One flag per row of the catalogue."""
    implied: PartFilter = ALL
    """Conditions that every allowed document meets, as an engine can test them; others may meet them too."""

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        *,
        before: date | None = None,
        without: Collection[int] = (),
    ) -> DocumentFilter:
        """Documents published before a date, without the families of the documents ``without``."""
        allowed = np.ones(len(catalogue), dtype=np.bool_)
        implied = ALL
        if before is not None:
            allowed &= catalogue.published < day_number(before)
            implied = replace(implied, before=day_number(before))
        if without:
            out = np.unique(np.concatenate([catalogue.family_rows(patent) for patent in without]))
            allowed[out] = False
            implied = replace(implied, without=catalogue.ids[out])
        return cls(catalogue, allowed, implied)

    def among(
        self, patents: Collection[int] | NDArray[np.int64], *, classes: Sequence[str] = ()
    ) -> DocumentFilter:
        """The filter restricted to these documents.

        ``classes``: tokens (`claimlight.index.backend.class_tokens`) of which each of them has one.
        """
        ids = np.asarray(patents if isinstance(patents, np.ndarray) else list(patents), dtype=np.int64)
        implied = self.implied
        if classes and not implied.classes:
            implied = replace(implied, classes=tuple(classes))
        return DocumentFilter(self.catalogue, self.allowed & np.isin(self.catalogue.ids, ids), implied)

    @property
    def count(self) -> int:
        """Number of allowed documents."""
        return int(np.count_nonzero(self.allowed))

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids of the allowed documents, ascending."""
        return self.catalogue.ids[self.allowed]

    def keep(self, patents: NDArray[np.int64]) -> NDArray[np.bool_]:
        """A flag for each of ``patents``: allowed, and still in the library."""
        rows = self.catalogue.rows(patents)
        kept = rows >= 0
        kept[kept] = self.allowed[rows[kept]]
        return kept
