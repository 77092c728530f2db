"""A short run of every target, the same inputs each time; `python -m tests.fuzz` runs for longer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claimlight.errors import BugError, InputError
from tests.fuzz.mutating import JSON, XML, Mutator
from tests.fuzz.running import fuzz
from tests.fuzz.targets import SAMPLES, TARGETS, Target
from tests.fuzz.watching import SECRET

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the watch needs timers of POSIX")
EXECUTIONS = 100
"""Of a target of weight 1. Those that a library in C reads are run by command, in processes of their own."""
SHORT = [item for item in TARGETS if not item.native]


@pytest.mark.parametrize("target", SHORT, ids=lambda item: item.name.replace(" ", "-"))
def test_damaged_input_is_refused_in_words_or_read(target: Target, tmp_path: Path, monkeypatch):
    # Within the folder that the watch lets it write to.
    monkeypatch.setenv("CLAIMLIGHT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CLAIMLIGHT_CONFIG_DIR", str(tmp_path / "config"))
    result = fuzz(target, tmp_path, seed="suite", executions=max(10, int(EXECUTIONS * target.weight)))
    assert "\n".join(f"{item.kind}\n{item.text}\n{item.data[:300]!r}" for item in result.findings) == ""
    # Otherwise the inputs would be too bad to get anywhere, or the reader would refuse nothing at all.
    assert sum(result.outcomes.values()) == result.executions


def test_every_format_has_a_target():
    assert {f"format {folder.name}" for folder in SAMPLES.iterdir()} <= {item.name for item in TARGETS}


def test_the_same_seed_gives_the_same_inputs():
    seeds = [b"<a><b n='1'>x</b></a>", b'{"a": [1, {"b": "c"}]}\n{"a": 2}\n', b""]
    one, two, other = (Mutator(seed, seeds, (*XML, *JSON)) for seed in ("1", "1", "2"))
    made = [one.next() for _ in range(300)]
    assert made == [two.next() for _ in range(300)]
    assert made != [other.next() for _ in range(300)]
    assert len({*made}) > 200


def _found(read, tmp_path, good=(b"good",)) -> list[str]:
    """Kinds of the findings in a reader that is written to break a promise."""
    target = Target("broken", lambda _: ([*good], read))
    return [item.kind for item in fuzz(target, tmp_path, seed="1", executions=20).findings]


def _bad(data: bytes) -> bool:
    return data != b"good"


def _raises(error: BaseException):
    def read(data: bytes) -> object:
        if _bad(data):
            raise error
        return None

    return read


class Panic(BaseException):
    """As a library in Rust raises it."""


@pytest.mark.parametrize("error", [KeyError("x"), BugError("x"), RecursionError(), MemoryError(), Panic()])
def test_the_watch_sees_errors_that_are_none_of_the_program(error, tmp_path):
    assert _found(_raises(error), tmp_path) == [type(error).__name__]


def test_the_watch_lets_errors_of_the_program_pass(tmp_path):
    assert _found(_raises(InputError("refused")), tmp_path) == []


def test_the_watch_sees_reads_that_differ(tmp_path):
    numbers = iter(range(10_000))
    assert _found(lambda _: next(numbers), tmp_path) == ["differs"]


def test_the_watch_sees_files_and_secrets_of_others(tmp_path):
    outside = tmp_path.parent / "outside.txt"
    assert _found(lambda data: outside.write_bytes(b"x") if _bad(data) else 0, tmp_path)[0].startswith(
        "reached out"
    )
    assert _found(lambda data: SECRET if _bad(data) else "", tmp_path) == ["read another file"]


@pytest.mark.loopback
def test_the_watch_sees_connections(tmp_path):
    import socket

    def read(data: bytes) -> object:
        if _bad(data):
            with socket.socket() as tried:
                return tried.connect_ex(("127.0.0.1", 9))
        return 0

    assert _found(read, tmp_path)[0].startswith("reached out: socket.connect")


def test_the_watch_ends_a_read_that_does_not_end(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.fuzz.watching._LEAST_SECONDS", 0.2)
    monkeypatch.setattr("tests.fuzz.watching._TIMES", 0)

    def read(data: bytes) -> object:
        while _bad(data):
            pass
        return 0

    target = Target("broken", lambda _: ([b"good"], read))
    (finding,) = fuzz(target, tmp_path, seed="1", executions=2).findings
    assert finding.kind.startswith("too slow")


def test_a_target_that_refuses_its_good_input_is_no_target(tmp_path):
    with pytest.raises(InputError):
        fuzz(Target("broken", lambda _: ([b"good"], lambda _: _raise())), tmp_path, seed="1", executions=1)


def _raise() -> object:
    raise InputError("refused")
