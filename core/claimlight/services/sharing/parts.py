"""Parts for the engine, made of the rows that the database keeps: always of the same bytes.

Pushing makes them of the rows that it is about to store, repairing an engine of the stored ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.index import portable
from claimlight.index.backend import (
    DocumentFacts,
    Ids,
    IndexSchema,
    PartBatch,
    PassageRows,
    SectionRows,
    SparseRows,
    class_tokens,
    documents_of,
    family_number,
    passage_parts,
)
from claimlight.index.entries import PackedEntries, count_centers, to_offsets
from claimlight.index.portable import DocumentRows, PlacedRows
from claimlight.index.segments import SegmentPart
from claimlight.types import Scheme

_SCHEMES = (Scheme.CPC.value, Scheme.IPC.value)


@dataclass(frozen=True, slots=True, eq=False)
class PassageWords:
    """The words of passages as the engine stores them."""

    documents: Ids
    """[n] shared id of the document of each passage, ascending."""
    offsets: Ids
    """[n] place of the passage in it, ascending within a document."""
    rows: SparseRows
    """Weights of the stems (`claimlight.index.backend`)."""

    def keep(self, kept: NDArray[np.bool_]) -> PassageWords:
        """Those of the passages marked in ``kept`` [n]."""
        sizes = np.diff(self.rows.offsets)
        some = np.repeat(kept, sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64)
        rows = SparseRows(offsets, self.rows.indices[some], self.rows.values[some])
        return PassageWords(self.documents[kept], self.offsets[kept], rows)

    def of(self, documents: Sequence[int]) -> PassageWords:
        """Those of some documents."""
        return self.keep(np.isin(self.documents, documents))

    def parts(self) -> Ids:
        """[n] the first piece of each passage."""
        return passage_parts(self.documents, self.offsets, np.zeros_like(self.offsets))


@dataclass(frozen=True, slots=True, eq=False)
class PlacedDocument:
    """A document with the ids of the shared library, and the rows that the engine is to get."""

    document: int
    first_passage: int
    facts: DocumentFacts
    rows: tuple[DocumentRows, ...]


def make_facts(published: int | None, family: str, symbols: Iterable[tuple[str, str]]) -> DocumentFacts:
    """What parts can be filtered by; ``symbols`` are schemes and symbols of classes."""
    tokens = dict.fromkeys(
        token for scheme, symbol in symbols if scheme in _SCHEMES for token in class_tokens(scheme, symbol)
    )
    return DocumentFacts(published or 0, family_number(family), tuple(tokens))


def make_parts(documents: Sequence[PlacedDocument], words: PassageWords, schema: IndexSchema) -> PartBatch:
    """The parts of some documents."""
    sections: list[SectionRows] = []
    passages: list[PassageRows] = []
    begun: list[Ids] = [np.empty(0, dtype=np.int64)]
    for part in portable.PARTS:
        placed = [
            PlacedRows(item.document, item.first_passage, rows)
            for item in documents
            for rows in item.rows
            if rows.part is part
        ]
        if not placed:
            continue
        arrays = portable.decode(placed, centers=schema.centers, dim=schema.dim)
        own_sections, own_passages = portable.part_rows(
            arrays,
            part,
            schema,
            rows=np.arange(len(placed)),
            documents=np.array([item.document for item in placed], dtype=np.int64),
            first_passages=np.array([item.first_passage for item in placed], dtype=np.int64),
        )
        sections.append(own_sections)
        passages.append(own_passages)
        if part is SegmentPart.CLAIMS:
            begun += [_first_pieces(item.document, item.rows.offsets) for item in placed]
    parts = words.parts()
    # Passages without a center are among the claims if their neighbours are.
    claims = np.isin(parts, np.concatenate(begun))
    joined = portable.join_words(_join_passages(passages), parts, words.rows, claims)
    return PartBatch(
        {item.document: item.facts for item in documents}, _join_sections(sections, schema), joined
    )


def count_parts(batch: PartBatch) -> Mapping[int, tuple[int, int]]:
    """Sections and passage pieces of each document of a batch."""
    counts = []
    for parts in (batch.sections.parts, batch.passages.parts):
        ids, many = np.unique(documents_of(parts), return_counts=True)
        counts.append(dict(zip(ids.tolist(), many.tolist(), strict=True)))
    return {document: (counts[0].get(document, 0), counts[1].get(document, 0)) for document in batch.facts}


@dataclass(frozen=True, slots=True, eq=False)
class RowCounts:
    """What rows of the index add to the counts of a library."""

    passages: int
    """N"""
    df: Ids
    """[V]"""
    spans: int
    """The most of a passage."""


def count_rows(rows: Iterable[DocumentRows], centers: int) -> RowCounts:
    """Count some rows of an index with ``centers`` centers."""
    passages, df, spans = 0, np.zeros(centers, dtype=np.int64), 0
    for item in rows:
        passages += len(item.offsets)
        spans = max(spans, int(item.span_counts.max(initial=0)))
        entries = PackedEntries(
            to_offsets(item.entry_sizes.astype(np.int64)),
            item.entry_gap,
            item.entry_word,
            to_offsets(item.span_sizes.astype(np.int64)),
            item.span_bytes,
        )
        df += count_centers(entries, 0, len(item.offsets), centers)
    return RowCounts(passages, df, spans)


def added_passages(batch: PartBatch, words: PassageWords) -> Mapping[int, int]:
    """Pieces of each document that an engine with the words of its passages does not have yet."""
    fresh = np.setdiff1d(batch.passages.parts, words.parts())
    ids, many = np.unique(documents_of(fresh), return_counts=True)
    return dict(zip(ids.tolist(), many.tolist(), strict=True))


def words_within(words: PassageWords, documents: Sequence[PlacedDocument]) -> PassageWords:
    """Only the words of passages that have rows."""
    held = [_first_pieces(item.document, rows.offsets) for item in documents for rows in item.rows]
    return words.keep(np.isin(words.parts(), np.concatenate([np.empty(0, dtype=np.int64), *held])))


def _first_pieces(document: int, offsets: Ids) -> Ids:
    distinct = np.unique(offsets.astype(np.int64))
    return passage_parts(np.full(len(distinct), document), distinct, np.zeros_like(distinct))


def _join_sections(rows: Sequence[SectionRows], schema: IndexSchema) -> SectionRows:
    if not rows:
        none = np.empty((0, schema.dim), dtype=np.float32)
        return SectionRows(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_), none)
    return SectionRows(
        np.concatenate([each.parts for each in rows]),
        np.concatenate([each.claims for each in rows]),
        np.concatenate([each.vectors for each in rows]),
    )


def _join_passages(rows: Sequence[PassageRows]) -> PassageRows:
    return PassageRows(
        np.concatenate([np.empty(0, dtype=np.int64), *(each.parts for each in rows)]),
        np.concatenate([np.empty(0, dtype=np.bool_), *(each.claims for each in rows)]),
        _join_sparse([each.centers for each in rows]),
        _join_sparse([each.words for each in rows]),
    )


def _join_sparse(rows: Sequence[SparseRows]) -> SparseRows:
    sizes = np.concatenate([np.empty(0, dtype=np.int64), *(np.diff(each.offsets) for each in rows)])
    return SparseRows(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([np.empty(0, dtype=np.int64), *(each.indices for each in rows)]),
        np.concatenate([np.empty(0, dtype=np.float32), *(each.values for each in rows)]),
    )
