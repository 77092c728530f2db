"""What a user reads when a server fails, and that nothing ever hangs or is half written."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("psycopg")

import psycopg

from claimlight.errors import AppError, InputError, ResourceError, TaskCancelled
from claimlight.store import postgres, repository
from claimlight.store.postgres import connecting, schema, writing
from claimlight.tasks import TaskContext
from tests.core.store import invented
from tests.core.store.postgres.conftest import push
from tests.core.store.postgres.test_server_writing import make
from tests.postgres_server import OWNER, PASSWORD

pytestmark = pytest.mark.loopback
SLOW = "SELECT count(*) FROM generate_series(1, 1000000000)"
LONGEST = 20.0
"""Seconds within which even a loaded machine notices that a server is silent for five."""


@pytest.fixture
def failing(postgres_server):
    """The server, running again after the test."""
    yield postgres_server
    if not postgres_server.running:
        postgres_server.start()


def refuse(url: str, folder, password: str | None = None) -> str:
    """What is said about an address that can't be opened; never a password."""
    with pytest.raises(AppError) as caught:
        postgres.connect(url, folder, password=password)
    told = str(caught.value)
    assert "wrong" not in told
    assert PASSWORD not in told
    assert caught.value.__cause__ is None
    return told


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://me:wrong@127.0.0.1/library", "must not contain a password"),
        ("postgresql://127.0.0.1/library?password=wrong", "must not contain a password"),
        ("postgresql://127.0.0.1/library?passfile=/wrong", "must not contain a password"),
        ("postgresql://127.0.0.1", "names a host and a database"),
        ("postgresql:///library", "names a host and a database"),
        ("postgresql://127.0.0.1/library?colour=wrong", "can't be read"),
        ("mysql://127.0.0.1/library", "begins with postgresql://"),
    ],
)
def test_an_address_that_is_none(url, told, tmp_path):
    with pytest.raises(InputError, match=told) as caught:
        postgres.connect(url, tmp_path)
    assert "wrong" not in str(caught.value)


def test_the_environment_leads_nowhere_else(address, tmp_path, monkeypatch):
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.1")
    monkeypatch.setenv("PGPORT", "1")
    with postgres.connect(address, tmp_path) as opened:
        assert repository.count_documents(opened) == 0


def test_refusals(postgres_server, address, tmp_path):
    name = f"postgresql://127.0.0.1:{postgres_server.port}"
    told = refuse(postgres_server.url("nowhere"), tmp_path)
    assert told == f"{name}/nowhere does not exist: the server has no database of this name."
    told = refuse(postgres_server.url("postgres"), tmp_path)
    assert told == f"{name}/postgres holds no Claimlight library. `claimlight push --create` makes one."
    database = address.rpartition("/")[2]
    with postgres_server.require_password():
        named = postgres_server.url(database, user=OWNER)
        assert "asks for a password" in refuse(named, tmp_path)
        assert "refused the user or the password" in refuse(named, tmp_path, password="wrong")
        with postgres.connect(named, tmp_path, password=PASSWORD) as opened:
            assert repository.count_documents(opened) == 0
            assert PASSWORD not in opened.name
    told = refuse(postgres_server.url(database, user="nobody"), tmp_path)
    assert told.endswith("refused the user. Ask its administrator for access to the database.")
    told = refuse("postgresql://127.0.0.1:1/library", tmp_path)
    assert "no server is listening there" in told


def test_names_of_hosts(tmp_path, monkeypatch):
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    told = refuse("postgresql://me@server.example/library", tmp_path)
    assert "postgresql://server.example:5432/library can't be reached: there is no host of this name" in told
    ended = threading.Event()

    def silent(*_: object, **__: object) -> list[object]:
        ended.wait(LONGEST)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    monkeypatch.setattr(connecting, "SECONDS", 0.1)
    assert "did not answer" in refuse("postgresql://me@server.example/library", tmp_path)
    ended.set()


def test_a_library_is_made_once_and_newer_ones_are_refused(address, tmp_path):
    with postgres.connect(address, tmp_path) as opened, postgres.create(address, tmp_path) as again:
        assert again.identity == opened.identity
        assert not again.read_only
    with postgres.connect(address, tmp_path, read_only=False) as opened, opened.write() as connection:
        schema.write_state(connection, schema.VERSION_KEY, b"99")
    with pytest.raises(ResourceError, match="has schema version 99; this program knows versions up to"):
        postgres.connect(address, tmp_path)
    with pytest.raises(ResourceError, match="has schema version 99"):
        postgres.create(address, tmp_path)


def test_tables_of_another_program_are_left_alone(postgres_server, tmp_path):
    name = postgres_server.empty_database()
    with psycopg.connect(postgres_server.url(name), autocommit=True) as theirs:
        theirs.execute("CREATE TABLE document (mine text)")
        with pytest.raises(InputError, match="has a table `document` of another program"):
            postgres.create(postgres_server.url(name), tmp_path)
        found = theirs.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert found == [("document",)]


