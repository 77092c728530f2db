"""How long the window is deaf: a heartbeat of 10 ms, and the most work between two beats.

What is asserted is the processor time of the GUI thread, which other programs can't add to; the longest
gap on the clock is printed beside it.
"""

from __future__ import annotations

import gc
from dataclasses import replace
from time import perf_counter, thread_time

import pytest
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight.types import DocumentEvidence, DocumentView, Feature, PassageHit, PatentId, Query, Span
from claimlight_workbench.jobs import collector
from claimlight_workbench.main_window import MainWindow
from tests.app.fake_services import FakeServices, with_matches

BEAT_MS = 10
BUDGET = 0.25
"""Seconds of work: well above what is measured, well below what would be felt as a hang."""
SENTENCE = "The damper carries a toothed ring next to the biased coil and the housing of the absorber. "


@pytest.fixture(autouse=True)
def _collector_as_in_the_program():
    before = gc.get_threshold()
    collector.calm()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


class Heart(QObject):
    """Measures the longest pause of the event loop, and the most work done in one."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self.worked = 0.0
        self._last = perf_counter()
        self._work = thread_time()
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._last, self._work = perf_counter(), thread_time()
        self._timer.start()

    def stop(self, what: str) -> float:
        self._beat()
        self._timer.stop()
        print(f"\n{what}: longest stall {self.longest:.3f} s, {self.worked:.3f} s of work")
        return self.worked

    def _beat(self) -> None:
        now, work = perf_counter(), thread_time()
        self.longest = max(self.longest, now - self._last - BEAT_MS / 1000)
        self.worked = max(self.worked, work - self._work)
        self._last, self._work = now, work


class Long(FakeServices):
    """Documents of 500 paragraphs of some hundred words, with links in every sentence."""

    def document(self, patent, context) -> DocumentView:
        view = super().document(patent, context)
        return replace(
            view,
            passages=tuple(
                replace(each, text=SENTENCE * 6) if place > 1 else each
                for place, each in enumerate(view.passages)
            ),
        )

    def evidence(self, query: Query, patent: PatentId, context) -> DocumentEvidence:
        base = super().evidence(query, patent, context)
        views = self.document(patent, context).passages[2:]
        hits = tuple(_dense(base.passages[0], view) for view in views)
        return replace(base, passages=(*base.passages[:1], *hits))


def _dense(like: PassageHit, view) -> PassageHit:
    items = tuple(
        replace(item, passage=Span(start, start + 12))
        for item in like.evidence
        for start in range(0, len(view.text) - 12, 45)
    )
    features = [Feature(item.feature, item.query, "") for item in items]
    return with_matches(PassageHit(view.id, view.section, view.label, view.text, 0.0, items), features)


@pytest.fixture
def long_window(open_window, tmp_path) -> MainWindow:
    return open_window(engine=Long(tmp_path, paragraphs=500))


def test_opening_a_long_document_does_not_stop_the_window(qtbot, long_window: MainWindow):
    window = long_window
    heart = Heart()
    window.do.reader.forget()
    heart.start()
    begun = perf_counter()
    window.do.reader.open(PatentId(2))
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 2)
    first = perf_counter() - begun
    qtbot.waitUntil(lambda: window.see.reader.complete and window.board.links is not None)
    whole = perf_counter() - begun
    window.see.reader.reveal(window.see.reader._text.placed[-1].passage.id)
    QApplication.processEvents()
    worked = heart.stop(f"long document: text after {first:.3f} s, whole {whole:.3f} s")
    assert worked < BUDGET


def test_pointing_and_scrolling_do_not_stop_the_window(qtbot, long_window: MainWindow):
    window = long_window
    heart = Heart()
    heart.start()
    text = window.see.reader.text
    for step in range(40):
        text.verticalScrollBar().setValue(text.verticalScrollBar().maximum() * step // 40)
        window.board.point_at_query(window.board.query.text.index("crown") + step % 5)
        QTest.qWait(1)
        window.board.point_at_query(-1)
        QTest.qWait(1)
    assert heart.stop("pointing and scrolling") < BUDGET


class Longer(Long):
    """Documents of 400,000 characters, with few links."""

    def evidence(self, query: Query, patent: PatentId, context) -> DocumentEvidence:
        return FakeServices.evidence(self, query, patent, context)


def test_finding_in_a_document_of_400_000_characters_does_not_stop_the_window(qtbot, open_window, tmp_path):
    window = open_window(engine=Longer(tmp_path, paragraphs=750))
    reader = window.see.reader
    assert sum(len(each.text) for each in reader._text.view.passages) > 400_000
    qtbot.waitUntil(lambda: reader.lanes.measured)
    reader.open_find()
    heart = Heart()
    heart.start()
    for letter in "coil":
        QTest.keyClicks(reader.find_bar.line, letter)
        QTest.qWait(5)
    qtbot.waitUntil(lambda: window._runner.busy == 0 and len(window.board.finds.places) > 4000)
    for _ in range(20):
        QTest.keyClick(reader.find_bar.line, Qt.Key.Key_Return)
        QTest.qWait(2)
    assert window.board.finds.at == 20
    assert heart.stop("finding in 400,000 characters") < BUDGET


def test_the_next_document_is_there_at_once(qtbot, long_window: MainWindow):
    window = long_window
    qtbot.waitUntil(lambda: PatentId(3) in window.do.reader._kept)
    begun, work = perf_counter(), thread_time()
    window.do.reader.open(PatentId(3))
    window.see.reader.text.paint_marks()
    worked = thread_time() - work
    print(f"\nnext document from the neighbours: {perf_counter() - begun:.3f} s, {worked:.3f} s of work")
    assert window.see.reader._text.view.summary.id == 3
    assert window.board.links is not None
    assert worked < BUDGET
    qtbot.waitUntil(lambda: window.see.reader.complete)


@pytest.mark.styled
def test_a_set_of_a_hundred_thousand_documents_does_not_stop_the_window(qtbot, open_window):
    window = open_window()
    editor = window.see.expression.editor
    editor.setFocus()
    editor.show_text("everything")
    heart = Heart()
    heart.start()
    QTest.keyClick(editor, Qt.Key.Key_Return)
    model, table = window.see.results.model, window.see.results.table
    qtbot.waitUntil(lambda: model.rowCount() == 100_000 and model.hit(0) is not None)
    bar = table.verticalScrollBar()
    for step in range(60):
        bar.setValue(bar.maximum() * step // 59)
        QTest.qWait(2)
    qtbot.waitUntil(lambda: model.hit(table.rowAt(20)) is not None)
    table.setFocus()
    for _ in range(20):
        QTest.keyClick(table, Qt.Key.Key_PageUp)
        QTest.qWait(2)
    assert heart.stop("set of 100,000 documents") < BUDGET
