"""Locks on files: alone or shared, with a note for who comes second."""

from __future__ import annotations

import os
import sys
from threading import Timer

import pytest

from claimlight.errors import ResourceError
from claimlight.locks import FileLock, SoleLock, this_process


def test_who_comes_second_is_told_and_a_glance_is_waited_out(tmp_path):
    path = tmp_path / "locks" / "a.lock"
    with SoleLock(path, "taken by another"), pytest.raises(ResourceError, match="taken by another"):
        SoleLock(path, "taken by another").__enter__()
    glance = FileLock(path)
    assert glance.take(shared=True)
    Timer(0.03, glance.release).start()
    with SoleLock(path, "taken by another"):
        assert "process" in FileLock(path).read_note()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_a_lock_is_as_open_as_its_folder(tmp_path):
    tmp_path.chmod(0o770)
    with SoleLock(tmp_path / "a.lock", ""):
        assert (tmp_path / "a.lock").stat().st_mode & 0o060


def test_one_holds_alone_and_many_share(tmp_path):
    path = tmp_path / "locks" / "a.lock"
    one, two, three = FileLock(path), FileLock(path), FileLock(path)
    assert one.take(note="first")
    assert one.take(), "it is held already"
    assert (two.take(), two.take(shared=True), two.read_note()) == (False, False, "first")
    one.release()
    one.release()
    assert (two.take(shared=True), three.take(shared=True), one.take()) == (True, True, False)
    two.release()
    assert not one.take()
    three.release()
    assert one.take(note="x")
    assert two.read_note() == "x", "the longer note of before is gone"
    assert (one.held, two.held) == (True, False)
    one.release()


@pytest.mark.skipif(sys.platform == "win32", reason="rights as POSIX has them")
def test_a_lock_file_is_for_its_owner_alone(tmp_path):
    lock = FileLock(tmp_path / "locks" / "a.lock")
    before = os.umask(0)
    try:
        lock.take()
    finally:
        os.umask(before)
    lock.release()
    assert lock.path.stat().st_mode & 0o777 == 0o600
    assert lock.path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("started", "name"),
    [("/x/bin/claimlight", "claimlight"), ("/x/app/__main__.py", "app"), ("", "python"), ("-c", "-c")],
)
def test_a_process_is_named_by_how_it_was_started(monkeypatch, started, name):
    monkeypatch.setattr(sys, "argv", [started])
    assert this_process() == f"process {os.getpid()} ({name})"
