"""Who works on a case: one window at a time writes to it, others read.

The lock ends with the process that holds it, however that ends.
"""

from __future__ import annotations

from pathlib import Path

from core.errors import ResourceError
from core.locks import FileLock, this_process
from core.types import CaseId


class CaseHeldError(ResourceError):
    """The case is open in another window: it can be read here, not changed."""


class Holding:
    """The cases that one opening of the case book holds."""

    def __init__(self, book: Path) -> None:
        self._folder = book.parent / "locks"
        self._locks: dict[CaseId, FileLock] = {}

    def take(self, case: CaseId) -> bool:
        """Hold a case; False where another window holds it."""
        if case in self._locks:
            return True
        lock = self._lock(case)
        try:
            taken = lock.take(note=this_process())
        except OSError as error:
            raise ResourceError(f"{lock.path} can't be written: {error.strerror}.") from error
        if taken:
            self._locks[case] = lock
        return taken

    def holds(self, case: CaseId) -> bool:
        """Whether it is this book that holds the case."""
        return case in self._locks

    def holder(self, case: CaseId) -> str:
        """Who else holds the case, in words; empty where nobody does."""
        if case in self._locks:
            return ""
        if self.take(case):
            self.release(case)
            return ""
        return self._lock(case).read_note() or "another process"

    def demand(self, case: CaseId) -> None:
        """`CaseHeldError` where another window holds the case."""
        if who := self.holder(case):
            raise CaseHeldError(
                f"Case {case} is open in another window ({who}), so it can be read here, but not changed. "
                "Close it there first."
            )

    def release(self, case: CaseId) -> None:
        """Give a case back; nothing happens where it is not held."""
        lock = self._locks.pop(case, None)
        if lock is not None:
            lock.release()

    def close(self) -> None:
        """Give all cases back."""
        for case in list(self._locks):
            self.release(case)

    def _lock(self, case: CaseId) -> FileLock:
        return FileLock(self._folder / f"case-{case}.lock")
