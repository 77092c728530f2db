"""Copies the pictures of documents into the library, so that it stays whole when their files are gone."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from claimlight.errors import ResourceError
from claimlight.formats import list_sources
from claimlight.formats.containers import picture_files
from claimlight.paths import path_text
from claimlight.services.drawings.decoding import count_sheets
from claimlight.services.drawings.finding import Claims, FoundPicture, find_pictures
from claimlight.services.library.library import Library
from claimlight.services.library.rates import Rate
from claimlight.store.picture_store import KeptPicture, PictureStore
from claimlight.store.pictures import NamedPictures, read_of_sources
from claimlight.tasks import TaskContext
from claimlight.types import KeptDrawings

_BATCH_BYTES = 16 << 20
_BATCH = 500
_COUNTED = frozenset({"tiff", "pdf", "gif"})
"""Formats that may have several pages."""


def keep_imported(library: Library, paths: Sequence[Path], context: TaskContext) -> KeptDrawings:
    """Copy the pictures of the documents of some files and folders; what is kept already is not read again.

    Each picture is durable when it is counted; an interrupted run continues where it stopped.
    """
    files = [path_text(path) for path in list_sources([item.absolute() for item in paths])]
    return _keep(library, read_of_sources(library.store, files), context)


def keep_all(library: Library, context: TaskContext, *, folder: Path | None = None) -> KeptDrawings:
    """Copy the pictures of the whole library; ``folder`` is where the moved files of documents are now.

    In ``folder`` a file counts as the moved one by its name, and one of the deepest common path if several
    have it.
    """
    moved = None if folder is None else _list_moved(folder)
    return _keep(library, read_of_sources(library.store), context, moved)


@dataclass(slots=True)
class _Run:
    pictures: PictureStore
    waiting: list[KeptPicture] = field(default_factory=list)
    size: int = 0
    kept: int = 0
    bytes: int = 0
    refused: int = 0

    def take(self, found: FoundPicture) -> None:
        """Keep a picture, with its number of pages; one that can't be opened is refused."""
        sheets = 1
        if picture_files.picture_format(found.data) in _COUNTED:
            try:
                sheets = max(1, count_sheets(found.data))
            except ResourceError:
                self.refused += 1
                return
        self.waiting.append(KeptPicture(str(found.publication), found.file, sheets, found.data))
        self.size += len(found.data)
        if self.size >= _BATCH_BYTES or len(self.waiting) >= _BATCH:
            self.write()

    def write(self) -> None:
        if self.waiting:
            self.pictures.keep(self.waiting)
            self.kept += len(self.waiting)
            self.bytes += self.size
        self.waiting, self.size = [], 0


def _keep(
    library: Library,
    documents: Iterable[NamedPictures],
    context: TaskContext,
    moved: dict[str, list[Path]] | None = None,
) -> KeptDrawings:
    if library.read_only:
        raise ResourceError(f"The library {library.name} is read-only; no drawings can be kept in it.")
    by_file: defaultdict[str, list[NamedPictures]] = defaultdict(list)
    for item in documents:
        by_file[item.path].append(item)
    pictures = PictureStore(library.folder)
    run, folders = _Run(pictures), picture_files.Folders()
    wanted = 0
    rate = Rate("keep drawings", len(by_file), "files", context)
    try:
        for number, (path, items) in enumerate(by_file.items()):
            context.check()
            claims = Claims(items, pictures.names({str(item.publication) for item in items}))
            wanted += claims.count
            if claims.count:
                where = _find_moved(path, moved)
                seen: set[tuple[str, str]] = set()
                for found in find_pictures(where, claims, context, folders=folders):
                    key = (str(found.publication), found.file)
                    if key not in seen:
                        seen.add(key)
                        run.take(found)
            rate.reached(number + 1, path)
        run.write()
    finally:
        pictures.close()
    missing = wanted - run.kept - run.refused
    return KeptDrawings(run.kept, run.bytes, missing, run.refused)


def _list_moved(folder: Path) -> dict[str, list[Path]]:
    """The files below a folder, by name."""
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for path in list_sources([folder]):
        found[path.name].append(path)
    return found


def _find_moved(path: str, moved: dict[str, list[Path]] | None) -> Path:
    """Where a file is now: its own place, else the one below the given folder whose path ends most alike."""
    old = Path(path)
    if moved is None or (old.is_file() and os.access(old, os.R_OK)):
        return old

    def alike(candidate: Path) -> int:
        pairs = zip(reversed(candidate.parts), reversed(old.parts), strict=False)
        return next((n for n, (one, two) in enumerate(pairs) if one != two), len(old.parts))

    return max(moved.get(old.name, ()), key=alike, default=old)
