"""Claim, document and evidence light each other; hits and documents are gone through, marked and copied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.main_window import MainWindow
from app.models.results_model import Column, Order
from core.types import Category
from tests.app.driving import inverted, lit_pairs, point_at, press, settle
from tests.app.fake_services import FakeServices, publication

KEY = Qt.Key


def test_pointing_at_the_claim_lights_the_document(qtbot, window: MainWindow):
    panel = window.see.claim
    text = window.board.query.text
    position = panel._map.offset(text.index("crown"))
    point_at(qtbot, panel.text, position)
    assert lit_pairs(window) == {("crown wheel", "toothed ring")}
    assert inverted(window.see.reader.text) == {"toothed ring"}
    assert inverted(panel.text) == {"crown wheel"}
    strip = window.see.reader.strip.text()
    for words in ("F2", "crown wheel", "toothed ring", "anchor 0", "0.500", "no shared word"):
        assert words in strip


def test_pointing_at_the_document_lights_the_claim(qtbot, window: MainWindow):
    reader = window.see.reader
    # Behind an astral letter, where counting code points would point at the wrong word.
    placed = next(each for each in reader._text.placed if "𝛾" in each.passage.text)
    offset = placed.offset(placed.passage.text.index("biased"))
    point_at(qtbot, reader.text, offset)
    assert lit_pairs(window) == {("spring", "biased coil")}
    assert inverted(window.see.claim.text) == {"spring"}
    assert inverted(reader.text) == {"biased coil"}
    point_at(qtbot, reader.text, placed.offset(placed.passage.text.index("next")))
    assert window.board.lit == ()
    assert inverted(window.see.claim.text) == set()


def test_the_arrows_go_through_the_evidence_and_light_both_sides(qtbot, window: MainWindow):
    table = window.see.evidence.table
    table.setFocus()
    table.selectRow(0)
    seen = [lit_pairs(window)]
    press(table, KEY.Key_Down)
    seen.append(lit_pairs(window))
    assert seen == [{("crown wheel", "toothed ring")}, {("spring", "biased coil")}]
    assert inverted(window.see.claim.text) == {"spring"}
    # What was lit by key stays lit when the mouse leaves a text.
    window.see.reader.text.pointed.emit(-1)
    assert lit_pairs(window) == {("spring", "biased coil")}
    press(window, KEY.Key_Escape)
    assert window.board.lit == ()


def test_what_the_evidence_shows_sums_to_the_score(window: MainWindow):
    hit = window.board.hit
    links = window.see.evidence.model.links
    assert sum(link.match.contribution for link in links) == pytest.approx(hit.score)
    assert f"= center score of the passage {hit.score:.4f}" in window.see.evidence.sum.text()


def test_digits_jump_to_the_best_passage_of_a_feature(qtbot, window: MainWindow):
    best = window.board.links.evidence.features[1].passages[0].passage
    other = next(hit for hit in window.board.links.hits if hit != best)
    window.board.set_passage(other)
    press(window, KEY.Key_2)
    assert window.board.passage == best
    press(window, KEY.Key_2)
    assert window.board.passage != best
    second = window.board.passage
    press(window, KEY.Key_3)
    press(window, KEY.Key_2)
    assert window.board.passage == best
    assert second != best
    press(window, KEY.Key_9)
    assert window.board.passage == best


def test_nothing_found_is_an_answer(qtbot, window: MainWindow):
    window.do.query.add(2, "a lamp")
    settle(qtbot, window)
    press(window, KEY.Key_4)
    assert window.see.reader.strip.text() == "F4: nothing found in this document."
    assert "nothing found" in window.see.reader.features.buttons[3].accessibleName()


def test_shift_and_digit_switch_marks(qtbot, window: MainWindow):
    press(window, KEY.Key_2, Qt.KeyboardModifier.ShiftModifier)
    assert window.board.hidden == {"F2"}
    assert all(link.match.feature != "F2" for link in window.see.evidence.model.links)
    assert "marks are off" in window.see.evidence.sum.text()
    assert "marks off" in window.see.reader.features.buttons[1].accessibleName()
    press(window, KEY.Key_2, Qt.KeyboardModifier.ShiftModifier)
    assert window.board.hidden == frozenset()


def test_n_and_p_go_through_the_hits(window: MainWindow):
    hits = window.board.links.hits
    seen = []
    for key in (KEY.Key_N, KEY.Key_N, KEY.Key_P):
        press(window, key)
        seen.append(window.board.passage)
    assert seen == [hits[1], hits[2], hits[1]]
    assert window.see.reader.hit_label.text().startswith(f"hit 2 of {len(hits)}")


def test_down_flips_documents_and_marks_them_seen(qtbot, window: MainWindow):
    table = window.see.results.table
    table.setFocus()
    press(table, KEY.Key_Down)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    model = window.see.results.model
    assert [model.is_seen(model.hit(row)) for row in range(3)] == [True, True, False]
    assert model.unseen == 1
    press(window, KEY.Key_S)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(3))


def test_neighbours_are_fetched_ahead(qtbot, window: MainWindow):
    assert {int(patent) for patent in window.do.reader._kept} == {1, 2, 3}


def test_categories_by_key_and_undo(qtbot, window: MainWindow, services: FakeServices):
    model = window.see.results.model
    table = window.see.results.table
    for key, category in ((KEY.Key_X, "X"), (KEY.Key_A, "A"), (KEY.Key_0, "0")):
        press(table, key)
        settle(qtbot, window)
        assert model.index(0, Column.MARK).data() == category
    assert services.marks[publication(1)].category is Category.IRRELEVANT
    for expected in ("A", "X", ""):
        press(table, KEY.Key_U)
        settle(qtbot, window)
        assert model.index(0, Column.MARK).data() == expected
    assert window.see.case.redo.isEnabled()
    for expected in ("X", "A", "0", "0"):
        press(table, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        settle(qtbot, window)
        assert model.index(0, Column.MARK).data() == expected
    assert not window.see.case.redo.isEnabled()
    assert window.see.case.undo.isEnabled()


def test_copying_brings_the_citation(qtbot, window: MainWindow):
    reader = window.see.reader
    placed = reader._text.placed[2]
    cursor = reader.text.textCursor()
    cursor.setPosition(placed.offset(4))
    cursor.setPosition(placed.offset(12), cursor.MoveMode.KeepAnchor)
    reader.text.setTextCursor(cursor)
    reader.text.setFocus()
    press(reader.text, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "absorber\n(EP 1 000 001 A1, [0001])"


def test_the_table_can_be_ordered(qtbot, window: MainWindow):
    view = window.see.results

    def order() -> list[int]:
        return [int(view.model.hit(row).patent.id) for row in range(3)]

    assert order() == [1, 2, 3]
    view.set_order(Order.FEATURES)
    assert order() == [3, 2, 1]
    view.set_order(Order.DATE)
    assert order() == [3, 2, 1]
    assert view.current_hit().patent.id == 1


def test_a_coverage_strip_can_be_heard(window: MainWindow):
    index = window.see.results.model.index(0, Column.COVERAGE)
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "F1 20 percent, F2 nothing found, F3 nothing found"


def test_a_page_of_links_is_all_that_is_painted(qtbot, open_window, tmp_path):
    services = FakeServices(tmp_path, paragraphs=400)
    window = open_window(engine=services)
    assert window.see.reader.complete
    assert len(window.see.reader._text.placed) == 402
    assert 0 < len(window.see.reader.text.extraSelections()) < 200
