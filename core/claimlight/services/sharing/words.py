"""The BM25 vectors of passages for the engine: stems as FTS5 counts them, under the numbers of the database.

The idf is left to the query, and the average to the schema: neither changes with each document.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from claimlight.index.backend import IndexSchema
from claimlight.retrieval.word_lists import UnreadableListsError, WordLists
from claimlight.retrieval.word_weights import bm25_rows
from claimlight.services.sharing.parts import PassageWords
from claimlight.store import Store
from claimlight.store import rows as layout
from claimlight.store.postgres.words import CutWords, cut_words, number_stems
from claimlight.store.postgres.writing import Batch, NewIds
from claimlight.text.folding import fold_to_words

_SECTION, _TEXT = (layout.PASSAGE.split(", ").index(name) for name in ("section", "text"))
_PARTY = [table for table, _ in layout.CHILDREN].index("party")


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
        bm25_rows(stems, schema.average_words),
    )
    return words.keep(np.diff(stems.offsets) > 0)


def cut_batch(batch: Batch, ids: Mapping[int, NewIds]) -> CutWords:
    """The words of the documents that get ids, for the full text of the shared library."""
    found = [(item, ids[item.id]) for item in batch.documents if item.id in ids]
    return cut_words(
        (
            (new.document, number, str(row[_SECTION]), str(row[_TEXT]))
            for item, new in found
            for number, row in enumerate(item.passages, new.first_passage)
        ),
        (
            (new.document, int(str(row[0])), str(row[1]), str(row[2]))
            for item, new in found
            for row in item.children[_PARTY]
        ),
    )
