"""Rows, backups and leftovers of a case book that are not what was written; rights of its files."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from cases_fakes import Clock, mark

from claimlight.errors import InputError, ResourceError
from claimlight.services.cases import cases
from claimlight.services.cases.cases import CaseBook, DamagedRowError

OUTSIDE = {
    "case": ("UPDATE case_file SET value = replace(value, 'one', 'One')", "Case 1, the case itself"),
    "time": ("UPDATE case_file SET changed = '2020-01-01T00:00:00+00:00'", "Case 1, the case itself"),
    "order": ("UPDATE case_file SET touched = 900", "Case 1, the case itself"),
    "mark": (
        "UPDATE state SET value = replace(value, 'note 1', 'Note 1')",
        "Case 1, mark of US9000001B2 1 F1",
    ),
    "whose mark": ("UPDATE state SET key = key || 'x'", "Case 1, mark of US9000001B2 1 F1x"),
    "set": ("UPDATE query_set SET notes = 'other'", "Case 1, set L1"),
    "hits": ("UPDATE query_set SET hits = zeroblob(length(hits))", "Case 1, set L1"),
}


@pytest.fixture
def filled(path):
    from query_set_fakes import found

    with CaseBook.open(path, clock=Clock()) as book:
        case = book.create_case("one", application="1. A wheel with a damper.").id
        book.mark(case, mark(1))
        book.record_set(case, found())
        book.create_case("two")
    return path


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_a_book_that_was_not_touched_is_sound(filled):
    with CaseBook.open(filled) as book:
        book.undo(book.cases()[1].id)
        book.redo(book.cases()[1].id)
        book.delete(book.create_case("three").id)
        assert book.faults == ()
        assert book.check().sound
    with CaseBook.open(filled) as book:
        assert book.faults == ()


@pytest.mark.parametrize("row", OUTSIDE)
def test_a_row_changed_from_outside_is_named_at_opening_and_by_the_check(filled, row):
    statement, named = OUTSIDE[row]
    change(filled, f"{statement} WHERE rowid = 1" if "case_file" in statement else statement)
    with CaseBook.open(filled) as book:
        assert [str(fault).split(": ")[0] for fault in book.faults] == [named]
        assert [str(fault) for fault in book.check().rows] == [str(fault) for fault in book.faults]
        assert {case.name.lower() for case in book.cases()} == {"one", "two"}


def test_a_changed_line_of_the_history_is_found_by_the_check(filled):
    change(filled, "UPDATE log SET text = 'nothing' WHERE id = 2")
    with CaseBook.open(filled) as book:
        (fault,) = book.check().rows
        assert str(fault) == "Case 1, line 2 of its history: its content is not what was written"


@pytest.mark.parametrize(
    "value", ["{", "[]", "null", '{"id":1}', "[" * 100_000, b"\xff\xfe", '{"id":1,"name":"x","created":"no"}']
)
def test_a_row_that_is_no_json_is_a_message_and_the_others_stay_readable(filled, value):
    change(filled, "UPDATE case_file SET value = CAST(? AS TEXT) WHERE id = 1", value)
    change(filled, "UPDATE state SET value = CAST(? AS TEXT)", value)
    change(filled, "UPDATE query_set SET request = CAST(? AS TEXT)", value)
    change(filled, "UPDATE log SET text = CAST(? AS TEXT) WHERE id = 1", b"\xff")
    with CaseBook.open(filled) as book:
        assert {fault.case for fault in book.faults} == {1}
        assert [fault.row for fault in book.faults] == [
            "the case itself",
            "mark of US9000001B2 1 F1",
            "set L1",
        ]
        assert [case.name for case in book.cases()] == ["two"]
        assert [item.case.name for item in book.summaries()] == ["two"]
        assert book.marks(book.cases()[0].id) == []
        with pytest.raises(DamagedRowError, match="Case 1 can't be read: its row is damaged"):
            book.case(book.cases()[0].id - 1)
        assert (book.marks(1), book.sets(1)) == ([], [])
        book.mark(book.cases()[0].id, mark(3))


def test_a_row_that_is_damaged_can_be_marked_again(filled):
    change(filled, "UPDATE state SET value = CAST(? AS TEXT)", b"\xff")
    with CaseBook.open(filled) as book:
        book.mark(1, mark(1))
        assert book.marks(1) == [mark(1)]
        assert book.check().sound


def test_a_bit_that_flips_in_a_row_is_found(filled):
    """Wherever in the values of rows: SQLite's own check sees none of these."""
    needle, missed = b"A wheel with a damper", []
    content = filled.read_bytes()
    at = content.index(needle)
    for offset in range(0, len(needle), 4):
        damaged = bytearray(content)
        damaged[at + offset] ^= 1
        filled.write_bytes(damaged)
        with CaseBook.open(filled) as book:
            if book.check().sound:
                missed.append(offset)
    assert missed == []


# Backups


def test_names_with_impossible_dates_are_passed_over(filled):
    folder = filled.parent / "backups"
    for name in ("cases-900001-2031-02-31.db", "cases-900002-0000-00-00.db", "cases-900003-2031-13-01.db"):
        (folder / name).write_bytes(b"")
    (folder / "cases-900004-2031-01-01.db").mkdir()
    assert max(item.number for item in cases.list_backups(filled)) < 900000
    with CaseBook.open(filled) as book:
        book.back_up()
    assert cases.restore(filled).number < 900000


