"""Documents by dates, classes and numbers: plain SQL on indexed columns."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from claimlight.retrieval.boolean.field_values import EVER, SymbolKey, parse_symbol
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.nodes import ClassRange, DayRange, Number
from claimlight.store.database import among, execute_plain
from claimlight.store.publication_keys import application_key, parse_publication, publication_key

Rows = NDArray[np.int64]
_LAST = "\U0010ffff"
_DAY_COLUMN = {Field.PUBLISHED: "published", Field.FILED: "filed", Field.PRIORITY: "priority"}


def look_up(connection: Connection, leaf: DayRange | ClassRange | Number) -> Rows:
    """Ids of the matching documents, in any order, possibly with duplicates."""
    if isinstance(leaf, DayRange):
        return _find_by_day(connection, leaf)
    return (
        _find_by_class(connection, leaf)
        if isinstance(leaf, ClassRange)
        else _find_by_number(connection, leaf)
    )


def holds(connection: Connection, leaf: DayRange | ClassRange | Number, document: int) -> bool:
    """Whether a document matches a term."""
    if isinstance(leaf, Number):
        return document in _find_by_number(connection, leaf)
    if isinstance(leaf, ClassRange):
        query = "SELECT symbol FROM class_symbol WHERE document_id = ? AND scheme = ?"
        rows = connection.exec_driver_sql(query, (document, leaf.field.value)).all()
        return any(in_range(row[0], leaf) for row in rows)
    column = _DAY_COLUMN[leaf.field]
    query = f"SELECT {column} FROM document WHERE id = ?"  # noqa: S608 - a column of ours
    day = connection.exec_driver_sql(query, (document,)).scalar()
    return day is not None and (leaf.first <= day <= leaf.last) != leaf.outside


def _read_ids(connection: Connection, query: str, values: tuple[object, ...]) -> Rows:
    return np.fromiter((row[0] for row in execute_plain(connection, query, values)), np.int64)


def _find_by_day(connection: Connection, leaf: DayRange) -> Rows:
    """A document without the date matches no range, negated or not."""
    column = _DAY_COLUMN[leaf.field]
    asked = f"SELECT id FROM document WHERE {column}"  # noqa: S608 - a column of ours
    # Two ranges, which use the index of the column; a negated BETWEEN would read the whole table.
    if leaf.outside:
        below = _read_ids(connection, f"{asked} < ?", (leaf.first,))
        return np.concatenate([below, _read_ids(connection, f"{asked} > ?", (leaf.last,))])
    return _read_ids(connection, f"{asked} BETWEEN ? AND ?", (max(leaf.first, EVER[0]), leaf.last))


def _find_by_class(connection: Connection, leaf: ClassRange) -> Rows:
    scheme = leaf.field.value
    begin, end = _span(leaf)
    if leaf.exact:
        query = "SELECT document_id FROM class_symbol WHERE scheme = ? AND symbol = ?"
        return _read_ids(connection, query, (scheme, leaf.first))
    query = "SELECT DISTINCT symbol FROM class_symbol WHERE scheme = ? AND symbol >= ? AND symbol < ?"
    rows = connection.exec_driver_sql(query, (scheme, begin, end)).all()
    # Ranges follow the scheme, not the alphabet: 9/00 comes before 10/00.
    held = [row[0] for row in rows if in_range(row[0], leaf)]
    return find_by_symbols(connection, leaf.field, held)


def find_by_symbols(connection: Connection, field: Field, symbols: Iterable[str]) -> Rows:
    """Ids of the documents with at least one of the symbols, in any order, possibly with duplicates."""
    held, values = among(connection, symbols)
    query = f"SELECT document_id FROM class_symbol WHERE scheme = ? AND symbol {held}"  # noqa: S608
    return _read_ids(connection, query, (field.value, values))


def has_symbol(connection: Connection, field: Field, symbols: Iterable[str], document: int) -> bool:
    """Whether a document has at least one of the symbols."""
    query = "SELECT symbol FROM class_symbol WHERE document_id = ? AND scheme = ?"
    rows = connection.exec_driver_sql(query, (document, field.value)).all()
    return not {row[0] for row in rows}.isdisjoint(symbols)


def _span(leaf: ClassRange) -> tuple[str, str]:
    """Half-open range of the database index that contains the symbols of a term."""
    if leaf.last:
        return leaf.first.split(" ")[0], leaf.last.split(" ")[0] + _LAST
    begin = _beginning(leaf)
    return begin, begin + _LAST


def _beginning(leaf: ClassRange) -> str:
    """Common prefix of a symbol and those below it; of a truncated one, the prefix as written."""
    head, _, subgroup = leaf.first.partition("/")
    if leaf.truncated:
        # "/00" is added when a symbol is read: H04L9$ means every main group that begins with 9.
        return leaf.first if " " in leaf.first and subgroup != "00" else head
    if " " in leaf.first and subgroup == "00":
        return f"{head}/"
    return leaf.first


def in_range(symbol: str, leaf: ClassRange) -> bool:
    """Whether a stored symbol matches a term."""
    if leaf.exact:
        return symbol == leaf.first
    if not leaf.last:
        begin = _beginning(leaf)
        whole = leaf.truncated or " " not in begin or begin.endswith("/")
        # A subgroup is that symbol alone: the dot hierarchy of the scheme is not in the library.
        return symbol.startswith(begin) if whole else symbol == begin
    key, low, high = parse_symbol(symbol), parse_symbol(leaf.first), parse_symbol(leaf.last)
    if key is None or low is None or high is None:
        return False
    return low <= key and (key <= high or _below(key, high))


def _below(key: SymbolKey, upper: SymbolKey) -> bool:
    """Whether a symbol is below another: in its subclass or main group, or a longer subgroup."""
    if upper.group < 0:
        return key.subclass.startswith(upper.subclass)
    same_group = (key.subclass, key.group) == (upper.subclass, upper.group)
    return same_group and key.subgroup.startswith(upper.subgroup)


def _find_by_number(connection: Connection, leaf: Number) -> Rows:
    publication = leaf.field is Field.PUBLICATION
    found = [np.empty(0, np.int64)]
    for country, number in _split_country(connection, leaf):
        if publication:
            found.append(_find_publication(connection, country, number, leaf))
        else:
            key = application_key(country, number)
            if key:
                found.append(_find_by_key(connection, "application_key", key, truncated=leaf.truncated))
    return np.concatenate(found)


def _split_country(connection: Connection, leaf: Number) -> Iterable[tuple[str, str]]:
    """Country and number; a number without a country is tried with each country in the library.

    ``EP$`` is every publication of an office.
    """
    value = leaf.value
    if value[:2].isalpha() and (len(value) > 2 or (len(value) == 2 and leaf.truncated)):
        return [(value[:2], value[2:])]
    column = "country" if leaf.field is Field.PUBLICATION else "application_country"
    rows = connection.exec_driver_sql(f"SELECT DISTINCT {column} FROM document").all()  # noqa: S608
    return [(row[0], value) for row in rows]


def _find_publication(connection: Connection, country: str, number: str, leaf: Number) -> Rows:
    if leaf.truncated:
        return _find_by_key(connection, "number_key", publication_key(country, number), truncated=True)
    wanted = parse_publication(country + number)
    if wanted is None:
        return np.empty(0, np.int64)
    key = publication_key(wanted.country, wanted.number)
    # A number without a kind code means all its publications.
    query = "SELECT id FROM document WHERE number_key = ? AND (kind = ? OR ? = '')"
    return _read_ids(connection, query, (key, wanted.kind, wanted.kind))


def _find_by_key(connection: Connection, column: str, key: str, *, truncated: bool) -> Rows:
    asked = f"SELECT id FROM document WHERE {column}"  # noqa: S608 - a column of ours
    if truncated:
        return _read_ids(connection, f"{asked} >= ? AND {column} < ?", (key, key + _LAST))
    return _read_ids(connection, f"{asked} = ?", (key,))
