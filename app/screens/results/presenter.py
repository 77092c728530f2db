"""Runs searches, keeps the newest, and fetches the document on view and its neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.jobs.runner import JobRunner
    from app.models.services import Services
    from core.types import SearchRequest, SearchResults


class ResultsPresenter(QObject):
    """One search at a time; a newer one cuts the older off."""

    started = Signal()
    found = Signal(object)
    """`SearchResults`."""
    progressed = Signal(object)
    stopped = Signal()
    """The search was cancelled or failed; what was on show stays."""
    failed = Signal(Exception, str)

    def __init__(self, services: Services, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.results: SearchResults | None = None

    def run(self, request: SearchRequest) -> None:
        """Search."""
        job = self._runner.submit(
            lambda context: self._services.search(request, context), supersedes="search"
        )
        self.started.emit()
        job.progressed.connect(self.progressed)
        job.succeeded.connect(self._arrived)
        job.failed.connect(self._refused)

    def cancel(self) -> bool:
        """Stop the running search; whether there was one."""
        running = self._runner.cut_off("search")
        if running:
            self.stopped.emit()
        return running

    def _arrived(self, results: SearchResults) -> None:
        self.results = results
        self.found.emit(results)

    def _refused(self, error: Exception) -> None:
        self.stopped.emit()
        self.failed.emit(error, "The search stopped")
