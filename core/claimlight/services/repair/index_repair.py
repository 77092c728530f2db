"""Repairing the index of a library: what is sound stays in use, the next indexing encodes the rest."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from claimlight.errors import ResourceError
from claimlight.index import manifest as manifests
from claimlight.index import mending
from claimlight.index.manifest import IndexManifest
from claimlight.index.mending import IndexState, Mended
from claimlight.index.writer import IndexWriter
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.repair.library_repair import IndexIds
from claimlight.settings import Settings
from claimlight.tasks import TaskContext


def read_ids(library: Path) -> IndexIds:
    """Which documents and passages the index of a library knows, as far as it can be read."""
    index = index_folder(library)
    try:
        state = mending.examine(index, thorough=False)
    except ResourceError:
        state = None
    if state is None or state.manifest is None:
        return IndexIds()
    found = state.manifest
    documents: set[int] = set()
    passages = 0
    for item in found.segments:
        if item.name in state.segments:
            continue
        folder = index / found.generation / item.name
        documents |= set(np.load(folder / "document_ids.npy", allow_pickle=False).tolist())
        numbers = np.load(folder / "passage_ids.npy", mmap_mode="r", allow_pickle=False)
        passages = max(passages, int(np.asarray(numbers).max(initial=0)))
    return IndexIds(
        frozenset(documents - {*found.dead}), passages, found.library_version, found.last_document
    )


def mend_index(library: Path, state: IndexState, documents: Collection[int]) -> Mended:
    """Take damaged parts out of the index of a library, whose ids are ``documents``."""
    return mending.mend(index_folder(library), state, documents)


def rebuild_graph(library: Path, context: TaskContext, settings: Settings) -> bool:
    """Build the dense graph again from the sound vectors; False if there is no index."""
    index = index_folder(library)
    pointer = manifests.read_pointer(index)
    if pointer is None:
        return False
    with IndexWriter(index) as writer:
        found: IndexManifest = manifests.read(index, pointer, old=True)
        # By its own recipe: nothing is encoded, so the model in use does not matter.
        writer.start(found.recipe, dim=found.dim, centers=found.centers, context=context)
        writer.build_graph(settings.index, context)
        writer.finish()
    return True
