"""Libraries and case books are known by their first bytes: to the program, to Qt and to GLib."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from claimlight.databases import CASES_FILE, LIBRARY_FILE, Mark, read_mark
from claimlight.services.cases.cases import CaseBook
from claimlight.store import Store

TYPES = Path(__file__).resolve().parents[1] / "installer" / "linux" / "claimlight-workbench.xml"
NAMES = ("application/x-claimlight-library", "application/x-claimlight-cases")
OF_QT = """
import sys
from PySide6.QtCore import QMimeDatabase
known = QMimeDatabase()
for path in sys.argv[1:]:
    print(known.mimeTypeForFile(path).name())
"""


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """A library, a case book, and a database of something else under the name of a library."""
    Store.create(tmp_path / "Library").close()
    cases = tmp_path / "Cases" / CASES_FILE
    CaseBook.open(cases).close()
    other = tmp_path / "other" / LIBRARY_FILE
    other.parent.mkdir()
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE songs (title)")
        connection.commit()
    return [tmp_path / "Library" / LIBRARY_FILE, cases, other]


def test_the_program_knows_them_unopened(files, tmp_path):
    assert [read_mark(path) for path in files] == [Mark.LIBRARY, Mark.CASES, None]
    short = tmp_path / "short"
    short.write_bytes(files[0].read_bytes()[:70])
    assert read_mark(short) is None


@pytest.mark.skipif(shutil.which("update-mime-database") is None, reason="needs shared-mime-info")
def test_file_managers_know_them_where_the_types_are_installed(files, tmp_path):
    data = tmp_path / "data"
    (data / "mime" / "packages").mkdir(parents=True)
    shutil.copy(TYPES, data / "mime" / "packages")
    subprocess.run(["update-mime-database", data / "mime"], check=True)
    home = os.environ | {"XDG_DATA_HOME": str(data)}

    def ask(*command: object) -> str:
        run = subprocess.run([*map(str, command)], env=home, capture_output=True, text=True, check=True)
        return run.stdout

    of_qt = ask(sys.executable, "-c", OF_QT, *files).split()
    assert tuple(of_qt[:2]) == NAMES
    assert of_qt[2] not in NAMES
    if shutil.which("gio"):
        said = [ask("gio", "info", "-a", "standard::content-type", path) for path in files]
        assert [name in text for name, text in zip(NAMES, said[:2], strict=True)] == [True, True]
        assert "claimlight" not in said[2].rpartition("content-type")[2]


def test_the_entry_of_the_menu_opens_them():
    entry = TYPES.with_suffix(".desktop").read_text()
    assert "\nExec=claimlight-workbench %f\n" in entry
    assert f"\nMimeType={';'.join(NAMES)};\n" in entry
    assert all(f'type="{name}"' in TYPES.read_text() for name in NAMES)
    assert all(f'value="0x{mark:08X}"' in TYPES.read_text() for mark in (Mark.LIBRARY, Mark.CASES))
