"""The full text of a library, in its file or on a server: rows that a query means, and the words there are.

Rows are passages by their id, and names by their document times `PARTY_ROWS` plus their position. SQLite
decides every query; a server may leave rows open, whose texts then have to be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Protocol

from sqlalchemy import Connection

from claimlight.store.database import is_shared
from claimlight.store.found_rows import LAST, NO_ROWS, FoundRows, IndexedWord, Rows, read_listed
from claimlight.store.text_query import TextQuery, TextTable, write_fts5


class TextIndex(Protocol):
    """The full text as one connection sees it."""

    @property
    def most_open(self) -> int | None:
        """Rows of one query whose texts may be read; None for any number."""
        ...

    def find(self, table: TextTable, query: TextQuery) -> FoundRows:
        """The rows that a query means."""
        ...

    def find_documents(self, table: TextTable, query: TextQuery) -> Rows | None:
        """The documents with a row that a query means, possibly twice; None if only the rows can say."""
        ...

    def count_words(self, table: TextTable, words: Iterable[str]) -> list[IndexedWord]:
        """Those of some words that the library has."""
        ...

    def words_from(self, table: TextTable, begin: str, most: int | None = None) -> list[IndexedWord]:
        """The words with a beginning; with ``most``, only the most frequent ones, in that order."""
        ...

    def words_like(self, table: TextTable, like: str) -> list[IndexedWord] | None:
        """The words that a pattern of SQL's LIKE fits; None if only a list of all words can say."""
        ...

    def all_words(self, table: TextTable) -> list[IndexedWord]:
        """Every word."""
        ...


def open_text_index(connection: Connection) -> TextIndex:
    """The full text of the library that a connection reads."""
    if is_shared(connection):
        from claimlight.store.postgres.text_index import PostgresTextIndex

        return PostgresTextIndex(connection)
    return Fts5TextIndex(connection)


class Fts5TextIndex:
    """The full text of a library's file."""

    most_open = None

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, table: TextTable, query: TextQuery) -> FoundRows:
        written = write_fts5(query, table)
        if not written:
            return FoundRows(NO_ROWS)
        # One long text is read much faster than many rows: the row objects cost more than the search.
        asked = f"SELECT group_concat(rowid) FROM {table} WHERE {table} MATCH ?"  # noqa: S608 - ours
        listed = self._connection.connection.cursor().execute(asked, (written,)).fetchone()[0]
        return FoundRows(read_listed(listed))

    def find_documents(self, table: TextTable, query: TextQuery) -> Rows | None:
        # FTS5 has its rows in lists, which are read as quickly as those of documents would be.
        del table, query
        return None

    def count_words(self, table: TextTable, words: Iterable[str]) -> list[IndexedWord]:
        asked = f"{_vocabulary(table)} WHERE term IN (SELECT value FROM json_each(?))"  # noqa: S608
        return self._read(asked, json.dumps(list(words)))

    def words_from(self, table: TextTable, begin: str, most: int | None = None) -> list[IndexedWord]:
        # Up to the highest code point: all words with this beginning, by the order of the index.
        asked = f"{_vocabulary(table)} WHERE term >= ? AND term < ?"
        if most is None:
            return self._read(asked, begin, begin + LAST)
        return self._read(f"{asked} ORDER BY doc DESC, term LIMIT ?", begin, begin + LAST, most)

    def words_like(self, table: TextTable, like: str) -> list[IndexedWord] | None:
        # FTS5 walks the rows of each word to count them; a list of all words is kept instead.
        del table, like
        return None

    def all_words(self, table: TextTable) -> list[IndexedWord]:
        return self._read(_vocabulary(table))

    def _read(self, query: str, *values: object) -> list[IndexedWord]:
        return [IndexedWord(row[0], row[1]) for row in self._connection.exec_driver_sql(query, values)]


def _vocabulary(table: TextTable) -> str:
    return f"SELECT term, doc FROM {table}_vocab"  # noqa: S608 - one of two tables of ours
