"""The query line: written, completed, checked, run, cancelled, remembered."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from claimlight.errors import QueryError, ResourceError
from claimlight.tasks import TaskContext
from claimlight.types import Completion, DefaultOperator, ParsedQuery, SetRequest
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.expression.editor import LineEditor
from claimlight_workbench.screens.expression.presenter import CHECK_AFTER_MS, ExpressionPresenter
from claimlight_workbench.screens.expression.view import REST
from claimlight_workbench.ui_state import Session
from claimlight_workbench.widgets.query_help import QueryHelp
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, publication

KEY = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def editor(window: MainWindow) -> LineEditor:
    press(window, KEY.Key_L, CONTROL)
    line = window.see.expression.editor
    assert line.hasFocus()
    return line


def written(qtbot, window: MainWindow, text: str) -> None:
    """Type a line and wait until it was checked."""
    editor = window.see.expression.editor
    editor.setFocus()
    if text.isascii():
        QTest.keyClicks(editor, text)
    else:
        editor.insertPlainText(text)  # Qt types nothing else
    qtbot.waitUntil(lambda: services_of(window).lines_checked[-1:] == [editor.text()])
    settle(qtbot, window)


def services_of(window: MainWindow) -> FakeServices:
    services = window._services
    assert isinstance(services, FakeServices)
    return services


def run_line(qtbot, window: MainWindow, text: str) -> None:
    editor = window.see.expression.editor
    editor.setFocus()
    editor.show_text(text)
    press(editor, KEY.Key_Return)
    qtbot.waitUntil(lambda: [each.expression for each in services_of(window).lines_run][-1:] == [text])
    settle(qtbot, window)


def test_a_line_is_checked_while_it_is_written(qtbot, window: MainWindow, editor: LineEditor):
    written(qtbot, window, "toothed damp$2")
    view = window.see.expression
    assert view.reading.text() == "(toothed AND damp$2)"
    assert view.terms.text() == "toothed: 3 documents   ·   damp$2: 2 words, 1 document"
    assert services_of(window).lines_run == []


def test_what_asks_for_meaning_is_counted_when_it_runs(qtbot, window: MainWindow, editor: LineEditor):
    written(qtbot, window, "~quiet AND coil")
    terms = window.see.expression.terms
    assert terms.text() == "~quiet: semantic, counted when it runs   ·   coil: 2 documents"
    press(editor, KEY.Key_Return)
    qtbot.waitUntil(lambda: "best first" in terms.text())
    assert "~quiet: 1 document" in terms.text()


@pytest.mark.styled
def test_the_window_does_not_move_while_a_line_is_written(qtbot, window: MainWindow, editor: LineEditor):
    place = window.see.reader.mapTo(window, window.see.reader.rect().topLeft())
    assert window.see.expression.reading.text() == REST
    written(qtbot, window, "toothed ((")
    assert window.see.reader.mapTo(window, window.see.reader.rect().topLeft()) == place
    editor.show_text("")
    assert window.see.expression.reading.text() == REST


def test_a_fault_is_underlined_at_its_column(qtbot, window: MainWindow, editor: LineEditor):
    written(qtbot, window, "𝛼 AND ((")
    view = window.see.expression
    assert view.reading.text() == "Column 8: A bracket is opened twice."
    (mark,) = editor.extraSelections()
    assert mark.format.underlineStyle() == QTextCharFormat.UnderlineStyle.WaveUnderline
    # The letter before counts twice in what Qt counts in.
    assert (mark.cursor.selectionStart(), mark.cursor.selectionEnd()) == (8, 9)
    press(editor, KEY.Key_Backspace)
    assert editor.extraSelections() == []


def test_enter_runs_the_line_and_it_becomes_the_next_set(qtbot, window: MainWindow, services: FakeServices):
    before = len(services.sets)
    run_line(qtbot, window, "toothed SAME coil")
    (request,) = services.lines_run
    assert request.before is None
    assert request.reference == window.do.query.dates
    assert request.query == window.do.query.query
    assert len(services.sets) == before + 1
    results = window.see.results
    assert results.model.rowCount() == 3
    assert results.count.text() == f"L{before + 1}  1 / 3, 2 unread"
    assert window.see.expression.terms.text().startswith(
        f"L{before + 1}: 3 documents in 0.02 s, newest first"
    )
    assert window.see.sets.model.current == before + 1
    assert results.table.isColumnHidden(Column.COVERAGE)
    assert window.do.reader.view.summary.publication == publication(1)


def test_ctrl_enter_in_the_line_runs_it_and_elsewhere_the_claim(qtbot, window: MainWindow, services):
    asked = len(services.asked)
    editor = window.see.expression.editor
    editor.setFocus()
    editor.show_text("toothed")
    press(editor, KEY.Key_Return, CONTROL)
    settle(qtbot, window)
    assert [each.expression for each in services.lines_run] == ["toothed"]
    window.see.results.table.setFocus()
    press(window.see.results.table, KEY.Key_Return, CONTROL)
    settle(qtbot, window)
    assert len(services.asked) == asked + 1
    assert window.see.results.model.results is not None


def test_a_claim_search_clears_the_result_of_the_line(qtbot, window: MainWindow, services: FakeServices):
    view = window.see.expression
    run_line(qtbot, window, "toothed")
    assert view.terms.text().startswith("L2: 3 documents")
    window.do.query.run()
    settle(qtbot, window)
    assert view.editor.text() == "toothed"
    assert (view.reading.text(), view.terms.text()) == (REST, "")


def test_a_line_kept_for_another_library_is_not_checked_until_it_is_edited(
    qtbot, window: MainWindow, services: FakeServices, tmp_path: Path, monkeypatch
):
    view = window.see.expression
    run_line(qtbot, window, "toothed")
    checked = []

    def refuse(request: SetRequest, context: TaskContext) -> ParsedQuery:
        checked.append(request.expression)
        raise QueryError("There is no such set.", column=1)

    monkeypatch.setattr(services, "check_query", refuse)
    with qtbot.waitSignal(window.do.library.opened):
        window.do.library.open(tmp_path / "Other")
    settle(qtbot, window)
    qtbot.wait(2 * CHECK_AFTER_MS)
    settle(qtbot, window)
    assert view.editor.text() == "toothed"
    assert checked == []
    assert view.reading.text() == REST
    assert not view.editor.extraSelections()
    view.editor.setFocus()
    QTest.keyClicks(view.editor, "s")
    qtbot.waitUntil(lambda: view.reading.text() == "Column 1: There is no such set.", timeout=5000)
    assert checked == ["tootheds"]


def test_a_fault_found_by_running_is_no_dialog(qtbot, window: MainWindow, services: FakeServices):
    editor = window.see.expression.editor
    editor.setFocus()
    editor.show_text("toothed ((")
    press(editor, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.see.expression.run.text() == "Search")
    settle(qtbot, window)
    assert window.see.expression.reading.text().startswith("Column 10:")
    assert not window.findChildren(QMessageBox)
    assert window.see.results.model.rowCount() == 3


def test_another_fault_is_a_dialog(qtbot, window: MainWindow, services: FakeServices, monkeypatch):
    def damaged(request, context):
        raise ResourceError("The index is damaged.")

    monkeypatch.setattr(services, "run_query", damaged)
    editor = window.see.expression.editor
    editor.show_text("toothed")
    press(editor, KEY.Key_Return)
    qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
    (box,) = window.findChildren(QMessageBox)
    assert "The query line could not be run" in box.text()
    box.close()


def test_escape_cancels_a_line(qtbot, window: MainWindow, services: FakeServices):
    services.gate.clear()
    editor = window.see.expression.editor
    editor.setFocus()
    editor.show_text("toothed")
    press(editor, KEY.Key_Return)
    assert window.see.expression.run.text() == "Running…"
    press(editor, KEY.Key_Escape)
    assert window.see.expression.run.text() == "Search"
    settle(qtbot, window)
    services.gate.set()
    assert services.lines_run == []
    assert window.see.results.model.results is not None


def offered(editor: LineEditor) -> list[str]:
    tree = editor.popup.list
    if not editor.popup.isVisible():
        return []
    return [tree.topLevelItem(row).text(0) for row in range(tree.topLevelItemCount())]


def test_words_are_offered_and_tab_takes_one(qtbot, window: MainWindow, editor: LineEditor):
    QTest.keyClicks(editor, "coil AND damp")
    qtbot.waitUntil(lambda: offered(editor) == ["damper", "dampers", "damping"])
    assert editor.hasFocus()
    assert editor.popup.list.topLevelItem(0).text(1) == "3 documents"
    QTest.keyClicks(editor, "i")
    assert offered(editor) == ["damping"]
    press(editor, KEY.Key_Backspace)
    qtbot.waitUntil(lambda: len(offered(editor)) == 3)
    press(editor, KEY.Key_Down)
    press(editor, KEY.Key_Down)
    press(editor, KEY.Key_Tab)
    assert editor.text() == "coil AND dampers"
    assert offered(editor) == []
    assert editor.hasFocus()


def test_enter_is_never_taken_by_what_is_offered(qtbot, window: MainWindow, editor: LineEditor):
    QTest.keyClicks(editor, "damp")
    qtbot.waitUntil(lambda: len(offered(editor)) == 3)
    press(editor, KEY.Key_Down)
    press(editor, KEY.Key_Return)
    settle(qtbot, window)
    assert [each.expression for each in services_of(window).lines_run] == ["damp"]
    assert offered(editor) == []


def test_escape_closes_what_is_offered_first(qtbot, window: MainWindow, editor: LineEditor):
    QTest.keyClicks(editor, "damp")
    qtbot.waitUntil(lambda: len(offered(editor)) == 3)
    press(editor, KEY.Key_Escape)
    assert offered(editor) == []
    assert editor.text() == "damp"
    press(editor, KEY.Key_Space, CONTROL)
    qtbot.waitUntil(lambda: len(offered(editor)) == 3)
    press(editor, KEY.Key_Left)
    assert offered(editor) == []


def test_a_click_takes_a_completion(qtbot, window: MainWindow, editor: LineEditor):
    QTest.keyClicks(editor, "damp")
    qtbot.waitUntil(lambda: len(offered(editor)) == 3)
    tree = editor.popup.list
    place = tree.visualItemRect(tree.topLevelItem(2)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert editor.text() == "damping"


def test_late_completions_of_another_line_are_not_shown(window: MainWindow, editor: LineEditor):
    QTest.keyClicks(editor, "da")
    editor.complete((Completion("dab", 0, ""),), "d", 2)
    assert offered(editor) == []
    editor.complete((Completion("dab", 0, ""),), "da", 3)
    assert offered(editor) == ["dab"]


def test_up_and_down_go_through_earlier_lines(qtbot, window: MainWindow, editor: LineEditor):
    for line in ("toothed", "coil", "toothed"):
        run_line(qtbot, window, line)
    editor.show_text("a draft")
    seen = []
    for key in (KEY.Key_Up, KEY.Key_Up, KEY.Key_Up, KEY.Key_Down, KEY.Key_Down):
        press(editor, key)
        seen.append(editor.text())
    assert seen == ["toothed", "coil", "coil", "toothed", "a draft"]
    press(editor, KEY.Key_Z, CONTROL)
    assert editor.text() != "a draft"


@pytest.mark.styled
def test_keys_of_the_window_are_letters_in_the_line(window: MainWindow, editor: LineEditor, services):
    QTest.keyClicks(editor, "xyz lbcq 1")
    assert editor.text() == "xyz lbcq 1"
    assert services.marks == {}
    assert not window.panels.docks["sets"].visibleRegion().boundingRect().isValid()


def test_pasted_lines_become_one(window: MainWindow, editor: LineEditor):
    words = QMimeData()
    words.setText("toothed\n  AND\r\ncoil")
    editor.insertFromMimeData(words)
    assert editor.text() == "toothed AND coil"


@pytest.mark.styled
def test_a_long_line_takes_the_room_it_needs(window: MainWindow, editor: LineEditor):
    one = editor.height()
    editor.show_text("damper AND coil " * 60)
    QApplication.processEvents()
    assert one < editor.height() < 6 * one
    editor.show_text("damper")
    assert editor.height() == one


def test_the_default_operator_is_chosen_and_kept(qtbot, window: MainWindow, editor: LineEditor):
    written(qtbot, window, "toothed coil")
    box = window.see.expression.operator
    box.setCurrentIndex(2)
    box.activated.emit(2)
    reading = window.see.expression.reading
    qtbot.waitUntil(lambda: reading.text() == "(toothed ADJ coil)")
    assert window.collect().operator == "ADJ"
    run_line(qtbot, window, "coil")
    assert services_of(window).lines_run[-1].default_operator is DefaultOperator.ADJ


def test_what_limits_every_line_is_said(qtbot, window: MainWindow):
    limits = window.see.expression.limits
    assert limits.text() == ""
    window.do.query.set_before(date(2012, 3, 4))
    assert limits.text() == "published before 2012-03-04"


def test_the_line_its_history_and_the_set_on_show_come_back(
    qtbot, open_window, services: FakeServices, monkeypatch
):
    first = open_window()
    run_line(qtbot, first, "toothed")
    run_line(qtbot, first, "coil SAME toothed")
    first.see.results.go_to(1)
    qtbot.waitUntil(lambda: first.do.reader.view.summary.publication == publication(2))
    first.see.expression.editor.show_text("half a li")
    session = first.collect()
    assert session.shown_set == 2
    searched = len(services.asked)
    second = open_window(session=session, wait=False)
    qtbot.waitUntil(lambda: second.see.results.model.found is not None)
    settle(qtbot, second)
    assert second.see.results.model.found.number == 2
    assert second.see.results.count.text().startswith("L2  2 / 3")
    assert len(services.asked) == searched
    qtbot.waitUntil(lambda: second.do.reader.view is not None)
    assert second.do.reader.view.summary.publication == publication(2)
    editor = second.see.expression.editor
    assert editor.text() == "coil SAME toothed"
    assert editor.history == ["toothed", "coil SAME toothed"]


def test_a_late_check_does_not_hide_what_was_found(qtbot, window: MainWindow):
    run_line(qtbot, window, "toothed")
    said = window.see.expression.terms.text()
    assert said.startswith("L2: 3 documents")
    window.do.query.set_before(None)
    window.do.expression.recheck()
    assert not window.do.expression._check.isActive()
    assert window.see.expression.terms.text() == said
    window.see.expression.editor.insertPlainText(" coil")
    assert window.do.expression._check.isActive()


@pytest.mark.parametrize("claims", [True, False])
def test_a_line_is_run_at_the_start_when_asked(qtbot, open_window, services, tmp_path, claims: bool):
    text = "1. A damper." if claims else ""
    session = Session(library=str(tmp_path / "L"), claims_text=text, welcomed=True)
    window = open_window(session=session, line="toothed", wait=False)
    qtbot.waitUntil(lambda: len(services.lines_run) == 1)
    settle(qtbot, window)
    assert len(services.asked) == int(claims)
    assert services.sets[-1].request.expression == "toothed"
    assert window.see.results.model.found is not None


def test_a_line_without_claims_begins_a_case(qtbot, open_window, services: FakeServices, tmp_path):
    window = open_window(session=Session(library=str(tmp_path / "L"), welcomed=True), wait=False)
    qtbot.waitUntil(lambda: window.do.library.info is not None)
    assert window.do.case.state is None
    run_line(qtbot, window, "toothed")
    assert window.do.case.state is not None
    assert [each.label for each in services.sets] == ["L1"]
    assert window.see.results.count.text().startswith("L1  1 / 3")


def test_a_check_does_not_wait_for_a_library_that_is_not_open(qtbot, runner, services: FakeServices):
    presenter = ExpressionPresenter(services, runner)
    presenter.edit("toothed", 8)
    presenter._check_now()
    presenter._complete_now()
    presenter.stop()
    assert runner.busy == 0
    presenter.ready = True
    with qtbot.waitSignal(presenter.checked) as checked:
        presenter._check_now()
    assert checked.args[1] == "toothed"


def test_nothing_is_asked_of_a_library_that_is_being_left(
    qtbot, window: MainWindow, services: FakeServices, tmp_path, monkeypatch
):
    line, editor = window.do.expression, window.see.expression.editor
    editor.setFocus()
    QTest.keyClicks(editor, "coil")
    window.do.library.open(tmp_path / "Other")
    assert not line._check.isActive()
    line._check_now()
    assert services.lines_checked == []
    qtbot.waitUntil(lambda: services.lines_checked == ["coil"])

    def gone(folder, context):
        raise ResourceError("It is not there.")

    monkeypatch.setattr(services, "open_library", gone)
    window.do.library.open(tmp_path / "Third")
    assert not line.ready
    qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
    window.findChildren(QMessageBox)[0].close()
    assert line.ready


def test_a_changed_claim_is_what_the_next_line_speaks_of(qtbot, runner, services: FakeServices):
    presenter = ExpressionPresenter(services, runner)
    scope = SetRequest("", before=date(2001, 2, 3))
    presenter.set_operator("OR")
    with qtbot.waitSignal(presenter.scope_changed):
        presenter.set_scope(scope)
    with qtbot.waitSignal(presenter.requested) as asked:
        presenter.run("  coil ")
    assert asked.args[0] == replace(scope, expression="coil", default_operator=DefaultOperator.OR)


def test_a_line_that_is_read_as_it_is_typed_is_not_repeated(qtbot, window, editor):
    view = window.see.expression
    written(qtbot, window, "toothed damp$2")
    typed_in_full = view.reading.text()
    assert typed_in_full == "(toothed AND damp$2)"
    editor.clear()
    written(qtbot, window, typed_in_full)
    assert view.reading.text() == ""
    assert view.terms.text().startswith("toothed: ")


@pytest.mark.styled
def test_a_word_of_any_length_widens_nothing_and_is_no_markup(qtbot, window: MainWindow):
    wide, view = window.width(), window.see.results
    found = replace(
        window.do.results.results, hits=(), cause="In no document: <b>" + "x" * 3000, notes=("y" * 3000,)
    )
    view.show_results(found)
    settle(qtbot, window)
    assert "<b>xxx" in view.count.text()
    assert view.count.textFormat() is Qt.TextFormat.PlainText
    assert view.minimumSizeHint().width() < 400
    assert window.width() == wide


def test_the_help_inserts_an_example(qtbot, window: MainWindow, editor: LineEditor):
    editor.show_text("valve AND")
    press(editor, KEY.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    (sheet,) = window.findChildren(QueryHelp)
    QTest.keyClicks(sheet.line, "publication number")
    press(sheet.line, KEY.Key_Return)
    assert sheet.isVisible(), "a field is no example"
    sheet.line.setText("adj3 damper")
    press(sheet.line, KEY.Key_Return)
    assert editor.text() == "valve AND fluid ADJ3 damper"
    qtbot.waitUntil(lambda: not window.findChildren(QueryHelp))
    window.see.expression.help.click()
    (sheet,) = window.findChildren(QueryHelp)
    press(sheet.table, KEY.Key_Return)
    assert editor.text() == "valve AND fluid ADJ3 damper damper"
    settle(qtbot, window)
