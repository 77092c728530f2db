"""A push that is killed anywhere: nothing is lost, nothing is there twice, the engine keeps no leftovers."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
from dataclasses import replace

import pytest
from pushing_fakes import (
    FileEngine,
    fill,
    index,
    make,
    opened,
    patents,
    push_and_die,
    rows_of,
    same_documents,
    wanted,
)

from claimlight.errors import ResourceError
from claimlight.index.backend import PART_BITS
from claimlight.services.sharing import push as pushing
from claimlight.services.sharing.verifying import verify
from claimlight.tasks import TaskContext
from claimlight.types import IndexDepth, Paragraph, Section

pytestmark = pytest.mark.loopback
KILLS = int(os.environ.get("CLAIMLIGHT_PUSH_KILLS", "10"))
"""More by command: `CLAIMLIGHT_PUSH_KILLS=200 pytest …`."""
BATCH = 4
_STEPS = 90
"""About as many steps as three batches have."""


@pytest.fixture(scope="module")
def processes():
    """A server of processes that have imported what a push needs, so that each begins at once."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["preloaded_push"])
    with pytest.MonkeyPatch.context() as patch:
        # The server of processes knows no other way to the modules of the tests.
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        first = made.Process(target=str)
        first.start()
        first.join(120)
    return made


def die(processes, address, tmp_path, source, step) -> int | None:
    """Push a library in a process that dies at a step; its exit code."""
    child = processes.Process(
        target=push_and_die,
        args=(address, str(tmp_path / "shared"), str(source), str(tmp_path / "engine.db"), BATCH, step),
    )
    child.start()
    child.join(120)
    return child.exitcode


def test_after_any_kill_the_next_push_completes(tmp_path, postgres_server, processes):
    rng = random.Random(KILLS)
    documents = patents(range(1, 31))
    # The shared library has some of them by their claims, and some with a shorter text.
    more = Paragraph("A brake with a spring and a lamp.", Section.DETAILED, number="0009", language="en")
    fuller = list(documents)
    for place in range(0, len(fuller), 5):
        fuller[place] = replace(fuller[place], description=(*fuller[place].description, more))
    first = make(tmp_path / "first", documents[:20], IndexDepth.CLAIMS)
    second = make(tmp_path / "second", fuller, IndexDepth.CLAIMS)
    index(second)
    undisturbed = postgres_server.empty_library(tmp_path / "made")
    with opened(undisturbed, tmp_path / "other", FileEngine(tmp_path / "other.db")) as target:
        fill(first, target, batch=BATCH)
        fill(second, target, batch=BATCH)
        expected = rows_of(target.store)
    killed = done = 0
    while killed < KILLS:
        address = postgres_server.empty_library(tmp_path / "made")
        (tmp_path / "engine.db").unlink(missing_ok=True)
        with opened(address, tmp_path / "shared", FileEngine(tmp_path / "engine.db")) as target:
            fill(first, target, batch=BATCH)
            while killed < KILLS:
                code = die(processes, address, tmp_path, second.folder, rng.randint(1, _STEPS))
                if code == 0:
                    break
                assert code == -signal.SIGKILL
                killed += 1
                # What is acknowledged is in the engine, whatever else it holds for the moment.
                held, open_ids = target.backend.contents(), changing(target)
                for key, value in wanted(target.store).items():
                    assert key[1] >> PART_BITS in open_ids or held.get(key) == value
            fill(second, target, batch=BATCH)
            same_documents(rows_of(target.store), expected)
            assert target.backend.contents() == wanted(target.store)
            assert verify(second, target, TaskContext()).sound
            status = pushing.read_status(target)
            assert (status.leftovers, sum(each.under_way for each in status.workers)) == (0, 0)
            with target.store.read() as connection:
                assert connection.exec_driver_sql("SELECT count(*) FROM push_claim").scalar_one() == 0
            done += 1
    assert done


def changing(target) -> set[int]:
    """Documents that are in the library and were being indexed more deeply."""
    with target.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT document_id FROM push_claim WHERE NOT fresh")
        return {row[0] for row in rows}


def test_a_run_that_lost_its_sign_of_life_writes_nothing_more(tmp_path, postgres_server):

    address = postgres_server.empty_library(tmp_path / "made")
    made = make(tmp_path / "L", patents(range(1, 9)))
    engine = FileEngine(tmp_path / "engine.db")
    with (
        opened(address, tmp_path / "shared", engine) as target,
        opened(address, tmp_path / "shared", engine) as other,
    ):
        begun = []

        def take_over(call):
            # As if its connection had been cut while it gave the engine a batch.
            if call == "within upsert" and not begun:
                begun.append(call)
                with target.store.write() as connection:
                    connection.exec_driver_sql(
                        """SELECT pg_terminate_backend(pid) FROM pg_locks
                        WHERE locktype = 'advisory' AND objsubid = 2"""
                    )
                engine.before = lambda name: None
                assert fill(made, other, batch=4).new == 8

        engine.before = take_over
        with pytest.raises(ResourceError, match="gave up the last batch"):
            fill(made, target, batch=4)
        assert begun
        assert fill(made, target).skipped == 8
        assert engine.contents() == wanted(target.store)


def test_a_database_that_is_killed_stops_the_push_and_keeps_what_it_acknowledged(tmp_path, postgres_server):
    address = postgres_server.empty_library(tmp_path / "made")
    name = address.rpartition("/")[2]
    # The servers of tests acknowledge before they write; a real one does not.
    postgres_server.run(f'ALTER DATABASE "{name}" SET synchronous_commit = on')
    made = make(tmp_path / "L", patents(range(1, 13)))
    engine = FileEngine(tmp_path / "engine.db")
    calls: list[str] = []

    def kill(call: str) -> None:
        calls.append(call)
        # Half of the second batch.
        if calls.count("within upsert") == 3 and call == "within upsert":
            postgres_server.kill()

    engine.before = kill
    with (
        opened(address, tmp_path / "shared", engine) as target,
        pytest.raises(ResourceError, match="lost the connection"),
    ):
        fill(made, target, batch=4)
    engine.before = lambda call: None
    postgres_server.start()
    with opened(address, tmp_path / "shared", engine) as target:
        (worker,) = pushing.read_status(target).workers
        assert (worker.state, worker.documents, worker.under_way) == ("lost", 4, 4)
        report = fill(made, target, batch=4)
        assert (report.skipped, report.new, report.cleaned) == (4, 8, 4)
        assert engine.contents() == wanted(target.store)
        assert verify(made, target, TaskContext()).sound
