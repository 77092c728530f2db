"""Search in the titles of an edition.

Words are folded and stemmed as the full text of a library is. Every word has to occur in the title of an
entry or in those above it; a word of its own title counts `_OWN` times as much as one of the path (BM25 with
weights).
"""

from __future__ import annotations

import sqlite3
from typing import Any

from claimlight.classes.edition_file import EditionFile
from claimlight.classes.tree import COLUMNS, DEPTHS, make_entry, read_path
from claimlight.errors import InputError
from claimlight.tasks import TaskContext
from claimlight.text.folding import fold_to_words
from claimlight.text.words import FUNCTION_WORDS
from claimlight.types import ClassHit, ClassHits, ClassLevel

_OWN, _PATH = 8.0, 1.0
_MOST_WORDS = 200
"""Words of the titles that a truncated word stands for; of more, the first in the alphabet."""
_TRUNCATED = ("*", "$")


def search_titles(
    file: EditionFile,
    text: str,
    context: TaskContext,
    *,
    level: ClassLevel | None = None,
    below: str = "",
    top: int = 20,
) -> ClassHits:
    """The entries whose titles contain all the words, best first; if there is none, some of the words.

    ``weld*`` and ``weld$`` are words that begin so. ``level`` keeps the entries of one level, ``below`` those
    of a symbol's subtree. `InputError` if the text has no word to search for.
    """
    with file.read(context) as connection:
        words = _read_words(connection, text)
        if not words:
            raise InputError(f"{text.strip() or 'An empty text'} has no word to search for.")
        rows = _find(connection, " AND ".join(words), level, below, top)
        partial = not rows and len(words) > 1
        if partial:
            rows = _find(connection, " OR ".join(words), level, below, top)
        scheme = file.edition.scheme
        hits = tuple(
            ClassHit(make_entry(row[:-1], scheme), read_path(connection, row[0], scheme), -row[-1])
            for row in rows
        )
    return ClassHits(file.edition, hits, partial=partial and bool(hits))


def _read_words(connection: sqlite3.Connection, text: str) -> list[str]:
    """Each word as an expression of FTS5; function words only if there are no others."""
    found: dict[str, str] = {}
    for part in text.split():
        words = fold_to_words(part)
        for number, word in enumerate(words, 1):
            if number == len(words) and part.endswith(_TRUNCATED):
                found[f"{word}*"] = _expand(connection, word)
            else:
                found[word] = f'"{word}"'
    plain = [expression for word, expression in found.items() if word not in FUNCTION_WORDS]
    return plain or list(found.values())


def _expand(connection: sqlite3.Connection, beginning: str) -> str:
    """The words of the titles that begin so: the index has stems, so a prefix of it would miss some."""
    rows = connection.execute(
        "SELECT word FROM word WHERE word >= ? AND word < ? ORDER BY word LIMIT ?",
        (beginning, f"{beginning}\U0010ffff", _MOST_WORDS),
    )
    return "({})".format(" OR ".join(f'"{row[0]}"' for row in rows) or f'"{beginning}"')


def _find(
    connection: sqlite3.Connection, expression: str, level: ClassLevel | None, below: str, top: int
) -> list[tuple[Any, ...]]:
    conditions, values = "", list[object]()
    if level is not None:
        sign = ">=" if level is ClassLevel.SUBGROUP else "="
        conditions += f" AND e.depth {sign} ?"
        values.append(DEPTHS[level])
    if below:
        conditions += """ AND e.id BETWEEN (SELECT id FROM entry WHERE symbol = ?)
            AND (SELECT last FROM entry WHERE symbol = ?)"""
        values += [below, below]
    # Ties in the order of the scheme. The columns are read for the best alone.
    query = f"""SELECT {COLUMNS}, best.score FROM (
            SELECT e.id, bm25(title_words, {_OWN}, {_PATH}) AS score
            FROM title_words JOIN entry e ON e.id = title_words.rowid
            WHERE title_words MATCH ?{conditions} ORDER BY score, e.id LIMIT ?) best
        JOIN entry e ON e.id = best.id ORDER BY best.score, e.id"""  # noqa: S608
    return connection.execute(query, (expression, *values, top)).fetchall()
