from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimlight.text.features import split_claims
from claimlight.types import SEARCH_RANKERS, Claim, Hit, PatentId, PatentSummary, Ranker, Span
from claimlight_workbench.models.categories import NOT_GIVEN
from claimlight_workbench.models.columns import COLUMNS, Row
from claimlight_workbench.models.lamps import NO_LAMPS
from claimlight_workbench.screens.query import features
from claimlight_workbench.screens.query.features import Ranges
from claimlight_workbench.screens.query.presenter import QueryPresenter
from tests.app.driving import Column
from tests.app.fake_services import LINES, FakeServices, publication

TEXT = "A lever, comprising: an arm; and\na spring on the arm, wherein the arm is bent."
ALL = tuple(
    Span(TEXT.index(part), TEXT.index(part) + len(part))
    for part in ("A lever", "an arm", "a spring on the arm", "wherein the arm is bent")
)


def words_of(ranges: Ranges) -> list[str]:
    return [TEXT[span.start : span.end] for span in ranges]


def test_split_cuts_at_the_joint_nearest_to_the_middle():
    whole = (Span(0, len(TEXT)),)
    assert words_of(features.split(TEXT, whole, 0)) == [
        "A lever, comprising: an arm",
        "and\na spring on the arm, wherein the arm is bent.",
    ]
    assert features.split(TEXT, (Span(0, 1),), 0) == (Span(0, 1),)


def test_split_at_a_place_leaves_blanks_and_commas_to_nobody():
    assert words_of(features.split(TEXT, (Span(0, 27),), 0, at=8)) == ["A lever", "comprising: an arm"]
    assert features.split(TEXT, ALL, 0, at=40) == ALL


def test_merge_takes_what_stands_between():
    merged = features.merge(ALL, 1)
    assert words_of(merged)[1] == "an arm; and\na spring on the arm"
    assert features.merge(ALL, 3) == ALL


def test_leaving_out_keeps_the_last():
    assert features.leave_out(ALL, 1) == (ALL[0], *ALL[2:])
    assert features.leave_out(ALL[:1], 0) == ALL[:1]


def test_marked_words_become_a_feature_and_others_give_way():
    marked = features.mark(TEXT, ALL, 24, 44)
    assert words_of(marked) == [
        "A lever",
        "an",
        "arm; and\na spring on",
        "the arm",
        "wherein the arm is bent",
    ]
    assert features.mark(TEXT, ALL, 27, 29) == ALL
    assert words_of(features.mark(TEXT, ALL[:1], 8, 19)) == ["A lever", "comprising"]


def test_ends_are_moved_word_by_word_and_neighbours_give_way():
    assert words_of(features.move_end(TEXT, ALL, 0, 1))[0] == "A lever, comprising"
    assert words_of(features.move_end(TEXT, ALL, 0, -1))[0] == "A"
    pushed = words_of(features.move_end(TEXT, ALL, 2, 1))
    assert pushed[2:] == ["a spring on the arm, wherein", "the arm is bent"]
    pulled = words_of(features.move_start(TEXT, ALL, 3, -1))
    assert pulled[2:] == ["a spring on the", "arm, wherein the arm is bent"]
    assert words_of(features.move_start(TEXT, ALL, 3, 1))[3] == "the arm is bent"
    assert features.move_end(TEXT, ALL[:1], 0, -2) == ALL[:1]


_STEP = st.tuples(st.integers(0, 5), st.integers(-1, 5), st.integers(-3, 90), st.integers(0, 90))


def changed(text: str, ranges: Ranges, step: tuple[int, int, int, int]) -> Ranges:
    kind, index, one, other = step
    return (
        features.split(text, ranges, index, at=one if other % 2 else None),
        features.merge(ranges, index),
        features.leave_out(ranges, index),
        features.mark(text, ranges, one, other),
        features.move_start(text, ranges, index, one % 7 - 3),
        features.move_end(text, ranges, index, one % 7 - 3),
    )[kind]


@given(st.text("ab ,;\n減。", max_size=80), st.lists(_STEP, max_size=12))
def test_any_edits_leave_ranges_disjoint_in_order_and_inside(text, steps):
    ranges = tuple(feature.span for feature in split_claims([Claim(1, text)]).features)
    for step in steps:
        ranges = changed(text, ranges, step)
        end = 0
        for span in ranges:
            assert end <= span.start < span.end <= len(text)
            assert any(map(str.isalnum, text[span.start : span.end]))
            end = span.end


@pytest.fixture
def presenter(qtbot, services: FakeServices, runner) -> QueryPresenter:
    made = QueryPresenter(services, runner)
    made.paste("1. A damper. 2. The damper of claim 1.")
    qtbot.waitUntil(lambda: made.query is not None)
    return made


def test_pasted_claims_become_a_query_that_runs_at_once(qtbot, services, runner):
    made = QueryPresenter(services, runner)
    with qtbot.waitSignal(made.requested) as asked:
        made.paste("1. A damper.")
    assert asked.args[0].query.features[0].text == LINES[0]
    assert asked.args[0].legs == SEARCH_RANKERS


