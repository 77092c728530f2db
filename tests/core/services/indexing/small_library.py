"""A small library with classes, dates and descriptions, for tests of order, limits and estimates."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from claimlight.text.words import content_words
from claimlight.types import ClassSymbol, Scheme
from tests.fakes import library, patent, stack

WORDS = content_words("damper viscous bicycle kettle handle wheel frame brake lamp spring glass cart spout")
TEXTS = ("A viscous damper of the frame.", "A wheel with a spring and a brake.", "A lamp of glass.")


def document(number: int, symbol: str, published: date, paragraphs: int = 3):
    """Number 1 is EP1000001; ``paragraphs`` paragraphs of description."""
    made = patent(
        str(1_000_000 + number),
        f"Cart {number}",
        claims=["A bicycle comprising a frame and a viscous damper.", "A kettle with a handle."],
        paragraphs=[TEXTS[(number + place) % len(TEXTS)] for place in range(paragraphs)],
        published=published,
    )
    return replace(made, classes=(ClassSymbol(Scheme.CPC, symbol),))


DOCUMENTS = [
    document(1, "B62K 25/04", date(2001, 5, 1)),
    document(2, "B62K 25/04", date(2015, 5, 1)),
    document(3, "A47J 27/21", date(2003, 5, 1), paragraphs=0),
    document(4, "A47J 27/21", date(2019, 5, 1), paragraphs=5),
    document(5, "H04L 9/00", date(2010, 5, 1)),
    document(6, "H04L 9/00", date(2012, 5, 1), paragraphs=4),
]
"""Ids 1 to 6."""
CLAIM_PASSAGES = 3 * len(DOCUMENTS)
"""Each has a title, which is an abstract, and two claims."""
DESCRIPTIONS = {1: 3, 2: 3, 4: 5, 5: 3, 6: 4}
"""Passages of the description by id."""


def make_library(folder):
    return library(folder, DOCUMENTS)


def make_stack():
    return stack(WORDS)
