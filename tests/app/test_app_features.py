from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.screens.query import features
from app.screens.query.presenter import QueryPresenter
from core.types import SEARCH_LEGS, Leg
from tests.app.fake_services import LINES, FakeServices

WORDS = st.lists(st.text(alphabet="abc ,;", min_size=1), min_size=1, max_size=6).map(
    lambda lines: tuple(" ".join(line.split()) or "x" for line in lines)
)


def test_split_cuts_at_the_joint_nearest_to_the_middle():
    assert features.split(("a wheel, a frame that is stiff",), 0) == ("a wheel,", "a frame that is stiff")
    assert features.split(("a lever arm wherein the arm is bent",), 0) == (
        "a lever arm",
        "wherein the arm is bent",
    )
    assert features.split(("word",), 0) == ("word",)


def test_split_at_a_position():
    assert features.split(("one two",), 0, at=3) == ("one", "two")


@given(WORDS, st.integers(-2, 8), st.integers(0, 30))
def test_split_and_merge_lose_no_words(lines, index, at):
    cut = features.split(lines, index, at=at)
    assert " ".join(cut).split() == " ".join(lines).split() or "".join("".join(cut).split()) == "".join(
        "".join(lines).split()
    )
    assert "".join("".join(features.merge(lines, index)).split()) == "".join("".join(lines).split())


def test_edits():
    lines = ("a", "b")
    assert features.edit(lines, 0, " new  words ") == ("new words", "b")
    assert features.edit(lines, 0, " ") == ("b",)
    assert features.delete(lines, 1) == ("a",)
    assert features.delete(("a",), 0) == ("a",)
    assert features.add(lines, 0, "c") == ("a", "c", "b")
    assert features.add(lines, 0, " ") == lines
    assert features.split_into(lines, 0, "x", "y") == ("x", "y", "b")
    assert features.split_into(lines, 0, "", "y") == ("y", "b")


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
    assert asked.args[0].legs == SEARCH_LEGS


def test_what_is_no_claim_is_said(qtbot, services, runner):
    made = QueryPresenter(services, runner)
    with qtbot.waitSignal(made.failed) as failed:
        made.paste("no claim")
    assert str(failed.args[0]) == "These are no claims."


def test_editing_and_taking_back(qtbot, presenter: QueryPresenter):
    for change, expected in (
        (lambda: presenter.merge(0), (f"{LINES[0]} {LINES[1]}", LINES[2])),
        (lambda: presenter.delete(1), (f"{LINES[0]} {LINES[1]}",)),
        (presenter.undo_features, (f"{LINES[0]} {LINES[1]}", LINES[2])),
        (presenter.undo_features, LINES),
        (presenter.undo_features, LINES),
        (presenter.redo_features, (f"{LINES[0]} {LINES[1]}", LINES[2])),
        (presenter.redo_features, (f"{LINES[0]} {LINES[1]}",)),
        (presenter.redo_features, (f"{LINES[0]} {LINES[1]}",)),
        (presenter.undo_features, (f"{LINES[0]} {LINES[1]}", LINES[2])),
        (lambda: presenter.delete(0), (LINES[2],)),
        (presenter.redo_features, (LINES[2],)),  # a new change ends what could be made again
    ):
        change()
        qtbot.waitUntil(lambda: presenter.query is not None)
        assert presenter.feature_lines == expected


def test_taking_back_twice_in_a_hurry_and_after_a_refusal(
    qtbot, presenter: QueryPresenter, services: FakeServices, monkeypatch: pytest.MonkeyPatch
):
    presenter.merge(0)
    qtbot.waitUntil(lambda: presenter.query is not None)
    presenter.delete(1)
    presenter.undo_features()
    presenter.undo_features()  # the features of the first are not read yet
    qtbot.waitUntil(lambda: presenter.query is not None)
    assert presenter.feature_lines == LINES

    with monkeypatch.context() as patch:
        patch.setattr(services, "query_of_features", lambda *_: 1 / 0)
        with qtbot.waitSignal(presenter.failed):
            presenter.delete(0)
    assert presenter.query is None
    presenter.undo_features()
    qtbot.waitUntil(lambda: presenter.query is not None)
    assert presenter.feature_lines == LINES


def test_run_waits_for_a_query_that_is_being_read(qtbot, presenter: QueryPresenter):
    with qtbot.waitSignal(presenter.requested) as asked:
        presenter.choose(2)
        assert presenter.query is None
        presenter.run()
    assert len(asked.args[0].query.features) == 4


def test_the_last_leg_can_not_be_taken_away(presenter: QueryPresenter):
    presenter.set_legs((Leg.BM25,))
    presenter.set_legs(())
    assert presenter.legs == (Leg.BM25,)


def test_a_document_brings_its_date_and_is_itself_left_out(qtbot, services, runner, tmp_path):
    made = QueryPresenter(services, runner)
    with qtbot.waitSignal(made.requested) as asked:
        made.read_file(tmp_path / "application.xml")
    assert asked.args[0].before.isoformat() == "2010-01-02"
    assert str(asked.args[0].exclude_family_of) == "EP1000009A1"
