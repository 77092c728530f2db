"""Labels of symbols at each level."""

from __future__ import annotations

import pytest

from claimlight.lab.papers.cpc.levels import Level, as_matrix


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("A61B 5/0205", ("A", "A61", "A61B", "A61B 5", "A61B 5/0205")),
        ("A61B5/0205", ("A", "A61", "A61B", "A61B 5", "A61B 5/0205")),
        ("A61B 5/00", ("A", "A61", "A61B", "A61B 5", "A61B 5/00")),
        ("Y10T428/24", ("Y", "Y10", "Y10T", "Y10T 428", "Y10T 428/24")),
        ("A61B 5", ("A", "A61", "A61B", "A61B 5", "")),
        ("H04L", ("H", "H04", "H04L", "", "")),
        ("H04", ("H", "H04", "", "", "")),
        ("H", ("H", "", "", "", "")),
        ("G09G/", ("G", "G09", "G09G", "", "")),
        ("G06F 17/30 20060101", ("G", "G06", "G06F", "", "")),
        ("G06FX", ("", "", "", "", "")),
        ("X61B 5/02", ("", "", "", "", "")),
        ("345/204", ("", "", "", "", "")),
        ("", ("", "", "", "", "")),
    ],
)
def test_a_symbol_at_every_level(symbol, expected):
    assert tuple(level.label(symbol) for level in Level) == expected


def test_a_label_has_the_label_above_it():
    assert [level.label("A61B 5/0205") for level in Level] == [
        level.label(Level.SUBGROUP.label("A61B5/0205")) for level in Level
    ]
    assert Level.SUBCLASS.label(Level.MAIN_GROUP.label("A61B 5/02")) == "A61B"


def test_labels_are_a_set():
    assert Level.CLASS.labels(["A61B 5/02", "A61C 1/00", "H04L 9/32", "345/204"]) == {"A61", "H04"}


def test_sets_become_a_matrix_of_all_labels():
    found = as_matrix([frozenset({"A01", "B01"}), frozenset(), frozenset({"A02"})], ["A99"])
    assert found.labels == ("A01", "A02", "A99", "B01")
    assert found.targets.astype(int).tolist() == [[1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]]
    own = found.only("A")
    assert own.labels == ("A01", "A02", "A99")
    assert own.targets.astype(int).tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
