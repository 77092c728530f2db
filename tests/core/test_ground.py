"""Digests, cores and unit vectors: each in one place, and right there."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from claimlight import digests, machine, vectors

ROOT = Path(__file__).parents[2]


def _modules_with(pattern: str) -> set[str]:
    tops = (ROOT / "core", ROOT / "app")
    return {
        path.relative_to(ROOT).as_posix()
        for top in tops
        for path in top.rglob("*.py")
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }


def test_cores_are_counted_in_one_place():
    assert _modules_with(r"sched_getaffinity|cpu_count") == {"core/claimlight/machine.py"}


def test_sha256_is_asked_for_in_one_place():
    """Elsewhere only where the bytes come in pieces, or the digest is wanted as bytes."""
    assert _modules_with(r"hashlib\.sha256|import sha256\b.*hashlib|from hashlib import sha256") == {
        "core/claimlight/digests.py",
        "core/claimlight/evaluation/vectors.py",
        "core/claimlight/index/center_vocabulary.py",
        "core/claimlight/index/files.py",
        "core/claimlight/lab/papers/clef_ip/passages.py",
        "core/claimlight/types/set_hits.py",
    }


def test_a_digest_is_that_of_the_values_one_after_the_other(tmp_path: Path):
    expected = hashlib.sha256("aä\0b".encode()).hexdigest()
    assert digests.sha256("aä\0b") == digests.sha256("aä", b"\0", "b") == expected
    assert digests.sha256("\udcff") == hashlib.sha256(b"\xed\xb3\xbf").hexdigest()
    path = tmp_path / "file"
    path.write_bytes(b"x" * 3_000_000)
    assert digests.file_digest(path) == hashlib.sha256(b"x" * 3_000_000).hexdigest()
    assert digests.file_digest(path, hashlib.blake2b) == hashlib.blake2b(b"x" * 3_000_000).hexdigest()
    with pytest.raises(FileNotFoundError):
        digests.file_digest(tmp_path / "missing")


def _group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


@pytest.mark.parametrize(
    ("limits", "cpus"),
    [
        ({}, None),
        ({".": "max 100000"}, None),
        ({".": "150000 100000"}, 1.5),
        ({"a": "400000 100000", "a/b": "max 100000"}, 4.0),
        ({".": "800000 100000", "a": "300000 100000", "a/b": "50000 100000"}, 0.5),
        ({"a/b": "nonsense"}, None),
        ({"a/b": "100000 0"}, None),
    ],
)
def test_the_least_quota_of_the_own_groups_counts(tmp_path: Path, limits, cpus):
    for name, text in limits.items():
        _group(tmp_path / "groups" / name, cpu__max=text)
    own = tmp_path / "own"
    own.write_text("0::/a/b\n")
    assert machine._quota(tmp_path / "groups", own) == cpus


@pytest.mark.parametrize(("quota", "cpus"), [("250000", 2.5), ("-1", None), ("", None)])
def test_groups_of_the_first_version(tmp_path: Path, quota: str, cpus):
    _group(tmp_path / "groups" / "cpu" / "docker" / "x", cpu__cfs_quota_us=quota, cpu__cfs_period_us="100000")
    own = tmp_path / "own"
    own.write_text("7:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n")
    assert machine._quota(tmp_path / "groups", own) == cpus


def test_a_system_without_groups_has_no_quota(tmp_path: Path):
    assert machine._quota(tmp_path, tmp_path / "missing") is None


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="has no affinity")
def test_cores_taken_from_the_process_do_not_count():
    program = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from claimlight.machine import usable_cores; print(usable_cores())"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == "1"
    assert machine.usable_cores() >= 1


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_unit_rows_keep_their_precision_and_zeros(kind):
    rows = np.array([[3, 4], [0, 0], [1e-30, 0]], dtype=kind)
    found = vectors.unit_rows(rows)
    assert found.dtype == kind
    assert found[:2] == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))
    for row in rows[:2]:
        one = vectors.unit(row)
        assert one.dtype == kind
        assert one == pytest.approx(vectors.unit_rows(row[None])[0])


LOWER = """
import os, threading
from claimlight import machine
ready, go = threading.Event(), threading.Event()
def other():
    ready.set(); go.wait(); print(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
thread = threading.Thread(target=other); thread.start(); ready.wait()
before = os.getpriority(os.PRIO_PROCESS, 0)
print(before, machine.lower_priority(), os.getpriority(os.PRIO_PROCESS, 0), flush=True)
go.set(); thread.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own there")
def test_a_lowered_priority_is_that_of_all_threads():
    done = subprocess.run([sys.executable, "-c", LOWER], capture_output=True, text=True, check=True)
    before, lowered, own, other = done.stdout.split()
    assert lowered == "True"
    assert int(own) == int(other) == min(int(before) + 10, 19)


def test_a_refused_priority_is_no_fault(monkeypatch):
    def refuse(_):
        raise PermissionError

    monkeypatch.setattr(machine.os, "nice", refuse, raising=False)
    monkeypatch.setattr(machine.os, "name", "posix")
    assert machine.lower_priority() is False


class _Kernel:
    """The two functions of kernel32 that are used."""

    class _Function:
        def __init__(self, answer):
            self.answer, self.given = answer, []

        def __call__(self, *arguments):
            self.given.append(arguments)
            return self.answer

    def __init__(self, answer=1):
        self.GetCurrentProcess = self._Function(-1 % (1 << 64))
        self.SetPriorityClass = self._Function(answer)


@pytest.mark.parametrize("answer", [1, 0])
def test_windows_has_a_class_below_the_normal_one(monkeypatch, answer):
    kernel = _Kernel(answer)
    monkeypatch.setattr(machine.ctypes, "WinDLL", lambda name: {"kernel32": kernel}[name], raising=False)
    monkeypatch.setattr(machine.os, "name", "nt")
    assert machine.lower_priority() is bool(answer)
    monkeypatch.undo()
    # BELOW_NORMAL_PRIORITY_CLASS, and a handle of 64 bits.
    assert kernel.SetPriorityClass.given == [(0xFFFF_FFFF_FFFF_FFFF, 0x4000)]
    assert kernel.GetCurrentProcess.restype is machine.ctypes.c_void_p
