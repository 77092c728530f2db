"""The stems of a shared library: the passages that have them, and what BM25 needs of all passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from sqlalchemy import Connection

from claimlight.store.database import among
from claimlight.store.found_rows import Rows
from claimlight.store.postgres.text_index import PostgresTextIndex
from claimlight.store.postgres.vectors import make_key
from claimlight.store.store import Store
from claimlight.store.tokens import tokenize
from claimlight.tasks import TaskContext

_TOGETHER = 400
"""Texts that are read by one statement."""


def read_stems(store: Store, stems: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The number of each stem that the library has, and of the passages with it."""
    return read_statistics(store, stems)[0]


def read_statistics(store: Store, stems: Iterable[str]) -> tuple[dict[str, tuple[int, int]], int]:
    """See `read_stems`; and the number of all passages of the full text."""
    keys = {make_key(stem): stem for stem in stems}
    query = """SELECT word_total.passages, stem, id, stem.passages
        FROM word_total LEFT JOIN stem ON stem = ANY(?)"""
    with store.read() as connection:
        rows = connection.exec_driver_sql(query, (list(keys),)).all()
    return {keys[row[1]]: (row[2], row[3]) for row in rows if row[1] is not None}, rows[0][0]


def count_indexed_passages(store: Store) -> int:
    """Number of passages of the full text."""
    return _read_total(store)[0]


def average_words(store: Store) -> float:
    """Average words of a passage; 0 without passages."""
    passages, words = _read_total(store)
    return words / passages if passages else 0.0


def find_passages(
    store: Store, terms: Sequence[Sequence[str]], *, context: TaskContext | None = None
) -> Rows:
    """Ids of the passages with all of some terms, ascending; a term of several stems is a phrase."""
    with store.read(context) as connection:
        found = PostgresTextIndex(connection).find_stems(terms)
        read = [
            row
            for start in range(0, len(found.open), _TOGETHER)
            for row in _check_texts(connection, found.open[start : start + _TOGETHER].tolist(), terms)
        ]
    return np.union1d(found.sure, np.array(read, dtype=np.int64))


def _check_texts(connection: Connection, rows: list[int], terms: Sequence[Sequence[str]]) -> list[int]:
    held, values = among(connection, rows)
    query = f"SELECT id, text FROM passage WHERE id {held}"  # noqa: S608
    texts = connection.exec_driver_sql(query, (values,)).all()
    cut = tokenize(row[1] for row in texts)
    return [row[0] for row, stems in zip(texts, cut, strict=True) if all(_has(stems, term) for term in terms)]


def _has(stems: Sequence[str], term: Sequence[str]) -> bool:
    """Whether the stems have those of a term one after the other."""
    many = len(term)
    return any(tuple(stems[at : at + many]) == tuple(term) for at in range(len(stems) - many + 1))


def _read_total(store: Store) -> tuple[int, int]:
    with store.read() as connection:
        row = connection.exec_driver_sql("SELECT passages, words FROM word_total").one()
    return row[0], row[1]
