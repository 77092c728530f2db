"""Sentences: where they end, and that finding the ends takes time in proportion to the text."""

import time

import pytest

from claimlight.text.sentences import cut_sentences


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("A damper. A brake!? It is red.", ["A damper.", "A brake!?", "It is red."]),
        ("1. A frame (see Fig. 3) is red. B.", ["1. A frame (see Fig. 3) is red.", "B."]),
        ("12345678901234567890123456789. A frame. B", ["12345678901234567890123456789. A frame.", "B"]),
        ('"Stop." Then (e.g. Here) it fell... A', ['"Stop."', "Then (e.g. Here) it fell...", "A"]),
        ("これは弁。液体です。\nA.b c", ["これは弁。", "液体です。", "A.b c"]),
        ("at 4.5 bar. it [Ex. A] stays (no. B) here", ["at 4.5 bar. it [Ex.", "A] stays (no. B) here"]),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_ends_them(text, pieces):
    assert [text[span.start : span.end] for span in cut_sentences(text)] == pieces


def _seconds(text: str) -> float:
    """The shortest of several times of the processor, the least disturbed one."""
    taken = []
    for _ in range(5):
        begun = time.process_time()
        cut_sentences(text)
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.parametrize(
    "make",
    [
        lambda many: "<b>" * many + " y. A",
        lambda many: "." * many + "a",
        lambda many: "." * many + '"' * many + "a",
        lambda many: "e.g. A " * many,
        lambda many: "y." + " " * many + "x",
    ],
    ids=["word", "points", "quotes", "abbreviations", "blanks"],
)
def test_time_grows_with_the_text_and_not_with_its_square(make):
    many = 1000
    # Long enough to be measured, on a computer of any speed.
    while _seconds(make(many)) < 0.004:
        many *= 2
    # In proportion 8, with the square 64.
    assert _seconds(make(8 * many)) < 24 * _seconds(make(many))
