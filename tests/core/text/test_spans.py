"""Spans: what each unit takes of a text, and that its tokens are those that stand in it."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.text.spans import SPAN_UNITS

PIECE = re.compile(r"[^\W_]{1,4}|[^\w\s]|_")
"""A tokenizer of its own: pieces of at most four letters, every sign alone."""


def offsets(text):
    return np.array([found.span() for found in PIECE.finditer(text)], dtype=np.int32).reshape(-1, 2)


def spans(unit, text):
    return SPAN_UNITS[unit].spans(text, offsets(text))


def texts(unit, text):
    found = spans(unit, text)
    return [text[a:b] for a, b in zip(found.start.tolist(), found.end.tolist(), strict=True)]


def tokens(unit, text):
    """The tokens of each span, as text."""
    places = offsets(text).tolist()
    found = spans(unit, text)
    return [
        [text[a:b] for a, b in places[first:last]]
        for first, last in zip(found.first.tolist(), found.last.tolist(), strict=True)
    ]


def test_every_unit_is_known():
    assert set(SPAN_UNITS) == {"encoder_token", "word"}


def test_encoder_tokens_are_all_pieces_with_a_letter_or_digit():
    assert texts("encoder_token", "the damper, no. 7 – (x)") == ["the", "damp", "er", "no", "7", "x"]


def test_a_word_is_one_span_of_all_its_pieces():
    text = "the viscous damper, made-up"
    assert texts("word", text) == ["the", "viscous", "damper", "made-up"]
    assert tokens("word", text) == [["the"], ["visc", "ous"], ["damp", "er"], ["made", "-", "up"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("piston's end", ["piston's", "end"]),
        ("and/or 1.5 mm", ["and/or", "1.5", "mm"]),
        ("\U0001d6fcβ of \U0001d6fc", ["\U0001d6fcβ", "of", "\U0001d6fc"]),
        ("Größe der Öffnung", ["Größe", "der", "Öffnung"]),
        ("snake_case", ["snake", "case"]),
        (" -- . ", []),
        ("", []),
    ],
)
def test_words(text, words):
    assert texts("word", text) == words


def test_a_word_no_token_reached_is_left_out():
    text = "valve spring"
    found = SPAN_UNITS["word"].spans(text, np.array([[0, 4], [4, 5]], dtype=np.int32))
    assert text[found.start[0] : found.end[0]] == "valve"
    assert (len(found), found.first[0], found.last[0]) == (1, 0, 2)


def test_a_token_longer_than_a_word_counts_for_it():
    """Where preparation deleted a reference, the token before it reaches over it."""
    text = "lid (12) and rod"
    found = SPAN_UNITS["word"].spans(text, np.array([[0, 8], [9, 12], [13, 16]], dtype=np.int32))
    assert [text[a:b] for a, b in zip(found.start, found.end, strict=True)] == ["lid", "12", "and", "rod"]
    assert found.first.tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("unit", sorted(SPAN_UNITS))
def test_no_tokens_no_spans(unit):
    found = SPAN_UNITS[unit].spans("valve", np.empty((0, 2), dtype=np.int32))
    assert len(found) == 0
    assert found.start.dtype == found.end.dtype == found.first.dtype == found.last.dtype == np.int32


WORDS = st.sampled_from(
    [
        "valve",
        "the",
        "comprising",
        "damper",
        "(12)",
        "1.5",
        "-",
        ",",
        "\U0001d6fc",
        "é",
        "\n",
        " ",
        "_",
        "A",
        "日本",
        "said",
    ]
)


@given(st.lists(WORDS | st.text(max_size=4), max_size=30).map(" ".join), st.sampled_from(sorted(SPAN_UNITS)))
def test_spans_are_ordered_inside_and_covered_by_their_tokens(text, unit):
    places = offsets(text)
    found = SPAN_UNITS[unit].spans(text, places)
    ranges = list(zip(found.start.tolist(), found.end.tolist(), strict=True))
    for (start, end), first, last in zip(ranges, found.first.tolist(), found.last.tolist(), strict=True):
        assert 0 <= start < end <= len(text)
        assert 0 <= first < last <= len(places)
        # The tokens of a span touch it, and no token outside the range does.
        assert all(a < end and b > start for a, b in places[first:last].tolist())
        assert all(b <= start for _, b in places[:first].tolist())
        assert all(a >= end for a, _ in places[last:].tolist())
        letters = "".join(text[max(a, start) : min(b, end)] for a, b in places[first:last].tolist())
        assert letters == "".join(c for c in text[start:end] if not c.isspace() and PIECE.match(c))
        assert any(c.isalnum() for c in letters)
    for (_, end), (start, _) in pairwise(ranges):
        assert end <= start
    if unit == "word":
        assert [text[a:b] for a, b in ranges] == re.findall(r"[^\W_]+(?:[-'’./][^\W_]+)*", text)
