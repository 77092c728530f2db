"""BM25 over the full text: the most distinctive words of the query, documents by their best passage."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from claimlight.retrieval.base import Ranking, RetrievalQuery, empty_ranking, rank_by_best_part
from claimlight.retrieval.boolean.wildcards import parse_patterns, spell_head
from claimlight.retrieval.catalogue import Catalogue, DocumentFilter
from claimlight.retrieval.passage_scores import LEAST_PASSAGES, score_passages
from claimlight.store.fulltext import count_passages_by_term
from claimlight.store.store import Store
from claimlight.store.tokens import tokenize
from claimlight.tasks import TaskContext
from claimlight.text.words import CLAIM_WORDS, query_words
from claimlight.types import Ranker

MAX_POSTINGS = 120_000
"""Limit for the matches of all query words together."""
MIN_TERMS = 6
"""Number of words that are searched regardless of their frequency."""
_MOST_SPELLINGS = 64
_NUMERAL = re.compile(r"\d+[a-z]?")


class Bm25Retriever:
    """Ranks by the BM25 scores of SQLite's FTS5 (see `claimlight.retrieval.passage_scores`)."""

    leg = Ranker.BM25

    def __init__(
        self, store: Store, *, terms: int, postings: int = MAX_POSTINGS, least: int = LEAST_PASSAGES
    ) -> None:
        self._store = store
        self._terms = terms
        self._postings = postings
        self._least = least

    def rank(
        self, query: RetrievalQuery, *, allowed: DocumentFilter, depth: int, context: TaskContext
    ) -> Ranking:
        words = self.words(query.text, allowed)
        if not words or not allowed.count:
            return empty_ranking(self.leg)
        passages, scores = score_passages(self._store, words, context=context, least=self._least)
        context.check()
        patents = allowed.catalogue.documents_of(passages)
        kept = np.flatnonzero(allowed.keep(patents))
        return rank_by_best_part(self.leg, patents[kept], scores[kept], depth=depth, passages=passages[kept])

    def words(self, text: str, allowed: DocumentFilter) -> list[str]:
        """See `choose_words`."""

        def count(words: Iterable[str]) -> dict[str, int]:
            return count_passages_by_term(self._store, words)

        return choose_words(text, allowed.catalogue, count, terms=self._terms, postings=self._postings)


def choose_words(
    text: str,
    catalogue: Catalogue,
    count: Callable[[Iterable[str]], dict[str, int]],
    *,
    terms: int,
    postings: int = MAX_POSTINGS,
) -> list[str]:
    """Choose the query words: one per stem, by tf-idf, without reference numerals, at most ``terms``.

    Words that would exceed ``postings`` matches in all are skipped, except among the first `MIN_TERMS`.
    ``count`` gives the number of passages with each word.
    """
    counts = Counter(
        word.casefold()
        for word in query_words(text)
        if word.casefold() not in CLAIM_WORDS and not _NUMERAL.fullmatch(word)
    )
    if not counts:
        counts = Counter(word.casefold() for word in query_words(text))
    frequency = count(counts)
    others = {
        other: many
        for word, many in counts.items()
        # Of a plain word that the library has, other spellings are not tried.
        if not (word.isascii() and frequency[word])
        for other in _find_other_spellings(word)
        if other not in counts
    }
    counts.update(others)
    frequency |= count(others)
    total = max(int(catalogue.passages.sum()), 1)
    telling = {
        word: (1 + math.log(many))
        # "1 +" keeps the weight of words in more than half of the passages above 0.
        * math.log(1 + (total - frequency[word] + 0.5) / (frequency[word] + 0.5))
        for word, many in counts.items()
        if frequency[word] > 0
    }
    ordered = sorted(telling, key=lambda word: (-telling[word], word))
    chosen: dict[tuple[str, ...], str] = {}
    matches = 0
    for word, stems in zip(ordered, tokenize(ordered), strict=True):
        if len(chosen) == terms:
            break
        affordable = matches + frequency[word] <= postings or len(chosen) < MIN_TERMS
        if stems not in chosen and affordable:
            chosen[stems] = word
            matches += frequency[word]
    return list(chosen.values())


def _find_other_spellings(word: str) -> list[str]:
    """Other spellings of a word: ``Stoßdämpfer``, ``stossdaempfer``."""
    try:
        (pattern,) = parse_patterns(word)
    except ValueError:  # no letter, or several words
        return []
    return spell_head(pattern)[:_MOST_SPELLINGS]
