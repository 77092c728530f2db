"""The panel *Progress*: bars of new passages, the sample with its states, the estimate and empty states."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from claimlight.services.stopping.estimates import estimate_unread
from claimlight.services.stopping.samples import draw_sample
from claimlight.types import (
    Category,
    DocumentRead,
    FeatureProgress,
    Mark,
    PublicationNumber,
    ReadBlock,
    ReadingHistory,
)
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.progress.view import ProgressView
from claimlight_workbench.values import CaseProgress

AT = datetime(2026, 3, 1, tzinfo=UTC)
LISTED = [PublicationNumber("US", str(9_000_000 + n), "B2") for n in range(120)]
HISTORY = ReadingHistory(
    25,
    20,
    (FeatureProgress("F1", "a crown wheel", 3, 4), FeatureProgress("F2", "a spring", 0, None)),
    (ReadBlock(1, 20, 2, (2, 0)), ReadBlock(21, 25, 0, (1, 0))),
)


def progress(read, relevant, samples=(1,)):
    sample = draw_sample(LISTED, LISTED[:20], size=10, seed=1, set_number=1)
    reading = [DocumentRead(item, AT) for item in (*LISTED[:20], *sample.order[:read])]
    marks = [Mark(item, Category.X) for item in sample.order[:relevant]]
    found = estimate_unread(sample, LISTED, reading, marks)
    return CaseProgress(1, HISTORY, samples, found)


def states(view):
    return [view.list.topLevelItem(row).text(3) for row in range(view.list.topLevelItemCount())]


def test_bars_name_what_is_new_and_how_long_ago(qtbot):
    view = ProgressView()
    qtbot.addWidget(view)
    view.show_progress(CaseProgress(1, HISTORY))
    assert [(row.label, row.counts) for row in view.bars.rows] == [
        ("F1", (2, 1)),
        ("F2", (0, 0)),
        ("", (2, 0)),
    ]
    assert "nothing new in the last 4" in view.bars.rows[0].note
    assert "F1: 2, 1" in view.bars.accessibleDescription()
    view.bars.resize(400, view.bars.height())
    assert view.bars.tip_at(QPoint(70, 5)) == "Documents read 1 to 20: 2 new passages of F1"
    assert view.bars.tip_at(QPoint(300, 5)) == "F1: a crown wheel\n3: nothing new in the last 4"


def test_the_estimate_is_told_with_interval_and_assumption(qtbot):
    view = ProgressView()
    qtbot.addWidget(view)
    view.show_progress(progress(4, 1))
    assert states(view)[:5] == ["relevant", *["read, not relevant"] * 3, "unread"]
    assert "95 % interval" in view.known.text()
    assert "assumes" in view.assumption.text()
    assert "stop" not in (view.known.text() + view.told.text() + view.assumption.text()).lower()
    view.show_progress(progress(0, 0))
    assert "Nothing is known yet" in view.known.text()


def test_empty_states_say_the_next_step(qtbot, window):
    view = ProgressView()
    qtbot.addWidget(view)
    assert "open a case" in view.title.text()
    assert "Search first" in view.told.text()
    assert not view.draw_button.isEnabled()
    view.show_sets(window.do.case.state.sets)
    assert "Draw a sample" in view.told.text()
    view.show_progress(CaseProgress(1, ReadingHistory(0, 20, (), ())))
    assert "No document is read yet" in view.title.text()
    view.show_progress(progress(4, 1))
    view.clear_out(Left.CASE)
    assert not view.list.topLevelItemCount()
    assert "open a case" in view.title.text()


def test_a_sample_is_drawn_from_the_set_that_is_chosen(qtbot, window, services):
    window.panels.raise_panel("progress")
    view = window.see.progress
    qtbot.waitUntil(lambda: "document" in view.title.text())
    view.size_box.setValue(7)
    view.rest.setChecked(True)
    QTest.mouseClick(view.draw_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: services.drawn == [(1, 7, True)])
    qtbot.waitUntil(view.draw_button.isEnabled)


def test_enter_opens_a_document_of_the_sample(qtbot):
    view = ProgressView()
    qtbot.addWidget(view)
    shown = progress(1, 0)
    view.show_progress(shown)
    view.list.setCurrentItem(view.list.topLevelItem(2))
    with qtbot.waitSignal(view.opened) as caught:
        QTest.keyClick(view.list, Qt.Key.Key_Return)
    assert caught.args == [str(shown.estimate.documents[2].publication)]
