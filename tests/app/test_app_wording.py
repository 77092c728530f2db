"""Scores and publication numbers, as they are said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight_workbench.models.columns import printed_publication
from claimlight_workbench.wording import sum_parts


@given(st.floats(0, 60), st.floats(0, 5))
def test_the_parts_of_a_score_add_up_as_they_are_written(matched, other):
    parts = sum_parts(matched + other, matched, other)
    assert round(sum(map(float, parts)), 1) == max(round(matched + other, 1), round(other, 1))
    assert sum_parts(19.57, 19.15, 0.42) == ("19.2", "0.4")


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("EP1326188A2", "EP 1 326 188 A2"),
        ("US8419064B2", "US 8,419,064 B2"),
        ("USD680087S1", "US D680,087 S1"),
        ("USRE45123E1", "US RE45,123 E1"),
        ("US20050004974A1", "US 2005/0004974 A1"),
        ("WO2010123456A1", "WO 2010/123456 A1"),
        ("no number", "no number"),
    ],
)
def test_publications_are_written_as_offices_print_them(name: str, printed: str):
    assert printed_publication(name) == printed
