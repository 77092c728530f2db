"""Runs a training recipe on the open library as a child process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.registry import Controls
from claimlight_workbench.jobs.single import ProcessFactory, SingleJob, patient
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.services.training.recipes import RecipeInfo
    from claimlight.tasks import TaskContext
    from claimlight.types import LibraryInfo
    from claimlight_workbench.jobs.runner import JobRunner

_RECIPES = "recipes"


@dataclass(frozen=True, slots=True)
class TrainWish:
    """What to train."""

    recipe: str
    """A shipped recipe's name, or a file."""
    checkpoint: str
    """Folder of the checkpoint to start from."""
    folder: str
    """Folder of the run."""
    steps: int = 0
    """0: the number in the recipe."""

    def arguments(self, library: str, *, resume: bool) -> tuple[str, ...]:
        """The command line."""
        start = ("--checkpoint", self.checkpoint) if self.checkpoint else ()
        steps = ("--set", f"run.steps={self.steps}") if self.steps else ()
        again = ("--resume",) if resume else ()
        return ("train", self.recipe, "--library", library, *start, "--out", self.folder, *steps, *again)


class RecipeService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def recipes(self, context: TaskContext) -> tuple[RecipeInfo, ...]:
        """The training recipes that come with the program."""
        ...


class TrainingPresenter(QObject):
    """At most one run at a time; it continues when another library is opened."""

    recipes_read = Signal(object)
    """`RecipeInfo`, by name."""
    started = Signal(bool)
    """Whether it resumes an earlier run."""
    progressed = Signal(object)
    reported = Signal(object)
    """`TrainReport`."""
    paused = Signal()
    stopped = Signal()
    failed = Signal(Exception, str)

    def __init__(
        self,
        services: RecipeService,
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
        self._run: tuple[TrainWish, str] | None = None
        """What was started last, and for which library."""
        self._pausing = False
        self.job.progressed.connect(self.progressed)
        self.job.succeeded.connect(self._done)
        self.job.failed.connect(lambda error: self.failed.emit(error, tr("The encoder could not be trained")))
        self.job.cancelled.connect(self._ended)

    @property
    def working(self) -> bool:
        """Whether a run is under way."""
        return self.job.working

    def set_library(self, info: LibraryInfo) -> None:
        """The library that the next run reads."""
        self._library = info.local

    def list_recipes(self) -> None:
        """Read the recipes that come with the program."""
        job = self._runner.submit(self._services.recipes, supersedes=_RECIPES, free=True)
        job.succeeded.connect(self.recipes_read)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The recipes could not be read")))

    def start(self, wish: TrainWish) -> None:
        """Train; a run that is in the folder already is resumed."""
        if self._library:
            resume = (Path(wish.folder) / "run.json").is_file()
            self._begin(wish, self._library, resume=resume)

    def go_on(self) -> None:
        """Resume the run that was paused, on its own library."""
        if self._run is not None:
            self._begin(*self._run, resume=True)

    def pause(self) -> None:
        """Stop after the current step, to resume later."""
        self._pausing = True
        self.job.cancel()

    def cancel(self) -> None:
        """Stop; what the run has saved stays in its folder."""
        self._pausing = False
        self.job.cancel()

    def stop(self) -> None:
        """Stop and wait; for the end of the program."""
        self.job.stop()

    def _begin(self, wish: TrainWish, library: str, *, resume: bool) -> None:
        controls = Controls(self.cancel, self.pause, self.go_on, pausing=lambda: self._pausing)
        if self.job.start(wish.arguments(library, resume=resume), controls):
            self._run = (wish, library)
            self.started.emit(resume)

    def _done(self, report: object) -> None:
        self._run = None
        self.reported.emit(report)

    def _ended(self) -> None:
        if self._pausing:
            self.paused.emit()
        else:
            self._run = None
            self.stopped.emit()
