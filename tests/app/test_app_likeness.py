"""Searches for documents like the open one or like a passage, and sets of citations and families."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from claimlight.types import Feedback, TermCount
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.relations.view import SetOf
from claimlight_workbench.screens.sets.describe import expression_of, tip_of
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices

KEY = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


def lines(services: FakeServices) -> list[str]:
    return [each.expression for each in services.lines_run]


def waited(qtbot, window: MainWindow, services: FakeServices, line: str) -> None:
    qtbot.waitUntil(lambda: lines(services)[-1:] == [line])
    settle(qtbot, window)


def select(window: MainWindow, first: int, last: int) -> None:
    cursor = QTextCursor(window.see.reader.text.document())
    cursor.setPosition(first)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    window.see.reader.text.setTextCursor(cursor)


def test_d_searches_for_documents_like_the_open_one(qtbot, window: MainWindow, services: FakeServices):
    press(window.see.results.table, KEY.Key_D)
    waited(qtbot, window, services, "LIKE(EP1000001A1)")
    assert services.sets[-1].request.expression == "LIKE(EP1000001A1)", "it has a number of the case"
    assert window.see.expression.editor.text() == "LIKE(EP1000001A1)"


def test_shift_d_searches_for_the_passage_in_focus_and_for_selected_words(
    qtbot, window: MainWindow, services: FakeServices
):
    reader = window.see.reader
    placed = next(each for each in reader._text.placed if len(each.passage.text.split()) > 4)
    reader.go_to_passage(placed.passage.id)
    press(window.see.results.table, KEY.Key_D, SHIFT)
    words = " ".join(placed.passage.text.replace('"', "'").split())
    waited(qtbot, window, services, f'LIKE(EP1000001A1, "{words}")')
    select(window, placed.offset(0), placed.offset(6))
    text = placed.passage.text[:6].strip()
    reader.text.like_wanted.emit()
    waited(qtbot, window, services, f'LIKE(EP1000001A1, "{text}")')


def test_words_over_two_passages_are_taken_without_what_is_between_them(window: MainWindow):
    reader = window.see.reader
    one, other = reader._text.placed[1:3]
    select(window, one.offset(2), other.offset(4))
    assert reader.words_in_focus() == f"{one.passage.text[2:].strip()} {other.passage.text[:4].strip()}"


def test_the_reader_offers_it_in_its_menu(qtbot, window: MainWindow, services: FakeServices):
    text = window.see.reader.text
    QApplication.sendEvent(text, QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint()))
    menu = text.findChild(QMenu)
    assert "More like this passage" in [action.text() for action in menu.actions()]
    menu.close()


def test_citations_and_family_become_sets(qtbot, window: MainWindow, services: FakeServices):
    press(window.see.results.table, KEY.Key_C)
    settle(qtbot, window)
    buttons = window.see.citations.sets.buttons
    for which, line in (
        (SetOf.CITED, "CITED(EP1000001A1)"),
        (SetOf.CITING, "CITING(EP1000001A1)"),
        (SetOf.BOTH, "CITED(EP1000001A1) OR CITING(EP1000001A1)"),
    ):
        assert buttons[which].isEnabled()
        QTest.mouseClick(buttons[which], Qt.MouseButton.LeftButton)
        waited(qtbot, window, services, line)
    press(window.see.results.table, KEY.Key_B)
    settle(qtbot, window)
    QTest.mouseClick(window.see.family.sets.buttons[SetOf.FAMILY], Qt.MouseButton.LeftButton)
    waited(qtbot, window, services, "FAMILY(EP1000001A1)")
    assert [each.request.expression for each in services.sets[-4:]] == lines(services)[-4:]


def test_a_panel_offers_no_set_of_nothing(qtbot, window: MainWindow, services: FakeServices, monkeypatch):
    whole = services.citations
    monkeypatch.setattr(
        services, "citations", lambda patent, context: replace(whole(patent, context), cited_by=())
    )
    press(window.see.results.table, KEY.Key_C)
    settle(qtbot, window)
    enabled = {which: button.isEnabled() for which, button in window.see.citations.sets.buttons.items()}
    assert enabled == {SetOf.CITED: True, SetOf.CITING: False, SetOf.BOTH: False}


def test_without_a_document_it_says_what_to_do(window: MainWindow, services: FakeServices):
    window.do.reader.clear_out(None)
    before = list(lines(services))
    for act in (window.wiring.likeness.search_document, window.wiring.likeness.search_passage):
        act()
    assert window.statusBar().currentMessage() == "Open a document first"
    assert lines(services) == before


def test_the_rule_of_a_term_is_in_the_tip_of_its_set(qtbot, window: MainWindow, services: FakeServices):
    press(window.see.results.table, KEY.Key_D)
    waited(qtbot, window, services, "LIKE(EP1000001A1)")
    record = services.sets[-1]
    term = TermCount("LIKE(EP1000001A1)", 1, 0, 3, rule="without its own family; similarity 0.4 or more")
    told = tip_of(replace(record, parsed=replace(record.parsed, terms=(term,))))
    assert "LIKE(EP1000001A1): without its own family; similarity 0.4 or more" in told.splitlines()


def test_shift_r_searches_again_with_the_marks_of_the_case(qtbot, window: MainWindow, services: FakeServices):
    table, asked = window.see.results.table, len(services.asked)
    press(table, KEY.Key_R, SHIFT)
    assert "marked X or Y" in window.statusBar().currentMessage()
    assert len(services.asked) == asked, "nothing is searched without a relevant document"
    press(table, KEY.Key_X)
    settle(qtbot, window)
    press(table, KEY.Key_R, SHIFT)
    qtbot.waitUntil(lambda: services.asked[-1].feedback is not None)
    settle(qtbot, window)
    assert services.asked[-1].feedback == Feedback((window.do.reader.view.summary.publication,))
    assert "with your marks (1 relevant)" in expression_of(services.sets[-1])
    press(table, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: services.asked[-1].feedback is None)
    settle(qtbot, window)
