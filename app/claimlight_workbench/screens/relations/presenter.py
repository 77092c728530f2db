"""Reads the family and the citations of the open document while their panels are visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import CitationView, FamilyView, PatentId, PatentSummary
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.desk import Left


class RelationService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def family(self, patent: PatentId, context: TaskContext) -> FamilyView:
        """The family of a document."""
        ...

    def citations(self, patent: PatentId, context: TaskContext) -> CitationView:
        """The citations of a document, both ways."""
        ...


class RelationsPresenter(QObject):
    """Hidden panels are not filled."""

    family_read = Signal(object, str)
    """`FamilyView` and the publication it is of."""
    citations_read = Signal(object)
    """`CitationView`."""
    failed = Signal(Exception, str)

    def __init__(self, services: RelationService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._document: PatentSummary | None = None
        self._family_seen = False
        self._citations_seen = False
        self._family_of: PatentId | None = None
        self._citations_of: PatentId | None = None

    def show(self, document: PatentSummary) -> None:
        """Another document is open."""
        self._document = document
        self._read()

    def watch_family(self, seen: bool) -> None:  # noqa: FBT001 - what a dock tells
        """Whether the family panel is visible."""
        self._family_seen = seen
        self._read()

    def watch_citations(self, seen: bool) -> None:  # noqa: FBT001
        """Whether the citation panel is visible."""
        self._citations_seen = seen
        self._read()

    def clear_out(self, _left: Left) -> None:
        """No document is open."""
        self._document = self._family_of = self._citations_of = None

    def forget(self) -> None:
        """The library has changed: what was read may be out of date."""
        self._family_of = self._citations_of = None
        self._read()

    def _read(self) -> None:
        document = self._document
        if document is None:
            return
        patent, name = document.id, str(document.publication)
        if self._family_seen and self._family_of != patent:
            self._family_of = patent
            job = self._runner.submit(
                lambda context: self._services.family(patent, context), supersedes="family"
            )
            job.succeeded.connect(lambda view: self.family_read.emit(view, name))
            job.failed.connect(lambda error: self.failed.emit(error, tr("The family could not be read")))
        if self._citations_seen and self._citations_of != patent:
            self._citations_of = patent
            job = self._runner.submit(
                lambda context: self._services.citations(patent, context), supersedes="citations"
            )
            job.succeeded.connect(self.citations_read)
            job.failed.connect(lambda error: self.failed.emit(error, tr("The citations could not be read")))
