"""Has the judge read on in the documents that stay on the screen, once in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

Reading = Callable[["TaskContext"], Compared]
"""Computes a matrix again, with more passages of some of its documents read."""


class OnScreen(QObject):
    """Asks ``choose`` for the documents to read on in, and ``prepare`` for the work on them.

    No document is asked for again in the same matrix if the judge was stopped there, or could not read on.
    """

    changed = Signal(bool)
    """The judge reads on, or no more."""
    read = Signal(object, object)
    """`Compared`, and the documents that were to be read on in."""
    failed = Signal(Exception)

    def __init__(
        self,
        runner: JobRunner,
        *,
        choose: Callable[[], Sequence[PatentId]],
        prepare: Callable[[Sequence[PatentId]], Reading],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._runner, self._choose, self._prepare = runner, choose, prepare
        self._at: Sequence[PatentId] = ()
        """The documents in which the judge reads on now."""
        self._left: set[PatentId] = set()
        self.dwell = QTimer(self)
        self.dwell.setSingleShot(True)
        self.dwell.setInterval(_DWELL)
        self.dwell.timeout.connect(self._begin)

    def watch(self) -> None:
        """Other documents may be on the screen, or others of their rows are known."""
        self.dwell.start()

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
        self.leave(self._at)
        return self.stop()

    def begin_again(self) -> None:
        """As `stop`, for another matrix: every document may be read on in again."""
        self.stop()
        self._left = set()

    def _begin(self) -> None:
        patents = [patent for patent in self._choose() if patent not in self._left]
        if not patents or patents == self._at:
            return
        job = self._runner.submit(self._prepare(patents), supersedes=_PURPOSE)
        self._at = patents
        self.changed.emit(True)
        job.succeeded.connect(lambda found: self._arrived(found, patents))
        job.failed.connect(lambda error: self._refused(error, patents))

    def _arrived(self, found: Compared, patents: Sequence[PatentId]) -> None:
        self._end()
        self.read.emit(found, patents)

    def _refused(self, error: Exception, patents: Sequence[PatentId]) -> None:
        self._end()
        self.leave(patents)
        self.failed.emit(error)

    def _end(self) -> None:
        if self._at:
            self._at = ()
            self.changed.emit(False)
