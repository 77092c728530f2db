"""The list of this session's background jobs: what each does, how far it is, and how it ended.

Whatever starts a job has it followed here; what shows jobs reads this list and nothing else. A job is
followed by its four signals, so that threads and child processes are the same to the reader. Titles and log
lines hold no text of a claim, a query or a document: the titles are those of the program, and of errors only
those of the machine are repeated.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from itertools import count
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from claimlight.errors import ResourceError
from claimlight.types import Committed, ImportReport, Note, Progress, QuarantinedEvent, TrainEvent
from claimlight_workbench.language import tr, trn
from claimlight_workbench.progress_words import stage_name

MOST_KEPT = 200
"""More jobs of a session are not listed: the oldest that have ended go."""
MOST_LINES = 500
"""Lines of a log; earlier ones are dropped."""
BRIEF_SECONDS = 1.0
"""A brief job that took less is not kept when it has ended."""
SETTLE_MS = 200
"""Changes within this time are reported as one: the list is read, not watched frame by frame."""


class JobState(StrEnum):
    """Where a job is in its life."""

    WAITING = "waiting"
    """For another job to end."""
    RUNNING = "running"
    PAUSED = "paused"
    """Ended for now; it can be resumed."""
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


class Followed(Protocol):
    """What is asked of a job; exactly one of the last three signals ends it."""

    @property
    def progressed(self) -> SignalInstance:
        """An event."""
        ...

    @property
    def succeeded(self) -> SignalInstance:
        """Its result."""
        ...

    @property
    def failed(self) -> SignalInstance:
        """The error."""
        ...

    @property
    def cancelled(self) -> SignalInstance:
        """Nothing."""
        ...


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Controls:
    """What can be asked of a job; None where it can't."""

    cancel: Callable[[], object] | None = None
    pause: Callable[[], object] | None = None
    resume: Callable[[], object] | None = None
    pausing: Callable[[], bool] = _never
    """Whether a job that ends as it was asked to is paused, not cancelled."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a job's log."""

    at: datetime
    text: str


@dataclass(slots=True, eq=False)
class ListedJob:
    """A job of the list; changed by the registry alone."""

    number: int
    """Counted from 1 within the session."""
    kind: str
    """What it is for the program, such as ``index``: never a name that the user gave."""
    title: str
    """What it does, in the language of the window."""
    controls: Controls
    brief: bool = False
    """Not kept if it took less than `BRIEF_SECONDS`."""
    state: JobState = JobState.WAITING
    begun: datetime | None = None
    ended: datetime | None = None
    event: Progress | TrainEvent | None = None
    """How far it is, if it has said."""
    first_step: int = 0
    """The step at which a training run began or was resumed, from which the time left is known."""
    committed: int = 0
    """Documents on disk so far in this run."""
    error: str = ""
    """Class of the error that ended it."""
    log: deque[LogLine] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    _spent: float = 0.0
    _since: float | None = None
    _stage: str = ""

    @property
    def seconds(self) -> float:
        """How long it has run, without the time in which it waited or was paused."""
        return self._spent + (time.monotonic() - self._since if self._since is not None else 0.0)

    @property
    def can_cancel(self) -> bool:
        """Whether it can be cancelled now."""
        return self.controls.cancel is not None and self.state in {JobState.WAITING, JobState.RUNNING}

    @property
    def can_pause(self) -> bool:
        """Whether it can be paused now."""
        return self.controls.pause is not None and self.state is JobState.RUNNING

    @property
    def can_resume(self) -> bool:
        """Whether it can be resumed now."""
        return self.controls.resume is not None and self.state is JobState.PAUSED

    def enter(self, state: JobState) -> None:
        """Pass to another state; time runs while it is running."""
        if self._since is not None:
            self._spent += time.monotonic() - self._since
        self._since = time.monotonic() if state is JobState.RUNNING else None
        now = datetime.now(UTC)
        if state is JobState.RUNNING and self.begun is None:
            self.begun = now
        self.ended = now if state in ENDED else None
        self.state = state

    def say(self, text: str) -> None:
        """Add a line to the log."""
        self.log.append(LogLine(datetime.now(UTC), text))

    def enters_stage(self, stage: str) -> bool:
        """Whether a stage is another one than before."""
        new = stage != self._stage
        self._stage = stage
        return new


