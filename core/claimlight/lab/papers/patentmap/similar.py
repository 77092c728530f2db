"""More like this: documents by the rarest words of a text, each of four fields scored by BM25.

The fields are title, abstract, claims and description; a field of a document scores as its best passage, and
the fields add up. (Elasticsearch, which the paper asked, scores a whole field and picks words by field.)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from claimlight.retrieval import DocumentFilter, catalogue
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.services.library.library import Library
from claimlight.store.library_tables import Document, Passage
from claimlight.store.tokens import TOKENIZER, quote_phrase
from claimlight.tasks import TaskContext
from claimlight.types import PatentId, Section

WORDS = 25
"""Query words, as many as Elasticsearch uses."""
# FTS5 gives BM25 with the sign turned: the best rank is the smallest.
_SCORES = "SELECT rowid, -rank FROM {table} WHERE {table} MATCH ?"
_FIELDS = 4
_CODES = {Section.TITLE.value: 1, Section.ABSTRACT.value: 1, Section.CLAIMS.value: 2}
_DESCRIPTION = 3
_BATCH = 10_000


class SimilarDocuments:
    """Searches one library in its state at opening."""

    def __init__(self, library: Library, titles: sqlite3.Connection, context: TaskContext) -> None:
        self._store = library.store
        self._titles = titles
        self._context = context
        self._catalogue = catalogue.load(library.store, context)
        self._everything = DocumentFilter.of(self._catalogue)
        self._words = Bm25Retriever(library.store, terms=WORDS)
        self._passages, self._codes = _fields(library, context)

    @classmethod
    @contextmanager
    def open(cls, library: Library, context: TaskContext) -> Iterator[SimilarDocuments]:
        """Titles have a full-text index of their own, in memory, for as long as this is open."""
        with closing(sqlite3.connect(":memory:")) as titles:
            titles.execute(f"CREATE VIRTUAL TABLE title USING fts5(text, tokenize='{TOKENIZER}')")
            with library.store.read(context) as connection:
                rows = connection.execute(select(Document.id, Document.title))
                titles.executemany("INSERT INTO title(rowid, text) VALUES (?, ?)", map(tuple, rows))
            yield cls(library, titles, context)

    def best(self, text: str, *, without: Collection[PatentId]) -> Iterator[PatentId]:
        """Documents like a text, best first, ties by id, none of ``without``."""
        scores = self.scores(text)
        scores[self._catalogue.rows(np.array(sorted(without), dtype=np.int64))] = 0.0
        order = np.argsort(-scores, kind="stable")
        for patent in self._catalogue.ids[order[scores[order] > 0.0]].tolist():
            yield PatentId(patent)

    def scores(self, text: str) -> NDArray[np.float64]:
        """[documents], in the order of their ids; 0 for those without any of the words."""
        fields = np.zeros((len(self._catalogue), _FIELDS))
        words = self._words.words(text, self._everything)
        if words:
            match = " OR ".join(map(quote_phrase, words))
            titles, scores = _query_rows(self._titles.cursor(), "title", match)
            fields[self._catalogue.rows(titles), 0] = scores
            with self._store.read(self._context) as connection:
                passages, scores = _query_rows(connection.connection.cursor(), "passage_fts", match)
            rows = self._catalogue.rows(self._catalogue.documents_of(passages))
            codes = self._codes[np.searchsorted(self._passages, passages)]
            # -1: a passage that the catalogue doesn't have, such as one imported since.
            known = rows >= 0
            # ``maximum.at``, as several passages are of one field of a document.
            np.maximum.at(fields, (rows[known], codes[known]), scores[known])
        total: NDArray[np.float64] = fields.sum(axis=1)
        return total


def _query_rows(cursor: Any, table: str, match: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Row ids and scores."""
    rows = cursor.execute(_SCORES.format(table=table), (match,)).fetchall()
    return (
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.float64),
    )


def _fields(library: Library, context: TaskContext) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All passages, ascending, and which field each belongs to."""
    ids: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    codes: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    query = select(Passage.id, Passage.section).order_by(Passage.id)
    with library.store.read(context) as connection:
        for rows in connection.execute(query).partitions(_BATCH):
            context.check()
            ids.append(np.array([row[0] for row in rows], dtype=np.int64))
            codes.append(np.array([_CODES.get(row[1], _DESCRIPTION) for row in rows], dtype=np.int64))
    return np.concatenate(ids), np.concatenate(codes)
