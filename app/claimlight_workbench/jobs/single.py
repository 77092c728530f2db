"""One child process at a time, for a screen with a single long job."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.process import ProcessJob
from claimlight_workbench.jobs.registry import Controls, JobRegistry, ListedJob
from claimlight_workbench.jobs.titles import kind_of, title_of

ProcessFactory = Callable[[Sequence[str], QObject], ProcessJob]
PATIENT_MS = 300_000
"""A training step may take minutes on a busy machine, and its state is saved after it."""


def patient(arguments: Sequence[str], parent: QObject) -> ProcessJob:
    """A child that may finish its current step when it is asked to stop."""
    return ProcessJob(arguments, parent, kill_after=PATIENT_MS)


class SingleJob(QObject):
    """Starts a child, forwards its events, and drops it when it has ended."""

    progressed = Signal(object)
    """An `Event`."""
    succeeded = Signal(object)
    """The report; None if the command gives none."""
    failed = Signal(Exception)
    cancelled = Signal()

    def __init__(
        self,
        parent: QObject,
        process: ProcessFactory = ProcessJob,
        *,
        jobs: JobRegistry,
        brief: bool = False,
    ) -> None:
        """``jobs`` lists the children; ``brief``: those that end soon are not kept in the list."""
        super().__init__(parent)
        self.process = process
        self._jobs = jobs
        self._brief = brief
        self._listed: ListedJob | None = None
        self._job: ProcessJob | None = None
        self._left: list[ProcessJob] = []
        """Children whose events are no longer wanted, until they have ended."""

    @property
    def working(self) -> bool:
        """Whether a child runs."""
        return self._job is not None

    def start(self, arguments: Sequence[str], controls: Controls | None = None) -> bool:
        """Run the command line with these arguments; False if a child is running already.

        ``controls``: what can be asked of it in the list of jobs; by default, to stop.
        """
        if self._job is not None:
            return False
        job = self.process(arguments, self)
        self._job = job
        job.progressed.connect(self.progressed)
        job.succeeded.connect(lambda report: self._ended(self.succeeded, report))
        job.failed.connect(lambda error: self._ended(self.failed, error))
        job.cancelled.connect(lambda: self._ended(self.cancelled))
        self._listed = self._jobs.follow(
            job,
            kind_of(arguments),
            title_of(arguments),
            controls or Controls(cancel=self.cancel),
            brief=self._brief,
        )
        job.start()
        return True

    def cancel(self) -> None:
        """Ask the child to stop; `cancelled` follows."""
        if self._job is not None:
            self._job.cancel()

    def leave(self) -> bool:
        """Ask the child to stop and ignore its further events; returns whether there was one."""
        job, self._job = self._job, None
        if job is None:
            return False
        for signal in (job.progressed, job.succeeded, job.failed, job.cancelled):
            signal.disconnect()
        for signal in (job.succeeded, job.failed, job.cancelled):
            signal.connect(lambda *_: self._gone(job))
        if self._listed is not None:
            self._jobs.join(job, self._listed)
        self._left.append(job)
        job.cancel()
        return True

    def stop(self) -> None:
        """Stop the child and wait; for the end of the program."""
        for job in (*self._left, self._job):
            if job is not None:
                job.stop()

    def _gone(self, job: ProcessJob) -> None:
        if job in self._left:
            self._left.remove(job)
            job.deleteLater()

    def _ended(self, signal: object, *values: object) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.deleteLater()
        signal.emit(*values)  # type: ignore[attr-defined]  # a bound Signal, which has no type of its own
