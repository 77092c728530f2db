"""Immutable segments: the forward lists, postings and section vectors of some documents.

A segment is a folder of ``.npy`` files that are mapped, not read. A passage is known inside it by its
position. Both directions hold the same 16-bit weight (1/65535ths), so the score computed over postings
is the sum of what the forward list shows.

    document_ids       [D]     PatentId, ascending
    document_offsets   [D + 1] passages of each document
    passage_ids        [P]     PassageId
    span_counts        [P]     |S_d|, spans before activation
    entry_offsets      [P + 1] forward list of each passage, centers ascending
    entry_center, entry_weight, entry_start, entry_length
    posting_offsets    [V + 1] posting list of each center, passages ascending
    posting_passage, posting_weight
    section_document   [S]     position of the document
    section_kind       [S]     `core.index.sections.SectionKind`
    section_vectors    [S, d]  fp16
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.index import files

WEIGHT_UNIT = 65535
"""Fixed-point one."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class SegmentArrays:
    """The arrays of one segment, in memory or mapped."""

    document_ids: Array
    document_offsets: Array
    passage_ids: Array
    span_counts: Array
    entry_offsets: Array
    entry_center: Array
    entry_weight: Array
    entry_start: Array
    entry_length: Array
    posting_offsets: Array
    posting_passage: Array
    posting_weight: Array
    section_document: Array
    section_kind: Array
    section_vectors: Array


NAMES = tuple(item.name for item in fields(SegmentArrays))


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """What the manifest knows of a segment."""

    name: str
    documents: int
    passages: int
    postings: int
    spans: int
    files: tuple[files.FileRecord, ...]

    @property
    def bytes(self) -> int:
        return sum(item.bytes for item in self.files)


def fixed(cosine: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Cosines in (0, 1] as 16-bit fixed point; never 0, so no entry vanishes."""
    scaled = np.rint(np.asarray(cosine, dtype=np.float64) * WEIGHT_UNIT)
    return np.clip(scaled, 1, WEIGHT_UNIT).astype(np.uint16)


def narrow(values: Array, maximum: int | None = None) -> Array:
    """Unsigned values in the smallest of 16, 32 and 64 bits that holds ``maximum``."""
    top = int(values.max(initial=0)) if maximum is None else maximum
    for kind in (np.uint16, np.uint32):
        if top <= np.iinfo(kind).max:
            return values.astype(kind, copy=False)
    return values.astype(np.uint64, copy=False)


def invert(entry_offsets: Array, entry_center: Array, entry_weight: Array, count: int) -> tuple[Array, ...]:
    """Postings (offsets, passages, weights) of ``count`` centers from forward lists."""
    order = np.argsort(entry_center, kind="stable")
    passages = np.repeat(np.arange(len(entry_offsets) - 1, dtype=np.uint32), np.diff(entry_offsets))
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(entry_center, minlength=count), out=offsets[1:])
    return offsets, narrow(passages[order], max(len(entry_offsets) - 2, 0)), entry_weight[order]


def write(arrays: SegmentArrays, folder: Path, name: str) -> SegmentRecord:
    """Write a segment under ``folder/name``: temporary folder, synced files, then one rename."""
    files.check_space(folder, sum(getattr(arrays, item).nbytes for item in NAMES))
    temporary = folder / (name + files.TEMPORARY)
    temporary.mkdir()
    records = tuple(files.write_array(temporary / f"{item}.npy", getattr(arrays, item)) for item in NAMES)
    return publish(arrays, temporary, records)


def publish(arrays: SegmentArrays, temporary: Path, records: tuple[files.FileRecord, ...]) -> SegmentRecord:
    """Give a finished temporary folder its name."""
    files.sync_folder(temporary)
    final = temporary.with_name(temporary.name.removesuffix(files.TEMPORARY))
    temporary.rename(final)
    files.sync_folder(final.parent)
    return SegmentRecord(
        name=final.name,
        documents=len(arrays.document_ids),
        passages=len(arrays.passage_ids),
        postings=len(arrays.posting_passage),
        spans=int(arrays.span_counts.sum(dtype=np.int64)),
        files=records,
    )


def open_arrays(folder: Path, item: SegmentRecord) -> SegmentArrays:
    """Map a segment after a look at its sizes; its hashes are `core.index.verify`'s work."""
    path = folder / item.name
    files.check_sizes(path, item.files)
    try:
        mapped = {name: np.load(path / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in NAMES}
    except (OSError, ValueError) as error:
        raise files.damaged(path, str(error)) from error
    return SegmentArrays(**mapped)
