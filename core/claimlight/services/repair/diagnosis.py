"""What is damaged of a library, the case book, models and folders, and which repairs there are.

`examine` changes nothing. `repair` does the steps that it named, and each step keeps what it replaces.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from sqlalchemy.exc import DBAPIError

from claimlight import paths
from claimlight.errors import AppError, InputError, ResourceError, TaskCancelled
from claimlight.index import mending
from claimlight.index.mending import IndexState
from claimlight.services.indexing.indexing import index_folder, is_outdated
from claimlight.services.library.library import Library
from claimlight.services.models.model_checks import load_package
from claimlight.services.repair import words
from claimlight.services.repair.book_repair import REPAIRING, BookState, examine_book, repair_book
from claimlight.services.repair.index_repair import mend_index, read_ids, rebuild_graph
from claimlight.services.repair.library_repair import (
    WORK,
    find_survivors,
    repair_words,
    restore_library,
)
from claimlight.settings import Settings
from claimlight.store import migrate, register, soundness
from claimlight.store.picture_store import PictureStore
from claimlight.store.store import FILE_NAME, Store
from claimlight.tasks import TaskContext
from claimlight.types.health import Finding
from claimlight.types.repairs import RepairResult, RepairStep

BOOK = words.BOOK
_OLD_SECONDS = 3600
"""A temporary file that is younger may be one of a process on another computer."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings, and the repairs of what is damaged."""

    findings: tuple[Finding, ...]
    steps: tuple[RepairStep, ...]
    library: Path | None = None
    index: IndexState | None = None
    book: BookState | None = None
    leftovers: tuple[Path, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether no finding is a fault."""
        return all(item.ok for item in self.findings)


@dataclass(slots=True)
class _Seen:
    findings: list[Finding] = field(default_factory=list)
    steps: list[RepairStep] = field(default_factory=list)
    readable: bool = False
    """Whether the library could be opened."""


def examine(
    settings: Settings,
    folder: Path | None,
    context: TaskContext,
    *,
    thorough: bool = False,
    passphrase: str | None = None,
) -> Diagnosis:
    """Check a library (if given), the case book, the model packages and what killed processes left.

    ``thorough`` reads every byte of the library and of the packages; otherwise the case book alone is read
    whole, an encrypted one with its ``passphrase``. `InputError` if the folder is no library and has nothing
    of one.
    """
    seen = _Seen()
    index = None
    if folder is not None:
        _library(seen, folder, context, thorough=thorough)
        context.check()
        index = _index(seen, folder, settings, thorough=thorough)
    book = _book(seen, passphrase)
    context.check()
    if thorough:
        _packages(seen, settings, context)
    leftovers = tuple(_find_leftovers(folder))
    if leftovers:
        seen.findings.append(words.leftovers(leftovers))
        seen.steps.append(words.remove_leftovers(leftovers))
    return Diagnosis(tuple(seen.findings), tuple(seen.steps), folder, index, book, leftovers)


def examine_stored(
    settings: Settings,
    folder: Path | None,
    context: TaskContext,
    *,
    book: bool,
    passphrase: str | None = None,
) -> Diagnosis:
    """Check every page of a library, its index and, with ``book``, the case book.

    It only reads. The full text is not compared with the texts: that would keep others from writing.
    """
    seen = _Seen()
    index = None
    if folder is not None:
        _library(seen, folder, context, thorough=True, words_too=False)
        context.check()
        index = _index(seen, folder, settings, thorough=True)
        context.check()
    found = _book(seen, passphrase) if book else None
    return Diagnosis(tuple(seen.findings), tuple(seen.steps), folder, index, found)


def repair(
    found: Diagnosis, settings: Settings, context: TaskContext, *, sources: Sequence[Path] = ()
) -> Iterator[RepairResult]:
    """Do the steps of a diagnosis one after the other; one that fails does not stop the next.

    ``sources``: files and folders to read missing documents from.
    """
    for step in found.steps:
        context.check()
        try:
            yield RepairResult(step.key, tuple(_do(step, found, settings, context, sources)))
        except TaskCancelled:
            raise
        except (AppError, OSError) as error:
            yield RepairResult(step.key, (str(error),), done=False)


def _do(
    step: RepairStep,
    found: Diagnosis,
    settings: Settings,
    context: TaskContext,
    sources: Sequence[Path],
) -> Iterator[str]:
    folder = found.library
    if step.key == "leftovers":
        yield words.leftovers_removed(sum(_remove(path) for path in found.leftovers))
    elif step.key == "case book":
        assert found.book is not None
        yield from words.book_repaired(repair_book(found.book))
    elif folder is None:
        return
    elif step.key == "library":
        yield from words.library_restored(
            restore_library(folder, sources, read_ids(folder), context, settings)
        )
    elif step.key == "words":
        repair_words(folder)
        yield words.WORDS_REPAIRED
    elif step.key == "index":
        assert found.index is not None
        with Store.open(folder) as store, store.read() as connection:
            ids = connection.exec_driver_sql("SELECT id FROM document").scalars().all()
        yield from words.index_mended(mend_index(folder, found.index, frozenset(ids)), folder)
    elif rebuild_graph(folder, context, settings):
        yield words.GRAPH_REBUILT


def _library(
    seen: _Seen, folder: Path, context: TaskContext, *, thorough: bool, words_too: bool = True
) -> None:
    path = folder / FILE_NAME
    if not path.exists():
        if not (find_survivors(folder) or register.read(folder) or (index_folder(folder)).is_dir()):
            raise InputError(f"The folder {folder} contains no library, and nothing that was one.")
        seen.findings.append(words.library_lost(path))
        seen.steps.append(words.restore(folder))
        return
    refused = _find_refusal(path)
    if refused is not None:
        seen.findings.append(refused)
        seen.readable = refused.ok
        return
    try:
        with Store.open(folder, read_only=True) as store:
            _examine_store(seen, store, context, thorough=thorough)
            seen.readable = True
        if thorough and words_too:
            _examine_words(seen, folder)
        if thorough:
            _examine_pictures(seen, folder, context)
    except (ResourceError, DBAPIError, sqlite3.Error) as error:
        seen.findings.append(words.library_damaged(str(error)))
        seen.steps.append(words.restore(folder))


def _examine_store(seen: _Seen, store: Store, context: TaskContext, *, thorough: bool) -> None:
    with store.read(context) as connection:
        run = connection.exec_driver_sql
        many = run("SELECT count(*) FROM document").scalar_one()
        run("SELECT max(id) FROM passage").scalar_one()
        run("SELECT count(*) FROM source").scalar_one()
    faults: list[str] = []
    if thorough:
        faults = soundness.find_page_faults(store, context)
        changed = [] if faults else soundness.find_changed_documents(store, context)
        if changed:
            faults = [f"documents that have changed: {', '.join(changed)}"]
    if faults:
        raise ResourceError(f"{store.path} is damaged: {'; '.join(faults)}.")
    seen.findings.append(words.library_sound(many, thorough=thorough))


def _examine_words(seen: _Seen, folder: Path) -> None:
    with Store.open(folder) as store:
        if store.read_only:
            return
        try:
            soundness.check_words(store)
        except ResourceError as error:
            seen.findings.append(words.words_damaged(str(error)))
            seen.steps.append(words.index_words(folder))


def _examine_pictures(seen: _Seen, folder: Path, context: TaskContext) -> None:
    pictures = PictureStore(folder, read_only=True)
    try:
        pictures.check(context)
    except ResourceError as error:
        # They are copies: the command of its own makes them again.
        seen.findings.append(words.pictures_damaged(str(error)))
    finally:
        pictures.close()


def _find_refusal(path: Path) -> Finding | None:
    """The finding for a sound database that this program does not open; None for any other."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if mark != migrate.LIBRARY.application_id:
            return None
        if version > migrate.LIBRARY.version:
            return words.library_newer(path, version)
        if version < migrate.LIBRARY.version:
            return words.library_older(version)
        with suppress(DBAPIError):
            foreign = _find_foreign(path)
            if foreign:
                return words.library_foreign(path, foreign)
    return None


def _find_foreign(path: Path) -> list[str]:
    from claimlight.store.database import Database

    database = Database(path, advice="", read_only=True)
    try:
        with suppress(ResourceError), database.read() as connection:
            return migrate.find_foreign_objects(connection, migrate.LIBRARY)
    finally:
        database.close()
    return []


def _index(seen: _Seen, folder: Path, settings: Settings, *, thorough: bool) -> IndexState | None:
    index = index_folder(folder)
    try:
        found = mending.examine(index, thorough=thorough)
    except ResourceError as error:
        seen.findings.append(words.index_refused(str(error)))
        return None
    if found is None:
        seen.findings.append(Finding(words.INDEX, "there is none yet"))
        return None
    if found.pointer_fault or found.segments:
        seen.findings.append(words.index_damaged(found))
        seen.steps.append(words.mend(index))
    elif found.graph:
        seen.findings.append(words.graph_damaged(found.graph))
    if found.graph and not (found.pointer_fault or found.segments):
        seen.steps.append(words.build_graph())
    if found.sound:
        seen.findings.append(_compare(seen, folder, found, settings, thorough=thorough))
    return found


def _compare(seen: _Seen, folder: Path, found: IndexState, settings: Settings, *, thorough: bool) -> Finding:
    """The index against the database and the model in use."""
    with suppress(AppError):
        if is_outdated(folder, settings):
            assert found.manifest is not None
            return words.other_model(found.manifest.recipe.encoder)
    if seen.readable:
        with suppress(AppError, DBAPIError), Library.open(folder, read_only=True) as library:
            info = library.info()
            return words.index_state(info, again=_count_again(found), thorough=thorough)
    return words.index_sound(thorough=thorough)


def _count_again(found: IndexState) -> int:
    return 0 if found.manifest is None else len(found.manifest.uncut or ())


def _book(seen: _Seen, passphrase: str | None) -> BookState | None:
    found = examine_book(passphrase=passphrase)
    if found is None:
        return None
    seen.findings.append(words.book_state(found))
    if found.damaged and not found.refused:
        seen.steps.append(words.repair_book(found))
    if found.bad_backups:
        seen.findings.append(words.bad_backups(found))
    return found


def _packages(seen: _Seen, settings: Settings, context: TaskContext) -> None:
    """Every file of every package against its manifest; the encoder in use is a part of the installation."""
    shipped = paths.shipped_models_dir()
    judge = settings.judge
    used = {settings.encoder.package, judge.package, judge.second, settings.classifier.package}
    for base in (shipped, paths.models_dir()):
        for folder in sorted(path for path in base.glob("*") if path.is_dir()):
            context.check()
            try:
                load_package(folder)
            except AppError as error:
                in_use = base == shipped or bool({folder.name, str(folder)} & used)
                finding = words.package_damaged(
                    folder.name, str(error), in_use=in_use, shipped=base == shipped
                )
            else:
                finding = Finding(f"package {folder.name}", "all files match the manifest")
            seen.findings.append(finding)


def _find_leftovers(folder: Path | None) -> Iterator[Path]:
    """Temporary files of processes that have ended: whatever they were to become was never reported."""
    cases, settings = paths.cases_dir(), paths.config_dir()
    places = [cases, settings, paths.data_dir(), *(() if folder is None else (folder,))]
    for place in dict.fromkeys(places):
        for pattern in ("*.tmp", "library.*.new", "drawings.*.new", "*.restoring", f"*{REPAIRING}", WORK):
            for path in sorted(place.glob(pattern)):
                if not _is_in_use(path):
                    yield path


def _is_in_use(path: Path) -> bool:
    number = next((part for part in path.name.replace("-", ".").split(".") if part.isdigit()), "")
    if number and psutil.pid_exists(int(number)):
        return True
    try:
        age = time.time() - path.stat().st_mtime
    except OSError:
        return True
    return not number and age < _OLD_SECONDS


def _remove(path: Path) -> int:
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError:
        return 0
    return 1
