"""Adapts the encoder to the open library in a child process; keeps or discards the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.errors import InputError
from claimlight.types import AdaptReport, KeptModel
from claimlight_workbench.jobs.registry import Controls
from claimlight_workbench.jobs.runner import Lane
from claimlight_workbench.jobs.single import ProcessFactory, SingleJob, patient
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import LibraryInfo
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.values import Adaptation

_READ, _DECIDE = "adaptation", "adaptation-decided"


class AdaptationService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def keep_adaptation(self, library: str, context: TaskContext) -> KeptModel:
        """Install the adapted package and use it; the caller opens the library again."""
        ...

    def discard_adaptation(self, library: str, context: TaskContext) -> None:
        """Delete everything that a run left."""
        ...

    def adaptation(self, library: str, context: TaskContext) -> Adaptation:
        """The adaptation of a library that is neither kept nor discarded."""
        ...


class AdaptingPresenter(QObject):
    """At most one run at a time, for one library."""

    known = Signal(object)
    """`Adaptation`: what an earlier run left for a library that was just opened."""
    started = Signal()
    progressed = Signal(object)
    reported = Signal(object)
    """`AdaptReport`: it awaits a decision."""
    paused = Signal()
    """Paused; the next start resumes there."""
    kept = Signal(object)
    """`KeptModel`: another model is in use, and the library is to be opened again."""
    discarded = Signal()
    failed = Signal(Exception, str)

    def __init__(
        self,
        services: AdaptationService,
        runner: JobRunner,
        parent: QObject | None = None,
        *,
        process: ProcessFactory = patient,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.job = SingleJob(self, process, jobs=runner.jobs)
        self._library = ""
        self.job.progressed.connect(self.progressed)
        self.job.succeeded.connect(self._done)
        self.job.failed.connect(self._refused)
        self.job.cancelled.connect(self.paused)

    @property
    def working(self) -> bool:
        """Whether a run is under way."""
        return self.job.working

    def set_library(self, info: LibraryInfo) -> None:
        """Another library is open: its adaptation is read; a run of the previous one stops."""
        if info.local == self._library:
            return
        if self.job.leave():
            self.paused.emit()
        self._library = info.local
        self._look()

    def start(self) -> None:
        """Adapt, or resume what was paused."""
        library = self._library
        controls = Controls(pause=self.pause, resume=lambda: self._resume(library), pausing=lambda: True)
        if library and self.job.start(("adapt", "--library", library), controls):
            self._runner.cut_off(_READ)
            self.started.emit()

    def _resume(self, library: str) -> None:
        """Resume the run of a library, which may not be the open one any more."""
        if library == self._library:
            self.start()
        else:
            name = Path(library).name
            error = InputError(tr("Open the library {name} first: its encoder is adapted.", name=name))
            self.failed.emit(error, tr("The adaptation was not resumed"))

    def pause(self) -> None:
        """Stop after the current step; it is kept."""
        self.job.cancel()

    def keep(self) -> None:
        """Install the adapted package and use it."""
        library = self._library
        job = self._runner.submit(
            lambda context: self._services.keep_adaptation(library, context),
            lane=Lane.WRITE,
            supersedes=_DECIDE,
        )
        job.succeeded.connect(self._kept)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The adapted encoder could not be kept")))

    def discard(self) -> None:
        """Delete everything that the run left."""
        library = self._library
        job = self._runner.submit(
            lambda context: self._services.discard_adaptation(library, context),
            lane=Lane.WRITE,
            supersedes=_DECIDE,
        )
        job.succeeded.connect(lambda _: self.discarded.emit())
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("The adapted encoder could not be discarded"))
        )

    def stop(self) -> None:
        """Stop and wait; for the end of the program."""
        self.job.stop()

    def _look(self) -> None:
        library = self._library
        job = self._runner.submit(
            lambda context: self._services.adaptation(library, context), supersedes=_READ, free=True
        )
        job.succeeded.connect(self.known)
        job.failed.connect(lambda error: self.failed.emit(error, tr("What was adapted could not be read")))

    def _done(self, report: object) -> None:
        if isinstance(report, AdaptReport):
            self.reported.emit(report)

    def _refused(self, error: Exception) -> None:
        self._look()
        self.failed.emit(error, tr("The encoder could not be adapted"))

    def _kept(self, kept: object) -> None:
        if isinstance(kept, KeptModel):
            self.kept.emit(kept)
