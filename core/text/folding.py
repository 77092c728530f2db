"""Words as full text sees them: cut, case-folded and freed of diacritics exactly as FTS5's ``unicode61``.

A query is answered by FTS5 where it can be and by looking at the text where it can't; both must mean
the same by a word. The tokeniser treats every character for itself, so each character is shown to FTS5
once and its answer kept: the two can't differ, whatever Unicode tables the SQLite at hand was built with.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from threading import Lock

WORD_TOKENIZER = "unicode61 remove_diacritics 2"
_MARK = "\x01"
"""Stands for a combining mark: it belongs to a word, can't begin one and leaves no trace in it."""
_WORD = re.compile(rf"[^ {_MARK}][^ ]*")


@dataclass(frozen=True, slots=True)
class FoldedWord:
    """A word as it is indexed, and its half-open range of code points in the text."""

    word: str
    start: int
    end: int


class _Characters(dict[int, str]):
    """What each character becomes: its folded form, a blank where it separates words, `_MARK`."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.execute(f"CREATE VIRTUAL TABLE told USING fts5(text, tokenize='{WORD_TOKENIZER}')")
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(told, 'instance')")
        for code in range(1, 128):
            self[code] = self._asked(chr(code))

    def __missing__(self, code: int) -> str:
        surrogate_or_end = 0xD800 <= code < 0xE000 or code == 0
        folded = " " if surrogate_or_end else self._asked(chr(code))
        self[code] = folded
        return folded

    def _asked(self, character: str) -> str:
        with self._lock:
            run = self._connection.execute
            run("DELETE FROM told")
            run("INSERT INTO told (rowid, text) VALUES (1, ?), (2, ?)", (f"a{character}a", character))
            inside = [row[0] for row in run("SELECT term FROM words WHERE doc = 1 ORDER BY offset")]
            alone = run("SELECT count(*) FROM words WHERE doc = 2").fetchone()[0]
        if len(inside) != 1:
            return " "
        return inside[0][1:-1] if alone else _MARK


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