def test_what_is_open_for_reading_is_not_written(address, tmp_path):
    with postgres.connect(address, tmp_path) as opened:
        assert opened.read_only
        assert opened.shared
        with pytest.raises(ResourceError, match="open for reading only"):
            opened.write().__enter__()
        with pytest.raises(ResourceError, match="takes no changes"):
            write_in_a_read(opened)


def write_in_a_read(store) -> None:
    with store.read() as connection:
        connection.exec_driver_sql("UPDATE meta SET value = 5")


def test_a_read_is_one_snapshot(shared, tmp_path):
    with make(tmp_path / "a", *invented.week(4)) as source:
        ids = [each.id for each in repository.read_documents_after(source, 0, 4)]
        push(source, shared, ids[:2])
        with shared.read() as connection:
            count = "SELECT count(*) FROM document"
            before = connection.exec_driver_sql(count).scalar_one()
            push(source, shared, ids[2:])
            assert connection.exec_driver_sql(count).scalar_one() == before == 2
    assert repository.count_documents(shared) == 4


def change_and_fail(store) -> None:
    with store.write() as connection:
        writing.begin_change(connection)
        raise RuntimeError


def test_an_exception_undoes_the_whole_step(shared):
    with pytest.raises(RuntimeError):
        change_and_fail(shared)
    assert repository.read_library_version(shared) == 0


def run_slowly(store, context) -> None:
    with store.read(context) as connection:
        connection.exec_driver_sql(SLOW)


def test_a_cancelled_task_stops_its_query(shared):
    context = TaskContext()
    threading.Timer(0.3, context.cancel).start()
    began = time.monotonic()
    with pytest.raises(TaskCancelled):
        run_slowly(shared, context)
    assert time.monotonic() - began < LONGEST
    # The connection is used again, and the cancelled task does not stop its next user.
    assert repository.count_documents(shared) == 0
    with shared.read() as connection:
        running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = ?"
        assert connection.exec_driver_sql(running, (SLOW,)).scalar_one() == 0


def test_a_silent_server_is_noticed(postgres_server, shared, address, tmp_path):
    assert repository.count_documents(shared) == 0
    time.sleep(1.1)
    with postgres.connect(address, tmp_path) as other, postgres_server.silence():
        asks = (
            lambda: repository.count_documents(shared),  # its connection was not used for a while
            lambda: repository.count_documents(other),
            lambda: postgres.connect(address, tmp_path),
        )
        with ThreadPoolExecutor() as pool:
            began = time.monotonic()
            waiting = [pool.submit(ask) for ask in asks]
            told = [str(each.exception()) for each in waiting]
            assert time.monotonic() - began < LONGEST
    assert all("did not answer within 5 seconds" in each for each in told), told
    assert repository.count_documents(shared) == 0


def test_a_slow_query_of_a_server_that_is_there_is_waited_for(shared):
    with shared.read() as connection:
        assert connection.exec_driver_sql("SELECT 7 FROM pg_sleep(2.5)").scalar_one() == 7


def test_a_statement_has_its_time(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "LONGEST_SECONDS", 1)
    with pytest.raises(ResourceError, match=r"too long for one step\..* Nothing of this step was saved"):
        write_too_long(shared)
    assert repository.read_library_version(shared) == 0


def write_too_long(store) -> None:
    with store.write() as connection:
        writing.begin_change(connection)
        connection.exec_driver_sql(SLOW)


def test_a_server_that_dies_within_a_step_leaves_nothing_of_it(failing, shared, tmp_path):
    with make(tmp_path / "a", *invented.week(2)) as source:
        push(source, shared, [1])
        with pytest.raises(ResourceError, match=r"lost the connection\. Nothing of this step was saved\."):
            die_while_writing(failing, shared, source)
        told = refuse(failing.url("x"), tmp_path)
        assert "no server is listening there" in told
        failing.start()
        # The connections of before are gone; new ones are made.
        assert repository.count_documents(shared) == 1
        with pytest.raises(
            ResourceError, match=r"lost the connection\. Whether this step was saved is not known"
        ):
            die_while_committing(failing, shared)
        failing.start()
        push(source, shared, [2])
    assert repository.count_documents(shared) == 2


def die_while_writing(server, target, source) -> None:
    batch = writing.read_batch(source, [2])
    with target.write() as connection:
        ids = batch.number(*writing.reserve_ids(connection, 1, batch.passages))
        writing.write_documents(connection, batch, ids, writing.begin_change(connection))
        server.kill()
        connection.exec_driver_sql("SELECT 1")


def die_while_committing(server, target) -> None:
    with target.write() as connection:
        writing.begin_change(connection)
        server.kill()
