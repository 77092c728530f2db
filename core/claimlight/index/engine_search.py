"""Searches of an engine that answer for documents: rounds until enough of them are found.

An engine ranks parts and gives a limited number of them; a ranking of documents by their best part needs as
many parts as it takes. Later rounds leave out the documents of earlier ones, so a round gives the best parts
of the documents that are left, and the rounds together give what one search without a limit would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import EngineError, ShortfallError
from claimlight.index.backend import (
    ALL,
    Found,
    Ids,
    IndexBackend,
    IndexSchema,
    Leg,
    PartFilter,
    SparseVector,
    documents_of,
)

FEW = 50_000
"""Documents that are named to the engine, at most; of more, those that are not allowed are dropped here."""
_NAMED = 5_000
"""Documents named in one search."""
_FIRST = {Leg.DENSE: 3, Leg.CENTERS: 4, Leg.WORDS: 4}
"""Parts that are asked for at first, for each wanted document; a document has at most three sections."""
_LEAST = 64
_REST = 2.0
"""Seconds for which an engine that did not answer is not asked again: the other rankers need not wait too."""

Keep = Callable[[Ids], NDArray[np.bool_]]
Vector = NDArray[np.float32] | SparseVector


def name_few(held: Ids, of: int) -> Ids | None:
    """Documents to be named to an engine: those that are allowed, if they are few of ``of``; else None.

    Of most of the library, it is less to drop those that are not allowed.
    """
    few = len(held) <= FEW and 2 * len(held) < of
    return held if few or not len(held) else None


class EngineSearch:
    """Searches one index of an engine; threads may share it."""

    def __init__(self, backend: IndexBackend, schema: IndexSchema) -> None:
        self._backend = backend
        self._schema = schema
        self._lock = Lock()
        self._open = False
        self._gone: tuple[float, EngineError] | None = None

    @property
    def most(self) -> int:
        """The largest number of parts of one search."""
        return self._backend.most

    def best_parts(
        self,
        leg: Leg,
        vector: Vector,
        *,
        depth: int,
        keep: Keep,
        conditions: PartFilter = ALL,
        only: Ids | None = None,
    ) -> Found:
        """Parts of the ``depth`` best documents at least, or of all there are, best first (ties: lower id).

        ``keep`` says which documents count; they meet the ``conditions``. With ``only`` (ascending) they are
        among these, and the engine is given their names. Of a document that is found, its best part is
        there; others may be missing.
        """
        wanted = [conditions]
        if only is not None:
            cut = range(0, len(only), _NAMED)
            wanted = [PartFilter(documents=only[at : at + _NAMED], claims=conditions.claims) for at in cut]
        found = [self._collect(leg, vector, depth, keep, each) for each in wanted]
        parts = np.concatenate([np.empty(0, dtype=np.int64), *(item.parts for item in found)])
        scores = np.concatenate([np.empty(0), *(item.scores for item in found)])
        order = np.lexsort((parts, -scores))
        return Found(parts[order], scores[order])

    def parts_above(self, leg: Leg, vector: Vector, *, least: float, keep: Keep, documents: int) -> Found:
        """Parts that have ``least`` or more: at least one of every document with such a part.

        The rounds end when more than ``documents`` are found: the result then has more than these.
        """
        return self._collect(
            leg, vector, documents + 1, keep, ALL, least=least, first=max(_LEAST, documents // 4)
        )

    def sections_of(self, vector: NDArray[np.float32], documents: Ids) -> Found:
        """Every section of some documents (ascending), in no certain order."""
        step = max(min(_NAMED, self.most // _FIRST[Leg.DENSE]), 1)
        found = [
            self.ask(Leg.DENSE, vector, PartFilter(documents=some), _FIRST[Leg.DENSE] * len(some))
            for some in (documents[at : at + step] for at in range(0, len(documents), step))
        ]
        return Found(
            np.concatenate([np.empty(0, dtype=np.int64), *(item.parts for item in found)]),
            np.concatenate([np.empty(0), *(item.scores for item in found)]),
        )

    def ask(self, leg: Leg, vector: Vector, allowed: PartFilter, k: int) -> Found:
        """One search of the engine.

        An engine that did not answer is asked again only after a while; until then its error is raised at
        once.
        """
        self._refuse_if_gone()
        self._ensure()
        with self._noting():
            return self._backend.search(leg, vector, allowed, k)

    def _ensure(self) -> None:
        if self._open:
            return
        with self._lock:
            # Another thread may have waited for the engine in vain meanwhile.
            self._refuse_if_gone()
            if not self._open:
                with self._noting():
                    self._backend.ensure(self._schema)
                self._open = True

    def _refuse_if_gone(self) -> None:
        gone = self._gone
        if gone is not None and monotonic() < gone[0]:
            raise EngineError(str(gone[1]))

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Note that the engine did not answer; a shortfall is an answer."""
        try:
            yield
        except ShortfallError:
            raise
        except EngineError as error:
            self._gone = monotonic() + _REST, error
            raise

    def _collect(
        self,
        leg: Leg,
        vector: Vector,
        depth: int,
        keep: Keep,
        conditions: PartFilter,
        *,
        least: float = -np.inf,
        first: int = 0,
    ) -> Found:
        """Ask in rounds, until ``depth`` documents are found, all are, or scores fall below ``least``."""
        none = np.empty(0, dtype=np.int64)
        seen = none if conditions.without is None else conditions.without
        k = min(self.most, first or max(_LEAST, _FIRST[leg] * depth))
        parts: list[NDArray[np.int64]] = [none]
        scores: list[NDArray[np.float64]] = [np.empty(0)]
        many = 0
        while True:
            allowed = replace(conditions, without=seen if len(seen) else None)
            hits = self.ask(leg, vector, allowed, k)
            documents = documents_of(hits.parts)
            kept = keep(documents) & (hits.scores >= least)
            parts.append(hits.parts[kept])
            scores.append(hits.scores[kept])
            many += len(np.unique(documents[kept]))
            if len(hits) < k or many >= depth or hits.scores[-1] < least:
                return Found(np.concatenate(parts), np.concatenate(scores))
            # Also those that do not count: they would be found again.
            seen = np.union1d(seen, documents)
            k = min(self.most, 2 * k)
