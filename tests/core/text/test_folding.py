"""Our words are those of FTS5."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.folding import WORD_TOKENIZER, fold, placed_words, words


@pytest.fixture(scope="module")
def told():
    """What FTS5 makes of a text."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{WORD_TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")

        def ask(text: str) -> list[str]:
            connection.execute("DELETE FROM t")
            connection.execute("INSERT INTO t VALUES (?)", (text,))
            return [row[0] for row in connection.execute("SELECT term FROM v ORDER BY offset")]

        yield ask


_anything = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
_mixed = st.text(
    st.sampled_from("aZ09 äÉßİıſ½²ⅧΩѪ弁한ा्𝛼𐐀\u0301\u0308\u0313\u0345\u0331\u0332-_.'\u200d\ue000ﬁ\x01\ufeff"),
    max_size=20,
)


@given(_anything | _mixed)
@settings(max_examples=1500, deadline=None)
def test_words_are_those_of_full_text(told, text: str) -> None:
    assert words(text) == told(text)


@given(_anything | _mixed)
@settings(max_examples=500, deadline=None)
def test_places_cut_the_text(text: str) -> None:
    found = placed_words(text)
    assert [item.word for item in found] == words(text)
    assert len(fold(text)) == len(text)
    for item in found:
        assert words(text[item.start : item.end]) == [item.word]
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(_mixed | _anything)
@settings(max_examples=500, deadline=None)
def test_folded_words_fold_to_themselves(text: str) -> None:
    """A word of the index can be given to FTS5 again."""
    for word in words(text):
        assert words(word) == [word]
