"""Immutable segments: the forward lists, postings and section vectors of some documents.

A segment is a folder of ``.npy`` files, which are memory-mapped. Inside it, a passage is identified by its
position. Forward lists and postings store the same 8-bit code of a cosine (units of 1/255), so the score
computed over postings equals the sum over the forward list.

    document_ids       [D]     PatentId, ascending; of the part DESCRIPTION in the order of reading
    document_offsets   [D + 1] passages of each document
    document_rest      [D]     passages of its description that are not in this segment; in segments of the
                               part CLAIMS alone, else 0
    passage_ids        [P]     PassageId; one in pieces has several positions, one after another
    span_counts        [P]     |S_d|, spans before activation
    entry_offsets      [P + 1] forward list of each passage: see `claimlight.index.entries`
    entry_gap, entry_word
    span_offsets       [P + 1] the spans of each passage that its entries name
    span_bytes
    center_df          [V]     passages of each center
    posting_starts     [V * blocks + 1], posting_words: see `claimlight.index.postings`
    section_document   [S]     position of the document
    section_kind       [S]     `claimlight.index.sections.SectionKind`
    section_vectors    [S, d]  fp16
    passage_vectors    [P, d]  the passages' own vectors in units of 1/127; [0, d] in segments of format 3 and
                               earlier, and rows of zeros for passages that were merged from these

Segments of format 4 and earlier have entry_center, entry_code, entry_start and entry_length instead of the
arrays of packed entries, and are searched as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.files import folder_inside, put_in_place, touch_inside
from claimlight.index import files
from claimlight.index.entries import PackedEntries, PlainEntries

WEIGHT_UNIT = 255
"""The code of a cosine of 1."""
VECTOR_UNIT = 127
"""The code of a component of 1 in a passage vector."""
BLOCK = 1 << 15
"""Passages in a block of postings: 256 KiB of sums. The file format and cached kernels depend on it."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class SegmentArrays:
    """The arrays of one segment, in memory or memory-mapped."""

    document_ids: Array
    document_offsets: Array
    document_rest: Array
    passage_ids: Array
    span_counts: Array
    entry_offsets: Array
    entry_gap: Array
    entry_word: Array
    span_offsets: Array
    span_bytes: Array
    center_df: Array
    posting_starts: Array
    posting_words: Array
    section_document: Array
    section_kind: Array
    section_vectors: Array
    passage_vectors: Array
    plain: PlainEntries | None = None
    """The entries of a segment of format 4 or earlier, whose arrays of packed entries are empty."""

    @property
    def entries(self) -> PackedEntries | PlainEntries:
        """The forward lists, as the segment stores them."""
        if self.plain is not None:
            return self.plain
        return PackedEntries(
            self.entry_offsets,
            self.entry_gap,
            self.entry_word,
            self.span_offsets,
            self.span_bytes,
        )

    @property
    def postings(self) -> int:
        """Number of postings, and of entries."""
        return int(self.center_df.sum())

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays: list[Array] = [getattr(self, name) for name in NAMES]
        return sum(each.nbytes for each in arrays) + (self.plain.nbytes if self.plain is not None else 0)


NAMES = tuple(name for name in SegmentArrays.__slots__ if name != "plain")
"""The files of a segment."""
_PLAIN = ("entry_offsets", "entry_center", "entry_code", "entry_start", "entry_length")
"""The files of entries in segments of format 4 and earlier."""
_PACKED = ("entry_offsets", "entry_gap", "entry_word", "span_offsets", "span_bytes")
_LATER = ("passage_vectors", "document_rest")
"""Arrays that segments of earlier formats don't have."""


class SegmentPart(StrEnum):
    """The part of its documents that a segment holds; the values are stored in manifests."""

    WHOLE = "whole"
    """Everything; programs before format 5 wrote no other segments."""
    CLAIMS = "claims"
    """Title, abstract and claims."""
    DESCRIPTION = "description"
    """The whole description."""
    PASSAGES = "passages"
    """Some passages of the description, without a section vector."""


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """A segment as the manifest records it."""

    name: files.FileName
    documents: int
    passages: int
    postings: int
    spans: int
    files: tuple[files.FileRecord, ...]
    replaced: tuple[int, ...] = ()
    """Documents whose current rows are in a newer segment, ascending."""
    part: SegmentPart = SegmentPart.WHOLE

    @property
    def bytes(self) -> int:
        return sum(item.bytes for item in self.files)


