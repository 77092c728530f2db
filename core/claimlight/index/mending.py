"""Finds what of an index is damaged, and publishes a commit of what is sound.

Documents whose rows are lost are noted as `IndexManifest.uncut`, which the next indexing encodes again; the
others stay searchable as they are. Damaged files are moved out of the index, not deleted.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from claimlight.errors import ResourceError
from claimlight.files import sync
from claimlight.index import files
from claimlight.index import manifest as manifests
from claimlight.index.lock import WriterLock
from claimlight.index.manifest import (
    CURRENT,
    FORMAT,
    OLD_FORMATS,
    IndexFormatError,
    IndexManifest,
)
from claimlight.index.segments import SegmentPart, SegmentRecord
from claimlight.index.verify import verify

_NAME = re.compile(r"manifest-(\d+)\.json")
_BEGIN = (SegmentPart.WHOLE, SegmentPart.CLAIMS)


@dataclass(frozen=True, slots=True)
class IndexState:
    """What of an index is sound."""

    manifest: IndexManifest | None
    """The commit in use, or the newest one that can be read; None if there is none."""
    pointer_fault: str = ""
    """Why the commit in use can't be read; empty if it can."""
    segments: tuple[str, ...] = ()
    """Names of damaged segments."""
    faults: tuple[str, ...] = ()
    """What is wrong with each of these."""
    graph: str = ""
    """What is wrong with the dense graph."""

    @property
    def sound(self) -> bool:
        return not (self.pointer_fault or self.segments or self.graph)


@dataclass(frozen=True, slots=True)
class Mended:
    """What `mend` did."""

    again: int
    """Documents that are to be encoded again."""
    descriptions: int
    """Documents of which only the description is."""
    kept: str
    """Folder with the damaged files; empty if no file was moved."""


def examine(index: Path, *, thorough: bool) -> IndexState | None:
    """Check an ``index`` folder; None if it never had a commit.

    ``thorough`` reads every byte, otherwise files that were verified in the last week are not read again.
    `IndexFormatError` for the index of a newer program.
    """
    fault = ""
    try:
        pointer = manifests.read_pointer(index)
        found = None if pointer is None else manifests.read(index, pointer, old=True)
    except IndexFormatError:
        raise
    except ResourceError as error:
        fault, found = str(error), _find_readable(index)
    else:
        if pointer is None:
            found = _find_readable(index)
            if found is None:
                return None
            fault = f"{index / CURRENT} is missing."
    if found is None:
        return IndexState(None, fault)
    folder = index / found.generation
    damaged = dict(_find_damaged(folder, found, thorough=thorough))
    graph = ""
    if found.graph is not None:
        try:
            files.check_hash(folder / found.graph.file.name, found.graph.file)
        except ResourceError as error:
            graph = str(error)
    return IndexState(found, fault, tuple(damaged), tuple(damaged.values()), graph)


def mend(index: Path, state: IndexState, documents: Collection[int]) -> Mended:
    """Publish what is sound of an index; ``documents`` are the ids that the library has.

    `ResourceError` if it is being written, or nothing of it can be used.
    """
    with WriterLock(index):
        found = state.manifest
        lost = [] if found is None else [item for item in found.segments if item.name in state.segments]
        if found is None or found.format in OLD_FORMATS or (lost and found.uncut is None):
            return Mended(len(documents), 0, str(_set_aside(index)))
        folder = index / found.generation
        kept = tuple(item for item in found.segments if item not in lost)
        dead = frozenset(found.dead)
        held = _live(folder, kept, dead)
        left_out = {*held, *found.skipped}
        again = [item for item in sorted(documents) if item <= found.last_document and item not in left_out]
        known = set().union(*(_ids(folder, item) for item in kept)) if kept else set()
        current = replace(
            found,
            commit=max(found.commit, _highest(folder)) + 1,
            segments=kept,
            # Whatever the library no longer has; its removals may have been lost with the damaged database.
            dead=tuple(sorted(item for item in known if item not in documents or item in dead)),
            uncut=None if found.uncut is None else tuple(sorted({*found.uncut, *again})),
            graph=None if state.graph or lost else found.graph,
            format=found.format if found.format in manifests.READABLE_FORMATS else FORMAT,
        )
        described = sum(item.documents for item in lost if item.part is SegmentPart.DESCRIPTION)
        manifests.publish(index, current, CURRENT)
        moved = [folder / item.name for item in lost]
        if state.graph and found.graph is not None:
            moved.append(folder / found.graph.file.name)
        moved = [path for path in moved if path.exists()]
        target = _move(index, moved) if moved else ""
        return Mended(len(again), described, str(target))


def _find_readable(index: Path) -> IndexManifest | None:
    """The newest commit whose manifest can be read; it has the checksums of its segments."""
    found: list[tuple[int, int, IndexManifest]] = []
    for path in (*index.glob("g*/manifest-*.json"), *index.glob(f"g*/{manifests.COPY}")):
        with suppress(OSError, ResourceError, ValueError, KeyError, TypeError, AttributeError):
            read = manifests.parse(path.read_bytes(), path, old=True)
            if read.generation == path.parent.name:
                found.append((path.stat().st_mtime_ns, read.commit, read))
    return max(found, key=lambda item: item[:2])[2] if found else None


def _find_damaged(folder: Path, found: IndexManifest, *, thorough: bool) -> Iterator[tuple[str, str]]:
    try:
        verify(folder, found.segments, remembered=not thorough)
    except ResourceError:
        # The first fault ends that check: each by itself, to know all of them.
        for item in found.segments:
            try:
                verify(folder, [item], remembered=False, stamps="verified.tmp")
            except ResourceError as error:
                yield item.name, str(error)
        with suppress(OSError):
            (folder / "verified.tmp").unlink()


def _ids(folder: Path, item: SegmentRecord) -> set[int]:
    return set(np.load(folder / item.name / "document_ids.npy", allow_pickle=False).tolist())


def _live(folder: Path, kept: tuple[SegmentRecord, ...], dead: Collection[int]) -> set[int]:
    """Documents whose beginning is in a sound segment."""
    gone = set(dead)
    found: set[int] = set()
    for item in kept:
        if item.part in _BEGIN:
            found |= _ids(folder, item) - gone - set(item.replaced)
    return found


def _highest(folder: Path) -> int:
    """The greatest commit of which there is a manifest, damaged or not."""
    found = (_NAME.fullmatch(path.name) for path in folder.iterdir())
    return max((int(match[1]) for match in found if match is not None), default=0)


def _move(index: Path, paths: list[Path]) -> Path:
    target = _free_name(index)
    target.mkdir(mode=index.stat().st_mode & 0o777)
    for path in paths:
        # Deleting is what the next indexing would do to what no manifest names.
        shutil.move(path, target / path.name)
    sync(target)
    return target


def _set_aside(index: Path) -> Path:
    """Move all but the lock out of an index."""
    # The pointer first: without it there is no index, and nothing looks for the rest.
    paths = sorted(index.iterdir(), key=lambda path: path.name != CURRENT)
    return _move(index, [path for path in paths if path.name not in ("lock", files.MAP_NAME)])


def _free_name(index: Path) -> Path:
    number = 1
    while (target := index.with_name(f"{index.name}.damaged-{number}")).exists():
        number += 1
    return target
