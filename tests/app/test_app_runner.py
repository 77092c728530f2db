from __future__ import annotations

import threading
import weakref

import pytest
from PySide6.QtCore import QObject

from claimlight.errors import AppError
from claimlight.types import Committed, Progress
from claimlight_workbench.jobs.runner import Job, JobRunner, Lane


def test_result_arrives_on_the_gui_thread(qtbot, runner: JobRunner):
    seen = []
    job = runner.submit(lambda _context: threading.get_ident())
    job.succeeded.connect(lambda worker: seen.append((worker, threading.get_ident())))
    qtbot.waitUntil(lambda: bool(seen))
    worker, gui = seen[0]
    assert worker != gui == threading.get_ident()


@pytest.mark.parametrize("fails", [False, True])
def test_what_a_task_holds_never_dies_in_a_worker(qtbot, runner: JobRunner, fails):
    """Qt objects must not; the GUI thread lets go of them while the worker still runs its last lines."""
    died = []

    class Held:
        def work(self, _context):
            if fails:
                raise AppError("no")
            return 1

    for number in range(60):
        held = Held()
        weakref.finalize(held, lambda: died.append(threading.get_ident()))
        runner.submit(lambda context, held=held: held.work(context))
        del held
        qtbot.waitUntil(lambda number=number: runner.busy == 0 and len(died) == number + 1)
    assert set(died) == {threading.get_ident()}


def test_a_superseded_result_never_arrives(qtbot, runner: JobRunner):
    gate, started, got, cut = threading.Event(), threading.Event(), [], []

    def slow(_context):
        started.set()
        gate.wait(5)
        return "old"

    old = runner.submit(slow, supersedes="search")
    old.succeeded.connect(got.append)
    old.cancelled.connect(lambda: cut.append(True))
    assert started.wait(5)
    new = runner.submit(lambda _context: "new", supersedes="search")
    new.succeeded.connect(got.append)
    gate.set()
    qtbot.waitUntil(lambda: runner.busy == 0)
    assert got == ["new"]
    assert cut == [True]


def test_cancel_unwinds_a_task_even_through_a_broad_except(qtbot, runner: JobRunner):
    inside, left, failures = threading.Event(), threading.Event(), []

    def task(context):
        try:
            while True:
                inside.set()
                try:
                    context.check()
                except Exception:  # noqa: BLE001 - the very thing that must not swallow it
                    failures.append("swallowed")
        finally:
            left.set()

    job = runner.submit(task, lane=Lane.WRITE)
    job.failed.connect(failures.append)
    assert inside.wait(5)
    with qtbot.waitSignal(job.cancelled):
        job.cancel()
    assert left.wait(5)
    qtbot.waitUntil(lambda: runner.busy == 0)
    assert not failures


def test_an_error_is_delivered(qtbot, runner: JobRunner):
    def task(_context):
        raise AppError("no such file: a.xml")

    with qtbot.waitSignal(runner.submit(task).failed) as caught:
        pass
    assert str(caught.args[0]) == "no such file: a.xml"


def test_progress_is_thinned_but_nothing_else_is(qtbot, runner: JobRunner):
    got, done = [], []

    def task(context):
        for number in range(2000):
            context.report(Progress("import", number, 2000, "documents", 1.0, None))
        context.report(Committed("import", 7))
        context.report(Progress("import", 2000, 2000, "documents", 1.0, 0.0))
        return "end"

    job = runner.submit(task)
    job.progressed.connect(got.append)
    job.succeeded.connect(done.append)
    qtbot.waitUntil(lambda: done == ["end"])
    assert Committed("import", 7) in got
    assert got[-1].done == 2000
    assert [item.done for item in got if isinstance(item, Progress)] == sorted(
        item.done for item in got if isinstance(item, Progress)
    )


def test_the_write_lane_keeps_the_order(qtbot, runner: JobRunner):
    order: list[int] = []
    for number in range(20):
        runner.submit(lambda _context, n=number: order.append(n), lane=Lane.WRITE)
    qtbot.waitUntil(lambda: runner.busy == 0)
    assert order == list(range(20))


def test_the_end_of_the_program_finishes_writes_and_cancels_reads(qapp):
    runner, written, gate = JobRunner(), [], threading.Event()
    reading = threading.Event()

    def read(context):
        reading.set()
        while True:
            context.check()

    runner.submit(read)
    runner.submit(lambda _context: gate.wait(5), lane=Lane.WRITE)
    runner.submit(lambda _context: written.append("mark"), lane=Lane.WRITE)
    assert reading.wait(5)
    gate.set()
    runner.shutdown()
    assert written == ["mark"]


def test_finished_jobs_are_released(qtbot, runner: JobRunner):
    jobs = [runner.submit(lambda _context: None) for _ in range(50)]
    jobs[7].cancel()
    qtbot.waitUntil(lambda: not runner.findChildren(Job))
    assert runner.busy == 0


@pytest.mark.parametrize("lane", list(Lane))
def test_a_receiver_that_is_gone_is_no_harm(qtbot, runner: JobRunner, lane: Lane):
    receiver = QObject()
    gate = threading.Event()
    job = runner.submit(lambda _context: gate.wait(5), lane=lane)
    job.succeeded.connect(receiver.setObjectName)
    receiver.deleteLater()
    qtbot.wait(1)
    gate.set()
    qtbot.waitUntil(lambda: runner.busy == 0)
