"""Writes the full text of a shared library: rows of words, the words there are, and the stems of BM25.

* ``passage_vector`` and ``name_vector``: the words of each row (`claimlight.store.postgres.vectors`).
* ``document_vector``: the words of all passages of a document.
* ``word_form``: every word of either, its stem, and in how many rows it occurs.
* ``stem``: every stem of the passages, its number in the vectors of the engine, and its passages.
* ``word_total``: how many passages and words there are.

The counts are exact in every snapshot. All writers change the counts of common words, so they would wait for
one another anyway; they take turns by a lock, which a transaction keeps from its first change of a count, and
so never wait for each other in a circle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from claimlight.store.postgres.database import driver_connection
from claimlight.store.postgres.vectors import (
    KINDS,
    RowKind,
    Vector,
    gather_words,
    make_key,
    make_name,
    make_passage,
)
from claimlight.store.text_query import TextTable
from claimlight.store.tokens import stem_words
from claimlight.store.word_index import PARTY_ROWS
from claimlight.text.folding import fold_to_words

TABLES: Mapping[TextTable, str] = {TextTable.PASSAGES: "passage_vector", TextTable.NAMES: "name_vector"}
NUMBERS: Mapping[TextTable, int] = {TextTable.PASSAGES: 0, TextTable.NAMES: 1}
"""``word_form.tbl`` of each table."""
_LOCK = 0x776F7264
"""Number of the advisory lock for the counts."""
_NAMES = "SELECT document_id, position, role, name FROM party WHERE document_id = ANY(?)"
_PASSAGES = "SELECT document_id, id, section, text FROM passage WHERE id >= ? AND id < ? ORDER BY id"
_RANGES = "SELECT first_passage, first_passage + passages FROM document WHERE id = ANY(?) ORDER BY 1"


@dataclass(frozen=True, slots=True, eq=False)
class PassageStems:
    """The stems of passages, one after another."""

    offsets: NDArray[np.int64]
    """[passages + 1]"""
    stems: NDArray[np.int64]
    """Numbers of the stems, ascending and distinct within a passage."""
    counts: NDArray[np.int64]
    """How often each occurs."""
    lengths: NDArray[np.int64]
    """[passages] words of each passage, as FTS5 counts them."""

    def __len__(self) -> int:
        return len(self.lengths)


def create_tables(connection: Connection) -> None:
    """Make the tables of the full text, in a database without them."""
    for statement in _write_schema():
        connection.exec_driver_sql(statement)


def number_stems(connection: Connection, texts: Iterable[str]) -> PassageStems:
    """The stems of passages; those that the library does not have yet get their numbers.

    May be done before the passages are written, in a transaction of its own.
    """
    folded = [Counter(fold_to_words(text)) for text in texts]
    stem_of = _find_stems(word for counts in folded for word in counts)
    numbers = _number(connection, set(stem_of.values()))
    rows: list[tuple[int, int]] = []
    offsets = [0]
    for counts in folded:
        found: Counter[int] = Counter()
        for word, many in counts.items():
            found[numbers[stem_of[word]]] += many
        rows += sorted(found.items())
        offsets.append(len(rows))
    flat = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return PassageStems(
        np.array(offsets, dtype=np.int64),
        flat[:, 0].copy(),
        flat[:, 1].copy(),
        np.array([counts.total() for counts in folded], dtype=np.int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class CutWords:
    """The words of documents, ready to be written: cutting texts takes longer than writing."""

    passages: Mapping[int, Sequence[Vector]]
    """By document."""
    names: Sequence[Vector]
    stem_of: Mapping[str, str]
    """The stem of each word."""


def cut_words(
    passages: Iterable[tuple[int, int, str, str]], names: Iterable[tuple[int, int, str, str]]
) -> CutWords:
    """Cut passages (document, id, section, text) and names (document, position, role, name).

    The passages of a document come one after another.
    """
    by_document = {
        document: [make_passage(number, section, text) for _, number, section, text in rows]
        for document, rows in groupby(passages, itemgetter(0))
    }
    named = (
        make_name(document * PARTY_ROWS + position, role, name) for document, position, role, name in names
    )
    known = [vector for vector in named if vector is not None]
    vectors = chain(*by_document.values(), known)
    return CutWords(by_document, known, _find_stems(word for vector in vectors for word in vector.counts))


def add_words(connection: Connection, documents: Sequence[int]) -> None:
    """Index the words of documents whose rows were written in the same transaction."""
    wanted = list(documents)
    names = connection.exec_driver_sql(_NAMES, (wanted,)).all()
    named = ((row[0], row[1], row[2], row[3]) for row in names)
    write_words(connection, cut_words(_read_passages(connection, wanted), named))


def write_words(connection: Connection, cut: CutWords) -> None:
    """Index words that were cut before, in the transaction that writes their documents."""
    passages = [vector for vectors in cut.passages.values() for vector in vectors]
    _copy(connection, TextTable.PASSAGES, passages)
    _copy(connection, TextTable.NAMES, cut.names)
    _copy_gathered(connection, cut.passages)
    _take_turn(connection)
    _add_forms(connection, TextTable.PASSAGES, passages, cut.stem_of)
    _add_forms(connection, TextTable.NAMES, cut.names, cut.stem_of)
    stems = Counter(stem for vector in passages for stem in {cut.stem_of[word] for word in vector.counts})
    numbers = _number(connection, stems.keys())
    connection.exec_driver_sql(
        "UPDATE stem SET passages = passages + more FROM unnest(?::bigint[], ?::bigint[]) AS given(id, more) "
        "WHERE stem.id = given.id",
        ([numbers[stem] for stem in stems], list(stems.values())),
    )
    _add_total(connection, len(passages), sum(vector.length for vector in passages))


def drop_words(connection: Connection, documents: Sequence[int]) -> None:
    """Remove the words of documents; their rows may be there still, or no longer be needed.

    Call it before the rows of ``document`` are deleted.
    """
    wanted = list(documents)
    _take_turn(connection)
    for first, end in _find_ranges(connection, wanted):
        _drop_rows(connection, TextTable.PASSAGES, first, end)
    for first, end in _join_ranges((document, document + 1) for document in sorted(wanted)):
        _drop_rows(connection, TextTable.NAMES, first * PARTY_ROWS, end * PARTY_ROWS)
    connection.exec_driver_sql("DELETE FROM document_vector WHERE document_id = ANY(?)", (wanted,))


def _write_schema() -> list[str]:
    found = [
        """CREATE TABLE word_form (
            tbl smallint NOT NULL, word text COLLATE "C" NOT NULL, whole text COLLATE "C",
            stem text COLLATE "C" NOT NULL, rows bigint NOT NULL, PRIMARY KEY (tbl, word)
        ) WITH (fillfactor = 70)""",
        "CREATE INDEX word_form_stem ON word_form (stem) WHERE tbl = 0",
        """CREATE TABLE stem (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stem text COLLATE "C" NOT NULL UNIQUE,
            passages bigint NOT NULL
        ) WITH (fillfactor = 70)""",
        "CREATE TABLE word_total (passages bigint NOT NULL, words bigint NOT NULL)",
        "INSERT INTO word_total VALUES (0, 0)",
    ]
    # No primary key: a document with very many words has several rows of a kind.
    found += [
        """CREATE TABLE document_vector (
            document_id bigint NOT NULL, kind smallint NOT NULL, words tsvector NOT NULL
        ) WITH (toast_tuple_target = 128)""",
        "CREATE INDEX document_vector_document ON document_vector (document_id)",
        *_index_words("document_vector", KINDS[TextTable.PASSAGES]),
    ]
    for table, kinds in KINDS.items():
        name = TABLES[table]
        found.append(
            f"""CREATE TABLE {name} (
                row_id bigint PRIMARY KEY, kind smallint NOT NULL, placed boolean NOT NULL,
                length integer NOT NULL, words tsvector, keys text[] COLLATE "C"
            )"""
        )
        found += _index_words(name, kinds)
        found.append(f"CREATE INDEX {name}_large ON {name} (kind) WHERE words IS NULL")
    return found


def _index_words(table: str, kinds: Iterable[RowKind]) -> list[str]:
    return [f"CREATE INDEX {table}_{kind} ON {table} USING gin (words) WHERE kind = {kind}" for kind in kinds]


def _read_passages(connection: Connection, documents: list[int]) -> Iterable[tuple[int, int, str, str]]:
    for first, end in _find_ranges(connection, documents):
        for row in connection.exec_driver_sql(_PASSAGES, (first, end)):
            yield row[0], row[1], row[2], row[3]


def _find_ranges(connection: Connection, documents: list[int]) -> list[tuple[int, int]]:
    """Ranges of the passages of documents."""
    return _join_ranges((row[0], row[1]) for row in connection.exec_driver_sql(_RANGES, (documents,)))


def _join_ranges(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same numbers in as few ranges as possible; ``ranges`` are ascending."""
    found: list[tuple[int, int]] = []
    for first, end in ranges:
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], end)
        else:
            found.append((first, end))
    return found


