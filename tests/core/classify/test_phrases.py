"""Phrases of a text, and what is left without them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from claimlight.classify.phrases import LONGEST, find_phrases, leave_out

TEXT = "A shock absorber for a bicycle. The shock absorbers damp the wheel; a damping valve closes."


def words(phrase, texts):
    return [texts[number][span.start : span.end] for number, span in phrase.places]


def test_a_phrase_is_a_run_of_words_that_say_something():
    found = find_phrases([TEXT], most=10)
    spoken = [words(phrase, [TEXT]) for phrase in found]
    # All places of one phrase are together, whatever its inflection; the most frequent is first.
    assert spoken[0] == ["shock absorber", "shock absorbers"]
    assert ["bicycle"] in spoken
    assert ["damping valve closes"] in spoken
    assert ["damp"] in spoken
    assert not any("the" in text.casefold().split() for texts in spoken for text in texts)


def test_only_the_most_frequent_phrases_are_taken():
    assert [words(item, [TEXT]) for item in find_phrases([TEXT], most=1)] == [
        ["shock absorber", "shock absorbers"]
    ]


def test_leaving_out_removes_every_place_of_a_phrase_and_nothing_else():
    texts = (TEXT, "Another shock absorber.")
    phrase = find_phrases(texts, most=1)[0]
    assert len(phrase.places) == 3
    left = leave_out(texts, [phrase])
    assert left == (
        "A  for a bicycle. The  damp the wheel; a damping valve closes.",
        "Another .",
    )
    assert leave_out(texts, []) == texts


@given(some.lists(some.text(max_size=60), max_size=3))
def test_phrases_are_disjoint_ranges_of_their_texts(texts):
    found = find_phrases(texts, most=1000)
    places = sorted((number, span.start, span.end) for phrase in found for number, span in phrase.places)
    for number, start, end in places:
        assert 0 <= start < end <= len(texts[number])
    for (number, _, end), (after, start, _) in pairwise(places):
        assert after > number or start >= end
    assert all(1 <= len(phrase.stems) <= LONGEST for phrase in found)
    left = leave_out(texts, found)
    assert sum(map(len, left)) == sum(map(len, texts)) - sum(end - start for _, start, end in places)
