"""The open case: categories of documents, notes, undo. Every change is on disk before it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.jobs.runner import Lane
from app.models.services import CaseState, Category

if TYPE_CHECKING:
    from datetime import date

    from app.jobs.runner import JobRunner
    from app.models.services import Services
    from core.tasks import TaskContext
    from core.types import Query


class CasePresenter(QObject):
    """Marks go through the one-thread lane, so they are kept in the order they were given."""

    changed = Signal(object)
    """`CaseState`."""
    saved = Signal()
    failed = Signal(Exception, str)

    def __init__(self, services: Services, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.state: CaseState | None = None

    @property
    def categories(self) -> dict[str, Category]:
        """Category by publication."""
        marks = self.state.marks if self.state is not None else ()
        return {mark.publication: mark.category for mark in marks}

    def note_of(self, publication: str) -> str:
        """The note on a document."""
        marks = self.state.marks if self.state is not None else ()
        return next((mark.note for mark in marks if mark.publication == publication), "")

    def open(self, case: int, name: str) -> None:
        """Open a case, or begin one."""
        self._write(lambda context: self._services.open_case(case, name, context))

    def mark(self, publication: str, category: Category, *, note: str | None = None, claim: int = 0) -> None:
        """Give a document a category; its note stays unless another is given."""
        words = self.note_of(publication) if note is None else note
        self._write(lambda context: self._services.mark(publication, category, words, claim, context))

    def undo(self) -> None:
        """Take the last change back."""
        if self.state is not None and self.state.undoable:
            self._write(self._services.undo)

    def keep_query(self, query: Query, before: date | None) -> None:
        """Keep the query with the case."""
        if self.state is None:
            return
        job = self._runner.submit(
            lambda context: self._services.save_query(query, before, context), lane=Lane.WRITE
        )
        job.succeeded.connect(lambda _: self.saved.emit())
        job.failed.connect(lambda error: self.failed.emit(error, "The query could not be saved"))

    def _write(self, task: Callable[[TaskContext], CaseState]) -> None:
        job = self._runner.submit(task, lane=Lane.WRITE)
        job.succeeded.connect(self._written)
        job.failed.connect(lambda error: self.failed.emit(error, "The case could not be saved"))

    def _written(self, state: CaseState) -> None:
        self.state = state
        self.changed.emit(state)
        self.saved.emit()
