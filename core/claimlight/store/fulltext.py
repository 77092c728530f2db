"""Full text over the passages (SQLite FTS5): matching, document frequencies, the tokeniser's words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Set
from contextlib import closing
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from claimlight.store.store import Store
from claimlight.tasks import TaskContext
from claimlight.text import folding

# With 1 instead of 2, letters with two marks (as in Vietnamese) would keep them.
TOKENIZER = "porter unicode61 remove_diacritics 2"
_MOST_COUNTS = 100_000
"""Words that are kept with their number of passages, and with their terms."""
_LONGEST_WORD = 64
"""Letters of a word that is kept with its terms; longer texts are seldom asked twice."""
_counts: WeakKeyDictionary[Store, tuple[int, dict[str, int]]] = WeakKeyDictionary()
"""Passages by term, of the version of each open library that was asked last."""
_counts_lock = Lock()
_terms: dict[str, tuple[str, ...]] = {}
_MOST_STEMS = 1_000_000
_stems: dict[str, str] = {}
"""Terms of words that were written to a shared library."""


def find_passages_with_all(
    store: Store, words: Iterable[str], *, context: TaskContext | None = None
) -> NDArray[np.int64]:
    """Ids of the passages in which every one of some words stands, in any of its stemmed forms; ascending.

    Words without a letter or digit are left out; without any word, no passage.
    """
    given = list(words)
    if store.shared:
        from claimlight.store.postgres.stems import find_passages

        return find_passages(store, [stems for stems in tokenize(given) if stems], context=context)
    match = " AND ".join(phrase for word in given if (phrase := quote_phrase(word)))
    if not match:
        return np.empty(0, dtype=np.int64)
    query = "SELECT rowid FROM passage_fts WHERE passage_fts MATCH ?"
    with store.read(context) as connection:
        rows = connection.connection.cursor().execute(query, (match,)).fetchall()
    return np.sort(np.array([row[0] for row in rows], dtype=np.int64))


def quote_phrase(word: str) -> str:
    """A word as an expression of FTS5: a phrase where it's several words; empty without a letter or digit."""
    cut = folding.fold_to_words(word)
    return f'"{" ".join(cut)}"' if cut else ""


def count_passages_by_term(store: Store, words: Iterable[str]) -> dict[str, int]:
    """In how many passages each word occurs in any of its stemmed forms.

    Of a word that the tokeniser cuts in several, the rarest part counts; of one without a letter
    or digit, 0.
    """
    wanted = list(dict.fromkeys(words))
    stems = tokenize(wanted)
    every = {stem for parts in stems for stem in parts}
    if store.shared:
        from claimlight.store.postgres.stems import read_stems

        known = dict.fromkeys(every, 0) | {
            stem: passages for stem, (_, passages) in read_stems(store, every).items()
        }
    else:
        known = _count_passages(store, every)
    return {
        word: min((known[stem] for stem in parts), default=0)
        for word, parts in zip(wanted, stems, strict=True)
    }


def _count_passages(store: Store, stems: Set[str]) -> dict[str, int]:
    """In how many passages each indexed term occurs; FTS5 walks the whole list of a term to count it."""
    query = "SELECT doc FROM passage_vocab WHERE term = ?"
    with store.read() as connection:
        version = connection.exec_driver_sql("SELECT value FROM meta WHERE key = 'version'").scalar_one()
        with _counts_lock:
            before = _counts.get(store)
            if before is None or before[0] != version or len(before[1]) > _MOST_COUNTS:
                before = _counts[store] = version, {}
            kept = before[1]
        found: dict[str, int] = {}
        for stem in stems:
            if stem not in kept:
                kept[stem] = connection.exec_driver_sql(query, (stem,)).scalar() or 0
            found[stem] = kept[stem]
    return found


def tokenize(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """The indexed terms of each text, in order: folded, without diacritics, stemmed."""
    given = list(texts)
    known = {text: terms for text in given if (terms := _terms.get(text)) is not None}
    missing = [text for text in dict.fromkeys(given) if text not in known]
    if missing:
        known |= zip(missing, _ask_tokenizer(missing), strict=True)
        if len(_terms) > _MOST_COUNTS:
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
