"""Writes and syncs of the case book and its backups that fail one by one, and logs beside the wrong book."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from claimlight.services.cases import cases
from claimlight.services.cases.cases import CaseBook, DamagedCasesError
from claimlight.types import CaseId
from tests.core.services.cases import killing
from tests.faults.power_loss import build_shim, find_compiler

EIO, ENOSPC = "5", "28"
compiled = pytest.mark.skipif(find_compiler() is None, reason="needs Linux and a C compiler")


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    return build_shim("failing", tmp_path_factory.mktemp("shim"))


def fail_each(shim, folder, work, *, sync, lasting, code):
    """Fail each write or sync in turn; how many there were, and how many refusals."""
    command = [sys.executable, "-m", "tests.faults.failing", work, str(int(sync)), str(int(lasting)), code]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LD_PRELOAD": str(shim)}
    done = subprocess.run(
        [*command, str(folder)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return tuple(map(int, done.stdout.split()))


@compiled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("sync", "lasting", "code", "least"),
    [
        (False, False, EIO, 30),
        (False, True, ENOSPC, 30),
        (True, True, EIO, 5),
        pytest.param(False, True, EIO, 30, marks=pytest.mark.variants),
        pytest.param(False, False, ENOSPC, 30, marks=pytest.mark.variants),
        pytest.param(True, False, EIO, 5, marks=pytest.mark.variants),
    ],
)
def test_a_step_whose_write_or_sync_fails_is_refused_and_the_others_stay(
    tmp_path, shim, sync, lasting, code, least
):
    """Rows 8 and 9: a message names the book, reading continues, the next opening is whole."""
    tried, refused = fail_each(shim, tmp_path, "cases", sync=sync, lasting=lasting, code=code)
    assert tried >= refused >= least


@compiled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("sync", "lasting", "code"),
    [
        (False, True, ENOSPC),
        pytest.param(False, False, EIO, marks=pytest.mark.variants),
        pytest.param(True, True, EIO, marks=pytest.mark.variants),
    ],
)
def test_a_backup_whose_write_or_sync_fails_gets_no_name(tmp_path, shim, sync, lasting, code):
    """Row 12: every backup that has its name is whole, and the next one can be made."""
    tried, refused = fail_each(shim, tmp_path, "backup", sync=sync, lasting=lasting, code=code)
    assert tried >= refused >= 5


@pytest.fixture
def book_and_log(tmp_path):
    """A case book whose newest step is in the log alone; its states without and with it."""
    path, kept, states = tmp_path / "Cases" / "cases.db", tmp_path / "kept", []
    kept.mkdir()
    with CaseBook.open(path) as book:
        case = book.create_case("one").id
    with CaseBook.open(path) as book:
        states.append(killing.state(book, case))
        killing.work(book, case, 7, 1)
        states.append(killing.state(book, case))
        for name in ("cases.db", "cases.db-wal"):
            shutil.copy(path.with_name(name), kept / name)
    for name in ("cases.db", "cases.db-wal"):
        shutil.copy(kept / name, path.with_name(name))
    return path, states


def test_a_log_that_is_deleted_costs_only_its_steps(book_and_log):
    """Row 20: the book without its log is the one before."""
    path, states = book_and_log
    path.with_name("cases.db-wal").unlink()
    with CaseBook.open(path) as book:
        assert book.check().sound
        assert killing.state(book, CaseId(1)) == states[0]


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_log_of_another_book_never_comes_into_a_restored_one(book_and_log, suffix):
    """Row 20: the log of the damaged book, which SQLite would apply, leaves with it."""
    path, states = book_and_log
    log = path.with_name("cases.db-wal")
    if suffix == "-journal":
        log.rename(path.with_name("cases.db-journal"))
    with path.open("r+b") as stream:
        stream.write(bytes(100))
    with pytest.raises(DamagedCasesError):
        CaseBook.open(path)
    cases.restore(path)
    assert path.with_name(f"cases.db.damaged-1{suffix}").exists()
    assert not path.with_name(f"cases.db{suffix}").exists()
    with CaseBook.open(path) as book:
        assert book.check().sound
        assert killing.state(book, CaseId(1)) == states[1], "the backup of the last closing"