def _copy(connection: Connection, table: TextTable, vectors: Sequence[Vector]) -> None:
    query = f"COPY {TABLES[table]} (row_id, kind, placed, length, words, keys) FROM STDIN"
    with driver_connection(connection).cursor() as cursor, cursor.copy(query) as copy:
        for vector in vectors:
            keys = [make_key(word) for word in vector.counts] if vector.words is None else None
            # The length is that of FTS5, which BM25 needs.
            copy.write_row((vector.row, int(vector.kind), vector.placed, vector.length, vector.words, keys))


def _copy_gathered(connection: Connection, by_document: Mapping[int, Sequence[Vector]]) -> None:
    query = "COPY document_vector (document_id, kind, words) FROM STDIN"
    with driver_connection(connection).cursor() as cursor, cursor.copy(query) as copy:
        for document, vectors in by_document.items():
            for kind, words in gather_words(vectors):
                copy.write_row((document, int(kind), words))


def _find_stems(words: Iterable[str]) -> dict[str, str]:
    """The stem of each word, as it is stored."""
    return {word: make_key(stem) for word, stem in stem_words(words).items()}


def _take_turn(connection: Connection) -> None:
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(?)", (_LOCK,))


def _add_forms(
    connection: Connection, table: TextTable, vectors: Sequence[Vector], stem_of: Mapping[str, str]
) -> None:
    counts = Counter(word for vector in vectors for word in vector.counts)
    keys = {word: make_key(word) for word in counts}
    connection.exec_driver_sql(
        """INSERT INTO word_form (tbl, word, whole, stem, rows)
            SELECT ?, * FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[])
            ON CONFLICT (tbl, word) DO UPDATE SET rows = word_form.rows + excluded.rows""",
        (
            NUMBERS[table],
            list(keys.values()),
            [None if key == word else word for word, key in keys.items()],
            [stem_of[word] for word in counts],
            list(counts.values()),
        ),
    )


