"""One parser reads every way in which symbols are written."""

from __future__ import annotations

import pytest

from claimlight.formats.parts.symbols import read_class, read_classes, read_symbol

GROUPS = [
    ("B62K 25/04", "B62K 25/04"),
    ("B62K25/04", "B62K 25/04"),
    ("B62K  25/04", "B62K 25/04"),
    ("b62k25/04", "B62K 25/04"),
    ("B62K0025040000", "B62K 25/04"),
    ("B62K025/04", "B62K 25/04"),
    ("B62K 25/04 (2006.01)", "B62K 25/04"),
    ("B62K  25/04        20060101AFI20060310BHEP        ", "B62K 25/04"),
    ("B 62 K 25/04", "B62K 25/04"),
    ("H04L0009061800", "H04L 9/0618"),
    ("A61B2017000040", "A61B 2017/00004"),
    ("A61B2017/00004", "A61B 2017/00004"),
    ("H04L 9/0618", "H04L 9/0618"),
    ("A01B0001000000", "A01B 1/00"),
    ("A01B00010000001", ""),
]
UPPER = [
    ("b", "B"),
    ("B62", "B62"),
    ("b62k", "B62K"),
    ("B62K25", "B62K 25/00"),
    ("B62K 25", "B62K 25/00"),
    ("Z99", ""),
    ("spring", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), GROUPS)
def test_groups_in_every_spelling(text: str, expected: str):
    assert read_symbol(text) == expected
    assert read_class(text) == expected


@pytest.mark.parametrize(("text", "expected"), UPPER)
def test_levels_above_groups(text: str, expected: str):
    assert read_class(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "B62K 25/04; B62K 25/06; H04L 9/06",
        "B62K25/04,B62K25/06,H04L9/06",
        "B62K 25/04 (2006.01) // B62K 25/06 (2006.01) // H04L 9/06",
        "b62k0025040000\nB62K0025060000\nB62K25/04\nH04L0009060000",
    ],
)
def test_lists(text: str):
    assert read_classes(text) == (("B62K 25/04", "B62K 25/06", "H04L 9/06"), ())


def test_what_is_no_symbol_is_named():
    assert read_classes("B62K; wheels") == (("B62K",), ("wheels",))
