"""What a whole piece of work leaves on the disk: who may read it, and where its words are."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile, is_zipfile

import pytest

from tests.faults.traces_work import WORDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
ROOT = Path(__file__).resolve().parents[2]
MAY_HOLD = ("L/", ".local/share/claimlight/Cases/", ".local/share/claimlight/session.json", "out/", "in/")
"""Where words of an application may be: the library, the case book, the session, and what was exported."""
OWN = ("out", "in")
"""Folders that the user made with a file manager."""


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """The home folder after the work; umask 022, as most systems have it."""
    folder = tmp_path_factory.mktemp("home")
    for name in (*OWN, "tmp"):
        (folder / name).mkdir(mode=0o755)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder / "tmp"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "core"), str(ROOT / "app")]),
        "QT_QPA_PLATFORM": "offscreen",
        "OMP_NUM_THREADS": "1",
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.traces_work", str(folder)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, umask=0o022, timeout=600,
    )  # fmt: skip
    # Two commands are refused on purpose: a file that is not there, and a bracket that is not closed.
    assert "codes 0 0 0 0 0 0 0 0 1 1 0 0 0" in done.stderr, done.stderr[-3000:]
    return folder


def entries(home: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(home.rglob("*")):
        yield path.relative_to(home).as_posix(), path


def test_only_the_owner_can_read_what_is_left(home):
    wrong, seen = [], 0
    for name, path in entries(home):
        if name in (*OWN, "tmp") or name.startswith("in/"):
            continue
        seen += 1
        wanted = 0o700 if path.is_dir() else 0o600
        if (mode := stat.S_IMODE(path.lstat().st_mode)) != wanted:
            wrong.append(f"{mode:o} {name}")
    assert wrong == []
    made = {name for name, _ in entries(home)}
    assert {
        "L/library.db",
        "out/report.docx",
        "out/found.csv",
        "out/diagnostics.zip",
        "out/window.png",
    } <= made
    assert {
        f".local/share/claimlight/{name}" for name in ("Cases/cases.db", "journal.json", "session.json")
    } <= made
    assert any(name.startswith(".local/share/claimlight/Cases/backups/cases-") for name in made)
    assert seen > 40


def words_in(path: Path) -> set[str]:
    """Of `WORDS`, those in a file, or in the members of a zip, however they are encoded."""
    bodies = [path.read_bytes()]
    if is_zipfile(path):
        with ZipFile(path) as archive:
            bodies += [archive.read(name) for name in archive.namelist()]
    found = set()
    for body in bodies:
        lower = body.lower()
        for word in WORDS.values():
            plain = word.lower()
            if plain.encode() in lower or plain.encode("utf-16-le") in lower:
                found.add(word)
    return found


def test_words_of_the_application_are_where_they_belong_and_nowhere_else(home):
    held = {name: words_in(path) for name, path in entries(home) if path.is_file()}
    assert {name: words for name, words in held.items() if words and not name.startswith(MAY_HOLD)} == {}
    # The journal has the failed import and the error whose message had such words, the report too.
    assert held[".local/share/claimlight/journal.json"] == held["out/diagnostics.zip"] == set()
    assert b"KeyError" in (home / ".local/share/claimlight/journal.json").read_bytes()
    # The words were really used: what may hold them does.
    assert WORDS["document"] in held["L/library.db"]
    assert {WORDS["claim"], WORDS["note"], WORDS["case"], WORDS["query"]} <= held[
        ".local/share/claimlight/Cases/cases.db"
    ]
    assert WORDS["note"] in held["out/report.docx"]


def test_nothing_is_left_in_the_folder_for_temporary_files(home):
    assert [name for name, _ in entries(home) if name.startswith("tmp/")] == []
