"""One window for each user and data folder: a second start hands what it opens to the first.

The first start holds a lock and listens on a local socket (a named pipe on Windows) that no network reaches.
Nothing but paths, a publication number and the desktop's token to come to the front goes through it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from claimlight import paths
from claimlight.digests import sha256
from claimlight.errors import InputError
from claimlight.files import parse_json
from claimlight.locks import FileLock, this_process
from claimlight.services.sharing.addresses import is_address, read_place
from claimlight_workbench import opening

ANSWER_SECONDS = 2.0
"""A window that does not answer so long hangs; the second start opens one of its own."""
STARTING_SECONDS = 10.0
"""So long a second start waits for a first one that has begun, but listens not yet."""
_AGAIN_SECONDS = 0.05
TAKE_OVER_MS = 30_000
"""A window beside the first looks this often whether it is the only one now."""
LONGEST = 1 << 16
"""Bytes of a request at most; a path has some hundred."""
_GREETING = b"claimlight 1\n"
_TAKEN = b"taken\n"
PLATFORM = "QT_QPA_PLATFORM"
"""Names the platform that Qt is to use."""
_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")
_OTHERS = 0o077
_LONGEST_NAME = 100
"""Bytes of a socket's path at most: 104 on macOS and 108 on Linux, with the zero at the end."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a second start wants of the window that is there; without anything, that it comes to the front."""

    library: str = ""
    """Absolute path of a library's folder, or the address of a shared library."""
    like: str = ""
    """Publication in it whose claims are examined."""
    token: str = ""
    """By it a desktop knows that the user wants the window in front."""


class _Answer(Enum):
    TAKEN = "taken"
    NOBODY = "nobody listens"
    NONE = "no answer"


class Door:
    """Where starts with one data folder meet: `pass_on` for the second, `Reception` for the first."""

    def __init__(self, data: Path, request: Request | None) -> None:
        """``request``: None where the start wants a window of its own."""
        self._request = request
        # Two spellings of one folder are one place.
        key = sha256(str(data.resolve()))[:16]
        folder = _meeting_folder()
        self._lock = FileLock(folder / f"{key}.lock") if folder is not None else None
        self.name = f"claimlight-{sha256(str(Path.home()))[:8]}-{key}"
        """Name of the pipe on Windows; elsewhere the path of the socket."""
        if folder is not None and sys.platform != "win32":
            self.name = str(folder / f"{key}.socket")
            if len(os.fsencode(self.name)) > _LONGEST_NAME:
                self._lock = None

    def take(self) -> bool:
        """Become the first, whom the next starts find; False if there is another, or no place to meet."""
        if self._lock is None or self._lock.held:
            return self._lock is not None
        try:
            taken = self._lock.take(note=this_process())
        except OSError:
            self._lock = None
            return False
        if taken:
            # Whoever holds the lock is the only one: a socket that is there is of a window that was killed.
            QLocalServer.removeServer(self.name)
        return taken

    def leave(self) -> None:
        """Let the next start be the first."""
        if self._lock is not None:
            self._lock.release()

    def pass_on(self) -> bool:
        """Hand the request to the window that is there; False if this start is to open one.

        Waits `ANSWER_SECONDS` for an answer, and `STARTING_SECONDS` for a window that is only being opened.
        """
        until = time.monotonic() + STARTING_SECONDS
        while not self.take():
            if self._lock is None or self._request is None:
                return False
            answer = _ask(self.name, self._request)
            if answer is not _Answer.NOBODY or time.monotonic() > until:
                return answer is _Answer.TAKEN
            time.sleep(_AGAIN_SECONDS)
        return False


