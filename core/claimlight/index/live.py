"""A segment with its removed documents masked out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from claimlight.index.entries import count_centers
from claimlight.index.postings import count_blocks
from claimlight.index.scoring import LengthNorm
from claimlight.index.segments import Array, SegmentArrays, SegmentPart


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """The length norms of a segment's passages."""

    spans: Array
    """[P] number of spans of each passage: index into ``norms``."""
    norms: NDArray[np.float64]
    """[max spans + 1] norm of each number of spans."""
    inverse: NDArray[np.float32]
    """[P] 1 / norm in fp32: precise enough to skip passages that can't be among the best."""


class LiveSegment:
    """A mapped segment and its removed documents; df is corrected for them exactly.

    The cost of opening one grows with its documents, not with its passages or postings.
    """

    def __init__(
        self, arrays: SegmentArrays, dead: NDArray[np.int64], part: SegmentPart = SegmentPart.WHOLE
    ) -> None:
        self.arrays = arrays
        self.part = part
        self.document_ids: NDArray[np.int64] = np.asarray(arrays.document_ids)
        self.passage_ids: NDArray[np.int64] = np.asarray(arrays.passage_ids)
        self.live_documents: NDArray[np.bool_] = ~np.isin(self.document_ids, dead)
        self.gone = np.flatnonzero(~self.live_documents)
        """Positions of the removed documents."""
        self.center_df: NDArray[np.int64] = np.asarray(arrays.center_df)
        """[V] postings of each center, including those of removed documents."""
        self.df = self._df()
        """[V] live passages of each center."""
        sizes = np.diff(arrays.document_offsets)
        self.passages = int(sizes[self.live_documents].sum())
        self.documents = int(self.live_documents.sum())
        self.blocks = count_blocks(len(self.passage_ids))
        self.postings = (
            np.asarray(arrays.posting_starts),
            np.asarray(arrays.posting_words),
            np.asarray(arrays.document_offsets),
        )
        """The arrays that every search passes to the kernels: posting starts, posting words, document
        offsets."""
        self._lengths: tuple[LengthNorm, Lengths] | None = None

    @property
    def begins(self) -> bool:
        """Whether it has the claims of its documents: every indexed document is in one such segment."""
        return self.part in (SegmentPart.WHOLE, SegmentPart.CLAIMS)

    def _df(self) -> NDArray[np.int64]:
        df = np.array(self.arrays.center_df, dtype=np.int64)
        # By the forward lists of the document: in the postings it would have to be searched for.
        for position in self.gone:
            begin, end = self.arrays.document_offsets[position : position + 2]
            df -= count_centers(self.arrays.entries, int(begin), int(end), len(df))
        return df

    def alive(self, allowed: NDArray[np.int64] | None) -> NDArray[np.uint8]:
        """[D] 1 for documents that are live and among the ``allowed`` ids (ascending)."""
        if allowed is None:
            return self.live_documents.view(np.uint8)
        if not len(allowed):
            return np.zeros(len(self.document_ids), dtype=np.uint8)
        # An id above all allowed ones would index past the end; at the last one it compares unequal.
        at = np.minimum(np.searchsorted(allowed, self.document_ids), len(allowed) - 1)
        kept: NDArray[np.bool_] = self.live_documents & (allowed[at] == self.document_ids)
        return kept.view(np.uint8)

    def lengths(self, norm: LengthNorm) -> Lengths:
        """The norms of all passages; cached for the last ``norm``."""
        # Read once and replaced whole: searches in several threads need no lock.
        known = self._lengths
        if known is not None and known[0] == norm:
            return known[1]
        spans = np.asarray(self.arrays.span_counts)
        norms = norm.of(np.arange(int(spans.max(initial=0)) + 1))
        made = Lengths(spans, norms, (1.0 / norms).astype(np.float32)[spans])
        self._lengths = (norm, made)
        return made

    def documents_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Document ids of passages given by position."""
        rows = np.searchsorted(self.postings[2], positions, side="right") - 1
        return self.document_ids[rows]

    @cached_property
    def _order(self) -> NDArray[np.int64] | None:
        """Positions sorted by passage id; None if they are sorted already."""
        ids = self.passage_ids
        return None if (ids[1:] >= ids[:-1]).all() else np.argsort(ids, kind="stable")

    def locate(self, passages: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find passages in this segment: indexes into ``passages``, and positions.

        A passage in pieces has several consecutive positions; one that is not in the segment, or whose
        document is removed, has none.
        """
        order = self._order
        first = np.searchsorted(self.passage_ids, passages, sorter=order)
        counts = np.searchsorted(self.passage_ids, passages, side="right", sorter=order) - first
        place = np.repeat(np.arange(len(passages)), counts)
        step = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = first[place] + step
        position = at if order is None else order[at]
        if len(self.gone):
            rows = np.searchsorted(self.postings[2], position, side="right") - 1
            live = self.live_documents[rows]
            place, position = place[live], position[live]
        return place, position


def among(ids: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ids are among others, which ascend: unlike `numpy.isin`, without a look at all of these."""
    if not len(ordered):
        return np.zeros(len(ids), dtype=np.bool_)
    at = np.minimum(np.searchsorted(ordered, ids), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[at] == ids
    return found


def live_ids(segments: Iterable[LiveSegment]) -> NDArray[np.int64]:
    """Ids of the live documents of some segments, ascending."""
    parts = [item.document_ids[item.live_documents] for item in segments]
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *parts]))


def count_read(segments: Sequence[LiveSegment], documents: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Passages that were indexed of descriptions before the rest of them, and of how many, by document.

    Documents without such passages are left out.
    """
    asked = np.unique(np.asarray(documents, dtype=np.int64))
    held: dict[int, set[int]] = {}
    for item in segments:
        for place in np.flatnonzero(item.alive(asked)) if item.part is SegmentPart.PASSAGES else ():
            begin, end = item.arrays.document_offsets[place : place + 2]
            # A long passage has several rows.
            passages = item.passage_ids[int(begin) : int(end)].tolist()
            held.setdefault(int(item.document_ids[place]), set()).update(passages)
    some = np.array(sorted(held), dtype=np.int64)
    found: dict[int, tuple[int, int]] = {}
    for item in segments if held else ():
        for place in np.flatnonzero(item.alive(some)) if item.part is SegmentPart.CLAIMS else ():
            document = int(item.document_ids[place])
            found[document] = len(held[document]), int(item.arrays.document_rest[place])
    return found


def find_rest(
    segments: Sequence[LiveSegment], unread: Collection[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids of the documents whose description can be indexed, ascending, and its number of passages.

    ``unread``: documents whose description the encoder could not encode.
    """
    none = np.empty(0, dtype=np.int64)
    begun = [item for item in segments if item.part is SegmentPart.CLAIMS]
    ids = np.concatenate([none, *(item.document_ids[item.live_documents] for item in begun)])
    left = [np.asarray(item.arrays.document_rest)[item.live_documents] for item in begun]
    counts = np.concatenate([none, *left]).astype(np.int64)
    done = live_ids(item for item in segments if item.part is SegmentPart.DESCRIPTION)
    kept = np.flatnonzero((counts > 0) & ~np.isin(ids, done) & ~np.isin(ids, list(unread)))
    kept = kept[np.argsort(ids[kept], kind="stable")]
    return ids[kept], counts[kept]
