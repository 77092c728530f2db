"""Times of the stages of a search."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from claimlight.types import StageTime


class Clock:
    """Seconds by stage, in the order the stages ended.

    Of work that runs beside other stages only what the search waits for it: the seconds sum to the whole.
    """

    def __init__(self) -> None:
        self.times: list[StageTime] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a block."""
        started = time.perf_counter()
        yield
        self.times.append(StageTime(name, time.perf_counter() - started))
