"""Claim, document and evidence light each other; hits and documents are gone through, marked and copied."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from claimlight.types import Category, PublicationNumber
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.results_model import Order
from claimlight_workbench.widgets import motion
from claimlight_workbench.widgets.chips import chip_font, chip_width
from tests.app.driving import Column, inverted, lit_pairs, point_at, press, settle
from tests.app.fake_services import FakeServices, publication, query_of

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
    for words in ("F2", "crown wheel", "toothed ring", "anchor 0", "contribution 0.5", "no shared word"):
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
    assert f"= passage score {hit.score:.1f}" in window.see.evidence.sum.text()


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
    window.do.query.split_at(2, len("a spring"))
    settle(qtbot, window)
    press(window, KEY.Key_4)
    assert window.see.reader.strip.text() == "F4: no match in this document."
    assert "no match" in window.see.reader.features.buttons[3].accessibleName()


def test_shift_and_digit_switch_marks(qtbot, window: MainWindow):
    press(window, KEY.Key_2, Qt.KeyboardModifier.ShiftModifier)
    assert window.board.hidden == {"F2"}
    assert all(link.match.feature != "F2" for link in window.see.evidence.model.links)
    assert "highlights are off" in window.see.evidence.sum.text()
    assert "highlights off" in window.see.reader.features.buttons[1].accessibleName()
    press(window, KEY.Key_2, Qt.KeyboardModifier.ShiftModifier)
    assert window.board.hidden == frozenset()


def test_n_and_p_go_through_the_hits(window: MainWindow):
    links = window.board.links
    in_reading_order = [each.id for each in window.do.reader.view.passages if each.id in links.hits]
    assert list(links.hits) == in_reading_order
    window.board.set_passage(links.hits[0])
    seen = []
    for key in (KEY.Key_N, KEY.Key_N, KEY.Key_P):
        press(window, key)
        seen.append(window.board.passage)
    assert seen == [links.hits[1], links.hits[2], links.hits[1]]
    assert window.see.reader.hit_label.text().startswith(f"all features: 2 of {len(links.hits)} · claim 1")
    press(window, KEY.Key_P)
    press(window, KEY.Key_P)
    assert window.board.passage == links.hits[-1], "before the first comes the last"


def test_from_between_two_passages_n_goes_to_the_next_and_p_to_the_one_before(window: MainWindow):
    links = window.board.links
    links.hits = tuple(links.hits[place] for place in (0, 2))
    between = window.do.reader.view.passages[1].id
    for key, expected in ((KEY.Key_N, links.hits[1]), (KEY.Key_P, links.hits[0])):
        window.board.set_passage(between)
        press(window, key)
        assert window.board.passage == expected


def test_a_jump_inside_the_passage_on_view_brings_the_match_of_the_feature_on_view(window: MainWindow):
    reader = window.see.reader
    press(window, KEY.Key_2)
    shown: list[int] = []
    reader.text.show_position = lambda position, **_: shown.append(position)
    press(window, KEY.Key_1)
    passage = window.board.passage
    strongest = window.board.links.strongest_of(passage, "F1")
    assert shown[-1] == reader._text.of(passage).offset(strongest.match.passage.start)


def test_a_jump_marks_where_it_arrives_and_shows_the_evidence_of_its_feature_alone(qtbot, window: MainWindow):
    reader, evidence = window.see.reader, window.see.evidence
    everything = evidence.model.links
    assert {link.match.feature for link in everything} > {"F2"}
    press(window, KEY.Key_2)
    assert [button.isChecked() for button in reader.features.buttons] == [False, True, False]
    assert "the evidence shows this feature only" in reader.features.buttons[1].accessibleName()
    assert {link.match.feature for link in evidence.model.links} == {"F2"}
    assert "= score of F2 in the passage" in evidence.sum.text()
    placed = reader._text.of(window.board.passage)
    assert reader.text.current == (placed.start, placed.end), "a bar in the margin stands beside it"
    steps = window.board.steps
    number = steps.index(window.board.passage) + 1
    label = placed.passage.label
    assert reader.hit_label.text() == f"F2: {number} of {len(steps)}, best · {label} · 75"
    assert reader.text.emphasised == (placed.start, placed.end)
    assert evidence.alone.isVisible()
    press(window, KEY.Key_Escape)
    assert window.board.focus == ""
    assert {link.match.feature for link in evidence.model.links} > {"F2"}


def test_after_a_jump_n_and_p_go_through_the_passages_of_that_feature(window: MainWindow):
    press(window, KEY.Key_2)
    board, evidence = window.board, window.see.evidence
    steps = board.steps
    assert set(steps) == {hit.passage for hit in board.links.evidence.features[1].passages}
    assert list(steps) == sorted(steps), "in reading order"
    here = steps.index(board.passage)
    press(window, KEY.Key_N)
    assert board.passage == steps[(here + 1) % len(steps)]
    assert board.focus == "F2"
    assert "best" in window.see.reader.hit_label.text()
    evidence.alone.button.click()
    assert board.focus == ""
    assert not evidence.alone.isVisible()
    assert board.steps == board.links.hits


def test_the_only_passage_of_a_feature_says_that_there_is_no_other(window: MainWindow, monkeypatch):
    press(window, KEY.Key_2)
    here = window.board.passage
    monkeypatch.setattr(type(window.board), "steps", (here,))
    press(window, KEY.Key_N)
    assert window.board.passage == here
    assert "F2: no other passage" in window.see.reader.strip.text()


def test_what_is_emphasised_fades_unless_motion_is_reduced(qtbot, window: MainWindow):
    text = window.see.reader.text
    press(window, KEY.Key_2)
    assert text._emphasis.endValue() == 0.0
    with qtbot.waitSignal(text._emphasis.finished):
        pass
    assert text.emphasised is None
    motion.set_reduced(True)
    try:
        press(window, KEY.Key_1)
        assert text._emphasis.endValue() == text._emphasis.startValue()
    finally:
        motion.set_reduced(False)


@pytest.mark.styled
def test_the_bar_of_the_current_passage_is_drawn(qtbot, window: MainWindow):
    reader = window.see.reader
    margin = reader.text._margin
    shown = margin.grab().toImage()
    reader.text.set_current(lambda: None)
    margin.update()
    assert margin.grab().toImage() != shown


def test_buttons_of_features_are_used_again_for_every_document(qtbot, window: MainWindow):
    before = window.see.reader.features.buttons
    window.see.results.table.setFocus()
    press(window.see.results.table, KEY.Key_Down)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    assert window.see.reader.features.buttons == before
    window.do.query.split_at(2, len("a spring"))
    settle(qtbot, window)
    assert window.see.reader.features.buttons[:3] == before
    window.do.query.leave_out(3)
    settle(qtbot, window)
    assert window.see.reader.features.buttons == before
    assert not window.see.reader.features._made[3].isVisibleTo(window.see.reader.features)


@pytest.mark.styled
def test_chips_of_two_digits_have_room_beside_each_other(qtbot, window: MainWindow):
    text = window.see.reader.text
    narrow = text.chip_column
    window.board.set_query(query_of([f"a lamp {number}" for number in range(10)]))
    assert len(window.board.query.features) == 10
    wide = chip_width(chip_font(text.font()), "F10")
    assert narrow <= wide < text.chip_column
    assert window.see.reader.text._margin.width() >= 2 * text.chip_column


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
    assert services.marks[publication(1), 1].category is Category.IRRELEVANT
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


def test_without_a_selection_the_current_passage_is_copied(qtbot, window: MainWindow):
    reader = window.see.reader
    placed = reader._text.placed[2]
    reader.go_to_passage(placed.passage.id)
    reader.text.setFocus()
    press(reader.text, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"{placed.passage.text}\n(EP 1 000 001 A1, [0001])"


def test_a_us_patent_is_copied_without_paragraph_numbers_that_are_not_printed(
    qtbot, window: MainWindow, monkeypatch
):
    reader = window.see.reader
    view = reader._text.view
    grant = replace(view.summary, publication=PublicationNumber("US", "8419064", "B2"))
    monkeypatch.setattr(reader._text, "view", replace(view, summary=grant))
    reader.go_to_passage(reader._text.placed[2].passage.id)
    reader.text.copy_cited()
    assert QGuiApplication.clipboard().text().endswith("\n(US 8,419,064 B2, paragraph 1 of the file)")


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
    assert spoken == (
        "F1 match strength 20 (below threshold), best passage abstract, F2 no match, F3 no match"
    )


def test_a_page_of_links_is_all_that_is_painted(qtbot, open_window, tmp_path):
    services = FakeServices(tmp_path, paragraphs=400)
    window = open_window(engine=services)
    assert window.see.reader.complete
    assert len(window.see.reader._text.placed) == 402
    assert 0 < len(window.see.reader.text.extraSelections()) < 200
