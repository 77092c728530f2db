"""Case work and backups on a disk whose n-th write or sync fails, n = 1, 2, 3 … until none is met.

As a program, with `failing.c` in front of the C library, ``python -m tests.faults.failing WORK SYNC LASTING
CODE FOLDER`` tries every n, each in a fork of its own, checks what is left, and prints how many tries failed
and how often a step was refused.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sqlite3
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from claimlight.errors import ResourceError
from claimlight.services.cases import cases
from claimlight.services.cases.cases import CaseBook
from claimlight.types import CaseId
from tests.core.services.cases import killing

SEED, STEPS = 11, 4
CASE = CaseId(1)


def work_on_cases(folder: Path) -> dict[str, Any]:
    """Some steps of case work; those that were saved, and the message of the one that was not."""
    saved = 0
    try:
        with CaseBook.open(folder / "cases.db") as book:
            before = killing.state(book, CASE)
            for step in range(1, STEPS + 1):
                try:
                    killing.work(book, CASE, SEED, step)
                except ResourceError:
                    # Reading continues on the same book, and the step is there or not.
                    found = killing.state(book, CASE)
                    assert found == before, "a step that was refused can be seen"
                    raise
                before, saved = killing.state(book, CASE), step
    except ResourceError as error:
        return {"saved": saved, "message": str(error)}
    return {"saved": saved, "message": ""}


def check_cases(folder: Path, told: dict[str, Any], states: list[Any]) -> None:
    """All steps that were saved are there, at most one more, and work continues."""
    with CaseBook.open(folder / "cases.db") as book:
        assert book.check().sound
        found = killing.state(book, CASE)
        # The step whose sync failed was reported as not saved; its bytes may be on disk all the same.
        assert found in states[told["saved"] : told["saved"] + 2], told
        book.create_case("after")
    assert told["message"] or told["saved"] == STEPS
    assert not told["message"] or "cases.db" in told["message"], told


def work_on_backup(folder: Path) -> dict[str, Any]:
    """A backup beside the one that is there."""
    known = len(cases.list_backups(folder / "cases.db"))
    with CaseBook.open(folder / "cases.db") as book:
        try:
            book.back_up()
        except ResourceError as error:
            return {"saved": known, "message": str(error)}
    return {"saved": known + 1, "message": ""}


def check_backup(folder: Path, told: dict[str, Any], states: list[Any]) -> None:
    """Every file with the name of a backup is whole, and nothing is left beside it."""
    found = cases.list_contents(folder / "cases.db")
    assert len(found) >= told["saved"] >= 1
    assert not [item.fault for item in found if item.fault], told
    assert not list((folder / "backups").glob("*.tmp*"))
    with CaseBook.open(folder / "cases.db") as book:
        assert killing.state(book, CASE) == states[0]
        assert book.back_up().number > found[0].backup.number


Check = Callable[[Path, dict[str, Any], list[Any]], None]
WORKS: dict[str, tuple[Callable[[Path], dict[str, Any]], Check, bytes]] = {
    "cases": (work_on_cases, check_cases, b"/cases.db"),
    "backup": (work_on_backup, check_backup, b"/backups"),
}


def prepare(folder: Path) -> list[Any]:
    """A case book, and its states after each step of an undisturbed run."""
    with CaseBook.open(folder / "base" / "cases.db") as book:
        book.create_case("one")
    shutil.copytree(folder / "base", folder / "calm")
    with CaseBook.open(folder / "calm" / "cases.db") as book:
        states = [killing.state(book, CASE)]
        for step in range(1, STEPS + 1):
            killing.work(book, CASE, SEED, step)
            states.append(killing.state(book, CASE))
    return states


def main(name: str, sync: str, lasting: str, code: str, place: str) -> None:
    folder, (work, check, part) = Path(place), WORKS[name]
    states, shim = prepare(folder), ctypes.CDLL(None)
    tries = refused = 0
    for n in count(1):
        disk, result = folder / "disk", folder / "result.json"
        shutil.rmtree(disk, ignore_errors=True)
        shutil.copytree(folder / "base", disk)
        child = os.fork()
        if not child:
            try:
                shim.fail_at(n, int(lasting), int(sync), int(code), part)
                told = work(disk)
                result.write_text(json.dumps(told | {"failures": shim.failures()}))
                os._exit(0)
            except BaseException:  # noqa: BLE001 - a fork may not run the code of its parent
                traceback.print_exc()
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0, f"failure {n} was not handled"
        told = json.loads(result.read_text())
        if not told["failures"]:
            assert not told["message"], told
            break
        tries += 1
        refused += bool(told["message"])
        for path in disk.glob("*.db"):
            with closing(sqlite3.connect(path)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        check(disk, told, states)
    sys.stdout.write(f"{tries} {refused}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
