"""A library: create, open, import patent files, describe."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from claimlight.errors import InputError, ResourceError
from claimlight.formats import (
    ColumnMapping,
    SourceReader,
    Unread,
    explain_unreadable,
    list_sources,
    plugin_faults,
)
from claimlight.formats.datasets.columns import load as load_columns
from claimlight.formats.datasets.joining import Join
from claimlight.index import manifest
from claimlight.index.depths import count_depths
from claimlight.index.lock import is_being_written
from claimlight.paths import path_text
from claimlight.services.library.import_runs import record_import
from claimlight.services.library.importing import Importer
from claimlight.services.library.rates import Rate
from claimlight.services.library.sharding import Shard
from claimlight.services.library.workers import Raw, parse_here, parse_in_workers, worker_count
from claimlight.settings import Settings
from claimlight.store import Store, register, repository, statistics, writer
from claimlight.store.store import FILE_NAME
from claimlight.store.writer import SourceState, read_source_state
from claimlight.tasks import TaskContext
from claimlight.types import ImportReport, LibraryInfo, Note, PatentId, PublicationNumber, Quarantined

if TYPE_CHECKING:
    from claimlight.index.shared import SharedParts

_GROWTH = 2
"""Bytes a library may grow per byte of patent file."""
_ATTEMPTS = 3
FOLDERS_ONLY = (
    "This works on the folder of a library. A shared library is filled from one: import and index a folder, "
    "then `claimlight push` it to the address. Its documents are removed with `claimlight push --remove`, "
    "and checked with `--verify`."
)


@dataclass(frozen=True, slots=True)
class Library:
    """An open library: that of a folder, or a shared one on servers."""

    folder: Path
    """The library's own; of a shared one a private folder of this computer, for caches and what is wanted."""
    store: Store
    address: str = ""
    """The one canonical text of a shared library's address, without secrets; empty for that of a folder."""
    shared: SharedParts | None = None
    """Engine and index of a shared library; None for one in a folder."""

    @classmethod
    def create(cls, folder: Path) -> Library:
        """Make an empty library; `InputError` if the folder already contains one."""
        return cls(folder, Store.create(folder))

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False) -> Library:
        """Open the library in ``folder``, read-only if it can't be written to."""
        if not (folder / FILE_NAME).exists():
            raise InputError(_no_library(folder))
        return cls(folder, Store.open(folder, read_only=read_only))

    @classmethod
    def open_or_create(cls, folder: Path) -> Library:
        """Open the library in ``folder``; create it if there is none."""
        if holds_library(folder):
            return cls.open(folder)
        try:
            return cls.create(folder)
        except InputError:
            if not holds_library(folder):
                raise
            return cls.open(folder)  # another process was first

    @property
    def name(self) -> str:
        """What cases, reports and messages call it, and what opens it again: its folder or address."""
        return self.address or str(self.folder)

    @property
    def read_only(self) -> bool:
        """Whether it can be searched only."""
        return self.store.read_only

    def require_folder(self) -> None:
        """Refuse what works on the folder of a library, if this is a shared one: `InputError`."""
        if self.address:
            raise InputError(FOLDERS_ONLY)

    def info(self) -> LibraryInfo:
        """Sizes and state."""
        return library_info(self)

    def quarantined(self) -> tuple[Quarantined, ...]:
        """Every quarantined document that was not imported since, by file and position."""
        return statistics.read_quarantined(self.store)

    def close(self) -> None:
        """Close the database, and the connections to an engine."""
        if self.shared is not None:
            self.shared.backend.close()
        self.store.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _no_library(folder: Path) -> str:
    if folder.is_file():
        return f"{folder} is a file: give the folder of a library."
    if not folder.exists():
        return f"There is no folder {folder}. Check the name; importing files creates a new library."
    return f"The folder {folder} contains no library. Check the name; importing files creates one in it."


def holds_library(folder: Path) -> bool:
    """Whether a folder contains a library."""
    return (folder / FILE_NAME).exists()


