"""Editions are imported whole or not at all, kept side by side, and refused if damaged."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from claimlight.classes.edition_file import LOCK, EditionFile
from claimlight.classes.editions import Editions, parse_version
from claimlight.classes.importing import import_edition
from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.locks import SoleLock
from claimlight.tasks import TaskContext
from claimlight.types import Edition, Progress, Scheme
from tests.core.classes import invented

CPC = Edition(Scheme.CPC, "2022.08")


def test_an_import_is_idempotent(tmp_path):
    editions = invented.imported(tmp_path)
    path = editions.path_of(CPC)
    before = path.stat().st_mtime_ns, path.read_bytes()
    (info,), faults = editions.list()
    assert (info.edition, info.entries, info.subclasses, info.detailed, faults) == (CPC, 17, 2, 2, ())
    report = import_edition(editions, tmp_path / "lists", TaskContext())
    assert report.unchanged
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    assert {each.name for each in editions.folder.iterdir()} == {"cpc-2022.08.db", LOCK}


def test_versions_side_by_side_the_newest_first(tmp_path):
    editions = invented.imported(tmp_path, xml=True)
    assert editions.known() == (CPC, Edition(Scheme.CPC, "2019.08"))
    assert editions.open(Scheme.CPC).edition == CPC
    assert editions.open(Scheme.CPC, "2019-08").edition.version == "2019.08"
    assert editions.open(Scheme.IPC).edition == Edition(Scheme.IPC, ""), "the shipped titles"
    with pytest.raises(InputError, match=r"CPC 2020\.01 was not imported; .*: 2022\.08, 2019\.08"):
        editions.open(Scheme.CPC, "2020.01")
    editions.remove(CPC)
    assert editions.open(Scheme.CPC).edition.version == "2019.08"


def test_scheme_and_version_are_asked_for_where_files_do_not_say(tmp_path):
    editions = Editions(tmp_path / "Classes")
    plain = tmp_path / "titles.tsv"
    plain.write_text(invented.TITLES_B, encoding="utf-8")
    with pytest.raises(InputError, match=r"CPC or the IPC.*--kind cpc or ipc"):
        import_edition(editions, plain, TaskContext())
    with pytest.raises(InputError, match=r"name no version.*--version"):
        import_edition(editions, plain, TaskContext(), scheme=Scheme.IPC)
    report = import_edition(editions, plain, TaskContext(), scheme=Scheme.IPC, version="2023-01-01")
    assert report.info.edition == Edition(Scheme.IPC, "2023.01")
    with pytest.raises(InputError, match="are of the CPC, not of the IPC"):
        import_edition(editions, invented.write_lists(tmp_path / "lists"), TaskContext(), scheme=Scheme.IPC)
    with pytest.raises(InputError, match="no version of a scheme"):
        parse_version("august")


def test_files_of_two_versions_are_refused(tmp_path):
    folder = invented.write_lists(tmp_path / "lists")
    (folder / "cpc-section-A_20190801.txt").write_text("A\t\tNEEDS\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"several versions \(2019\.08, 2022\.08\)"):
        import_edition(Editions(tmp_path / "Classes"), folder, TaskContext())


def test_a_smaller_import_does_not_replace_a_larger_one(tmp_path):
    editions = invented.imported(tmp_path)
    part = tmp_path / "lists" / "cpc-section-H_20220801.txt"
    with pytest.raises(InputError, match=r"17 entries; these files have 8.*classes remove cpc 2022.08"):
        import_edition(editions, part, TaskContext())
    assert editions.list()[0][0].entries == 17


def test_groups_without_a_main_group_are_refused(tmp_path):
    path = tmp_path / "cpc_20220801.txt"
    path.write_text("B62K25/04\t1\tsprings\n", encoding="utf-8")
    with pytest.raises(InputError, match="the order of the file is lost"):
        import_edition(Editions(tmp_path / "Classes"), path, TaskContext())


def test_nothing_to_read(tmp_path):
    with pytest.raises(InputError, match="There is no"):
        import_edition(Editions(tmp_path), tmp_path / "none", TaskContext())
    (tmp_path / "a.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(InputError, match="has no file of a scheme"):
        import_edition(Editions(tmp_path / "Classes"), tmp_path, TaskContext())


@pytest.mark.parametrize("stage", ["Reading the scheme", "Writing the scheme"])
def test_a_cancelled_import_leaves_nothing(tmp_path, stage):
    editions = Editions(tmp_path / "Classes")

    def stop(event):
        if isinstance(event, Progress) and event.stage == stage:
            context.cancel()

    context = TaskContext(stop)
    with pytest.raises(TaskCancelled):
        import_edition(editions, invented.write_lists(tmp_path / "lists"), context)
    assert editions.known() == ()
    assert not editions.folder.exists() or [each.name for each in editions.folder.iterdir()] == [LOCK]


def test_what_a_killed_import_left_is_removed_by_the_next(tmp_path):
    folder = tmp_path / "Classes"
    folder.mkdir()
    (folder / "cpc-2022.08.db.tmp").write_bytes(b"half an edition")
    editions = invented.imported(tmp_path)
    assert editions.known() == (CPC,)
    assert {each.name for each in folder.iterdir()} == {"cpc-2022.08.db", LOCK}


def test_two_imports_at_once_are_refused(tmp_path):
    editions = Editions(tmp_path / "Classes")
    with (
        SoleLock(editions.folder / LOCK, ""),
        pytest.raises(ResourceError, match="Another process is importing"),
    ):
        import_edition(editions, invented.write_lists(tmp_path / "lists"), TaskContext())
    assert editions.known() == ()


def test_a_damaged_or_later_file_is_refused_with_what_to_do(tmp_path):
    editions = invented.imported(tmp_path, xml=True)
    path = editions.path_of(CPC)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ResourceError, match="later version of Claimlight"):
        editions.open(Scheme.CPC)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
        connection.execute("DELETE FROM entry WHERE id > 9")
        connection.commit()
    with pytest.raises(ResourceError, match=r"is not complete.*classes remove"):
        editions.open(Scheme.CPC)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ResourceError, match="damaged"):
        EditionFile.open(path).meta()
    path.write_bytes(b"")
    infos, faults = editions.list()
    assert [info.edition.version for info in infos] == ["2019.08"]
    assert len(faults) == 1
    assert "damaged" in faults[0]
    # Importing again repairs it.
    assert not import_edition(editions, tmp_path / "lists", TaskContext()).unchanged
    assert editions.open(Scheme.CPC).edition == CPC
