"""A program that is run, and killed, again and again: in forks of one process that has imported it.

Run as a program it imports a file and runs its `main` for every line that it reads.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Self


class Forks:
    """Runs ``main(*arguments)`` of a file; importing takes a second, which each run would take by itself."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(program.parent), *sys.path])},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """One run to its end: its exit status, minus the signal if it was killed, and what it printed."""
        given = [str(each) for each in arguments]
        self._process.stdin.write(json.dumps(given) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"the process that runs the program ended before {given}"
        status, printed = json.loads(answer)
        return subprocess.CompletedProcess(given, status, printed)


def _run(module: ModuleType, arguments: list[str]) -> tuple[int, str]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.dup2(writing, 1)
            module.main(*arguments)
            sys.stdout.flush()
            status = 0
        except BaseException:  # noqa: BLE001 - a fork may not run the code of its parent
            traceback.print_exc()  # and the status is 1, which no test takes for a kill or an end
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        printed = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), printed


def main(program: str) -> None:
    module = importlib.import_module(Path(program).stem)  # its folder is the first of the path
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_run(module, json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