def test_what_is_no_claim_is_said(qtbot, services, runner):
    made = QueryPresenter(services, runner)
    with qtbot.waitSignal(made.failed) as failed:
        made.paste("no claim")
    assert str(failed.args[0]) == "These are no claims."


def test_editing_and_taking_back(qtbot, presenter: QueryPresenter):
    text = presenter.query.text
    first = presenter.query
    for change, expected in (
        (lambda: presenter.merge(0), (f"{LINES[0]}\n{LINES[1]}", LINES[2])),
        (lambda: presenter.leave_out(1), (f"{LINES[0]}\n{LINES[1]}",)),
        (presenter.undo_features, (f"{LINES[0]}\n{LINES[1]}", LINES[2])),
        (presenter.undo_features, LINES),
        (presenter.undo_features, LINES),
        (presenter.redo_features, (f"{LINES[0]}\n{LINES[1]}", LINES[2])),
        (presenter.redo_features, (f"{LINES[0]}\n{LINES[1]}",)),
        (presenter.redo_features, (f"{LINES[0]}\n{LINES[1]}",)),
        (presenter.undo_features, (f"{LINES[0]}\n{LINES[1]}", LINES[2])),
        (lambda: presenter.leave_out(0), (LINES[2],)),
        (presenter.redo_features, (LINES[2],)),  # a new change ends what could be made again
        (presenter.undo_features, (f"{LINES[0]}\n{LINES[1]}", LINES[2])),
        (presenter.undo_features, LINES),
    ):
        change()
        assert presenter.feature_lines == expected
        assert presenter.query.text == text
        assert [item.label for item in presenter.query.features] == [
            f"F{n + 1}" for n in range(len(expected))
        ]
    assert presenter.query == first


@given(steps=st.lists(_STEP, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
def test_undo_restores_exactly(qtbot, presenter: QueryPresenter, steps):
    presenter.choose(1)
    qtbot.waitUntil(lambda: presenter.query is not None)
    kept = [presenter.query]
    for step in steps:
        presenter._edit(changed(presenter.query.text, presenter.ranges, step))
        if presenter.query != kept[-1]:
            kept.append(presenter.query)
    for query in reversed(kept[:-1]):
        presenter.undo_features()
        assert presenter.query == query
    for query in kept[1:]:
        presenter.redo_features()
        assert presenter.query == query


def test_features_of_an_earlier_version_are_found_in_the_claim(qtbot, presenter: QueryPresenter):
    """They were kept as words, merged ones without what stood between."""
    joined = f"{LINES[0]} {LINES[1]}"
    presenter.choose(1, lines=(joined, "a lamp of my own"))
    qtbot.waitUntil(lambda: presenter.query is not None)
    assert presenter.query.text == "\n".join(LINES)
    assert presenter.feature_lines == (f"{LINES[0]}\n{LINES[1]}",)
    assert presenter.query.notes == ("Not in the claim, so no longer a feature: a lamp of my own.",)
    assert presenter.edited


def test_ranges_of_another_text_are_not_taken(qtbot, presenter: QueryPresenter):
    presenter.choose(1, ranges=(Span(0, 4), Span(3, 9000)), lines=(LINES[1],))
    qtbot.waitUntil(lambda: presenter.query is not None)
    assert presenter.feature_lines == (LINES[1],)


def test_typed_words_are_refused_with_what_to_do(qtbot, presenter: QueryPresenter):
    with qtbot.waitSignal(presenter.failed) as told:
        presenter.refuse_words()
    assert "query line" in str(told.args[0])


def test_run_waits_for_a_query_that_is_being_read(qtbot, presenter: QueryPresenter):
    with qtbot.waitSignal(presenter.requested) as asked:
        presenter.choose(2)
        assert presenter.query is None
        presenter.run()
    assert len(asked.args[0].query.features) == 4


def test_the_last_leg_can_not_be_taken_away(presenter: QueryPresenter):
    presenter.set_legs((Ranker.BM25,))
    presenter.set_legs(())
    assert presenter.legs == (Ranker.BM25,)


def test_a_document_brings_its_date_and_is_itself_left_out(qtbot, services, runner, tmp_path):
    made = QueryPresenter(services, runner)
    with qtbot.waitSignal(made.requested) as asked:
        made.read_file(tmp_path / "application.xml")
    assert asked.args[0].before is None
    assert made.dates.filed == date(2010, 1, 2)
    assert str(asked.args[0].exclude_family_of) == "EP1000009A1"


def test_the_title_of_a_hit_tells_what_its_language_can_not_do():
    note = "In German; the model reads English."
    summary = PatentSummary(PatentId(1), publication(1), "Dämpfer", None, None, None, "", "", "de")
    hit = Hit(summary, 1.0, (), (), (), language_note=note)
    row = Row(1, hit, seen=False, given=NOT_GIVEN, dates=None, lamps=NO_LAMPS)
    assert COLUMNS[Column.TITLE].tip(row).endswith(note)
    assert note not in COLUMNS[Column.TITLE].tip(replace(row, hit=replace(hit, language_note="")))