def remove_documents(
    library: Library, publications: Sequence[str | PublicationNumber]
) -> tuple[PublicationNumber, ...]:
    """Remove documents from a library; their numbers, in the order given.

    If one of them is not in the library, none is removed: `InputError`. The next indexing removes them from
    the index. Importing their files again restores them.
    """
    library.require_folder()
    if library.read_only:
        raise ResourceError(f"The library {library.name} is read-only; nothing can be removed from it.")
    found: dict[PatentId, str | PublicationNumber] = {}
    for each in publications:
        patent = repository.find(library.store, each)
        if patent is None:
            raise InputError(f"{each} is not in the library {library.name}; nothing was removed.")
        found[patent] = each
    held = repository.read_summaries(library.store, found)
    names = tuple(held[patent].publication for patent in found)
    writer.remove_documents(library.store, tuple(found))
    register.update(library.store)
    return names


def import_paths(
    library: Library,
    paths: Sequence[Path],
    context: TaskContext,
    settings: Settings,
    *,
    columns: Path | None = None,
    shard: Shard | None = None,
) -> ImportReport:
    """Import files and folders; an interrupted import resumes after its last committed record.

    Every document is imported, merged, unchanged, skipped or quarantined; none stops the others. ``columns``
    is a file that maps columns of a table or JSON keys to fields (`claimlight.formats.datasets.columns`).
    With a ``shard`` only its share of the files is imported.
    Reports `Progress`, `QuarantinedEvent` and, when a batch is on disk, `Committed`.
    """
    library.require_folder()
    if library.read_only:
        raise ResourceError(f"The library {library.name} is read-only; nothing can be imported into it.")
    mapping = None if columns is None else load_columns(columns)
    for fault in plugin_faults():
        context.report(Note(fault))
    # Files are known by their path, so that an import resumes from any working folder.
    given = [item.absolute() for item in paths]
    found = list_sources(given)
    if shard is not None:
        found = shard.choose(found, given)
    files = [(path, _state(library.store, path)) for path in found]
    total = sum(state.size for _, state in files)
    _warn_of_space(library.folder, total, context)
    workers = worker_count(settings.imports.workers, total)
    raws = _read(library.store, files, context, mapping)
    with record_import(library.store, paths) as recording:
        importer = Importer(
            library.store,
            context,
            recording,
            batch_documents=settings.imports.batch_documents,
            bytes_total=total,
        )
        report = importer.run(parse_in_workers(raws, workers, context) if workers > 1 else parse_here(raws))
    register.update(library.store)
    return report


def _state(store: Store, path: Path) -> SourceState:
    """Where to resume in a file: after what an unfinished run committed, if the file is unchanged."""
    if explain_unreadable(path):
        return SourceState(path_text(path), 0, 0)  # its reader quarantines it, every time
    try:
        found = path.stat()
    except OSError as error:
        raise ResourceError(f"{path} can't be read: {error.strerror}.") from error
    known = read_source_state(store, path_text(path))
    resumed = (
        known is not None
        and not known.complete
        and (known.size, known.modified) == (found.st_size, found.st_mtime_ns)
    )
    records = known.records if known is not None and resumed else 0
    return SourceState(path_text(path), found.st_size, found.st_mtime_ns, records)


def _read(
    store: Store,
    files: Sequence[tuple[Path, SourceState]],
    context: TaskContext,
    columns: ColumnMapping | None,
) -> Iterator[Raw]:
    """The unparsed records of all files; those of tables after all tables of their folder were read."""
    before = 0
    left = Counter(path.parent for path, _ in files)
    joins: dict[Path, _Tables] = {}
    gathering = Rate("gather tables", sum(state.size for _, state in files), "bytes", context)
    reader: SourceReader | None = None

    def gathered() -> None:
        if reader is not None:
            gathering.reached(before + reader.bytes_done, reader.path.name)

    for path, state in files:
        folder = path.parent
        tables = joins.setdefault(folder, _Tables(Join(gathered), []))
        begun = len(tables.join.origins)
        reader = SourceReader(path, context, skip_until=state.records, columns=columns, join=tables.join)
        for record in reader.unread():
            size = record.piece.size if isinstance(record, Unread) else 0
            yield Raw(state, record, reader.position, before + reader.bytes_done, size)
        if len(tables.join.origins) > begun:
            tables.files.append((state, reader))
        else:
            before += state.size
            yield Raw(state, None, reader.position, before, 0)
        left[folder] -= 1
        if left[folder] == 0:
            yield from _join_tables(store, joins.pop(folder), before)
            before += sum(item.size for item, _ in tables.files)


