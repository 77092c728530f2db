"""What a push reads of the local library: its documents, and the rows of its index."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection

from claimlight.errors import InputError
from claimlight.index import portable
from claimlight.index.backend import IndexSchema
from claimlight.index.generation import Generation
from claimlight.index.live import LiveSegment
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library.library import Library
from claimlight.settings import Settings
from claimlight.store import Store
from claimlight.store.content import TEXT_PARTS
from claimlight.store.postgres.indexed import CLAIMS, FULL, TEXT_ONLY, IndexedPart
from claimlight.store.record_merging import Merged
from claimlight.store.stored_records import load_stored, read_heads

_PAGE = 1000
_HEADS = """SELECT id, number_key, kind, digest, text_length, first_passage, passages FROM document
    WHERE id > ? ORDER BY id LIMIT ?"""
_RECIPE = (
    ("encoder", "model package"),
    ("normaliser", "text normaliser"),
    ("centers", "center vocabulary"),
    ("unit", "span unit"),
    ("top_k", "concepts per term"),
)
"""Fields of a recipe, and what messages call them."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LocalHead:
    """A document of the local library."""

    id: int
    key: Key
    """``number_key`` and kind."""
    digest: bytes
    text_length: int
    first_passage: int
    passages: int
    depth: int
    """How deeply it is indexed: `claimlight.store.postgres.indexed`."""


class LocalLibrary:
    """One state of the index of a library, with its documents."""

    def __init__(self, library: Library) -> None:
        """Checks every byte of the index; `ResourceError` if it is damaged or being converted."""
        self.library = library
        self.store: Store = library.store
        self.generation = Generation.open(index_folder(library.folder))
        segments = self.generation.segments if self.generation is not None else ()
        # Documents of descriptions are in the order in which they were indexed.
        self._segments = [
            (item, np.argsort(item.document_ids))
            for item in segments
            if item.part in portable.PARTS and len(item.document_ids)
        ]
        waiting = self.generation.claims_only if self.generation is not None else ()
        self._waiting = frozenset(np.asarray(waiting, dtype=np.int64).tolist())

    def heads(self) -> Iterator[list[LocalHead]]:
        """All documents, ascending, some at a time."""
        last = 0
        while True:
            with self.store.read() as connection:
                rows = connection.exec_driver_sql(_HEADS, (last, _PAGE)).all()
            if not rows:
                return
            last = rows[-1][0]
            depths = self._depths([row[0] for row in rows])
            yield [
                LocalHead(
                    id=row[0],
                    key=(row[1], row[2]),
                    digest=bytes(row[3]),
                    text_length=row[4],
                    first_passage=row[5],
                    passages=row[6],
                    depth=depths.get(row[0], TEXT_ONLY),
                )
                for row in rows
            ]

    def rows(self, heads: Sequence[LocalHead]) -> dict[int, tuple[IndexedPart, ...]]:
        """The stored parts of the index of each document that is indexed."""
        found: dict[int, list[IndexedPart]] = {}
        first = {head.id: head.first_passage for head in heads}
        for segment, document, row in self._find([head.id for head in heads]):
            part = segment.part
            body = portable.encode(segment.arrays, row, first_passage=first[document], part=part)
            found.setdefault(document, []).append(IndexedPart(portable.PARTS.index(part), body))
        return {
            document: tuple(sorted(parts, key=lambda each: each.part)) for document, parts in found.items()
        }

    def make_schema(self, settings: Settings, average_words: float) -> IndexSchema | None:
        """What a shared index begun with this library is made with; None without an index."""
        if self.generation is None:
            return None
        manifest = self.generation.manifest
        return IndexSchema(
            # Several libraries may share an engine.
            name=f"claimlight_{secrets.token_hex(4)}",
            recipe=manifest.recipe,
            dim=manifest.dim,
            centers=manifest.centers,
            length_exponent=settings.centers.length_exponent,
            length_floor=settings.centers.length_floor,
            average_words=average_words,
            levels=manifest.levels,
        )

    def check_fits(self, schema: IndexSchema, name: str) -> None:
        """`InputError` if the index of the library was made otherwise than that of the shared one."""
        if self.generation is None:
            return
        manifest = self.generation.manifest
        own, shared = manifest.recipe, schema.recipe
        for field, label in _RECIPE:
            mine, theirs = getattr(own, field), getattr(shared, field)
            if mine != theirs:
                raise _misfit(self.library, name, label, mine, theirs)
        for label, mine, theirs in (
            ("vectors with this many numbers", manifest.dim, schema.dim),
            ("this many concepts", manifest.centers, schema.centers),
        ):
            if mine != theirs:
                raise _misfit(self.library, name, label, mine, theirs)

    def _depths(self, ids: Sequence[int]) -> dict[int, int]:
        found = {document: FULL for segment, document, _ in self._find(ids) if segment.begins}
        return {document: CLAIMS if document in self._waiting else FULL for document in found}

    def _find(self, ids: Sequence[int]) -> Iterator[tuple[LiveSegment, int, int]]:
        """Live rows of documents: segment, document and position."""
        wanted = np.array(ids, dtype=np.int64)
        for segment, order in self._segments:
            at = np.searchsorted(segment.document_ids, wanted, sorter=order)
            rows = order[np.minimum(at, len(order) - 1)]
            held = (segment.document_ids[rows] == wanted) & segment.live_documents[rows]
            for document, row in zip(wanted[held].tolist(), rows[held].tolist(), strict=True):
                yield segment, document, row


def load_merged(connection: Connection, key: Key) -> Merged | None:
    """A document with the records of its parts, from either library."""
    sources: dict[str, int] = {}
    head = read_heads(connection, [key[0]], sources).get(key)
    return None if head is None else load_stored(connection, head, sources).merged


def says_more(mine: Merged, theirs: Merged) -> bool:
    """Whether of two different documents of one publication the first is the one to keep.

    As records are merged: what a newer reader made of the same record; else the more content, text first,
    then the newer file. Of two computers both find the same.
    """
    if mine.place.reads_again(theirs.place) or theirs.place.reads_again(mine.place):
        return mine.place.reading > theirs.place.reading
    return _rank(mine) > _rank(theirs)


def _rank(merged: Merged) -> tuple[int, int, int, bytes]:
    texts = sum(stamp.richness for part, stamp in merged.stamps.items() if part in TEXT_PARTS)
    every = sum(stamp.richness for stamp in merged.stamps.values())
    return texts, every, merged.place.modified, merged.rows().digest


def _misfit(library: Library, name: str, label: str, mine: object, theirs: object) -> InputError:
    return InputError(
        f"The index of {library.folder} was made with the {label} {mine}, that of {name} with {theirs}; "
        "nothing was pushed. Build the index of the library with the same model and settings, or push it "
        "into a shared library of its own."
    )
