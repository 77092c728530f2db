"""Weak matches are neither marked nor listed until they are asked for: never lost, one key away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from claimlight.types import (
    CellVerdict,
    CenterId,
    DocumentEvidence,
    Evidence,
    Feature,
    FeatureEvidence,
    FeatureStrength,
    Match,
    PassageHit,
    PassageId,
    PatentId,
    Query,
    Section,
    Span,
)
from claimlight_workbench import language
from claimlight_workbench.models.links import DocumentLinks, LinkBoard
from claimlight_workbench.screens.evidence.view import LINK_ROLE, Column, EvidenceView

PASSAGE = PassageId(7)
MATCHES = st.lists(st.tuples(st.floats(0.001, 5), st.booleans()), min_size=1, max_size=40)


def hit_of(matches: list[tuple[float, bool]], passage: PassageId = PASSAGE, other: float = 0.0) -> PassageHit:
    """A passage with matches given by weight and whether they are weak."""
    spans = [(Span(at, at + 1), Span(2 * at, 2 * at + 1)) for at in range(len(matches))]
    strong = any(not weak for _, weak in matches)
    figure = FeatureStrength(
        "F1", 0.6 if strong else 0.2, CellVerdict.STRONG if strong else CellVerdict.BELOW
    )
    return PassageHit(
        passage,
        Section.CLAIMS,
        f"claim {passage}",
        "x " * len(matches),
        sum(weight for weight, _ in matches) + other,
        tuple(
            Evidence(asked, met, CenterId(0), "a", weight, "F1")
            for (asked, met), (weight, _) in zip(spans, matches, strict=True)
        ),
        tuple(
            Match(asked, met, "F1", weight, (at,), weak=weak)
            for at, ((asked, met), (weight, weak)) in enumerate(zip(spans, matches, strict=True))
        ),
        other,
        (figure,),
    )


def board_of(*hits: PassageHit) -> LinkBoard:
    board = LinkBoard()
    feature = Feature("F1", Span(0, 90), "y" * 90)
    board.set_query(Query("y" * 90, (feature,)))
    best = max(hits, key=lambda hit: hit.strengths[0].strength)
    alone = FeatureEvidence(feature, best.strengths[0].strength, best.strengths[0].verdict, (best,))
    board.set_document(DocumentLinks(DocumentEvidence(PatentId(1), hits, (alone,))))
    return board


@given(MATCHES)
def test_marks_and_rows_are_the_matches_that_are_not_weak_until_all_are_asked_for(matches):
    board = board_of(hit_of(matches))
    expected = {2 * at for at, (_, weak) in enumerate(matches) if not weak}
    assert {link.match.passage.start for link in board.strong_links} == expected
    assert {run.start for run in board.passage_marks(PASSAGE)} == expected
    board.set_weak(shown=True)
    assert len(board.strong_links) == len(board.passage_marks(PASSAGE)) == len(matches)


def test_pointing_at_a_weak_word_highlights_it_all_the_same(qapp):
    board = board_of(hit_of([(5.0, False)] * 6 + [(0.1, True)] * 4))
    board.point_at_query(9)
    assert [link.match.passage.start for link in board.lit] == [18]


def test_last_rows_stand_for_weak_matches_and_other_words_and_nothing_of_the_score_is_left_out(qtbot):
    board = board_of(hit_of([(5.0, False)] * 6 + [(0.1, True)] * 4, other=0.8))
    view = EvidenceView(board)
    qtbot.addWidget(view)
    assert view.model.rowCount() == 8
    weak, other = view.model.index(6, Column.CLAIM), view.model.index(7, Column.CLAIM)
    assert weak.data() == "4 matches below threshold  (W shows them)"
    assert other.data() == "Other words (of, one, claim, numbers, units)"
    assert weak.data(LINK_ROLE) is None
    assert view.sum.text() == "10 matches 30.4 + other words 0.8 = passage score 31.2"
    assert sum(link.match.contribution for link in view.model.links) == pytest.approx(30.4)
    view.table.clicked.emit(other)
    assert not board.weak
    view.table.clicked.emit(weak)
    assert board.weak
    assert view.model.rowCount() == 11


def test_one_row_for_all_matches_has_the_figure_of_the_line_below_it(qtbot):
    board = board_of(hit_of([(3.37, True), (3.37, True)], other=0.74))
    view = EvidenceView(board)
    qtbot.addWidget(view)
    row = view.model.index(0, Column.CLAIM)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole).endswith("total 6.8")
    assert view.sum.text() == "2 matches 6.8 + other words 0.7 = passage score 7.5"


def test_a_document_below_the_threshold_is_not_marked_and_says_so(qtbot):
    board = board_of(hit_of([(2.0, True), (1.0, True)]))
    assert board.passage == PASSAGE, "its best passage is on view"
    assert board.links is not None
    assert board.links.hits == ()
    assert board.passage_marks(PASSAGE) == ()
    assert board.query_marks() == ()


def test_passages_with_a_match_are_gone_through_in_reading_order(qapp):
    strong, weak = [(5.0, False)], [(9.0, True)]
    hits = [hit_of(marks, PassageId(n)) for n, marks in ((9, strong), (3, weak), (4, strong), (6, strong))]
    board = board_of(*hits)
    assert board.links is not None
    assert board.links.hits == (4, 6, 9)
    assert board.passage == 9, "a document is opened at the best of them"


def test_the_figure_of_the_last_row_is_written_as_the_language_writes_it(qtbot):
    language.use("de")
    try:
        view = EvidenceView(board_of(hit_of([(3.37, True), (3.37, True)], other=0.74)))
        qtbot.addWidget(view)
        assert "6,8" in view.model.index(0, Column.CLAIM).data(Qt.ItemDataRole.AccessibleTextRole)
        assert "6,8" in view.sum.text()
    finally:
        language.use("en")