class Reception(QObject):
    """Listens for later starts, in the thread of the window, as long as the event loop runs."""

    requested = Signal(object)
    """A `Request`."""

    def __init__(self, door: Door, parent: QObject) -> None:
        super().__init__(parent)
        self._door = door
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._greet)
        self._timer = QTimer(self)
        self._timer.setInterval(TAKE_OVER_MS)
        self._timer.timeout.connect(self.open)

    @property
    def listening(self) -> bool:
        """Whether later starts come here."""
        return self._server.isListening()

    def open(self) -> None:
        """Listen; while another window does, look again from time to time."""
        if self._door.take() and self._server.listen(self._door.name):
            self._timer.stop()
        else:
            self._timer.start()

    def close(self) -> None:
        """Listen no more, and let the next start be the first."""
        self._timer.stop()
        self._server.close()
        self._door.leave()

    def _greet(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(socket.deleteLater)
            # Only then does the other speak: a window that hung finds no old requests afterwards.
            socket.write(_GREETING)

    def _read(self) -> None:
        socket = cast("QLocalSocket", self.sender())
        if not socket.canReadLine():
            if socket.bytesAvailable() > LONGEST:
                socket.abort()
            return
        request = _decode(bytes(socket.readLine(LONGEST).data()))
        if request is None:
            socket.abort()
            return
        socket.write(_TAKEN)
        socket.flush()
        socket.disconnectFromServer()
        self.requested.emit(request)


def find_door(arguments: Sequence[str]) -> Door | None:
    """Where a start with these arguments meets others; None for a picture of the window, or no screen.

    What is not understood here, as ``--help`` or a path that is no library, `bootstrap` answers.
    """
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("path", nargs="?")
    parser.add_argument("--library")
    parser.add_argument("--like", default="")
    parser.add_argument("--screenshot")
    if not has_display() or paths.not_text(arguments):
        return None
    try:
        found, others = parser.parse_known_args(arguments)
        named = read_place(found.library) if found.library is not None else None
        if found.path is not None and is_address(found.path):
            named, place = read_place(found.path), opening.Place()
        else:
            place = opening.find_place(Path(found.path)) if found.path is not None else opening.Place()
    except (argparse.ArgumentError, InputError, SystemExit):
        return None
    if found.screenshot is not None or (found.path is not None and found.library is not None):
        return None
    library = place.library or named
    if isinstance(library, Path):
        library = library.absolute()
    request = Request(str(library) if library is not None else "", found.like, _find_token())
    # Any other option is about how a window is: that takes a window of its own.
    wants_own = bool(others) or (bool(found.like) and library is None)
    return Door(place.data or paths.data_dir(), None if wants_own else request)


def has_display() -> bool:
    """Whether Qt has a screen, or a platform that needs none; without either, Qt would abort the program."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in (PLATFORM, "DISPLAY", "WAYLAND_DISPLAY"))


def _find_token() -> str:
    return next((value for name in _TOKENS if (value := os.environ.get(name, ""))), "")


def _meeting_folder() -> Path | None:
    """A folder of this user alone, on this computer; None if there can be none.

    Not the data folder: that may be on a network drive, which has no sockets and other computers.
    """
    if sys.platform == "win32":
        return Path(tempfile.gettempdir()) / "claimlight"
    base = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if not base.is_absolute() or not os.access(base, os.W_OK):
        base = Path(tempfile.gettempdir())
    folder = base / f"claimlight-{os.getuid()}"
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        state = folder.lstat()
    except OSError:
        return None
    # In a folder where everybody may write, another user could have made it first.
    own = stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & _OTHERS
    return folder if own else None


def _ask(name: str, request: Request) -> _Answer:
    until = time.monotonic() + ANSWER_SECONDS
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_left(until)):
        # Refused or not there; a full queue means that the window takes nobody in.
        error = socket.error()
        nobody = (
            QLocalSocket.LocalSocketError.ServerNotFoundError,
            QLocalSocket.LocalSocketError.ConnectionRefusedError,
        )
        return _Answer.NOBODY if error in nobody else _Answer.NONE
    if (line := _read_line(socket, until)) != _GREETING:
        # One that ends meanwhile closes the connection.
        return _Answer.NOBODY if line is None else _Answer.NONE
    _allow_front()
    socket.write(json.dumps(asdict(request)).encode() + b"\n")
    socket.flush()
    return _Answer.TAKEN if _read_line(socket, until) == _TAKEN else _Answer.NONE


def _read_line(socket: QLocalSocket, until: float) -> bytes | None:
    """A line; empty if there is none in time, None if the other side is gone."""
    while not socket.canReadLine():
        if not socket.waitForReadyRead(_left(until)) and not socket.canReadLine():
            gone = socket.state() is not QLocalSocket.LocalSocketState.ConnectedState
            return None if gone else b""
    return bytes(socket.readLine().data())


def _left(until: float) -> int:
    """Milliseconds; at least one, since Qt waits for ever with a negative number."""
    return max(1, round((until - time.monotonic()) * 1000))


def _decode(line: bytes) -> Request | None:
    try:
        raw = parse_json(line)
        request = Request(**raw)
    except (ValueError, TypeError):
        return None
    return request if all(isinstance(value, str) for value in asdict(request).values()) else None


def _allow_front() -> None:
    """On Windows only the program that the user has just started may bring a window to the front."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.AllowSetForegroundWindow(-1)
