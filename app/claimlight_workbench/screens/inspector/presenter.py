"""Loads centers; a newer request cancels the older."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import CenterId, CenterInspection
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.desk import Left

_PURPOSE = "center"


class ConceptService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def inspect_center(self, center: CenterId, context: TaskContext) -> CenterInspection:
        """One center (concept) of the vocabulary and the terms of the library assigned to it."""
        ...


class InspectorPresenter(QObject):
    """Caches nothing: the library may have changed since."""

    started = Signal(str)
    """Anchor of the center that is being loaded."""
    inspected = Signal(object)
    """`CenterInspection`."""
    cleared = Signal()
    """What was shown is of another library."""
    failed = Signal(Exception, str)

    def __init__(self, services: ConceptService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.seen: CenterInspection | None = None

    def inspect(self, center: CenterId, anchor: str) -> None:
        """Load a center."""
        self.started.emit(anchor)
        job = self._runner.submit(
            lambda context: self._services.inspect_center(center, context), supersedes=_PURPOSE
        )
        job.succeeded.connect(self._arrived)
        job.failed.connect(self._refused)

    def cancel(self) -> bool:
        """Cancel loading; returns whether anything was running."""
        cut = self._runner.cut_off(_PURPOSE)
        if cut:
            self._show_again()
        return cut

    def clear_out(self, _left: Left) -> None:
        """Another library or case is opened."""
        self.forget()

    def forget(self) -> None:
        """Another library, or another index."""
        self._runner.cut_off(_PURPOSE)
        self.seen = None
        self.cleared.emit()

    def _arrived(self, seen: CenterInspection) -> None:
        self.seen = seen
        self.inspected.emit(seen)

    def _refused(self, error: Exception) -> None:
        self._show_again()
        self.failed.emit(error, tr("The concept could not be shown"))

    def _show_again(self) -> None:
        if self.seen is None:
            self.cleared.emit()
        else:
            self.inspected.emit(self.seen)
