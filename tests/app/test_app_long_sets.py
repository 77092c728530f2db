"""Long sets: read page by page, ordered, and opened at their first document."""

from __future__ import annotations

import threading
from datetime import date

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from claimlight.types import ReferenceDates
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.results_model import Order
from claimlight_workbench.models.rows import PAGE, Page
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, summary
from tests.app.test_app_query_line import run_line

KEY = Qt.Key


@pytest.fixture
def long_set(qtbot, window: MainWindow) -> MainWindow:
    run_line(qtbot, window, "everything")
    qtbot.waitUntil(lambda: window.see.results.current_hit() is not None)
    settle(qtbot, window)
    return window


def test_a_long_set_is_read_page_by_page(qtbot, long_set: MainWindow, services: FakeServices):
    view = long_set.see.results
    assert view.model.rowCount() == 100_000
    assert view.count.text() == "L2  1 / 100,000, 99,999 unread"
    assert {len(page) for page in services.pages} == {PAGE}
    assert len(services.pages) <= 2
    view.table.setFocus()
    press(view.table, KEY.Key_End, Qt.KeyboardModifier.ControlModifier)
    press(view.table, KEY.Key_End)
    view.go_to(99_999)
    qtbot.waitUntil(lambda: long_set.do.reader.view.summary.id == 100_000)
    assert view.model.index(99_999, Column.PUBLICATION).data() == "EP 1 100 000 A1"
    assert view.count.text().startswith("L2  100,000 / 100,000")
    assert len(services.pages) <= 6


@pytest.mark.styled
def test_pages_that_were_scrolled_past_are_not_read(qtbot, long_set: MainWindow, services: FakeServices):
    view, bar = long_set.see.results, long_set.see.results.table.verticalScrollBar()
    gate, real = threading.Event(), services.summaries

    def slow(patents, context):
        while not gate.wait(0.01):
            context.check()
        return real(patents, context)

    services.summaries = slow  # type: ignore[method-assign]
    services.pages.clear()
    for step in range(1, 60):
        bar.setValue(bar.maximum() * step // 60)
        view.table.viewport().repaint()
        QApplication.processEvents()
    gate.set()
    settle(qtbot, long_set)
    rows = [view.table.rowAt(0), view.table.rowAt(view.table.viewport().height() - 1)]
    qtbot.waitUntil(lambda: all(view.model.hit(row) is not None for row in rows))
    assert len(services.pages) <= 8
    # What was passed over is asked for when it comes on view again.
    bar.setValue(bar.maximum() * 20 // 60)
    view.table.viewport().repaint()
    qtbot.waitUntil(lambda: view.model.hit(view.table.rowAt(0)) is not None)


def test_rows_that_were_cut_off_are_asked_for_again(qtbot, long_set: MainWindow, services: FakeServices):
    gate, real = threading.Event(), services.summaries
    asked = []

    def slow(patents, context):
        asked.append(patents[0])
        while not gate.wait(0.01):
            context.check()
        return real(patents, context)

    services.summaries = slow  # type: ignore[method-assign]
    view = long_set.see.results
    view.go_to(5_000)
    view.table.viewport().repaint()
    qtbot.waitUntil(lambda: len(asked) == 1)
    # Other dates while rows are being read: those would bear the zones of the previous ones.
    long_set.do.query.set_dates(ReferenceDates(date(2001, 1, 1)))
    gate.set()
    qtbot.waitUntil(lambda: view.model.hit(5_000) is not None)
    settle(qtbot, long_set)
    assert len(asked) > 1
    assert view.model.index(5_000, Column.ZONE).data() == "E"


def test_a_new_set_opens_at_its_first_document(qtbot, long_set: MainWindow):
    view = long_set.see.results
    view.go_to(2)
    qtbot.waitUntil(lambda: long_set.do.reader.view.summary.id == 3)
    run_line(qtbot, long_set, "coil")
    assert view.table.currentIndex().row() == 0
    qtbot.waitUntil(lambda: long_set.do.reader.view.summary.id == 1)


def test_a_set_with_scores_can_be_ordered_by_date(qtbot, window: MainWindow, services: FakeServices):
    services.many = 300
    run_line(qtbot, window, "everything ~x")
    view = window.see.results
    assert view.order.itemText(0) == "best first"
    assert not view.table.isColumnHidden(Column.RANKS)
    view.go_to(4)
    settle(qtbot, window)
    view.order.setCurrentIndex(2)
    view.order.activated.emit(2)
    qtbot.waitUntil(lambda: view.table.currentIndex().row() == 295)
    qtbot.waitUntil(lambda: view.model.hit(295) is not None)
    assert view.model.hit(295).patent.id == 5
    assert view.model.index(0, Column.RANK).data() == "300"
    view.set_order(Order.SCORE)
    qtbot.waitUntil(lambda: view.model.hit(0) is not None and view.model.hit(0).patent.id == 1)
    assert view.table.currentIndex().row() == 4


def test_rows_that_were_asked_for_in_another_order_are_not_taken(
    qtbot, window: MainWindow, services: FakeServices
):
    """They came late, filled the page with documents of elsewhere, and its rows stayed blank."""
    services.many = 300
    run_line(qtbot, window, "everything ~x")
    model = window.see.results.model
    qtbot.waitUntil(lambda: model.hit(0) is not None)
    late = Page(0, model.ids(0), tuple(summary(number) for number in model.ids(0)), {})
    model.reorder_set(range(299, -1, -1))
    model.fill(late)
    assert model.hit(0) is None
    qtbot.waitUntil(lambda: model.hit(0) is not None)
    assert model.hit(0).patent.id == 300


def test_nothing_found_is_an_answer_too(qtbot, window: MainWindow, services: FakeServices):
    run_line(qtbot, window, "nothing")
    assert window.see.results.count.text() == "Nothing found"
    assert services.sets[-1].label == "L2"
    assert len(services.sets[-1].hits) == 0
