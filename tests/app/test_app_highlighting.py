from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor, QTextDocument

from claimlight.types import Match, Span
from claimlight_workbench.highlighting import Utf16Map, passage_runs, query_runs

TEXT = st.text(
    alphabet=st.characters(
        exclude_characters="\r\u2028\u2029\u0085\ufdd0\ufdd1\x00\x0b\x0c", exclude_categories=["Cs", "Cn"]
    )
)


@settings(max_examples=200, deadline=None)
@given(TEXT, st.data())
def test_spans_survive_the_trip_to_qt_and_back(qapp, text: str, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    there = Utf16Map(text)
    document = QTextDocument()
    document.setPlainText(text)
    cursor = QTextCursor(document)
    cursor.setPosition(there.offset(start))
    cursor.setPosition(there.offset(end), QTextCursor.MoveMode.KeepAnchor)
    selected = cursor.selectedText().replace("\u2029", "\n").replace("\xa0", " ")
    assert selected == text[start:end].replace("\xa0", " ")
    assert there.position(there.offset(start)) == start


@given(TEXT)
def test_every_offset_inside_a_pair_belongs_to_its_character(text: str):
    there = Utf16Map(text)
    for position, char in enumerate(text):
        for unit in range(len(char.encode("utf-16-le")) // 2):
            assert there.position(there.offset(position) + unit) == position


def link(start: int, end: int, contribution: float, feature: str = "F1", query: tuple[int, int] = (0, 1)):
    return Match(Span(*query), Span(start, end), feature, contribution, (0,))


LINKS = st.lists(
    st.builds(
        lambda start, length, weight, feature: link(start, start + length, weight, feature),
        st.integers(0, 60),
        st.integers(1, 20),
        st.floats(0.001, 5),
        st.sampled_from(["F1", "F2", "F3", ""]),
    ),
    max_size=30,
)


@given(LINKS)
def test_runs_say_the_sum_of_what_covers_them(links):
    runs = passage_runs(links)
    assert all(left.end <= right.start for left, right in pairwise(runs))
    for position in range(90):
        expected = sum(
            each.contribution for each in links if each.passage.start <= position < each.passage.end
        )
        found = [run for run in runs if run.start <= position < run.end]
        assert len(found) == (1 if expected else 0)
        if found:
            assert abs(found[0].weight - expected) < 1e-9


@given(LINKS)
def test_a_run_has_the_colour_of_its_strongest_feature(links):
    for run in passage_runs(links):
        sums: dict[str, float] = {}
        for each in links:
            if each.passage.start <= run.start < each.passage.end:
                sums[each.feature] = sums.get(each.feature, 0.0) + each.contribution
        assert sums[run.feature] >= max(sums.values()) - 1e-9


def test_the_query_side_uses_the_query_spans():
    assert [(run.start, run.end) for run in query_runs([link(5, 9, 1.0, query=(2, 4))])] == [(2, 4)]