def test_an_empty_book_is_never_brought_back(path):
    CaseBook.open(path, clock=Clock()).close()
    before = path.read_bytes()
    assert [item.cases for item in cases.list_contents(path)] == [0]
    for number in (None, 1):
        with pytest.raises(InputError, match=r"contains (no|a) readable case"):
            cases.restore(path, number)
    assert path.read_bytes() == before
    assert not list(path.parent.glob("cases.db.*ed-*"))


def test_a_newer_empty_backup_does_not_hide_the_work(filled):
    """The book was lost and begun anew before anybody noticed."""
    with closing(sqlite3.connect(filled)) as connection:
        for table in ("case_file", "state", "query_set", "log"):
            connection.execute(f"DELETE FROM {table}")
        connection.commit()
    with CaseBook.open(filled) as book:
        empty = book.back_up()
    used = cases.restore(filled)
    assert used.number < empty.number
    with CaseBook.open(filled) as book:
        assert [case.name for case in book.cases()] == ["two", "one"]


def test_a_database_that_is_no_case_book_is_not_brought_back(filled):
    newest = cases.list_backups(filled)[0].number
    folder = filled.parent / "backups"
    wrong = {
        1: ("PRAGMA application_id = 7",),
        2: ("PRAGMA user_version = 999",),
        3: ("DROP TABLE state",),
        4: ("CREATE TRIGGER t AFTER INSERT ON state BEGIN DELETE FROM state; END",),
        5: ("UPDATE case_file SET value = '{'",),
    }
    good = Path(cases.list_backups(filled)[0].path)
    for offset, statements in wrong.items():
        bad = folder / f"cases-{newest + offset:06d}-2031-01-01.db"
        bad.write_bytes(good.read_bytes())
        for statement in statements:
            change(bad, statement)
    used = cases.restore(filled)
    assert Path(used.path) == good
    with pytest.raises(InputError, match=r"can't be used: .*trigger t"):
        cases.restore(filled, newest + 4)
    with pytest.raises(InputError, match="no backup 77 of"):
        cases.restore(filled, 77)


def test_a_backup_with_damaged_rows_comes_second(filled):
    whole = cases.list_backups(filled)[0]
    change(filled, "UPDATE state SET value = replace(value, 'note 1', 'Note 1')")
    with CaseBook.open(filled, clock=Clock()) as book:
        faulty = book.back_up()
    assert faulty.path.endswith("-with-faults.db")
    assert [item.faults for item in cases.list_contents(filled)] == [1, 0, 0]
    assert cases.find_restorable(filled).backup == whole
    assert cases.restore(filled, faulty.number) == faulty


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_what_a_killed_backup_left_is_taken_away(filled):
    program = """
import os, signal, sys
from pathlib import Path
from claimlight.services.cases.cases import CaseBook
import claimlight.store.backup as copies
copies.find_fault = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with CaseBook.open(Path(sys.argv[1])) as book:
    book.back_up()
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    known = cases.list_backups(filled)
    done = subprocess.run([sys.executable, "-c", program, str(filled)], env=env, check=False)
    assert done.returncode == -signal.SIGKILL
    folder = filled.parent / "backups"
    assert list(folder.glob("*.tmp")), "the copy with the text of cases"
    (filled.parent / "cases.restoring").write_bytes(b"half a copy")
    assert cases.list_backups(filled) == known
    CaseBook.open(filled).close()
    assert [item.name for item in folder.iterdir() if ".tmp" in item.name] == []
    assert not (filled.parent / "cases.restoring").exists()


# Rights


@pytest.mark.skipif(sys.platform == "win32", reason="rights as POSIX has them")
def test_files_and_folders_of_the_book_are_for_their_owner_alone(path):
    before = os.umask(0)
    try:
        with CaseBook.open(path) as book:
            case = book.create_case("one").id
            book.hold(case)
            book.back_up()
            modes = {item: item.stat().st_mode & 0o777 for item in (path.parent, *path.parent.rglob("*"))}
        assert {mode for item, mode in modes.items() if item.is_dir()} == {0o700}
        assert {mode for item, mode in modes.items() if item.is_file()} == {0o600}
        assert path.with_name("cases.db-wal") in modes
        cases.restore(path)
        kept = [path, path.with_name("cases.db.replaced-1"), *(path.parent / "backups").glob("*.db")]
        assert {item.stat().st_mode & 0o777 for item in kept} == {0o600}
        for item in kept:
            item.chmod(0o644)
        (path.parent / "backups").chmod(0o755)
        CaseBook.open(path).close()
        assert {item.stat().st_mode & 0o777 for item in kept} == {0o600}, "as former versions left them"
        assert (path.parent / "backups").stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)


def test_a_folder_that_can_not_be_written_is_a_message(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ResourceError, match="No case book can be made"):
        CaseBook.open(tmp_path / "file" / "cases.db")


def test_two_hundred_flips_are_refused_found_or_change_nothing(filled):
    """A bit anywhere in the file: what can be read afterwards is what was written, or it is told."""

    def read(book):
        known = book.cases()
        return known, [
            (book.marks(case.id), book.sets(case.id), book.seen(case.id), book.history(case.id))
            for case in known
        ]

    def opened():
        return CaseBook.open(filled, clock=Clock())

    with opened() as book:
        written = read(book)
    content, rng, told = filled.read_bytes(), random.Random(5), 0
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        filled.write_bytes(damaged)
        for beside in ("-wal", "-shm"):
            Path(f"{filled}{beside}").unlink(missing_ok=True)
        try:
            with opened() as book:
                if book.check().sound:
                    assert read(book) == written
                else:
                    told += 1
        except ResourceError:
            told += 1
    assert told > 10
