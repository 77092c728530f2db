"""Removing the indexed descriptions, which leaves a library indexed by title, abstract and claims."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from claimlight.errors import InputError, ResourceError
from claimlight.index import manifest
from claimlight.index.segments import SegmentPart, read_document_ids
from claimlight.index.writer import CHECKPOINT, IndexWriter
from claimlight.services.indexing.indexing import index_folder
from claimlight.types import DroppedDescriptions

if TYPE_CHECKING:
    from pathlib import Path

    from claimlight.index.manifest import IndexManifest
    from claimlight.services.library.library import Library
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext

_APART = (SegmentPart.DESCRIPTION, SegmentPart.PASSAGES)


def drop_descriptions(library: Library, context: TaskContext, settings: Settings) -> DroppedDescriptions:
    """Remove the descriptions of all documents from the index; titles, abstracts and claims stay in it.

    Passages of descriptions that searches have read go too, and what an interrupted run had encoded.
    Documents that a program before version 0.2 indexed stay whole: their description is in the same segments
    as their claims. `InputError` if there is no index, `ResourceError` if another process is indexing.
    """
    library.require_folder()
    folder = index_folder(library.folder)
    pointer = manifest.read_pointer(folder)
    if pointer is None:
        raise InputError(f"The library {library.name} has no index.")
    if manifest.read_pointer(folder, manifest.NEXT) is not None:
        raise ResourceError(
            "A rebuild of the index is not complete. Run `claimlight index --rebuild` to complete it first."
        )
    with IndexWriter(folder) as writer:
        found = manifest.read(folder, pointer, old=True)
        # By its own recipe: nothing is encoded, so the model in use does not matter.
        writer.start(found.recipe, dim=found.dim, centers=found.centers, context=context)
        held, before = _measure(writer.folder, writer.manifest), _size(folder)
        # Those that could not be encoded are tried again after it.
        if not held.bytes and not writer.manifest.unread:
            return held
        writer.drop_descriptions()
        writer.build_graph(settings.index, context)
        writer.finish()
        return replace(held, bytes=max(0, before - _size(folder)))


def measure_descriptions(library: Library) -> DroppedDescriptions:
    """What `drop_descriptions` would remove, without the graph; nothing if there is no index."""
    folder = index_folder(library.folder)
    pointer = manifest.read_pointer(folder)
    if pointer is None:
        return DroppedDescriptions(0, 0)
    found = manifest.read(folder, pointer, old=True)
    return _measure(folder / found.generation, found)


def _measure(generation: Path, found: IndexManifest) -> DroppedDescriptions:
    """What a generation has of descriptions apart from the claims, with its checkpoint, without the graph."""
    documents: dict[SegmentPart, set[int]] = {part: set() for part in _APART}
    size = 0
    for item in found.segments:
        if item.part in _APART:
            held = read_document_ids(generation, item)
            documents[item.part].update(np.setdiff1d(held, found.gone(item)).tolist())
            size += item.bytes
    checkpoint = generation / CHECKPOINT
    if checkpoint.is_file():
        size += checkpoint.stat().st_size
    whole, read = documents[SegmentPart.DESCRIPTION], documents[SegmentPart.PASSAGES]
    return DroppedDescriptions(len(whole), size, partly=len(read - whole))


def _size(folder: Path) -> int:
    return sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())
