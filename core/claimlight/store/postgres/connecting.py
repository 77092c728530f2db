"""Connections to a PostgreSQL server that never wait for a silent one, and stop when a task is cancelled.

A server that is stopped, or behind a network that drops packets, is not noticed by the socket: the kernel at
the other end may still acknowledge what is sent. So while an answer is awaited, the server is asked over
another connection whether it is there; if it is silent for `SECONDS`, the first connection is given up.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from time import monotonic
from typing import Any

import psycopg
from psycopg import conninfo, waiting

from claimlight.errors import InputError, TaskCancelled
from claimlight.tasks import TaskContext

SECONDS = 5
"""How long a server may be silent."""
STATEMENT_SECONDS = 60
"""How long one statement may take."""
_TICK = 0.02
"""Seconds between two looks at the task while an answer is awaited."""
_PATIENCE = 1.0
"""Seconds of waiting before the server is asked whether it is there."""
_DEFAULT_PORT = "5432"
_OWN = ("password", "passfile", "sslpassword")
_OPTIONS = f"-c statement_timeout={1000 * STATEMENT_SECONDS} -c jit=off"
"""Compiling queries gains nothing for ours, which read little, and costs up to a second each."""


class SilentServerError(psycopg.OperationalError):
    """The server, or the one that knows its address, gave no sign for `SECONDS`."""


class UnknownHostError(psycopg.OperationalError):
    """There is no host of this name."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to connect: the parameters of libpq, without a password."""

    parameters: dict[str, str]
    name: str
    """The server and its database, as messages name them: never with a password."""

    @classmethod
    def of(cls, url: str) -> Target:
        """Read a URL; `InputError` if it can't be read or contains a password."""
        if not url.startswith(("postgresql://", "postgres://")):
            raise InputError("The address of a database begins with postgresql://.")
        try:
            given = {key: str(value) for key, value in conninfo.conninfo_to_dict(url).items()}
        except psycopg.Error:
            # The text of the error may quote the URL.
            raise InputError(
                "The address of the database can't be read. Write postgresql://user@host:5432/database, "
                "with parameters such as ?sslmode=verify-full."
            ) from None
        if any(given.get(key) for key in _OWN):
            raise InputError(
                "The address of a database must not contain a password: it would be kept and shown. Set "
                "CLAIMLIGHT_DATABASE_PASSWORD, or keep the password in the keyring."
            )
        if not given.get("host") or not given.get("dbname"):
            raise InputError(
                "The address of a database names a host and a database: postgresql://user@host:5432/database."
            )
        given.setdefault("port", _DEFAULT_PORT)
        # Said to be empty, or libpq would go where the environment (PGHOSTADDR) says.
        given.setdefault("hostaddr", "")
        given["options"] = f"{_OPTIONS} {given.get('options', '')}".strip()
        fixed = {
            "application_name": "claimlight",
            "client_encoding": "UTF8",
            "connect_timeout": str(SECONDS),
            "keepalives": "1",
            "keepalives_idle": "2",
            "keepalives_interval": "1",
            "keepalives_count": "3",
            "tcp_user_timeout": str(1000 * SECONDS),
        }
        name = f"postgresql://{given['host']}:{given['port']}/{given['dbname']}"
        return cls({**given, **fixed}, name)

    def connect(self, password: str | None) -> WatchedConnection:
        """A new connection."""
        secret = {} if password is None else {"password": password}
        found = conninfo.make_conninfo(**{**self.parameters, **self._resolve(), **secret})
        made = WatchedConnection.connect(found)
        made.asks = lambda: _answers(found)
        return made

    def _resolve(self) -> dict[str, str]:
        """The addresses of the hosts, as parameters.

        libpq would look them up too, but for as long as that takes, and all threads would wait for it.
        """
        hosts = self.parameters["host"].split(",")
        if self.parameters["hostaddr"] or any(host.startswith(("/", "@")) for host in hosts):
            return {}
        ports = self.parameters["port"].split(",")
        ports = ports * len(hosts) if len(ports) == 1 else ports
        found: list[tuple[str, str, str]] = []
        failed: list[OSError] = []

        def look_up() -> None:
            for host, port in zip(hosts, ports, strict=False):
                try:
                    known = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
                except OSError as error:
                    failed.append(error)
                else:
                    found.extend(
                        (host, port, each) for each in dict.fromkeys(str(item[4][0]) for item in known)
                    )

        asked = threading.Thread(target=look_up, daemon=True)
        asked.start()
        asked.join(SECONDS)
        if asked.is_alive():
            raise SilentServerError(f"no address of the host within {SECONDS} seconds")
        if not found:
            raise UnknownHostError("there is no host of this name") from next(iter(failed), None)
        # Those of one host are tried one after the other, within the same time.
        seconds = max(2, SECONDS // max(1, len(found) // len(hosts)))
        host, port, address = (",".join(column) for column in zip(*found, strict=True))
        return {"host": host, "port": port, "hostaddr": address, "connect_timeout": str(seconds)}


def _answers(target: str) -> bool:
    """Whether a server is there, busy or not."""
    try:
        psycopg.Connection.connect(target).close()
    except psycopg.errors.ConnectionTimeout:
        return False
    except psycopg.Error:  # it has no connection left, or is going down: both are answers
        return True
    return True


class WatchedConnection(psycopg.Connection[Any]):
    """A connection whose waiting ends with the task, or when the server is silent."""

    task: TaskContext | None = None
    """Cancelling it cancels the statement that is running."""
    asks: Callable[[], bool] | None = None
    """Asks over another connection whether the server is there; takes a few seconds at most."""

    def wait(self, gen: Any, *args: Any, **options: Any) -> Any:
        """As the driver's, which all its methods wait with."""
        del args
        return super().wait(self._watch(gen), **{**options, "interval": _TICK})

    def _watch(self, gen: Any) -> Generator[Any, Any, Any]:
        guard = _Guard(self)
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready != waiting.READY_NONE:
                    wanted = gen.send(ready)
                # Not before: an answer that is complete is taken.
                guard.look()
        except StopIteration as done:
            return done.value

    def abandon(self) -> None:
        """Close without a word to the server."""
        self.pgconn.finish()


class _Guard:
    """Looks after one wait: at the task, and at the server."""

    def __init__(self, connection: WatchedConnection) -> None:
        self._connection = connection
        self._known = monotonic()
        """When the server was last known to be there; bytes of an answer are no sign: they may trickle."""
        self._asked: threading.Thread | None = None
        self._there = True
        self._cancelled_at: float | None = None

    def look(self) -> None:
        task = self._connection.task
        if task is not None and task.cancelled:
            self._cancel()
        if self._asked is not None and not self._asked.is_alive():
            self._asked = None
            if not self._there:
                self._connection.abandon()
                raise SilentServerError(f"no answer within {SECONDS} seconds")
            # It is there, so the statement takes its time.
            self._known = monotonic()
        elif self._asked is None and monotonic() - self._known > _PATIENCE and self._connection.asks:
            self._asked = threading.Thread(target=self._ask, args=(self._connection.asks,), daemon=True)
            self._asked.start()

    def _ask(self, asks: Callable[[], bool]) -> None:
        self._there = asks()

    def _cancel(self) -> None:
        """Ask the server to stop; if it does not within a second, leave it."""
        now = monotonic()
        if self._cancelled_at is None:
            self._cancelled_at = now
            try:
                self._connection.cancel_safe(timeout=1.0)
            except psycopg.Error:
                self._connection.abandon()
                raise TaskCancelled from None
        elif now - self._cancelled_at > 1.0:
            self._connection.abandon()
            raise TaskCancelled
