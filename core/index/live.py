"""One segment as it counts today: its arrays less its tombstones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.index.segments import WEIGHT_UNIT, SegmentArrays


class LiveSegment:
    """A mapped segment and which of its documents are removed; df is decremented exactly for them."""

    def __init__(self, arrays: SegmentArrays, dead: NDArray[np.int64]) -> None:
        self.arrays = arrays
        ids = np.asarray(arrays.document_ids)
        self.live_documents = ~np.isin(ids, dead)
        self.gone = np.flatnonzero(~self.live_documents)
        """Positions of the removed documents."""
        self.df = self._df()
        """[V] live passages of each center."""
        sizes = np.diff(arrays.document_offsets)
        self.passages = int(sizes[self.live_documents].sum())
        self.documents = int(self.live_documents.sum())

    def _df(self) -> NDArray[np.int64]:
        df: NDArray[np.int64] = np.diff(self.arrays.posting_offsets).astype(np.int64)
        for position in self.gone:
            begin, end = self.arrays.document_offsets[position : position + 2]
            entries = self.arrays.entry_center[
                self.arrays.entry_offsets[begin] : self.arrays.entry_offsets[end]
            ]
            df -= np.bincount(entries, minlength=len(df))
        return df

    @cached_property
    def document_of_passage(self) -> NDArray[np.int64]:
        """[P] PatentId."""
        return np.repeat(np.asarray(self.arrays.document_ids), np.diff(self.arrays.document_offsets))

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """[P] |S_d|, at least 1."""
        lengths: NDArray[np.float64] = np.maximum(self.arrays.span_counts, 1).astype(np.float64)
        return lengths

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.arrays.passage_ids, kind="stable")

    @cached_property
    def _sorted_ids(self) -> NDArray[np.int64]:
        return np.asarray(self.arrays.passage_ids)[self._order]

    def locate(self, passages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position of each passage in this segment; -1 where it is not here or its document is removed."""
        if not len(self._sorted_ids):
            return np.full(len(passages), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self._sorted_ids, passages), len(self._sorted_ids) - 1)
        position = np.where(self._sorted_ids[place] == passages, self._order[place], -1)
        if len(self.gone):
            document = self.document_of_passage[np.maximum(position, 0)]
            dead = np.asarray(self.arrays.document_ids)[self.gone]
            position = np.where(np.isin(document, dead), -1, position)
        return position

    def carried(self, query: Iterable[tuple[int, float, float]]) -> NDArray[np.float64]:
        """[P] sums of ``share * min(1, w_dc / w_qc)`` over the query's (center, share, w_qc)."""
        arrays = self.arrays
        found = np.zeros(len(arrays.passage_ids))
        for center, share, weight in query:
            window = slice(int(arrays.posting_offsets[center]), int(arrays.posting_offsets[center + 1]))
            plain = (arrays.posting_weight[window] / np.float32(WEIGHT_UNIT)) / weight
            found[arrays.posting_passage[window]] += share * np.minimum(1.0, plain)
        for position in self.gone:
            begin, end = arrays.document_offsets[position : position + 2]
            found[begin:end] = 0.0
        return found

    def accumulate(self, query: Iterable[tuple[int, float]]) -> NDArray[np.float64]:
        """[P] sums of ``factor * w_dc`` over the query's (center, factor); removed documents get 0."""
        offsets, passage, weight = (
            self.arrays.posting_offsets,
            self.arrays.posting_passage,
            self.arrays.posting_weight,
        )
        scores = np.zeros(len(self.arrays.passage_ids))
        for center, factor in query:
            window = slice(int(offsets[center]), int(offsets[center + 1]))
            # A passage stands once in a posting list, so the indexed addition loses nothing.
            scores[passage[window]] += (factor / WEIGHT_UNIT) * weight[window]
        for position in self.gone:
            begin, end = self.arrays.document_offsets[position : position + 2]
            scores[begin:end] = 0.0
        return scores
