"""Parts of invented documents: small enough to be compared with brute force, and everywhere the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from claimlight.index.backend import (
    UNDATED,
    DocumentFacts,
    IndexSchema,
    PartBatch,
    PassageRows,
    SectionRows,
    SparseRows,
    SparseVector,
    class_tokens,
    family_number,
    passage_parts,
    section_parts,
)
from claimlight.index.manifest import IndexRecipe

DIM, CENTERS, STEMS = 16, 400, 3000
DOCUMENTS = range(1, 301)
_SYMBOLS = ("H04L 9/32", "H04W 12/06", "B62K 25/04", "F16F 9/516", "A61B 5/00")
_PASSAGES = 4
_Random = np.random.Generator


def make_schema(name: str, *, length_exponent: float = 0.5) -> IndexSchema:
    """The schema of invented parts."""
    return IndexSchema(
        name=name,
        recipe=IndexRecipe(encoder="invented", normaliser="none", centers="invented", unit="word", top_k=3),
        dim=DIM,
        centers=CENTERS,
        length_exponent=length_exponent,
        length_floor=8.0,
        average_words=80.0,
    )


def make_batch(documents: Sequence[int], seed: int = 0) -> PartBatch:
    """Parts of documents with these ids: one to three sections, and passages of one or two pieces."""
    rng = np.random.default_rng([seed, len(documents)])
    sections: list[tuple[int, int]] = []
    pieces: list[tuple[int, int, int]] = []
    for document in documents:
        sections += [(document, kind) for kind in range(int(rng.integers(1, 4)))]
        for offset in range(_PASSAGES):
            pieces += [(document, offset, piece) for piece in range(int(rng.integers(1, 3)))]
    at, part = np.array(sections, dtype=np.int64), np.array(pieces, dtype=np.int64)
    vectors = rng.standard_normal((len(at), DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return PartBatch(
        {document: _facts(document, rng) for document in documents},
        SectionRows(section_parts(at[:, 0], at[:, 1]), at[:, 1] < 2, vectors),
        PassageRows(
            passage_parts(part[:, 0], part[:, 1], part[:, 2]),
            part[:, 1] < _PASSAGES // 2,
            _sparse_rows(rng, len(part), CENTERS, 30),
            _sparse_rows(rng, len(part), STEMS, 20),
        ),
    )


def _facts(document: int, rng: _Random) -> DocumentFacts:
    some = rng.choice(len(_SYMBOLS), int(rng.integers(0, 3)), replace=False)
    tokens = [token for number in some for token in class_tokens("cpc", _SYMBOLS[number])]
    day = UNDATED if rng.random() < 0.1 else int(rng.integers(1990, 2026)) * 10000 + 101
    return DocumentFacts(day, family_of(document), tuple(dict.fromkeys(tokens)))


def family_of(document: int) -> int:
    """The family of an invented document: three have the same."""
    return family_number(f"family {document // 3}")


def _sparse_rows(rng: _Random, count: int, size: int, most: int) -> SparseRows:
    """Rows of up to ``most`` numbers; some are empty."""
    rows = [np.sort(rng.choice(size, int(rng.integers(0, most + 1)), replace=False)) for _ in range(count)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    indices = np.concatenate(rows).astype(np.int64)
    return SparseRows(offsets, indices, rng.uniform(0.05, 1.0, len(indices)).astype(np.float32))


def dense_query(seed: int = 1) -> NDArray[np.float32]:
    """[DIM], unit length."""
    vector = np.random.default_rng(seed).standard_normal(DIM)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def sparse_query(size: int, many: int = 40, seed: int = 2) -> SparseVector:
    """A query of ``many`` of ``size`` indices."""
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.choice(size, many, replace=False)).astype(np.int64)
    return SparseVector(indices, rng.uniform(0.1, 3.0, many).astype(np.float32))
