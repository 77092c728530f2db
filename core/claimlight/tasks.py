"""Progress out, cancellation in: the one object every slow call of the engine is handed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from claimlight.errors import TaskCancelled

if TYPE_CHECKING:
    from claimlight.types import Event


def _ignore(_event: Event) -> None:
    """Report to nobody."""


class TaskContext:
    """Carries events out of a task and the wish to stop into it; knows nothing of any front."""

    def __init__(self, report: Callable[[Event], None] = _ignore) -> None:
        self._report = report
        self._cancelled = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked the task to stop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask the task to stop at its next check; safe from any thread."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise `TaskCancelled` when the task was asked to stop."""
        if self._cancelled.is_set():
            raise TaskCancelled

    def report(self, event: Event) -> None:
        """Hand one event to the front, or unwind when the task was asked to stop."""
        self.check()
        self._report(event)

    def wait(self, seconds: float) -> None:
        """Do nothing for a while, or unwind as soon as the task is asked to stop."""
        if self._cancelled.wait(seconds):
            raise TaskCancelled
