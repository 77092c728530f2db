"""Counts what reading still brings, and what a sample says, while the panel is visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.values import CaseProgress, CaseState


class ProgressService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def progress(self, sample: int, context: TaskContext) -> CaseProgress:
        """New passages of the open case by documents read, and what a sample says (0: the last one)."""
        ...


class ProgressPresenter(QObject):
    """A hidden panel is not filled; each change of the case fills a visible one again."""

    progressed = Signal(object)
    """`CaseProgress`."""
    failed = Signal(Exception, str)

    def __init__(self, services: ProgressService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._case = 0
        self._sample = 0
        self._visible = False
        self._stale = False

    def show_case(self, state: CaseState) -> None:
        """The case, or something in it, has changed."""
        case = int(state.case.id)
        if case != self._case:
            self._case, self._sample = case, 0
        self.note_change()

    def note_change(self) -> None:
        """Something was read or decided in the case."""
        self._stale = True
        self._read()

    def watch(self, visible: bool) -> None:  # noqa: FBT001 - what a dock tells
        """Whether the panel is visible."""
        self._visible = visible
        self._read()

    def choose(self, sample: int) -> None:
        """Another sample of the case is asked for."""
        self._sample = sample
        self.note_change()

    def clear_out(self, left: Left) -> None:
        """No case is open."""
        if left is Left.CASE:
            self._case = self._sample = 0
            self._stale = False

    def _read(self) -> None:
        if not (self._visible and self._stale and self._case):
            return
        self._stale = False
        sample = self._sample
        job = self._runner.submit(
            lambda context: self._services.progress(sample, context), supersedes="progress"
        )
        job.succeeded.connect(self._tell)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The progress could not be counted")))

    def _tell(self, found: CaseProgress) -> None:
        # Another case may have been opened meanwhile.
        if found.case == self._case:
            self.progressed.emit(found)
