"""Who has a case book open: all who write share one lock, who puts a backup in its place has it alone.

Each sharer also leaves its name, so that who is refused can be told who is in the way.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from core.errors import ResourceError
from core.locks import FileLock, this_process


class BookLock:
    """The lock of one opening of a case book."""

    def __init__(self, path: Path) -> None:
        self._book = path
        self._lock = FileLock(path.with_name(f"{path.name}.lock"))
        self._names = path.parent / "locks"
        self._name = FileLock(self._names / f"open-{os.getpid()}-{secrets.token_hex(4)}.lock")

    def share(self) -> None:
        """Keep backups from taking the place of the book; `ResourceError` where one is doing so.

        In a folder that can't be written nothing is held: no backup can be put there either.
        """
        with suppress(OSError):
            if not self._lock.take(shared=True):
                raise ResourceError(
                    f"A backup is taking the place of {self._book} just now. Try again in a moment."
                )
            self._sharers()
            self._name.take(note=this_process())

    def take(self) -> None:
        """Keep everybody from the book; `ResourceError` names who has it open."""
        try:
            if self._lock.take():
                return
        except OSError as error:
            raise ResourceError(f"{self._book} can't be replaced: {error.strerror}.") from error
        who = ", ".join(self._sharers()) or "another process"
        raise ResourceError(
            f"The case book {self._book} is open in {who}. Close every Claimlight window and command "
            "that uses it and try again; nothing was changed."
        )

    def release(self) -> None:
        """Give it back; nothing happens where nothing is held."""
        if self._name.held:
            self._name.release()
            with suppress(OSError):
                self._name.path.unlink()
        self._lock.release()

    def _sharers(self) -> list[str]:
        """Who has left a name and still lives; names of killed processes are taken away."""
        found = []
        for path in sorted(self._names.glob("open-*.lock")):
            name = FileLock(path)
            with suppress(OSError):
                if name.take():
                    name.release()
                    path.unlink()
                else:
                    found.append(name.read_note())
        return sorted(filter(None, found))
