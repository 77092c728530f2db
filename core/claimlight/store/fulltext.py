"""Full text over the passages: matching and document frequencies."""

from __future__ import annotations

from collections.abc import Iterable, Set
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from claimlight.store.store import Store
from claimlight.store.tokens import quote_phrase, tokenize
from claimlight.tasks import TaskContext

_MOST_COUNTS = 100_000
"""Terms that are kept with their number of passages."""
_counts: WeakKeyDictionary[Store, tuple[int, dict[str, int]]] = WeakKeyDictionary()
"""Passages by term, of the version of each open library that was asked last."""
_counts_lock = Lock()


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
