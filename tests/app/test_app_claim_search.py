"""Claims and features are written, edited and searched by key."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight_workbench.main_window import MainWindow
from tests.app.driving import press, settle
from tests.app.fake_services import LINES, FakeServices

KEY = Qt.Key


def test_claims_are_pasted_and_run_by_key(qtbot, window: MainWindow, services: FakeServices):
    press(window, KEY.Key_N, Qt.KeyboardModifier.ControlModifier)
    editor = window.see.claim.editor
    assert editor.hasFocus()
    editor.setPlainText("1. A damper with a wheel.")
    before = len(services.asked)
    press(editor, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert not window.see.claim.entering
    assert len(services.asked) == before + 1
    assert window.see.bar.source.text() == "pasted text"


def test_a_new_case_begins_with_an_empty_page(qtbot, window: MainWindow):
    panel = window.see.claim
    assert panel.case.text() == "Sample application"
    press(window, KEY.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert panel.editor.toPlainText() == ""
    assert panel.editor.placeholderText().startswith("Paste the claims here")
    assert panel.case.text() == "New case"
    QTest.keyClicks(panel.editor, "1. A damper.")
    window.acts.actions["New case…"].trigger()
    assert panel.editor.toPlainText() == "1. A damper.", "what is being written is kept"
    press(window, KEY.Key_Escape)
    assert not panel.entering
    assert panel.case.text() == "Sample application"
    window.acts.actions["New case…"].trigger()
    assert panel.editor.toPlainText() == ""


def behind_library(window: MainWindow) -> bool:
    """Whether the library hides the claim; both share a place as tabs."""
    return window.see.claim.visibleRegion().isEmpty()


@pytest.mark.styled
def test_the_features_are_seen_when_they_are_edited(qtbot, window: MainWindow):
    window.panels.raise_panel("library")
    qtbot.waitUntil(lambda: behind_library(window))
    press(window, KEY.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: not behind_library(window))
    assert window.focusWidget() is window.see.claim.features.list


@pytest.mark.styled
def test_an_application_that_is_opened_is_seen(qtbot, window: MainWindow, tmp_path: Path):
    panel = window.see.claim
    window.acts.actions["New case…"].trigger()
    window.panels.raise_panel("library")
    qtbot.waitUntil(lambda: behind_library(window))
    with qtbot.waitSignal(window.do.query.claims_read):
        panel.file_dropped.emit(tmp_path / "application.xml")
    settle(qtbot, window)
    qtbot.waitUntil(lambda: not behind_library(window))
    assert not panel.entering
    assert panel.text.toPlainText().startswith(LINES[0])


def test_choosing_a_claim_searches_it(qtbot, window: MainWindow, services: FakeServices):
    bar = window.see.bar
    bar.claim.setCurrentIndex(1)
    bar.claim.activated.emit(1)
    settle(qtbot, window)
    assert len(services.asked[-1].query.features) == 4


def test_a_claim_is_chosen_by_key_and_the_results_have_the_next_key(
    qtbot, window: MainWindow, services: FakeServices
):
    bar = window.see.bar
    before = len(services.asked)
    press(window, KEY.Key_G, Qt.KeyboardModifier.ControlModifier)
    choices = bar.claim.tree
    assert choices.isVisible()
    QTest.keyClick(choices, KEY.Key_Down)
    assert len(services.asked) == before, "nothing is searched before the choice"
    QTest.keyClick(choices, KEY.Key_Return)
    settle(qtbot, window)
    assert len(services.asked[-1].query.features) == 4
    assert window.focusWidget() is window.see.results.table


@pytest.mark.styled
def test_the_query_bar_makes_the_request(qtbot, window: MainWindow, services: FakeServices):
    bar = window.see.bar
    assert services.asked[-1].before is None
    QTest.mouseClick(bar.dated, Qt.MouseButton.LeftButton, pos=QPoint(8, bar.dated.height() // 2))
    for box in list(bar.legs.values())[1:]:
        QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    QTest.mouseClick(bar.run, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert services.asked[-1].before.isoformat() == "2013-03-04"
    assert [leg.value for leg in services.asked[-1].legs] == ["bm25"]


def test_features_are_edited_by_key(qtbot, window: MainWindow):
    listed = window.see.claim.features.list
    press(window, KEY.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert listed.hasFocus()
    listed.setCurrentRow(0)
    press(listed, KEY.Key_J, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.do.query.feature_lines == (f"{LINES[0]}\n{LINES[1]}", LINES[2])
    assert "results of the previous query" in window.see.results.count.text()
    press(listed, KEY.Key_Delete)
    settle(qtbot, window)
    assert window.do.query.feature_lines == (LINES[2],)
    listed.setFocus()
    press(listed, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    press(listed, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.do.query.feature_lines == LINES


def test_a_feature_is_cut_where_the_cursor_stands(qtbot, window: MainWindow):
    listed = window.see.claim.features.list
    listed.setFocus()
    listed.setCurrentRow(0)
    press(listed, KEY.Key_F2)
    editor = QApplication.focusWidget()
    editor.setCursorPosition(len("A 𝛼-damper".encode("utf-16-le")) // 2)
    press(editor, KEY.Key_D, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.do.query.feature_lines == ("A 𝛼-damper", "(10)", *LINES[1:])


def test_words_of_a_feature_can_not_be_typed_over(qtbot, window: MainWindow, monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(window.notices, "fail", lambda error, _title: told.append(str(error)))
    window.do.query.failed.disconnect()
    window.do.query.failed.connect(lambda error, title: window.notices.fail(error, title))
    listed = window.see.claim.features.list
    listed.setFocus()
    listed.setCurrentRow(2)
    press(listed, KEY.Key_F2)
    editor = QApplication.focusWidget()
    editor.setCursorPosition(3)
    QTest.keyClicks(editor, "x")
    assert editor.text() == LINES[2]
    assert len(told) == 1
    assert "query line" in told[0]
    press(editor, KEY.Key_Return)
    assert window.do.query.feature_lines == LINES


def test_words_selected_in_the_claim_become_a_feature(qtbot, window: MainWindow):
    text = window.see.claim.text
    whole = window.do.query.query.text
    cursor = text.textCursor()
    at = len(LINES[0].encode("utf-16-le")) // 2 + 1 + LINES[1].index(" ") + 1
    cursor.setPosition(at)
    cursor.setPosition(at + 4, cursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    text.setFocus()
    press(text, KEY.Key_Insert)
    settle(qtbot, window)
    start = len(LINES[0]) + 1 + LINES[1].index(" ") + 1
    assert whole[start : start + 4].strip() in window.do.query.feature_lines
    assert window.do.query.query.text == text.toPlainText() == whole


def test_a_search_can_be_cancelled(qtbot, window: MainWindow, services: FakeServices):
    services.gate.clear()
    press(window, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.see.bar.run.text() == "Running…"
    press(window, KEY.Key_Escape)
    assert window.see.bar.run.text() == "Search claim"
    settle(qtbot, window)
    services.gate.set()
    assert window.see.results.model.rowCount() == 3
