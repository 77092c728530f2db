"""Words as full text sees them: cut, case-folded and freed of diacritics exactly as FTS5's ``unicode61``.

A query is answered by FTS5 where it can be and by looking at the text where it can't; both must mean
the same by a word. The tokeniser treats every character for itself, so each character is shown to FTS5
once and its answer kept: the two can't differ, whatever Unicode tables the SQLite at hand was built with.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass

WORD_TOKENIZER = "unicode61 remove_diacritics 2"
_MARK = "\x01"
"""Stands for a combining mark: it belongs to a word, can't begin one and leaves no trace in it."""
_BLOCK = 256
_WORD = re.compile(rf"[^ {_MARK}][^ ]*")


@dataclass(frozen=True, slots=True)
class FoldedWord:
    """A word as it is indexed, and its half-open range of code points in the text."""

    word: str
    start: int
    end: int


class _Characters(dict[int, str]):
    """What each character becomes: its folded form, a blank where it separates words, `_MARK`.

    Filled by blocks when one of their characters is first met.
    """

    def __missing__(self, code: int) -> str:
        first = code - code % _BLOCK
        codes = [each for each in range(first, first + _BLOCK) if each and not 0xD800 <= each < 0xE000]
        found = dict.fromkeys(range(first, first + _BLOCK), " ")
        with closing(sqlite3.connect(":memory:")) as connection:
            run = connection.execute
            run(f"CREATE VIRTUAL TABLE told USING fts5(inside, alone, tokenize='{WORD_TOKENIZER}')")
            run("CREATE VIRTUAL TABLE words USING fts5vocab(told, 'instance')")
            rows = [(each, f"a{chr(each)}a", chr(each)) for each in codes]
            connection.executemany("INSERT INTO told (rowid, inside, alone) VALUES (?, ?, ?)", rows)
            alone = {row[0] for row in run("SELECT doc FROM words WHERE col = 'alone'")}
            inside: dict[int, list[str]] = {each: [] for each in codes}
            for each, word in run("SELECT doc, term FROM words WHERE col = 'inside'"):
                inside[each].append(word)
        for each, parts in inside.items():
            if len(parts) == 1:  # the letters on both sides are still one word
                found[each] = parts[0][1:-1] if each in alone else _MARK
        self.update(found)
        return found[code]


_CHARACTERS = _Characters()


def fold(text: str) -> str:
    """The text, character by character: folded, blanks between words; as long as ``text``."""
    return text.translate(_CHARACTERS)


def words(text: str) -> list[str]:
    """The words of a text in order, as they are indexed."""
    folded = fold(text)
    if _MARK in folded:
        return [match.group().replace(_MARK, "") for match in _WORD.finditer(folded)]
    return folded.split()


def placed_words(text: str) -> list[FoldedWord]:
    """The words of a text in order with their places."""
    return [
        FoldedWord(match.group().replace(_MARK, ""), match.start(), match.end())
        for match in _WORD.finditer(fold(text))
    ]
