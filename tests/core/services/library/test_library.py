"""A library as a folder: made, opened, read-only, moved, of another version, described, checked."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import count

import pytest
from importing_fakes import digest, source, take

from claimlight.errors import InputError, ResourceError
from claimlight.services.indexing import maintenance
from claimlight.services.library.library import Library, remove_documents
from claimlight.store import migrate, repository
from claimlight.tasks import TaskContext


@pytest.fixture
def folder(tmp_path):
    take(tmp_path / "L", source(tmp_path / "week.xml", 12, broken={3}))
    return tmp_path / "L"


def test_create_open_and_open_or_create(tmp_path):
    with pytest.raises(InputError, match=r"contains no library|There is no folder"):
        Library.open(tmp_path)
    with Library.open_or_create(tmp_path / "L") as made:
        assert made.info().documents == 0
        assert not made.read_only
    with pytest.raises(InputError, match="already holds a library"):
        Library.create(tmp_path / "L")
    with Library.open_or_create(tmp_path / "L") as opened:
        assert opened.folder == tmp_path / "L"


def test_info(folder):
    with Library.open(folder) as opened:
        info = opened.info()
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert (info.documents, info.families, info.quarantined) == (11, 11, 1)
    assert info.passages == 11 * 7  # title and abstract, a claim, five paragraphs
    assert info.offices == (("US", 11),)
    assert info.years == ((2020, 11),)
    assert (info.indexed_documents, info.generation) == (0, "")
    assert info.bytes == size > 100_000


def test_a_moved_library_is_the_same(folder, tmp_path):
    before = digest(folder)
    moved = shutil.move(folder, tmp_path / "elsewhere with spaces")
    assert digest(moved) == before
    with Library.open(moved) as opened:
        assert opened.info().documents == 11


def test_read_only_reads_and_refuses_to_write(folder):
    with Library.open(folder, read_only=True) as opened:
        assert opened.read_only
        assert opened.info().documents == 11
        with pytest.raises(ResourceError, match="reading only"), opened.store.write():
            pytest.fail("a read-only library was opened for writing")


def test_two_windows_on_one_library(folder):
    """One writes while the other reads: the reader sees the library before or after, never half of it."""
    with Library.open(folder) as one, Library.open(folder) as two:
        with one.store.read() as connection:
            query = "SELECT count(*) FROM document"
            assert connection.exec_driver_sql(query).scalar() == 11
            with two.store.write() as writing:
                writing.exec_driver_sql("DELETE FROM document WHERE id = 1")
            assert connection.exec_driver_sql(query).scalar() == 11
        assert one.info().documents == 10


def test_a_library_of_a_newer_version_is_refused_and_left_alone(folder):
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        connection.execute(f"PRAGMA user_version = {migrate.LIBRARY.version + 1}")
        connection.commit()
    before = (folder / "library.db").read_bytes()
    for read_only in (False, True):
        with pytest.raises(
            ResourceError,
            match=rf"schema version {migrate.LIBRARY.version + 1}; .* up to {migrate.LIBRARY.version}\.",
        ):
            Library.open(folder, read_only=read_only)
    assert (folder / "library.db").read_bytes() == before


def test_closing_leaves_no_log(folder):
    with Library.open(folder) as opened:
        opened.info()
    assert sorted(path.name for path in folder.iterdir()) == ["documents.gz", "library.db"]


def test_verify_says_what_is_sound_and_what_is_damaged(folder):
    with Library.open(folder) as opened:
        (database, index) = maintenance.verify(opened, TaskContext())
    assert "all pages, all documents and the full text are undamaged" in database
    assert index == "There is no index yet."
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET rootpage = 3 WHERE name = 'document_published'")
        connection.commit()
    with (
        Library.open(folder) as opened,
        pytest.raises(ResourceError, match=r"(?s)library\.db is damaged.*`claimlight doctor --repair"),
    ):
        maintenance.verify(opened, TaskContext())


def test_a_kill_while_the_library_is_made_leaves_no_library(tmp_path):
    """It gets its name when it is whole; what a killed run left is swept away by the next."""
    (tmp_path / "L").mkdir()
    (tmp_path / "L" / "library.new").write_bytes(b"half a file")
    with pytest.raises(InputError, match=r"contains no library|There is no folder"):
        Library.open(tmp_path / "L")
    Library.create(tmp_path / "L").close()
    assert sorted(path.name for path in (tmp_path / "L").iterdir()) == ["library.db"]


@pytest.mark.parametrize("links", [True, False])
def test_two_processes_make_a_library_at_once_and_none_is_written_over(tmp_path, monkeypatch, links):
    """The second one is quicker: it has its library, with a document, before the first has finished."""
    folder, upgrade, numbers, first = tmp_path / "L", migrate.upgrade, count(1), []

    def meanwhile(connection, database):
        upgrade(connection, database)
        if not first:
            first.append(folder)
            take(folder, source(tmp_path / "one.xml", 1))

    def without_links(*_):
        raise PermissionError

    monkeypatch.setattr("os.getpid", lambda: next(numbers))
    monkeypatch.setattr(migrate, "upgrade", meanwhile)
    if not links:
        monkeypatch.setattr("os.link", without_links)
    with Library.open_or_create(folder) as late:
        assert late.info().documents == 1
    assert [path.name for path in folder.iterdir() if path.suffix == ".new"] == []


def test_removed_documents_are_gone_from_every_table_and_come_back_with_their_file(folder, tmp_path):
    with Library.open(folder) as library:
        with pytest.raises(InputError, match="EP1 is not in the library"):
            remove_documents(library, ["US9000001B2", "EP1"])
        assert library.info().documents == 11
        removed = remove_documents(library, ["US 9,000,001 B2", "US9000002B2", "US9000002B2"])
        assert [str(each) for each in removed] == ["US9000001B2", "US9000002B2"]
        assert library.info().documents == 9
        assert repository.find(library.store, "US9000001B2") is None
        assert len(repository.read_removed_since(library.store, 0)) == 2
        assert maintenance.verify(library, TaskContext())
    with closing(sqlite3.connect(folder / "library.db")) as raw:
        for (table,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            columns = {row[1] for row in raw.execute(f"PRAGMA table_info({table})")}
            if "document_id" in columns and table != "removed":
                left = f"SELECT count(*) FROM {table} WHERE document_id NOT IN (SELECT id FROM document)"
                assert raw.execute(left).fetchone() == (0,), table
    take(folder, tmp_path / "week.xml")
    with Library.open(folder) as library:
        assert library.info().documents == 11
        assert repository.find(library.store, "US9000001B2") is not None


def test_nothing_is_removed_from_a_read_only_library(folder):
    with Library.open(folder, read_only=True) as library:
        with pytest.raises(ResourceError, match="read-only"):
            remove_documents(library, ["US9000001B2"])
        assert library.info().documents == 11
