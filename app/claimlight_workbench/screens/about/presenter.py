"""Reads versions and licences beside the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types.about import About


class AboutService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def about(self, context: TaskContext) -> About:
        """Versions, models in use, the open library and every licence."""
        ...


class AboutPresenter(QObject):
    """Serves the dialog of one window."""

    read = Signal(object)
    """`About`."""
    failed = Signal(object, str)

    def __init__(self, services: AboutService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner

    def ask(self) -> None:
        """Read everything again: library and models change."""
        job = self._runner.submit(self._services.about, supersedes="about", free=True)
        job.succeeded.connect(self.read)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The versions could not be read")))
