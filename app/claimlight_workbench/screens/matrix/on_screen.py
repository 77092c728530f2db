"""Has the judge read on in the documents that stay on the screen, once in each.

First in the open document and the one beside it, then in the rows in view, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from claimlight_workbench.values import Compared

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import PatentId
    from claimlight_workbench.jobs.runner import JobRunner

_PURPOSE = "matrix-rows-on-screen"
_DWELL = 1_000
"""Milliseconds that a document is on the screen before: who goes down a list quickly has none read."""


class Place(StrEnum):
    """Where on the screen the documents are."""

    OPEN = "open"
    """In the reader."""
    ROWS = "rows"
    """In the rows of the matrix that are in view."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The documents to read on in now."""

    place: Place
    patents: tuple[PatentId, ...]


Reading = Callable[["TaskContext"], Compared]
"""Computes a matrix again, with more passages of some of its documents read."""


class OnScreen(QObject):
    """Asks ``choose`` for the documents to read on in, and ``prepare`` for the work on them.

    ``choose`` is given the documents that are left as they are, because the judge was stopped there or could
    not read on, and returns None if there are no others.
    """

    changed = Signal(object)
    """`Place` where the judge reads on; None if it does no more."""
    read = Signal(object, object)
    """`Compared`, and the documents that were to be read on in."""
    failed = Signal(Exception)

    def __init__(
        self,
        runner: JobRunner,
        *,
        choose: Callable[[Collection[PatentId]], Choice | None],
        prepare: Callable[[Sequence[PatentId]], Reading],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._runner, self._choose, self._prepare = runner, choose, prepare
        self._at: Choice | None = None
        """Where the judge reads on now."""
        self._left: set[PatentId] = set()
        self.dwell = QTimer(self)
        self.dwell.setSingleShot(True)
        self.dwell.setInterval(_DWELL)
        self.dwell.timeout.connect(self._begin)

    def watch(self) -> None:
        """Another document may be open, or others of the rows are known."""
        self.dwell.start()

    def look(self) -> None:
        """Other rows are in view: as `watch`, but what the judge reads now it reads to its end."""
        if self._at is None:
            self.watch()

    def leave(self, patents: Sequence[PatentId]) -> None:
        """Ask for these no more."""
        self._left.update(patents)

    def stop(self) -> bool:
        """Begin nothing before the next `watch`; returns whether the judge was reading on."""
        self.dwell.stop()
        self._end()
        return self._runner.cut_off(_PURPOSE)

    def give_up(self) -> bool:
        """As `stop`; what it was reading on in is left as it is."""
        if self._at is not None:
            self.leave(self._at.patents)
        return self.stop()

    def begin_again(self) -> None:
        """As `stop`, for another matrix: every document may be read on in again."""
        self.stop()
        self._left = set()

    def _begin(self) -> None:
        choice = self._choose(frozenset(self._left))
        if choice is None or choice == self._at:
            return
        if self._at is not None and choice.place is Place.ROWS:
            return  # comes when the judge has read what it is at
        job = self._runner.submit(self._prepare(choice.patents), supersedes=_PURPOSE)
        self._at = choice
        self.changed.emit(choice.place)
        job.succeeded.connect(lambda found: self._arrived(found, choice))
        job.failed.connect(lambda error: self._refused(error, choice))

    def _arrived(self, found: Compared, choice: Choice) -> None:
        self._end()
        self.read.emit(found, choice.patents)
        if not self.dwell.isActive():
            self._begin()

    def _refused(self, error: Exception, choice: Choice) -> None:
        self._end()
        self.leave(choice.patents)
        self.failed.emit(error)

    def _end(self) -> None:
        if self._at is not None:
            self._at = None
            self.changed.emit(None)
