"""Fragments of an index: appended, removed, merged and purged, by one writer at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.engines.postgres.sessions import Session
from claimlight.engines.postgres.tables import ENTRY, PLACE_BITS, capacity, term_keys
from claimlight.engines.postgres.views import Block, View, Views, packed
from claimlight.index.backend import DocumentFacts, Ids, Leg, PassageRows, SectionRows, SparseRows

_FAN = 8
"""Fragments of a size that are merged into one; a posting is written log8(block / batch) times more."""
_PURGE_SHARE = 0.4
"""Share of removed parts at which a full block is written again without them."""
_PURGE_TERMS = 20_000
"""Postings read at once while a block is purged."""

_HEAD = np.dtype(
    [
        *(("fields", ">i2"), ("term_size", ">i4"), ("term", ">i8"), ("place_size", ">i4"), ("place", ">i4")),
        ("size", ">i4"),
    ]
)
"""What precedes the entries in a tuple of COPY."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Entries of new parts, sorted by term."""

    terms: Ids
    rows: Ids
    """Row of the part among the new ones."""
    values: NDArray[np.float32]

    @classmethod
    def of(cls, passages: PassageRows) -> Postings:
        """The entries of both legs."""
        centers, words = _sorted(Leg.CENTERS, passages.centers), _sorted(Leg.WORDS, passages.words)
        return cls(
            np.concatenate([centers.terms, words.terms]),
            np.concatenate([centers.rows, words.rows]),
            np.concatenate([centers.values, words.values]),
        )

    def within(self, begin: int, end: int) -> Postings:
        """Those of rows from ``begin`` to ``end``, which are counted from ``begin``."""
        some = (self.rows >= begin) & (self.rows < end)
        if some.all() and not begin:
            return self
        return Postings(self.terms[some], self.rows[some] - begin, self.values[some])


def _sorted(leg: Leg, rows: SparseRows) -> Postings:
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), np.diff(rows.offsets))
    order = np.argsort(rows.indices, kind="stable")
    return Postings(term_keys(leg, rows.indices[order]), owner[order], rows.values[order])


@dataclass(frozen=True, slots=True, eq=False)
class _Slots:
    """Where some of the new rows go."""

    begin: int
    end: int
    block: int
    first: int


