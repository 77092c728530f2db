"""The part of the fake engine that is about the program itself: the real manual, read once."""

from __future__ import annotations

from functools import cache

from claimlight.services.manual import ManualPage, read_manual
from claimlight.tasks import TaskContext

pages = cache(read_manual)


class FakeHelp:
    """Says what the program is."""

    def manual(self, context: TaskContext) -> tuple[ManualPage, ...]:
        return pages()
