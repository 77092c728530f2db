"""Whole operations on a shared library while the network to its servers fails: a message each, and no hang.

The servers are real; `tests.faults.network` stands before them. Of time only so much is asserted that
nothing waits much longer than a loaded machine takes to notice a server that is silent for five seconds.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("psycopg")

from network_office import SECRET, Desk, Office, attempt, check_sentence
from pushing_fakes import fill

from claimlight.cli.__main__ import run
from claimlight.engines import milvus as milvus_engine
from claimlight.errors import ResourceError
from claimlight.services.sharing import push as pushing
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.verifying import verify
from claimlight.tasks import TaskContext
from claimlight.types import Committed

pytestmark = pytest.mark.loopback
LONGEST = 25.0
"""Seconds for one operation, which may use two connections; each is given up after some five."""
LONGEST_PUSH = 60.0
"""It also notes in the database how it ended, and gives back its sign of life."""
KINDS = ["postgres", "milvus"]


def fill_office(made: Office, source) -> Office:
    with made.open(writable=True) as shared:
        assert fill(source, SharedTarget.of(shared), batch=10).new == 30
    return made


@pytest.fixture(scope="module")
def postgres_office(postgres_server, source, tmp_path_factory):
    """A shared library with 30 documents, and their index, in a database."""
    made = fill_office(Office(postgres_server, None, tmp_path_factory.mktemp("made")), source)
    yield made
    made.close()


@pytest.fixture(scope="module")
def milvus_office(postgres_server, milvus, source, tmp_path_factory):
    """The same with its index in Milvus."""
    made = fill_office(Office(postgres_server, milvus, tmp_path_factory.mktemp("made")), source)
    yield made
    made.close()


@pytest.fixture(params=KINDS)
def office(request):
    return request.getfixturevalue(f"{request.param}_office")


@pytest.fixture(params=KINDS)
def empty(request, postgres_server, tmp_path):
    """A shared library without documents."""
    milvus = request.getfixturevalue("milvus") if request.param == "milvus" else None
    made = Office(postgres_server, milvus, tmp_path / "made")
    yield made
    made.close()


def opened_and_used(office: Office) -> None:
    with office.open() as shared:
        Desk(shared).search()


@pytest.mark.parametrize("fault", ["gone", "silent", "trickling", "breaking"])
def test_each_operation_ends_with_a_sentence_and_works_afterwards(office, fault):
    # Of two servers, that of the index; the database is the same in both.
    where = list(office.networks)[-1]
    network = office.networks[where]
    with office.open() as shared, ThreadPoolExecutor(8) as pool:
        desk = Desk(shared)
        expected = desk.ask_all()
        assert all(expected.values())
        with network.failing(fault):
            calls = {name: pool.submit(attempt, getattr(desk, name)) for name in desk.ASKED}
            calls["open"] = pool.submit(attempt, lambda: opened_and_used(office))
            done = {name: each.result() for name, each in calls.items()}
        failed = set()
        for name, (found, told, seconds) in done.items():
            print(f"\n{where} {fault} {name}: {seconds:.1f} s, {told or 'works'}", end="")
            assert seconds < LONGEST, name
            if told:
                check_sentence(told)
                failed.add(name)
            elif name in expected:
                assert found == expected[name], name
        # A broken connection may be replaced within the call; what keeps failing is told by each.
        needing = {*desk.NEED_ENGINE, "open"} if where == "engine" else {*desk.ASKED, "open"}
        assert failed <= needing
        if fault in ("gone", "silent"):
            assert failed == needing
        # The engine is asked again after two seconds.
        time.sleep(2.1)
        assert desk.ask_all() == expected


def test_a_connection_that_was_cut_meanwhile_is_replaced_and_a_slow_network_is_waited_for(office):
    with office.open() as shared:
        desk = Desk(shared)
        expected = desk.ask_all()
        time.sleep(1.1)
        for network in office.networks.values():
            network.cut()
        assert desk.ask_all() == expected
        for network in office.networks.values():
            network.slow()
        try:
            assert desk.ask_all() == expected
        finally:
            for network in office.networks.values():
                network.mend()


@pytest.mark.parametrize("fault", ["gone", pytest.param("silent", marks=pytest.mark.slow), "breaking"])
def test_a_push_ends_with_a_sentence_and_is_resumed(empty, source, fault, monkeypatch):
    monkeypatch.setattr(milvus_engine, "WRITING_SECONDS", 5.0)
    where = list(empty.networks)[-1]
    network = empty.networks[where]

    def fail_after_the_first(event) -> None:
        if isinstance(event, Committed) and event.documents < 10:
            type(network).__dict__[fault](network)

    with empty.open(writable=True) as shared:
        found, told, seconds = attempt(
            lambda: fill(source, SharedTarget.of(shared), batch=7, context=TaskContext(fail_after_the_first))
        )
        network.mend()
        print(f"\n{where} {fault}: {seconds:.1f} s, {told or 'works'}", end="")
        assert seconds < LONGEST_PUSH
        assert (found is None) == bool(told)
        assert told or fault == "breaking"
        if told:
            check_sentence(told)
        held = pushing.read_status(SharedTarget.of(shared))
        # Nothing is half written: whole batches of 7 documents.
        assert held.documents in ((7, 14) if told else (30,))
    with empty.open(writable=True) as shared:
        target = SharedTarget.of(shared)
        report = fill(source, target, batch=7)
        assert report.new + report.skipped == 30
        assert report.skipped >= held.documents
        assert verify(source, target, TaskContext()).sound
        with empty.networks["database"].failing("gone"), pytest.raises(ResourceError):
            verify(source, target, TaskContext())
        assert verify(source, target, TaskContext()).sound


@pytest.mark.parametrize("fault", ["gone", "silent"])
def test_commands_end_with_a_sentence(postgres_office, source, fault, capsys, monkeypatch):
    office = postgres_office
    monkeypatch.setenv("CLAIMLIGHT_DATABASE_PASSWORD", SECRET)
    address = str(office.address)
    commands = (
        ("search", "--text", "a brake", "--library", address),
        ("query", "brake", "--library", address),
        ("push", address, "--library", str(source.folder), "--verify"),
        ("library", "info", "--library", address),
    )
    # Silence takes its time: one command shows it.
    for command in commands if fault == "gone" else commands[:1]:
        with office.networks["database"].failing(fault):
            begun = time.monotonic()
            assert run(list(command)) == 1
            assert time.monotonic() - begun < LONGEST
        shown = capsys.readouterr()
        check_sentence(" ".join((shown.out + shown.err).split()))
    assert run(list(commands[1])) == 0