class Writer:
    """Changes an index within a transaction that holds the lock of its writers."""

    def __init__(self, session: Session) -> None:
        """Waits for the other writers."""
        self._session = session
        self.version, self._next_block = session.row("SELECT version, next_block FROM state FOR UPDATE")
        """Version of the index before the changes."""
        self._facts = False

    def finish(self) -> None:
        """Let the changes be seen from the commit on."""
        self._session.run(
            "UPDATE state SET version = %s, next_block = %s, facts_version = CASE WHEN %s THEN %s ELSE"
            " facts_version END",
            *(self.version + 1, self._next_block, self._facts, self.version + 1),
        )

    def store_facts(self, facts: Mapping[int, DocumentFacts]) -> None:
        """Replace the facts of documents."""
        self.remove_facts(list(facts))
        self._session.copy(
            "facts",
            ("int8", "int4", "int8", "text[]"),
            ((number, it.published, it.family, list(it.classes)) for number, it in facts.items()),
        )

    def remove_facts(self, documents: list[int]) -> None:
        """Remove the facts of documents."""
        self._facts = True
        self._session.run("DELETE FROM facts WHERE document = ANY(%s::bigint[])", documents)

    def remove(self, view: View, rows: NDArray[np.bool_], *, sections: bool) -> None:
        """Mark rows of a view, which is that of the version, as removed."""
        for place, block in enumerate(view.blocks):
            some = rows[view.rows(place)] & block.live
            if some.any():
                gone = ~block.live | some
                self._session.run(
                    "UPDATE block SET gone = %b, removed = %s, changed = %s"
                    " WHERE sections = %s AND block = %s",
                    *(packed(gone), int(gone.sum()), self.version + 1, sections, block.number),
                )

    def append_sections(self, rows: SectionRows) -> None:
        """Append sections."""
        for slots in self._slots(len(rows.parts), sections=True):
            some = slice(slots.begin, slots.end)
            vectors = rows.vectors[some].astype("<f4", copy=False).tobytes()
            self._append(slots, rows.parts[some], rows.claims[some], vectors, sections=True)

    def append_passages(self, parts: Ids, claims: NDArray[np.bool_], postings: Postings) -> None:
        """Append pieces of passages."""
        for slots in self._slots(len(parts), sections=False):
            some = slice(slots.begin, slots.end)
            self._append(slots, parts[some], claims[some], b"", sections=False)
            self._store(postings.within(slots.begin, slots.end), slots)

    def _append(
        self, slots: _Slots, parts: Ids, claims: NDArray[np.bool_], vectors: bytes, *, sections: bool
    ) -> None:
        self._session.run(
            "INSERT INTO fragment VALUES (%s, %s, %s, %s, %b, %b, %b)",
            *(sections, slots.block, slots.first, len(parts)),
            *(parts.astype("<i8").tobytes(), claims.astype(np.bool_).tobytes(), vectors),
        )

    def _store(self, postings: Postings, slots: _Slots) -> None:
        if not len(postings.terms):
            return
        entries = np.empty(len(postings.rows), ENTRY)
        entries["slot"] = postings.rows + slots.first
        entries["value"] = postings.values
        begins = np.flatnonzero(np.diff(postings.terms, prepend=-1))
        place = slots.block << PLACE_BITS | slots.first
        self._session.copy_tuples("posting", _tuples(postings.terms[begins], place, begins, entries))

    def _slots(self, many: int, *, sections: bool) -> Iterator[_Slots]:
        """Slots for new rows: the free ones of the last block, then new blocks."""
        most, done = capacity(sections=sections), 0
        last = self._session.rows(
            "SELECT block, filled FROM block WHERE sections = %s ORDER BY block DESC LIMIT 1", sections
        )
        block, filled = last[0] if last else (-1, most)
        while done < many:
            if filled == most:
                block, filled = self._next_block, 0
                self._next_block += 1
                self._session.run("INSERT INTO block VALUES (%s, %s, 0, 0, -1, '')", sections, block)
            some = min(many - done, most - filled)
            yield _Slots(done, done + some, block, filled)
            done, filled = done + some, filled + some
            self._session.run(
                "UPDATE block SET filled = %s WHERE sections = %s AND block = %s", filled, sections, block
            )

    def untidy(self) -> bool:
        """Whether there are fragments to merge, or a block to purge."""
        return any(self._to_merge(sections=kind) or self._to_purge(sections=kind) for kind in (True, False))

    def tidy(self, views: Views, dim: int) -> None:
        """Merge fragments, purge one block of each kind, and remove those without parts.

        What searches find stays the same.
        """
        purged = False
        for kind in (True, False):
            self._merge_all(sections=kind)
            numbers = self._to_purge(sections=kind)
            if not numbers:
                continue
            view = views.at(self._session, self.version, sections=kind)
            blocks = [block for block in view.blocks if block.number in numbers]
            left = [block for block in blocks if block.live.any()]
            # Those without parts go first: one of them may have room, where what is left would be appended.
            for block in (*(block for block in blocks if not block.live.any()), *left[:1]):
                self._purge(block, sections=kind, dim=dim)
            self._merge_all(sections=kind)
            purged = True
        if purged:
            self.finish()

    def _to_purge(self, *, sections: bool) -> list[int]:
        """Full blocks with many removed parts, and blocks without another."""
        most = capacity(sections=sections)
        found = self._session.rows(
            "SELECT block FROM block WHERE sections = %s AND removed > 0"
            " AND (removed = filled OR filled = %s AND removed >= %s)",
            *(sections, most, int(most * _PURGE_SHARE)),
        )
        return [block for (block,) in found]

    def _to_merge(self, *, sections: bool) -> dict[int, list[tuple[int, int]]]:
        """First slots and numbers of slots of the fragments to merge, by their block."""
        found = self._session.rows(
            "SELECT block, array_agg(first ORDER BY first), array_agg(filled ORDER BY first) FROM fragment"
            " WHERE sections = %s GROUP BY block HAVING count(*) > 1",
            sections,
        )
        most = capacity(sections=sections)
        runs = {
            block: list(zip(firsts, sizes, strict=True))[len(sizes) - run_to_merge(sizes, most) :]
            for block, firsts, sizes in found
        }
        return {block: run for block, run in runs.items() if run}

    def _merge_all(self, *, sections: bool) -> None:
        for block, run in self._to_merge(sections=sections).items():
            self._merge(block, run[0][0], sum(run[-1]), sections=sections)

    def _merge(self, block: int, first: int, end: int, *, sections: bool) -> None:
        """Merge the fragments of the slots from ``first`` to ``end``; the server joins their bytes."""
        self._session.run(
            "WITH old AS (DELETE FROM fragment WHERE sections = %s AND block = %s AND first >= %s"
            " RETURNING *) INSERT INTO fragment SELECT sections, block, min(first), sum(filled),"
            " string_agg(parts, '' ORDER BY first), string_agg(claims, '' ORDER BY first),"
            " string_agg(vectors, '' ORDER BY first) FROM old GROUP BY sections, block",
            *(sections, block, first),
        )
        if not sections:
            place = block << PLACE_BITS
            self._session.run("SET LOCAL work_mem = '64MB'")
            self._session.run(
                "WITH old AS (DELETE FROM posting WHERE place >= %s AND place < %s RETURNING *)"
                " INSERT INTO posting SELECT term, %s, string_agg(entries, '' ORDER BY place) FROM old"
                " GROUP BY term",
                *(place + first, place + end, place + first),
            )

    def _purge(self, block: Block, *, sections: bool, dim: int) -> None:
        """Move what is left of a block to the end of the index, and remove the block."""
        session, kept = self._session, np.flatnonzero(block.live)
        parts, claims = block.parts[kept], block.claims[kept]
        if sections:
            if len(kept):
                found = session.rows(
                    "SELECT vectors FROM fragment WHERE sections AND block = %s ORDER BY first", block.number
                )
                vectors = np.frombuffer(b"".join(some for (some,) in found), "<f4").reshape(-1, dim)
                self.append_sections(SectionRows(parts, claims, vectors[kept]))
        else:
            where = list(self._slots(len(kept), sections=False))
            for slots in where:
                some = slice(slots.begin, slots.end)
                self._append(slots, parts[some], claims[some], b"", sections=False)
            for postings in self._read(block) if len(kept) else ():
                for slots in where:
                    self._store(postings.within(slots.begin, slots.end), slots)
            begin = block.number << PLACE_BITS
            session.run(
                "DELETE FROM posting WHERE place >= %s AND place < %s",
                *(begin, begin + (1 << PLACE_BITS)),
            )
        here = (sections, block.number)
        session.run("DELETE FROM fragment WHERE sections = %s AND block = %s", *here)
        session.run("DELETE FROM block WHERE sections = %s AND block = %s", *here)

    def _read(self, block: Block) -> Iterator[Postings]:
        """The entries of live parts, whose rows are counted among these."""
        rows, last = np.cumsum(block.live) - 1, -1
        begin = block.number << PLACE_BITS
        while True:
            found = self._session.rows(
                "SELECT term, entries FROM posting WHERE place >= %s AND place < %s AND term > %s"
                " ORDER BY term LIMIT %s",
                *(begin, begin + (1 << PLACE_BITS), last, _PURGE_TERMS),
            )
            if not found:
                return
            # A block has been merged when it was filled, so that each term has one posting.
            last = found[-1][0]
            entries = np.frombuffer(b"".join(some for _, some in found), ENTRY)
            terms = np.repeat(
                np.array([term for term, _ in found], np.int64),
                [len(some) // ENTRY.itemsize for _, some in found],
            )
            some = block.live[entries["slot"]]
            yield Postings(terms[some], rows[entries["slot"][some]], entries["value"][some])


def _tuples(terms: Ids, place: int, begins: NDArray[np.intp], entries: NDArray[np.void]) -> bytes:
    """Rows of postings for COPY, whose entries begin at ``begins``.

    Made at once: given one by one to psycopg, they would take longer than the server takes to store them.
    """
    lengths = np.diff(begins, append=len(entries)) * ENTRY.itemsize
    heads = np.empty(len(terms), _HEAD)
    heads["fields"], heads["term_size"], heads["place_size"] = 3, 8, 4
    heads["term"], heads["place"], heads["size"] = terms, place, lengths
    starts = np.cumsum(lengths + _HEAD.itemsize) - lengths - _HEAD.itemsize
    of_heads = starts[:, np.newaxis] + np.arange(_HEAD.itemsize)
    made = np.empty(len(terms) * _HEAD.itemsize + entries.nbytes, np.uint8)
    of_entries = np.ones(len(made), np.bool_)
    of_entries[of_heads] = False
    made[of_heads] = heads.view(np.uint8).reshape(of_heads.shape)
    made[of_entries] = entries.view(np.uint8)
    return made.tobytes()


def run_to_merge(sizes: list[int], most: int) -> int:
    """How many of the last fragments of a block to merge: all if it is full, or a run of about equal ones.

    Sizes are of a level if they are between two powers of `_FAN`. A run has `_FAN` fragments of its highest
    level, so that a part is written once for each level; smaller ones between them are merged with them.
    """
    if sum(sizes) == most:
        return len(sizes) if len(sizes) > 1 else 0
    bound = _FAN
    while bound <= most * _FAN:
        run = next((back for back, size in enumerate(reversed(sizes)) if size >= bound), len(sizes))
        if sum(size >= bound // _FAN for size in sizes[len(sizes) - run :]) >= _FAN:
            return run
        bound *= _FAN
    return 0
