"""The full text of a shared library: queries as ``tsquery``, words by their counts.

A query is written twice for each kind of rows: for the rows that certainly match, and for those that may
(`Bounds`). They differ only for phrases and nearness in rows without the places of their words, for two words
far apart, and for beginnings too long for an index; where they are the same, PostgreSQL decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import ClientCursor
from sqlalchemy import Connection

from claimlight.store.database import mark_for_driver
from claimlight.store.found_rows import LAST, NO_ROWS, FoundRows, IndexedWord, Rows, read_listed
from claimlight.store.postgres.database import driver_connection
from claimlight.store.postgres.vectors import COLUMNS, KEY_LETTERS, KINDS, RowKind, make_key, quote
from claimlight.store.postgres.words import NUMBERS, TABLES
from claimlight.store.text_query import (
    All,
    Held,
    Near,
    Run,
    Some,
    TextQuery,
    TextTable,
    Without,
    Words,
)

MOST_OPEN = 200_000
"""Rows of one query whose texts may be read."""
_MOST_BETWEEN = 12
"""Words between two near words that PostgreSQL is asked for: it tries each distance."""
# The words are stored beside the table, which makes reading all of it look cheap, and it is not. Of more rows
# of a list than fit into the memory, PostgreSQL would look at each again.
_ASK = """SELECT set_config('enable_seqscan', 'off', true), set_config('work_mem', '64MB', true);
    {};
    SELECT set_config('enable_seqscan', 'on', true)"""
"""The three statements go to the server together."""
_COUNTS = "SELECT coalesce(whole, word), rows FROM word_form WHERE tbl = ?"


@dataclass(frozen=True, slots=True)
class Bounds:
    """A query as ``tsquery`` for one kind of rows; None for no rows."""

    low: str | None
    """Its rows match."""
    high: str | None
    """All rows that match are of its rows."""


class PostgresTextIndex:
    """The full text of a shared library as one connection sees it."""

    most_open = MOST_OPEN

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, table: TextTable, query: TextQuery) -> FoundRows:
        parts: list[str] = []
        values: list[object] = []
        for kind in KINDS[table]:
            self._add_parts(parts, values, TABLES[table], kind, query)
        return self._ask(parts, values)

    def _add_parts(
        self, parts: list[str], values: list[object], name: str, kind: RowKind, query: TextQuery
    ) -> None:
        """Add the statements for one kind of rows, and their values."""
        at_places = write_bounds(query, kind, placed=True)
        anywhere = write_bounds(query, kind, placed=False)
        if anywhere.high is None:
            return
        # The kind is written out: it names the index.
        head = f"SELECT row_id, {{}} AS sure FROM {name} WHERE kind = {kind}"  # noqa: S608 - ours
        for bounds, condition in (
            ((at_places, ""),)
            if at_places == anywhere
            else ((at_places, " AND placed"), (anywhere, " AND NOT placed"))
        ):
            if bounds.high is None:
                continue
            if bounds.low is None or bounds.low == bounds.high:
                parts.append(
                    head.format(str(bounds.low is not None)) + f"{condition} AND words @@ ?::tsquery"
                )
                values.append(bounds.high)
            else:
                parts.append(head.format("words @@ ?::tsquery") + f"{condition} AND words @@ ?::tsquery")
                values += [bounds.low, bounds.high]
        parts.append(head.format("false") + " AND words IS NULL")

    def _ask(self, parts: Sequence[str], values: Sequence[object]) -> FoundRows:
        if not parts:
            return FoundRows(NO_ROWS)
        query = f"""SELECT string_agg(row_id::text, ',') FILTER (WHERE sure),
            string_agg(row_id::text, ',') FILTER (WHERE NOT sure)
            FROM ({" UNION ALL ".join(parts)}) AS rows"""  # noqa: S608 - statements of ours
        # Statements can only go together if the driver writes their values into them.
        with ClientCursor(driver_connection(self._connection)) as cursor:
            cursor.execute(mark_for_driver(_ASK.format(query)), tuple(values))
            cursor.nextset()
            row = cursor.fetchone()
        assert row  # an aggregate has one row
        return FoundRows(read_listed(row[0]), read_listed(row[1]))

    def find_documents(self, table: TextTable, query: TextQuery) -> Rows | None:
        if table is not TextTable.PASSAGES or not _asks_for_words(query):
            return None
        parts, values = [], []
        for kind in KINDS[table]:
            bounds = write_bounds(query, kind, placed=False)
            if bounds.low != bounds.high:
                return None
            if bounds.high is not None:
                parts.append(
                    f"SELECT document_id AS row_id, true AS sure FROM document_vector "  # noqa: S608
                    f"WHERE kind = {kind} AND words @@ ?::tsquery"
                )
                values.append(bounds.high)
        return self._ask(parts, values).sure

    def find_stems(self, terms: Sequence[Sequence[str]]) -> FoundRows:
        """The passages with all of some terms; a term of several stems is a phrase."""
        wanted = sorted({make_key(stem) for term in terms for stem in term})
        forms: dict[str, list[str]] = {stem: [] for stem in wanted}
        query = "SELECT stem, word FROM word_form WHERE tbl = 0 AND stem = ANY(?)"
        for stem, word in self._connection.exec_driver_sql(query, (wanted,)):
            forms[stem].append(word)
        if not terms or not all(forms.values()):
            return FoundRows(NO_ROWS)
        written = [[_either(forms[make_key(stem)], "") for stem in term] for term in terms]
        places = _all([_follow(stems) for stems in written])
        anywhere = _all([_all(stems) for stems in written])
        parts, values = [], []
        for kind in KINDS[TextTable.PASSAGES]:
            head = f"SELECT row_id, {{}} AS sure FROM passage_vector WHERE kind = {kind}"  # noqa: S608
            parts.append(head.format("true") + " AND placed AND words @@ ?::tsquery")
            parts.append(head.format(str(places == anywhere)) + " AND NOT placed AND words @@ ?::tsquery")
            parts.append(head.format("false") + " AND words IS NULL")
            values += [places, anywhere]
        return self._ask(parts, values)

    def count_words(self, table: TextTable, words: Iterable[str]) -> list[IndexedWord]:
        keys = [make_key(word) for word in words]
        return self._read(f"{_COUNTS} AND word = ANY(?)", NUMBERS[table], keys)

    def words_from(self, table: TextTable, begin: str, most: int | None = None) -> list[IndexedWord]:
        key = begin[:KEY_LETTERS]
        query = f"{_COUNTS} AND word >= ? AND word < ?"
        values: list[object] = [NUMBERS[table], key, key + LAST]
        if len(begin) > len(key):
            query += " AND starts_with(coalesce(whole, word), ?)"
            values.append(begin)
        if most is not None:
            query += " ORDER BY rows DESC, word LIMIT ?"
            values.append(most)
        return self._read(query, *values)

    def words_like(self, table: TextTable, like: str) -> list[IndexedWord] | None:
        return self._read(f"{_COUNTS} AND coalesce(whole, word) LIKE ?", NUMBERS[table], like)

    def all_words(self, table: TextTable) -> list[IndexedWord]:
        return self._read(_COUNTS, NUMBERS[table])

    def _read(self, query: str, *values: object) -> list[IndexedWord]:
        return [IndexedWord(row[0], row[1]) for row in self._connection.exec_driver_sql(query, values)]


def write_bounds(query: TextQuery, kind: RowKind, *, placed: bool) -> Bounds:
    """A query for rows of one kind, with or without the places of their words."""
    if isinstance(query, Held):
        found = [_write_held(query.words, weight) for weight in _weights(query.columns, kind)]
        return _any_bounds(found)
    if isinstance(query, Run):
        return _any_bounds(
            [_write_run(query.parts, weight, placed=placed) for weight in _each_weight(query.columns, kind)]
        )
    if isinstance(query, Near):
        return _any_bounds(
            [_write_near(query, weight, placed=placed) for weight in _each_weight(query.columns, kind)]
        )
    if isinstance(query, Without):
        left = write_bounds(query.left, kind, placed=placed)
        right = write_bounds(query.right, kind, placed=placed)
        return Bounds(_without(left.low, right.high), _without(left.high, right.low))
    parts = [write_bounds(part, kind, placed=placed) for part in query.parts]
    return _all_bounds(parts) if isinstance(query, All) else _any_bounds(parts)


def _asks_for_words(query: TextQuery) -> bool:
    """Whether a document matches if it has one of some words anywhere in some columns."""
    return isinstance(query, Held) or (isinstance(query, Some) and all(map(_asks_for_words, query.parts)))


def _weights(columns: tuple[str, ...], kind: RowKind) -> tuple[str, ...]:
    """Weights of the words of some columns, in rows of one kind; one empty weight means any."""
    own = COLUMNS[kind]
    found = tuple(own[column] for column in columns if column in own)
    return ("",) if len(found) == len(own) else found


def _each_weight(columns: tuple[str, ...], kind: RowKind) -> tuple[str, ...]:
    """As `_weights`, with the columns apart: no phrase goes from the title on into the abstract."""
    own = COLUMNS[kind]
    return tuple(own[column] for column in columns if column in own)


def _write_held(words: Words, weight: str) -> Bounds:
    """One of the words."""
    if not words.begins:
        written = _either([make_key(word) for word in words.words], weight)
        return Bounds(written, written)
    short = [word for word in words.words if len(word) <= KEY_LETTERS]
    high = _either([word[:KEY_LETTERS] for word in words.words], f"*{weight}")
    return Bounds(_either(short, f"*{weight}") if short else None, high)


def _write_run(parts: tuple[Words, ...], weight: str, *, placed: bool) -> Bounds:
    each = [_write_held(part, weight) for part in parts]
    if not placed:
        return Bounds(None, _all_bounds(each).high)
    low, high = [part.low for part in each], [part.high for part in each]
    return Bounds(
        None if None in low else _follow([part for part in low if part is not None]),
        None if None in high else _follow([part for part in high if part is not None]),
    )


def _write_near(query: Near, weight: str, *, placed: bool) -> Bounds:
    one, other = (_write_held(Words((word,)), weight) for word in (query.one, query.other))
    both = _all_bounds([one, other])
    # Of a word and itself, one occurrence is enough.
    if query.one == query.other or not placed or query.between > _MOST_BETWEEN:
        return both if query.one == query.other else Bounds(None, both.high)
    orders = ((one.high, other.high), (other.high, one.high))
    steps = range(1, query.between + 2)
    written = _any([f"({first} <{step}> {then})" for first, then in orders for step in steps])
    return Bounds(written, written)


def _any_bounds(parts: Sequence[Bounds]) -> Bounds:
    return Bounds(_any([part.low for part in parts]), _any([part.high for part in parts]))


def _all_bounds(parts: Sequence[Bounds]) -> Bounds:
    return Bounds(_all([part.low for part in parts]), _all([part.high for part in parts]))


def _either(keys: Sequence[str], mark: str) -> str:
    written = [f"{quote(key)}:{mark}" if mark else quote(key) for key in keys]
    return written[0] if len(written) == 1 else f"({' | '.join(written)})"


def _follow(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({' <-> '.join(parts)})"


def _any(parts: Sequence[str | None]) -> str | None:
    known = list(dict.fromkeys(part for part in parts if part is not None))
    if not known:
        return None
    return known[0] if len(known) == 1 else f"({' | '.join(known)})"


def _all(parts: Sequence[str | None]) -> str | None:
    known = list(dict.fromkeys(part for part in parts if part is not None))
    if len(known) < len(set(parts)) or not known:
        return None
    return known[0] if len(known) == 1 else f"({' & '.join(known)})"


def _without(left: str | None, right: str | None) -> str | None:
    return left if left is None or right is None else f"({left} & !{right})"
