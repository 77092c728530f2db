"""Adapting in the window: start, pause and go on, before and after, keep or discard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from claimlight.errors import ResourceError
from claimlight.types import AdaptReport, Verdict
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.adapting.describe import summary, verdict_text
from claimlight_workbench.screens.adapting.view import AdaptingView
from claimlight_workbench.values import Adaptation
from tests.app.fake_child import Child
from tests.app.fake_models import REPORT, step
from tests.app.fake_services import FakeServices


def test_a_verdict_follows_the_interval_of_average_precision():
    assert REPORT.verdict is Verdict.BETTER

    def with_main(low: float, high: float) -> AdaptReport:
        figures = (*REPORT.figures[:2], replace(REPORT.figures[2], low=low, high=high))
        return replace(REPORT, figures=figures)

    assert with_main(-0.02, 0.03).verdict is Verdict.UNDECIDED
    assert with_main(-0.05, -0.01).verdict is Verdict.WORSE
    assert replace(REPORT, figures=()).verdict is Verdict.UNMEASURED
    assert verdict_text(with_main(-0.05, -0.01)).endswith("discard it.")
    assert "200 documents kept from the training: 612 citations among 1,800" in summary(REPORT)
    one = replace(REPORT, documents=1, queries=1, citations=1, candidates=1)
    assert " trained on 1 document in " in summary(one)
    assert "1 document kept from the training: 1 citation among 1 family." in summary(one)


@pytest.fixture
def view(qtbot, colours) -> AdaptingView:
    made = AdaptingView()
    qtbot.addWidget(made)
    made.resize(1100, 320)
    made.show()
    return made


def visible(view: AdaptingView) -> list[str]:
    buttons = (view.start_button, view.pause_button, view.keep_button, view.discard_button, view.index_button)
    return [button.text() for button in buttons if button.isVisible()]


def cells(view: AdaptingView) -> list[list[str]]:
    table = view.table
    return [
        [table.item(row, column).text() for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]


def test_the_panel_goes_from_start_to_decision(view: AdaptingView):
    assert visible(view) == ["Adapt"]
    view.show_started()
    assert visible(view) == ["Pause"]
    for number in range(1, 4):
        view.show_event(step(number, 3.0 - 0.5 * number))
    assert [loss for _, loss in view.run.curve.points] == [2.5, 2.0, 1.5]
    QTest.mouseClick(view.pause_button, Qt.MouseButton.LeftButton)
    assert not view.pause_button.isEnabled()
    view.show_paused()
    assert visible(view) == ["Resume", "Discard…"]
    assert view.run.state.text() == "Paused after step 3. Resume continues it."
    view.show_started()
    assert len(view.run.curve.points) == 3
    view.show_report(REPORT)
    assert visible(view) == ["Keep", "Discard…"]
    assert cells(view) == [
        ["R@10", "30.0 %", "34.0 %", "+4.0", "+1.0 to +7.0", "0.012"],
        ["R@100", "62.0 %", "67.0 %", "+5.0", "+2.0 to +8.0", "0.001"],
        ["AP", "21.0 %", "24.0 %", "+3.0", "+1.0 to +5.0", "0.004"],
    ]
    assert "finds more" in view.verdict.text()
    assert "among the first 100 families: 62.0% before" in view.table.item(1, 1).toolTip()


def test_an_earlier_run_is_there_again(view: AdaptingView):
    events = tuple(step(number, 3.0 / number) for number in range(1, 6))
    view.show_known(Adaptation(begun=True, events=events))
    assert visible(view) == ["Resume", "Discard…"]
    assert view.run.state.text() == "A run is paused at step 5 of 150. Resume continues it."
    assert len(view.run.curve.points) == 5
    view.show_known(Adaptation(begun=True, report=REPORT, events=events))
    assert visible(view) == ["Keep", "Discard…"]
    view.show_known(Adaptation(begun=False))
    assert visible(view) == ["Adapt"]
    assert view.run.curve.points == []
    assert not view.table.isVisible()


def test_nothing_measured_shows_no_table(view: AdaptingView):
    view.show_report(replace(REPORT, figures=(), notes=("Too few citations.",)))
    assert not view.table.isVisible()
    assert "could not be measured" in view.verdict.text()
    assert view.summary.text().endswith("Too few citations.")


def decided(monkeypatch, yes: bool) -> None:
    buttons = QMessageBox.StandardButton
    monkeypatch.setattr(QMessageBox, "question", lambda *_: buttons.Yes if yes else buttons.No)


def test_the_window_adapts_and_keeps(qtbot, window: MainWindow, services: FakeServices):
    Child.made = []
    window.do.adapting.job.process = Child
    window.acts.actions["Adapt to my library…"].trigger()
    assert window.panels.docks["adapting"].isVisible()
    view = window.see.adapting
    QTest.mouseClick(view.start_button, Qt.MouseButton.LeftButton)
    (child,) = Child.made
    assert child.arguments == ("adapt", "--library", str(services.folder))
    child.progressed.emit(step(1, 2.0))
    qtbot.waitUntil(lambda: "Adapt the encoder to" in window.notices.status.jobs.text())
    child.succeeded.emit(REPORT)
    qtbot.waitUntil(lambda: window.notices.status.jobs.text() == "Jobs: none")
    with qtbot.waitSignal(window.do.library.opened):
        QTest.mouseClick(view.keep_button, Qt.MouseButton.LeftButton)
    assert visible(view) == ["Adapt", "Rebuild index"]
    assert "is installed and in use. The index was built with another model" in view.run.state.text()
    asked: list[bool] = []
    window.do.library.index = lambda *, rebuild: asked.append(rebuild)  # type: ignore[method-assign]
    QTest.mouseClick(view.index_button, Qt.MouseButton.LeftButton)
    assert asked == [True]
    qtbot.waitUntil(lambda: window._runner.busy == 0)


def test_the_window_pauses_and_discards(qtbot, window: MainWindow, services: FakeServices, monkeypatch):
    Child.made = []
    run, view = window.do.adapting, window.see.adapting
    run.job.process = Child
    window.acts.actions["Adapt to my library…"].trigger()
    run.start()
    QTest.mouseClick(view.pause_button, Qt.MouseButton.LeftButton)
    assert Child.made[0].asked
    Child.made[0].cancelled.emit()
    decided(monkeypatch, yes=False)
    QTest.mouseClick(view.discard_button, Qt.MouseButton.LeftButton)
    assert visible(view) == ["Resume", "Discard…"]
    decided(monkeypatch, yes=True)
    with qtbot.waitSignal(run.discarded):
        QTest.mouseClick(view.discard_button, Qt.MouseButton.LeftButton)
    assert services.discarded == 1
    assert visible(view) == ["Adapt"]


def test_a_failure_is_told_and_what_is_kept_is_read_again(qtbot, window: MainWindow, services: FakeServices):
    Child.made = []
    run, view = window.do.adapting, window.see.adapting
    run.job.process = Child
    window.acts.actions["Adapt to my library…"].trigger()
    run.start()
    services.adapted = Adaptation(begun=True, events=(step(1, 2.0),))
    with qtbot.waitSignal(run.known):
        Child.made[0].failed.emit(ResourceError("Adapting needs torch: install claimlight[train]."))
    (box,) = window.findChildren(QMessageBox)
    assert "install claimlight[train]" in box.text()
    box.close()
    assert visible(view) == ["Resume", "Discard…"]


def test_another_library_pauses_the_run_of_the_former(
    qtbot, window: MainWindow, services: FakeServices, tmp_path: Path
):
    Child.made = []
    run = window.do.adapting
    run.job.process = Child
    run.start()
    with qtbot.waitSignals([run.paused, run.known]):
        run.set_library(replace(services.info(), folder=str(tmp_path / "other")))
    assert Child.made[0].asked
    run.start()
    assert Child.made[1].arguments[-1] == str(tmp_path / "other")
