"""Pieces of text that need not be encoded, because an equal one was: in this run, or in a family.

One text has one vector and one list of entries, whatever document it is in, so both are copied. What is read
from the index has its vector in units of 1/127, as every passage there.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.index import forward
from claimlight.index.builder import PassageRow
from claimlight.index.sections import kind_of
from claimlight.index.span_entries import PassageEntries

if TYPE_CHECKING:
    from claimlight.index.live import LiveSegment
    from claimlight.services.indexing.encoding import Piece
    from claimlight.store.values import StoredPassage

KEPT = 10_000
"""Pieces of this run that are remembered: some 40 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownPiece:
    """What the index keeps of a text, without its document and its place there."""

    pooled: NDArray[np.float32]
    length: int
    entries: PassageEntries
    """Forward list of this one text."""


class Repeats:
    """The pieces that are known; safe to share between the thread that encodes and the one that writes."""

    def __init__(self, limit: int = KEPT) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._latest: OrderedDict[bytes, KnownPiece] = OrderedDict()
        self._relatives: Mapping[bytes, KnownPiece] = {}

    def find(self, piece: Piece) -> KnownPiece | None:
        """What is known of a piece."""
        key = _key(piece.passage.section.value, piece.text)
        with self._lock:
            known = self._latest.get(key)
            if known is not None:
                self._latest.move_to_end(key)
            else:
                known = self._relatives.get(key)
            return known

    def keep(self, pieces: Sequence[Piece], rows: Sequence[PassageRow], entries: PassageEntries) -> None:
        """Remember pieces of this run; ``entries`` have places in the pieces, not in their passages."""
        made = [
            (
                _key(piece.passage.section.value, piece.text),
                KnownPiece(row.pooled, row.length, _one(entries, n)),
            )
            for n, (piece, row) in enumerate(zip(pieces, rows, strict=True))
        ]
        with self._lock:
            for key, known in made:
                self._latest[key] = known
                self._latest.move_to_end(key)
            while len(self._latest) > self._limit:
                self._latest.popitem(last=False)

    def learn_relatives(self, known: Mapping[bytes, KnownPiece]) -> None:
        """Remember pieces of relatives (`read_known`) in place of those of earlier ones."""
        with self._lock:
            self._relatives = known


def read_known(
    segments: Sequence[LiveSegment], passages: Sequence[StoredPassage], lengths: Sequence[int], dim: int
) -> dict[bytes, KnownPiece]:
    """What an index holds of some passages, by text; ``lengths`` are their numbers of tokens.

    Without those in several pieces, and those that have no vector.
    """
    ids = np.array([passage.id for passage in passages], dtype=np.int64)
    lists = forward.read_entries(segments, ids, None)
    place, vectors = forward.read_vectors(segments, ids, dim)
    single = np.bincount(lists.place, minlength=len(ids)) == 1
    vector_of = dict(zip(place.tolist(), vectors, strict=True))
    found: dict[bytes, KnownPiece] = {}
    for row, at in enumerate(lists.place.tolist()):
        if single[at] and at in vector_of and lengths[at]:
            begin, end = lists.offsets[row : row + 2].tolist()
            entries = PassageEntries(
                offsets=np.array([0, end - begin], dtype=np.int64),
                centers=lists.centers[begin:end],
                codes=lists.codes[begin:end],
                start=lists.start[begin:end],
                end=lists.end[begin:end],
                spans=lists.span_counts[row : row + 1],
            )
            passage = passages[at]
            key = _key(passage.section.value, passage.text)
            found[key] = KnownPiece(vector_of[at], lengths[at], entries)
    return found


def merge_known(
    pieces: Sequence[Piece],
    known: Sequence[KnownPiece | None],
    rows: Sequence[PassageRow],
    entries: PassageEntries,
) -> tuple[list[PassageRow], PassageEntries]:
    """The rows and entries of all ``pieces``; ``rows`` and ``entries`` are of those that are not known."""
    every: list[PassageRow] = []
    parts: list[PassageEntries] = []
    fresh = 0
    for piece, held in zip(pieces, known, strict=True):
        if held is None:
            every.append(rows[fresh])
            parts.append(_one(entries, fresh))
            fresh += 1
        else:
            kind = kind_of(piece.passage.section)
            every.append(PassageRow(piece.passage.patent, piece.passage.id, kind, held.pooled, held.length))
            parts.append(held.entries)
    return every, join_entries(parts)


def _key(section: str, text: str) -> bytes:
    # With the section: some encoders read it before the text.
    return blake2b(f"{section}\n{text}".encode(errors="surrogatepass"), digest_size=16).digest()


def _one(entries: PassageEntries, number: int) -> PassageEntries:
    begin, end = entries.offsets[number : number + 2].tolist()
    # Copies: a view would keep the arrays of the whole batch in memory.
    return PassageEntries(
        offsets=np.array([0, end - begin], dtype=np.int64),
        centers=entries.centers[begin:end].copy(),
        codes=entries.codes[begin:end].copy(),
        start=entries.start[begin:end].copy(),
        end=entries.end[begin:end].copy(),
        spans=entries.spans[number : number + 1].copy(),
    )


def join_entries(parts: Sequence[PassageEntries]) -> PassageEntries:
    """The entries of several texts, in their order."""
    sizes = [int(part.offsets[-1]) for part in parts]
    return PassageEntries(
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        centers=np.concatenate([part.centers for part in parts]),
        codes=np.concatenate([part.codes for part in parts]),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        spans=np.concatenate([part.spans for part in parts]),
    )
