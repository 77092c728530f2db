"""The filter of the results: by what was read and marked, in searches and sets, with keys and the strip."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from claimlight.types import Category
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.categories import Given
from claimlight_workbench.models.list_filter import ListFilter, filter_names
from claimlight_workbench.models.results_model import Order
from tests.app.driving import press, settle
from tests.app.test_app_query_line import run_line

KEY = Qt.Key


def shown(window: MainWindow):
    model = window.see.results.model
    return [str(model.hit(row).patent.publication) for row in range(model.rowCount())]


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (ListFilter.ALL, "abcdef"),
        (ListFilter.UNREAD, "cdef"),
        (ListFilter.CATEGORY, "abc"),
        (ListFilter.X, "a"),
        (ListFilter.Y, "b"),
        (ListFilter.A, "c"),
        (ListFilter.IRRELEVANT, "d"),
        (ListFilter.WITHOUT, "ef"),
    ],
)
def test_each_filter_shows_its_documents(chosen, names):
    marks = {
        "a": Given(Category.X, "P,X"),
        "b": Given(Category.Y, "Y", claim=4, elsewhere=True),
        "c": Given(Category.A, "A"),
        "d": Given(Category.IRRELEVANT, "0"),
        "e": Given(),
        "elsewhere": Given(Category.X, "X"),
    }
    found = filter_names(set("abcdef"), chosen, seen={"a", "b", "elsewhere"}, marks=marks)
    assert "".join(sorted(found)) == names


def test_keys_filter_the_list_flip_through_it_and_show_all_again(qtbot, window: MainWindow):
    view = window.see.results
    settle(qtbot, window)
    every = shown(window)
    view.go_to(1)
    qtbot.waitUntil(
        lambda: window.do.reader.view.summary.publication == view.current_hit().patent.publication
    )
    settle(qtbot, window)
    press(view.table, KEY.Key_X)
    qtbot.waitUntil(lambda: every[1] in view.model._marks)
    press(view.table, KEY.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert view.filter_menu.isVisible()
    press(view.filter_menu, KEY.Key_X)
    window.activateWindow()
    assert shown(window) == [every[1]]
    assert view.current_name() == every[1]
    assert view.filter_button.isChecked()
    assert f"Only category X: {len(every) - 1} of {len(every)} documents" in view.filtered.text.text()
    # The document stays open and can be marked though the next filter hides it; flips go on from its place.
    view.set_filter(ListFilter.WITHOUT)
    assert shown(window) == [every[0], *every[2:]]
    assert view.current_name() == ""
    press(view.table, KEY.Key_Y)
    qtbot.waitUntil(lambda: view.model._marks[every[1]].category is Category.Y)
    view.step(1)
    assert view.current_name() == every[2]
    view.step(-1)
    assert view.current_name() == every[0]
    # What is marked now keeps its row, and its rank in the whole list.
    view.set_order(Order.DATE)
    assert len(shown(window)) == len(every) - 1
    view.set_order(Order.SCORE)
    assert view.model.index(1, 0).data() == "3"
    view.set_filter(ListFilter.A)
    assert view.count.text() == "The filter shows no document of this list."
    press(view.table, KEY.Key_S, Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
    assert shown(window) == every
    assert view.current_name() == every[0]
    assert view.filtered.isHidden()
    assert len(window.do.case.state.sets[-1].hits) == len(every)


def test_a_long_set_is_filtered_at_once_and_the_next_list_is_whole(qtbot, window: MainWindow):
    run_line(qtbot, window, "everything")
    view = window.see.results
    qtbot.waitUntil(lambda: view.current_hit() is not None)
    settle(qtbot, window)
    view.set_filter(ListFilter.UNREAD)
    read = 100_000 - view.model.rowCount()
    assert 0 < read < 10
    assert view.count.text().endswith(f"/ {100_000 - read:,}, {100_000 - read:,} unread")
    view.step(1)
    qtbot.waitUntil(lambda: view.current_hit() is not None)
    settle(qtbot, window)
    assert view.model.index(view.table.currentIndex().row(), 0).data() != "1"
    view.filtered.button.click()
    assert view.model.rowCount() == 100_000
    view.set_filter(ListFilter.UNREAD)
    run_line(qtbot, window, "everything")
    qtbot.waitUntil(lambda: view.model.rowCount() == 100_000)
    assert view.model.filter is ListFilter.ALL
    assert view.filtered.isHidden()
