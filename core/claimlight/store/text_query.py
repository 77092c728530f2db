"""What is asked of the full text: words, phrases and nearness in columns, and their combinations.

A query says exactly which rows it means; each database writes it in its own language, and says which of the
rows it could not decide (`claimlight.store.text_index`). `write_fts5` is that of SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class TextTable(StrEnum):
    """The two full texts of unstemmed words, by the names of their tables in SQLite."""

    PASSAGES = "passage_words"
    NAMES = "party_words"

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns, in the order of the table."""
        return ("ti", "ab", "clm", "de") if self is TextTable.PASSAGES else ("aa", "inv")


@dataclass(frozen=True, slots=True)
class Words:
    """Any of some words; at least one."""

    words: tuple[str, ...]
    begins: bool = False
    """Whether all words that begin with one of them are meant."""


@dataclass(frozen=True, slots=True)
class Held:
    """Rows with one of the words in one of the columns."""

    words: Words
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """Rows with consecutive words in one of the columns; two words at least."""

    parts: tuple[Words, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """Rows with two words in one of the columns, in either order, at most some words between them.

    Of a word and itself, one occurrence is enough.
    """

    one: str
    other: str
    between: int
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class All:
    """Rows that all parts mean; two parts at least."""

    parts: tuple[TextQuery, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """Rows that one of the parts means; no parts mean no rows."""

    parts: tuple[TextQuery, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """Rows that the left part means and the right part does not."""

    left: TextQuery
    right: TextQuery


TextQuery = Held | Run | Near | All | Some | Without
NEVER = Some(())
"""No rows."""


def all_of(parts: Iterable[TextQuery]) -> TextQuery:
    """Rows that all of the parts mean; without parts, none."""
    given = tuple(dict.fromkeys(parts))
    if NEVER in given or not given:
        return NEVER
    return given[0] if len(given) == 1 else All(given)


def any_of(parts: Iterable[TextQuery]) -> TextQuery:
    """Rows that one of the parts means."""
    given = tuple(part for part in dict.fromkeys(parts) if part != NEVER)
    return given[0] if len(given) == 1 else Some(given)


def without(left: TextQuery, right: TextQuery) -> TextQuery:
    """Rows that only the left part means."""
    return left if NEVER in (left, right) else Without(left, right)


def write_fts5(query: TextQuery, table: TextTable) -> str:
    """The query in the language of FTS5; empty for no rows.

    Exact but for a `Run` with a choice of words: for that, its words anywhere in the columns.
    """
    if isinstance(query, Held):
        return _in_columns(query.columns, table, _write_words(query.words))
    if isinstance(query, Run):
        if all(len(part.words) == 1 and not part.begins for part in query.parts):
            written = '"' + " ".join(part.words[0] for part in query.parts) + '"'
        else:
            written = " AND ".join(_write_words(part) for part in query.parts)
        return _in_columns(query.columns, table, written)
    if isinstance(query, Near):
        return _in_columns(query.columns, table, f'NEAR("{query.one}" "{query.other}", {query.between})')
    if isinstance(query, Without):
        return f"({write_fts5(query.left, table)} NOT {write_fts5(query.right, table)})"
    joint = " AND " if isinstance(query, All) else " OR "
    return f"({joint.join(write_fts5(part, table) for part in query.parts)})" if query.parts else ""


def _write_words(words: Words) -> str:
    star = " *" if words.begins else ""
    return "(" + " OR ".join(f'"{word}"{star}' for word in words.words) + ")"


def _in_columns(columns: tuple[str, ...], table: TextTable, written: str) -> str:
    bracketed = f"({written})"
    # All columns of the table need no filter.
    return bracketed if len(columns) == len(table.columns) else f"({{{' '.join(columns)}}} : {bracketed})"
