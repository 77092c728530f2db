"""What the user looks for in the open document with *Find*, in reading order."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from claimlight.services.search.finding import find_places
from claimlight.types import FindRequest
from claimlight_workbench.models.spread import Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.tasks import TaskContext
    from claimlight.types import DocumentView, FoundPlace, PassageId

NOTHING = FindRequest("")


class DocumentFinds:
    """The matches in one document; built off the GUI thread."""

    def __init__(self, wanted: FindRequest, view: DocumentView, context: TaskContext) -> None:
        self.wanted = wanted
        self.patent = view.summary.id
        self.places = find_places(wanted, view.passages, context)
        self._rows = {passage.id: row for row, passage in enumerate(view.passages)}
        self._keys = [(self._rows[each.passage], each.span.start) for each in self.places]
        self._by_passage: dict[PassageId, list[FoundPlace]] = {}
        for each in self.places:
            self._by_passage.setdefault(each.passage, []).append(each)
        self.spread = Spread.of(view, ((each.passage, each.span.start) for each in self.places))

    def between(self, passage: PassageId, first: int, last: int) -> Sequence[FoundPlace]:
        """The matches that overlap a range of a passage."""
        found = self._by_passage.get(passage, [])
        low = bisect_left(found, first, key=lambda each: each.span.end)
        return found[low : bisect_left(found, last, key=lambda each: each.span.start)]

    def index_from(self, passage: PassageId, position: int) -> int:
        """Number of the first match at a position or behind it, from 0; their count if there is none."""
        return bisect_left(self._keys, (self._rows.get(passage, 0), position))


class FindBoard(QObject):
    """The matches, and which is the current one."""

    changed = Signal()
    arrived = Signal()
    """Matches of what was typed are known: the first one at or behind the reading position is to be shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: DocumentFinds | None = None
        """None while nothing is looked for."""
        self.at = -1
        """Index of the current match; -1 for none."""

    @property
    def places(self) -> tuple[FoundPlace, ...]:
        """Every match."""
        return self.found.places if self.found is not None else ()

    @property
    def current(self) -> FoundPlace | None:
        """The current match."""
        return self.places[self.at] if 0 <= self.at < len(self.places) else None

    def show(self, found: DocumentFinds | None, *, typed: bool = False) -> None:
        """Set the matches; ``typed``: the user has just written what to find."""
        self.found, self.at = found, -1
        self.changed.emit()
        if typed and self.places:
            self.arrived.emit()

    def go_to(self, index: int) -> None:
        """Make a match the current one, cyclic."""
        if self.places:
            self.at = index % len(self.places)
            self.changed.emit()
