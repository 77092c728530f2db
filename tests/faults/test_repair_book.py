"""A damaged case book is made again of its sound rows, its history and a backup; nothing goes silently."""

from __future__ import annotations

import random
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from claimlight.errors import ResourceError
from claimlight.services.cases.cases import CaseBook
from claimlight.services.repair import words
from claimlight.services.repair.book_repair import examine_book, repair_book
from claimlight.store.backup import make_backup
from claimlight.types import Category, Mark, PublicationNumber
from tests.core.services.cases.cases_fakes import Clock, mark
from tests.core.services.cases.query_set_fakes import found

OLD, NEW = 40, 90
PAGE = 4096


@pytest.fixture
def book(tmp_path):
    """A backup with 40 marks and a set; then 50 more, one changed, one removed, a note, a set and a case."""
    path = tmp_path / "cases.db"
    with CaseBook.open(path, clock=Clock()) as held:
        case = held.create_case("one", application="1. A wheel with a damper.").id
        for number in range(OLD):
            held.mark(case, mark(number))
        held.record_set(case, found())
        made = make_backup(path, path.parent / "backups", date(2026, 3, 1))
        for number in range(OLD, NEW):
            held.mark(case, mark(number))
        held.mark(case, replace(mark(1), note="changed since"))
        held.mark(case, replace(mark(2), category=None, note=""))
        held.record_set(case, found())
        held.create_case("two")
    for item in (path.parent / "backups").glob("*.db"):
        if str(item) != made.path:
            item.unlink()  # the one that closing made
    return path


def state(path) -> dict[str, object]:
    # A copy: opening would make a backup of what is read.
    with tempfile.TemporaryDirectory() as other:
        copy = Path(shutil.copy(path, other))
        return _read(copy)


def _read(path) -> dict[str, object]:
    with CaseBook.open(path) as held:
        return {
            "cases": {case.name: case.application for case in held.cases()},
            "marks": {(str(item.publication), item.note) for item in held.marks(1)},
            "sets": [item.hits for item in held.sets(1)],
            "sound": held.check().sound,
        }


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount, statement


def test_rows_damaged_after_the_backup_come_back_from_the_history(book):
    before = state(book)
    change(
        book,
        "UPDATE state SET value = 'x' WHERE key LIKE '%9000001%' OR key LIKE '%9000085%'",
        "UPDATE case_file SET changed = '2020-01-01' WHERE id = 2",
    )
    damaged = examine_book(book)
    assert len(damaged.rows) == 3
    done = repair_book(damaged)
    assert len(done.from_history) == 2 + ("case 2 itself" in done.from_history)
    assert done.older == ()
    after = state(book)
    if done.lost:
        # A case that was made and not changed has no line with its content.
        assert done.lost == ("case 2 itself",)
        assert after["marks"] == before["marks"]
    else:
        assert after == before
    with closing(sqlite3.connect(done.kept)) as connection:
        assert connection.execute("SELECT count(*) FROM state WHERE value = 'x'").fetchone() == (2,)


def test_damaged_sets_come_back_from_the_backup_and_newer_ones_are_named(book):
    before = state(book)
    change(book, "UPDATE query_set SET notes = 'other' WHERE number = 1")
    done = repair_book(examine_book(book))
    assert (done.newer, done.lost, done.older) == (1, (), ())
    assert state(book) == before
    change(book, "UPDATE query_set SET notes = 'other' WHERE number = 2")
    done = repair_book(examine_book(book))
    assert done.lost == ("set L2 of case 1",)
    # It stays as it is: nobody but the examiner can say what it is worth.
    assert [str(fault).split(":")[0] for fault in examine_book(book).rows] == ["Case 1, set L2"]


def test_with_damaged_pages_what_is_newer_than_the_backup_is_taken_from_the_book(book):
    """Wherever a page is destroyed, each decision is there again, or the one of the backup."""
    before = state(book)
    body = book.read_bytes()
    repaired = whole = marks = 0
    for page in range(1, len(body) // PAGE):
        book.write_bytes(body[: page * PAGE] + b"\xa5" * PAGE + body[(page + 1) * PAGE :])
        damaged = examine_book(book)
        if not damaged.damaged:
            continue
        done = repair_book(damaged)
        after = state(book)
        assert after["sound"] or done.lost
        notes = {name for name, _ in after["marks"]}
        assert {str(mark(number).publication) for number in range(OLD)} - {str(mark(2).publication)} <= notes
        repaired += 1
        whole += after == before
        assert after["marks"] <= before["marks"] | {
            (str(mark(number).publication), mark(number).note) for number in (1, 2)
        }
        marks += after["marks"] == before["marks"]
        assert not done.whole
    assert repaired > 10
    # Marks are in the table and in the history: a page of one of them costs none.
    assert marks > repaired - 3
    assert whole > repaired // 2


def test_without_a_backup_the_sound_rows_alone_make_the_book(tmp_path):
    path = tmp_path / "cases.db"
    with CaseBook.open(path, clock=Clock()) as held:
        case = held.create_case("one").id
        for number in range(60):
            held.mark(case, mark(number))
    for item in (tmp_path / "backups").glob("*.db"):
        item.unlink()
    body = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'log_case'").fetchone()
    path.write_bytes(body[: (root - 1) * PAGE] + bytes(PAGE) + body[root * PAGE :])
    damaged = examine_book(path)
    assert damaged.pages
    assert damaged.newest is None
    done = repair_book(damaged)
    assert done.backup == ""
    with CaseBook.open(path) as held:
        assert len(held.marks(case)) == 60
        assert held.check().sound
        assert len(held.history(case)) == 61


def test_a_book_that_is_gone_or_no_database_comes_back_from_the_backup(book):
    for damage in (b"", b"\0" * 5000, None):
        if damage is None:
            book.unlink()
        else:
            book.write_bytes(damage)
        done = repair_book(examine_book(book))
        assert done.backup
        assert len(state(book)["marks"]) == OLD
        assert (done.kept == "") == (damage is None)


def test_an_open_book_is_not_touched_and_a_newer_one_is_refused(book):
    change(book, "UPDATE state SET value = 'x' WHERE key LIKE '%9000001%'")
    before = book.read_bytes()
    damaged = examine_book(book)
    with CaseBook.open(book), pytest.raises(ResourceError, match="is open in process"):
        repair_book(damaged)
    assert book.read_bytes() == before
    change_version(book, 99)
    found = examine_book(book)
    assert "schema version 99" in found.refused
    assert not found.damaged


def change_version(path, number):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {number}")
        connection.commit()


def test_what_was_never_there_is_no_damage(tmp_path):
    assert examine_book(tmp_path / "cases.db") is None
    with CaseBook.open(tmp_path / "cases.db") as held:
        held.mark(held.create_case("one").id, Mark(PublicationNumber("EP", "1", "A1"), Category.X))
    assert not examine_book(tmp_path / "cases.db").damaged


def test_an_encrypted_book_is_left_to_the_commands_that_ask_for_the_passphrase(book):
    """Nothing in clear takes its place: what looks damaged may be encrypted."""
    body = random.Random(2).randbytes(40 * PAGE)
    book.write_bytes(body)
    found = examine_book(book)
    assert found.encrypted
    assert not found.damaged
    finding = words.book_state(found)
    assert finding.ok
    assert "`claimlight cases check`" in finding.advice
    assert book.read_bytes() == body
