"""A program that is run, and killed, again and again: in forks of one process that has imported it.

Run as a program it imports a file and runs its `main` for every line that it reads.
"""

from __future__ import annotations

import importlib.util
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
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        given = [str(each) for each in arguments]
        self._process.stdin.write(json.dumps(given) + "\n")
        self._process.stdin.flush()
        status, printed = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess(given, status, printed)


def _load(program: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(program.stem, program)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[program.stem] = module
    spec.loader.exec_module(module)
    return module


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
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        printed = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), printed


def main(program: str) -> None:
    module = _load(Path(program))
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_run(module, json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
