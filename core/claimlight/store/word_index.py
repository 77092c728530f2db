"""The unstemmed words of a library, indexed beside the stems, in columns that are query fields.

`passage_words` has a row for each passage (title ``ti``, abstract ``ab``, claims ``clm``, description
``de``), `party_words` one for each name (applicants and assignees ``aa``, inventors ``inv``). Both hold
words only; the text stays where it is.

FTS5 cuts some texts into other words than a reader does: scripts without blanks, sub- and superscripts,
full-width forms. For those, ``passage_form`` and ``party_form`` hold the text that FTS5 indexes instead
(`claimlight.text.folding.write_indexed_form`).
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from claimlight.text.folding import write_indexed_form

PARTY_ROWS = 1 << 20
"""Row of a name in `party_words`: its document times this, plus its position."""

_ADD_STEMS = """INSERT INTO passage_fts (rowid, text)
    SELECT id, text FROM passage_text WHERE id >= ? AND id < ?"""
_DROP_STEMS = """INSERT INTO passage_fts (passage_fts, rowid, text)
    SELECT 'delete', id, text FROM passage_text WHERE id >= ? AND id < ?"""
_ADD_PASSAGES = """INSERT INTO passage_words (rowid, ti, ab, clm, de)
    SELECT id, ti, ab, clm, de FROM passage_columns WHERE id >= ? AND id < ?"""
_DROP_PASSAGES = """INSERT INTO passage_words (passage_words, rowid, ti, ab, clm, de)
    SELECT 'delete', id, ti, ab, clm, de FROM passage_columns WHERE id >= ? AND id < ?"""
_ADD_PARTIES = """INSERT INTO party_words (rowid, aa, inv)
    SELECT id, aa, inv FROM party_columns WHERE document_id >= ? AND document_id < ?"""
_DROP_PARTIES = """INSERT INTO party_words (party_words, rowid, aa, inv)
    SELECT 'delete', id, aa, inv FROM party_columns WHERE document_id = ?"""
_NAMES = f"""SELECT document_id * {PARTY_ROWS} + position, name FROM party
    WHERE document_id >= ? AND document_id < ?"""  # noqa: S608 - a number of ours


def add_words(
    connection: Connection, *, documents: range, passages: range, texts: Iterable[tuple[int, str]]
) -> None:
    """Index the words of rows just written; ``texts`` are those of the passages, by id."""
    run = connection.exec_driver_sql
    # Forms first: the views that the statements below read prefer them to the text.
    write_forms(connection, "passage_form", texts)
    names = run(_NAMES, (documents.start, documents.stop)).all()
    write_forms(connection, "party_form", ((row[0], row[1]) for row in names))
    run(_ADD_STEMS, (passages.start, passages.stop))
    run(_ADD_PASSAGES, (passages.start, passages.stop))
    run(_ADD_PARTIES, (documents.start, documents.stop))


def drop_words(connection: Connection, document: int, *, passages: range) -> None:
    """Remove the words of a document before its rows are deleted: FTS5 needs the old text for that."""
    run = connection.exec_driver_sql
    run(_DROP_STEMS, (passages.start, passages.stop))
    run(_DROP_PASSAGES, (passages.start, passages.stop))
    run(_DROP_PARTIES, (document,))
    # Forms last: FTS5 had to be given the words that it indexed, and those came from the forms.
    run("DELETE FROM passage_form WHERE id >= ? AND id < ?", (passages.start, passages.stop))
    run(
        "DELETE FROM party_form WHERE id >= ? AND id < ?",
        (document * PARTY_ROWS, (document + 1) * PARTY_ROWS),
    )


def write_forms(connection: Connection, table: str, texts: Iterable[tuple[int, str]]) -> None:
    """Store the indexed form of the texts that have one, by id, in ``passage_form`` or ``party_form``."""
    forms = [(number, form) for number, text in texts if (form := write_indexed_form(text)) is not None]
    if forms:
        query = f"INSERT INTO {table} (id, text) VALUES (?, ?)"  # noqa: S608 - one of two tables of ours
        connection.connection.cursor().executemany(query, forms)
