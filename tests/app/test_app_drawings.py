"""Drawings in the reader: text, drawings or both; pages, zoom, and what is said where there is no picture."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.drawings import Showing
from tests.app.driving import press, settle
from tests.app.fake_drawings import LOST, REASON
from tests.app.fake_services import FakeServices

KEY = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
PLAIN = Qt.KeyboardModifier.NoModifier


def wheel(window: MainWindow, angle: int) -> None:
    canvas = window.see.reader.drawings.canvas
    at = QPointF(canvas.viewport().rect().center())
    event = QWheelEvent(
        at, canvas.viewport().mapToGlobal(at), QPoint(), QPoint(0, angle), Qt.MouseButton.NoButton, CTRL,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), event)


def test_f_switches_between_text_drawings_and_both(qtbot, window: MainWindow, services: FakeServices):
    reader, board = window.see.reader, window.board.drawings
    view = reader.drawings
    assert services.drawings_listed == []
    reader.text.setFocus()
    press(reader.text, KEY.Key_F)
    settle(qtbot, window)
    assert (board.showing, reader.text.isVisible(), view.isVisible()) == (Showing.DRAWINGS, False, True)
    assert view.canvas.hasFocus()
    assert services.drawings_listed == [1]
    assert [view.pages.itemText(n) for n in range(view.pages.count())] == [
        "1 · Fig. 1", "2 · Fig. 2A (page guessed)", "3 · front page – picture missing",
    ]  # fmt: skip
    assert board.image is not None
    assert board.at == 0
    assert view.caption.text() == "Fig. 1 is a side view"
    assert not any(name == "MainThread" for name in services.decoding_threads)
    # The page has the width of the view, and the pixels that this takes.
    page = view.canvas._page()
    assert round(page.width()) == view.canvas.viewport().width()
    assert max(board.image.width(), board.image.height()) <= board.longest
    decoded = len(services.pages_decoded)
    for _ in range(8):
        wheel(window, 120)
    settle(qtbot, window)
    assert view.canvas.zoom > 5
    assert (board.image.width(), board.image.height()) == (800, 1200), "never more than there is"
    assert len(services.pages_decoded) > decoded
    across = view.canvas.horizontalScrollBar()
    before = across.value()
    viewport, middle = view.canvas.viewport(), view.canvas.viewport().rect().center()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, PLAIN, middle)
    QTest.mouseMove(viewport, middle - QPoint(40, 0))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, PLAIN, middle - QPoint(40, 0))
    assert across.value() == before + 40
    view.fitted.click()
    assert view.canvas.zoom == 1
    press(view.canvas, KEY.Key_Right)
    settle(qtbot, window)
    assert (board.at, view.pages.currentIndex()) == (1, 1)
    view.turned.click()
    settle(qtbot, window)
    assert board.image.width() > board.image.height()
    press(window, KEY.Key_PageDown, CTRL)
    settle(qtbot, window)
    assert LOST in view.canvas.message.text()
    assert view.canvas.message.isVisible()
    press(window, KEY.Key_PageDown, CTRL)
    assert board.at == 2, "after the last comes none"
    press(window, KEY.Key_F)
    assert (reader.text.isVisible(), view.isVisible()) == (True, True)
    # A passage that names a figure leads to its page.
    reader.go_to_passage(window.do.reader.view.passages[-1].id)
    settle(qtbot, window)
    assert board.at == 1
    assert not view.canvas.message.isVisible()
    # A document without drawings says why.
    press(reader.text, KEY.Key_J)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: services.drawings_listed == [1, 2])
    settle(qtbot, window)
    assert REASON in view.canvas.message.text()
    assert not view.next.isEnabled()
    press(window, KEY.Key_F)
    assert (reader.text.isVisible(), view.isVisible()) == (True, False)
    press(reader.text, KEY.Key_K)
    qtbot.waitUntil(lambda: not window.see.results._opening.isActive())
    settle(qtbot, window)
    assert window.do.reader.view.summary.id == 1
    assert services.drawings_listed == [1, 2], "text alone reads no drawings"
    # A jump from the drawings shows the passage beside them.
    press(reader.text, KEY.Key_F)
    assert not reader.text.isVisible()
    press(view.canvas, KEY.Key_2)
    settle(qtbot, window)
    first, last = reader.text.visible_range()
    assert (board.showing, window.board.focus) == (Showing.BOTH, "F2")
    assert first <= reader._text.of(window.board.passage).start <= last
