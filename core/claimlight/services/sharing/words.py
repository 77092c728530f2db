"""The BM25 vectors of passages for the engine: stems as FTS5 counts them, under the numbers of the database.

    tf * (k1 + 1) / (tf + k1 * (1 - b + b * words / average))

The idf is left to the query, and the average to the schema: neither changes with each document.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from claimlight.index.backend import IndexSchema, SparseRows
from claimlight.retrieval.passage_scores import K1, B
from claimlight.retrieval.word_lists import UnreadableListsError, WordLists
from claimlight.services.sharing.parts import PassageWords
from claimlight.store import Store
from claimlight.store.postgres.words import PassageStems, number_stems
from claimlight.text.folding import fold_to_words


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage that is to be found by its words."""

    document: int
    """Shared id of its document."""
    offset: int
    """Its place in the document."""
    text: str


def average_words(store: Store) -> float:
    """Words of a passage of a library's file on average, as FTS5 counts them; 1 for one without passages."""
    with store.read() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        try:
            lists = WordLists(driver, "passage_fts")
        except UnreadableListsError:
            texts = connection.exec_driver_sql("SELECT text FROM passage").scalars()
            sizes = [len(fold_to_words(text)) for text in texts]
            return max(sum(sizes) / max(len(sizes), 1), 1.0)
        return max(lists.words / max(lists.passages, 1), 1.0)


def weigh_texts(store: Store, passages: Sequence[PassageText], schema: IndexSchema) -> PassageWords:
    """The vectors of passages, by document and place; new stems get numbers in the shared library.

    Passages without a word are left out.
    """
    ordered = sorted(passages, key=lambda passage: (passage.document, passage.offset))
    # In a transaction of its own: nobody may wait long for a new stem of another batch.
    with store.write() as connection:
        stems = number_stems(connection, [passage.text for passage in ordered])
    words = PassageWords(
        np.array([passage.document for passage in ordered], dtype=np.int64),
        np.array([passage.offset for passage in ordered], dtype=np.int64),
        _weigh(stems, schema.average_words),
    )
    return words.keep(np.diff(stems.offsets) > 0)


def _weigh(stems: PassageStems, average: float) -> SparseRows:
    often = stems.counts.astype(np.float64)
    lengths = np.repeat(stems.lengths / average, np.diff(stems.offsets))
    weights = often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * lengths))
    return SparseRows(stems.offsets, stems.stems, weights.astype(np.float32))
