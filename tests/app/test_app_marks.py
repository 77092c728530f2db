"""Letters of categories by key and dialog, the passages they are given for, notes on passages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight.types import Category, Mark, PassageNote, Span
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.categories import given_of
from claimlight_workbench.models.passage_notes import place_notes
from claimlight_workbench.screens.case.letters import LettersDialog
from claimlight_workbench.screens.case.passage_note import PassageNoteDialog
from claimlight_workbench.screens.reader.painted import NOTE_SIGN
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, passages, publication

KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier
AT = datetime(2026, 1, 1, tzinfo=UTC)


def letters(window: MainWindow) -> list[str]:
    return [mark.letters for mark in window.do.case.state.marks]


def only(qtbot, window: MainWindow, kind: type):
    qtbot.waitUntil(lambda: bool(window.findChildren(kind)))
    (dialog,) = window.findChildren(kind)
    return dialog


def back(qtbot, window: MainWindow) -> None:
    """A dialog has closed: the window has the keys again."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def test_letters_are_proposed_chosen_and_undone(qtbot, window: MainWindow, services: FakeServices):
    services.proposed = (Category.P,)
    table = window.see.results.table
    press(table, KEY.Key_X)
    qtbot.waitUntil(lambda: "the category is P,X" in window.notices.status.currentMessage())
    assert letters(window) == ["X"], "a proposal sets nothing"
    press(table, KEY.Key_E)
    dialog = only(qtbot, window, LettersDialog)
    assert "proposed" in dialog.kinds[Category.P].text()
    assert not dialog.kinds[Category.P].isChecked()
    assert dialog.result_label.text() == "Category: X", "as it is"
    QTest.keyClicks(dialog, "pa")
    assert dialog.result_label.text() == "Category: P,A"
    QTest.keyClick(dialog, KEY.Key_Return)
    qtbot.waitUntil(lambda: letters(window) == ["P,A"])
    model = window.see.results.model
    assert model.given(model.hit(0)).text == "P,A"
    assert window.see.case.marks.item(0).text().startswith("P,A   EP")
    assert window.see.reader.given.text() == "P,A claim 1"
    back(qtbot, window)
    press(table, KEY.Key_Y)
    qtbot.waitUntil(lambda: letters(window) == ["P,Y"])
    press(table, KEY.Key_0)
    qtbot.waitUntil(lambda: letters(window) == ["0"])
    press(table, KEY.Key_U)
    qtbot.waitUntil(lambda: letters(window) == ["P,Y"])


def test_each_claim_has_its_category_and_a_list_shows_that_of_another_in_parentheses(
    qtbot, window: MainWindow, services: FakeServices
):
    press(window.see.results.table, KEY.Key_X)
    qtbot.waitUntil(lambda: letters(window) == ["X"])
    window.do.query.choose(2)
    settle(qtbot, window)
    row = window.see.results.model
    assert row.given(row.hit(0)).text == "(X)"
    assert row.given(row.hit(0)).words == "category X for claim 1"
    press(window.see.results.table, KEY.Key_A)
    qtbot.waitUntil(lambda: sorted(letters(window)) == ["A", "X"])
    assert row.given(row.hit(0)).text == "A"
    assert window.see.reader.given.text() == "A claim 2  ·  X claim 1"


def test_passages_are_cited_with_the_category(qtbot, window: MainWindow, services: FakeServices):
    window.see.reader.go_to_passage(passages(1)[2].id)
    press(window.see.results.table, KEY.Key_X, SHIFT)
    assert "category first" in window.notices.status.currentMessage()
    press(window.see.results.table, KEY.Key_X)
    qtbot.waitUntil(lambda: letters(window) == ["X"])
    assert "category first" not in window.notices.status.currentMessage()
    press(window.see.results.table, KEY.Key_X, SHIFT)
    qtbot.waitUntil(lambda: window.see.reader.given.text() == "X claim 1: [0001]")
    assert "claim 1: [0001]" in window.see.case.marks.item(0).text()
    press(window.see.results.table, KEY.Key_X, SHIFT)
    qtbot.waitUntil(lambda: window.see.reader.given.text() == "X claim 1")


