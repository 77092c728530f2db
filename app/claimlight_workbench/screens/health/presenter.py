"""Checks the computer and makes the diagnostic report beside the window."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.runner import JobRunner, Lane
from claimlight_workbench.language import tr
from claimlight_workbench.screens.health.facts import find_unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types.health import Finding, JobRun, ReportFile, WindowFacts


class HealthService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def check_computer(self, window: WindowFacts, context: TaskContext) -> tuple[Finding, ...]:
        """Check installation and computer for the open library."""
        ...

    def gather_report(
        self, window: WindowFacts, jobs: Sequence[JobRun], context: TaskContext
    ) -> tuple[ReportFile, ...]:
        """The files of a diagnostic report; nothing is written."""
        ...

    def write_diagnosis(self, files: Sequence[ReportFile], path: Path, context: TaskContext) -> Path:
        """Write the files as they were shown."""
        ...


class HealthPresenter(QObject):
    """Serves the two dialogs of one window."""

    checked = Signal(object)
    """Every finding."""
    gathered = Signal(object)
    """The files of the report."""
    written = Signal(object)
    """The path of the report."""
    check_failed = Signal(object, str)
    gather_failed = Signal(object, str)
    write_failed = Signal(object, str)

    def __init__(self, services: HealthService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner

    def check(self, window: WindowFacts) -> None:
        """Run all checks."""
        services = self._services
        job = self._runner.submit(
            lambda context: services.check_computer(_with_fonts(window), context),
            supersedes="computer",
            free=True,
        )
        job.succeeded.connect(self.checked)
        job.failed.connect(
            lambda error: self.check_failed.emit(error, tr("The computer could not be checked"))
        )

    def gather(self, window: WindowFacts, jobs: Sequence[JobRun]) -> None:
        """Make the report, to be shown."""
        services = self._services
        job = self._runner.submit(
            lambda context: services.gather_report(_with_fonts(window), jobs, context),
            supersedes="diagnosis",
            free=True,
        )
        job.succeeded.connect(self.gathered)
        job.failed.connect(lambda error: self.gather_failed.emit(error, tr("The report could not be made")))

    def stop(self) -> None:
        """Nobody waits for the report any more."""
        self._runner.cut_off("diagnosis")

    def write(self, files: Sequence[ReportFile], path: Path) -> None:
        """Write the report that was shown."""
        services = self._services
        job = self._runner.submit(
            lambda context: services.write_diagnosis(files, path, context), lane=Lane.WRITE
        )
        job.succeeded.connect(self.written)
        job.failed.connect(lambda error: self.write_failed.emit(error, tr("The report could not be written")))


def _with_fonts(window: WindowFacts) -> WindowFacts:
    return replace(window, unreadable=find_unreadable())
