"""Work on the files of Claimlight that a power loss interrupts, and what must be left of it.

Each kind of work runs once, recorded, in a process of its own; then the power fails at many moments of the
record (`power_loss.py`), and the real code opens what is left.

``python -m tests.faults.losing --rounds 1000`` from the top of the source does more of it than the tests, and
counts; ``--deaf`` does it on disks that ignore every sync, on which all of it must break sometimes;
``--killed`` kills the program instead.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from claimlight import encryption, files, settings
from claimlight.errors import AppError
from claimlight.index.generation import Generation
from claimlight.index.verify import verify
from claimlight.index.writer import CHECKPOINT
from claimlight.services.cases import case_encryption, cases
from claimlight.services.cases.cases import CaseBook, DamagedCasesError
from claimlight.services.library.export import export
from claimlight.services.library.library import Library
from claimlight.store import migrate
from claimlight.store.backup import find_fault
from claimlight.tasks import TaskContext
from claimlight.types import CaseId, Committed, ExportKind
from tests.core.services.cases import killing, query_set_fakes
from tests.core.services.indexing import indexing_fakes
from tests.core.services.library import importing_fakes
from tests.faults.power_loss import Loss, Recording, acknowledge, build_shim, record

SEED = 7
SESSIONS = (12, 12, 160)
"""Steps of case work between opening the book and closing it; the last fills its log more than once."""
DOCUMENTS = 14
EVERY = 8
"""After every so many losses the interrupted work is done to its end too, which takes longest."""
STATES = "states"
"""File of notes with the states of the case book."""


class LostError(AssertionError):
    """A promise that was not kept."""


def expect(kept: object, what: str) -> None:
    if not kept:
        raise LostError(what)


# --- the case book ---------------------------------------------------------------------------------------


def work_on_cases(root: Path, notes: Path, passphrase: str | None = None) -> None:
    """Three sessions of case work, each ended by a backup; step 0 makes the case."""
    path, states, step = root / "Cases" / "cases.db", [], 0
    for steps in SESSIONS:
        with CaseBook.open(path, passphrase=passphrase) as book:
            if not states:
                case = book.create_case("one").id
                acknowledge("0")
                states.append(killing.state(book, case))
            for _ in range(steps):
                step += 1
                killing.work(book, case, SEED, step)
                acknowledge(str(step))
                states.append(killing.state(book, case))
    (notes / STATES).write_bytes(pickle.dumps(states))


def check_cases(loss: Loss, states: Any, turn: int, passphrase: str | None = None) -> None:
    """Every step that was acknowledged is there, the one under way wholly or not, and work goes on."""
    path = loss.folder / "Cases" / "cases.db"
    acknowledged = int(loss.acknowledged[-1]) if loss.acknowledged else -1
    with CaseBook.open(path, passphrase=passphrase) as book:
        expect(book.check().sound, "the book is damaged")
        if acknowledged >= 0 or book.cases():
            found = killing.state(book, CaseId(1))
            expect(found in states[max(acknowledged, 0) : acknowledged + 2], f"step {acknowledged} is lost")
        if turn % EVERY == 0:
            made = book.create_case("after")
            expect(made.id in {case.id for case in book.cases()}, "nothing can be saved")
    if turn % EVERY == 1:
        for item in cases.list_contents(path, passphrase):
            expect(not item.fault, f"{item.backup.path}: {item.fault}")


# --- the encrypted case book -----------------------------------------------------------------------------

PASSPHRASE = "damper valve train four"


def fewer_rounds() -> AbstractContextManager[object]:
    """Deriving a key takes a tenth of a second, and every loss needs one."""
    return patch.object(encryption, "_ROUNDS", 1000)


def prepare_encrypted(root: Path, notes: Path) -> None:
    """An encrypted case book without cases."""
    path = root / "Cases" / "cases.db"
    with fewer_rounds():
        CaseBook.open(path).close()
        case_encryption.encrypt(PASSPHRASE, path)


def work_on_encrypted(root: Path, notes: Path) -> None:
    with fewer_rounds():
        work_on_cases(root, notes, PASSPHRASE)


def check_encrypted(loss: Loss, states: Any, turn: int) -> None:
    """As `check_cases`, and nothing of it is in clear."""
    with fewer_rounds():
        check_cases(loss, states, turn, PASSPHRASE)
    for path in (loss.folder / "Cases").rglob("*.db*"):
        expect(not encryption.has_header(path), f"{path} is in clear")


# --- a backup that takes the place of a damaged book -----------------------------------------------------


def prepare_restore(root: Path, notes: Path) -> None:
    """A case book with a backup of three steps; its log has a fourth, and its file is damaged."""
    path = root / "Cases" / "cases.db"
    with CaseBook.open(path) as book:
        case = book.create_case("one").id
        for step in range(1, 4):
            killing.work(book, case, SEED, step)
    with CaseBook.open(path) as book:
        killing.work(book, case, SEED, 4)
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", root / f"kept{suffix}")
    # What a kill leaves: a book whose newest step is in its log alone. Its header is destroyed afterwards.
    Path(cases.list_backups(path)[0].path).unlink()
    for suffix in ("-wal", ""):
        (root / f"kept{suffix}").replace(f"{path}{suffix}")
    with path.open("r+b") as stream:
        stream.write(bytes(100))


def work_on_restore(root: Path, notes: Path) -> None:
    path = root / "Cases" / "cases.db"
    cases.restore(path)
    acknowledge("restored")
    with CaseBook.open(path) as book:
        (notes / STATES).write_bytes(pickle.dumps(killing.state(book, CaseId(1))))


def check_restore(loss: Loss, state: Any, turn: int) -> None:
    """The damaged book is refused, or the backup is in its place; a restore that is begun again works."""
    path = loss.folder / "Cases" / "cases.db"
    for again in (False, True):
        try:
            with CaseBook.open(path) as book:
                expect(book.check().sound, "the book is damaged")
                expect(killing.state(book, CaseId(1)) == state, "the book is neither of the two")
                return
        except DamagedCasesError:
            expect(not loss.acknowledged and not again, "the restored book is lost")
            cases.restore(path)


# --- a migration -----------------------------------------------------------------------------------------


def prepare_migration(root: Path, notes: Path) -> None:
    """A case book of the first version."""
    query_set_fakes.old_book(root / "Cases" / "cases.db")


def work_on_migration(root: Path, notes: Path) -> None:
    CaseBook.open(root / "Cases" / "cases.db").close()
    acknowledge("migrated")


def check_migration(loss: Loss, notes: Path, turn: int) -> None:
    """The old schema or the new, each whole; a new one has a backup of the old; opening it migrates it."""
    path = loss.folder / "Cases" / "cases.db"
    fault = find_fault(path)
    expect(not fault, f"the book is damaged: {fault}")
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        columns = len(connection.execute("PRAGMA table_info(query_set)").fetchall())
    expect((version, columns) in ((1, 6), (migrate.CASES.version, 10)), f"schema {version} with {columns}")
    expect(version > 1 or not loss.acknowledged, "a migration that was reported is lost")
    with CaseBook.open(path) as book:
        expect(len(book.sets(CaseId(1))[0].hits) == 2, "content is lost")
    kept = list((path.parent / "backups").glob(f"*-before-schema-{migrate.CASES.version}.db"))
    expect(kept, "there is no backup from before")
    for item in kept:
        with closing(sqlite3.connect(item)) as connection:
            expect(
                connection.execute("PRAGMA user_version").fetchone() == (1,), "the backup is not the old book"
            )


# --- the library -----------------------------------------------------------------------------------------


def work_on_library(root: Path, notes: Path) -> None:
    """An import into a new library, in small batches; a second file is imported in a second session."""

    def tell(event: object) -> None:
        if isinstance(event, Committed):
            acknowledge(str(before + event.documents))

    first = importing_fakes.source(notes / "first.xml", DOCUMENTS)
    both = first, notes / "second.xml"
    both[1].write_bytes(b"".join(map(importing_fakes.grant, range(DOCUMENTS, DOCUMENTS + 6))))
    before = 0
    for path in both:
        importing_fakes.take(root / "L", path, batch=3, context=TaskContext(tell))
        with Library.open(root / "L") as library:
            before = library.info().documents
    (notes / "digest").write_text(importing_fakes.digest(root / "L"))


def check_library(loss: Loss, notes: Path, turn: int) -> None:
    """No batch that was reported is lost, every check passes, and the import ends as if nothing had been."""
    folder = loss.folder / "L"
    if loss.acknowledged:
        with Library.open(folder) as library:
            expect(library.info().documents >= int(loss.acknowledged[-1]), "a reported batch is lost")
        importing_fakes.digest(folder)
    if turn % EVERY == 0:
        for name in ("first.xml", "second.xml"):
            importing_fakes.take(folder, notes / name, batch=9)
        digest = (notes / "digest").read_text()
        expect(importing_fakes.digest(folder) == digest, "the import ends with another library")


# --- the index -------------------------------------------------------------------------------------------

_PHASES = (("new", 12, 1, False), ("more", 18, 2, False), ("rebuilt", 8, 2, True))
"""Name, number of documents, version of the library, and whether the index is rebuilt."""


def _build(folder: Path, phase: tuple[str, int, int, bool], context: TaskContext | None = None) -> None:
    _, count, version, rebuild = phase
    gone = (3, 5) if version > 1 else ()
    tools = indexing_fakes.stack(fingerprint="words-2" if rebuild else "words-1")
    tools.encoder.fingerprint = "words-2" if rebuild else "words-1"
    corpus = indexing_fakes.DeepCorpus(count, gone=gone, version=version)
    indexing_fakes.build(folder, corpus, per_segment=4, rebuild=rebuild, tools=tools, context=context)


def work_on_index(root: Path, notes: Path) -> None:
    """An index is built in many commits, grows, loses documents, and is rebuilt with another model."""
    indexing_fakes.small_batches()
    for phase in _PHASES:

        def tell(event: object, name: str = phase[0]) -> None:
            if isinstance(event, Committed):
                acknowledge(f"{name} {event.stage.replace(' ', '-')} {event.documents}")

        _build(root / "index", phase, TaskContext(tell))
        acknowledge(f"{phase[0]} done 0")
        (notes / phase[0]).write_text(repr(indexing_fakes.says(root / "index")))


def check_index(loss: Loss, notes: Path, turn: int) -> None:
    """The index says what was reported, every file is as its manifest says, and it can be finished."""
    folder = loss.folder / "index"
    said = [line.split() for line in loss.acknowledged]
    found = Generation.open(folder)
    expect(found is not None or not said, "the index is lost")
    if found is not None and said:
        verify(found.folder, found.manifest.segments, remembered=False)
        expect(not found.notes, "the graph is damaged")
        expect(found.documents >= _least(said), f"{found.documents} documents after {said[-1]}")
    if not loss.under_way:
        expect(repr(indexing_fakes.says(folder)) == (notes / "rebuilt").read_text(), "other answers")
    if turn % (3 * EVERY) == 0:
        folder.parent.mkdir(exist_ok=True)
        done = [name for name, stage, _ in said if stage == "done"]
        left = [phase for phase in _PHASES if phase[0] not in done] or [_PHASES[-1]]
        # From a rebuild on, an index of the former model can't grow any more.
        rebuilt = found is not None and found.recipe.encoder == "words-2"
        for phase in left[-1:] if rebuilt else left:
            _build(folder, phase)
            expect(repr(indexing_fakes.says(folder)) == (notes / phase[0]).read_text(), "other answers")
        left_over = [path for path in folder.rglob("*") if path.suffix == files.TEMPORARY]
        expect(not left_over and not list(folder.rglob(CHECKPOINT)), "something is left over")


def _least(said: list[list[str]]) -> int:
    """The least number of documents in the index after what was reported."""
    (_, first, _, _), (_, second, _, _), (_, third, _, _) = _PHASES
    least = 0
    for name, stage, count in said:
        if stage == "index" and name != "rebuilt":
            # The second phase begins with the removal of two.
            least = int(count) + (first - 2 if name == "more" else 0)
        elif name == "new" and stage == "done":
            least = first - 2
        elif name == "more" and stage == "done":
            least = min(second, third) - 2
    return least


# --- files that are replaced as a whole ------------------------------------------------------------------


def work_on_files(root: Path, notes: Path) -> None:
    """Settings, an export, a file of many writes and a folder, each replaced several times."""
    with Library.open(notes / "L") as library:
        for number in range(1, 6):
            for name, save in _savers(root, library).items():
                save(number)
                acknowledge(f"{name} {number}")


def _savers(root: Path, library: Library) -> dict[str, Callable[[int], None]]:
    def folder(number: int) -> None:
        with files.make_folder_atomically(root / f"model-{number}") as made:
            (made / "inner").mkdir(parents=True)
            (made / "inner" / "weights").write_bytes(bytes([number]) * 30_000)
            (made / "manifest.json").write_text(str(number))

    def pieces(number: int) -> None:
        with files.open_atomically(root / "pieces") as stream:
            for _ in range(20):
                stream.write(bytes([number]) * 5000)

    def told(number: int) -> None:
        export(
            library, None, root / "out.csv", kind=ExportKind.CSV, context=TaskContext(), text=number % 2 == 0
        )

    return {
        "settings": lambda n: settings.save(
            settings.change(settings.Settings(), "search.weight_bm25", n / 10), root / "Own" / "settings.json"
        ),
        "pieces": pieces,
        "export": told,
        "folder": folder,
    }


def prepare_files(root: Path, notes: Path) -> None:
    importing_fakes.take(notes / "L", importing_fakes.source(notes / "week.xml", 8))


def check_files(loss: Loss, notes: Path, turn: int) -> None:
    """Each file is the acknowledged one or the one under way, whole."""
    last = {name: int(number) for name, number in map(str.split, loss.acknowledged)}
    root = loss.folder
    loaded = settings.load(root / "Own" / "settings.json")
    expect(not loaded.note, f"settings: {loaded.note}")
    _expect_one(last, "settings", round(loaded.settings.search.weight_bm25 * 10), default=True)
    if "pieces" in last or (root / "pieces").exists():
        body = (root / "pieces").read_bytes()
        expect(len(body) == 100_000 and len(set(body)) == 1, "pieces: torn")
        _expect_one(last, "pieces", body[0])
    if "export" in last or (root / "out.csv").exists():
        with Library.open(notes / "L") as library:
            bodies = []
            for text in (False, True):
                path = notes / "again.csv"
                export(library, None, path, kind=ExportKind.CSV, context=TaskContext(), text=text)
                bodies.append(path.read_bytes())
        expect((root / "out.csv").read_bytes() in bodies, "export: torn")
    for number in range(1, 6):
        made = root / f"model-{number}"
        if number <= last.get("folder", 0) or made.exists():
            expect(json.loads((made / "manifest.json").read_text()) == number, "folder: torn")
            expect((made / "inner" / "weights").read_bytes() == bytes([number]) * 30_000, "folder: torn")


def _expect_one(last: dict[str, int], name: str, found: int, *, default: bool = False) -> None:
    known = last.get(name, 0)
    expect(found in (known, known + 1) or (default and not known), f"{name}: {found} after {known}")


# --- running it ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Work:
    """One kind of work: what is there before, the recorded program, and the check of what is left.

    All have a folder of data, which is lost, and one of notes, which is not. The check gets the states of the
    case book where the program has written them, else the folder of notes.
    """

    do: Callable[[Path, Path], None]
    check: Callable[[Loss, Any, int], None]
    prepare: Callable[[Path, Path], None] = lambda root, notes: None


WORKS = {
    "cases": Work(work_on_cases, check_cases),
    "restore": Work(work_on_restore, check_restore, prepare_restore),
    "migration": Work(work_on_migration, check_migration, prepare_migration),
    "library": Work(work_on_library, check_library),
    "index": Work(work_on_index, check_index),
    "files": Work(work_on_files, check_files, prepare_files),
}
if encryption.available():
    WORKS["encrypted cases"] = Work(work_on_encrypted, check_encrypted, prepare_encrypted)


@dataclass(frozen=True)
class Recorded:
    """A kind of work and the record of it."""

    work: Work
    notes: Any
    recording: Recording
    place: Path

    def lose_power(self, rounds: int, seed: int, *, deaf: bool = False, killed: bool = False) -> Counter[str]:
        """How many losses kept every promise (``kept``), and how many did not, by what was not kept."""
        counts: Counter[str] = Counter()
        losses = self.recording.lose_power(self.place, rounds, seed, deaf=deaf, killed=killed)
        for turn, loss in enumerate(losses):
            try:
                self.work.check(loss, self.notes, turn)
            except _failures() as error:
                counts[f"{type(error).__name__}: {error}"] += 1
            else:
                counts["kept"] += 1
        return counts


def _failures() -> tuple[type[Exception], ...]:
    return (AssertionError, AppError, OSError, ValueError, *encryption.database_errors())


@contextmanager
def open_disks() -> Iterator[Path]:
    """A folder for the disks that are left, in memory where that is possible: there syncs cost nothing."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


