"""Lists, chooses, adds, checks and removes model packages; slow jobs run in a child process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.process import LicenceNeeded, PackageCheck, ProcessJob
from claimlight_workbench.jobs.runner import Lane
from claimlight_workbench.jobs.single import ProcessFactory, SingleJob
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.services.models.judges import JudgeInfo
    from claimlight.services.models.models import ModelInfo
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext
    from claimlight_workbench.jobs.runner import JobRunner

_LIST = "models"
_USE = "use-model"
_JUDGES = "judges"
_JUDGE = "use-judge"


class ModelService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def models(self, context: TaskContext) -> tuple[ModelInfo, ...]:
        """Every package found, the shipped one first."""
        ...

    def use_model(self, name: str, context: TaskContext) -> None:
        """Use a package for search and indexing from now on; the caller opens the library again."""
        ...

    def settings_changed(self, context: TaskContext) -> None:
        """Read the settings again, which a job may have changed; the caller opens the library again."""
        ...

    def judges(self, context: TaskContext) -> tuple[JudgeInfo, ...]:
        """Every judge found, the shipped one first."""
        ...

    def settings(self, context: TaskContext) -> Settings:
        """The saved settings; raises `ResourceError` if the file can't be read."""
        ...

    def change_settings(self, changes: Mapping[str, object], context: TaskContext) -> Settings:
        """Save values by key; the caller opens the library again. Raises `InputError` for invalid values."""
        ...


class ModelsPresenter(QObject):
    """At most one job at a time."""

    listed = Signal(object)
    """Packages, the shipped one first."""
    judges_listed = Signal(object, object)
    """The judges found, and the saved settings."""
    started = Signal(str)
    """What has begun, in words."""
    progressed = Signal(object)
    checked = Signal(object)
    """`PackageCheck`."""
    licence_needed = Signal(object, str)
    """Path that was to be added, and its licence text."""
    chosen = Signal(str)
    """Another package is in use: the library is to be opened again."""
    ended = Signal(str)
    """How the job ended, in words."""
    failed = Signal(Exception, str)

    def __init__(
        self,
        services: ModelService,
        runner: JobRunner,
        parent: QObject | None = None,
        *,
        process: ProcessFactory = ProcessJob,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.job = SingleJob(self, process, jobs=runner.jobs)
        self._said = ""
        self._doing = ""
        self._removed_used = False
        self._adding = Path()
        self.job.progressed.connect(self.progressed)
        self.job.succeeded.connect(self._done)
        self.job.failed.connect(self._refused)
        self.job.cancelled.connect(lambda: self.ended.emit(tr("Stopped")))

    @property
    def working(self) -> bool:
        """Whether a job runs."""
        return self.job.working

    def refresh(self) -> None:
        """Read the list of packages, and the judges with their settings."""
        job = self._runner.submit(self._services.models, supersedes=_LIST, free=True)
        job.succeeded.connect(self.listed)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The models could not be listed")))
        self._list_judges()

    def change_judge(self, changes: Mapping[str, object]) -> None:
        """Save settings of the judge; verdicts are by them from now on."""
        if not changes:
            return
        job = self._runner.submit(
            lambda context: self._services.change_settings(changes, context),
            lane=Lane.WRITE,
            supersedes=_JUDGE,
        )
        job.succeeded.connect(lambda _: self._judge_changed())
        job.failed.connect(lambda error: self.failed.emit(error, tr("The judge could not be changed")))

    def use(self, name: str) -> None:
        """Use a package for search and indexing from now on."""
        job = self._runner.submit(
            lambda context: self._services.use_model(name, context), lane=Lane.WRITE, supersedes=_USE
        )
        job.succeeded.connect(lambda _: self._used(name))
        job.failed.connect(lambda error: self.failed.emit(error, tr("{name} could not be used", name=name)))

    def check(self, name: str) -> None:
        """Check a package: file hashes, loading, and test vectors against those of its export."""
        self._start(
            ("models", "check", name),
            tr("Checking {name}…", name=name),
            "",
            tr("{name} could not be checked", name=name),
        )

    def add(self, source: Path, *, accepted: bool = False) -> None:
        """Install a package from its folder or zip, or build one from a checkpoint folder."""
        self._adding = source
        accept = ("--accept-licence",) if accepted else ()
        what = tr("{name} could not be added", name=source.name)
        self._start(
            ("models", "add", str(source), *accept), tr("Adding {name}…", name=source.name), tr("Added"), what
        )

    def accept(self, name: str) -> None:
        """Record that the user accepts the licence of a package."""
        self._start(
            ("models", "accept", name),
            "",
            tr("The licence of {name} is accepted", name=name),
            tr("The licence of {name} could not be accepted", name=name),
        )

    def remove(self, name: str, *, used: bool, library: str = "") -> None:
        """Uninstall a package; ``used``: it is in use, and the shipped one replaces it."""
        self._removed_used = used
        where = ("--library", library) if library else ()
        force = ("--force",) if used else ()
        arguments = ("models", "remove", name, *where, *force)
        self._start(
            arguments,
            tr("Removing {name}…", name=name),
            tr("{name} was removed", name=name),
            tr("{name} could not be removed", name=name),
        )

    def cancel(self) -> None:
        """Stop the job."""
        self.job.cancel()

    def stop(self) -> None:
        """Stop and wait; for the end of the program."""
        self.job.stop()

    def _start(self, arguments: tuple[str, ...], told: str, said: str, doing: str) -> None:
        if self.job.start(arguments):
            self._said, self._doing = said, doing
            self.started.emit(told)

    def _list_judges(self) -> None:
        def work(context: TaskContext) -> tuple[tuple[JudgeInfo, ...], Settings]:
            return self._services.judges(context), self._services.settings(context)

        job = self._runner.submit(work, supersedes=_JUDGES, free=True)
        job.succeeded.connect(lambda found: self.judges_listed.emit(*found))
        job.failed.connect(lambda error: self.failed.emit(error, tr("The judges could not be listed")))

    def _judge_changed(self) -> None:
        self.chosen.emit("")
        self.ended.emit(tr("The judge is changed"))
        self._list_judges()

    def _used(self, name: str) -> None:
        self.chosen.emit(name)
        self.ended.emit(tr("{name} is in use", name=name or tr("The shipped package")))
        self.refresh()

    def _done(self, report: object) -> None:
        self.ended.emit(self._said)
        if isinstance(report, PackageCheck):
            self.checked.emit(report)
        if self._removed_used:
            self._removed_used = False
            # The child process has removed the model from the settings, which this process read before.
            job = self._runner.submit(self._services.settings_changed, lane=Lane.WRITE, supersedes=_USE)
            job.succeeded.connect(lambda _: self._used(""))
        self.refresh()

    def _refused(self, error: Exception) -> None:
        self._removed_used = False
        self.ended.emit("")
        if isinstance(error, LicenceNeeded):
            self.licence_needed.emit(self._adding, str(error))
        else:
            self.failed.emit(error, self._doing)
        self.refresh()