def _number(connection: Connection, stems: Iterable[str]) -> dict[str, int]:
    """The numbers of stems, given if they have none."""
    wanted = sorted(stems)
    run = connection.exec_driver_sql
    query = "SELECT stem, id FROM stem WHERE stem = ANY(?)"
    found = {row[0]: row[1] for row in run(query, (wanted,))}
    missing = [stem for stem in wanted if stem not in found]
    if missing:
        # Only those: each row that is in conflict would use up a number. In order: two that insert the same
        # ones don't wait for each other in a circle.
        run(
            """INSERT INTO stem (stem, passages) SELECT given, 0 FROM unnest(?::text[]) AS given
                ON CONFLICT (stem) DO NOTHING""",
            (missing,),
        )
        found |= {row[0]: row[1] for row in run(query, (missing,))}
    return found


def _drop_rows(connection: Connection, table: TextTable, first: int, end: int) -> None:
    """Delete rows, and subtract their words by what was stored: another program may have cut them."""
    run = connection.exec_driver_sql
    name, number = TABLES[table], NUMBERS[table]
    rows = run(
        f"""DELETE FROM {name} WHERE row_id >= ? AND row_id < ?
            RETURNING length, coalesce(keys, tsvector_to_array(words))""",  # noqa: S608 - a table of ours
        (first, end),
    ).all()
    counts = Counter(key for row in rows for key in row[1])
    changed = run(
        """UPDATE word_form SET rows = rows - less FROM unnest(?::text[], ?::bigint[]) AS given(key, less)
            WHERE tbl = ? AND word = key RETURNING word, stem, rows""",
        (list(counts.keys()), list(counts.values()), number),
    ).all()
    unused = [row[0] for row in changed if row[2] <= 0]
    run("DELETE FROM word_form WHERE tbl = ? AND word = ANY(?) AND rows <= 0", (number, unused))
    if table is TextTable.NAMES:
        return
    stem_of = {row[0]: row[1] for row in changed}
    stems = Counter(stem for row in rows for stem in {stem_of[key] for key in row[1]})
    run(
        """UPDATE stem SET passages = passages - less FROM unnest(?::text[], ?::bigint[]) AS given(key, less)
            WHERE stem = key""",
        (list(stems.keys()), list(stems.values())),
    )
    _add_total(connection, -len(rows), -sum(row[0] for row in rows))


def _add_total(connection: Connection, passages: int, words: int) -> None:
    connection.exec_driver_sql(
        "UPDATE word_total SET passages = passages + ?, words = words + ?", (passages, words)
    )