def test_a_note_on_a_passage_is_written_shown_and_removed(qtbot, window: MainWindow, services: FakeServices):
    reader, panel = window.see.reader, window.see.case.passage_notes
    reader.go_to_passage(passages(1)[2].id)
    press(window.see.results.table, KEY.Key_N, SHIFT)
    dialog = only(qtbot, window, PassageNoteDialog)
    QTest.keyClicks(dialog.note, "see fig. 3")
    dialog.save()
    qtbot.waitUntil(lambda: panel.count() == 1)
    assert panel.item(0).text() == "[0001]: see fig. 3"
    first, last = 0, reader.text.document().characterCount()
    assert NOTE_SIGN in [label for chips in reader._painted.chips(first, last) for label in chips.labels]
    placed = reader._text.of(passages(1)[2].id)
    assert reader._tip_at(placed.start) == "[0001]: see fig. 3"
    # On words: they are underlined, and the note names them.
    back(qtbot, window)
    reader.text.choose(placed.offset(2), placed.offset(8))
    press(window.see.results.table, KEY.Key_N, SHIFT)
    qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(PassageNoteDialog)))
    dialog = next(each for each in window.findChildren(PassageNoteDialog) if each.isVisible())
    dialog.note.setPlainText("these words")
    dialog.save()
    qtbot.waitUntil(lambda: panel.count() == 2)
    words = passages(1)[2].text[2:8]
    assert f"“{words.strip()}”" in panel.item(1).text()
    panel.setCurrentRow(0)
    window.see.case._edit_passage_note()
    dialog = next(each for each in window.findChildren(PassageNoteDialog) if each.isVisible())
    assert dialog.note.toPlainText() == "see fig. 3"
    dialog.note.clear()
    dialog.save()
    qtbot.waitUntil(lambda: panel.count() == 1)
    QApplication.processEvents()


def test_notes_are_placed_by_text_then_by_citation():
    views = passages(1)
    kept = PassageNote(publication(1), "[0009]", views[2].text, "d", "moved", AT, Span(0, 3))
    edited = PassageNote(publication(1), "[0002]", "Another text.", "e", "edited", AT, Span(0, 3))
    gone = PassageNote(publication(1), "[0099]", "Nowhere.", "f", "gone", AT)
    found = place_notes([gone, edited, kept], views)
    assert [each.note.note for each in found] == ["moved", "edited", "gone"]
    assert [each.passage for each in found] == [views[2], views[3], None]
    assert [each.words for each in found] == [Span(0, 3), None, None]
    assert "(another text now)" in found[1].line


def test_what_is_shown_of_several_marks():
    number = publication(1)
    marks = [Mark(number, Category.A, claim=1), Mark(number, Category.X, claim=3, kinds=(Category.D,))]
    assert given_of(marks, 1).text == "A"
    assert given_of(marks, 2).text == "(D,X)"
    assert given_of([Mark(number, note="n")], 1).text == ""


@pytest.mark.styled
def test_all_letters_of_a_category_have_room_in_a_narrow_list(qtbot, window: MainWindow):
    window.resize(1366, 768)
    settle(qtbot, window)
    table = window.see.results.table
    room = table.columnWidth(Column.MARK)
    assert room >= table.fontMetrics().horizontalAdvance("P,D,X")


def test_words_selected_elsewhere_are_not_taken_for_the_passage_in_focus(window, qtbot):
    """After a jump a note is on the passage with the bar, whatever was selected before."""
    reader, board = window.see.reader, window.board
    start = reader.text.toPlainText().index("Claims")
    reader.text.choose(start + 10, start + 14)
    selected = reader.chosen_words()
    assert selected is not None
    other = next(hit.passage for hit in board.links.evidence.passages if hit.passage != selected[0].id)
    reader.go_to_passage(other)
    chosen = reader.chosen_words()
    assert chosen is not None
    assert (chosen[0].id, chosen[1]) == (other, None)
