"""Drawings in the reader: text, drawings or both; pages, zoom, and what is said where there is no picture."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight.types import PublicationNumber
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.drawings import Showing
from claimlight_workbench.screens.reader.figure_links import NO_FIGURE
from claimlight_workbench.screens.reader.sign_words import LIST_HELP
from tests.app.driving import point_at, press, settle
from tests.app.fake_drawings import LOST, REASON
from tests.app.fake_services import FakeServices

KEY = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
PLAIN = Qt.KeyboardModifier.NoModifier


def click(reader, passage, position: int, modifiers=PLAIN):
    """On a character of the text."""
    placed = reader._text.of(passage)
    reader.text.show_position(placed.offset(position))
    cursor = QTextCursor(reader.text.document())
    cursor.setPosition(placed.offset(position))
    here = reader.text.cursorRect(cursor)
    QTest.mouseClick(
        reader.text.viewport(), Qt.MouseButton.LeftButton, modifiers, here.center() + QPoint(2, 0)
    )


def wheel(window: MainWindow, angle: int) -> None:
    canvas = window.see.reader.drawings.canvas
    at = QPointF(canvas.viewport().rect().center())
    event = QWheelEvent(
        at, canvas.viewport().mapToGlobal(at), QPoint(), QPoint(0, angle), Qt.MouseButton.NoButton, CTRL,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), event)


@pytest.mark.styled
def test_f_switches_between_text_drawings_and_both(qtbot, window: MainWindow, services: FakeServices):
    reader, board = window.see.reader, window.board.drawings
    view = reader.drawings
    window.do.drawing.rest.setInterval(1_000_000)
    window.do.drawing.rest.start()
    assert services.drawings_listed == []
    reader.text.setFocus()
    press(reader.text, KEY.Key_F)
    settle(qtbot, window)
    assert (board.showing, reader.text.isVisible(), view.isVisible()) == (Showing.DRAWINGS, False, True)
    assert view.canvas.hasFocus()
    assert services.drawings_listed == [1]
    assert [view.pages.itemText(n) for n in range(view.pages.count())] == [
        "1 · Fig. 1", "2 · Fig. 2A (guessed)", "3 · front page – picture missing",
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
    assert not view.sideways.isVisible(), "the user has turned it"
    board.step(-1)
    assert board.turns == 0
    board.step(1)
    settle(qtbot, window)
    assert board.image.width() > board.image.height(), "a page stays turned while the document is open"
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
    placed = reader._text.of(window.board.passage)
    ring = placed.offset(placed.passage.text.index("toothed ring"))
    assert first <= ring <= last, "the match of the feature is in view"


@pytest.mark.styled
def test_the_strip_shows_and_chooses_pages(qtbot, window: MainWindow, services: FakeServices):
    reader, board = window.see.reader, window.board.drawings
    strip, rows = reader.drawings.strip, reader.drawings.strip.model()
    press(reader.text, KEY.Key_F)
    assert reader.features.isHidden(), "without the text there is nothing to highlight"
    qtbot.waitUntil(
        lambda: board.thumbnails.of(board.found.drawings, 1) is not None if board.found else False
    )
    settle(qtbot, window)
    small = [
        (number, longest) for number, longest in services.pages_decoded if longest == board.thumbnails.side
    ]
    assert sorted(number for number, _ in small) == [1, 2], "a page without a picture is not asked for"
    assert services.pages_decoded[0] not in small, "the page itself comes first"
    names = [
        (rows.index(n).data(), rows.index(n).data(Qt.ItemDataRole.AccessibleTextRole))
        for n in range(rows.rowCount())
    ]
    assert names == [
        ("Fig. 1", "1 · Fig. 1"), ("(Fig. 2A)", "2 · Fig. 2A (guessed)"),
        ("3", "3 · front page – picture missing"),
    ]  # fmt: skip
    press(strip, KEY.Key_Down)
    assert (board.at, strip.currentIndex().row()) == (1, 1)
    place = strip.visualRect(rows.index(0)).center()
    QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, PLAIN, place)
    assert board.at == 0
    settle(qtbot, window)
    assert strip.grab().toImage().pixelColor(place - QPoint(0, 20)).lightness() > 200, "the page is white"
    # A page that is much wider than high is offered to be turned.
    turned = board.image.scaled(1200, 800)
    board.show_image(turned)
    assert reader.drawings.sideways.isVisible()
    reader.drawings.sideways.click()
    settle(qtbot, window)
    assert (board.turns, reader.drawings.sideways.isVisible()) == (1, False)
    # The next document has no pages: no strip; back again nothing is read twice.
    read = services.pages_decoded.count(small[0])
    press(reader.drawings.canvas, KEY.Key_J)
    qtbot.waitUntil(lambda: services.drawings_listed == [1, 2])
    settle(qtbot, window)
    assert strip.isHidden()
    press(reader.drawings.canvas, KEY.Key_K)
    qtbot.waitUntil(lambda: services.drawings_listed == [1, 2, 1])
    settle(qtbot, window)
    assert strip.isVisible()
    assert board.thumbnails.of(board.found.drawings, 0) is not None
    assert services.pages_decoded.count(small[0]) == read
    press(window, KEY.Key_F)
    assert reader.features.isVisible()


def test_mentions_of_figures_lead_to_their_pages(qtbot, window: MainWindow, services: FakeServices):
    reader, board = window.see.reader, window.board.drawings
    # Once the document is read for a moment, its text has links; no page is decoded for them.
    qtbot.waitUntil(lambda: board.found is not None)
    settle(qtbot, window)
    assert (board.showing, services.pages_decoded) == (Showing.TEXT, [])
    last = window.do.reader.view.passages[-1]
    placed = reader._text.of(last.id)
    first, second = board.links_of(last.id)
    reader.text.show_position(placed.start)
    reader.text.paint_marks()
    dash = QTextCharFormat.UnderlineStyle.DashUnderline
    marked = {
        selection.cursor.selectedText()
        for selection in reader.text.extraSelections()
        if selection.format.underlineStyle() is dash
    }
    assert marked == {last.text[each.span.start : each.span.end] for each in (first, second)}
    point_at(qtbot, reader.text, placed.offset(second.span.start))
    assert reader.text.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert "Click: show Fig. 1, page 1" in reader._tip_at(placed.offset(second.span.start))
    reader.text.clicked.emit(placed.offset(second.span.start))
    settle(qtbot, window)
    assert (board.showing, board.at, window.board.passage) == (Showing.BOTH, 0, last.id)
    # The command goes through the figures of the passage.
    press(reader.text, KEY.Key_F, SHIFT)
    assert board.at == 1
    press(reader.text, KEY.Key_F, SHIFT)
    assert board.at == 0
    point_at(qtbot, reader.text, placed.end - 1)
    assert reader.text.viewport().cursor().shape() is Qt.CursorShape.IBeamCursor
    window.board.set_passage(window.do.reader.view.passages[0].id)
    press(reader.text, KEY.Key_F, SHIFT)
    assert reader.strip.text() == NO_FIGURE
    # Before the drawings are listed it waits for them.
    window.board.set_passage(last.id)
    board.show(Showing.TEXT)
    board.open(opened=True)
    reader.show_figure()
    assert board.showing is Showing.BOTH
    window.do.drawing.show(window.do.reader.view)
    settle(qtbot, window)
    assert board.at == 1


def test_figures_are_cited_with_the_category(qtbot, window: MainWindow, services: FakeServices):
    reader, case = window.see.reader, window.do.case

    def cited() -> list[str]:
        mark = case.mark_for(reader_publication(window), window.do.query.claim)
        return [item.label for item in mark.passages]

    reader.text.setFocus()
    press(reader.text, KEY.Key_F)
    settle(qtbot, window)
    press(reader.drawings.canvas, KEY.Key_X, SHIFT)
    settle(qtbot, window)
    assert case.mark_for(reader_publication(window), window.do.query.claim) is None
    press(reader.drawings.canvas, KEY.Key_X)
    settle(qtbot, window)
    press(reader.drawings.canvas, KEY.Key_X, SHIFT)
    settle(qtbot, window)
    assert cited() == ["figure 1"]
    press(reader.drawings.canvas, KEY.Key_PageDown, CTRL)
    press(reader.drawings.canvas, KEY.Key_X, SHIFT)
    settle(qtbot, window)
    assert cited() == ["figure 1", "figure 2A"]
    # The file does not say that figure 2A is on that page.
    assert window.notices.status.currentMessage().startswith("Cited: figure 2A. Check that")
    press(reader.drawings.canvas, KEY.Key_X, SHIFT)
    settle(qtbot, window)
    assert cited() == ["figure 1"]


def reader_publication(window: MainWindow) -> PublicationNumber:
    return window.do.reader.view.summary.publication


@pytest.mark.styled
def test_signs_are_named_and_listed_and_lead_to_their_mentions(
    qtbot, window: MainWindow, services: FakeServices
):
    reader, board = window.see.reader, window.board.drawings
    signs, view = reader.drawings.signs, window.do.reader.view
    text = "In the figure the lever 12a moves 5 mm."
    last = replace(view.passages[-1], text=text)
    claim = replace(view.passages[1], text="A lever (12a) of 12 mm.", claim=1)
    view = replace(view, passages=(view.passages[0], claim, *view.passages[2:-1], last))
    reader.show_document(view)
    window.do.drawing.show(view)
    settle(qtbot, window)
    assert services.signs_read == []
    # A click names the sign, in a claim too, and changes nothing else; what is no sign says nothing.
    click(reader, last.id, text.index("12a"))
    settle(qtbot, window)
    assert (services.signs_read, board.showing) == ([1], Showing.TEXT)
    assert reader.strip.text().startswith("12a: lower valve · 1 mention · probably in Fig. 9, 1 (guessed")
    assert LIST_HELP in reader.strip.text()
    assert reader._tip_at(reader._text.of(last.id).offset(text.index("12a"))) == "12a: lower valve"
    click(reader, last.id, text.index("5"))
    assert "valve" not in reader.strip.text()
    click(reader, claim.id, claim.text.index("2a"))
    assert reader.strip.text().startswith("12a: lower valve")
    # With Ctrl it opens the list at the sign, beside the text.
    click(reader, last.id, text.index("12a"), CTRL)
    settle(qtbot, window)
    assert (board.showing, signs.isVisible()) == (Showing.BOTH, True)
    assert [[signs.model.index(row, n).data() for n in range(4)] for row in range(2)] == [
        ["2", "damper", "2", "2"], ["12a", "lower valve", "1", "9, 1"],
    ]  # fmt: skip
    assert signs.table.currentIndex().row() == 1
    # Enter in the filter goes to the first mention, and to the next; the likely figure is shown.
    press(window, KEY.Key_R, CTRL)
    assert signs.isHidden()
    press(window, KEY.Key_R, CTRL)
    assert signs.line.hasFocus()
    QTest.keyClicks(signs.line, "2")
    assert [signs.model.index(row, 0).data() for row in range(signs.model.rowCount())] == ["2"]
    assert signs.count.text() == "1 of 2"
    press(signs.line, KEY.Key_Return)
    assert (window.board.passage, board.at) == (view.passages[0].id, 1), "2 means 2A, which is on page 2"
    assert reader.text.textCursor().selectedText() == view.passages[0].text[0]
    assert signs.said.text().startswith("2: damper · mention 1 of 2 · probably in Fig. 2 (guessed")
    press(signs.line, KEY.Key_Return)
    assert (window.board.passage, reader.text.textCursor().selectedText()) == (last.id, "In")
    signs.line.setText("valve")
    press(signs.line, KEY.Key_Down)
    press(signs.table, KEY.Key_Return)
    settle(qtbot, window)
    assert board.signs.current.sign == "12a"
    assert board.at == 0, "the passage names Fig. 2A first, but the sign is likely in Fig. 1"
    # From the drawings alone the text comes back.
    board.show(Showing.DRAWINGS)
    press(signs.table, KEY.Key_Return)
    assert board.showing is Showing.BOTH
    # The list stays open for the next document, and is read for it; Esc closes it.
    press(reader.text, KEY.Key_J)
    qtbot.waitUntil(lambda: services.signs_read == [1, 2])
    settle(qtbot, window)
    assert board.signs.current is None
    press(signs.line, KEY.Key_Escape)
    assert signs.isHidden()
    assert reader.drawings.canvas.hasFocus()
    press(reader.text, KEY.Key_K)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 1)
    settle(qtbot, window)
    assert services.signs_read == [1, 2], "drawings without the list read no signs"


def test_a_small_reader_shows_the_text_or_the_drawings_and_a_large_one_both(qtbot, window: MainWindow):
    reader, board = window.see.reader, window.board.drawings
    window.resize(1366, 768)
    window.panels.share_room()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: not board.together)
    reader.text.setFocus()
    press(reader.text, KEY.Key_F)
    settle(qtbot, window)
    assert (board.showing, reader.front.isVisible()) == (Showing.DRAWINGS, False), "the page has the room"
    press(reader.drawings.canvas, KEY.Key_F)
    assert (board.showing, reader.front.isVisible()) == (Showing.TEXT, True)
    press(reader.text, KEY.Key_R, CTRL)
    settle(qtbot, window)
    signs = reader.drawings.signs
    assert (board.showing, signs.isVisible(), signs.mention.isVisible()) == (Showing.DRAWINGS, True, False)
    press(signs.line, KEY.Key_Return)
    settle(qtbot, window)
    sign = board.signs.current
    assert board.showing is Showing.DRAWINGS, "the list stays for the next mention"
    assert signs.mention.text().startswith("abstract  ")
    assert signs.mention.isVisible()
    press(reader.drawings.canvas, KEY.Key_F)
    settle(qtbot, window)
    first, last = reader.text.visible_range()
    placed = reader._text.of(sign.places[0].passage)
    assert first <= placed.offset(sign.places[0].span.start) <= last, "the text is at the mention"
    press(reader.text, KEY.Key_F)
    press(reader.drawings.canvas, KEY.Key_2)
    settle(qtbot, window)
    assert (board.showing, window.board.focus) == (Showing.TEXT, "F2"), "a jump shows the text"
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: board.together)
    board.show(Showing.BOTH)
    window.resize(1366, 768)
    qtbot.waitUntil(lambda: board.showing is Showing.DRAWINGS)
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: board.showing is Showing.BOTH)
