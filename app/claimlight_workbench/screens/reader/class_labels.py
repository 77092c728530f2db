"""Reads the titles of the open document's classes, beside the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.services.classes.labels import ClassLabel
    from claimlight.tasks import TaskContext
    from claimlight.types import ClassSymbol, DocumentView
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.desk import Left

_PURPOSE = "class-labels"


class ClassLabelService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def class_labels(self, classes: Sequence[ClassSymbol], context: TaskContext) -> tuple[ClassLabel, ...]:
        """The classes of a document with their titles."""
        ...


class ClassLabelsPresenter(QObject):
    """A newer document cancels the older."""

    read = Signal(object)
    """The `ClassLabel` of each class of the document."""
    failed = Signal(Exception, str)

    def __init__(self, services: ClassLabelService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._classes: tuple[ClassSymbol, ...] = ()

    def show(self, view: DocumentView) -> None:
        """Another document is open."""
        self._classes = view.classes
        self.refresh()

    def refresh(self) -> None:
        """Read the titles again: another edition may have them."""
        self._runner.cut_off(_PURPOSE)
        classes = self._classes
        if not classes:
            return
        job = self._runner.submit(
            lambda context: self._services.class_labels(classes, context), supersedes=_PURPOSE
        )
        job.succeeded.connect(self.read)
        job.failed.connect(lambda error: self.failed.emit(error, tr("Titles of classes could not be read")))

    def clear_out(self, _left: Left) -> None:
        """No document is open."""
        self._runner.cut_off(_PURPOSE)
        self._classes = ()
