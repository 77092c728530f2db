"""The words of a library as they are written: kept beside the stems, in columns that are fields.

`passage_words` has a row for each passage (title ``ti``, abstract ``ab``, claims ``clm``, description
``de``), `party_words` one for each name (applicants and assignees ``aa``, inventors ``inv``). Both hold
words only; the text stays where it is.
"""

from __future__ import annotations

from sqlalchemy import Connection

PARTY_ROWS = 1 << 20
"""Row of a name in `party_words`: its document times this, plus its position."""

_ADD_PASSAGES = """INSERT INTO passage_words (rowid, ti, ab, clm, de)
    SELECT id, ti, ab, clm, de FROM passage_columns WHERE id >= ? AND id < ?"""
_DROP_PASSAGES = """INSERT INTO passage_words (passage_words, rowid, ti, ab, clm, de)
    SELECT 'delete', id, ti, ab, clm, de FROM passage_columns WHERE id >= ? AND id < ?"""
_ADD_PARTIES = """INSERT INTO party_words (rowid, aa, inv)
    SELECT id, aa, inv FROM party_columns WHERE document_id >= ? AND document_id < ?"""
_DROP_PARTIES = """INSERT INTO party_words (party_words, rowid, aa, inv)
    SELECT 'delete', id, aa, inv FROM party_columns WHERE document_id = ?"""


def add_words(connection: Connection, *, documents: range, passages: range) -> None:
    """Take in the words of rows that were just written."""
    connection.exec_driver_sql(_ADD_PASSAGES, (passages.start, passages.stop))
    connection.exec_driver_sql(_ADD_PARTIES, (documents.start, documents.stop))


def drop_words(connection: Connection, document: int, *, passages: range) -> None:
    """Forget the words of a document whose rows are about to be deleted."""
    connection.exec_driver_sql(_DROP_PASSAGES, (passages.start, passages.stop))
    connection.exec_driver_sql(_DROP_PARTIES, (document,))