class JobRegistry(QObject):
    """The jobs of this session, in the order in which they were asked for."""

    changed = Signal()
    """Something is different; emitted once for what happened within `SETTLE_MS`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = count(1)
        self._jobs: list[ListedJob] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self.changed)

    @property
    def jobs(self) -> tuple[ListedJob, ...]:
        """Every listed job, the newest last."""
        return tuple(self._jobs)

    @property
    def running(self) -> tuple[ListedJob, ...]:
        """Those that run."""
        return tuple(job for job in self._jobs if job.state is JobState.RUNNING)

    def wait(self, kind: str, title: str, controls: Controls) -> ListedJob:
        """List a job that waits for its turn, a paused one again; `follow` or `drop` comes next."""
        entry = self._paused(kind, title)
        if entry is None:
            return self._list(ListedJob(next(self._numbers), kind, title, controls))
        entry.controls = controls
        entry.enter(JobState.WAITING)
        self._touch()
        return entry

    def drop(self, listed: ListedJob, *, pause: bool = False) -> None:
        """A waiting job will not run, or not before it is resumed."""
        if listed.state is JobState.WAITING:
            self._end(listed, JobState.PAUSED if pause else JobState.CANCELLED)

    def follow(
        self,
        job: Followed,
        kind: str,
        title: str,
        controls: Controls,
        *,
        listed: ListedJob | None = None,
        brief: bool = False,
    ) -> ListedJob:
        """List a job that begins now.

        ``listed``: it has waited. A paused job of the same kind and title is taken up again.
        """
        entry = listed or self._paused(kind, title)
        if entry is None:
            entry = self._list(ListedJob(next(self._numbers), kind, title, controls, brief))
        entry.controls = controls
        entry.first_step = 0
        again = entry.begun is not None
        entry.enter(JobState.RUNNING)
        entry.say(tr("Resumed") if again else tr("Begun"))
        self._touch()
        self.join(job, entry)
        return entry

    def join(self, job: Followed, entry: ListedJob) -> None:
        """Listen to a job; again where all its listeners were disconnected."""
        job.progressed.connect(lambda event: self.report(entry, event))
        job.succeeded.connect(lambda report=None: self._succeeded(entry, report))
        job.failed.connect(lambda error: self._failed(entry, error))
        job.cancelled.connect(lambda: self._stopped(entry))

    def report(self, listed: ListedJob, event: object) -> None:
        """An event of a job that runs; other kinds of event are of no concern here."""
        if listed.state is not JobState.RUNNING:
            return
        if isinstance(event, Progress):
            if listed.enters_stage(event.stage) and event.stage:
                listed.say(tr("Stage: {name}", name=stage_name(event.stage)))
            listed.event = event
        elif isinstance(event, TrainEvent):
            listed.event = event
            listed.first_step = listed.first_step or event.step
            if event.validation is not None:
                listed.say(
                    tr(
                        "Step {step:,}: loss {loss:.3f}, on held-out documents {held:.3f}",
                        step=event.step,
                        loss=event.loss,
                        held=event.validation,
                    )
                )
        elif isinstance(event, Committed):
            listed.committed = event.documents
            listed.say(trn("{n:,} document is on disk", "{n:,} documents are on disk", event.documents))
        elif isinstance(event, Note):
            listed.say(event.text)
        elif isinstance(event, QuarantinedEvent):
            listed.say(tr("A document was quarantined: {reason}", reason=event.item.reason))
        else:
            return
        self._touch()

    def forget_ended(self) -> None:
        """Take the jobs off the list that have ended."""
        self._jobs = [job for job in self._jobs if job.state not in ENDED]
        self._touch()

    def _paused(self, kind: str, title: str) -> ListedJob | None:
        alike = (
            job
            for job in reversed(self._jobs)
            if job.state is JobState.PAUSED and (job.kind, job.title) == (kind, title)
        )
        return next(alike, None)

    def _list(self, entry: ListedJob) -> ListedJob:
        self._jobs.append(entry)
        if len(self._jobs) > MOST_KEPT:
            oldest = next((job for job in self._jobs if job.state in ENDED), None)
            if oldest is not None:
                self._jobs.remove(oldest)
        self._touch()
        return entry

    def _succeeded(self, entry: ListedJob, report: object) -> None:
        if isinstance(report, ImportReport):
            entry.say(
                tr(
                    "{taken:,} imported, {merged:,} merged, {unchanged:,} already in the library, "
                    "{skipped:,} skipped, {quarantined:,} quarantined",
                    taken=report.taken,
                    merged=report.merged,
                    unchanged=report.unchanged,
                    skipped=report.skipped,
                    quarantined=len(report.quarantined),
                )
            )
        self._end(entry, JobState.DONE)

    def _failed(self, entry: ListedJob, error: Exception) -> None:
        entry.error = type(error).__name__
        # Other errors may repeat what the user wrote.
        entry.say(str(error) if isinstance(error, ResourceError) else entry.error)
        self._end(entry, JobState.FAILED)

    def _stopped(self, entry: ListedJob) -> None:
        self._end(entry, JobState.PAUSED if entry.controls.pausing() else JobState.CANCELLED)

    def _end(self, entry: ListedJob, state: JobState) -> None:
        if entry.state in ENDED:
            return
        entry.enter(state)
        entry.say(_ENDINGS[state])
        forgotten = entry.brief and state is not JobState.FAILED and entry.seconds < BRIEF_SECONDS
        if forgotten and entry in self._jobs:
            self._jobs.remove(entry)
        self._touch()

    def _touch(self) -> None:
        if not self._timer.isActive():
            self._timer.start()


_ENDINGS = {
    JobState.PAUSED: tr("Paused"),
    JobState.DONE: tr("Done"),
    JobState.FAILED: tr("Failed"),
    JobState.CANCELLED: tr("Cancelled"),
}
