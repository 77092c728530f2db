"""The regular check: what is due, what it finds, and what it remembers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import date, timedelta

import pytest

from claimlight import paths
from claimlight.cli.__main__ import run
from claimlight.databases import CASES_FILE, LIBRARY_FILE
from claimlight.services.cases import case_backups
from claimlight.services.cases.cases import CaseBook
from claimlight.services.repair import check_dates, checkups
from claimlight.services.repair.words import BOOK, LIBRARY
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from tests.fakes import library, patent

TODAY = date(2026, 3, 1)


@pytest.fixture
def folder(tmp_path):
    library(
        tmp_path / "library", [patent(str(n), "a damper", claims=["1. A damper."]) for n in range(1, 4)]
    ).close()
    book = paths.cases_dir() / CASES_FILE
    with CaseBook.open(book) as opened:
        opened.create_case("one")
    return tmp_path / "library"


def check(folder, *, days=7, today=TODAY):
    return checkups.check_due(Settings(), folder, days, TaskContext(), today=today)


def subjects(found):
    return [item.subject for item in found.findings]


def change_row(folder):
    """As a bit that flips: what is stored is not what was written."""
    with closing(sqlite3.connect(folder / LIBRARY_FILE)) as connection:
        connection.execute("UPDATE passage SET text = replace(text, 'a', 'b')")
        connection.commit()


def test_what_was_found_undamaged_is_due_after_some_days(folder):
    before = (folder / LIBRARY_FILE).read_bytes()
    found = check(folder)
    assert {LIBRARY, BOOK} <= {*subjects(found)}
    assert not found.faults
    assert (folder / LIBRARY_FILE).read_bytes() == before
    assert check(folder, today=TODAY + timedelta(6)).findings == ()
    assert subjects(check(folder.parent / "library", days=6, today=TODAY + timedelta(6))) == subjects(found)
    assert subjects(check(folder, days=0, today=TODAY + timedelta(6))) == subjects(found)
    # The clock was wrong, or is now.
    assert subjects(check(folder, today=TODAY - timedelta(1))) == subjects(found)


def test_a_damaged_library_stays_due_and_the_case_book_does_not(folder):
    change_row(folder)
    (fault,) = check(folder).faults
    assert fault.subject == LIBRARY
    assert "documents that have changed" in fault.state
    assert "claimlight doctor --repair" in fault.advice
    assert [item.subject for item in check(folder).faults] == [LIBRARY]
    assert BOOK not in subjects(check(folder))


def test_a_damaged_case_book_names_the_backup_to_restore(folder):
    book = paths.cases_dir() / CASES_FILE
    with CaseBook.open(book) as opened:
        opened.back_up()
    newest = max(each.backup.day for each in case_backups.list_contents(book))
    with closing(sqlite3.connect(book)) as connection:
        connection.execute("UPDATE case_file SET value = replace(value, 'one', 'One')")
        connection.commit()
    found = check(folder)
    assert [item.subject for item in found.faults] == [BOOK]
    assert found.backup == newest
    assert subjects(check(folder)) == subjects(check(None))
    assert LIBRARY not in subjects(check(folder))


@pytest.mark.parametrize("body", [b"", b"[]", b'{"case book": 7}', b'{"case book": "soon"}', b"\xff{"])
def test_damaged_dates_are_no_dates(folder, body):
    assert check(folder).findings
    (paths.data_dir() / check_dates.FILE).write_bytes(body)
    assert {LIBRARY, BOOK} <= {*subjects(check(folder))}
    assert check(folder).findings == ()


def test_the_dates_name_no_folder(folder):
    check(folder)
    kept = json.loads((paths.data_dir() / check_dates.FILE).read_text())
    assert kept == {BOOK: "2026-03-01", check_dates.name_library(folder): "2026-03-01"}
    check_dates.remember((f"library {number}" for number in range(150)), TODAY + timedelta(1))
    assert len(check_dates._read()) == check_dates._MOST


def test_the_command_of_every_night(folder, capsys, monkeypatch):
    command = ["doctor", "--due", "7", "--library", str(folder)]
    assert run(command) == 0
    assert "every row is as it was written" in capsys.readouterr().out
    assert run(command) == 0
    assert capsys.readouterr() == ("", "Nothing is due.\n")
    change_row(folder)
    assert run(["doctor", "--due", "0", "--json", "--library", str(folder)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert not said["sound"]
    assert [item["level"] for item in said["findings"] if item["subject"] == LIBRARY] == ["fault"]
    # The window runs it beside the work and reads the findings from the event.
    lowered = []
    monkeypatch.setattr(checkups, "step_back", lambda: lowered.append(1))
    assert run(["--events", "jsonl", "doctor", "--due", "0", "--library", str(folder)]) == 0
    event = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert event["event"] == "checkup"
    assert lowered == [1]
    assert run(["doctor", "--due", "7", "--repair"]) == 2
