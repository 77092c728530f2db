"""What does not look up when it is asked to stop is interrupted: in a call of the system, or in a loop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
WAITS = {
    "a pipe that nobody writes to": "os.mkfifo(sys.argv[1]); print('up', flush=True); open(sys.argv[1])",
    "a loop": "print('up', flush=True)\n        while True: pass",
}
CODE = """
import os, signal, sys
from claimlight.cli import front
from claimlight.errors import TaskCancelled
made = front.Front(events=True)
try:
    with made.working(patience={patience}):
        {wait}
except (KeyboardInterrupt, TaskCancelled):
    made.stopped()
    sys.exit(130)
"""


def start(tmp_path, wait: str, patience: float) -> subprocess.Popen[str]:
    return started(CODE.format(patience=patience, wait=wait), tmp_path / "pipe")


def started(code: str, *arguments: Path) -> subprocess.Popen[str]:
    """A child that has said that it is up."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)
    assert child.stdout.readline() == "up\n"
    return child


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS.keys())
@pytest.mark.parametrize("how", ["a signal", "a line"])
def test_a_deaf_command_is_interrupted(tmp_path, wait, how):
    with start(tmp_path, wait, 0.05) as child:
        if how == "a signal":
            child.send_signal(signal.SIGTERM)
        said, errors = child.communicate("" if how == "a signal" else "cancel\n", timeout=60)
    assert (child.returncode, said, errors) == (130, '{"event": "cancelled"}\n', "")


def test_a_second_sigterm_leaves_a_patient_command_its_time(tmp_path):
    """The window repeats its wish; a training that writes its state is not cut off by that."""
    wait = (
        "os.kill(os.getpid(), signal.SIGTERM); os.kill(os.getpid(), signal.SIGTERM); print('up', flush=True)"
    )
    with start(tmp_path, wait, 300) as child:
        said, errors = child.communicate(timeout=60)
    assert (child.returncode, said, errors) == (0, "", "")


def test_the_command_line_says_that_it_was_interrupted(tmp_path):
    """Through the whole program, whose parser has an end of its own for an interrupted command."""
    code = """
import os, sys
from claimlight.cli import front, library_commands
from claimlight.cli.__main__ import run
working = front.Front.working
front.Front.working = lambda made: working(made, patience=0.05)
library_commands.import_paths = lambda *_, **__: (print("up", flush=True), open(sys.argv[1]))
os.mkfifo(sys.argv[1])
sys.exit(run(["--events", "jsonl", "import", sys.argv[2], "--library", sys.argv[2]]))
"""
    (tmp_path / "in").mkdir()
    with started(code, tmp_path / "pipe", tmp_path / "in") as child:
        child.send_signal(signal.SIGTERM)
        said, errors = child.communicate(timeout=60)
    assert (child.returncode, said, errors) == (130, '{"event": "cancelled"}\n', "")
