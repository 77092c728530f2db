"""In which order descriptions are indexed: what the examiner works on, then what is near it, then the rest.

Searches and the window say which documents were found and opened (`claimlight.services.indexing.wanted`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np

from claimlight.retrieval import Catalogue
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.date_status import day_number
from claimlight.services.indexing import wanted
from claimlight.services.library.library import Library
from claimlight.store import repository, subclasses

_CLASSES = 8
"""Number of subclasses, the most frequent among the wanted documents, that are near a case."""


class Order(Protocol):
    """Chooses which descriptions are indexed, and which first; arguments are passages by document."""

    def limit(self, waiting: Mapping[int, int]) -> dict[int, int]:
        """Those that are to be indexed at all."""
        ...

    def sorted(self, waiting: Mapping[int, int]) -> Sequence[int]:
        """The documents, first ones first."""
        ...


@dataclass(frozen=True, slots=True)
class NearCase:
    """The documents that matter to a case."""

    documents: tuple[int, ...] = ()
    """Marked documents and members of its sets, most important first."""
    subclasses: tuple[str, ...] = ()
    """Subclasses of the application, such as ``H04L``."""
    before: date | None = None
    """Documents published before it come first."""


class LibraryOrder:
    """The wanted documents, latest first; those of the case; those in its classes; the newest."""

    def __init__(
        self, library: Library, *, only: Collection[int] | None = None, case: NearCase | None = None
    ) -> None:
        """``only`` restricts the documents."""
        self._library = library
        self._only = None if only is None else frozenset(only)
        self._case = case or NearCase()
        self._catalogue: Catalogue | None = None
        self._near: tuple[tuple[int, ...], frozenset[int]] | None = None

    def limit(self, waiting: Mapping[int, int]) -> dict[int, int]:
        """The documents of ``only``."""
        if self._only is None:
            return dict(waiting)
        return {document: passages for document, passages in waiting.items() if document in self._only}

    def sorted(self, waiting: Mapping[int, int]) -> Sequence[int]:
        """See the class."""
        catalogue = self._known()
        first = dict.fromkeys((*wanted.read(self._library.folder), *self._case.documents))
        rank = {document: place for place, document in enumerate(first)}
        near = self._nearby(tuple(first)[: wanted.KEPT])
        ids = np.fromiter(waiting, dtype=np.int64, count=len(waiting))
        rows = catalogue.rows(ids)
        published = np.where(rows >= 0, catalogue.published[rows], 0)
        limit = day_number(self._case.before) if self._case.before is not None else None

        def key(item: tuple[int, int]) -> tuple[int, int, int, int]:
            document, day = item
            late = int(limit is not None and day >= limit)
            if document in rank:
                return 0, rank[document], 0, 0
            return (1 if document in near else 2), late, -day, -document

        pairs = zip(ids.tolist(), published.tolist(), strict=True)
        return [document for document, _ in sorted(pairs, key=key)]

    def _known(self) -> Catalogue:
        version = repository.read_library_version(self._library.store)
        if self._catalogue is None or self._catalogue.version != version:
            self._catalogue = catalogues.load(self._library.store)
        return self._catalogue

    def _nearby(self, first: tuple[int, ...]) -> frozenset[int]:
        """The documents in the classes of the case, or in those that are frequent among the wanted ones."""
        if self._near is None or self._near[0] != first:
            wanted_ones = self._case.subclasses or subclasses.read_frequent_subclasses(
                self._library.store, first, _CLASSES
            )
            self._near = first, frozenset(subclasses.find_in_subclasses(self._library.store, wanted_ones))
        return self._near[1]
