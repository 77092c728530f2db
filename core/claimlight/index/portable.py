"""The rows of one document in a segment as bytes, and as parts of an engine.

A shared library keeps the rows in its database, where evidence reads them, and stores parts made of them in
its engine (`claimlight.index.backend`). Rows name their passages by the place in the document, so that they
hold under whatever ids a library gives.

    header           magic, part, sections, d, whether passages have vectors, P, E, B, rest, CRC-32
    offsets          [P] uint32   place of each passage in its document; one in pieces occurs once per piece
    span counts      [P] uint32
    entry sizes      [P] uint32
    span sizes       [P] uint32
    section vectors  [S, d] fp16
    entry words      [E] uint16   see `claimlight.index.entries`
    section kinds    [S] uint8
    entry gaps       [E] uint8
    span bytes       [B] uint8
    passage vectors  [P, d] int8, or none

All numbers are little-endian.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from claimlight.errors import BugError, ResourceError
from claimlight.index.backend import (
    PIECE_BITS,
    Ids,
    IndexSchema,
    PassageRows,
    SectionRows,
    SparseRows,
    passage_parts,
    section_parts,
)
from claimlight.index.entries import PackedEntries, pack, to_offsets
from claimlight.index.forward import select_entries
from claimlight.index.live import LiveSegment
from claimlight.index.scoring import LengthNorm
from claimlight.index.segments import WEIGHT_UNIT, Array, SegmentArrays, SegmentPart

_MAGIC = b"CLR1"
_HEADER = struct.Struct("<4sBBHBxxxIIIII")
_CHECK = struct.Struct("<I")
PARTS = (SegmentPart.WHOLE, SegmentPart.CLAIMS, SegmentPart.DESCRIPTION)
"""The parts that are stored; the place of each is its number in the bytes and in the database."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentRows:
    """The rows of one document in one segment, read from bytes."""

    part: SegmentPart
    rest: int
    """Passages of the description that are not among them."""
    nbytes: int
    offsets: Array
    """[P] place of each passage in the document."""
    span_counts: Array
    entry_sizes: Array
    span_sizes: Array
    section_vectors: Array
    entry_word: Array
    section_kind: Array
    entry_gap: Array
    span_bytes: Array
    passage_vectors: Array
    """[P, d], or [0, d]."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRows:
    """Rows with the ids that a library gives them."""

    document: int
    first_passage: int
    rows: DocumentRows


def encode(arrays: SegmentArrays, row: int, *, first_passage: int, part: SegmentPart) -> bytes:
    """The rows of the document at position ``row`` of a segment of a part.

    ``first_passage`` is the id of the document's first passage in the library of the segment. Entries of
    old segments are packed.
    """
    if part not in PARTS:
        raise BugError(f"rows of the part {part.value} are not stored")
    first, last = (int(each) for each in arrays.document_offsets[row : row + 2])
    entries = arrays.entries.part(first, last)
    packed = entries if isinstance(entries, PackedEntries) else pack(entries)
    offsets = np.asarray(arrays.passage_ids[first:last]).astype(np.int64) - first_passage
    if len(offsets) and int(offsets.min()) < 0:
        raise BugError(f"a passage of document {arrays.document_ids[row]} comes before its first one")
    document = np.asarray(arrays.section_document)
    # Ascending.
    begin, end = np.searchsorted(document, [row, row + 1])
    known = len(arrays.passage_vectors) > 0
    vectors = arrays.passage_vectors[first:last] if known else arrays.passage_vectors[:0]
    columns = (
        (offsets, "<u4"),
        (arrays.span_counts[first:last], "<u4"),
        (np.diff(packed.offsets), "<u4"),
        (np.diff(packed.span_offsets), "<u4"),
        (arrays.section_vectors[begin:end], "<f2"),
        (packed.word, "<u2"),
        (arrays.section_kind[begin:end], "u1"),
        (packed.gap, "u1"),
        (packed.span_bytes, "u1"),
        (vectors, "i1"),
    )
    body = b"".join(np.asarray(column).astype(kind, copy=False).tobytes() for column, kind in columns)
    head = _HEADER.pack(
        _MAGIC,
        PARTS.index(part),
        int(end - begin),
        arrays.section_vectors.shape[1],
        int(known),
        last - first,
        len(packed.gap),
        len(packed.span_bytes),
        int(arrays.document_rest[row]),
        0,
    )[: -_CHECK.size]
    return head + _CHECK.pack(zlib.crc32(body, zlib.crc32(head))) + body


def read(data: bytes) -> DocumentRows:
    """The rows in what `encode` gave; `ResourceError` if they are damaged, or of a newer program."""
    if len(data) < _HEADER.size or not data.startswith(_MAGIC[:3]):
        raise _damaged("they are cut short" if data[:3] == _MAGIC[:3] else "they are no rows of an index")
    if not data.startswith(_MAGIC):
        raise ResourceError(
            "The rows of a document in the shared index were written by a newer program. Use that program."
        )
    _, part, sections, dim, known, passages, entries, spans, rest, check = _HEADER.unpack_from(data)
    head, body = memoryview(data)[: _HEADER.size - _CHECK.size], memoryview(data)[_HEADER.size :]
    if zlib.crc32(body, zlib.crc32(head)) != check:
        raise _damaged("their checksum is wrong")
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = (
        ("<u4", (passages,)),
        ("<u4", (passages,)),
        ("<u4", (passages,)),
        ("<u4", (passages,)),
        ("<f2", (sections, dim)),
        ("<u2", (entries,)),
        ("u1", (sections,)),
        ("u1", (entries,)),
        ("u1", (spans,)),
        ("i1", (passages if known else 0, dim)),
    )
    columns: list[Array] = []
    at = 0
    for kind, shape in shapes:
        count = int(np.prod(shape))
        size = count * np.dtype(kind).itemsize
        if at + size > len(body):
            raise _damaged("they are cut short")
        columns.append(np.frombuffer(body, dtype=kind, count=count, offset=at).reshape(shape))
        at += size
    if at != len(body) or part >= len(PARTS):
        raise _damaged("their sizes do not fit")
    if int(columns[2].sum()) != entries or int(columns[3].sum()) != spans:
        raise _damaged("their sizes do not fit")
    return DocumentRows(PARTS[part], rest, len(data), *columns)


def _damaged(reason: str) -> ResourceError:
    return ResourceError(
        f"The rows of a document in the shared index are damaged: {reason}. Push the document again with "
        "`claimlight push`."
    )


def decode(placed: Sequence[PlacedRows], *, centers: int, dim: int) -> SegmentArrays:
    """One segment in memory with the rows of several documents.

    It has forward lists and vectors, and no postings: of ``centers`` there are none to search. A document may
    occur twice, with its claims and with its description.
    """
    rows = [item.rows for item in placed]
    sizes = [len(item.offsets) for item in rows]
    sections = [len(item.section_kind) for item in rows]
    return SegmentArrays(
        document_ids=np.array([item.document for item in placed], dtype=np.int64),
        document_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        document_rest=np.array([item.rest for item in rows], dtype=np.int32),
        passage_ids=_join([item.rows.offsets + np.int64(item.first_passage) for item in placed], np.int64),
        span_counts=_join([item.span_counts for item in rows], np.int32),
        entry_offsets=to_offsets(_join([item.entry_sizes for item in rows], np.int64)),
        entry_gap=_join([item.entry_gap for item in rows], np.uint8),
        entry_word=_join([item.entry_word for item in rows], np.uint16),
        span_offsets=to_offsets(_join([item.span_sizes for item in rows], np.int64)),
        span_bytes=_join([item.span_bytes for item in rows], np.uint8),
        center_df=np.zeros(centers, dtype=np.int64),
        posting_starts=np.zeros(centers + 1, dtype=np.int64),
        posting_words=np.empty(0, dtype=np.uint16),
        section_document=np.repeat(np.arange(len(rows), dtype=np.int32), sections),
        section_kind=_join([item.section_kind for item in rows], np.uint8),
        section_vectors=_join([item.section_vectors for item in rows], np.float16, (dim,)),
        passage_vectors=_join([_own_vectors(item, dim) for item in rows], np.int8, (dim,)),
    )


def _own_vectors(rows: DocumentRows, dim: int) -> Array:
    """[P, d]; zeros where the segment had none, as in merged segments."""
    if len(rows.passage_vectors) == len(rows.offsets):
        return rows.passage_vectors
    return np.zeros((len(rows.offsets), dim), dtype=np.int8)


def _join(parts: Sequence[Array], kind: type, shape: tuple[int, ...] = ()) -> Array:
    return np.concatenate([np.empty((0, *shape), dtype=kind), *parts]).astype(kind, copy=False)


def part_rows(
    arrays: SegmentArrays,
    part: SegmentPart,
    schema: IndexSchema,
    *,
    rows: Ids,
    documents: Ids,
    first_passages: Ids,
) -> tuple[SectionRows, PassageRows]:
    """What an engine stores of some documents of a segment; the passages are without words.

    ``rows`` [D] are the positions of the documents in the segment, ascending, ``first_passages`` [D] the ids
    of their first passages in the library of the segment, ``documents`` [D] their ids in the shared library.
    Pieces without a center are left out, and so are those of a passage after the 256th.
    """
    segment = LiveSegment(arrays, np.empty(0, dtype=np.int64), part)
    claims = part is SegmentPart.CLAIMS
    place = np.full(len(arrays.document_ids), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    at = np.flatnonzero(place[np.asarray(arrays.section_document)] >= 0)
    kinds = np.asarray(arrays.section_kind)[at]
    vectors = arrays.section_vectors[at].astype(np.float32) - schema.levels_array()[kinds]
    owner = documents[place[np.asarray(arrays.section_document)[at]]]
    sections = SectionRows(section_parts(owner, kinds), np.full(len(at), claims), vectors)

    sizes = np.diff(np.asarray(arrays.document_offsets))[rows]
    step = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    positions = np.repeat(np.asarray(arrays.document_offsets)[rows], sizes) + step
    mine = np.repeat(np.arange(len(rows)), sizes)
    ids = np.asarray(arrays.passage_ids)[positions]
    fresh = np.flatnonzero(np.r_[True, (ids[1:] != ids[:-1]) | (mine[1:] != mine[:-1])][: len(ids)])
    pieces = np.arange(len(ids)) - np.repeat(fresh, np.diff(np.r_[fresh, len(ids)]))
    counts, (center, code, _, _) = select_entries(segment, positions, None)
    kept = (counts > 0) & (pieces < 1 << PIECE_BITS)
    norms = LengthNorm(schema.length_exponent, int(schema.length_floor)).of(
        np.asarray(arrays.span_counts)[positions].astype(np.int64)
    )
    weights = code.astype(np.float64) / WEIGHT_UNIT / np.repeat(norms, counts)
    some = np.repeat(kept, counts)
    centers = SparseRows(
        np.concatenate([[0], np.cumsum(counts[kept])]).astype(np.int64),
        center[some].astype(np.int64),
        weights[some].astype(np.float32),
    )
    parts = passage_parts(
        documents[mine[kept]], ids[kept] - first_passages[mine[kept]], pieces[kept].astype(np.int64)
    )
    return sections, PassageRows(parts, np.full(len(parts), claims), centers, _no_rows(len(parts)))


def join_words(passages: PassageRows, parts: Ids, words: SparseRows, claims: Array) -> PassageRows:
    """The passages with the words of passages ``parts`` [n], ascending, each of which is a first piece.

    ``claims`` [n] holds for those that are not among the pieces with centers.
    """
    every = np.union1d(passages.parts, parts)
    flags = np.zeros(len(every), dtype=np.bool_)
    flags[np.searchsorted(every, parts)] = claims
    flags[np.searchsorted(every, passages.parts)] = passages.claims
    return PassageRows(
        every, flags, _spread(passages.centers, passages.parts, every), _spread(words, parts, every)
    )


def _spread(rows: SparseRows, parts: Ids, every: Ids) -> SparseRows:
    """The rows of ``parts`` in the order of ``every``, which ascend; the others are empty."""
    order = np.argsort(parts, kind="stable")
    sizes = np.diff(rows.offsets)
    begins, counts = rows.offsets[:-1][order], sizes[order]
    step = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    source = np.repeat(begins, counts) + step
    all_sizes = np.zeros(len(every), dtype=np.int64)
    all_sizes[np.searchsorted(every, parts[order])] = counts
    offsets = np.concatenate([[0], np.cumsum(all_sizes)]).astype(np.int64)
    return SparseRows(offsets, rows.indices[source], rows.values[source])


def _no_rows(count: int) -> SparseRows:
    return SparseRows(
        np.zeros(count + 1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    )
