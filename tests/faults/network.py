"""A network between a client and a server on this machine, which can fail as networks do.

`Network` listens on a port of the loopback and passes what comes on to the server. Its faults hold for
connections that are there and for new ones, until `mend`.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread

_CHUNK = 1 << 16
_LOOK = 0.05
"""Seconds between two looks at whether the network was closed."""
_BYTE = 0.25
"""Seconds between two bytes that trickle."""


class Network:
    """Faults by name: see `FAULTS`."""

    def __init__(self, port: int) -> None:
        """``port``: that of the server."""
        self._server = port
        self._lock = Lock()
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._passing = Event()
        self._passing.set()
        self._delay = 0.0
        self._trickles = False
        self._left = -1
        self._closed = False
        self.passed = 0
        """Bytes of answers that were passed on."""
        self.broke = Event()
        """Set when an answer was cut in its middle."""
        self._listener: socket.socket | None = None
        self.port = 0
        self._listen()

    # Faults

    def gone(self) -> None:
        """Every connection ends, and new ones are refused."""
        self._stop_listening()
        self.cut()

    def silent(self) -> None:
        """Connections stay and new ones are accepted, but nothing is passed on: half-open."""
        self._passing.clear()

    def slow(self, seconds: float = 0.03) -> None:
        """Everything arrives later; each chunk waits."""
        self._delay = seconds

    def trickling(self) -> None:
        """Answers come byte by byte: a time-out that counts from the last byte never ends."""
        self._trickles = True

    def breaking(self, after: int = 1) -> None:
        """Once ``after`` bytes of answers have been passed on, the connection ends in the middle of one."""
        self.broke.clear()
        with self._lock:
            self._left = after

    def cut(self) -> None:
        """Every connection ends; new ones work."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            _end(*pair)

    def mend(self) -> None:
        """End every fault; what was held back arrives."""
        self._delay, self._trickles = 0.0, False
        with self._lock:
            self._left = -1
        self._passing.set()
        if self._listener is None:
            self._listen()

    @contextmanager
    def failing(self, fault: str) -> Iterator[None]:
        """One of `FAULTS` for a while."""
        FAULTS[fault](self)
        try:
            yield
        finally:
            self.mend()

    def close(self) -> None:
        """End everything."""
        self._closed = True
        self._passing.set()
        self._stop_listening()
        self.cut()

    # Passing on

    def _listen(self) -> None:
        found = socket.socket()
        # The same port again, whatever connections of before are still ending.
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(("127.0.0.1", self.port))
        found.listen(64)
        found.settimeout(_LOOK)
        self.port = found.getsockname()[1]
        self._listener = found
        Thread(target=self._accept, args=(found,), daemon=True).start()

    def _stop_listening(self) -> None:
        found, self._listener = self._listener, None
        if found is not None:
            # The thread that accepts would hold the port until its next look.
            with suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)
            found.close()

    def _accept(self, listener: socket.socket) -> None:
        while listener is self._listener:
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._server), 5)
            except OSError:
                client.close()
                continue
            client.settimeout(None)
            server.settimeout(None)
            with self._lock:
                self._pairs.add((client, server))
            for source, target in ((client, server), (server, client)):
                Thread(target=self._pass_on, args=(source, target, client, server), daemon=True).start()

    def _pass_on(
        self, source: socket.socket, target: socket.socket, client: socket.socket, server: socket.socket
    ) -> None:
        answers = source is server
        with suppress(OSError):
            while chunk := source.recv(_CHUNK):
                if self._delay:
                    time.sleep(self._delay)
                while not self._passing.wait(_LOOK):
                    if self._closed:
                        return
                if not answers:
                    target.sendall(chunk)
                    continue
                self._answer(chunk, target)
                if self.broke.is_set() and self._left == 0:
                    break
        with self._lock:
            self._pairs.discard((client, server))
        _end(client, server)

    def _answer(self, chunk: bytes, target: socket.socket) -> None:
        with self._lock:
            if self._left >= 0:
                chunk, more = chunk[: self._left], len(chunk) > self._left
                self._left -= len(chunk)
                if more or not self._left:
                    self._left = 0
                    self.broke.set()
        while self._trickles and chunk:
            target.sendall(chunk[:1])
            self.passed += 1
            chunk = chunk[1:]
            time.sleep(_BYTE)
        target.sendall(chunk)
        self.passed += len(chunk)


def _end(*pair: socket.socket) -> None:
    for each in pair:
        with suppress(OSError):
            # At once, as a network that is gone does; with data on its way, the other end sees a reset.
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            each.shutdown(socket.SHUT_RDWR)
        each.close()


FAULTS = {
    "gone": Network.gone,
    "silent": Network.silent,
    "slow": Network.slow,
    "trickling": Network.trickling,
    "breaking": Network.breaking,
    "cut": Network.cut,
}
