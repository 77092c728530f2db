"""Lanes of background work inside the process; every signal arrives on the GUI thread.

A newer request of the same purpose cuts the older one off at once, so a stale result can't arrive.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from core.errors import BugError, TaskCancelled
from core.tasks import TaskContext
from core.types import Progress

if TYPE_CHECKING:
    from core.types import Event

READ_THREADS = 3


class Lane(StrEnum):
    """``READ`` runs in parallel, ``WRITE`` strictly one after the other."""

    READ = "read"
    WRITE = "write"


class _Kind(StrEnum):
    PROGRESS = "progress"
    SUCCESS = "success"
    FAILURE = "failure"
    DROPPED = "dropped"


class Job(QObject):
    """One running task; lives in the GUI thread.

    Exactly one of ``succeeded``, ``failed`` and ``cancelled`` is emitted, and nothing after it.
    """

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(Exception)
    cancelled = Signal()
    ended = Signal()
    """After the task has left its thread, whatever became of it."""
    _woken = Signal()

    def __init__(self, parent: QObject, lane: Lane) -> None:
        super().__init__(parent)
        self.lane = lane
        self._live = True
        self._lock = threading.Lock()
        self._mail: deque[tuple[_Kind, object]] = deque()
        self.context = TaskContext(self._report)
        self._woken.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def cancel(self) -> None:
        """Cut the job off: its outcome is never delivered, and the task unwinds at its next check."""
        if self._live:
            self._live = False
            self.context.cancel()
            self.cancelled.emit()

    def finish(self, future: Future[object]) -> None:
        """Called by the executor, on the worker's thread."""
        error = None if future.cancelled() else future.exception()
        if future.cancelled() or isinstance(error, TaskCancelled):
            self._post(_Kind.DROPPED, None)
        elif error is not None:
            self._post(_Kind.FAILURE, error)
        else:
            self._post(_Kind.SUCCESS, future.result())

    def _report(self, event: Event) -> None:
        self._post(_Kind.PROGRESS, event)

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
            self._woken.emit()

    def _deliver(self) -> None:
        with self._lock:
            mail = list(self._mail)
            self._mail.clear()
        for kind, payload in mail:
            if kind is _Kind.PROGRESS:
                if self._live:
                    self.progressed.emit(payload)
                continue
            self._outcome(kind, payload)
            self.ended.emit()
            self.deleteLater()

    def _outcome(self, kind: _Kind, payload: object) -> None:
        if not self._live:
            return
        self._live = False
        if kind is _Kind.SUCCESS:
            self.succeeded.emit(payload)
        elif kind is _Kind.FAILURE:
            error = payload if isinstance(payload, Exception) else BugError(repr(payload))
            self.failed.emit(error)
        else:
            # The task unwound by itself though nobody called `cancel`.
            self.cancelled.emit()


class JobRunner(QObject):
    """Hands tasks to lanes and keeps at most one live job for each purpose."""

    busy_changed = Signal(int)
    """Tasks in a thread or waiting for one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lanes = {
            Lane.READ: ThreadPoolExecutor(READ_THREADS, thread_name_prefix="read"),
            Lane.WRITE: ThreadPoolExecutor(1, thread_name_prefix="write"),
        }
        self._latest: dict[str, Job] = {}
        self._jobs: set[Job] = set()

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
        job = Job(self, lane)
        if supersedes:
            self.cut_off(supersedes)
            self._latest[supersedes] = job
        self._jobs.add(job)
        job.ended.connect(lambda: self._released(job, supersedes))
        self.busy_changed.emit(self.busy)
        self._lanes[lane].submit(task, job.context).add_done_callback(job.finish)
        return job

    def cut_off(self, purpose: str) -> bool:
        """Cancel the live job of a purpose; whether there was one."""
        old = self._latest.pop(purpose, None)
        if old is not None:
            old.cancel()
        return old is not None

    def shutdown(self) -> None:
        """Cancel what reads, finish what writes, and wait until every thread is gone."""
        for job in self._jobs:
            if job.lane is Lane.READ:
                job.cancel()
        for lane, executor in self._lanes.items():
            executor.shutdown(wait=True, cancel_futures=lane is Lane.READ)

    def _released(self, job: Job, purpose: str) -> None:
        self._jobs.discard(job)
        if purpose and self._latest.get(purpose) is job:
            del self._latest[purpose]
        self.busy_changed.emit(self.busy)
