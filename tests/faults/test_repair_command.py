"""``claimlight doctor``: what it finds, what it asks, and its exit code."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import typer

from claimlight import paths
from claimlight.cli import doctor_command
from claimlight.cli.__main__ import run
from claimlight.services.cases.cases import CaseBook
from claimlight.services.repair import diagnosis
from claimlight.types import Category, Mark, PublicationNumber
from tests.core.services.library.importing_fakes import digest, source, take
from tests.faults.repairing import make


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made") / "Library", 8)


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    # The checks of computer and installation have tests of their own, and load a model.
    monkeypatch.setattr(doctor_command.checking, "examine", lambda *_, **__: iter(()))
    monkeypatch.setattr(diagnosis, "is_outdated", lambda *_: False)
    monkeypatch.setattr(diagnosis, "load_package", lambda _: None)
    return Path(shutil.copytree(made, tmp_path / "Library"))


def damage(folder: Path) -> bytes:
    body = (folder / "library.db").read_bytes()
    (folder / "library.db").write_bytes(bytes(100) + body[100:])
    return bytes(100) + body[100:]


def test_the_plan_is_told_first_and_a_no_changes_nothing(folder, capsys, monkeypatch):
    damaged = damage(folder)
    assert run(["doctor", "-l", str(folder)]) == 1
    monkeypatch.setattr("typer.confirm", no)
    assert run(["doctor", "--repair", "-l", str(folder)]) != 0
    told = capsys.readouterr().err
    assert f"1. Make a new database for {folder}" in told
    assert "What it replaces is kept as library.db.damaged-N" in told
    assert (folder / "library.db").read_bytes() == damaged
    assert not list(folder.glob("library.db.*"))


def no(*_, **__):
    raise typer.Abort


def test_with_yes_it_is_repaired_and_the_exit_code_says_so(folder, made, capsys):
    damaged = damage(folder)
    assert run(["doctor", "--repair", "--yes", "-l", str(folder)]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "8 undamaged documents are kept." in told
    assert "The index of 8 documents stays valid." in told
    assert f"The damaged database is kept as {folder}/library.db.damaged-1." in told
    assert (folder / "library.db.damaged-1").read_bytes() == damaged
    assert digest(folder) == digest(made)
    assert run(["doctor", "--thorough", "-l", str(folder)]) == 0


def test_the_json_has_findings_repairs_and_whether_all_is_sound(folder, capsys):
    damage(folder)
    assert run(["doctor", "--json", "-l", str(folder)]) == 1
    before = json.loads(capsys.readouterr().out)
    assert not before["sound"]
    assert "repairs" not in before
    assert run(["doctor", "--repair", "--json", "-l", str(folder)]) == 0
    after = json.loads(capsys.readouterr().out)
    assert after["sound"]
    assert [(item["key"], item["done"]) for item in after["repairs"]] == [("library", True)]
    assert all(item["level"] != "fault" for item in after["findings"])


def test_what_cannot_be_repaired_leaves_the_exit_code_at_one(folder, capsys):
    for path in (*folder.glob("library.db*"), folder / "documents.gz"):
        path.unlink()
    assert run(["doctor", "--repair", "--yes", "-l", str(folder)]) == 1
    assert "Name the folders with its patent files" in " ".join(capsys.readouterr().err.split())
    week = source(folder.with_name("week again.xml"), 8)
    assert run(["doctor", "--repair", "--yes", "-l", str(folder), "--from", str(week)]) == 0


def test_a_folder_that_never_was_a_library_is_a_wrong_command(tmp_path, folder, capsys):
    (tmp_path / "other").mkdir()
    assert run(["doctor", "-l", str(tmp_path / "other")]) == 1
    assert "contains no library" in " ".join(capsys.readouterr().err.split())
    assert run(["doctor", "--yes"]) == 2
    assert run(["doctor", "--repair", "--from", str(tmp_path)]) == 2


def test_the_case_book_and_what_killed_processes_left(folder, capsys):
    with CaseBook.open() as book:
        case = book.create_case("one").id
        book.mark(case, Mark(PublicationNumber("EP", "1000001", "A1"), Category.X, note="as said"))
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    left = folder / f"documents.gz.{child.pid}-0.tmp"
    living = folder / f"documents.gz.{os.getpid()}-0.tmp"
    old, young = folder / "library.tmp", paths.cases_dir() / "x.tmp"
    for path in (left, living, old, young):
        path.write_bytes(b"x")
    os.utime(old, (time.time() - 7200,) * 2)
    path = paths.cases_dir() / "cases.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE state SET value = replace(value, 'as said', 'as read')")
    assert run(["doctor", "-l", str(folder)]) == 1
    assert "mark of EP1000001A1" in " ".join(capsys.readouterr().out.split())
    assert run(["doctor", "--repair", "--yes", "-l", str(folder)]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "As the history of the case says: mark of EP1000001A1 0 in case 1." in told
    assert "2 unfinished files are removed." in told
    assert [each.exists() for each in (left, living, old, young)] == [False, True, False, True]
    with CaseBook.open() as book:
        assert [mark.note for mark in book.marks(case)] == ["as said"]


def test_waiting_documents_are_a_warning_with_the_command(folder, capsys):
    take(folder, source(folder.with_name("more.xml"), 10))
    assert run(["doctor", "-l", str(folder)]) == 0
    assert (
        "2 documents are not in it. These documents are searched by keywords only. Run `claimlight index`."
        in (" ".join(capsys.readouterr().out.split()))
    )


def test_a_damaged_package_of_the_user_is_named(monkeypatch, capsys):
    monkeypatch.setattr(doctor_command.checking, "examine", lambda *_, **__: iter(()))
    package = paths.models_dir() / "mine"
    shutil.copytree(paths.shipped_models_dir() / "ipc-small-1", package)
    assert run(["doctor", "--thorough"]) == 0
    victim = max(package.iterdir(), key=lambda path: path.stat().st_size)
    body = bytearray(victim.read_bytes())
    body[len(body) // 2] ^= 1
    victim.write_bytes(body)
    capsys.readouterr()
    assert run(["doctor", "--thorough"]) == 0  # not in use: a warning
    told = " ".join(capsys.readouterr().out.split())
    assert f"{victim} is damaged or changed" in told
    assert "`claimlight models remove mine`" in told
