"""What the program itself has written and may find changed: settings, session, journal, databases, index."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from claimlight.digests import sha256
from tests.fuzz.making import Made
from tests.fuzz.mutating import JSON


def _settings(folder: Path) -> Made:
    from claimlight import settings

    path = folder / "settings.json"

    def read(data: bytes) -> object:
        path.write_bytes(data)
        loaded = settings.load(path)
        # What was read can be written and read again.
        settings.save(loaded.settings, path)
        if settings.load(path).settings != loaded.settings:
            raise AssertionError(f"settings are not the same after saving: {loaded.settings}")
        return loaded

    body: dict[str, object] = {"schema": settings.SCHEMA_VERSION}
    body |= {item.key: item.default for item in settings.list_declared()}
    return [
        json.dumps(body).encode(),
        b'{"schema": 1, "search.covers_share": 0.5, "window.text_scale": 2}',
    ], read


def _session(folder: Path) -> Made:
    from claimlight_workbench import ui_state

    path = folder / "session.json"
    full = ui_state.Session(
        index_plans=(ui_state.IndexPlan("L", ui_state.IndexState.PAUSED, ("--full",)),), libraries=("L", "M"),
        claims_text="1. A damper.", feature_lines=("A damper",), feature_ranges=("3-11",),
        claim_priorities=("3=2018-05-03",),
    )  # fmt: skip
    ui_state.save(full, path)

    def read(data: bytes) -> object:
        path.write_bytes(data)
        found = ui_state.load(path)
        ui_state.save(found, path)
        return found

    return [path.read_bytes()], read


def _journal(folder: Path) -> Made:
    from claimlight import journal
    from claimlight.types.health import Outcome

    journal.keep_job("import", 1.0, Outcome.DONE)
    journal.keep_defect(ValueError("x"))
    path = journal.journal_path()

    def read(data: bytes) -> object:
        path.write_bytes(data)
        return journal.read()

    return [path.read_bytes()], read


def _book(folder: Path) -> Path:
    from claimlight.services.cases.cases import CaseBook
    from tests.core.services.cases.cases_fakes import Clock, mark

    path = folder / "book" / "cases.db"
    shutil.rmtree(path.parent, ignore_errors=True)
    with CaseBook.open(path, clock=Clock()) as book:
        case = book.create_case("one", application="1. A damper.").id
        for number in range(3):
            book.mark(case, mark(number))
        book.tag(case, mark(1).publication, "seen")
        # Without the log, whose pages would take the place of changed ones.
        book.back_up()
    return path


def _cases(folder: Path) -> Made:
    from claimlight.services.cases.cases import CaseBook
    from tests.core.services.cases.cases_fakes import Clock

    path = _book(folder)
    backup = next((path.parent / "backups").glob("*.db"))
    seeds = [backup.read_bytes()]
    shutil.rmtree(path.parent)

    def read(data: bytes) -> object:
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        path.write_bytes(data)
        with CaseBook.open(path, clock=Clock()) as book:
            found: list[object] = [book.check()]
            for case in book.cases():
                found += [book.marks(case.id), book.tags(case.id), book.passage_notes(case.id)]
                found += [book.sets(case.id), book.confirmations(case.id), book.samples(case.id)]
            return found

    return seeds, read


def _backup(folder: Path) -> Made:
    from claimlight.services.cases import case_backups

    path = _book(folder)
    kept = next((path.parent / "backups").glob("*.db"))
    seeds, whole = [kept.read_bytes()], path.read_bytes()

    def read(data: bytes) -> object:
        for left in path.parent.glob("cases.db*"):
            left.unlink()
        path.write_bytes(whole)
        kept.write_bytes(data)
        contents = case_backups.list_contents(path)
        return contents, case_backups.restore(path).day >= date.min

    return seeds, read


def _library(folder: Path) -> Made:
    from claimlight.services.library.library import Library, library_info
    from claimlight.store.store import FILE_NAME
    from tests.core.services.sets.set_fakes import PATENTS
    from tests.fakes import library

    home = folder / "L"
    library(home, PATENTS).close()
    path = home / FILE_NAME
    seeds = [path.read_bytes()]

    def read(data: bytes) -> object:
        for left in home.iterdir():
            left.unlink()
        path.write_bytes(data)
        with Library.open(home) as opened:
            info = library_info(opened)
            texts = [_document(opened, number) for number in range(1, len(PATENTS) + 1)]
            return info.documents, opened.quarantined, texts

    return seeds, read


def _document(opened: object, number: int) -> object:
    from claimlight.services.library.documents import view
    from claimlight.types import PatentId

    return view(opened, PatentId(number))


def _edition(folder: Path) -> Made:
    from claimlight.services.classes.schemes import Schemes
    from claimlight.types import Scheme
    from tests.core.classes import invented

    source = folder / "cpc-2024.01.tsv"
    source.write_text(invented.TITLES_B)
    schemes = Schemes(folder / "Classes")
    from claimlight.tasks import TaskContext

    schemes.import_files(source, TaskContext(), scheme=Scheme.CPC, version="2024.01")
    path = next((folder / "Classes").glob("*.db"))

    def read(data: bytes) -> object:
        path.write_bytes(data)
        opened = Schemes(folder / "Classes")
        return opened.sections(Scheme.CPC), opened.show("B62K25/04", scheme=Scheme.CPC)

    return [path.read_bytes()], read


def _index(folder: Path) -> Made:
    from claimlight.index import manifest
    from claimlight.services.indexing.indexing import index_folder
    from tests.core.services.sets.set_fakes import PATENTS, WORDS, index
    from tests.fakes import library, stack

    made = library(folder / "L", PATENTS)
    index(made, stack(WORDS))
    home = index_folder(made.folder)
    pointer = manifest.read_pointer(home)
    assert pointer is not None
    path = home / pointer.generation / manifest.manifest_name(pointer.commit)
    body = path.read_bytes()

    def read(data: bytes) -> object:
        path.write_bytes(data)
        named = {"generation": pointer.generation, "commit": pointer.commit, "sha256": sha256(data)}
        (home / manifest.CURRENT).write_text(json.dumps(named))
        found = manifest.read_pointer(home)
        assert found is not None
        return manifest.read(home, found)

    return [body], read


def _pointer(folder: Path) -> Made:
    from claimlight.index import manifest

    def read(data: bytes) -> object:
        (folder / manifest.CURRENT).write_bytes(data)
        return manifest.read_pointer(folder)

    return [json.dumps({"generation": "g1", "commit": 3, "sha256": "ab" * 32}).encode()], read


Row = tuple[str, Callable[[Path], Made], tuple[bytes, ...], float, bool]
TARGETS: Sequence[Row] = (
    ("settings", _settings, JSON, 0.3, False),
    ("session", _session, JSON, 1, False),
    ("journal", _journal, JSON, 1, False),
    ("case book", _cases, (), 0.2, False),
    ("case backup", _backup, (), 0.1, False),
    ("library", _library, (), 0.2, False),
    ("class edition", _edition, (), 0.5, False),
    ("index manifest", _index, JSON, 1, False),
    ("index pointer", _pointer, JSON, 1, False),
)
