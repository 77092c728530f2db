"""A document whose description is not indexed says so, and is read alone when the user asks for it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy

from claimlight.services.search.cell_words import DEPTH_SIGN
from claimlight.types import CellVerdict, PassagesRead, Unjudged
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.matrix.model import FIRST_FEATURE
from claimlight_workbench.screens.matrix.pairs import Column
from claimlight_workbench.wording import DEPTH_HELP, DEPTH_WORDS, depth_help
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices


@pytest.fixture
def window(qtbot, open_window, services: FakeServices) -> MainWindow:
    """The first document, of which only the claims are indexed, is open."""
    services.partly, services.reading = frozenset({1}), 0.0
    made = open_window()
    settle(qtbot, made)
    return made


def test_the_reader_says_what_is_indexed(qtbot, window: MainWindow):
    strip = window.see.reader.depth_strip
    assert strip.isVisible()
    assert strip.text.text() == strip.accessibleName() == DEPTH_HELP
    assert strip.button.text() == "Read its description now"
    window.see.results.step(1)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 2)
    settle(qtbot, window)
    assert not strip.isVisible()


@pytest.mark.styled
def test_a_description_is_read_until_nothing_is_left(qtbot, window: MainWindow, services: FakeServices):
    strip, described = window.see.reader.depth_strip, QSignalSpy(window.do.reader.described)
    window.see.reader.go_to_feature("F2")
    passage, focus = window.board.passage, window.board.focus
    compared = len(services.compared)
    services.page_turned.clear()
    height = strip.height()
    strip.button.click()
    assert strip.text.text().startswith("Reading the description of this document…")
    assert not strip.button.isEnabled()
    services.page_turned.set()
    settle(qtbot, window)
    assert services.read_alone == [1, 1], "once more, to hear that nothing is left"
    assert described.count() == 1
    assert (window.board.passage, window.board.focus) == (passage, focus)
    assert strip.text.text().startswith("Every passage that shares a word")
    assert strip.button.text() == "Description read"
    assert not strip.button.isEnabled()
    assert strip.height() == height, "the text below stays where it is"
    assert len(services.compared) > compared, "its row of the matrix is computed again"
    window.see.results.step(1)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 2)
    window.see.results.step(-1)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 1)
    settle(qtbot, window)
    assert not strip.button.isEnabled(), "what was read out is known when the document is opened again"


def test_escape_ends_it(qtbot, window: MainWindow, services: FakeServices):
    services.page_turned.clear()
    window.see.reader.depth_strip.button.click()
    press(window, Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert window.see.reader.depth_strip.text.text() == DEPTH_HELP
    assert window.see.reader.depth_strip.button.isEnabled()


def test_another_document_ends_it(qtbot, window: MainWindow, services: FakeServices):
    services.page_turned.clear()
    window.see.reader.depth_strip.button.click()
    window.see.results.step(1)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 2)
    settle(qtbot, window)
    assert not window.see.reader.depth_strip.isVisible()


def test_the_matrix_says_it_of_rows_and_cells(qtbot, window: MainWindow):
    model, role = window.see.matrix.model, Qt.ItemDataRole
    window.panels.raise_panel("matrix")
    settle(qtbot, window)
    vertical = Qt.Orientation.Vertical
    assert model.headerData(0, vertical).endswith(DEPTH_SIGN)
    assert not model.headerData(1, vertical).endswith(DEPTH_SIGN)
    assert model.headerData(0, vertical, role.ToolTipRole).replace("\n", " ").endswith(DEPTH_HELP)
    silent = next(
        index
        for column in range(FIRST_FEATURE, model.columnCount())
        if model.cell(index := model.index(0, column)).cause is Unjudged.DEPTH
    )
    assert model.cell(silent).verdict is CellVerdict.UNCOMPARED
    assert "not compared: its description is not indexed yet" in silent.data(role.ToolTipRole).replace(
        "\n", " "
    )
    assert DEPTH_WORDS in silent.data(role.AccessibleTextRole)


def test_a_tip_says_how_much_searches_have_read():
    assert depth_help(PassagesRead()) == DEPTH_HELP
    told = depth_help(PassagesRead(12, 140))
    assert told.startswith("The description is not indexed yet; 12 of 140 passages read. Keywords")


def test_pairs_say_which_document_was_read_in_part(qtbot, window: MainWindow):
    window.panels.raise_panel("pairs")
    settle(qtbot, window)
    model, role = window.see.pairs.model, Qt.ItemDataRole
    shown = [
        (index.data(), index.data(role.ToolTipRole), model.document(index).id)
        for row in range(model.rowCount())
        for index in (model.index(row, column) for column in (Column.FIRST, Column.SECOND))
    ]
    assert {document for _, _, document in shown} > {1}
    for name, tip, document in shown:
        assert (DEPTH_SIGN in name) is (document == 1)
        assert (DEPTH_HELP in tip.replace("\n", " ")) is (document == 1)
    spoken = [model.index(row, 0).data(role.AccessibleTextRole) for row in range(model.rowCount())]
    assert any(f"D1 EP 1 000 001 A1 (Full prior art, {DEPTH_WORDS})" in each for each in spoken)


def test_the_matrix_reads_descriptions_and_shows_strengths_twice(qtbot, open_window, services: FakeServices):
    services.partly, services.judge = frozenset({1, 2}), "judge"
    window = open_window(wait=False)
    comparing, ruled = QSignalSpy(window.do.matrix.comparing), QSignalSpy(window.do.matrix.row_ruled)
    qtbot.waitUntil(lambda: window.do.matrix.answer is not None)
    settle(qtbot, window)
    assert services.matrix_reading == [2.0], "the list is compared once, when its descriptions are read"
    assert comparing.count() == 2
    assert ruled.count() == 3, "each row comes once"
