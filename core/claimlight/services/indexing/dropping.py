"""Removing the indexed descriptions, which leaves a library indexed by title, abstract and claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.errors import InputError, ResourceError
from claimlight.index import manifest
from claimlight.index.segments import SegmentPart
from claimlight.index.writer import IndexWriter
from claimlight.services.indexing.indexing import index_folder
from claimlight.types import DroppedDescriptions

if TYPE_CHECKING:
    from pathlib import Path

    from claimlight.services.library.library import Library
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext


def drop_descriptions(library: Library, context: TaskContext, settings: Settings) -> DroppedDescriptions:
    """Remove the descriptions of all documents from the index; titles, abstracts and claims stay in it.

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
        before = _size(folder)
        documents = writer.drop_descriptions()
        writer.build_graph(settings.index, context)
        writer.finish()
        return DroppedDescriptions(documents, max(0, before - _size(folder)))


def measure_descriptions(library: Library) -> DroppedDescriptions:
    """What `drop_descriptions` would remove, without the graph; nothing if there is no index."""
    folder = index_folder(library.folder)
    pointer = manifest.read_pointer(folder)
    if pointer is None:
        return DroppedDescriptions(0, 0)
    apart = {SegmentPart.DESCRIPTION, SegmentPart.PASSAGES}
    found = [item for item in manifest.read(folder, pointer, old=True).segments if item.part in apart]
    documents = sum(item.documents for item in found if item.part is SegmentPart.DESCRIPTION)
    return DroppedDescriptions(documents, sum(item.bytes for item in found))


def _size(folder: Path) -> int:
    return sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())
