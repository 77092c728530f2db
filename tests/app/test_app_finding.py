"""Finding words in the open document, the strip of hits beside it, and its bibliographic data."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight.types import (
    Citation,
    DateFinding,
    DateStatus,
    Party,
    Priority,
    PublicationNumber,
    Role,
    SetMark,
    Span,
)
from claimlight_workbench import theme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.words import DocumentWords
from claimlight_workbench.screens.reader.describe import front_rows
from claimlight_workbench.screens.reader.hit_lanes import FINDS, WORDS
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices

KEY = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def find(qtbot, window: MainWindow, words: str) -> None:
    press(window, KEY.Key_F, CTRL)
    line = window.see.reader.find_bar.line
    QTest.keyClicks(line, words)
    settle(qtbot, window)


def found_texts(window: MainWindow) -> list[str]:
    texts = {each.id: each.text for each in window.do.reader.view.passages}
    return [texts[each.passage][each.span.start : each.span.end] for each in window.board.finds.places]


def count(window: MainWindow) -> str:
    return window.see.reader.find_bar.count.text()


def test_what_is_typed_is_found_and_marked_in_the_whole_document(qtbot, window: MainWindow):
    reader = window.see.reader
    find(qtbot, window, "COIL")
    texts = found_texts(window)
    assert len(texts) > 1
    assert {each.lower() for each in texts} == {"coil"}
    assert count(window) == f"1 of {len(texts)}"
    reader.text.paint_marks()
    marked = [
        each.cursor.selectedText()
        for each in reader.text.extraSelections()
        if each.format.background().color().name() in {theme.LIGHT.found, theme.LIGHT.text}
    ]
    assert marked
    assert {each.lower() for each in marked} == {"coil"}


def test_enter_and_f3_step_through_the_matches(qtbot, window: MainWindow):
    line = window.see.reader.find_bar.line
    find(qtbot, window, "coil")
    total = len(window.board.finds.places)
    press(line, KEY.Key_Return)
    assert count(window) == f"2 of {total}"
    press(line, KEY.Key_Return, SHIFT)
    press(line, KEY.Key_Return, SHIFT)
    assert count(window) == f"{total} of {total}", "before the first comes the last"
    window.see.reader.text.setFocus()
    press(window, KEY.Key_F3)
    assert count(window) == f"1 of {total}"
    press(window, KEY.Key_F3, SHIFT)
    assert count(window) == f"{total} of {total}"


def test_letters_are_text_in_the_bar_and_escape_returns_the_keys(qtbot, window: MainWindow):
    table = window.see.results.table
    table.setFocus()
    find(qtbot, window, "xn3")
    bar = window.see.reader.find_bar
    assert bar.line.text() == "xn3"
    assert count(window) == "no match"
    assert not bar.next.isEnabled()
    press(bar.line, KEY.Key_Escape)
    assert bar.isHidden()
    assert table.hasFocus()
    assert window.board.finds.found is None


def test_escape_outside_the_bar_closes_it_before_it_shows_all_features(qtbot, window: MainWindow):
    press(window, KEY.Key_2)
    find(qtbot, window, "coil")
    window.see.reader.text.setFocus()
    press(window, KEY.Key_Escape)
    assert window.see.reader.find_bar.isHidden()
    assert window.board.focus == "F2"


def test_the_selected_words_are_looked_for_from_where_they_are(qtbot, window: MainWindow):
    reader = window.see.reader
    placed = reader._text.placed[2]
    at = placed.passage.text.index("coil")
    reader.text.choose(placed.offset(at), placed.offset(at + 4))
    press(window, KEY.Key_F, CTRL)
    settle(qtbot, window)
    assert reader.find_bar.line.text() == "coil"
    current = window.board.finds.current
    assert (current.passage, current.span) == (placed.passage.id, Span(at, at + 4))


def test_case_and_whole_words_can_be_asked_for(qtbot, window: MainWindow):
    bar = window.see.reader.find_bar
    find(qtbot, window, "Coi")
    assert window.board.finds.places
    for button in (bar.case, bar.whole):
        button.click()
        settle(qtbot, window)
        assert count(window) == "no match"
        button.click()
        settle(qtbot, window)
        assert window.board.finds.places


def test_the_next_document_is_searched_for_the_same_and_opens_at_its_best_passage(qtbot, window: MainWindow):
    find(qtbot, window, "coil")
    window.see.results.step(1)
    qtbot.waitUntil(lambda: int(window.do.reader.view.summary.id) == 2)
    settle(qtbot, window)
    finds = window.board.finds
    assert finds.found.patent == window.do.reader.view.summary.id
    assert finds.at == -1
    assert window.board.passage == window.board.links.best
    press(window, KEY.Key_F3)
    assert finds.at >= 0


def test_a_newer_search_replaces_the_one_before(qtbot, window: MainWindow):
    find(qtbot, window, "coil")
    bar = window.see.reader.find_bar
    bar.line.setText("zzz")
    bar.line.setText("damper")
    settle(qtbot, window)
    assert {each.lower() for each in found_texts(window)} <= {"damper"}


@pytest.fixture
def long_window(open_window, tmp_path) -> MainWindow:
    return open_window(engine=FakeServices(tmp_path, paragraphs=400))


def lane(window: MainWindow, start: str):
    return next(each for each in window.see.reader.hits.lanes if each.name.startswith(start))


@pytest.mark.styled
def test_the_strip_has_a_tick_for_every_hit_and_a_click_goes_there(qtbot, long_window: MainWindow):
    window, reader = long_window, long_window.see.reader
    find(qtbot, window, "coil")
    qtbot.waitUntil(lambda: reader.lanes.measured)
    ticks = lane(window, FINDS)
    assert len(ticks.places) == len(window.board.finds.places)
    assert list(ticks.places) == sorted(ticks.places)
    assert 0.0 <= ticks.places[0] < ticks.places[-1] <= 1.0
    assert f"{FINDS}: {len(ticks.places)}" in reader.hits.accessibleName()
    last = len(ticks.places) - 1
    height = round(ticks.places[last] * (reader.hits.height() - 2))
    QTest.mouseClick(reader.hits, Qt.MouseButton.LeftButton, pos=QPoint(3, height))
    lane_name, number = reader.hits.hit_at(height)
    assert lane_name == FINDS
    assert window.board.finds.at == number
    shown = reader._text.of(window.board.finds.current.passage)
    first, end = reader.text.visible_range()
    assert first <= shown.end
    assert shown.start <= end


@pytest.mark.styled
def test_ticks_are_where_their_passages_are(qtbot, long_window: MainWindow):
    reader = long_window.see.reader
    qtbot.waitUntil(lambda: reader.lanes.measured)
    ticks = lane(long_window, "passages")
    bar = reader.text.verticalScrollBar()
    height = bar.maximum() + bar.pageStep()
    for number, passage in enumerate(reader.lanes.passages):
        cursor = reader.text.textCursor()
        cursor.setPosition(reader._text.of(passage).start)
        top = reader.text.cursorRect(cursor).top() + bar.value()
        assert ticks.places[number] == pytest.approx(top / height, abs=0.01)


def test_ticks_of_features_have_their_colours_and_names(qtbot, window: MainWindow):
    reader, board = window.see.reader, window.board
    qtbot.waitUntil(lambda: reader.lanes.measured)
    ticks = lane(window, "passages")
    assert set(reader.lanes.passages) <= set(board.links.hits)
    assert set(ticks.colours) <= {theme.feature_colour(theme.LIGHT, f"F{n}") for n in (1, 2, 3)}
    words = [ticks.words(number) for number in range(len(ticks.places))]
    assert all(" F" in each for each in words)
    press(window, KEY.Key_2)
    alone = lane(window, "passages")
    assert alone.name.endswith("of F2")
    assert set(alone.colours) == {theme.feature_colour(theme.LIGHT, "F2")}
    board.set_hidden(["F1", "F2", "F3"])
    board.leave_focus()
    assert not len(lane(window, "passages").places)


def test_query_words_have_ticks_while_they_are_shown(qtbot, window: MainWindow):
    reader, view = window.see.reader, window.do.reader.view
    qtbot.waitUntil(lambda: reader.lanes.measured)
    marks = tuple(SetMark(each.id, Span(0, 3), 0) for each in view.passages[1:4])
    window.board.words.show(DocumentWords(marks, view))
    assert len(lane(window, WORDS).places) == 3
    assert reader.hit_label.text().startswith("query words: 1 of 3")
    window.board.words.set_on(False)
    assert not len(lane(window, WORDS).places)


def test_the_strip_shows_the_visible_part(qtbot, long_window: MainWindow):
    reader = long_window.see.reader
    bar = reader.text.verticalScrollBar()
    bar.setValue(0)
    assert reader.hits._first == 0.0
    bar.setValue(bar.maximum())
    assert reader.hits._last == pytest.approx(1.0)
    reader.hits.moved.emit(0.5)
    assert (reader.hits._first + reader.hits._last) / 2 == pytest.approx(0.5, abs=0.01)


def test_bibliographic_data_fold_to_a_line(qtbot, window: MainWindow, services: FakeServices):
    front = window.see.reader.front
    view = replace(
        window.do.reader.view,
        parties=(Party(Role.APPLICANT, "Rad AG", "DE"), Party(Role.INVENTOR, "A. Wheel")),
        priorities=(Priority("DE", "102010", date(2010, 1, 2)),),
        citations=(Citation(PublicationNumber("US", "1234567", "A")),),
        cited_by=(PublicationNumber("EP", "2000000", "A1"),),
        family_members=(PublicationNumber("US", "8419064", "B2"),),
    )
    window.see.reader.show_document(view)
    assert front.line.isVisible()
    found = DateFinding(DateStatus.EPC_PUBLISHED, "Full prior art", "Published before the filing date.")
    front.show_dates(found)
    assert "Full prior art" in front.line.text()
    front.toggle.setFocus()
    press(front.toggle, KEY.Key_Space)
    assert not front.line.isVisible()
    rows = {row.name: row.value for row in front.rows}
    assert rows["Applicants"] == "Rad AG (DE)"
    assert rows["Inventors"] == "A. Wheel"
    assert rows["Date status"] == "Full prior art"
    assert rows["Family"] == "1 other member in this library: US 8,419,064 B2"
    assert rows["Citations"] == "cites 1  ·  cited by 1 of this library"
    assert "Assignees" not in rows, "what the file does not say has no row"
    QApplication.processEvents()
    window.see.results.step(1)
    settle(qtbot, window)
    assert front.toggle.isChecked(), "it stays open for the next document"


def test_the_date_status_of_the_list_is_shown_with_the_document(qtbot, window: MainWindow):
    results, view = window.see.results, window.do.reader.view
    found = DateFinding(DateStatus.EPC_PUBLISHED, "Full prior art", "Published before.")
    results.model.set_zones({view.summary.id: found}, all_new=True)
    assert "Full prior art" in window.see.reader.front.line.text()
    results.model.set_zones({}, all_new=True)
    assert "Full prior art" not in window.see.reader.front.line.text()


def test_a_document_that_says_nothing_more_has_few_rows(window: MainWindow):
    view = replace(window.do.reader.view, parties=(), priorities=(), source="")
    assert "Citations" not in {row.name for row in front_rows(view, None)}
