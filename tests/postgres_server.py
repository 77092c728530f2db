"""A PostgreSQL server for tests: one cluster for a process of the suite, in a temporary folder, on loopback.

It is made when the first test asks for it, which takes about two seconds. Nothing is durable in it, and
everybody on this machine may connect: it holds invented documents only.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "logging_collector": "off",
    "lc_messages": "C",
}
_DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
_START_SECONDS = 60
_ROOM = 2 << 30
"""Bytes; the databases of the tests take about a tenth of it."""
OWNER = "examiner"
PASSWORD = "a pass'word"


class PostgresServer:
    """A running server; databases are made from templates, which takes a tenth of a second."""

    def __init__(self, programs: Path, folder: Path, user: str | None, *, durable: bool = False) -> None:
        self._programs = programs
        self._options = {**_OPTIONS, **(_DURABLE if durable else {})}
        self.folder = folder
        self._user = user
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._templates: dict[str, str] = {}

    @property
    def running(self) -> bool:
        """Whether it was started and not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start, or start again after `kill`; returns when it takes connections."""
        options = [f"-c{name}={value}" for name, value in (*self._options.items(), ("port", str(self.port)))]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.folder / "data", *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                **self._as_user(),
            )
        end = time.monotonic() + _START_SECONDS
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self.folder / "log").read_text(errors="replace"))
            time.sleep(0.05)

    def make_cluster(self) -> None:
        """Make the files of the server."""
        command = [self._programs / "initdb", "-D", self.folder / "data", "-U", "owner", "--auth=trust"]
        made = subprocess.run(
            [*command, "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"],
            capture_output=True,
            cwd=self.folder,
            check=False,
            **self._as_user(),
        )
        if made.returncode:
            raise RuntimeError(made.stderr.decode(errors="replace"))

    def url(self, database: str, *, user: str = "owner") -> str:
        """The address of a database."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def empty_database(self, template: str = "template0") -> str:
        """A new database; its name."""
        name = f"test_{next(self._numbers)}"
        self.run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    def empty_library(self, folder: Path) -> str:
        """The address of a new database with an empty library."""
        from claimlight.store import postgres

        if "library" not in self._templates:
            name = self.empty_database()
            postgres.create(self.url(name), folder).close()
            self._templates["library"] = name
        return self.url(self.empty_database(self._templates["library"]))

    def run(self, statement: str, database: str = "postgres") -> None:
        """Run a statement as the owner of the server."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def require_password(self) -> Iterator[None]:
        """For a while everybody but the owner must give a password; `OWNER` has `PASSWORD`."""
        rules = self.folder / "data" / "pg_hba.conf"
        before = rules.read_text()
        secret = PASSWORD.replace("'", "''")
        self.run(f"CREATE ROLE {OWNER} LOGIN SUPERUSER PASSWORD '{secret}'")
        rules.write_text("host all owner 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        self.run("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            rules.write_text(before)
            self.run("SELECT pg_reload_conf()")
            self.run(f"DROP ROLE {OWNER}")

    @contextmanager
    def offer_tls(self, certificate: Path, key: Path, *, only: bool = False) -> Iterator[None]:
        """For a while it offers TLS, and `OWNER` needs no password.

        ``only``: everybody but the owner must use TLS.
        """
        rules = self.folder / "data" / "pg_hba.conf"
        before = rules.read_text()
        for file, name in ((certificate, "server.crt"), (key, "server.key")):
            there = self.folder / "data" / name
            shutil.copyfile(file, there)
            there.chmod(0o600)
            if self._user is not None:
                shutil.chown(there, self._user, self._user)
        self.run(f"CREATE ROLE {OWNER} LOGIN SUPERUSER")
        self.run("ALTER SYSTEM SET ssl = on")
        kind = "hostssl" if only else "host"
        rules.write_text(f"host all owner 127.0.0.1/32 trust\n{kind} all all 127.0.0.1/32 trust\n")
        self._reload(tls=True)
        try:
            yield
        finally:
            rules.write_text(before)
            self.run("ALTER SYSTEM RESET ssl")
            self._reload(tls=False)
            self.run(f"DROP ROLE {OWNER}")

    def _reload(self, *, tls: bool) -> None:
        """Read the settings again; returns when new connections have them."""
        import psycopg

        self.run("SELECT pg_reload_conf()")
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            with psycopg.connect(f"{self.url('postgres')}?sslmode=prefer") as connection:
                if connection.pgconn.ssl_in_use == tls:
                    return
            time.sleep(0.02)
        raise RuntimeError((self.folder / "log").read_text(errors="replace"))

    @contextmanager
    def silence(self) -> Iterator[None]:
        """For a while no process of the server runs: connections stay, but nothing answers."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End every process of the server at once, as a power loss does."""
        assert self._process is not None
        self._signal(signal.SIGKILL)
        self._process.wait()
        # The processes of the server have sessions of their own, and end when they miss the first one.
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Shut down."""
        if self._process is not None and self.running:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(timeout=_START_SECONDS)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        import psutil

        first = psutil.Process(self._process.pid)
        for each in (first, *first.children(recursive=True)):
            each.send_signal(number)

    def _listens(self) -> bool:
        from psycopg import pq

        asked = f"host=127.0.0.1 port={self.port} dbname=postgres user=owner connect_timeout=2"
        return pq.PGconn.ping(asked.encode()) == pq.Ping.OK

    def _as_user(self) -> dict[str, object]:
        if self._user is None:
            return {}
        return {"user": self._user, "group": self._user, "extra_groups": []}


def find_programs() -> Path | None:
    """Folder of the newest installed server."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    named = shutil.which("postgres")
    return Path(named).resolve().parent if named and shutil.which("initdb") else None


def _find_place() -> Path | None:
    """In memory where there is room: the disk of a machine that runs many tests is slow."""
    memory = Path("/dev/shm")
    free = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free
    return memory if free and free > _ROOM else None


def _find_user() -> str | None:
    """Who runs the server: it refuses to run as root. None: who runs the tests."""
    if not hasattr(os, "getuid") or os.getuid() != 0:
        return None
    import pwd

    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")


def _start_first(server: PostgresServer) -> None:
    """Start; on another port if another process has taken the free one meanwhile."""
    for _ in range(3):
        try:
            server.start()
        except RuntimeError:
            server.port = _free_port()
        else:
            return
    server.start()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server; tests that ask for it are marked ``loopback``."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: the extra [postgres]")
    if find_programs() is None:
        pytest.skip("there is no PostgreSQL server on this machine: apt-get install postgresql")
    with running() as server:
        yield server


@contextmanager
def running(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A server of its own; ``durable``: one that keeps what it has acknowledged, as in an office."""
    programs = find_programs()
    assert programs is not None, "no PostgreSQL server on this machine"
    user = _find_user()
    folder = Path(tempfile.mkdtemp(prefix="claimlight-postgres-", dir=_find_place()))
    try:
        if user is not None:
            shutil.chown(folder, user, user)
        server = PostgresServer(programs, folder, user, durable=durable)
        server.make_cluster()
        _start_first(server)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
