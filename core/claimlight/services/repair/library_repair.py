"""Rebuilding the database of a library from what is left of it, and from the files it was imported from.

A new database is filled beside the damaged one: documents whose digest holds keep their ids, so that the
index stays valid; the others are read again from their files. Once it is checked, it takes the place of the
damaged one, which is kept. Files only give documents that are missing: sound ones stay as they are.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from claimlight.errors import ResourceError
from claimlight.files import FOLDER_MODE, parse_json
from claimlight.services.library.library import Library, import_paths
from claimlight.services.library.rates import Rate
from claimlight.settings import Settings
from claimlight.store import register, salvage, soundness
from claimlight.store.refilling import Refill, rebuild_words
from claimlight.store.register import Known
from claimlight.store.replacing import put_database
from claimlight.store.salvage import Salvaged, Wreck, open_wreck
from claimlight.store.store import FILE_NAME, Store
from claimlight.tasks import TaskContext
from claimlight.types.repairs import LibraryRestored

WORK = "library.repairing"
"""Folder of a repair that has not ended, in that of the library."""
DAMAGED = "damaged"
_BATCH = 100
_LATER = 1 << 20
"""Ids left out where counters and index are lost: something else may know documents by them."""


@dataclass(frozen=True, slots=True)
class IndexIds:
    """What the index knows of a library."""

    documents: frozenset[int] = frozenset()
    last_passage: int = 0
    version: int = 0
    last_document: int = 0


@dataclass(slots=True)
class _Found:
    """What is known of the damaged library."""

    known: dict[int, Known] = field(default_factory=dict)
    """By id."""
    complete: bool = False
    """Whether no other document was in it."""
    removed: dict[int, str] = field(default_factory=dict)
    """Publications that were removed or replaced, by the id they had."""
    sources: dict[str, None] = field(default_factory=dict)
    version: int = 0
    next_document: int = 1
    next_passage: int = 1

    def learn(self, item: Known) -> None:
        held = self.known.get(item.id)
        if held is not None:
            item = replace(held, sources=tuple(dict.fromkeys((*held.sources, *item.sources))))
        self.known[item.id] = item
        self.next_document = max(self.next_document, item.id + 1)
        self.next_passage = max(self.next_passage, item.first + item.passages)


def find_survivors(folder: Path, others: Sequence[Path] = ()) -> list[Path]:
    """Databases that may have documents of a library: its own, those that repairs kept, and copies of it.

    ``others``: files and folders that a user named; those that are libraries count.
    """
    kept = [path for path in folder.glob(f"{FILE_NAME}.{DAMAGED}-*") if path.name[-1].isdigit()]
    kept.sort(key=lambda path: int(path.name.rpartition("-")[2]), reverse=True)
    copies = [path / FILE_NAME if path.is_dir() else path for path in others]
    copies = [path for path in copies if path.name.startswith(FILE_NAME)]
    return [path for path in (folder / FILE_NAME, *kept, *copies) if path.is_file()]


def restore_library(
    folder: Path,
    sources: Sequence[Path],
    index: IndexIds,
    context: TaskContext,
    settings: Settings,
) -> LibraryRestored:
    """Rebuild the database in ``folder``; the old one is kept beside it.

    ``sources`` are files and folders with patents to read missing documents from, besides those that the
    import record names, or copies of the library. `ResourceError` if another program has the library open or
    changes it meanwhile, or if nothing can be restored; then nothing has changed.
    """
    target, work = folder / FILE_NAME, folder / WORK
    _free_from_others(target)
    before = _stamp(target)
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir(mode=FOLDER_MODE)
        report = _Filling(folder, index, context, settings).run(sources)
        if _stamp(target) != before:
            raise ResourceError(
                f"{target} was changed by another program during the repair; nothing was replaced. Close "
                "every Claimlight window and command that uses the library, and repair it again."
            )
        kept = put_database(work / "new" / FILE_NAME, target, DAMAGED)
    except OSError as error:
        raise ResourceError(
            f"The library {folder} can't be repaired: {error.strerror or error}. Nothing was replaced."
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    with Store.open(folder) as store:
        register.update(store)
    return report._replace(kept="" if kept is None else str(kept))


def repair_words(folder: Path) -> None:
    """Index the words of a library again, in place: they are made of the texts alone."""
    with Store.open(folder) as store:
        rebuild_words(store)
        soundness.check_words(store)


class _Filling:
    """The new database of one repair."""

    def __init__(self, folder: Path, index: IndexIds, context: TaskContext, settings: Settings) -> None:
        self._folder = folder
        self._work = folder / WORK
        self._index = index
        self._context = context
        self._settings = settings
        self._found = _Found()
        self._report = LibraryRestored()

    def run(self, sources: Sequence[Path]) -> LibraryRestored:
        found, index = self._found, self._index
        with Store.create(self._work / "new") as store:
            refill = Refill(store)
            self._salvage(refill, find_survivors(self._folder, sources))
            self._read_again(refill, [path for path in sources if path.name != FILE_NAME])
            lost = {number: item.publication for number, item in found.known.items()}
            lost = {**dict.fromkeys(sorted(index.documents), ""), **lost}
            if not refill.keys and (lost or not found.complete):
                raise ResourceError(
                    f"No document of the library {self._folder} can be restored: its database can't be read, "
                    "and its files were not found. Name the folders with its patent files: `claimlight "
                    f"doctor --repair --library {self._folder} --from FOLDER`. Nothing was changed."
                )
            refill.finish(
                version=max(found.version, index.version) + 1,
                document=max(found.next_document, index.last_document + 1, *(n + 1 for n in index.documents)),
                passage=max(found.next_passage, index.last_passage + 1),
                lost=[item for item in lost.items() if item[0] not in refill.ids],
            )
            self._context.check()
            rebuild_words(store)
            self._check(store)
        missing = {item.publication for item in found.known.values() if item.key not in refill.keys}
        return self._report._replace(
            missing=tuple(sorted(missing)),
            complete=found.complete,
            index_keeps=len(refill.ids & index.documents),
        )

    def _salvage(self, refill: Refill, survivors: Sequence[Path]) -> None:
        """Copy what is sound in the damaged database, then what is so in older copies of it alone."""
        kept = 0
        with ExitStack() as stack:
            older = []
            for number, path in enumerate(survivors):
                scratch = self._work / f"old-{number}"
                scratch.mkdir()
                wreck = stack.enter_context(open_wreck(path, scratch))
                if wreck is not None and number == 0 and path == self._folder / FILE_NAME:
                    kept += self._take(refill, wreck, newest=True)
                elif wreck is not None:
                    older.append(wreck)
            self._learn_register()
            for wreck in older:
                # Several copies may have it; of the rest of their tables the newest counts.
                kept += self._take(refill, wreck, newest=not kept)
        self._report = self._report._replace(kept_documents=kept)

    def _take(self, refill: Refill, wreck: Wreck, *, newest: bool) -> int:
        found, own = self._found, wreck.path.parent == self._folder and wreck.path.name == FILE_NAME
        ids, complete = wreck.find_ids()
        found.complete = found.complete or (complete and own)
        paths: dict[int, str] = {}
        for table, columns in salvage.PLAIN:
            rows = [row for row in wreck.read_plain(table, columns) if _is_plausible(table, row)]
            if table == "source":
                paths = {row[0]: row[1] for row in rows}
            if table == "removed":
                found.removed |= {row[0]: row[2] for row in rows}
            if newest:
                refill.put_plain(table, columns, rows)
        found.sources.update(dict.fromkeys((*paths.values(), *wreck.read_sources())))
        found.version = max(found.version, wreck.read_counter("version"))
        found.next_document = max(found.next_document, wreck.read_counter("next_document"))
        found.next_passage = max(found.next_passage, wreck.read_counter("next_passage"))
        sound: list[Salvaged] = []
        done, rate = 0, Rate("salvage", len(ids), "documents", self._context)
        for place, number in enumerate(ids):
            self._context.check()
            document = wreck.read_document(number)
            known = wreck.read_known(number)
            if known is not None and own:
                found.learn(known)
            if document is not None and (own or self._is_of_now(number, document)):
                sound.append(document)
            if len(sound) == _BATCH or place == len(ids) - 1:
                done += refill.put(((each, each.id, each.placed[2]) for each in sound), paths, own=True)
                sound.clear()
                rate.reached(place + 1)
        return done

    def _is_of_now(self, number: int, document: Salvaged) -> bool:
        """Whether a document of an older copy was in the library when it was damaged, as far as is known."""
        known = self._found.known.get(number)
        if known is not None:
            return known.digest == document.digest
        return not self._found.complete and number not in self._found.removed

    def _learn_register(self) -> None:
        found, held = self._found, register.read(self._folder)
        if held is None or (found.complete and held.version != found.version):
            return
        if held.version == found.version:
            # It has a checksum, and is of this very state: what a damaged row says does not count.
            older, found.known, found.complete = found.known, {}, True
            for item in older.values():
                found.sources.update(dict.fromkeys(item.sources))
        for item in held.documents:
            # An older register may know documents that were removed or replaced since.
            if item.id not in found.removed:
                found.learn(item)
            found.sources.update(dict.fromkeys(filter(None, item.sources)))
        found.version = max(found.version, held.version)

    def _read_again(self, refill: Refill, sources: Sequence[Path]) -> None:
        """Read missing documents from their files."""
        found = self._found
        missing = {item.key: item for item in found.known.values() if item.key not in refill.keys}
        if not missing and found.complete:
            return
        named = [path for item in missing.values() for path in item.sources]
        if not found.complete or not named:
            named += found.sources
        files = [path for path in dict.fromkeys(map(Path, filter(None, named))) if path.is_file()]
        every = list(dict.fromkeys((*files, *(path.absolute() for path in sources))))
        if not every:
            return
        with Library.create(self._work / "again") as scratch:
            import_paths(scratch, every, self._context, self._settings)
        document = max(found.next_document, self._index.last_document + 1)
        passage = max(found.next_passage, self._index.last_passage + 1)
        if not found.complete:
            document, passage = document + _LATER, passage + _LATER
        same, other = 0, list[str]()
        with open_wreck(self._work / "again" / FILE_NAME, self._work) as read:
            assert read is not None
            paths = {row[0]: row[1] for row in read.read_plain("source", "id, path")}
            columns = "path, size, modified, records, complete"
            refill.put_plain("source", columns, read.read_plain("source", columns))
            for number in read.find_ids()[0]:
                self._context.check()
                again = read.read_document(number)
                known = None if again is None else missing.get(again.key)
                if again is None or again.key in refill.keys or (known is None and found.complete):
                    continue
                if known is not None and known.digest == again.digest:
                    same += refill.put([(again, known.id, known.first)], paths, own=False)
                elif refill.put([(again, document, passage)], paths, own=False):
                    other.append(again.publication)
                    document, passage = document + 1, passage + len(again.passages)
        gone = set(found.removed.values()) - {item.publication for item in found.known.values()}
        self._report = self._report._replace(
            read_again=same,
            read_differently=len(other),
            returned=tuple(sorted(gone & set(other))),
        )

    def _check(self, store: Store) -> None:
        """The new database is checked as a whole before it takes the place of the old one."""
        faults = soundness.find_page_faults(store, self._context)
        faults = faults or soundness.find_changed_documents(store, self._context)
        if faults:
            raise ResourceError(f"The new database is damaged ({'; '.join(faults)}); nothing was replaced.")
        soundness.check_words(store)


def _is_plausible(table: str, row: tuple[object, ...]) -> bool:
    """Whether a row can be one that the program wrote: no digest covers these tables."""
    if any(isinstance(value, bytes) for value in row):
        return False
    if table == "import_run":
        try:
            return isinstance(parse_json(str(row[4])), list)
        except ValueError:
            return False
    texts = {"source": (1,), "removed": (2,), "family_alias": (0, 1)}.get(table, ())
    return all(isinstance(row[place], str) for place in texts)


def _stamp(path: Path) -> list[tuple[int, int]]:
    """Sizes and times of a database and its log, to see whether another program writes."""
    return list(_states(path))


def _states(path: Path) -> Iterator[tuple[int, int]]:
    for suffix in ("", "-wal"):
        try:
            state = Path(f"{path}{suffix}").stat()
        except OSError:
            continue
        # Reading leaves an empty log.
        if state.st_size:
            yield state.st_size, state.st_mtime_ns


def _free_from_others(path: Path) -> None:
    """Raise `ResourceError` if another program has the database open; merges its log into it, if possible."""
    if not path.exists():
        return
    try:
        uri = f"{path.resolve().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=1.0, isolation_level=None)) as connection:
            # With this mode SQLite locks the whole file, which it can't if anybody else has it open.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise ResourceError(
                f"The library {path.parent} is open in another program. Close every Claimlight window and "
                "command that uses it, and repair it again; nothing was changed."
            ) from error
        # Any other error is the damage that is repaired.
