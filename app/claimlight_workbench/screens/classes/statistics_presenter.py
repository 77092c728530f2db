"""Counts the classes of a set, or of the whole library, while the page is visible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.types import ClassLevel, CountBy, Scheme
from claimlight_workbench.jobs.exporting import write_file
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left

if TYPE_CHECKING:
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import ClassStatistics, DocumentStatistics
    from claimlight_workbench.jobs.runner import JobRunner

_COUNT = "class-statistics"


@dataclass(frozen=True, slots=True)
class CountWish:
    """What is counted."""

    number: int = 0
    """Number of a set of the open case; 0: the whole library."""
    scheme: Scheme = Scheme.CPC
    level: ClassLevel = ClassLevel.SUBCLASS
    by: CountBy = CountBy.CLASS
    """Scheme and level are of classes only."""


class StatisticsService(Protocol):
    """What the presenter asks of the engine; the call blocks and runs in a worker."""

    def class_statistics(
        self, number: int, scheme: Scheme, level: ClassLevel, context: TaskContext
    ) -> ClassStatistics:
        """Documents by class of a level, in a set of the open case or, for 0, in the whole library."""
        ...

    def document_statistics(self, number: int, by: CountBy, context: TaskContext) -> DocumentStatistics:
        """Documents by year, office or applicant, of a set or, for 0, of the whole library."""
        ...


class StatisticsPresenter(QObject):
    """A newer question cancels the older."""

    counted = Signal(object)
    """`ClassStatistics` or `DocumentStatistics`."""
    cleared = Signal()
    exported = Signal(str)
    """Path of the file that was written."""
    failed = Signal(Exception, str)

    def __init__(self, services: StatisticsService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._wish = CountWish()
        self._seen = self._library = self._counted = False

    def watch(self, seen: bool) -> None:  # noqa: FBT001 - a slot
        """Whether the page is visible."""
        self._seen = seen
        self._count()

    def set_library(self) -> None:
        """A library was opened, or its documents have changed."""
        self._library, self._counted = True, False
        self._count()

    def clear_out(self, left: Left) -> None:
        """The counts belong to what is left."""
        if left is Left.LIST:
            return
        self._runner.cut_off(_COUNT)
        self._counted = False
        if left is Left.LIBRARY:
            self._library = False
        self.cleared.emit()

    def choose(self, wish: CountWish) -> None:
        """Count another set or level."""
        self._wish, self._counted = wish, False
        self._count()

    def export(self, path: Path, body: bytes) -> None:
        """Write a picture or a table."""
        job = write_file(self._runner, path, lambda: body)
        job.succeeded.connect(lambda written: self.exported.emit(str(written)))
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{name} could not be written", name=path.name))
        )

    def _count(self) -> None:
        if not (self._seen and self._library) or self._counted:
            return
        self._counted = True
        wish = self._wish

        def task(context: TaskContext) -> ClassStatistics | DocumentStatistics:
            if wish.by is CountBy.CLASS:
                return self._services.class_statistics(wish.number, wish.scheme, wish.level, context)
            return self._services.document_statistics(wish.number, wish.by, context)

        job = self._runner.submit(task, supersedes=_COUNT)
        job.succeeded.connect(self.counted)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The documents could not be counted")))
