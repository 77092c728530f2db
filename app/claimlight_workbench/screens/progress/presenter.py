"""Counts what reading still brings, and what a sample says, while the panel is visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.exporting import write_file
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left
from claimlight_workbench.values import ComparedRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import Feature, MatrixRow, PublicationNumber
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.values import CaseProgress, CaseState


class ProgressService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def progress(
        self, sample: int, context: TaskContext, *, compared: Sequence[ComparedRow] = ()
    ) -> CaseProgress:
        """New passages of the open case by documents read, and what a sample says (0: the last one).

        ``compared`` are the documents whose cells are known.
        """
        ...


class ProgressPresenter(QObject):
    """A hidden panel is not filled; each change of the case fills a visible one again."""

    progressed = Signal(object)
    """`CaseProgress`."""
    exported = Signal(str)
    """Path of a picture or table."""
    failed = Signal(Exception, str)

    def __init__(self, services: ProgressService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._case = 0
        self._sample = 0
        self._compared: dict[PublicationNumber, ComparedRow] = {}
        """The documents whose cells are known in this case, by the last comparison."""
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

    def note_evidence(self, features: tuple[Feature, ...], rows: Iterable[MatrixRow]) -> None:
        """Documents were compared with the features."""
        known = {row.patent.publication: ComparedRow(features, row) for row in rows}
        if any(self._compared.get(publication) != row for publication, row in known.items()):
            self._compared.update(known)
            self.note_change()

    def export(self, path: Path, make: Callable[[], bytes]) -> None:
        """Write what ``make`` gives, which runs in a worker."""
        job = write_file(self._runner, path, make)
        job.succeeded.connect(lambda written: self.exported.emit(str(written)))
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{name} could not be written", name=path.name))
        )

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
            self._compared = {}
            self._stale = False

    def _read(self) -> None:
        if not (self._visible and self._stale and self._case):
            return
        self._stale = False
        sample, compared = self._sample, tuple(self._compared.values())
        job = self._runner.submit(
            lambda context: self._services.progress(sample, context, compared=compared),
            supersedes="progress",
        )
        job.succeeded.connect(self._tell)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The progress could not be counted")))

    def _tell(self, found: CaseProgress) -> None:
        # Another case may have been opened meanwhile.
        if found.case == self._case:
            self.progressed.emit(found)
