"""What does not look up when it is asked to stop is interrupted: in a call of the system, or in a loop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
WAITS = {
    "a pipe that nobody writes to": "os.mkfifo(sys.argv[1]); print('up', flush=True); open(sys.argv[1])",
    "a loop": "print('up', flush=True)\n        while True: pass",
}
CODE = """
import os, signal, sys
from core.cli import front
from core.errors import TaskCancelled
made = front.Front(events=True)
try:
    with made.working(patience={patience}):
        {wait}
except (KeyboardInterrupt, TaskCancelled):
    made.stopped()
    sys.exit(130)
"""


def start(tmp_path, wait: str, patience: float) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", CODE.format(patience=patience, wait=wait), str(tmp_path / "pipe")]
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
