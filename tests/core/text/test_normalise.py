import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.text.normalise import normalise


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("", ""),
        ("  a\t b\u00a0c ", "a b c"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a\n\n \n b", "a\nb"),
        ("zero\u200bwidth\ufeff \u200b here", "zerowidth here"),
        ("soft\u00adhyphen", "softhyphen"),
        ("nul\x00 bell\x07", "nul bell"),
        ("e\u0301", "é"),
        ("\u202bעברית\u202c", "עברית"),
        ("\U0001d6fc-helix", "\U0001d6fc-helix"),
        ("lone\ud800surrogate", "lonesurrogate"),
    ],
)
def test_examples(given_text, expected):
    assert normalise(given_text) == expected


@given(st.text(st.characters()))
def test_form_holds_and_twice_changes_nothing(text):
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    once.encode("utf-8")
    for line in once.split("\n"):
        assert line == " ".join(line.split())
        assert not once or line


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_visible_characters_are_kept(text):
    assert normalise(text) == unicodedata.normalize("NFC", text)
