"""Numbers of things, as they are said."""

from hypothesis import given
from hypothesis import strategies as st

from app.wording import counted, sum_parts


def test_one_is_one_and_many_have_their_separators():
    assert [counted(count, "document") for count in (0, 1, 2, 12_000)] == [
        "0 documents",
        "1 document",
        "2 documents",
        "12,000 documents",
    ]
    assert [counted(count, "family", "families") for count in (1, 3)] == ["1 family", "3 families"]


@given(st.floats(0, 60), st.floats(0, 5))
def test_the_parts_of_a_score_add_up_as_they_are_written(matched, other):
    parts = sum_parts(matched + other, matched, other)
    assert round(sum(map(float, parts)), 1) == max(round(matched + other, 1), round(other, 1))
    assert sum_parts(19.57, 19.15, 0.42) == ("19.2", "0.4")
