"""Runs a reader on one input and says what it did wrong: the promise that every target is held to.

A reader returns a value or raises an error of the program that is meant for users. Anything else is a
finding: another exception, a defect (`BugError`), a read that takes far longer or far more memory than the
good inputs, a file opened or a connection made elsewhere, the secret of a file outside in the result, and two
reads of the same bytes that differ.
"""

from __future__ import annotations

import re
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimlight.errors import AppError

SECRET = "the-secret-of-another-file"
_MEMORY = 300 << 10
"""KiB by which the most memory ever used may grow in one read."""
_LEAST_SECONDS, _TIMES = 5, 300
"""Processor seconds of a read: this many times those of the good inputs, and at least so many."""
_CONNECTIONS = frozenset({"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"})
_PROGRAMS = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn"})
_HERE = Path(__file__).resolve().parents[2]
_READABLE = tuple(
    str(place) for place in (_HERE, Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve())
)
_DEVICES = (
    "/dev/null",
    "/dev/urandom",
    "/proc/",
    "/sys/",
    "/usr/lib/",
    "/usr/share/",
    "/etc/localtime",
    "/etc/ssl/",
)


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class TooSlow(BaseException):
    """The read was ended; not an `Exception`, so that no reader takes it for damage."""


@dataclass
class _Watch:
    """What the hook of the interpreter has seen since the last read; it can't be removed, only rest."""

    on: bool = False
    folder: str = ""
    faults: list[str] = field(default_factory=list)
    hooked: bool = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in _CONNECTIONS or event in _PROGRAMS:
            self.faults.append(f"{event} {arguments!r:.200}")
        elif event == "open" and isinstance(arguments[0], str | bytes):
            path = arguments[0] if isinstance(arguments[0], str) else arguments[0].decode(errors="replace")
            writes = isinstance(arguments[2], int) and arguments[2] & 0b11
            if not self._may(path, writes=bool(writes)):
                self.faults.append(f"opened {path!r} {'for writing' if writes else ''}".strip())

    def _may(self, path: str, *, writes: bool) -> bool:
        if not path.startswith("/"):
            return not writes
        # An import at the first use may write the compiled module.
        if path.startswith((self.folder, f"{tempfile.gettempdir()}/tmp")) or "__pycache__" in path:
            return True
        return not writes and path.startswith((*_READABLE, *_DEVICES))


_WATCH = _Watch()


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise."""

    kind: str
    """The kind of fault and where, the same for the same cause."""
    text: str
    data: bytes


class Runner:
    """Runs one reader on input after input."""

    def __init__(self, read: Callable[[bytes], object], folder: Path, seeds: list[bytes]) -> None:
        self._read = read
        self._folder = folder.resolve()
        self.outcomes: dict[str, int] = {}
        """How many inputs were read, and how many refused."""
        self._counting = True
        if not _WATCH.hooked:
            sys.addaudithook(_WATCH)
            _WATCH.hooked = True
        self._most = 0.0
        self._first = seeds[0]
        slowest = 0.0
        # Twice: the first read of a process compiles, imports and fills caches.
        for _ in range(2):
            slowest = max(slowest, *(self._timed(data) for data in seeds))
        self._most = max(_LEAST_SECONDS, _TIMES * slowest)

    def _timed(self, data: bytes) -> float:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        # The first one must be read: a target that refuses everything would find nothing.
        with nullcontext() if data is self._first else suppress(AppError):
            self._read(data)
        return resource.getrusage(resource.RUSAGE_SELF).ru_utime - before

    def check(self, data: bytes, *, twice: bool) -> Finding | None:
        """Read ``data``, and again if ``twice``; None if every promise was kept."""
        first, found = self._once(data)
        self._counting = False
        if found is None and twice:
            second, found = self._once(data)
            if found is None and first != second:
                self._counting = True
                return Finding("differs", f"{first:.300}\n{second:.300}", data)
        self._counting = True
        return found

    def _once(self, data: bytes) -> tuple[str, Finding | None]:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        _WATCH.faults.clear()
        try:
            with self._limited():
                _WATCH.folder, _WATCH.on = str(self._folder), True
                try:
                    said = _ADDRESS.sub("", repr(self._read(data)))
                finally:
                    _WATCH.on = False
            self._count("read")
        except AppError as error:
            said = _ADDRESS.sub("", f"{type(error).__name__}: {error}")
            self._count("refused")
        except TooSlow as error:
            text = f"more than {self._most:.0f} s\n{traceback.format_exc(limit=-8)}"
            return "", Finding(f"too slow {_name(error).partition(':')[0]}", text, data)
        except (KeyboardInterrupt, SystemExit):
            raise
        # BaseException: a panic of a library in Rust is none of `Exception`.
        except BaseException as error:  # noqa: BLE001
            return "", Finding(_name(error), traceback.format_exc(limit=-6), data)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        if _WATCH.faults:
            return said, Finding(f"reached out: {_WATCH.faults[0][:80]}", "\n".join(_WATCH.faults), data)
        if SECRET in said:
            return said, Finding("read another file", said[:300], data)
        if grown > _MEMORY:
            return said, Finding("memory", f"{grown >> 10} MB more", data)
        return said, None

    def _count(self, outcome: str) -> None:
        if self._counting:
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    @contextmanager
    def _limited(self) -> Iterator[None]:
        def end(*_: object) -> None:
            raise TooSlow

        before = signal.signal(signal.SIGVTALRM, end)
        # Processor time: what else the computer does doesn't count.
        signal.setitimer(signal.ITIMER_VIRTUAL, self._most)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)


def _name(error: BaseException) -> str:
    """Class and innermost place in the program: two findings of the same name have the same cause."""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if "/claimlight" in frame.filename and "/tests/" not in frame.filename:
            place = f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
    return f"{type(error).__name__} {place}".strip()
