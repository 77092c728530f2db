"""Lanes of background work inside the process; every signal arrives on the GUI thread.

A newer request of the same purpose cancels the older one at once, so a stale result can't arrive.

A worker thread never touches a `Job`: it puts its results into an outbox and signals the runner, which
outlives every thread. (A job that signalled for itself could be deleted while its worker was still inside
the signal.) Nor does a worker ever hold the last reference to a task: a task may hold a presenter, and a Qt
object that dies in a worker thread can crash the program. So a worker keeps no reference to an outcome when
it signals, and the GUI thread drops the task when it has the answer.

Reads use the open library, unless submitted as ``free``. While another library is being opened such tasks
neither start nor report; afterwards they continue, or are dropped with the library they belong to. So an
answer of one library, and the ids in it, never arrives when another one is open.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from itertools import count

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal

from claimlight.errors import BugError, TaskCancelled
from claimlight.tasks import TaskContext
from claimlight.types import Progress
from claimlight_workbench.jobs.registry import Controls, JobRegistry, ListedJob

READ_THREADS = 4
"""One may read descriptions and another judge a matrix for seconds: opening a document waits for neither."""
SWITCH_SECONDS = 0.0005
"""Qt releases the interpreter lock at nearly every call; with Python's default of 5 ms a busy worker makes
the window wait that long to get it again, ten times in a row (measured: stalls of 300 ms became 30 ms)."""


Tell = Callable[[object], None]
"""Hands a part of an answer to the GUI thread; called in the worker."""


class Lane(StrEnum):
    """``READ`` runs in parallel, ``WRITE`` strictly one after the other."""

    READ = "read"
    WRITE = "write"


class _Kind(StrEnum):
    PROGRESS = "progress"
    SUCCESS = "success"
    FAILURE = "failure"
    DROPPED = "dropped"


class _Outbox:
    """Results of a worker that the GUI thread has not collected yet."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._lock = threading.Lock()
        self._mail: deque[tuple[_Kind, object]] = deque()

    def report(self, event: object) -> None:
        """Report progress, or a part of the answer, and signal the runner."""
        if self.put(_Kind.PROGRESS, event):
            self.ring()

    def ring(self) -> None:
        """Notify the GUI thread."""
        self._ring()

    def take(self) -> list[tuple[_Kind, object]]:
        with self._lock:
            mail = list(self._mail)
            self._mail.clear()
        return mail

    def put(self, kind: _Kind, payload: object) -> bool:
        """Add a result; returns whether the outbox was empty, so that the GUI thread must be notified."""
        with self._lock:
            empty = not self._mail
            # A task may report faster than the window paints: only the last figure matters.
            if (
                self._mail
                and isinstance(payload, Progress)
                and isinstance(last := self._mail[-1][1], Progress)
                and last.stage == payload.stage
            ):
                self._mail.pop()
            self._mail.append((kind, payload))
        return empty


class _Errand:
    """A task on its way through a worker."""

    def __init__(self, task: Callable[[TaskContext], object], outbox: _Outbox) -> None:
        self.outbox = outbox
        self._task: Callable[[TaskContext], object] | None = task

    def run(self, context: TaskContext) -> None:
        """In the worker: run the task and put the outcome into the outbox."""
        task = self._task
        if task is None:
            return
        try:
            found: tuple[_Kind, object] = (_Kind.SUCCESS, task(context))
        except TaskCancelled:
            found = (_Kind.DROPPED, None)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the GUI thread is told
            found = (_Kind.FAILURE, error)
        self.outbox.put(*found)
        # Before the ring: the worker must not hold the last reference when the GUI thread drops the task.
        del found, task
        self.outbox.ring()

    def let_go(self) -> None:
        """In the GUI thread: drop the task."""
        self._task = None


