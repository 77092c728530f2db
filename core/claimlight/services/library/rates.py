"""Rate and time left of long work, from the last minute."""

from __future__ import annotations

from collections import deque
from time import monotonic

from claimlight.tasks import TaskContext
from claimlight.types import Progress

_WINDOW_SECONDS = 60.0
_EVERY_SECONDS = 0.25


class Rate:
    """Counts the units done and reports progress at most four times a second."""

    def __init__(self, stage: str, total: int, unit: str, context: TaskContext, *, begun: int = 0) -> None:
        """``begun`` of the ``total`` units were done by earlier runs; they are no part of the rate."""
        self._stage, self._total, self._unit, self._context = stage, total, unit, context
        self._done = begun
        self._marks = deque([(monotonic(), begun)])

    def leave_out(self, count: int) -> None:
        """Leave ``count`` units out of the rate that are done without work of this run."""
        self._marks = deque((moment, done + count) for moment, done in self._marks)

    def advance(self, count: int) -> None:
        """Count ``count`` more units; `TaskCancelled` if the task was asked to stop."""
        self.reached(self._done + count)

    def reached(self, done: int, message: str = "") -> None:
        """As `advance`, with the total done so far; ``message`` says what is being processed."""
        self._done = done
        self._context.check()
        now = monotonic()
        if now - self._marks[-1][0] < _EVERY_SECONDS and done < self._total:
            return
        self._marks.append((now, done))
        # Two marks always stay: a rate needs a beginning, however long ago it is.
        while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW_SECONDS:
            self._marks.popleft()
        begin, before = self._marks[0]
        rate = (done - before) / max(now - begin, 1e-9)
        left = max(self._total - done, 0) / rate if rate > 0 else None
        total = max(self._total, done)
        self._context.report(Progress(self._stage, done, total, self._unit, rate, left, message))
