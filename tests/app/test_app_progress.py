"""The panel *Progress*: bars of new passages, the sample with its states, the estimate and empty states."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from claimlight.services.stopping.estimates import estimate_unread
from claimlight.services.stopping.samples import draw_sample
from claimlight.types import (
    Category,
    CoverageCurve,
    CurvePoint,
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


@pytest.mark.styled
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


CURVE = CoverageCurve(
    ("F1", "F2", "F3"),
    (
        CurvePoint(1, LISTED[0], 1, 1, 0, ("F1",), ("F1",)),
        CurvePoint(2, LISTED[1], 1, 2, 1, (), ("F3",)),
        CurvePoint(3, LISTED[2], 2, 3, 1, ("F2",), ("F2",)),
        CurvePoint(4, LISTED[3], 2, 3, 2),
    ),
    compared=3,
)


@pytest.mark.styled
def test_the_curve_is_drawn_told_listed_and_exported(qtbot, tmp_path):
    view = ProgressView()
    qtbot.addWidget(view)
    assert not view.curve.more_button.isEnabled()
    view.show_progress(CaseProgress(1, HISTORY, curve=CURVE))
    view.pages.setCurrentIndex(1)
    view.resize(1000, 400)
    curve = view.curve
    curve.drawn.grab()
    told = curve.drawn.accessibleDescription()
    assert "2 of 3 features confirmed, the last new one in document 3 of 4 read." in told
    assert "3 of 3 features" not in told.partition("evidence")[0]
    assert "(3 of 4 documents compared)" in told
    assert "2 relevant documents, the last one was document 4." in curve.told.toolTip()
    assert "first confirmed here: F2" in curve.drawn.tip_at(QPoint(curve.drawn.width() * 3 // 4, 50))
    rows = [[curve.model.index(row, column).data() for column in (0, 2, 3, 4, 5)] for row in range(4)]
    assert rows == [[*"1110", "F1"], [*"2121", ""], [*"3231", "F2"], [*"4232", ""]]
    QTest.mouseClick(curve.table_button, Qt.MouseButton.LeftButton)
    assert curve.stack.currentWidget() is curve.table
    with qtbot.waitSignal(curve.opened) as caught:
        curve.table.opened.emit(curve.model.index(2, 1))
    assert caught.args == [str(LISTED[2])]
    written = {}
    curve.export_wanted.connect(lambda path, make: written.update({path.suffix: make()}))
    for suffix in (".png", ".svg", ".csv"):
        curve.export(tmp_path / f"curve{suffix}")
    assert written[".png"].startswith(b"\x89PNG")
    assert b"<svg" in written[".svg"]
    assert b"2 of 3 features confirmed" in written[".svg"]
    lines = written[".csv"].decode("utf-8-sig").splitlines()
    assert lines[0] == "place,publication,confirmed,covered,relevant,first_confirmed,first_covered"
    assert lines[3] == f"3,{LISTED[2]},2,3,1,F2,F2"
    without = curve.drawn.picture("c", svg=True)
    curve.relevant.setChecked(False)
    assert curve.drawn.picture("c", svg=True).count(b"<text") < without.count(b"<text")
    view.clear_out(Left.CASE)
    assert curve.drawn.found is None
    assert not curve.model.rowCount()


def test_the_cells_of_the_matrix_are_given_to_the_curve(qtbot, window, services):
    window.panels.raise_panel("progress")
    qtbot.waitUntil(lambda: len(services.compared_read) > 0)
    shown = window.do.matrix.answer.matrix
    assert {each.row for each in services.compared_read} == set(shown.every_row)
    assert all(each.features == shown.features for each in services.compared_read)
