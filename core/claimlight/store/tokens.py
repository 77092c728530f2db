"""The words that the full text indexes: folded, without diacritics and stemmed, as FTS5 does it.

A shared library has the same words, so that both find the same passages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from claimlight.text import folding

# With 1 instead of 2, letters with two marks (as in Vietnamese) would keep them.
TOKENIZER = "porter unicode61 remove_diacritics 2"
_MOST_TEXTS = 100_000
"""Texts that are kept with their terms."""
_LONGEST_WORD = 64
"""Letters of a word that is kept with its terms; longer texts are seldom asked twice."""
_terms: dict[str, tuple[str, ...]] = {}
_MOST_STEMS = 1_000_000
_stems: dict[str, str] = {}
"""Terms of words that were written to a shared library."""


def quote_phrase(word: str) -> str:
    """A word as an expression of FTS5: a phrase where it's several words; empty without a letter or digit."""
    cut = folding.fold_to_words(word)
    return f'"{" ".join(cut)}"' if cut else ""


def tokenize(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """The indexed terms of each text, in order: folded, without diacritics, stemmed."""
    given = list(texts)
    known = {text: terms for text in given if (terms := _terms.get(text)) is not None}
    missing = [text for text in dict.fromkeys(given) if text not in known]
    if missing:
        known |= zip(missing, _ask_tokenizer(missing), strict=True)
        if len(_terms) > _MOST_TEXTS:
            _terms.clear()
        _terms.update((text, known[text]) for text in missing if len(text) <= _LONGEST_WORD)
    return [known[text] for text in given]


def stem_words(words: Iterable[str]) -> dict[str, str]:
    """The indexed term of each word, which must be folded (`claimlight.text.folding.fold_to_words`)."""
    given = list(dict.fromkeys(words))
    missing = [word for word in given if word not in _stems]
    if missing:
        found = {word: "".join(terms) for word, terms in zip(missing, _cut(missing), strict=True)}
        if len(_stems) > _MOST_STEMS:
            # Before more are added: those that are asked for now must stay until they are returned.
            kept = {word: _stems[word] for word in given if word in _stems}
            _stems.clear()
            _stems.update(kept)
        _stems.update(found)
    return {word: _stems[word] for word in given}


def _ask_tokenizer(texts: list[str]) -> list[tuple[str, ...]]:
    forms = ((text, folding.write_indexed_form(text)) for text in texts)
    return _cut([text if form is None else form for text, form in forms])


def _cut(texts: list[str]) -> list[tuple[str, ...]]:
    # FTS5 has no function that only tokenises: a table in memory is the way to its words from Python.
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, tokenize='{TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE parts USING fts5vocab(words, 'instance')")
        connection.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", enumerate(texts, 1))
        found: list[list[tuple[int, str]]] = [[] for _ in texts]
        for term, row, offset in connection.execute("SELECT term, doc, offset FROM parts"):
            found[row - 1].append((offset, term))
    return [tuple(term for _, term in sorted(parts)) for parts in found]
