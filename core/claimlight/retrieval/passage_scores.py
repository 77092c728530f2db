"""BM25 of the passages that have some words, as FTS5 computes it, without asking FTS5 for every row.

FTS5 decodes the length of each row that it scores and walks the lists of all words twice. Here the lists are
read from its own tables (`claimlight.retrieval.word_lists`), the lengths once for each library, and the parts
are added in FTS5's order: the scores are those of its ``rank`` to the last bit. In a small library, and where
its tables are not as known, FTS5 is asked.
"""

from __future__ import annotations

import logging
import math
import sqlite3
from collections.abc import Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from claimlight.retrieval.passage_lengths import PassageLengths
from claimlight.retrieval.word_lists import UnreadableListsError, WordLists
from claimlight.store.store import Store
from claimlight.store.tokens import quote_phrase, tokenize
from claimlight.tasks import TaskContext

Scored = tuple[NDArray[np.int64], NDArray[np.float64]]

LEAST_PASSAGES = 20_000
"""Below that many passages FTS5 is asked, which takes less time than loading the compiled loops."""
K1, B = 1.2, 0.75
_LEAST_IDF = 1e-6
_TABLE = "passage_fts"
# Without ORDER BY and LIMIT the query takes half the time, and no group of ties is cut off.
_RANKS = f"SELECT rowid, -rank FROM {_TABLE} WHERE {_TABLE} MATCH ?"  # noqa: S608 - a table of ours
_LOG = logging.getLogger(__name__)
_lengths: WeakKeyDictionary[Store, tuple[int, PassageLengths]] = WeakKeyDictionary()
"""Lengths of the passages of each open library, and the version of its schema that they were read with."""
_lengths_lock = Lock()


def score_passages(
    store: Store, words: Sequence[str], *, context: TaskContext, least: int = LEAST_PASSAGES
) -> Scored:
    """The passages that have one of the words in any of its stemmed forms, ascending, and their scores.

    A word that the tokeniser cuts in several is a phrase. ``least`` as `LEAST_PASSAGES`.
    """
    with store.read(context) as connection:
        # The first statement begins the transaction: all others see the same state of the tables.
        (schema,) = connection.exec_driver_sql("PRAGMA schema_version").one()
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        try:
            lists = WordLists(driver, _TABLE)
            if lists.passages >= least:
                lengths = _read_lengths(store, schema, driver)
                return score_by_lists(driver, words, lists=lists, lengths=lengths, context=context)
        except UnreadableListsError as error:
            _LOG.warning("Keywords are ranked by FTS5, which is slower: %s", error)
        return ask_ranks(driver, words)


def ask_ranks(connection: sqlite3.Connection, words: Sequence[str]) -> Scored:
    """As `score_passages`, by FTS5 itself."""
    match = " OR ".join(filter(None, map(quote_phrase, words)))
    found = connection.execute(_RANKS, (match,)).fetchall() if match else []
    passages = np.array([row[0] for row in found], dtype=np.int64)
    return passages, np.array([row[1] for row in found], dtype=np.float64)


def _read_lengths(store: Store, schema: int, connection: sqlite3.Connection) -> PassageLengths:
    with _lengths_lock:
        before = _lengths.get(store)
        # A migration may index the same passages in another way.
        known = before[1] if before is not None and before[0] == schema else PassageLengths.empty()
        lengths = known.update(connection, _TABLE)
        _lengths[store] = schema, lengths
    return lengths


def score_by_lists(
    connection: sqlite3.Connection,
    words: Sequence[str],
    *,
    lists: WordLists,
    lengths: PassageLengths,
    context: TaskContext,
) -> Scored:
    """As `score_passages`, from the tables of FTS5; `UnreadableListsError` if they are not as known."""
    from claimlight.retrieval.word_kernels import add_up

    # What FTS5 would be asked for is cut, not the words themselves.
    terms = tokenize(quote_phrase(word).strip('"') for word in words)
    found = iter(lists.read([parts[0] for parts in terms if len(parts) == 1]))
    context.check()
    rows: list[NDArray[np.int64]] = []
    parts: list[NDArray[np.float64]] = []
    idf: list[float] = []
    for word, stems in zip(words, terms, strict=True):
        if len(stems) == 1:
            item = next(found)
            rows.append(item.passages)
            parts.append(item.counts.astype(np.float64))
            idf.append(find_idf(lists.passages, len(item)))
        elif stems:
            # Alone, the score of a phrase is exactly its part of the sum.
            passages, alone = ask_ranks(connection, [word])
            order = np.argsort(passages)
            rows.append(passages[order])
            parts.append(alone[order])
            idf.append(0.0)
    bounds = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(item) for item in rows], out=bounds[1:])
    passages, scores = np.empty(bounds[-1], np.int64), np.empty(bounds[-1], np.float64)
    count = add_up(
        np.concatenate(rows) if rows else passages,
        np.concatenate(parts) if rows else scores,
        bounds,
        np.array(idf, dtype=np.float64),
        lengths.chunks,
        lengths.lengths,
        lists.words / lists.passages,
        K1,
        B,
        passages,
        scores,
    )
    if count < 0:
        raise UnreadableListsError("A list names a passage without a length.")
    return passages[:count], scores[:count]


def find_idf(passages: int, matches: int) -> float:
    """FTS5's weight of a word; with its floor, a word in half of the passages weighs next to nothing."""
    idf = math.log((passages - matches + 0.5) / (matches + 0.5)) if passages > matches else 0.0
    return idf if idf > 0.0 else _LEAST_IDF
