"""The map of a library: made from the index, kept beside it, and enlarged as the library grows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight import tensors
from claimlight.errors import InputError, ResourceError
from claimlight.files import Access, write_atomically
from claimlight.index.files import MAP_NAME
from claimlight.index.generation import Generation
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library.library import Library
from claimlight.services.maps import projection
from claimlight.tasks import TaskContext
from claimlight.types import NO_SECTION, LibraryMap, MapPoint
from claimlight.vectors import unit_rows

REVISION = 1
"""Revision of the method: a map of another one is made again."""
_MOST_ADDED = 0.2
"""Share of documents placed among the others above which all are laid out again."""
_ROWS = "SELECT id, country || number || kind, title, substr(classes, 1, 1) FROM document ORDER BY id"
_SECTIONS = frozenset("ABCDEFGHY")
_CHUNK = 8192

NO_INDEX = (
    "The library has no index yet, and the map is made from it. To make one: Library → Index new documents, "
    "or `claimlight index`."
)


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """A map as it is on disk."""

    generation: str
    encoder: str
    documents: NDArray[np.int64]
    """[n] ids, ascending."""
    places: NDArray[np.float32]
    """[n, 2]."""
    added: NDArray[np.uint8]
    """[n] 1 for documents that were placed among the others."""


def map_library(library: Library, context: TaskContext, *, again: bool = False) -> LibraryMap:
    """The map of a library; kept in its index, and made or enlarged if the index has changed.

    ``again``: lay out all documents again. Raises `InputError` if the library has no index, or is shared.
    """
    if library.shared is not None:
        raise InputError("There is no map of a shared library: it is made of all vectors of an index.")
    index = index_folder(library.folder)
    generation = Generation.open(index, check=False)
    if generation is None:
        raise InputError(NO_INDEX)
    kept = None if again else _read(index / MAP_NAME)
    note = ""
    if kept is None or kept.generation != generation.name:
        kept = _renew(kept, generation, context)
        note = _write(index / MAP_NAME, kept)
    return _describe(library, kept, note, context)


def document_vectors(
    generation: Generation, context: TaskContext
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Ids [n], ascending, and unit vectors [n, d] of the live documents.

    The vector of a document is the mean of those of its sections, each less the level of its kind: documents
    with a description must not gather apart from the others.
    """
    sections = generation.section_vectors()
    ids, rows = np.unique(sections.documents, return_inverse=True)
    sums = np.zeros((len(ids), sections.vectors.shape[1]), dtype=np.float32)
    levels = generation.manifest.levels
    offsets = levels.array() if levels is not None else None
    for begin in range(0, len(rows), _CHUNK):
        context.check()
        some = slice(begin, begin + _CHUNK)
        vectors = sections.vectors[some].astype(np.float32)
        if offsets is not None:
            vectors -= offsets[sections.kinds[some]]
        np.add.at(sums, rows[some], vectors)
    return ids, unit_rows(sums)


def _renew(kept: _Kept | None, generation: Generation, context: TaskContext) -> _Kept:
    """The map of a changed index: with the old places if they are of the same encoder and enough of them."""
    ids, vectors = document_vectors(generation, context)
    encoder = generation.recipe.encoder
    if kept is not None and kept.encoder == encoder:
        held = np.isin(ids, kept.documents)
        at = np.searchsorted(kept.documents, ids[held])
        added = np.ones(len(ids), dtype=np.uint8)
        added[held] = kept.added[at]
        if len(at) and added.mean() <= _MOST_ADDED:
            places = np.empty((len(ids), 2), dtype=np.float32)
            places[held] = kept.places[at]
            places[~held] = projection.place_among(vectors[~held], vectors[held], kept.places[at], context)
            return _Kept(generation.name, encoder, ids, places, added)
    places = projection.lay_out(vectors, context)
    return _Kept(generation.name, encoder, ids, places, np.zeros(len(ids), dtype=np.uint8))


def _describe(library: Library, kept: _Kept, note: str, context: TaskContext) -> LibraryMap:
    with library.store.read(context) as connection:
        rows = connection.exec_driver_sql(_ROWS).all()
    at = {patent: place for place, patent in enumerate(kept.documents.tolist())}
    places = kept.places.tolist()
    points = tuple(
        MapPoint(row[0], row[1], row[2], row[3] if row[3] in _SECTIONS else NO_SECTION, *places[at[row[0]]])
        for row in rows
        if row[0] in at
    )
    # Documents that were removed stay in the index until it is written again.
    return LibraryMap(kept.generation, points, int(kept.added.sum()), len(rows) - len(points), note)


def _read(path: Path) -> _Kept | None:
    """The map on disk; None if there is none, or none that can be used: it can always be made again."""
    try:
        found = tensors.unpack(path.read_bytes(), path)
        if int(found["revision"][0]) != REVISION:
            return None
        kept = _Kept(
            found["generation"].tobytes().decode(),
            found["encoder"].tobytes().decode(),
            found["documents"],
            found["places"],
            found["added"],
        )
    except (OSError, ResourceError, KeyError, IndexError, UnicodeDecodeError):
        return None
    count = len(kept.documents)
    fits = kept.places.shape == (count, 2) and kept.added.shape == (count,)
    return kept if fits and (np.diff(kept.documents) > 0).all() else None


def _write(path: Path, kept: _Kept) -> str:
    """Keep a map; returns why that was not possible."""
    body = tensors.pack(
        {
            "revision": np.array([REVISION], dtype=np.int32),
            "generation": np.frombuffer(kept.generation.encode(), dtype=np.uint8),
            "encoder": np.frombuffer(kept.encoder.encode(), dtype=np.uint8),
            "documents": kept.documents,
            "places": kept.places,
            "added": kept.added,
        }
    )
    try:
        write_atomically(path, body, Access.FOLDER)
    except OSError as error:
        return f"The map could not be kept in {path.parent} ({error.strerror}); it is made again each time."
    return ""
