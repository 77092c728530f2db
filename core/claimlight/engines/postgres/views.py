"""Which parts an index has, as a client knows them: read whole once, then as far as they changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from claimlight.engines.postgres.sessions import Session
from claimlight.index.backend import Ids, documents_of


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The filled slots of a block."""

    number: int
    changed: int
    """Version of the index at which parts of it were last removed."""
    parts: Ids
    claims: NDArray[np.bool_]
    live: NDArray[np.bool_]
    """Whether a part was neither removed nor replaced."""

    @property
    def filled(self) -> int:
        """Slots in use."""
        return len(self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """All sections, or all passage pieces, at one version of the index; a row for each slot of each block."""

    version: int
    blocks: tuple[Block, ...]
    starts: Ids
    """[blocks + 1] first row of each block."""
    parts: Ids
    documents: Ids
    claims: NDArray[np.bool_]
    live: NDArray[np.bool_]

    def rows(self, place: int) -> slice:
        """Rows of the block at a place of `blocks`."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


def _joined(version: int, blocks: tuple[Block, ...]) -> View:
    starts = np.cumsum([0, *(block.filled for block in blocks)], dtype=np.int64)
    parts = np.concatenate([np.empty(0, np.int64), *(block.parts for block in blocks)])
    no = np.empty(0, np.bool_)
    return View(
        version,
        blocks,
        starts,
        parts,
        documents_of(parts),
        np.concatenate([no, *(block.claims for block in blocks)]),
        np.concatenate([no, *(block.live for block in blocks)]),
    )


class Views:
    """The latest view of sections and of passage pieces; threads may share it."""

    def __init__(self) -> None:
        self._latest = {True: _joined(-1, ()), False: _joined(-1, ())}
        self._locks = {True: Lock(), False: Lock()}

    def at(self, session: Session, version: int, *, sections: bool) -> View:
        """The view at the version that the session sees."""
        latest = self._latest[sections]
        if latest.version == version:
            return latest
        # One thread reads what changed; the others find it read.
        with self._locks[sections]:
            latest = self._latest[sections]
            if latest.version == version:
                return latest
            view = _refreshed(session, version, latest, sections=sections)
            if version > latest.version:
                self._latest[sections] = view
            return view


def _refreshed(session: Session, version: int, before: View, *, sections: bool) -> View:
    known: Mapping[int, Block] = {block.number: block for block in before.blocks}
    listed = session.rows(
        "SELECT block, filled, changed FROM block WHERE sections = %s ORDER BY block", sections
    )
    blocks: list[Block] = []
    for number, filled, changed in listed:
        block = known.get(number)
        if block is None or block.filled < filled:
            block = _grown(session, number, block, sections=sections)
        if block.filled != filled or block.changed != changed:
            # More slots, or other removals, than the session sees are of a later version.
            (gone,) = session.row(
                "SELECT gone FROM block WHERE sections = %s AND block = %s", sections, number
            )
            live = ~bits(gone, filled)
            block = Block(number, changed, block.parts[:filled], block.claims[:filled], live)
        blocks.append(block)
    return _joined(version, tuple(blocks))


def _grown(session: Session, number: int, before: Block | None, *, sections: bool) -> Block:
    """The block with the slots that were filled since, all of which count as live."""
    have = 0 if before is None else before.filled
    parts = [] if before is None else [before.parts]
    claims = [] if before is None else [before.claims]
    # Fragments may have been merged since, so the new slots can be the end of one.
    fresh = session.rows(
        "SELECT substring(parts FROM 1 + 8 * greatest(0, %s - first)),"
        " substring(claims FROM 1 + greatest(0, %s - first)) FROM fragment"
        " WHERE sections = %s AND block = %s AND first + filled > %s ORDER BY first",
        *(have, have, sections, number, have),
    )
    for some, flags in fresh:
        parts.append(np.frombuffer(some, "<i8"))
        claims.append(np.frombuffer(flags, np.bool_))
    joined = np.concatenate(parts)
    return Block(number, -1, joined, np.concatenate(claims), np.ones(len(joined), np.bool_))


def bits(stored: bytes, many: int) -> NDArray[np.bool_]:
    """The first bits of a map, which ends where all others are 0."""
    given = np.frombuffer(stored, np.uint8)[: (many + 7) // 8]
    # All bytes are given: from none at all, unpackbits makes bits of whatever is in the memory.
    filled = np.zeros((many + 7) // 8, np.uint8)
    filled[: len(given)] = given
    return np.unpackbits(filled, count=many, bitorder="little").view(np.bool_)


def packed(given: NDArray[np.bool_]) -> bytes:
    """The map of `bits`."""
    return np.packbits(given, bitorder="little").tobytes()
