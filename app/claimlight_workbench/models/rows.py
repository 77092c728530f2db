"""Rows of the table of results: the hits of a search, all in memory, or a set that is read page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from claimlight.types import Hit

if TYPE_CHECKING:
    from claimlight.types import DateFinding, PatentId, PatentSummary, SearchResults
    from claimlight_workbench.values import FoundSet

PAGE = 64
"""Rows read at once: more than fit on a screen."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a set that were read."""

    number: int
    patents: tuple[PatentId, ...]
    """The documents that were asked for."""
    summaries: tuple[PatentSummary, ...]
    zones: dict[PatentId, DateFinding]


class Rows(Protocol):
    """Rows by place."""

    def __len__(self) -> int: ...

    def hit(self, row: int) -> Hit | None:
        """The hit of a row; None before it is read."""
        ...

    def rank(self, row: int) -> int:
        """Its place in the order of the score."""
        ...

    def row_of(self, publication: str) -> int:
        """Row of a publication; -1 if it is not there."""
        ...

    def count_above(self, publication: str) -> int:
        """Rows above the place of a document that the filter hides; 0 for one that is not in the list."""
        ...

    def unseen(self, seen: set[str]) -> int:
        """Rows that are not among these publications."""
        ...

    def loaded(self) -> Iterator[PatentSummary]:
        """Every row that is in memory."""
        ...


class HitRows:
    """The hits of a search."""

    def __init__(
        self, results: SearchResults, every: Sequence[int], kept: frozenset[str] | None = None
    ) -> None:
        self._hits = results.hits
        self._every = every
        """All places in the present order; ``_order`` has those that the filter shows."""
        self._order = every if kept is None else [place for place in every if self._name(place) in kept]

    def __len__(self) -> int:
        return len(self._order)

    def hit(self, row: int) -> Hit | None:
        return self._hits[self._order[row]]

    def rank(self, row: int) -> int:
        return self._order[row] + 1

    def row_of(self, publication: str) -> int:
        for row, place in enumerate(self._order):
            if self._name(place) == publication:
                return row
        return -1

    def count_above(self, publication: str) -> int:
        shown = set(self._order)
        above = 0
        for place in self._every:
            if self._name(place) == publication:
                return above
            above += place in shown
        return 0

    def unseen(self, seen: set[str]) -> int:
        return sum(self._name(place) not in seen for place in self._order)

    def loaded(self) -> Iterator[PatentSummary]:
        return (hit.patent for hit in self._hits)

    def _name(self, place: int) -> str:
        return str(self._hits[place].patent.publication)


class SetRows:
    """The documents of a set; None for those not read yet."""

    def __init__(self, found: FoundSet) -> None:
        self.found = found
        self._every: Sequence[int] = range(len(found.patents))
        """All places in the present order; ``_order`` has those that the filter shows."""
        self._kept: frozenset[str] | None = None
        self._order: Sequence[int] = self._every
        self._rows: Sequence[int] = self._order
        self._pages: dict[int, dict[PatentId, PatentSummary]] = {}

    def __len__(self) -> int:
        return len(self._order)

    def reorder(self, places: Sequence[int]) -> None:
        """Show the places of the set in another order; they are read again."""
        self._every = places
        self._arrange()

    def keep(self, names: frozenset[str] | None) -> None:
        """Show these publications only, or all; they are read again."""
        self._kept = names
        self._arrange()

    def _arrange(self) -> None:
        names, kept = self.found.names, self._kept
        self._order = (
            self._every if kept is None else [place for place in self._every if names[place] in kept]
        )
        rows = [-1] * len(self._every)
        for row, place in enumerate(self._order):
            rows[place] = row
        self._rows = rows
        self._pages.clear()

    def page_of(self, row: int) -> int:
        """The page that contains a row; -1 if the row is in memory."""
        page = row // PAGE
        return -1 if page in self._pages else page

    def ids(self, page: int) -> tuple[PatentId, ...]:
        """The documents of a page."""
        return tuple(self.found.patents[place] for place in self._order[page * PAGE : (page + 1) * PAGE])

    def fill(self, page: Page) -> None:
        """Store what was read, unless the order has changed since it was asked for."""
        if page.patents == self.ids(page.number):
            self._pages[page.number] = {each.id: each for each in page.summaries}

    def hit(self, row: int) -> Hit | None:
        page = self._pages.get(row // PAGE)
        place = self._order[row]
        summary = page.get(self.found.patents[place]) if page is not None else None
        if summary is None:
            return None
        score = self.found.scores[place] if self.found.scores else 0.0
        return Hit(summary, score, (), (), ())

    def rank(self, row: int) -> int:
        return self._order[row] + 1

    def row_of(self, publication: str) -> int:
        place = self.found.rows.get(publication, -1)
        return self._rows[place] if place >= 0 else -1

    def count_above(self, publication: str) -> int:
        wanted = self.found.rows.get(publication, -1)
        above = 0
        for place in self._every if wanted >= 0 else ():
            if place == wanted:
                return above
            above += self._rows[place] >= 0
        return 0

    def unseen(self, seen: set[str]) -> int:
        return len(self._order) - sum(self.row_of(each) >= 0 for each in seen)

    def loaded(self) -> Iterator[PatentSummary]:
        return (each for page in self._pages.values() for each in page.values())
