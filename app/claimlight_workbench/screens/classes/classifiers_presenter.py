"""Lists the classifiers, chooses the one in use, and trains one on the open library in a child process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.types import ClassifierReport, Scheme
from claimlight_workbench.jobs.runner import Lane
from claimlight_workbench.jobs.single import ProcessFactory, SingleJob, patient
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import ClassifierInfo, LibraryInfo
    from claimlight_workbench.jobs.runner import JobRunner

_LIST, _USE = "classifier-list", "use-classifier"


@dataclass(frozen=True, slots=True)
class TrainingWish:
    """What is to be trained."""

    scheme: Scheme = Scheme.CPC
    name: str = ""
    """Empty: named after the library."""


class ClassifierService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def classifiers(self, context: TaskContext) -> tuple[ClassifierInfo, ...]:
        """The installed classifiers, the one in use marked."""
        ...

    def use_classifier(self, name: str, context: TaskContext) -> None:
        """Use a classifier from now on; an empty name is the shipped one."""
        ...


class ClassifiersPresenter(QObject):
    """At most one training at a time."""

    listed = Signal(object)
    """`ClassifierInfo` of each."""
    chosen = Signal()
    """Another classifier is in use, or there is a new one."""
    library_changed = Signal(bool)
    """Whether a library is open that a classifier can be trained on."""
    started = Signal()
    progressed = Signal(object)
    trained = Signal(object)
    """`ClassifierReport`."""
    ended = Signal(str)
    failed = Signal(Exception, str)

    def __init__(
        self,
        services: ClassifierService,
        runner: JobRunner,
        parent: QObject | None = None,
        *,
        process: ProcessFactory = patient,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._library = ""
        self._fresh = False
        self._watchers: set[str] = set()
        self._lacking = True
        """No classifier that can be used is in use."""
        self.job = SingleJob(self, process, jobs=runner.jobs)
        self.job.progressed.connect(self.progressed)
        self.job.succeeded.connect(self._done)
        self.job.failed.connect(self._refused)
        self.job.cancelled.connect(lambda: self.ended.emit(tr("Training cancelled; nothing was installed")))

    @property
    def working(self) -> bool:
        """Whether a training runs."""
        return self.job.working

    def set_library(self, info: LibraryInfo) -> None:
        """The library that the next training reads."""
        self._library = info.local
        self.library_changed.emit(info.documents > 0 and bool(info.local))

    def watch(self, who: str, *, seen: bool) -> None:
        """Whether what shows classifiers is visible, by its name: they are listed when it first is."""
        self._watchers = self._watchers | {who} if seen else self._watchers - {who}
        if seen and not self._fresh:
            self.refresh()

    def forget(self) -> None:
        """Another encoder may be in use: the list is read again as soon as it is seen."""
        self._fresh = False
        if self._watchers:
            self.refresh()

    def refresh(self) -> None:
        """Read the list of classifiers."""
        self._fresh = True
        job = self._runner.submit(self._services.classifiers, supersedes=_LIST, free=True)
        job.succeeded.connect(self._listed)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The classifiers could not be listed")))

    def use(self, name: str) -> None:
        """Use a classifier from now on."""
        job = self._runner.submit(
            lambda context: self._services.use_classifier(name, context), lane=Lane.WRITE, supersedes=_USE
        )
        job.succeeded.connect(lambda _: self._changed())
        job.failed.connect(lambda error: self.failed.emit(error, tr("{name} could not be used", name=name)))

    def train(self, wish: TrainingWish) -> None:
        """Train a classifier on the open library; without a name it is named after the library."""
        if not self._library:
            return
        named = ("--name", wish.name) if wish.name else ()
        kind = ("--kind", wish.scheme.value)
        if self.job.start(("classify", "train", "--library", self._library, *kind, *named)):
            self.started.emit()

    def cancel(self) -> None:
        """Stop the training."""
        self.job.cancel()

    def stop(self) -> None:
        """Stop and wait; for the end of the program."""
        self.job.stop()

    def _changed(self) -> None:
        self.refresh()
        self.chosen.emit()

    def _done(self, report: object) -> None:
        self.ended.emit("")
        if isinstance(report, ClassifierReport):
            self.trained.emit(report)
            if self._lacking:
                # Nothing can be suggested yet: the new one is what the user waits for.
                self.use(Path(report.folder).name)
                return
        self._changed()

    def _listed(self, infos: tuple[ClassifierInfo, ...]) -> None:
        self._lacking = not any(each.in_use and each.usable for each in infos)
        self.listed.emit(infos)

    def _refused(self, error: Exception) -> None:
        self.ended.emit("")
        self.failed.emit(error, tr("The classifier could not be trained"))
