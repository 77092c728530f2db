"""The port to the engine of a shared library: what holds its index, and searches it, on a server.

A shared library has its documents in a database and its index in an engine (Milvus, Qdrant, PostgreSQL),
which stores *parts*: the sections of documents with a dense vector each, and the pieces of passages with two
sparse ones. `IndexBackend` is all that the program asks of an engine; the adapters are in
`claimlight.engines`. Each leg is ranked by inner product, and fusion stays on our side, so that a shared
library ranks as the workstation does:

    dense    <query, section vector - level of its kind>        (`claimlight.index.levels`)
    centers  sum over c of w_qc * idf_c^alpha * w_dc / norm     (Sparse Coverage, section 3)
    words    sum over t of idf_t * saturation of t in a passage (BM25)

What depends on the whole library and must not change with each document is fixed by `IndexSchema` when its
index begins; idf is not: the query carries it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from claimlight.digests import sha256
from claimlight.errors import BugError
from claimlight.index.levels import SectionLevels
from claimlight.index.manifest import IndexRecipe
from claimlight.index.sections import KINDS

Ids = NDArray[np.int64]

PIECE_BITS = 8
"""Bits for the piece of a passage: a passage has at most 256 pieces."""
OFFSET_BITS = 18
"""Bits for the place of a passage in its document."""
PART_BITS = PIECE_BITS + OFFSET_BITS
UNDATED = 0
"""Publication day of a document without one."""
FORMAT = 1
ENGINE_SECONDS = 5.0
"""Time after which an engine that does not answer a search counts as gone."""


class Leg(StrEnum):
    """What is compared: one of the vectors of a part."""

    DENSE = "dense"
    """Of sections."""
    CENTERS = "centers"
    """Of passage pieces, sparse over the centers."""
    WORDS = "words"
    """Of passages (their first piece), sparse over the stems."""

    @property
    def sections(self) -> bool:
        """Whether its parts are sections; else they are pieces of passages."""
        return self is Leg.DENSE


def passage_parts(documents: Ids, offsets: Ids, pieces: Ids) -> Ids:
    """Ids of passage pieces [n]; ``offsets`` are places of the passages in their documents.

    `BugError` for a passage or piece with a number too high for its bits.
    """
    if (offsets >> OFFSET_BITS).any() or (pieces >> PIECE_BITS).any():
        raise BugError("A passage has too high a place, or too many pieces, for the id of a part.")
    parts: Ids = (documents << PART_BITS) | (offsets << PIECE_BITS) | pieces
    return parts


def section_parts(documents: Ids, kinds: NDArray[np.integer]) -> Ids:
    """Ids of sections [n]; ``kinds`` are those of `SectionKind`."""
    parts: Ids = (documents << PART_BITS) | kinds.astype(np.int64)
    return parts


def documents_of(parts: Ids) -> Ids:
    """The document of each part."""
    return parts >> PART_BITS


def passage_offsets(parts: Ids) -> Ids:
    """The place of its passage in the document, for each piece of a passage."""
    return (parts >> PIECE_BITS) & ((1 << OFFSET_BITS) - 1)


def section_kinds(parts: Ids) -> Ids:
    """The `SectionKind` of each section."""
    return parts & ((1 << PART_BITS) - 1)


@dataclass(frozen=True, slots=True)
class IndexSchema:
    """What the parts of a shared index were made with; all of them with the same."""

    name: str
    """Beginning of the names of its collections: lower-case letters, digits and underscores."""
    recipe: IndexRecipe
    dim: int
    centers: int
    """Size of the center vocabulary."""
    length_exponent: float
    """`LengthNorm` of the center scores."""
    length_floor: float
    average_words: float
    """Average words of a passage, in the BM25 of every passage."""
    levels: SectionLevels | None = None
    """Subtracted from the section vectors before they were stored."""
    format: int = FORMAT

    def __post_init__(self) -> None:
        # A setting may be a whole number; read from JSON again it must be the same schema to the letter.
        for name in ("length_exponent", "length_floor", "average_words"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def levels_array(self) -> NDArray[np.float32]:
        """[KINDS, dim]; zeros without levels."""
        if self.levels is None:
            return np.zeros((KINDS, self.dim), dtype=np.float32)
        return self.levels.array()


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """Sparse vectors, one after another."""

    offsets: Ids
    """[n + 1]"""
    indices: Ids
    """[nnz], each row's ascending and distinct, below 2^32 - 1."""
    values: NDArray[np.float32]
    """[nnz], above 0."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, number: int) -> tuple[Ids, NDArray[np.float32]]:
        """Indices and values of a row, which may be empty."""
        some = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        return self.indices[some], self.values[some]


@dataclass(frozen=True, slots=True, eq=False)
class SparseVector:
    """A sparse query."""

    indices: Ids
    """Ascending and distinct."""
    values: NDArray[np.float32]
    """Above 0."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What parts can be filtered by; the same for all parts of a document."""

    published: int = UNDATED
    """``yyyymmdd``."""
    family: int = 0
    """Number of its family (`family_number`)."""
    classes: tuple[str, ...] = ()
    """`class_tokens` of its symbols."""


@dataclass(frozen=True, slots=True, eq=False)
class SectionRows:
    """Sections to store."""

    parts: Ids
    claims: NDArray[np.bool_]
    """[n] whether a section is of the title, abstract and claims, and was indexed before the description."""
    vectors: NDArray[np.float32]
    """[n, dim], levels subtracted."""


