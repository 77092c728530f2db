"""Labels of all levels, and probabilities that agree over them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from claimlight.classify.decoding import make_consistent
from claimlight.classify.labels import LabelSpace, above, label_above, labels_of, level_of
from claimlight.types import ClassLevel


@pytest.mark.parametrize(
    ("symbol", "labels"),
    [
        ("A61B 5/0205", ("A", "A61", "A61B", "A61B 5/00", "A61B 5/0205")),
        ("A61B 5/00", ("A", "A61", "A61B", "A61B 5/00")),
        ("A61B", ("A", "A61", "A61B")),
        ("Y", ("Y",)),
        ("USPC 709/230", ()),
        ("", ()),
    ],
)
def test_a_symbol_has_a_label_at_every_level_it_reaches(symbol, labels):
    assert labels_of(symbol) == labels
    assert [level_of(label) for label in labels] == list(ClassLevel)[: len(labels)]
    for place, label in enumerate(labels):
        assert above(label) == labels[:place]
        assert label_above(label) == (labels[place - 1] if place else "")


SYMBOLS = ("A61B 5/0205", "A61B 5/02", "A61K 31/00", "B62K 25/04", "B62K", "H04L 9/32", "Y02E 60/50")


def test_columns_are_ordered_by_level_and_know_what_is_above_them():
    space = LabelSpace.of(label for symbol in SYMBOLS for label in labels_of(symbol))
    assert space.levels == tuple(ClassLevel)
    assert space.labels[space.at(ClassLevel.SECTION)] == ("A", "B", "H", "Y")
    assert space.labels[space.at(ClassLevel.SUBGROUP)] == (
        "A61B 5/02",
        "A61B 5/0205",
        "B62K 25/04",
        "H04L 9/32",
        "Y02E 60/50",
    )
    for number, label in enumerate(space.labels):
        upper = space.parents[number]
        assert (space.labels[upper] if upper >= 0 else "") == label_above(label)


def test_a_level_that_has_no_labels_has_no_columns_and_parents_skip_it():
    space = LabelSpace.of(("A", "A61B", "A61B 5/02"))
    assert space.at(ClassLevel.CLASS) == slice(0, 0)
    assert space.parents.tolist() == [-1, 0, 1]


def test_targets_leave_out_what_the_space_does_not_know():
    space = LabelSpace.of(("A", "B"))
    found = space.targets([{"A", "C"}, set(), {"B", "A"}])
    assert found.tolist() == [[True, False], [False, False], [True, True]]


@given(some.lists(some.floats(0, 1), min_size=40, max_size=40))
def test_no_class_is_likelier_than_the_one_above_it(values):
    space = LabelSpace.of(label for symbol in SYMBOLS for label in labels_of(symbol))
    found = np.array(values[: len(space)])[None]
    agreed = make_consistent(found, space)
    for number, upper in enumerate(space.parents):
        assert upper < 0 or agreed[0, number] <= agreed[0, upper]
    # A class is as likely as it was, or as the likeliest one below it.
    for number, label in enumerate(space.labels):
        below = [
            found[0, place]
            for place, other in enumerate(space.labels)
            if other == label or label in above(other)
        ]
        assert agreed[0, number] == max(below)
    assert np.array_equal(make_consistent(agreed, space), agreed)
