"""The sample library that is shipped is what the build makes now; `make sample` makes it again."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from claimlight.index import manifest, segments
from claimlight.index.forward import read_entries
from claimlight.index.live import LiveSegment
from claimlight.services import sample
from claimlight.services.indexing import indexing
from claimlight.services.library.library import Library, import_paths
from claimlight.services.models.encoding_stack import recipe_of
from claimlight.settings import Settings
from claimlight.tasks import TaskContext

DUE = "the shipped sample library is not what the build makes now: run `make sample`"
OF_THE_MACHINE = {"source", "import_run", "import_file", "import_skip", "import_fault", "meta"}
FEW = ("EP8100327A1.xml", "EP8400686B1.xml")
"""Documents that are indexed again; all of them would take minutes."""
ALIKE = 0.97
"""Share of spans that meet the same center: processors round differently."""


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("shipped") / sample.NAME
    sample.provide(folder)
    return folder


def imported(folder: Path, sources: list[Path]) -> Path:
    with Library.open_or_create(folder) as library:
        import_paths(library, sources, TaskContext(), Settings())
    return folder


def rows_of(database: Path) -> dict[str, set[tuple[object, ...]]]:
    """Every row that does not say where files lay, and every word of the full texts with its place."""
    found = {}
    with closing(sqlite3.connect(database)) as raw:
        master = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT NULL"
        tables = [(name, sql) for name, sql in raw.execute(master) if name not in OF_THE_MACHINE]
        virtual = [name for name, sql in tables if sql.startswith("CREATE VIRTUAL")]
        for name, _ in tables:
            if any(name == each or name.startswith(f"{each}_") for each in virtual):
                continue
            info = [row[1] for row in raw.execute(f"PRAGMA table_info({name})")]
            columns = ", ".join(column for column in info if column not in {"modified", "source_id"})
            found[name] = set(raw.execute(f"SELECT {columns} FROM {name}"))
        for number, (name, sql) in enumerate(tables):
            if name in virtual and "USING fts5(" in sql:
                raw.execute(
                    f"CREATE VIRTUAL TABLE temp.words{number} USING fts5vocab(main, {name}, instance)"
                )
                found[f"{name} words"] = set(raw.execute(f"SELECT term, doc, col, offset FROM words{number}"))
        found["schema"] = set(raw.execute("SELECT name, sql FROM sqlite_schema"))
    return found


def test_its_database_is_what_an_import_makes(shipped: Path, tmp_path: Path):
    now = rows_of(imported(tmp_path / "now", [sample.source_folder()]) / "library.db")
    then = rows_of(shipped / "library.db")
    assert len(now["document"]) == 68
    assert {name for name, rows in now.items() if then.get(name) != rows} == set(), DUE


def test_its_index_is_of_the_model_that_is_shipped(shipped: Path):
    pointer = manifest.read_pointer(shipped / "index")
    assert pointer is not None
    assert manifest.read(shipped / "index", pointer).recipe == recipe_of(Settings()), DUE
    assert not sample.stale(Settings(), shipped)
    assert sample.ready(shipped), DUE


def entries_of(folder: Path) -> dict[str, dict[str, set[tuple[int, ...]]]]:
    """Center, start and end of the spans of each passage, by document and passage."""
    with closing(sqlite3.connect(folder / "library.db")) as raw:
        query = """SELECT p.id, d.publication, p.label, p.id - d.first_passage
            FROM passage p JOIN document d ON d.id = p.document_id"""
        names = {row[0]: (row[1], f"{row[2]} {row[3]}") for row in raw.execute(query)}
    index = folder / "index"
    pointer = manifest.read_pointer(index)
    assert pointer is not None
    found: dict[str, dict[str, set[tuple[int, ...]]]] = {}
    for item in manifest.read(index, pointer).segments:
        opened = LiveSegment(segments.open_arrays(index / pointer.generation, item), np.empty(0, np.int64))
        # The shipped index may be of an earlier format, which has other arrays.
        lists = read_entries([opened], opened.passage_ids, None)
        for place, passage in enumerate(lists.passages.tolist()):
            some = slice(lists.offsets[place], lists.offsets[place + 1])
            columns = (lists.centers[some], lists.start[some], lists.end[some])
            spans = np.stack(columns, axis=1)
            publication, label = names[passage]
            found.setdefault(publication, {})[label] = {tuple(row) for row in spans.tolist()}
    return found


def test_its_spans_meet_the_centers_that_they_meet_now(shipped: Path, tmp_path: Path):
    files = [sample.source_folder() / name for name in FEW]
    folder = imported(tmp_path / "few", files)
    with Library.open(folder) as library:
        indexing.build(library, TaskContext(), Settings())
    now, then = entries_of(folder), entries_of(shipped)
    assert len(now) == len(FEW)
    for publication, passages in now.items():
        assert set(passages) == set(then[publication]), DUE
        both = sum(len(spans & then[publication][label]) for label, spans in passages.items())
        either = sum(len(spans | then[publication][label]) for label, spans in passages.items())
        assert either > 100
        assert both / either > ALIKE, DUE


def test_it_says_nothing_of_the_machine_it_was_made_on(shipped: Path):
    with zipfile.ZipFile(sample.shipped_library()) as packed:
        for name in packed.namelist():
            assert not name.startswith("/")
            assert str(Path.home()).encode() not in packed.read(name) or str(Path.home()) == "/"
    query = "SELECT path FROM source UNION SELECT path FROM import_file UNION SELECT paths FROM import_run"
    with closing(sqlite3.connect(shipped / "library.db")) as raw:
        paths = [row[0] for row in raw.execute(query)]
    assert paths
    assert all(path.startswith(("sample/", '["sample"]')) for path in paths)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_it_is_for_its_owner_alone_and_put_there_once(tmp_path: Path):
    folder = tmp_path / "libraries" / sample.NAME
    sample.provide(folder)
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    (folder / "index" / "CURRENT").unlink()
    drawings = (folder / "drawings.db").read_bytes()
    (folder / "drawings.db").unlink()
    sample.provide(folder)
    assert not (folder / "index" / "CURRENT").exists()
    # A sample of a version without drawings gets them.
    assert (folder / "drawings.db").read_bytes() == drawings
    assert stat.S_IMODE((folder / "drawings.db").stat().st_mode) == 0o600
    assert [each.name for each in folder.parent.iterdir()] == [sample.NAME]
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    sample.provide(folder)
    assert [each.name for each in folder.iterdir()] == ["notes.txt"]
