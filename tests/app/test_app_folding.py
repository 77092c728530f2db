"""Weak links are folded: never lost, always one step away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.models.links import UNFOLDED_LEAST, UNFOLDED_SHARE, DocumentLinks, LinkBoard
from app.screens.evidence.view import LINK_ROLE, Column, EvidenceView
from core.types import (
    CenterId,
    DocumentEvidence,
    Evidence,
    PassageHit,
    PassageId,
    PatentId,
    Query,
    Section,
    Span,
)

PASSAGE = PassageId(7)
WEIGHTS = st.lists(st.floats(0.001, 5), min_size=1, max_size=40)


def board_of(weights: list[float]) -> LinkBoard:
    items = tuple(
        Evidence(Span(at, at + 1), Span(2 * at, 2 * at + 1), CenterId(0), "a", weight, "F1")
        for at, weight in enumerate(weights)
    )
    text = "x " * len(weights)
    hit = PassageHit(PASSAGE, Section.CLAIMS, "claim 1", text, sum(weights), items)
    board = LinkBoard()
    board.set_query(Query("y" * len(weights)))
    board.set_document(DocumentLinks(DocumentEvidence(PatentId(1), (hit,), ())))
    board.set_passage(PASSAGE)
    return board


@given(WEIGHTS)
def test_what_is_shown_carries_its_share_and_nothing_stronger_is_folded(weights):
    board = board_of(weights)
    strong = [link.evidence.contribution for link in board.strong_links]
    folded = sorted(weights, reverse=True)[len(strong) :]
    assert sum(strong) >= UNFOLDED_SHARE * sum(weights) * (1 - 1e-9)
    assert len(strong) >= min(UNFOLDED_LEAST, len(weights))
    assert not folded or folded[0] < strong[-1]
    board.set_folded(folded=False)
    assert len(board.strong_links) == len(weights)


@given(WEIGHTS)
def test_marks_are_those_of_the_shown_links(weights):
    board = board_of(weights)
    shown = {link.evidence.passage.start for link in board.strong_links}
    assert {run.start for run in board.passage_marks(PASSAGE)} == shown
    board.set_folded(folded=False)
    assert len(board.passage_marks(PASSAGE)) == len(weights)


def test_pointing_at_a_folded_word_lights_it_all_the_same(qapp):
    board = board_of([5.0] * 6 + [0.1] * 4)
    board.point_at_query(9)
    assert [link.evidence.passage.start for link in board.lit] == [18]


def test_the_last_row_stands_for_the_folded_links_and_opens_them(qtbot):
    board = board_of([5.0] * 6 + [0.1] * 4)
    view = EvidenceView(board)
    qtbot.addWidget(view)
    last = view.model.index(6, Column.CLAIM)
    assert view.model.rowCount() == 7
    assert "4 weaker links, together 0.4000" in last.data()
    assert last.data(LINK_ROLE) is None
    assert sum(link.evidence.contribution for link in view.model.links) == pytest.approx(30.4)
    view.table.clicked.emit(last)
    assert not board.folded
    assert view.model.rowCount() == 10
