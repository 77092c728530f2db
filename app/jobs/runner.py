"""Lanes of background work inside the process; every signal arrives on the GUI thread.

A newer request of the same purpose cuts the older one off at once, so a stale result can't arrive.

A worker thread never touches a `Job`: it puts what it has to tell into an outbox and rings the runner,
which outlives every thread. (A job that rang itself could be deleted while its worker was still inside
the ring.)
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal

from core.errors import BugError, TaskCancelled
from core.tasks import TaskContext
from core.types import Progress

if TYPE_CHECKING:
    from core.types import Event

READ_THREADS = 3
SWITCH_SECONDS = 0.0005
"""Qt gives the interpreter lock back at nearly every call; with Python's own 5 ms a busy worker makes the
window wait that long to get it again, ten times in a row (measured: stalls of 300 ms became 30 ms)."""


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
    """What a worker has to tell, until the GUI thread takes it."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._lock = threading.Lock()
        self._mail: deque[tuple[_Kind, object]] = deque()

    def report(self, event: Event) -> None:
        self._post(_Kind.PROGRESS, event)

    def finish(self, future: Future[object]) -> None:
        error = None if future.cancelled() else future.exception()
        if future.cancelled() or isinstance(error, TaskCancelled):
            self._post(_Kind.DROPPED, None)
        elif error is not None:
            self._post(_Kind.FAILURE, error)
        else:
            self._post(_Kind.SUCCESS, future.result())

    def take(self) -> list[tuple[_Kind, object]]:
        with self._lock:
            mail = list(self._mail)
            self._mail.clear()
        return mail

    def _post(self, kind: _Kind, payload: object) -> None:
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
        if empty:
            self._ring()


class Job(QObject):
    """One running task; lives in the GUI thread.

    Exactly one of ``succeeded``, ``failed`` and ``cancelled`` is emitted, and nothing after it.
    """

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(Exception)
    cancelled = Signal()

    def __init__(self, context: TaskContext, *, lane: Lane, purpose: str, parent: QObject) -> None:
        super().__init__(parent)
        self.context = context
        self.lane = lane
        self.purpose = purpose
        self._live = True

    def cancel(self) -> None:
        """Cut the job off: its outcome is never delivered, and the task unwinds at its next check."""
        if self._live:
            self._live = False
            self.context.cancel()
            self.cancelled.emit()

    def deliver(self, kind: _Kind, payload: object) -> None:
        """Tell one thing, unless the job was cut off."""
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
    """Hands tasks to lanes and keeps at most one live job for each purpose."""

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
        self._jobs: dict[int, tuple[Job, _Outbox]] = {}
        self._latest: dict[str, Job] = {}
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
    ) -> Job:
        """Start a task; a live one of the same ``supersedes`` is cut off first."""
        number = next(self._numbers)
        outbox = _Outbox(lambda: self._rung.emit(number))
        job = Job(TaskContext(outbox.report), lane=lane, purpose=supersedes, parent=self)
        if supersedes:
            self.cut_off(supersedes)
            self._latest[supersedes] = job
        self._jobs[number] = (job, outbox)
        self.busy_changed.emit(self.busy)
        self._lanes[lane].submit(task, job.context).add_done_callback(outbox.finish)
        return job

    def cut_off(self, purpose: str) -> bool:
        """Cancel the live job of a purpose; whether there was one."""
        old = self._latest.pop(purpose, None)
        if old is not None:
            old.cancel()
        return old is not None

    def shutdown(self) -> None:
        """Cancel what reads, finish what writes, and wait until every thread is gone."""
        for job, _ in self._jobs.values():
            if job.lane is Lane.READ:
                job.cancel()
        for lane, executor in self._lanes.items():
            executor.shutdown(wait=True, cancel_futures=lane is Lane.READ)
        # Whoever listened may be gone by now.
        self._rung.disconnect(self._deliver)
        QCoreApplication.removePostedEvents(self)
        self._jobs.clear()
        self._latest.clear()

    def _deliver(self, number: int) -> None:
        if number not in self._jobs:  # an earlier ring has emptied the outbox already
            return
        job, outbox = self._jobs[number]
        for kind, payload in outbox.take():
            if kind is not _Kind.PROGRESS:
                self._release(number)
            job.deliver(kind, payload)

    def _release(self, number: int) -> None:
        job, _ = self._jobs.pop(number)
        if self._latest.get(job.purpose) is job:
            del self._latest[job.purpose]
        job.deleteLater()
        self.busy_changed.emit(self.busy)
