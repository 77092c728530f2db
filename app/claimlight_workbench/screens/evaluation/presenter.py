"""Runs the evaluation of the open library as a child process and keeps its last report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from claimlight import codec, paths
from claimlight.digests import sha256
from claimlight.types import EvaluationReport
from claimlight_workbench.jobs.process import ProcessJob
from claimlight_workbench.jobs.single import ProcessFactory, SingleJob
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import LibraryInfo
    from claimlight_workbench.jobs.runner import JobRunner

_READ = "evaluation"


@dataclass(frozen=True, slots=True)
class Wish:
    """What to measure."""

    asked: str = "claim"
    """Or ``abstract``: the part of a document that is the query."""
    before: str = "priority"
    """Or ``published``: the date that limits what is searched."""
    queries: int = 200
    """0 for all."""


class EvaluationPresenter(QObject):
    """At most one evaluation at a time, of one library."""

    started = Signal()
    progressed = Signal(object)
    """`Progress` or `Note`."""
    reported = Signal(object)
    """`EvaluationReport`: a new one, or the last one of a library that was just opened."""
    cleared = Signal()
    """Another library, of which no report is known."""
    ended = Signal(str)
    """How the run ended, in words."""
    failed = Signal(Exception, str)

    def __init__(
        self, runner: JobRunner, parent: QObject | None = None, *, process: ProcessFactory = ProcessJob
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self.job = SingleJob(self, process, jobs=runner.jobs)
        self._library = ""
        self.report: EvaluationReport | None = None
        self.job.progressed.connect(self.progressed)
        self.job.succeeded.connect(self._done)
        self.job.failed.connect(self._refused)
        self.job.cancelled.connect(lambda: self.ended.emit(tr("Stopped. The next start resumes here")))

    @property
    def working(self) -> bool:
        """Whether an evaluation runs."""
        return self.job.working

    def set_library(self, info: LibraryInfo) -> None:
        """Another library is open: its last report is read."""
        if info.local == self._library:
            return
        self.leave()
        self._library, self.report = info.local, None
        self.cleared.emit()
        if not info.local:
            return
        path = folder_of(info.folder) / "library.json"
        job = self._runner.submit(lambda context: _read(path, context), supersedes=_READ, free=True)
        job.succeeded.connect(self._known)
        job.failed.connect(lambda error: self.failed.emit(error, tr("{path} could not be read", path=path)))

    def start(self, wish: Wish) -> None:
        """Evaluate; parts that an earlier run of the same kind measured are reused."""
        if self.job.working or not self._library:
            return
        self._runner.cut_off(_READ)
        out = folder_of(self._library)
        options = ("--query", wish.asked, "--before", wish.before, "--queries", str(wish.queries))
        arguments = ("evaluate", "library", "--library", self._library, "--out", str(out), *options)
        self.started.emit()
        self.job.start(arguments)

    def cancel(self) -> None:
        """Stop; what was measured so far is kept for the next start."""
        self.job.cancel()

    def leave(self) -> None:
        """Stop and ignore its further events: another library is being opened."""
        if self.job.leave():
            self.ended.emit("")

    def stop(self) -> None:
        """Stop and wait; for the end of the program."""
        self.job.stop()

    def _known(self, report: EvaluationReport | None) -> None:
        if report is not None and not self.job.working:
            self.report = report
            self.reported.emit(report)

    def _done(self, report: object) -> None:
        self.ended.emit(tr("Done"))
        if isinstance(report, EvaluationReport):
            self.report = report
            self.reported.emit(report)

    def _refused(self, error: Exception) -> None:
        self.ended.emit("")
        self.failed.emit(error, tr("The library could not be evaluated"))


def folder_of(library: str) -> Path:
    """Folder of the reports: with the user's data, as the library may be read-only."""
    place = Path(library)
    digest = sha256(str(place.absolute()))[:8]
    return paths.data_dir() / "Evaluations" / f"{place.name}-{digest}"


def _read(path: Path, context: TaskContext) -> EvaluationReport | None:
    """The last report; None if there is none, or one of another version of the program."""
    context.check()
    try:
        return codec.decode(EvaluationReport, path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
