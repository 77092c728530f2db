"""Words with wildcards: parsing, and the words of the library that they match.

Patterns keep umlauts, unlike the folded words of the library: they mark letters with alternative spellings
(`claimlight.text.spelling`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import ClassVar

from claimlight.errors import QueryError
from claimlight.store.found_rows import IndexedWord
from claimlight.store.text_index import TextIndex
from claimlight.store.text_query import TextTable
from claimlight.text import spelling
from claimlight.text.folding import FoldedWord, is_alone, locate_words
from claimlight.text.normalise import normalise

MAX_EXPANSION = 10_000
"""Maximum number of words that one truncated word may match."""
MAX_LETTERS = 1_000
"""Maximum number after a ``$``; no word is longer."""
_WILD = re.compile(r"\$([0-9]*)|(\*)|(\?)")
_PIECE = re.compile(r"\$\d*|\?|[^$?]+")
_ANY = "\ue000"
_MARKED = {letter: chr(0xE001 + n) for n, letter in enumerate(spelling.MARKED)}
_HIDDEN = str.maketrans({**_MARKED, **{letter.upper(): sign for letter, sign in _MARKED.items()}})
_SHOWN = str.maketrans({sign: letter for letter, sign in _MARKED.items()})
_PRIVATE = re.compile("[\ue000-\ue0ff]")
_STARS = re.compile(r"(?:\$\d*){2,}")


def parse_patterns(text: str) -> tuple[str, ...]:
    """Parse a text into folded words with wildcards; raises `ValueError` with an explanation.

    Wildcards and umlauts are replaced by private-use letters while the text is split into words and folded,
    so that wildcards stay in their words and umlauts are preserved.
    """
    wild: list[str] = []

    def hidden(found: re.Match[str]) -> str:
        wild.append("?" if found[3] else f"${found[1] or ''}")
        return _ANY

    # NFC, as umlauts are hidden by their single code points; private letters of the text can't be kept.
    kept = unicodedata.normalize("NFC", _PRIVATE.sub(" ", text)).translate(_HIDDEN)
    shown = locate_words(normalise(_WILD.sub(hidden, kept)))
    given = iter(wild)
    patterns: list[str] = []
    for place, word in enumerate(shown):
        pattern = "".join(next(given) if c == _ANY else c for c in word.word.translate(_SHOWN))
        if word.word.strip(_ANY):
            patterns.append(_merge_wildcards(pattern))
            if not re.sub(r"\$\d*|\?", "", patterns[-1]):  # "*1"
                raise ValueError(_BARE)
        else:
            patterns += _resolve_lone(pattern, text, *_touches_characters(shown, place))
    if not patterns:
        raise ValueError(f"{text} has no letter or digit; only these can be searched.")
    return tuple(patterns)


def _touches_characters(shown: list[FoldedWord], place: int) -> tuple[bool, bool]:
    """Whether a word is directly preceded, and directly followed, by a character that is a word by itself."""
    word = shown[place]
    before = shown[place - 1] if place else None
    after = shown[place + 1] if place + 1 < len(shown) else None
    return (
        before is not None and before.end == word.start and is_alone(before.word),
        after is not None and after.start == word.end and is_alone(after.word),
    )


def _resolve_lone(wildcards: str, text: str, before: bool, after: bool) -> list[str]:  # noqa: FBT001
    """Resolve wildcards without letters: beside characters that are words, each ``?`` is one character.

    A ``$`` there is redundant at an end, as any part of a run matches, and unbounded in the middle.
    """
    if not (before or after):
        raise ValueError(_BARE)
    if "$" in wildcards and before and after:
        raise ValueError(
            f"{text}: in Chinese, Japanese and Korean each character is a word of its own, and a $ between "
            "two of them has no limit. Give their maximum distance instead: 減 ADJ3 器."
        )
    return ["?"] * wildcards.count("?")


_BARE = "A wildcard alone would match every word: write letters beside it, such as damp*."


def _merge_wildcards(pattern: str) -> str:
    """Merge adjacent wildcards: ``$`` with a number add up, and ``$`` without one wins."""

    def merged(found: re.Match[str]) -> str:
        numbers = found.group().split("$")[1:]
        return "$" if "" in numbers else f"${sum(map(int, numbers))}"

    pattern = _STARS.sub(merged, pattern)
    for count in re.findall(r"\$(\d+)", pattern):
        if int(count) > MAX_LETTERS:
            raise ValueError(
                f"${count}: a $ matches up to {MAX_LETTERS} letters, or any number without a count."
            )
    return re.sub(r"\$0+(?=\d)", "$", pattern).replace("$0", "")


def is_wild(pattern: str) -> bool:
    """Whether a pattern has a wildcard."""
    return "$" in pattern or "?" in pattern


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression that matches the whole of each word of the pattern."""
    parts = []
    long = spelling.is_long(pattern)
    for piece in _PIECE.findall(pattern):
        if piece == "?":
            # Never across a line: `Lexicon` has one word per line.
            parts.append(r"[^\n]")
        elif piece == "$":
            parts.append(r"[^\n]*")
        elif piece.startswith("$"):
            parts.append(rf"[^\n]{{0,{piece[1:]}}}")
        else:
            parts.append(spelling.make_pattern(piece, long=long))
    return re.compile("".join(parts))


