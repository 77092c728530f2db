"""One writer at a time: a lock file that the system releases however the process ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Self

from core.errors import ResourceError
from core.files import open_inside, private_folder


class FileLock:
    """A lock file; whoever comes second is told ``message`` at once."""

    def __init__(self, path: Path, message: str) -> None:
        self._path = path
        self._message = message
        self._stream: IO[bytes] | None = None

    def __enter__(self) -> Self:
        stream = open_inside(self._path, "a+b")
        try:
            _lock(stream)
        except OSError as error:
            stream.close()
            raise ResourceError(self._message) from error
        self._stream = stream
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None


class WriterLock(FileLock):
    """Held while an index is written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            folder / "lock",
            f"{folder} is being indexed by another window or command. Wait until it is done, or cancel it "
            "there.",
        )
        self._folder = folder

    def __enter__(self) -> Self:
        """Make the folder where it is not there, and hold it."""
        try:
            private_folder(self._folder)
            return super().__enter__()
        except OSError as error:
            raise ResourceError(f"No index can be written to {self._folder}: {error.strerror}.") from error


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(stream: IO[bytes]) -> None:
        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
