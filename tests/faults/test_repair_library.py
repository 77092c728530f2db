"""A damaged or lost database of a library is made again, and the index stays valid where the texts are."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from claimlight.errors import ResourceError
from claimlight.services.indexing import maintenance
from claimlight.services.library.library import Library, remove_documents
from claimlight.services.repair import diagnosis
from claimlight.store import register
from claimlight.tasks import TaskContext
from tests.core.services.library.importing_fakes import digest, source, take
from tests.faults.repairing import COUNT, SETTINGS, index, make, repair, restore

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
PAGE = 16 << 10


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made") / "Library")


@pytest.fixture
def folder(made, tmp_path):
    """A copy; the file it was imported from is where it was."""
    return Path(shutil.copytree(made, tmp_path / "Library"))


def keys(folder: Path) -> list[str]:
    return sorted(item.subject for item in examine(folder).findings if not item.ok)


def examine(folder: Path, *, thorough: bool = True):
    return diagnosis.examine(SETTINGS, folder, TaskContext(), thorough=thorough)


def verify(folder: Path) -> None:
    with Library.open(folder) as library:
        maintenance.verify(library, TaskContext())


def publications(folder: Path) -> dict[str, int]:
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        return dict(connection.execute("SELECT publication, id FROM document"))


def write(path: Path, damage) -> bytes:
    body = damage(path.read_bytes())
    path.write_bytes(body)
    return body


def flips(seed: int, many: int):
    def damage(body: bytes) -> bytes:
        rng, changed = random.Random(seed), bytearray(body)
        for _ in range(many):
            changed[rng.randrange(PAGE, len(changed))] ^= 1 << rng.randrange(8)
        return bytes(changed)

    return damage


DAMAGE = {
    "header": lambda body: bytes(100) + body[100:],
    "first page": lambda body: bytes(PAGE) + body[PAGE:],
    "second half": lambda body: body[: len(body) // 2 // PAGE * PAGE],
    "all but the header": lambda body: body[:100] + bytes(len(body) - 100),
    "empty": lambda body: b"",
    "no database": lambda body: random.Random(1).randbytes(len(body)),
    **{f"flips {seed}": flips(seed, 120) for seed in range(2)},
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_database_is_made_again_and_the_index_stays(folder, kind):
    before, numbers = digest(folder), publications(folder)
    damaged = write(folder / "library.db", DAMAGE[kind])
    assert examine(folder).steps[0].key == "library"
    _, (done, *_) = repair(folder)
    assert done.done
    assert (folder / "library.db.damaged-1").read_bytes() == damaged
    assert publications(folder) == numbers
    # The history of imports and the quarantine are not part of what can be read again.
    assert digest(folder) == before or kind not in ("header", "first page")
    verify(folder)
    assert index(folder).documents == 0
    assert keys(folder) == []
    assert not list(folder.glob("*.repairing"))


def test_a_database_that_is_gone_is_made_again_of_the_files_and_the_index_stays(folder):
    numbers = publications(folder)
    (folder / "library.db").unlink()
    found, (done,) = repair(folder)
    assert [step.key for step in found.steps] == ["library"]
    assert done.done
    assert f"{COUNT} documents are read again, as they were." in done.said
    assert publications(folder) == numbers
    assert index(folder).documents == 0
    verify(folder)


def test_without_a_register_the_named_folder_gives_the_documents_and_they_are_indexed_again(folder, made):
    numbers = publications(folder)
    (folder / "library.db").unlink()
    (folder / register.FILE_NAME).unlink()
    with pytest.raises(ResourceError, match=r"--from FOLDER`\. Nothing was changed"):
        restore(folder)
    assert not (folder / "library.db").exists()
    done = restore(folder, made.with_name("week.xml"))
    assert (done.read_again, done.read_differently, done.index_keeps) == (0, COUNT, 0)
    assert publications(folder).keys() == numbers.keys()
    # No id is used for another document: the index would show the passages of one for another.
    assert not set(publications(folder).values()) & set(numbers.values())
    assert index(folder).documents == COUNT
    verify(folder)


def test_without_the_files_what_is_sound_is_kept_and_the_rest_named(tmp_path):
    folder = make(tmp_path / "Library")
    before = publications(folder)
    folder.with_name("week.xml").unlink()
    with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
        connection.execute("UPDATE passage SET text = text || 'x' WHERE document_id IN (3, 7)")
    lost = [name for name, number in before.items() if number in (3, 7)]
    done = restore(folder)
    assert done.kept_documents == COUNT - 2
    assert done.missing == tuple(sorted(lost))
    assert done.complete
    assert publications(folder) == {name: number for name, number in before.items() if name not in lost}
    # The index forgets them, and nothing else.
    index(folder)
    with Library.open(folder) as library:
        assert library.info().indexed_documents == COUNT - 2
    verify(folder)


def test_removed_documents_stay_removed_and_changed_files_do_not_change_sound_documents(tmp_path):
    folder = make(tmp_path / "Library")
    with Library.open(folder) as library:
        remove_documents(library, ["US9000005B2", "US9000006B2"])
    index(folder)
    before = publications(folder)
    # The file says something else of document 1 now, and has a document more.
    week = folder.with_name("week.xml")
    body = source(week, COUNT + 1).read_bytes()
    week.write_bytes(body.replace(b"wheel", b"wheels", 3))
    with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
        connection.execute("UPDATE passage SET text = text || 'x' WHERE document_id = 12")
        texts = dict(connection.execute("SELECT id, text FROM passage WHERE document_id <> 12"))
    done = restore(folder)
    assert (done.kept_documents, done.read_again, done.read_differently) == (COUNT - 3, 1, 0)
    assert publications(folder) == before
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        rows = connection.execute("SELECT id, text FROM passage WHERE document_id <> 12")
        assert dict(rows) == texts


def test_a_file_that_gives_another_document_now_is_said_and_indexed_again(tmp_path):
    folder = make(tmp_path / "Library")
    week = folder.with_name("week.xml")
    body = week.read_bytes()
    start = body.index(b"<doc-number>9000003<")
    week.write_bytes(body[:start] + body[start:].replace(b"<abstract><p>", b"<abstract><p>Now ", 1))
    with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
        connection.execute("DELETE FROM citation")
        connection.execute("UPDATE passage SET text = 'x' WHERE document_id = 4")
    done = restore(folder)
    assert (done.read_again, done.read_differently, done.missing) == (0, 1, ())
    assert index(folder).documents == 1
    verify(folder)


def test_a_sound_copy_of_the_library_is_used_where_the_files_are_gone(tmp_path):
    folder = make(tmp_path / "Library")
    before = digest(folder)
    copy = shutil.copytree(folder, tmp_path / "Copy")
    folder.with_name("week.xml").unlink()
    write(folder / "library.db", flips(9, 400))
    done = restore(folder, Path(copy))
    assert done.missing == ()
    assert publications(folder) == publications(copy)
    assert index(folder).documents == 0
    assert digest(copy) == before


def test_words_that_do_not_match_the_texts_are_indexed_again_in_place(folder):
    before = digest(folder)
    with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
        connection.execute("DELETE FROM passage_fts_data WHERE id > 10")
    found, results = repair(folder)
    assert [step.key for step in found.steps] == ["words"]
    assert [item.done for item in results] == [True]
    assert digest(folder) == before


def test_a_sound_library_has_nothing_to_repair(folder):
    before = digest(folder)
    assert examine(folder).steps == ()
    assert examine(folder).sound
    assert examine(folder, thorough=False).sound
    assert digest(folder) == before


def test_the_log_is_kept_with_its_database_and_never_applied_to_the_new_one(folder):
    """Row 20: a log beside another database would be applied to its pages."""
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE document SET title = 'in the log' WHERE id = 2")
        connection.commit()
        log = (folder / "library.db-wal").read_bytes()
        body = (folder / "library.db").read_bytes()
    (folder / "library.db").write_bytes(bytes(100) + body[100:])
    (folder / "library.db-wal").write_bytes(log)
    restore(folder)
    assert (folder / "library.db.damaged-1-wal").read_bytes() == log
    assert not (folder / "library.db-wal").exists() or not (folder / "library.db-wal").stat().st_size
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        assert connection.execute("SELECT count(*) FROM document WHERE title = 'in the log'").fetchone() == (
            0,
        )
    verify(folder)


def test_a_library_that_is_open_elsewhere_is_not_replaced(folder):
    write(folder / "library.db", lambda body: body)
    with Library.open(folder) as library, library.store.read() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM document").scalar_one()
        with pytest.raises(ResourceError, match=r"is open in another program.*nothing was changed"):
            restore(folder)
    assert not list(folder.glob("library.db.damaged*"))


def test_what_another_program_writes_during_the_repair_is_not_lost(folder, monkeypatch):
    def meanwhile(*arguments, **named):
        take(folder, source(folder.with_name("more.xml"), COUNT + 3))
        return real(*arguments, **named)

    real = diagnosis.restore_library.__globals__["rebuild_words"]
    monkeypatch.setitem(diagnosis.restore_library.__globals__, "rebuild_words", meanwhile)
    with pytest.raises(ResourceError, match="was changed by another program during the repair"):
        restore(folder)
    assert len(publications(folder)) == COUNT + 3


def test_libraries_of_newer_programs_and_foreign_objects_are_left_alone(folder):
    with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
        connection.execute("CREATE TRIGGER taken AFTER INSERT ON document BEGIN DELETE FROM passage; END")
    before = (folder / "library.db").read_bytes()
    assert keys(folder) == ["database of the library"]
    assert examine(folder).steps == ()
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        connection.execute("DROP TRIGGER taken")
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    (finding,) = (item for item in examine(folder).findings if not item.ok)
    assert "schema version 99; this program knows versions up to 9" in finding.state
    assert examine(folder).steps == ()
    assert before != (folder / "library.db").read_bytes()


@POSIX
@pytest.mark.parametrize("step", [8, pytest.param(2, marks=pytest.mark.variants)])
def test_killed_at_any_operation_the_library_is_the_old_or_the_new_one(made, tmp_path, step):
    """And what is repaired in the end is the same, wherever the kill was."""
    work = tmp_path / "Library"

    def run(at: int):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(made, work)
        old = write(work / "library.db", DAMAGE["header"])
        command = [sys.executable, "-m", "tests.faults.repairing", str(work), str(at)]
        return old, subprocess.run(command, capture_output=True, text=True, check=False)

    _, whole = run(1_000_000)
    total = 1_000_000 - int(whole.stdout)
    expected = digest(work)
    assert total > 40
    killed = new = 0
    # Most of them towards the end, where the names change.
    moments = sorted({random.Random(3).randrange(1, total - 25), *range(total - 20, total + 1, step)})
    for at in moments:
        old, process = run(at)
        assert process.returncode == -signal.SIGKILL
        killed += 1
        assert (work / "library.db").exists()
        if (work / "library.db").read_bytes() != old:
            new += 1
            assert digest(work) == expected
            assert (work / "library.db.damaged-1").read_bytes() == old
        else:
            restore(work)
            assert digest(work) == expected
        assert publications(work) == publications(made)
    assert killed == len(moments)
    assert 0 < new < killed
