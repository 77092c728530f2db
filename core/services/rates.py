"""Rate and time left of long work, over the recent past."""

from __future__ import annotations

from collections import deque
from time import monotonic

from core.tasks import TaskContext
from core.types import Progress

_WINDOW_SECONDS = 60.0
_EVERY_SECONDS = 0.25


class Rate:
    """Counts units done and reports them, a few times a second."""

    def __init__(self, stage: str, total: int, unit: str, context: TaskContext) -> None:
        self._stage, self._total, self._unit, self._context = stage, total, unit, context
        self._done = 0
        self._marks = deque([(monotonic(), 0)])
        self._reported = 0.0

    def advance(self, count: int) -> None:
        """Count ``count`` more; raises `TaskCancelled` when the task was asked to stop."""
        self._done += count
        now = monotonic()
        self._marks.append((now, self._done))
        while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW_SECONDS:
            self._marks.popleft()
        self._context.check()
        if now - self._reported < _EVERY_SECONDS and self._done < self._total:
            return
        self._reported = now
        begin, before = self._marks[0]
        rate = (self._done - before) / max(now - begin, 1e-9)
        left = max(self._total - self._done, 0) / rate if rate > 0 else None
        self._context.report(
            Progress(self._stage, self._done, max(self._total, self._done), self._unit, rate, left)
        )