@dataclass(frozen=True, slots=True)
class _Tables:
    """Tables of one folder whose rows together make documents, and their files."""

    join: Join
    files: list[tuple[SourceState, SourceReader]]


def _join_tables(store: Store, tables: _Tables, before: int) -> Iterator[Raw]:
    """The documents of a folder's tables, as records of the main table.

    An interrupted import resumes after its last document only if the other tables are unchanged.
    """
    if not tables.files:
        return
    main = tables.join.main.path if tables.join.has_text else tables.files[0][0].path
    others = [(state, reader) for state, reader in tables.files if state.path != main]
    same = all(_was_read(store, state) for state, _ in others)
    for state, reader in others:
        yield Raw(state, None, reader.position, before, 0)
    state, reader = next((state, reader) for state, reader in tables.files if state.path == main)
    if state.records and not same:
        state = replace(state, records=0)
        reader.skip_until = 0
    size = sum(item.size for item, _ in tables.files)
    count = max(1, tables.join.count())
    for place, record in enumerate(reader.joined(tables.join)):
        length = record.piece.size if isinstance(record, Unread) else 0
        yield Raw(state, record, reader.position, before + size * place // count, length)
    tables.join.close()
    yield Raw(state, None, reader.position, before + size, 0)


def _was_read(store: Store, state: SourceState) -> bool:
    """Whether a file was read to its end before and is unchanged."""
    known = read_source_state(store, state.path)
    return (
        known is not None and known.complete and (known.size, known.modified) == (state.size, state.modified)
    )


def _warn_of_space(folder: Path, size: int, context: TaskContext) -> None:
    free = shutil.disk_usage(folder).free
    if free < _GROWTH * size:
        context.report(
            Note(
                f"{folder} has {free >> 20} MB free; importing {size >> 20} MB of patent files may need "
                f"{_GROWTH * size >> 20} MB. If the disk fills up, everything imported until then is kept."
            )
        )


def library_info(library: Library) -> LibraryInfo:
    """Sizes and state of a library; takes well under a second for 100,000 documents."""
    counts = statistics.count_all(library.store)
    if library.shared is None:
        index = _index_state(library)
        size = sum(item.stat().st_size for item in library.folder.rglob("*") if item.is_file())
    else:
        index = _shared_index_state(library.shared)
        with library.store.read() as connection:
            size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
    return LibraryInfo(
        folder=library.name,
        documents=counts.documents,
        passages=counts.passages,
        families=counts.families,
        quarantined=counts.quarantined,
        offices=counts.offices,
        years=counts.years,
        classes=counts.classes,
        indexed_documents=index.documents,
        generation=index.generation,
        encoder=index.encoder,
        read_only=library.read_only,
        bytes=size,
        languages=counts.languages,
        textless=counts.textless,
        indexing=is_being_written(library.folder / "index"),
        claims_only=index.claims_only,
    )


@dataclass(frozen=True, slots=True)
class _IndexState:
    documents: int = 0
    claims_only: int = 0
    generation: str = ""
    encoder: str = ""


def _index_state(library: Library) -> _IndexState:
    """Read manifest and ids. A damaged index is reported when it is opened; here it counts as absent."""
    index = library.folder / "index"
    for _ in range(_ATTEMPTS):
        try:
            pointer = manifest.read_pointer(index)
            if pointer is None:
                return _IndexState()
            live = manifest.read(index, pointer)
            removed = repository.read_removed_since(library.store, live.library_version)
            documents, claims_only = count_depths(index / live.generation, live, removed)
        except ResourceError:
            # Another process may have published, and deleted what this manifest names.
            continue
        return _IndexState(documents, claims_only, live.name, live.recipe.encoder)
    return _IndexState()


def _shared_index_state(shared: SharedParts) -> _IndexState:
    """By the database, which is the truth of what is indexed."""
    schema = shared.source.schema()
    if schema is None:
        return _IndexState()
    columns = shared.source.columns()
    claims_only = int(columns.claims_only.sum())
    return _IndexState(len(columns.documents), claims_only, schema.name, schema.recipe.encoder)
