"""Gathers the report of the open case and writes it, and its search strategy, beside the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.runner import Lane
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import Report, ReportKind, WrittenReport
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.desk import Left


class ReportService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def report(self, context: TaskContext, *, notes: bool) -> Report:
        """The report of the open case with its warnings."""
        ...

    def write_report(
        self, report: Report, path: Path, kind: ReportKind, context: TaskContext, *, replace: bool
    ) -> WrittenReport:
        """Write a report in the format that the file name says."""
        ...

    def write_strategy(self, path: Path, context: TaskContext, *, replace: bool) -> WrittenReport:
        """Write the search strategy of the open case."""
        ...


class ReportPresenter(QObject):
    """The report that is written is the one whose warnings were shown."""

    gathered = Signal(object)
    """`Report`."""
    written = Signal(object)
    """`WrittenReport`."""
    failed = Signal(Exception, str)

    def __init__(self, services: ReportService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._report: Report | None = None

    def gather(self, *, notes: bool) -> None:
        """Gather the report of the open case, with its notes and tags or without."""
        self._report = None
        # After every change of the case that was asked for before.
        job = self._runner.submit(
            lambda context: self._services.report(context, notes=notes),
            lane=Lane.WRITE,
            supersedes="report",
            title=tr("Gather the report of the case"),
        )
        job.succeeded.connect(self._keep)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The report could not be gathered")))

    def write(self, path: Path, kind: ReportKind, *, replace: bool) -> None:
        """Write the gathered report."""
        report = self._report
        if report is None:
            return
        job = self._runner.submit(
            lambda context: self._services.write_report(report, path, kind, context, replace=replace),
            title=tr("Write the report"),
        )
        job.succeeded.connect(self.written.emit)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The report could not be written")))

    def write_strategy(self, path: Path, *, replace: bool) -> None:
        """Write the search strategy of the open case."""
        job = self._runner.submit(
            lambda context: self._services.write_strategy(path, context, replace=replace),
            lane=Lane.WRITE,
            title=tr("Write the search strategy"),
        )
        job.succeeded.connect(self.written.emit)
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("The search strategy could not be written"))
        )

    def clear_out(self, _left: Left) -> None:
        """A report of the case or library that is left is not written."""
        self._report = None

    def _keep(self, report: Report) -> None:
        self._report = report
        self.gathered.emit(report)