def record_work(name: str, recorder: Path, place: Path, disks: Path) -> Recorded:
    """Do a kind of work once, recorded; ``place`` is a folder of its own, ``disks`` that of `open_disks`."""
    root, notes = place / "data", place / "notes"
    for folder in (root, notes):
        folder.mkdir(parents=True)
    work, states = WORKS[name], notes / STATES
    work.prepare(root, notes)
    recording = record(recorder, root, "tests.faults.losing", "--work", name, str(place))
    return Recorded(work, pickle.loads(states.read_bytes()) if states.exists() else notes, recording, disks)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deaf", action="store_true")
    parser.add_argument("--killed", action="store_true")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=WORKS)
    given = parser.parse_args()
    if given.work:
        name, place = given.work
        WORKS[name].do(Path(place) / "data", Path(place) / "notes")
        return
    failed = False
    with tempfile.TemporaryDirectory() as folder, open_disks() as disks:
        recorder = build_shim("recorder", Path(folder))
        for name in [given.only] if given.only else WORKS:
            recorded = record_work(name, recorder, Path(folder) / name, disks)
            counts = recorded.lose_power(given.rounds, given.seed, deaf=given.deaf, killed=given.killed)
            steps, said = len(recorded.recording.steps), counts["kept"]
            word = "kills" if given.killed else "power losses"
            sys.stdout.write(f"{name}: {given.rounds} {word} in {steps} steps, {said} kept everything\n")
            for what, count in counts.most_common():
                if what != "kept":
                    failed = True
                    sys.stdout.write(f"  {count} times {what[:300]}\n")
    sys.exit(int(failed and not given.deaf))


if __name__ == "__main__":
    main()
