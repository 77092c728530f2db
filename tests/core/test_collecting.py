"""Pauses of the garbage collection: nested, from several threads, and where it was off before."""

import gc
import threading

import pytest

from claimlight.collecting import paused_collection


@pytest.fixture(autouse=True)
def _collector():
    before = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if before else gc.disable)()


def test_the_last_block_ends_the_pause_also_after_an_error():
    def fail():
        with paused_collection():
            with paused_collection():
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        fail()
    assert gc.isenabled()


def test_what_was_off_stays_off():
    gc.disable()
    with paused_collection():
        pass
    assert not gc.isenabled()


def test_a_block_that_another_thread_is_in_keeps_the_pause():
    inside, leave = threading.Event(), threading.Event()

    def other():
        with paused_collection():
            inside.set()
            leave.wait(5)

    with paused_collection():
        thread = threading.Thread(target=other)
        thread.start()
        assert inside.wait(5)
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()