class Job(QObject):
    """One running task; lives in the GUI thread.

    Exactly one of ``succeeded``, ``failed`` and ``cancelled`` is emitted, and nothing after it.
    """

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(Exception)
    cancelled = Signal()

    def __init__(
        self, context: TaskContext, *, lane: Lane, purpose: str, bound: bool, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.context = context
        self.lane = lane
        self.purpose = purpose
        self.bound = bound
        """The task reads the open library, so its answer is useless once another one is open."""
        self.listed: ListedJob | None = None
        """Its line in the list of jobs, if it has one."""
        self._live = True

    def cancel(self) -> None:
        """Cancel the job: its outcome is never delivered, and the task stops at its next check."""
        if self._live:
            self._live = False
            self.context.cancel()
            self.cancelled.emit()

    def deliver(self, kind: _Kind, payload: object) -> None:
        """Deliver one result, unless the job was cancelled."""
        if not self._live:
            return
        self._live = kind is _Kind.PROGRESS
        if kind is _Kind.PROGRESS:
            self.progressed.emit(payload)
        elif kind is _Kind.SUCCESS:
            self.succeeded.emit(payload)
        elif kind is _Kind.FAILURE:
            self.failed.emit(payload if isinstance(payload, Exception) else BugError(repr(payload)))
        else:
            # The task unwound by itself though nobody called `cancel`.
            self.cancelled.emit()


class JobRunner(QObject):
    """Runs tasks in lanes and keeps at most one live job for each purpose.

    A task with a title is in the list of the session's jobs, which short reads would only make unreadable.
    """

    busy_changed = Signal(int)
    """Tasks in a thread or waiting for one."""
    _rung = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(SWITCH_SECONDS)
        self._lanes = {
            Lane.READ: ThreadPoolExecutor(READ_THREADS, thread_name_prefix="read"),
            Lane.WRITE: ThreadPoolExecutor(1, thread_name_prefix="write"),
        }
        self._numbers = count(1)
        self._jobs: dict[int, tuple[Job, _Errand]] = {}
        self._latest: dict[str, Job] = {}
        self.jobs = JobRegistry(self)
        """The session's jobs: child processes, and tasks that have a title."""
        self._held = False
        self._waiting: list[int] = []
        """Bound tasks submitted while they are held."""
        self._untold: list[int] = []
        """Bound tasks that reported while they are held."""
        # Emitted in workers; the queue carries it to the GUI thread.
        self._rung.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> int:
        """Number of tasks that have not left their thread."""
        return len(self._jobs)

    def submit(
        self,
        task: Callable[[TaskContext], object],
        *,
        lane: Lane = Lane.READ,
        supersedes: str = "",
        free: bool = False,
        title: str = "",
        cancel: Callable[[], object] | None = None,
    ) -> Job:
        """Start a task; a live one of the same ``supersedes`` is cancelled first.

        ``free``: the task reads nothing of the open library. Writes are always free. ``title``: what it does,
        for the list of jobs, which cancels it by ``cancel``.
        """
        job = self._start(lambda _tell: task, lane=lane, supersedes=supersedes, free=free)
        self._list(job, title, cancel)
        return job

    def stream(
        self,
        make_task: Callable[[Tell], Callable[[TaskContext], object]],
        *,
        supersedes: str = "",
        title: str = "",
        cancel: Callable[[], object] | None = None,
    ) -> Job:
        """Start a read that reports parts of its answer before it ends; see `submit`.

        ``make_task`` is given the function that reports them; `Job.progressed` brings them, in their order
        and before the answer.
        """
        job = self._start(make_task, lane=Lane.READ, supersedes=supersedes, free=False)
        self._list(job, title, cancel)
        return job

    def _start(
        self,
        make_task: Callable[[Tell], Callable[[TaskContext], object]],
        *,
        lane: Lane,
        supersedes: str,
        free: bool,
    ) -> Job:
        number = next(self._numbers)
        outbox = _Outbox(lambda: self._rung.emit(number))
        bound = lane is Lane.READ and not free
        job = Job(TaskContext(outbox.report), lane=lane, purpose=supersedes, bound=bound, parent=self)
        if supersedes:
            self.cut_off(supersedes)
            self._latest[supersedes] = job
        errand = _Errand(make_task(outbox.report), outbox)
        self._jobs[number] = (job, errand)
        self.busy_changed.emit(self.busy)
        if bound and self._held:
            self._waiting.append(number)
        else:
            self._lanes[lane].submit(errand.run, job.context)
        return job

    def _list(self, job: Job, title: str, cancel: Callable[[], object] | None) -> None:
        if title:
            kind = job.purpose or "task"
            job.listed = self.jobs.follow(job, kind, title, Controls(cancel=cancel), brief=True)

    def hold(self) -> None:
        """Another library is being opened: tasks bound to the open one neither start nor report."""
        self._held = True

    def release(self) -> None:
        """The library stays open: held tasks continue."""
        self._held = False
        waiting, self._waiting = self._waiting, []
        for number in waiting:
            job, errand = self._jobs[number]
            self._lanes[job.lane].submit(errand.run, job.context)
        untold, self._untold = self._untold, []
        for number in untold:
            self._deliver(number)

    def drop(self) -> None:
        """The library or the case is being closed: every task bound to it is cancelled."""
        for job, _ in list(self._jobs.values()):
            if job.bound:
                job.cancel()
        waiting, self._waiting = self._waiting, []
        for number in waiting:
            self._release(number)

    def cut_off(self, purpose: str) -> bool:
        """Cancel the live job of a purpose; returns whether there was one."""
        old = self._latest.pop(purpose, None)
        if old is not None:
            old.cancel()
        return old is not None

    def shutdown(self) -> None:
        """Cancel reads, finish writes, and wait until every thread has ended."""
        for job, _ in self._jobs.values():
            if job.lane is Lane.READ:
                job.cancel()
        for lane, executor in self._lanes.items():
            executor.shutdown(wait=True, cancel_futures=lane is Lane.READ)
        # Whoever listened may be gone by now.
        self._rung.disconnect(self._deliver)
        QCoreApplication.removePostedEvents(self)
        for _, errand in self._jobs.values():
            errand.let_go()
        self._jobs.clear()
        self._latest.clear()

    def _deliver(self, number: int) -> None:
        if number not in self._jobs:  # an earlier ring has emptied the outbox already
            return
        job, errand = self._jobs[number]
        if job.bound and self._held:
            self._untold.append(number)
            return
        for kind, payload in errand.outbox.take():
            if kind is not _Kind.PROGRESS:
                self._release(number)
            job.deliver(kind, payload)

    def _release(self, number: int) -> None:
        job, errand = self._jobs.pop(number)
        errand.let_go()
        if self._latest.get(job.purpose) is job:
            del self._latest[job.purpose]
        job.deleteLater()
        self.busy_changed.emit(self.busy)
