"""Collects the passages of a batch of documents and makes one segment of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import BugError
from claimlight.index.entries import PlainEntries, pack
from claimlight.index.postings import invert
from claimlight.index.sections import SectionKind, SectionSums
from claimlight.index.segments import SegmentArrays, encode_vectors
from claimlight.index.span_entries import PassageEntries


@dataclass(frozen=True, slots=True)
class PassageRow:
    """What the index stores of a passage, or of one of its pieces, besides its entries."""

    document: int
    """PatentId, ascending; the passages of a document are consecutive."""
    passage: int
    kind: SectionKind
    pooled: NDArray[np.float32]
    """Unit vector."""
    length: int
    """Tokens: its weight in the section vector; if it is 0, ``pooled`` is meaningless."""


class SegmentBuilder:
    """Accumulates batches of passages; keeps their entries, not their token vectors."""

    def __init__(self, centers: int, dim: int, *, sections: bool = True) -> None:
        """Without ``sections`` no section vector is made: of some passages it would not be one."""
        self._centers = centers
        self._sections = sections
        self._sums = SectionSums(dim)
        self._documents: list[int] = []
        self._sizes: list[int] = []
        self._rest: list[int] = []
        self._passages: list[int] = []
        self._dim = dim
        self._vectors: list[NDArray[np.int8]] = []
        self._entries: list[PassageEntries] = []

    def __len__(self) -> int:
        return len(self._documents)

    @property
    def passages(self) -> int:
        return len(self._passages)

    def add_document(self, document: int, *, rest: int = 0) -> None:
        """Begin a document; it may have no passages. ``rest``: passages of its description left out here."""
        if self._documents and document <= self._documents[-1]:
            raise BugError(f"document {document} comes after {self._documents[-1]}")
        self._documents.append(document)
        self._sizes.append(0)
        self._rest.append(rest)

    def add(
        self, rows: Sequence[PassageRow], entries: PassageEntries, rest: Mapping[int, int] | None = None
    ) -> None:
        """Add a batch of passages, and their documents.

        ``rest`` as in `add_document`, by document; those without a row are added too.
        """
        last = self._documents[-1] if self._documents else 0
        counts = {row.document: 0 for row in rows} | dict(rest or {})
        coming = [document for document in sorted(counts) if document > last]
        for row in rows:
            while coming and coming[0] <= row.document:
                document = coming.pop(0)
                self.add_document(document, rest=counts[document])
            if self._documents[-1] != row.document:
                raise BugError(f"document {row.document} comes after {self._documents[-1]}")
            self._sizes[-1] += 1
            self._passages.append(row.passage)
            pooled = row.pooled if row.length else np.zeros(self._dim, dtype=np.float32)
            self._vectors.append(encode_vectors(pooled))
            if row.length and self._sections:
                self._sums.add(len(self._documents) - 1, row.kind, row.pooled, row.length)
        for document in coming:
            self.add_document(document, rest=counts[document])
        self._entries.append(entries)

    def arrays(self) -> SegmentArrays:
        """Build the segment."""
        entries = self._entries
        none = np.empty(0, dtype=np.int64)
        # `none` in front of each: a segment without passages is made of empty arrays.
        counts = np.concatenate([none, *(np.diff(item.offsets) for item in entries)])
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        center = np.concatenate([none, *(item.centers for item in entries)])
        code = np.concatenate([none.astype(np.uint8), *(item.codes for item in entries)])
        start = np.concatenate([none, *(item.start for item in entries)])
        end = np.concatenate([none, *(item.end for item in entries)])
        packed = pack(PlainEntries(offsets, center, code, start, end - start))
        postings = invert(packed.offsets, packed.gap, packed.word, centers=self._centers)
        document, kind, vectors = self._sums.arrays()
        return SegmentArrays(
            document_ids=np.array(self._documents, dtype=np.int64),
            document_offsets=np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64),
            document_rest=np.array(self._rest, dtype=np.int32),
            passage_ids=np.array(self._passages, dtype=np.int64),
            span_counts=np.concatenate([none, *(item.spans for item in entries)]).astype(np.int32),
            entry_offsets=packed.offsets,
            entry_gap=packed.gap,
            entry_word=packed.word,
            span_offsets=packed.span_offsets,
            span_bytes=packed.span_bytes,
            center_df=postings.center_df,
            posting_starts=postings.starts,
            posting_words=postings.data,
            section_document=document,
            section_kind=kind,
            section_vectors=vectors,
            passage_vectors=np.array(self._vectors, dtype=np.int8).reshape(-1, self._dim),
        )
