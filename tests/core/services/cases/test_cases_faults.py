"""The case book and the world: backups, damage, other programs, kills."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from cases_fakes import Clock, mark
from killing import kill_and_compare

from claimlight.errors import InputError, ResourceError
from claimlight.services.cases import cases
from claimlight.services.cases.cases import BACKUP_AFTER, CaseBook, DamagedCasesError
from claimlight.types import Action

FAKES = Path(__file__).with_name("cases_fakes.py")


def test_a_backup_a_day_checked_before_it_has_its_name(path, clock, monkeypatch):
    with CaseBook.open(path, clock=clock):
        pass
    assert [item.day for item in cases.list_backups(path)] == [date(2026, 3, 1)]
    with CaseBook.open(path, clock=clock):
        pass
    assert len(cases.list_backups(path)) == 1, "nothing new on the same day"
    clock.now += timedelta(days=1)
    with CaseBook.open(path, clock=clock) as book:
        book.create_case("one")
    days = [item.day.day for item in cases.list_backups(path)]
    assert days == [2, 2, 1], "at the opening on a new day, and when it is closed after work"
    for item in cases.list_backups(path):
        with closing(sqlite3.connect(item.path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    monkeypatch.setattr("claimlight.store.backup.find_fault", lambda *_: "page 3 is odd")
    with CaseBook.open(path, clock=clock) as book, pytest.raises(ResourceError, match="copy is damaged"):
        book.back_up()
    assert len(cases.list_backups(path)) == 3
    assert not list((path.parent / "backups").glob("*.tmp"))


def test_a_clock_that_goes_back_does_not_mix_the_backups_up(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        book.create_case("one")
    clock.now -= timedelta(days=400)
    with CaseBook.open(path, clock=clock) as book:
        book.create_case("two")
    newest = cases.list_backups(path)[0]
    assert newest.number == max(item.number for item in cases.list_backups(path))
    path.unlink()
    assert cases.restore(path) == newest
    with CaseBook.open(path, clock=clock) as book:
        assert {case.name for case in book.cases()} == {"one", "two"}


@pytest.mark.parametrize("damage", [b"", b"\0" * 20_000])
def test_a_damaged_book_is_said_kept_and_brought_back(path, clock, damage):
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("one").id
        book.mark(case, mark(1))
    path.write_bytes(damage)
    (path.parent / "cases.db-wal").write_bytes(b"stale")
    with pytest.raises(DamagedCasesError, match="restore the newest good backup"):
        CaseBook.open(path, clock=clock)
    assert path.read_bytes() == damage, "left as it was"
    used = cases.restore(path)
    assert used.day == date(2026, 3, 1)
    assert path.with_name("cases.db.damaged-1").read_bytes() == damage
    with CaseBook.open(path, clock=clock) as book:
        assert book.marks(case) == [mark(1)]


def test_a_damaged_backup_is_passed_over(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        book.create_case("one")
        older = book.back_up()
        book.create_case("two")
    newest = cases.list_backups(path)[0]
    assert newest.number > older.number
    Path(newest.path).write_bytes(b"\0" * 4096)
    path.write_bytes(b"")
    assert cases.restore(path) == older
    with CaseBook.open(path, clock=clock) as book:
        assert [case.name for case in book.cases()] == ["one"]


def test_a_book_that_is_gone_is_never_quietly_begun_anew(path, clock):
    CaseBook.open(path, clock=clock).close()
    path.unlink()
    with pytest.raises(DamagedCasesError, match="is gone, but backups of it are there"):
        CaseBook.open(path, clock=clock)
    assert not path.exists()


def test_without_a_sound_backup_nothing_is_touched(tmp_path):
    path = tmp_path / "cases.db"
    path.write_bytes(b"damaged")
    with pytest.raises(InputError, match="no undamaged backup"):
        cases.restore(path)
    assert path.read_bytes() == b"damaged"


def test_a_locked_book_waits_and_then_says_so(path, clock):
    with CaseBook.open(path, clock=clock, timeout=0.05) as book:
        case = book.create_case("one").id
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(ResourceError, match=r"locked by another program for over 0\.05 seconds"):
                book.mark(case, mark(1))
        book.mark(case, mark(1))
        assert book.marks(case) == [mark(1)]


def test_two_windows_write_one_book(path, clock):
    with CaseBook.open(path, clock=clock) as one, CaseBook.open(path, clock=clock) as two:
        case = one.create_case("one").id
        one.mark(case, mark(1))
        two.mark(case, mark(2))
        assert one.marks(case) == two.marks(case) == [mark(1), mark(2)]
        assert one.undo(case) == "US9000001B2: Y for claim 1 F1", "its own, not what the other did last"
        assert one.marks(case) == two.marks(case) == [mark(2)]
        assert one.undo(case) == ""
        assert two.undo(case) == "US9000002B2: A for claim 1 F1"


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
@pytest.mark.parametrize("seed", range(3))
def test_killed_while_marking(path, seed):
    """Killed at a random statement, four times over: every mark reported is there, and its log line."""
    rng = random.Random(seed)
    with CaseBook.open(path) as book:
        case = book.create_case("one").id
    reported = 0
    for _ in range(4):
        command = [
            sys.executable,
            str(FAKES),
            str(path),
            str(case),
            str(reported + 1),
            str(rng.randint(1, 60)),
        ]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=False)
        assert done.returncode == -9
        told = [int(line) for line in done.stdout.split()]
        reported = told[-1] if told else reported
        with CaseBook.open(path) as book:
            found = book.marks(case)
            assert found[:reported] == [mark(n) for n in range(1, reported + 1)]
            assert len(found) - reported in {0, 1}
            log = [item for item in book.history(case) if item.action is Action.MARKED]
            assert len(log) == len(found), "a mark and its line of the log are one step"
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        reported = len(found)
    assert reported > 0


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_killed_at_random_moments_of_case_work(tmp_path):
    """Marks, notes, tags, confirmations, dates, undo and redo; `killing.py --rounds 60` does more of it."""
    reported, kept = kill_and_compare(tmp_path, seed=3, rounds=5)
    assert kept >= reported >= 5


def test_a_book_that_is_worked_on_is_backed_up_every_half_hour(path):
    clock = Clock()
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("one").id
        assert book.back_up_if_due() is None
        clock.now += BACKUP_AFTER
        made = book.back_up_if_due()
        assert made is not None
        assert cases.list_contents(path)[0].cases == 1
        clock.now += BACKUP_AFTER
        assert book.back_up_if_due() is None, "nothing was changed since"
        book.mark(case, mark(1))
        clock.now -= BACKUP_AFTER
        assert book.back_up_if_due() is None
        clock.now -= 2 * BACKUP_AFTER
        assert book.back_up_if_due() is not None, "a clock that went back does not put it off"