def encode_cosines(cosine: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Quantise cosines in (0, 1] to 8-bit codes; at least 1, so that no entry vanishes."""
    # 0 is not free: in postings it marks the carry of a long gap.
    scaled = np.rint(np.asarray(cosine, dtype=np.float64) * WEIGHT_UNIT)
    return np.clip(scaled, 1, WEIGHT_UNIT).astype(np.uint8)


def encode_vectors(vectors: NDArray[np.floating]) -> NDArray[np.int8]:
    """Quantise unit vectors [n, d] in units of 1/127."""
    return np.rint(np.asarray(vectors, dtype=np.float32) * VECTOR_UNIT).astype(np.int8)


def narrow(values: Array, maximum: int | None = None) -> Array:
    """Convert unsigned values to the smallest of 16, 32 and 64 bits that can represent ``maximum``."""
    top = int(values.max(initial=0)) if maximum is None else maximum
    for kind in (np.uint16, np.uint32):
        if top <= np.iinfo(kind).max:
            return values.astype(kind, copy=False)
    return values.astype(np.uint64, copy=False)


def write(
    arrays: SegmentArrays, folder: Path, name: str, part: SegmentPart = SegmentPart.WHOLE
) -> SegmentRecord:
    """Write a segment to ``folder/name``: synced files in a temporary folder, then one rename."""
    files.check_space(folder, arrays.nbytes)
    temporary = folder / (name + files.TEMPORARY)
    # Fails if it exists: what a kill left was removed when the writer started.
    folder_inside(temporary)
    records = tuple(files.write_array(temporary / f"{item}.npy", getattr(arrays, item)) for item in NAMES)
    return publish(arrays, temporary, records, part)


def publish(
    arrays: SegmentArrays,
    temporary: Path,
    records: tuple[files.FileRecord, ...],
    part: SegmentPart = SegmentPart.WHOLE,
) -> SegmentRecord:
    """Rename a finished temporary folder to its final name, durably."""
    final = temporary.with_name(temporary.name.removesuffix(files.TEMPORARY))
    put_in_place(temporary, final)
    return SegmentRecord(
        name=final.name,
        documents=len(arrays.document_ids),
        passages=len(arrays.passage_ids),
        postings=arrays.postings,
        spans=int(arrays.span_counts.sum(dtype=np.int64)),
        files=records,
        part=part,
    )


class NewSegment:
    """A segment too large for memory: its files, memory-mapped for writing, in a temporary folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder / (name + files.TEMPORARY)
        folder_inside(self._folder)
        self.arrays: dict[str, Array] = {}

    def put(self, name: str, parts: Sequence[Array], dtype: Any) -> None:
        """Write the concatenation of ``parts`` as an array."""
        shape = (sum(len(part) for part in parts), *parts[0].shape[1:])
        target = self.new(name, shape, dtype)
        begin = 0
        for part in parts:
            target[begin : begin + len(part)] = part
            begin += len(part)

    def new(self, name: str, shape: tuple[int, ...], dtype: Any) -> Array:
        """Create an array to be filled."""
        path = self._folder / f"{name}.npy"
        # Made first, with the rights of the folder: NumPy opens the file it finds.
        touch_inside(path)
        if 0 in shape:
            # An empty file can't be memory-mapped.
            made: Array = np.empty(shape, dtype=dtype)
            np.save(path, made, allow_pickle=False)
        else:
            made = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
        self.arrays[name] = made
        return made

    def finished(self) -> tuple[SegmentArrays, Path, tuple[files.FileRecord, ...]]:
        """Flush, sync and hash all files; returns the arguments of `publish`."""
        for array in self.arrays.values():
            if isinstance(array, np.memmap):
                array.flush()
        records = tuple(files.record_file(self._folder / f"{item}.npy") for item in NAMES)
        made: dict[str, Any] = self.arrays
        return SegmentArrays(**made), self._folder, records


def read_document_ids(folder: Path, item: SegmentRecord) -> NDArray[np.int64]:
    """Ids of the documents of a segment of the generation in ``folder``, removed ones too, in its order."""
    return np.asarray(np.load(folder / item.name / "document_ids.npy", allow_pickle=False))


def open_arrays(folder: Path, item: SegmentRecord) -> SegmentArrays:
    """Map a segment after checking file sizes; hashes are checked by `claimlight.index.verify`."""
    path = folder / item.name
    files.check_sizes(path, item.files)
    held = {record.name.removesuffix(".npy") for record in item.files}
    earlier = "entry_center" in held
    wanted = [name for name in NAMES if name not in _LATER or name in held]
    if earlier:
        wanted = [*(name for name in wanted if name not in _PACKED), *_PLAIN]
    try:
        mapped = {name: np.load(path / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in wanted}
    except (OSError, ValueError) as error:
        raise files.damage_error(path, str(error)) from error
    missing = {
        "passage_vectors": np.empty((0, mapped["section_vectors"].shape[1]), dtype=np.int8),
        "document_rest": np.zeros(len(mapped["document_ids"]), dtype=np.int32),
    }
    plain = PlainEntries(*(mapped.pop(name) for name in _PLAIN)) if earlier else None
    none = dict.fromkeys(_PACKED, np.empty(0, dtype=np.uint8)) if earlier else {}
    arrays: dict[str, Any] = none | missing | mapped
    return SegmentArrays(**arrays, plain=plain)
