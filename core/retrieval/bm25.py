"""BM25 over the full text: the most telling words of the query, documents by their best passage."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np

from core.retrieval.base import Ranking, RetrievalQuery, best_first, nothing
from core.retrieval.catalogue import DocumentFilter
from core.store.fulltext import fts_passages, term_document_frequency, tokenize
from core.store.store import Store
from core.tasks import TaskContext
from core.text.words import CLAIM_WORDS, content_words
from core.types import Leg

_FIRST_LIMIT = 8
"""Passages fetched at first for each document wanted."""
_NUMERAL = re.compile(r"\d+[a-z]?")


class Bm25Retriever:
    """Ranks with the scores of SQLite's FTS5."""

    leg = Leg.BM25

    def __init__(self, store: Store, *, terms: int) -> None:
        self._store = store
        self._terms = terms

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        words = self.words(query.text, allowed)
        if not words or not allowed.count:
            return nothing(self.leg)
        match = " OR ".join(f'"{word}"' for word in words)
        limit = depth * _FIRST_LIMIT
        while True:
            context.check()
            hits = fts_passages(self._store, match, limit, context=context)
            complete = len(hits) < limit
            scores = np.array([hit.score for hit in hits], dtype=np.float64)
            # Of passages that tie with the last one some were cut off: they are no basis for an order.
            whole = np.ones(len(hits), bool) if complete else scores > scores[-1]
            patents = np.array([hit.patent for hit in hits], dtype=np.int64)
            kept = np.flatnonzero(whole & allowed.keep(patents))
            passages = np.array([hit.passage for hit in hits], dtype=np.int64)[kept]
            ranking = best_first(self.leg, patents[kept], scores[kept], depth=depth, passages=passages)
            if complete or len(ranking) >= depth:
                return ranking
            limit *= 8

    def words(self, text: str, allowed: DocumentFilter) -> list[str]:
        """The words asked for: one of each stem, the most telling first, numerals of drawings left out."""
        counts = Counter(
            word.casefold()
            for word in content_words(text)
            if word.casefold() not in CLAIM_WORDS and not _NUMERAL.fullmatch(word)
        )
        if not counts:
            counts = Counter(word.casefold() for word in content_words(text))
        frequency = term_document_frequency(self._store, counts)
        total = max(int(allowed.catalogue.passages.sum()), 1)
        telling = {
            word: (1 + math.log(many))
            * math.log(1 + (total - frequency[word] + 0.5) / (frequency[word] + 0.5))
            for word, many in counts.items()
            if frequency[word] > 0
        }
        ordered = sorted(telling, key=lambda word: (-telling[word], word))
        by_stem: dict[tuple[str, ...], str] = {}
        for word, stems in zip(ordered, tokenize(ordered), strict=True):
            by_stem.setdefault(stems, word)
        return list(by_stem.values())[: self._terms]
