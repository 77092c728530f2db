"""A search shows what is known, then reads descriptions that are not indexed, and updates what is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication

from claimlight.errors import ResourceError
from claimlight.services.search.cell_words import DEPTH_SIGN
from claimlight.types import IndexDepth
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.columns import COLUMNS
from claimlight_workbench.screens.results.view import ResultsView
from claimlight_workbench.wording import DEPTH_HELP, DEPTH_WORDS
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, summary

READING = "Reading the descriptions of the best documents… 2 s (Esc stops)"


@pytest.fixture
def partly(services: FakeServices) -> FakeServices:
    """Documents 1 and 2 are indexed by their claims only, and their descriptions are long."""
    services.partly = frozenset({1, 2})
    services.page_turned.clear()
    return services


def rows(window: MainWindow) -> list[str]:
    model = window.see.results.model
    return [str(model.hit(row).patent.publication) for row in range(model.rowCount())]


def search(qtbot, window: MainWindow) -> None:
    """Search, until its descriptions are being read."""
    qtbot.waitUntil(lambda: window.do.results.results is not None and window.do.case.state is not None)
    with qtbot.waitSignal(window.do.results.reading_started):
        window.acts.run()
    qtbot.waitUntil(lambda: not window.see.results._opening.isActive())
    qtbot.waitUntil(lambda: window.board.links is not None)


@pytest.mark.styled
def test_what_is_known_is_shown_before_descriptions_are_read(qtbot, open_window, partly: FakeServices):
    window = open_window(wait=False)
    view = window.see.results
    search(qtbot, window)
    assert view.model.rowCount() == 3
    assert view.notes.text() == READING
    height = view.notes.height()
    assert partly.recorded == [], "what is saved is what the list has in the end"
    with qtbot.waitSignal(window.do.results.reading_ended):
        partly.page_turned.set()
        assert view.notes.height() == height
    assert view.notes.text().startswith("2 of 3 documents are indexed by title, abstract and claims only")
    settle(qtbot, window)
    assert len(partly.recorded) == 1
    assert partly.recorded[0] is view.model.results
    assert view.count.text().startswith("L1 ")


def test_rows_are_updated_where_they_are(qtbot, open_window, partly: FakeServices):
    partly.read_order = (3, 2, 1)
    window = open_window(wait=False)
    view = window.see.results
    search(qtbot, window)
    view.go_to(1)
    qtbot.waitUntil(lambda: window.do.reader.view is not None and window.do.reader.view.summary.id == 2)
    qtbot.waitUntil(lambda: window.board.links is not None)
    window.see.reader.go_to_feature("F2")
    passage, focus = window.board.passage, window.board.focus
    view.table.setFocus()
    shown, resets = QSignalSpy(window.do.reader.shown), QSignalSpy(view.model.modelReset)
    before = view.model.hit(0).coverage
    with qtbot.waitSignal(window.do.results.read_on):
        partly.page_turned.set()
    settle(qtbot, window)
    assert [name[2:9] for name in rows(window)] == ["1000003", "1000002", "1000001"]
    assert view.current_name() == "EP1000002A1"
    assert view.table.selectionModel().isRowSelected(1)
    assert QApplication.focusWidget() is view.table
    assert shown.count() == resets.count() == 0, "no document is opened again and nothing flickers"
    assert (window.board.passage, window.board.focus) == (passage, focus)
    assert view.model.hit(2).coverage != before
    press(view.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 1)


def test_a_document_that_left_the_list_stays_open(qtbot, open_window, partly: FakeServices, monkeypatch):
    window = open_window(wait=False)
    view = window.see.results
    search(qtbot, window)
    real = partly.search

    def fewer(request, context, *, reading=0.0):
        found = real(request, context, reading=reading)
        return replace(found, hits=found.hits[1:]) if reading else found

    monkeypatch.setattr(partly, "search", fewer)
    with qtbot.waitSignal(window.do.results.reading_ended):
        window.acts.run()
        qtbot.waitUntil(lambda: window.do.results.reading)
        partly.page_turned.set()
    settle(qtbot, window)
    assert view.model.rowCount() == 2
    assert view.current_name() == ""
    assert window.do.reader.view.summary.id == 1


def test_a_newer_search_ends_the_reading_and_both_are_saved_once(qtbot, open_window, partly: FakeServices):
    window = open_window(wait=False)
    search(qtbot, window)
    window.acts.run()
    assert window.see.results.notes.text() != READING
    qtbot.waitUntil(lambda: len(partly.read_for) >= 3)  # the first start, the search before, and this one
    qtbot.waitUntil(lambda: window.do.results.reading)
    partly.page_turned.set()
    settle(qtbot, window)
    assert len(partly.recorded) == 2


def test_escape_ends_the_reading_and_the_list_stays(qtbot, open_window, partly: FakeServices):
    window = open_window(wait=False)
    search(qtbot, window)
    results = window.see.results.model.results
    press(window, Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert window.see.results.model.results is results
    assert window.see.results.notes.text() != READING
    assert partly.recorded == [results]
    assert window.do.matrix.answer is not None, "the matrix waits no longer"


def test_a_failed_reading_leaves_what_was_found(qtbot, open_window, partly: FakeServices):
    partly.fail_reading = ResourceError("The disk is full.")
    window = open_window(wait=False)
    search(qtbot, window)
    partly.page_turned.set()
    settle(qtbot, window)
    assert window.see.results.model.rowCount() == 3
    assert len(partly.recorded) == 1


def test_the_window_saves_a_search_that_it_is_closed_over(qtbot, open_window, partly: FakeServices):
    window = open_window(wait=False)
    search(qtbot, window)
    window.close()
    assert len(partly.recorded) == 1


def test_nothing_is_read_if_the_setting_is_0_or_all_is_indexed(qtbot, open_window, services: FakeServices):
    services.partly, services.reading = frozenset({1}), 0.0
    window = open_window()
    window.acts.run()
    settle(qtbot, window)
    services.partly, services.reading = frozenset(), 2.0
    window.acts.run()
    settle(qtbot, window)
    assert services.read_for == []
    assert len(services.recorded) == 2


def test_a_row_says_that_its_description_is_not_indexed(qtbot, open_window, partly: FakeServices):
    partly.page_turned.set()
    window = open_window()
    view, role = window.see.results, Qt.ItemDataRole
    assert not view.table.isColumnHidden(Column.DEPTH)
    first, last = (view.model.index(row, Column.DEPTH) for row in (0, 2))
    assert first.data() == DEPTH_SIGN
    assert first.data(role.ToolTipRole).replace("\n", " ") == DEPTH_HELP
    assert first.data(role.AccessibleTextRole) == DEPTH_WORDS
    assert not last.data()
    coverage = view.model.index(0, Column.COVERAGE).data(role.ToolTipRole)
    assert "its description is not indexed yet" in coverage
    assert "no match" not in coverage
    partly.partly = frozenset()
    window.acts.run()
    settle(qtbot, window)
    assert view.table.isColumnHidden(Column.DEPTH)
    assert "claims only" in [each.menu_name.lower() for each in COLUMNS]


def test_descriptions_that_were_indexed_since_are_offered(qtbot, open_window, partly: FakeServices):
    partly.page_turned.set()
    window = open_window()
    view = window.see.results
    window.do.results.look_deeper()
    settle(qtbot, window)
    assert view.again.isHidden()
    partly.partly = frozenset({1})
    with qtbot.waitSignal(window.do.results.deepened):
        window.do.results.look_deeper()
    assert view.notes.text() == (
        "The description of 1 document on this list has been indexed since the search."
    )
    asked = len(partly.asked)
    view.again.click()
    settle(qtbot, window)
    assert len(partly.asked) == asked + 1
    assert view.again.isHidden()


def test_rows_of_a_set_say_it_too(qtbot, open_window, services: FakeServices):
    services.partly = frozenset({2})
    window = open_window()
    window.see.expression.editor.show_text("damper")
    with qtbot.waitSignal(window.do.results.depths_known):
        window.see.expression.editor.enter()
    settle(qtbot, window)
    model = window.see.results.model
    signs = {str(model.hit(row).patent.id): model.index(row, Column.DEPTH).data() for row in range(3)}
    assert [signs[key] for key in sorted(signs)] == ["", DEPTH_SIGN, ""]
    assert services.depths([1], None)[1] is IndexDepth.FULL


def test_the_row_in_view_stays_where_it_is_on_the_screen(qtbot, window: MainWindow):
    results = window.see.results.model.results
    many = tuple(replace(results.hits[0], patent=summary(number)) for number in range(1, 61))
    view = ResultsView()
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.show()
    first = replace(results, hits=many)
    view.show_results(first)
    view.go_to(30)
    opened = QSignalSpy(view.opened)
    qtbot.waitUntil(lambda: opened.count() == 1)
    name, above = view.current_name(), view.table.rowViewportPosition(30)
    view.update_results(replace(results, hits=(*many[40:], *many[:40])))
    assert view.current_name() == name
    assert view.table.currentIndex().row() == 50
    assert view.table.rowViewportPosition(50) == above
    view.update_results(replace(results, hits=(*many[:5], many[30])))
    assert (view.current_name(), view.model.rowCount()) == (name, 6)
    view.update_results(first)
    assert view.current_name() == name
    qtbot.wait(100)
    assert opened.count() == 1
