"""Connections to the server of an index: a few for all threads, with limits of time and errors as sentences.

PostgreSQL ends a statement that takes too long, but not if the server is stopped, or the network swallows
what is sent, so each wait has its limit here too. A writer's wait may be long; so after some seconds the
server is asked over another connection whether it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from claimlight.errors import EngineError, MissingPackageError
from claimlight.index.backend import ENGINE_SECONDS

if TYPE_CHECKING:
    import psycopg

WRITE_SECONDS = 120.0
"""Time that one statement of a writer may take, with its wait for other writers."""
TIDY_SECONDS = 600.0
"""Time that joining the postings of a full block may take on a slow server; it took 27 s on a busy one."""
_IDLE = 8
"""Connections kept for the next thread."""
_OPTIONS = (
    "SET client_encoding = 'UTF8'; SET jit = off; SET synchronous_commit = on;"
    " SET idle_in_transaction_session_timeout = '60s'; SET tcp_keepalives_idle = 30;"
    " SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)

_COPY_HEAD, _COPY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"


class _LateError(Exception):
    """A wait for the server took too long."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


class Session:
    """A transaction on one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of a query, whose placeholders are ``%s``."""
        return self._connection.execute(_text(query), values, binary=True).fetchall()

    def row(self, query: str, *values: object) -> tuple[Any, ...]:
        """The only row of a query."""
        (only,) = self.rows(query, *values)
        return only

    def run(self, query: str, *values: object) -> None:
        """Execute a statement without rows; several of them if there are no values."""
        self._connection.execute(_text(query), values or None)

    def copy(self, table: str, types: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Append rows to a table."""
        with self._copying(table) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def copy_tuples(self, table: str, tuples: bytes) -> None:
        """Append rows to a table, given as tuples of the binary format of COPY without head and end."""
        with self._copying(table) as copy:
            copy.write(_COPY_HEAD + tuples + _COPY_END)

    @contextmanager
    def _copying(self, table: str) -> Iterator[psycopg.Copy]:
        with (
            self._connection.cursor() as cursor,
            cursor.copy(_text(f"COPY {table} FROM STDIN (FORMAT BINARY)")) as copy,
        ):
            yield copy


class Sessions:
    """The connections; threads may share it."""

    def __init__(self, address: str, password: str | None = None) -> None:
        """``address`` is a connection string or URL of libpq.

        `MissingPackageError` if psycopg is not installed; `EngineError` if the address can't be read.
        """
        try:
            from psycopg import ProgrammingError
            from psycopg.conninfo import conninfo_to_dict
        except ImportError as fault:
            raise MissingPackageError("An index on PostgreSQL", "psycopg", "postgres") from fault
        try:
            given = conninfo_to_dict(address)
        except ProgrammingError:
            # Its text may repeat the address.
            raise EngineError("The address of the PostgreSQL server can't be read.") from None
        self._address, self._password = address, password
        self.place = f"{given.get('host') or 'this computer'}:{given.get('port') or 5432}"
        """Host and port, for messages."""
        self._idle: list[psycopg.Connection[Any]] = []
        self._lock = Lock()
        self._closed = False

    @contextmanager
    def reading(self, index: str) -> Iterator[Session]:
        """A transaction that sees one state of an index."""
        with self._begun(index, "ISOLATION LEVEL REPEATABLE READ READ ONLY", ENGINE_SECONDS) as session:
            yield session

    @contextmanager
    def writing(self, index: str, seconds: float = WRITE_SECONDS) -> Iterator[Session]:
        """A transaction that is committed, durably, at the end; ``seconds`` is the limit of a statement."""
        with self._begun(index, "ISOLATION LEVEL READ COMMITTED", seconds) as session:
            yield session

    def close(self) -> None:
        """Close what is idle, and what is in use when its transaction ends."""
        with self._lock:
            self._closed, idle = True, self._idle
            self._idle = []
        for connection in idle:
            connection.close()

    @contextmanager
    def _begun(self, index: str, how: str, seconds: float) -> Iterator[Session]:
        with self._sentences(seconds):
            connection = self._connect_and_begin(
                f'BEGIN {how}; SET LOCAL search_path TO "{index}", pg_catalog;'
                f" SET LOCAL statement_timeout = {int(seconds * 1000)}",
                seconds,
            )
            try:
                yield Session(connection)
                connection.execute("COMMIT")
            except BaseException:
                # Not rolled back: the server does it, and a stopped one would have to be waited for again.
                connection.close()
                raise
            self._keep(connection)

    def _connect_and_begin(self, begin: str, seconds: float) -> Any:
        from psycopg import OperationalError

        while True:
            with self._lock:
                connection: Any = self._idle.pop() if self._idle else None
            known = connection is not None
            if connection is None:
                connection = self._connect(
                    autocommit=True,
                    prepare_threshold=None,  # poolers between us and the server may not keep statements
                )
                connection.asks = self._is_there
            try:
                if not known:
                    connection.execute(_OPTIONS)
                connection.seconds = ENGINE_SECONDS  # a writer too begins at once
                connection.execute(_text(begin))
                connection.seconds = seconds
            except BaseException as fault:
                connection.close()
                if known and isinstance(fault, OperationalError):
                    # The server was started again since the connection was used.
                    continue
                raise
            return connection

    def _connect(self, **options: Any) -> Any:
        secret = {} if self._password is None else {"password": self._password}
        return _connection_class().connect(
            self._address,
            connect_timeout=int(ENGINE_SECONDS),
            application_name="claimlight",
            **secret,
            **options,
        )

    def _is_there(self) -> bool:
        """Whether the server answers, busy or not."""
        import psycopg

        try:
            self._connect().close()
        except (psycopg.errors.ConnectionTimeout, _LateError):
            return False
        except psycopg.Error:  # it has no connection left, or is going down: both are answers
            return True
        return True

    def _keep(self, connection: psycopg.Connection[Any]) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()

    @contextmanager
    def _sentences(self, seconds: float) -> Iterator[None]:
        """Errors of psycopg as those of the port; none repeats the address, which may hold a password."""
        import psycopg

        server = f"The PostgreSQL server at {self.place}"
        late = f"{server} did not answer within {{:.0f}} seconds."
        try:
            yield
        except _LateError as fault:
            raise EngineError(late.format(fault.seconds)) from fault
        except psycopg.errors.ConnectionTimeout as fault:
            raise EngineError(late.format(ENGINE_SECONDS)) from fault
        except psycopg.errors.QueryCanceled as fault:
            raise EngineError(late.format(seconds)) from fault
        except psycopg.errors.UndefinedTable as fault:
            raise EngineError(f"{server} has no index of this name.") from fault
        except psycopg.errors.InsufficientPrivilege as fault:
            raise EngineError(
                f"{server} does not allow the user to use the index. "
                "`claimlight push --readers` gives the right."
            ) from fault
        except psycopg.OperationalError as fault:
            said = _first_line(fault)
            if "authentication failed" in said or "no password" in said:
                raise EngineError(f"{server} refused the user name or the password.") from None
            if "certificate" in said or "SSL was required" in said:
                raise EngineError(
                    f"{server} has no TLS, or its certificate is not trusted: {said}"
                ) from fault
            if fault.sqlstate is None and "FATAL" not in said:
                raise EngineError(
                    f"{server} can't be reached. Check the network, and whether the server runs."
                ) from fault
            raise EngineError(f"{server} refused: {said}.") from fault
        except psycopg.Error as fault:
            raise EngineError(f"{server} refused: {_first_line(fault)}.") from fault


@cache
def _connection_class() -> Any:
    """A connection whose waits end: psycopg's own have no limit before 3.3."""
    import psycopg

    class Limited(psycopg.Connection[tuple[Any, ...]]):
        seconds = ENGINE_SECONDS
        asks: Callable[[], bool] | None = None

        def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
            return super().wait(_limited(gen, self.seconds, self.asks), *given, **named)

    return Limited


def _limited(
    waits: Generator[Any, Any, Any], seconds: float, asks: Callable[[], bool] | None
) -> Generator[Any, Any, Any]:
    """The same waits, ended after a time, or when the server is gone, which ``asks`` finds out.

    psycopg resumes them every 0.1 s, with 0 if nothing came.
    """
    end = monotonic() + seconds
    doubt = monotonic() + ENGINE_SECONDS
    answers: list[bool] = []
    asked: Thread | None = None
    try:
        wanted = next(waits)
        while True:
            ready = yield wanted
            now = monotonic()
            if now > end:
                raise _LateError(seconds)
            if asked is not None and not asked.is_alive():
                asked, doubt = None, now + ENGINE_SECONDS
                if not all(answers):
                    raise _LateError(ENGINE_SECONDS)
            elif asked is None and asks is not None and now > doubt:
                asked = Thread(target=lambda: answers.append(asks()), daemon=True)
                asked.start()
            wanted = waits.send(ready)
    except StopIteration as done:
        return done.value


def _first_line(fault: psycopg.Error) -> str:
    said = fault.diag.message_primary or str(fault)
    return said.strip().partition("\n")[0]


def _text(query: str) -> Any:
    """Only literal texts are `LiteralString`, which psycopg wants; ours have checked names in them."""
    return query.encode()
