"""Scores of a query, computed by the client from the postings and vectors of the server."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from claimlight.engines.postgres.sessions import Session
from claimlight.engines.postgres.tables import ENTRY, PLACE_BITS, term_keys
from claimlight.engines.postgres.views import Block, View
from claimlight.index.backend import Leg, SparseVector

_TERMS = 64
"""Terms of a query in one statement: the time of each is limited, and the server holds its whole answer."""
_FEW = 16
"""Vectors are fetched one by one if fewer than one in this many of a block is asked for."""


def sparse_scores(session: Session, view: View, leg: Leg, asked: SparseVector) -> NDArray[np.float64]:
    """[rows of the view] sums of products in float64; 0 for a part that shares no index with the query."""
    scores = np.zeros(len(view.parts))
    places = {block.number: place for place, block in enumerate(view.blocks)}
    keys = term_keys(leg, asked.indices)
    for begin in range(0, len(keys), _TERMS):
        terms, worths = keys[begin : begin + _TERMS], asked.values[begin : begin + _TERMS]
        found = session.rows(
            "SELECT place >> %s, string_agg(int8send(term), ''),"
            " string_agg(int4send(octet_length(entries)), ''), string_agg(entries, '')"
            " FROM posting WHERE term = ANY(%s::bigint[]) GROUP BY 1",
            PLACE_BITS,
            terms.tolist(),
        )
        for number, met, lengths, joined in found:
            rows = view.rows(places[number])
            entries = np.frombuffer(joined, ENTRY)
            worth = worths[np.searchsorted(terms, np.frombuffer(met, ">i8"))].astype(np.float64)
            worth = np.repeat(worth, np.frombuffer(lengths, ">i4") // ENTRY.itemsize)
            worth *= entries["value"]
            scores[rows] += np.bincount(entries["slot"], worth, minlength=rows.stop - rows.start)
    return scores


class SectionVectors:
    """The vectors of blocks, kept up to a number of bytes; threads may share it.

    What does not fit is fetched for each search. Nothing is put out for it, because a search reads every
    block, so that the one put out would be the next one wanted.
    """

    def __init__(self, dim: int, most_bytes: int) -> None:
        self._dim, self._most = dim, most_bytes
        self._kept: dict[int, NDArray[np.float32]] = {}
        self._lock = Lock()

    def scores(
        self, session: Session, view: View, asked: NDArray[np.float32], passing: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], bool]:
        """[rows of the view] products with the query, right for ``passing`` rows; whether for all."""
        scores, whole = np.zeros(len(view.parts)), True
        query = asked.astype(np.float32)
        with self._lock:
            for gone in self._kept.keys() - {block.number for block in view.blocks}:
                del self._kept[gone]
        for place, block in enumerate(view.blocks):
            rows = view.rows(place)
            wanted = np.flatnonzero(passing[rows])
            if not len(wanted):
                whole = False
                continue
            kept = self._kept.get(block.number)
            if (kept is None or len(kept) < block.filled) and len(wanted) * _FEW < block.filled:
                scores[rows.start + wanted] = self._some(session, block, wanted) @ query
                whole = False
            else:
                scores[rows] = self._all(session, block, kept) @ query
        return scores, whole

    def _all(self, session: Session, block: Block, kept: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """[filled, dim]."""
        have = 0 if kept is None else len(kept)
        if kept is not None and have >= block.filled:
            return kept[: block.filled]
        fresh = session.rows(
            "SELECT substring(vectors FROM 1 + %s * greatest(0, %s - first)) FROM fragment"
            " WHERE sections AND block = %s AND first + filled > %s ORDER BY first",
            *(self._dim * 4, have, block.number, have),
        )
        arrays = [np.frombuffer(some, "<f4").reshape(-1, self._dim) for (some,) in fresh]
        vectors = np.concatenate([*([] if kept is None else [kept]), *arrays])
        with self._lock:
            others = sum(array.nbytes for number, array in self._kept.items() if number != block.number)
            if others + vectors.nbytes <= self._most:
                self._kept[block.number] = vectors
        return vectors

    def _some(self, session: Session, block: Block, slots: NDArray[np.intp]) -> NDArray[np.float32]:
        """[slots, dim]."""
        size = self._dim * 4
        found = session.rows(
            "SELECT string_agg(substring(vectors FROM 1 + %s * (slot - first) FOR %s), '' ORDER BY slot)"
            " FROM unnest(%s::integer[]) slot JOIN fragment"
            " ON sections AND block = %s AND slot >= first AND slot < first + filled",
            *(size, size, slots.tolist(), block.number),
        )
        return np.frombuffer(found[0][0], "<f4").reshape(-1, self._dim)
