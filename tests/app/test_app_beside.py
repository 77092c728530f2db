"""Two documents side by side: the one that was kept beside, and the open one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from claimlight.errors import InputError
from claimlight.types import Category
from claimlight_workbench import theme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.matrix.pairs import Column as PairColumn
from tests.app.driving import inverted, press, settle
from tests.app.fake_services import FakeServices, publication

KEY = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


def shown(window: MainWindow) -> tuple[str, str]:
    """Publications beside and open; empty for none."""
    sides = (window.do.beside.view, window.do.reader.view)
    beside, opened = ("" if view is None else str(view.summary.publication) for view in sides)
    return beside, opened


def rest(qtbot, window: MainWindow) -> None:
    settle(qtbot, window)
    qtbot.waitUntil(lambda: not window.see.results._opening.isActive())
    settle(qtbot, window)
    qtbot.waitUntil(lambda: window.see.beside.reader.complete)


@pytest.fixture
def two(qtbot, window: MainWindow) -> MainWindow:
    """The first document beside, the second open."""
    press(window.see.reader.text, KEY.Key_V)
    rest(qtbot, window)
    press(window.see.reader.text, KEY.Key_J)
    rest(qtbot, window)
    assert shown(window) == (str(publication(1)), str(publication(2)))
    return window


def test_v_keeps_the_open_document_beside_the_next(two: MainWindow):
    see = two.see
    assert see.beside.isVisible()
    assert not see.results.isVisible()
    assert "EP 1 000 001 A1" in see.beside.strip.text.text()
    assert "EP 1 000 002 A1" in see.open_side.text.text()
    assert "Full prior art" in see.open_side.text.text()
    assert "toothed ring" in see.beside.reader.text.toPlainText()
    # Every side has its own verdicts and matches.
    assert [each.label for each in see.beside.reader.features.buttons] == ["F1", "F2", "F3"]
    strengths = [
        [round(100 * board.cells[label].strength) for label in ("F1", "F2", "F3")]
        for board in (two.beside_board, two.board)
    ]
    assert strengths == [[90, 40, 0], [40, 0, 90]]
    assert two.beside_board.links is not None
    assert two.beside_board.links.evidence.patent == 1


def test_a_feature_is_shown_in_both_documents_until_the_link_is_taken_off(qtbot, two: MainWindow):
    press(two.see.reader.text, KEY.Key_3)
    assert (two.board.focus, two.beside_board.focus) == ("F3", "F3")
    assert two.board.passage == two.board.links.evidence.features[2].passages[0].passage
    assert two.beside_board.passage == two.beside_board.links.evidence.features[2].passages[0].passage
    # The next document is shown at the feature that is compared.
    press(two.see.reader.text, KEY.Key_J)
    rest(qtbot, two)
    assert shown(two)[1] == str(publication(3))
    assert two.board.focus == "F3"
    two.see.beside.link.click()
    press(two.see.reader.text, KEY.Key_2)
    assert (two.board.focus, two.beside_board.focus) == ("F2", "F3")
    press(two.see.reader.text, KEY.Key_O)
    press(two.see.beside.reader.text, KEY.Key_1)
    assert (two.board.focus, two.beside_board.focus) == ("F2", "F1")


def test_a_click_on_a_feature_leads_the_other_side_too(qtbot, two: MainWindow):
    two.see.beside.reader.features.buttons[1].click()
    assert (two.beside_board.focus, two.board.focus) == ("F2", "F2")
    press(two.see.reader.text, KEY.Key_Escape)
    assert (two.beside_board.focus, two.board.focus) == ("", "")


def test_each_document_scrolls_and_is_highlighted_on_its_own(qtbot, two: MainWindow):
    link = two.beside_board.shown_links[0]
    two.beside_board.point_at_passage(link.passage, link.match.passage.start)
    assert inverted(two.see.beside.reader.text)
    assert not inverted(two.see.reader.text)


def test_o_changes_the_side_that_keys_categories_and_notes_are_for(
    qtbot, two: MainWindow, services: FakeServices
):
    press(two.see.reader.text, KEY.Key_O)
    assert two.see.beside.reader.text.hasFocus()
    assert two.see.beside.strip.text.text().startswith("▸ ")
    assert "keys go to this side" in two.see.beside.strip.text.accessibleName()
    assert not two.see.open_side.text.text().startswith("▸ ")
    press(two.see.beside.reader.text, KEY.Key_Y)
    qtbot.waitUntil(lambda: two.do.case.categories.get(str(publication(1))) is Category.Y)
    assert "Y for claim 1" in two.see.beside.strip.text.text()
    press(two.see.beside.reader.text, KEY.Key_M)
    assert "EP 1 000 001 A1" in two.see.case.note_label.text()
    QTest.keyClicks(two.see.case.note, "first")
    # The note is that of the side it was begun for, though the other one gets the keys.
    press(two.see.case.note, KEY.Key_Tab)
    two.see.reader.text.setFocus()
    qtbot.waitUntil(lambda: two.do.case.note_of(str(publication(1))) == "first")
    assert two.do.case.note_of(str(publication(2))) == ""
    assert "EP 1 000 002 A1" in two.see.case.note_label.text()
    press(two.see.reader.text, KEY.Key_X)
    qtbot.waitUntil(lambda: two.do.case.categories.get(str(publication(2))) is Category.X)
    assert two.do.case.categories[str(publication(1))] is Category.Y


def test_the_sides_are_swapped(qtbot, two: MainWindow):
    press(two.see.reader.text, KEY.Key_O, SHIFT)
    rest(qtbot, two)
    assert shown(two) == (str(publication(2)), str(publication(1)))
    assert two.board.links.evidence.patent == 1
    assert two.beside_board.links.evidence.patent == 2


@pytest.mark.styled
def test_the_results_come_back_and_the_document_beside_is_kept_behind_them(qtbot, two: MainWindow):
    widths = two.panels.docks["reader"].width()
    press(two.see.reader.text, KEY.Key_F7)
    assert two.see.results.table.hasFocus()
    QApplication.processEvents()
    assert two.panels.docks["reader"].width() < widths
    assert shown(two)[0] == str(publication(1))
    press(two.see.results.table, KEY.Key_O)
    assert two.see.beside.reader.text.hasFocus()
    press(two.see.beside.reader.text, KEY.Key_V, SHIFT)
    assert two.see.results.isVisible()
    assert shown(two) == ("", str(publication(2)))
    assert two.see.open_side.isHidden()
    assert two.state.beside == ""


def test_a_new_search_shows_its_results(qtbot, two: MainWindow):
    two.acts.run()
    qtbot.waitUntil(lambda: two.see.results.isVisible())
    rest(qtbot, two)
    assert shown(two)[0] == str(publication(1))


def test_a_pair_opens_both_sides(qtbot, window: MainWindow):
    table = window.see.pairs.table
    press(window.see.results.table, KEY.Key_G, SHIFT)
    press(table, KEY.Key_V)
    rest(qtbot, window)
    pair = window.see.pairs.model.documents(0)
    assert shown(window) == tuple(str(each.publication) for each in pair)
    table.setCurrentIndex(table.model().index(1, PairColumn.COMBINED))
    press(table, KEY.Key_Return)
    rest(qtbot, window)
    assert shown(window) == tuple(str(each.publication) for each in window.see.pairs.model.documents(1))
    assert pair != window.see.pairs.model.documents(1)


@pytest.mark.styled
def test_the_menu_of_a_row_shows_it_beside_the_open_document(qtbot, window: MainWindow):
    table = window.see.results.table
    place = table.visualRect(table.model().index(2, 2)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.RightButton, pos=QPoint(place))
    rest(qtbot, window)
    assert shown(window)[1] == str(publication(1)), "a right click opens nothing"
    window.see.results.compare_wanted.emit(str(publication(3)))
    rest(qtbot, window)
    assert shown(window) == (str(publication(3)), str(publication(1)))


def test_another_claim_is_compared_on_both_sides(qtbot, two: MainWindow):
    two.do.query.choose(2)
    rest(qtbot, two)
    assert two.beside_board.query is two.board.query
    assert two.beside_board.links.evidence.patent == 1
    assert len(two.see.beside.reader.features.buttons) == len(two.board.query.features)


def test_the_document_beside_comes_back_at_the_next_start(qtbot, two: MainWindow, open_window):
    two.see.beside.link.click()
    session = two.collect()
    assert (session.beside, session.linked) == (str(publication(1)), False)
    again = open_window(session=session)
    qtbot.waitUntil(lambda: again.do.beside.view is not None)
    rest(qtbot, again)
    assert again.see.beside.isVisible()
    assert shown(again) == (str(publication(1)), str(publication(2)))
    assert not again.see.beside.link.isChecked()


def test_a_document_that_is_gone_is_no_message_at_the_start(
    qtbot, two: MainWindow, open_window, services: FakeServices, monkeypatch
):
    read = services.document

    def document(patent, context):
        if patent == "EP9999999A1":
            raise InputError("EP9999999A1 is not in the library.")
        return read(patent, context)

    monkeypatch.setattr(services, "document", document)
    again = open_window(session=replace(two.collect(), beside="EP9999999A1"))
    rest(qtbot, again)
    assert again.findChild(QMessageBox) is None
    assert again.state.beside == ""
    assert again.see.results.isVisible()


def test_nothing_of_a_former_case_stays_beside(qtbot, two: MainWindow):
    two.do.query.paste("1. A lamp.")
    qtbot.waitUntil(lambda: two.see.results.isVisible())
    rest(qtbot, two)
    assert shown(two)[0] == ""
    assert two.see.beside.reader.text.toPlainText() == ""


@pytest.mark.styled
@pytest.mark.parametrize("name", ["light", "dark"])
def test_two_documents_have_the_same_room_in_a_small_window(qtbot, window: MainWindow, name: str):
    window.appearance.set_theme(name)
    window.resize(1366, 768)
    window.panels.share_room()
    QApplication.processEvents()
    window.panels.raise_panel("matrix")
    QApplication.processEvents()
    saved = window.collect().docks
    press(window.see.reader.text, KEY.Key_V)
    rest(qtbot, window)
    beside, opened = window.see.beside.reader.text, window.see.reader.text
    assert abs(beside.width() - opened.width()) < 40
    assert min(beside.width(), opened.width()) > 460
    assert beside.viewport().height() > 300
    assert window.panels.docks["matrix"].isHidden()
    # What the next start finds is the arrangement for one document.
    assert window.collect().docks == saved
    press(opened, KEY.Key_G)
    assert not window.panels.docks["matrix"].isHidden()
    press(opened, KEY.Key_V, SHIFT)
    QApplication.processEvents()
    assert not window.panels.docks["evidence"].isHidden()
    assert not window.panels.docks["matrix"].visibleRegion().isEmpty()
    assert theme.active().name == name
