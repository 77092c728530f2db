"""A library or a case book given on the command line, by its file or its folder."""

from __future__ import annotations

import os
import shutil

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from claimlight import paths
from claimlight.databases import CASES_FILE, LIBRARY_FILE
from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.store import Store
from claimlight_workbench import bootstrap
from claimlight_workbench.opening import Place, find_place


def make_book(data):
    book = data / "Cases" / CASES_FILE
    CaseBook.open(book).close()
    return book


def test_a_library_is_opened_by_its_folder_and_by_its_file(tmp_path, monkeypatch):
    folder = tmp_path / "Dämpfer %20"
    Store.create(folder).close()
    assert find_place(folder) == find_place(folder / LIBRARY_FILE) == Place(library=folder)
    monkeypatch.chdir(tmp_path)
    options = bootstrap._find_place(bootstrap.parse([folder.name, "--like", "EP1A1"]))
    assert (options.library, options.like) == (folder, "EP1A1")


def test_a_case_book_is_opened_with_its_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.DATA_VARIABLE, str(tmp_path / "own"))
    own, other = make_book(tmp_path / "own"), make_book(tmp_path / "other")
    assert find_place(own) == find_place(own.parent) == Place()
    with pytest.raises(InputError, match="copy or a backup"):
        find_place(other)
    (other.parents[1] / "Libraries").mkdir()
    assert find_place(other) == find_place(other.parent) == Place(data=tmp_path / "other")
    copy = other.with_name("cases-20260301.db")
    shutil.copy(other, copy)
    with pytest.raises(InputError, match="copy or a backup"):
        find_place(copy)
    # An encrypted one has no mark: all of its first page is encrypted.
    other.write_bytes(os.urandom(8192))
    assert find_place(other) == Place(data=tmp_path / "other")
    bootstrap._find_place(bootstrap.parse([str(other)]))
    assert os.environ[paths.DATA_VARIABLE] == str(tmp_path / "other")
    assert paths.cases_dir() == other.parent


def test_what_is_neither_is_refused_and_nothing_is_created(tmp_path):
    library = tmp_path / "Library"
    Store.create(library).close()
    copy, empty, text = library / "copy.db", tmp_path / "empty", tmp_path / "notes.txt"
    shutil.copy(library / LIBRARY_FILE, copy)
    empty.mkdir()
    text.write_text("notes")
    for path, said in (
        (copy, "under another name"),
        (empty, "no library and no case book"),
        (text, "neither a library nor a case book"),
        (tmp_path / "gone", "There is no"),
    ):
        with pytest.raises(InputError, match=said):
            find_place(path)
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("arguments", [["A", "--library", "B"], ["A", "B"]])
def test_one_path_is_given_at_most(arguments):
    with pytest.raises(SystemExit):
        bootstrap.parse(arguments)


def test_the_refusal_is_said_in_a_box_and_in_the_terminal(tmp_path, qapp, capsys):
    seen = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        if box is None:
            QTimer.singleShot(10, answer)
            return
        seen.append(box.text())
        box.accept()

    QTimer.singleShot(0, answer)
    assert bootstrap.run([str(tmp_path / "gone")]) == 1
    assert seen == [f"There is no {tmp_path / 'gone'}."]
    assert capsys.readouterr().err == f"{seen[0]}\n"
