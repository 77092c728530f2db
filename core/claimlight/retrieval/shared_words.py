"""BM25 of a shared library: the same words as in a folder's, ranked by the engine.

Parts hold the saturation of each stem in a passage, the query its idf, so a score is that of FTS5. A word
that the tokeniser cuts in several, such as *l'arbre* or a pair of Chinese characters, is a phrase in the
library of a folder; here its rarest stem is searched instead of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from claimlight.index.backend import Leg, SparseVector, WordStatistics, documents_of, passage_offsets
from claimlight.index.engine_search import EngineSearch, name_few
from claimlight.retrieval.base import Ranking, RetrievalQuery, empty_ranking, rank_by_best_part
from claimlight.retrieval.bm25 import MAX_POSTINGS, choose_words
from claimlight.retrieval.catalogue import DocumentFilter
from claimlight.retrieval.passage_scores import find_idf
from claimlight.store.store import Store
from claimlight.store.tokens import tokenize
from claimlight.tasks import TaskContext
from claimlight.types import Ranker


@dataclass(frozen=True, slots=True, eq=False)
class EngineWords:
    """The words of a shared library: the engine that ranks by them, and their numbers in the database."""

    engine: EngineSearch
    statistics: WordStatistics


class StoredStatistics:
    """The numbers in the database of a shared library; see `WordStatistics`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, stems: Sequence[str]) -> tuple[Mapping[str, tuple[int, int]], int]:
        """See `WordStatistics.read`."""
        from claimlight.store.postgres.stems import read_statistics

        return read_statistics(self._store, stems)


class SharedBm25Retriever:
    """Ranks by the words of a shared library."""

    leg = Ranker.BM25

    def __init__(self, words: EngineWords, *, terms: int, postings: int = MAX_POSTINGS) -> None:
        self._words = words
        self._terms = terms
        self._postings = postings

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        asked = self._ask_for(query.text, allowed) if allowed.count else None
        if asked is None:
            return empty_ranking(self.leg)
        context.check()
        found = self._words.engine.best_parts(
            Leg.WORDS,
            asked,
            depth=depth,
            # Documents that are not in the index have words too.
            keep=allowed.keep,
            conditions=allowed.implied,
            only=name_few(allowed.ids, len(allowed.catalogue)),
        )
        context.check()
        documents = documents_of(found.parts)
        first = allowed.catalogue.first_passage[allowed.catalogue.rows(documents)]
        passages = first + passage_offsets(found.parts)
        return rank_by_best_part(self.leg, documents, found.scores, depth=depth, passages=passages)

    def _ask_for(self, text: str, allowed: DocumentFilter) -> SparseVector | None:
        """The idf of the chosen words, by their stems; None if the library has none of them."""
        known: dict[str, tuple[int, int]] = {}
        total = 0

        def count(words: Iterable[str]) -> dict[str, int]:
            nonlocal total
            wanted = list(dict.fromkeys(words))
            cut = tokenize(wanted)
            missing = sorted({stem for stems in cut for stem in stems} - known.keys())
            if missing:
                found, total = self._words.statistics.read(missing)
                known.update(dict.fromkeys(missing, (0, 0)) | dict(found))
            return {
                word: min((known[stem][1] for stem in stems), default=0)
                for word, stems in zip(wanted, cut, strict=True)
            }

        words = choose_words(text, allowed.catalogue, count, terms=self._terms, postings=self._postings)
        rarest = {min(stems, key=lambda stem: (known[stem][1], stem)) for stems in tokenize(words) if stems}
        if not rarest:
            return None
        chosen = sorted(known[stem] for stem in rarest)
        return SparseVector(
            np.array([number for number, _ in chosen], dtype=np.int64),
            np.array([find_idf(total, many) for _, many in chosen], dtype=np.float32),
        )
