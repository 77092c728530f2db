"""Parts of invented documents, and a schema for them: small enough to compare with brute force."""

from __future__ import annotations

import numpy as np

from claimlight.index.backend import (
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
SYMBOLS = ("H04L 9/32", "H04W 12/06", "B62K 25/04", "F16F 9/516", "A61B 5/00")


def schema(name="claimlight_test", **changed):
    recipe = IndexRecipe(encoder="enc", normaliser="norm", centers="cen", unit="word", top_k=3)
    given = {"recipe": recipe, "dim": DIM, "centers": CENTERS, "length_exponent": 0.5, "length_floor": 8.0}
    return IndexSchema(name=name, average_words=80.0, **{**given, **changed})


def sparse_rows(rng, count, size, most):
    """Rows of up to ``most`` numbers, some of them empty."""
    rows = [np.sort(rng.choice(size, rng.integers(0, most + 1), replace=False)) for _ in range(count)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    indices = np.concatenate(rows).astype(np.int64)
    return SparseRows(offsets, indices, rng.uniform(0.05, 1.0, len(indices)).astype(np.float32))


def batch(documents, seed=0, passages=4):
    """Parts of documents with these ids: up to three sections, and some passages with up to two pieces."""
    rng = np.random.default_rng([seed, len(documents)])
    sections, pieces, section_claims, piece_claims = [], [], [], []
    for document in documents:
        for kind in range(int(rng.integers(1, 4))):
            sections.append((document, kind))
            section_claims.append(kind < 2)
        for offset in range(passages):
            for piece in range(int(rng.integers(1, 3))):
                pieces.append((document, offset, piece))
                piece_claims.append(offset < passages // 2)
    vectors = rng.standard_normal((len(sections), DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    at = np.array(sections, dtype=np.int64)
    part = np.array(pieces, dtype=np.int64)
    return PartBatch(
        {document: facts(document, rng) for document in documents},
        SectionRows(section_parts(at[:, 0], at[:, 1]), np.array(section_claims), vectors),
        PassageRows(
            passage_parts(part[:, 0], part[:, 1], part[:, 2]),
            np.array(piece_claims),
            sparse_rows(rng, len(pieces), CENTERS, 30),
            sparse_rows(rng, len(pieces), STEMS, 20),
        ),
    )


def facts(document, rng):
    some = rng.choice(len(SYMBOLS), int(rng.integers(0, 3)), replace=False)
    tokens = [token for number in some for token in class_tokens("cpc", SYMBOLS[number])]
    day = 0 if rng.random() < 0.1 else int(rng.integers(1990, 2026)) * 10000 + 101
    return DocumentFacts(day, family_number(f"family {document // 3}"), tuple(dict.fromkeys(tokens)))


def dense_query(seed=1):
    vector = np.random.default_rng(seed).standard_normal(DIM).astype(np.float32)
    return vector / np.linalg.norm(vector)


def sparse_query(size, many=40, seed=2):
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.choice(size, many, replace=False)).astype(np.int64)
    return SparseVector(indices, rng.uniform(0.1, 3.0, many).astype(np.float32))