def spell_head(pattern: str) -> list[str]:
    """The spellings of the letters before the first wildcard."""
    return spelling.list_spellings(head(pattern), long=spelling.is_long(pattern))


def head(pattern: str) -> str:
    """The letters before the first wildcard."""
    return re.split(r"[$?]", pattern, maxsplit=1)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """All words of a full-text table, for patterns that begin with a wildcard."""

    lines: str
    """One word per line, with a line break at the beginning and at the end."""
    rows: Mapping[str, int]

    def fitting(self, pattern: str) -> list[IndexedWord]:
        """The words that match a pattern."""
        found = re.findall(rf"(?<=\n){compile_pattern(pattern).pattern}(?=\n)", self.lines)
        return [IndexedWord(word, self.rows[word]) for word in found]


class LexiconSource:
    """The lexicons of one library version, read when first needed and cached."""

    _kept: ClassVar[dict[tuple[str, TextTable], tuple[int, Lexicon]]] = {}
    _lock: ClassVar[Lock] = Lock()

    def __init__(self, path: Path, version: int) -> None:
        self._path = path
        self._version = version

    def get(self, index: TextIndex, table: TextTable) -> Lexicon:
        """All words of a table as the connection of ``index`` sees it."""
        key = (str(self._path), table)
        with self._lock:
            version, lexicon = self._kept.get(key, (-1, None))
        if lexicon is not None and version == self._version:
            return lexicon
        # Outside the lock, as it may take seconds; two threads that read it at once get the same.
        words = {item.word: item.rows for item in index.all_words(table)}
        made = Lexicon("\n" + "\n".join(words) + "\n", words)
        with self._lock:
            self._kept[key] = (self._version, made)
        return made


def expand(
    index: TextIndex, pattern: str, *, table: TextTable, lexicon: LexiconSource, column: int = 0
) -> tuple[IndexedWord, ...]:
    """The words of a full text that match a pattern, most frequent first.

    Raises `QueryError`, with their number, for more than `MAX_EXPANSION` words.
    """
    if not is_wild(pattern):
        found = index.count_words(table, spell_head(pattern))
    elif head(pattern):
        begins = spell_head(pattern)
        found = _fitting(pattern, (item for begin in begins for item in index.words_from(table, begin)))
    else:
        like = index.words_like(table, write_like(pattern))
        found = lexicon.get(index, table).fitting(pattern) if like is None else _fitting(pattern, like)
    if len(found) > MAX_EXPANSION:
        raise QueryError(
            f"{pattern} matches {len(found):,} words of this library, more than {MAX_EXPANSION:,}. "
            "Write more letters, or a number after the $ (damp$2).",
            column=column,
        )
    return tuple(sorted(found, key=lambda item: (-item.rows, item.word)))


def _fitting(pattern: str, words: Iterable[IndexedWord]) -> list[IndexedWord]:
    """The words that match a pattern, none twice."""
    fits = compile_pattern(pattern).fullmatch
    return list({item.word: item for item in words if fits(item.word)}.values())


def write_like(pattern: str) -> str:
    """A pattern of SQL's LIKE for all words that match a pattern, and perhaps others."""
    long = spelling.is_long(pattern)
    parts = []
    for piece in _PIECE.findall(pattern):
        if piece == "?":
            parts.append("_")
        elif piece.startswith("$"):
            parts.append("%")
        else:
            sounds = spelling.split_sounds(piece, long=long)
            parts += [re.sub(r"([%_\\])", r"\\\1", each[0]) if len(each) == 1 else "%" for each in sounds]
    return re.sub("%+", "%", "".join(parts))
