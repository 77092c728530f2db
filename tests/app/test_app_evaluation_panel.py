"""The panel of the evaluation: its controls, its table, its page, and the window around it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from claimlight.types import Note, Progress
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.evaluation.presenter import Wish
from claimlight_workbench.screens.evaluation.view import EvaluationView
from tests.app.conftest import OpenWindow
from tests.app.fake_child import Child
from tests.app.fake_evaluation import REPORT


@pytest.fixture
def view(qtbot) -> EvaluationView:
    made = EvaluationView()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def texts(view: EvaluationView) -> list[list[str]]:
    model = view.model
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_the_controls_say_the_wish(qtbot, view: EvaluationView):
    with qtbot.waitSignal(view.start_requested) as asked:
        QTest.mouseClick(view.start_button, Qt.MouseButton.LeftButton)
    assert asked.args == [Wish("claim", "priority", 200)]
    view.asked.setCurrentText("title and abstract")
    view.before.setCurrentText("publication")
    view.queries.setValue(0)
    assert view.queries.text() == "all"
    assert view.wish == Wish("abstract", "published", 0)


def test_a_run_shows_how_far_it_is(qtbot, view: EvaluationView):
    assert not view.bar.isVisible()
    view.show_started()
    assert view.bar.isVisible()
    assert not view.start_button.isEnabled()
    view.show_event(Progress("queries", 3, 12, "queries", 1.0, None))
    assert (view.bar.value(), view.bar.maximum()) == (3, 12)
    assert view.state.text() == "Evaluating: 3 of 12 queries"
    view.show_event(Note("Only words were searched."))
    assert view.state.text() == "Only words were searched."
    with qtbot.waitSignal(view.cancel_requested):
        QTest.mouseClick(view.cancel_button, Qt.MouseButton.LeftButton)
    view.show_ended("Stopped")
    assert view.state.text() == "Stopped"
    assert not view.bar.isVisible()
    assert view.start_button.isEnabled()


def test_the_table_follows_what_is_chosen(view: EvaluationView):
    assert not view.table.isVisible()
    assert not view.page_button.isEnabled()
    view.show_report(REPORT)
    assert view.table.isVisible()
    assert [row[0] for row in texts(view)] == ["Keywords", "Combined"]
    assert not view.depths.isEnabled()
    assert view.depths.currentText() == "100"
    assert "Something is missing." in view.state.text()
    view.kind.setCurrentText("year")
    assert texts(view)[0] == ["2010", "5", "10", "30.0 %  20–40", "60.0 %  50–70"]
    view.depths.setCurrentText("10")
    assert texts(view)[0][-1] == "40.0 %  30–50"
    # A new report keeps what was chosen.
    view.show_report(replace(REPORT, main_depth=100))
    assert view.depths.currentText() == "10"
    assert texts(view)[0][-1] == "40.0 %  30–50"
    view.show_nothing()
    assert not view.table.isVisible()


@pytest.mark.styled
def test_the_table_can_be_copied_and_heard(view: EvaluationView):
    view.show_report(REPORT)
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0] == "System\tR@10\tR@100"
    index = view.model.index(0, 1)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Keywords finds 25.0%")
    rect = view.table.visualRect(index)
    assert view.table.indexAt(QPoint(rect.center())) == index


def test_the_window_runs_it(qtbot, window: MainWindow, monkeypatch, tmp_path: Path):
    Child.made = []
    window.do.evaluation.job.process = Child
    dock = window.panels.docks["evaluation"]
    assert not dock.isVisible()
    window.acts.actions["Evaluation…"].trigger()
    assert dock.isVisible()
    QTest.mouseClick(window.see.evaluation.start_button, Qt.MouseButton.LeftButton)
    (child,) = Child.made
    child.progressed.emit(Progress("queries", 1, 4, "queries", 1.0, 3.0))
    jobs = window.notices.status.jobs
    qtbot.waitUntil(lambda: jobs.text().endswith(", 25 %, 3 s left"))
    page = tmp_path / "library.html"
    child.succeeded.emit(replace(REPORT, page=str(page)))
    qtbot.waitUntil(lambda: jobs.text() == "Jobs: none")
    assert [row[0] for row in texts(window.see.evaluation)] == ["Keywords", "Combined"]
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    page.write_text("<html>", encoding="utf-8")
    QTest.mouseClick(window.see.evaluation.page_button, Qt.MouseButton.LeftButton)
    assert opened == [str(page)]


@pytest.mark.parametrize(("there", "says"), [(False, "no longer exists"), (True, "web browser")])
def test_a_page_that_can_not_be_opened_is_told(
    qtbot, window: MainWindow, monkeypatch, tmp_path: Path, there: bool, says: str
):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    page = tmp_path / "library.html"
    if there:
        page.write_text("<html>", encoding="utf-8")
    window.wiring.evaluation.open_page(str(page))
    (box,) = window.findChildren(QMessageBox)
    assert says in box.text()
    box.close()


def test_closing_the_window_stops_the_child(qtbot, open_window: OpenWindow):
    Child.made = []
    window = open_window()
    window.do.evaluation.job.process = Child
    window.do.evaluation.start(Wish())
    window.close()
    assert Child.made[0].waited