@dataclass(frozen=True, slots=True, eq=False)
class PassageRows:
    """Passage pieces to store; a piece may lack either vector."""

    parts: Ids
    claims: NDArray[np.bool_]
    centers: SparseRows
    words: SparseRows


@dataclass(frozen=True, slots=True, eq=False)
class PartBatch:
    """Parts to store, with the facts of their documents."""

    facts: Mapping[int, DocumentFacts]
    """Facts of each document with a part in the batch."""
    sections: SectionRows
    passages: PassageRows


@dataclass(frozen=True, slots=True, eq=False)
class PartFilter:
    """Which parts may be found; all conditions hold together, and the default lets all pass."""

    before: int = 0
    """Day (``yyyymmdd``) before which the document was published; undated ones are left out. 0: any."""
    classes: tuple[str, ...] = ()
    """The document has one of these tokens (`class_tokens`)."""
    without_families: tuple[int, ...] = ()
    documents: Ids | None = None
    """Only these documents, ascending."""
    without: Ids | None = None
    """None of these documents, ascending."""
    claims: bool = False
    """Only parts of title, abstract and claims that were indexed before the description."""


ALL = PartFilter()


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Parts by score, best first (ties: lower id)."""

    parts: Ids
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.parts)


@dataclass(frozen=True, slots=True)
class EngineHealth:
    """The state of an engine."""

    engine: str
    """Its name and version."""
    seconds: float
    """Time that it took to answer."""
    sections: int
    passages: int
    """Numbers of stored parts; 0 before `IndexBackend.ensure`."""
    notes: tuple[str, ...] = field(default=())
    """What an administrator should know."""


class IndexBackend(Protocol):
    """An engine; threads may share it.

    Every call raises `EngineError` if the engine can't be reached, does not answer in time or refuses, and
    never hangs. A search gives all hits there are, up to ``k``: where an engine gives fewer, the adapter
    raises `ShortfallError`.
    """

    @property
    def most(self) -> int:
        """The largest ``k`` of a search."""
        ...

    def ensure(self, schema: IndexSchema, *, create: bool = False) -> None:
        """Open the collections of a schema, made first with ``create``.

        `EngineError` if they are missing, or were made for another schema.
        """
        ...

    def upsert(self, batch: PartBatch) -> None:
        """Store parts, replacing those with the same ids; durable, and found by searches, when it returns."""
        ...

    def delete(self, documents: Sequence[int]) -> None:
        """Remove all parts of some documents; those it does not have are ignored."""
        ...

    def search(
        self, leg: Leg, vector: NDArray[np.float32] | SparseVector, allowed: PartFilter, k: int
    ) -> Found:
        """The ``k`` (1 to `most`) best parts by inner product.

        Of the sparse legs, only parts that share an index with the query. Scores are those of fp32 vectors;
        their last digits depend on the engine.
        """
        ...

    def count(self, leg: Leg, allowed: PartFilter) -> int:
        """Number of stored sections, or passage pieces, that a filter lets pass."""
        ...

    def health(self) -> EngineHealth:
        """Ask how the engine is."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class IndexColumns:
    """The indexed documents of a shared library."""

    version: int
    documents: Ids
    """Ascending."""
    first_passage: Ids
    """Id of the first passage of each document."""
    claims_only: NDArray[np.bool_]
    """Whether the description of a document is still to be indexed."""
    described: NDArray[np.bool_]
    """Whether its description was indexed after its claims."""
    passages: int
    """Passage pieces in all: N of the centers' idf."""
    df: Ids
    """[V] passage pieces with an entry of each center."""
    most_spans: int = 0
    """The largest number of spans of a passage piece that was ever pushed; 0 if it is not known."""


class IndexSource(Protocol):
    """What a shared library's database knows of its index; threads may share it."""

    def schema(self) -> IndexSchema | None:
        """What the index was made with; None before the first document."""
        ...

    def columns(self, before: IndexColumns | None = None) -> IndexColumns:
        """The indexed documents; only what changed since ``before`` is read."""
        ...

    def arrays(self, documents: Sequence[int]) -> Mapping[int, tuple[bytes, ...]]:
        """The stored rows of each document (`claimlight.index.portable`), one for each indexed part of it."""
        ...


class WordStatistics(Protocol):
    """What a shared library's database knows of the stems of its passages; threads may share it."""

    def read(self, stems: Sequence[str]) -> tuple[Mapping[str, tuple[int, int]], int]:
        """The id of each stem and the number of passages that have it; and the number of all passages.

        Stems of no passage are left out. The second number is N of their idf.
        """
        ...


def class_tokens(scheme: str, symbol: str) -> tuple[str, ...]:
    """Tokens of a symbol for `PartFilter.classes`: section, class, subclass and main group.

    ``cpc``, ``B62K 25/04`` gives ``cpc:B``, ``cpc:B62``, ``cpc:B62K`` and ``cpc:B62K 25``. Finer ones are
    left to the caller: each passage of a document repeats its tokens.
    """
    head, _, rest = symbol.partition(" ")
    names = [head[:1], head[:3], head[:4]]
    if rest:
        names.append(f"{head} {rest.partition('/')[0]}")
    return tuple(f"{scheme}:{name}" for name in dict.fromkeys(names) if name)


def family_number(key: str) -> int:
    """A number for a family key: 63 bits of its SHA-256."""
    return int(sha256(key)[:16], 16) >> 1
