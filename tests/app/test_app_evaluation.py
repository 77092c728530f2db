"""The evaluation panel: what is asked of the child, what is shown, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from shiboken6 import delete

from app.jobs.evaluations import evaluation_report
from app.jobs.process import decode
from app.main_window import MainWindow
from app.screens.evaluation.describe import grid_of, progress_text, summary
from app.screens.evaluation.presenter import EvaluationPresenter, Wish, folder_of
from app.screens.evaluation.view import EvaluationView
from core.cli.front import plain
from core.errors import InputError, ResourceError
from core.types import (
    Advantage,
    EvaluatedGroup,
    EvaluationReport,
    GroupKind,
    MissedCitations,
    Note,
    Progress,
    SystemRecall,
)
from tests.app.conftest import PATIENCE_MS, OpenWindow
from tests.app.fake_services import FakeServices
from tests.fakes import library, patent


def group(
    kind: GroupKind, name: str, queries: int, *recalls: tuple[float, float], ends: bool
) -> EvaluatedGroup:
    systems = tuple(
        SystemRecall(
            system,
            recall,
            tuple(value - 0.1 for value in recall) if ends else (),
            tuple(value + 0.1 for value in recall) if ends else (),
        )
        for system, recall in zip(("bm25", "hybrid"), recalls, strict=True)
    )
    return EvaluatedGroup(kind, name, queries, 2 * queries, systems)


REPORT = EvaluationReport(
    library="/somewhere/L",
    systems=("bm25", "hybrid"),
    depths=(10, 100),
    main_depth=100,
    groups=(
        group(GroupKind.ALL, "all", 7, (0.25, 0.5), (0.4, 0.75), ends=True),
        group(GroupKind.YEAR, "2010", 5, (0.2, 0.3), (0.4, 0.6), ends=True),
        group(GroupKind.YEAR, "2011", 2, (0.5, 1.0), (0.5, 1.0), ends=False),
        group(GroupKind.SECTION, "F", 7, (0.25, 0.5), (0.4, 0.75), ends=True),
        group(GroupKind.SUBCLASS, "F16F", 7, (0.25, 0.5), (0.4, 0.75), ends=True),
    ),
    advantages=(Advantage("hybrid", "bm25", 0.25, 0.1, 0.4, 0.01),),
    missed=(MissedCitations("EP1A1", "A damper", ("EP2A1",), 2),),
    missed_citations=1,
    facts=(("Asked with", "the first claim"),),
    notes=("Something is missing.",),
    page="/nowhere/library.html",
    data="/nowhere/library.json",
)


class Child(QObject):
    """Stands for the child process; ends when told to."""

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(Exception)
    cancelled = Signal()
    made: list[Child]

    def __init__(self, arguments: Sequence[str], parent: QObject) -> None:
        super().__init__(parent)
        self.arguments = tuple(arguments)
        self.started = self.asked = self.waited = False
        Child.made.append(self)

    def start(self) -> None:
        self.started = True

    def cancel(self) -> None:
        self.asked = True

    def stop(self) -> None:
        self.waited = True


class Heard:
    """What a presenter told, in order."""

    def __init__(self, presenter: EvaluationPresenter) -> None:
        self.told: list[tuple[str, object]] = []
        for name in ("started", "cleared"):
            getattr(presenter, name).connect(lambda name=name: self.told.append((name, None)))
        for name in ("progressed", "reported", "ended"):
            getattr(presenter, name).connect(lambda value, name=name: self.told.append((name, value)))
        presenter.failed.connect(lambda error, _doing: self.told.append(("failed", error)))

    def clear(self) -> None:
        self.told.clear()


@pytest.fixture
def owner(runner) -> Iterator[QObject]:
    """Its objects end here, in the thread of the window, and not wherever Python collects garbage."""
    made = QObject()
    yield made
    delete(made)


@pytest.fixture
def presenter(qtbot, runner, owner: QObject, services: FakeServices) -> EvaluationPresenter:
    """Of an open library without a report."""
    Child.made = []
    made = EvaluationPresenter(runner, owner, process=Child)
    made.set_library(services.info())
    qtbot.waitUntil(lambda: runner.busy == 0, timeout=PATIENCE_MS)
    return made


@pytest.fixture
def heard(presenter: EvaluationPresenter) -> Heard:
    return Heard(presenter)


def test_the_report_comes_back_from_its_line():
    line = json.dumps({"event": "evaluation_report", **plain(REPORT)})
    assert decode(line) == REPORT


@pytest.mark.parametrize("raw", [{}, {**plain(REPORT), "groups": [3]}, {**plain(REPORT), "depths": None}])
def test_what_is_no_report_is_refused(raw):
    with pytest.raises(ValueError, match="no report"):
        evaluation_report(raw)


def test_all_queries_are_systems_against_depths():
    grid = grid_of(REPORT, GroupKind.ALL, 10)
    assert grid.headings == ("System", "R@10", "R@100")
    assert grid.rows == (
        ("bm25", "25.0 %  15–35", "50.0 %  40–60"),
        ("hybrid", "40.0 %  30–50", "75.0 %  65–85"),
    )
    assert grid.tips[1][2] == (
        "hybrid finds 75.0% of what a query cites among its first 100 families; 95 % interval 65.0% to 85.0%"
    )


def test_groups_are_rows_at_one_depth():
    grid = grid_of(REPORT, GroupKind.YEAR, 10)
    assert grid.headings == ("Year", "Queries", "Citations", "bm25", "hybrid")
    assert grid.rows == (
        ("2010", "5", "10", "20.0 %  10–30", "40.0 %  30–50"),
        ("2011", "2", "4", "50.0 %", "50.0 %"),
    )
    assert grid.tips[1][3].endswith("the queries are too few for an interval")


def test_a_report_in_a_line():
    assert summary(REPORT) == (
        "7 queries (the first claim), 14 citations. Most within 100: hybrid with 75.0%. "
        "Found by no system: 1."
    )
    alike = replace(REPORT.overall, systems=(REPORT.overall.systems[0], SystemRecall("hybrid", (0.1, 0.5))))
    assert "Most within 100: bm25, hybrid with 50.0%." in summary(replace(REPORT, groups=(alike,)))
    assert progress_text(Progress("queries", 3, 10, "queries", 1.0, 7.4)) == (
        "Evaluating: 3 of 10 queries, 7 s left"
    )


def test_the_child_is_asked_for_what_is_wished(presenter, heard, services: FakeServices):
    presenter.start(Wish("abstract", "published", 0))
    (child,) = Child.made
    assert child.started
    assert child.arguments == (
        *("evaluate", "library", "--library", str(services.folder)),
        *("--out", str(folder_of(str(services.folder)))),
        *("--query", "abstract", "--before", "published", "--queries", "0"),
    )
    presenter.start(Wish())
    assert len(Child.made) == 1
    progress = Progress("queries", 1, 2, "queries", 1.0, 1.0)
    child.progressed.emit(progress)
    child.succeeded.emit(REPORT)
    assert heard.told == [
        ("started", None),
        ("progressed", progress),
        ("ended", "Done"),
        ("reported", REPORT),
    ]
    assert presenter.report is REPORT
    assert not presenter.working


def test_a_failure_and_a_stop_free_the_panel(presenter, heard):
    error = InputError("no citations inside")
    presenter.start(Wish())
    Child.made[0].failed.emit(error)
    presenter.start(Wish())
    presenter.cancel()
    assert Child.made[1].asked
    Child.made[1].cancelled.emit()
    assert not presenter.working
    assert heard.told == [
        ("started", None),
        ("ended", ""),
        ("failed", error),
        ("started", None),
        ("ended", "Stopped; the next start goes on from here"),
    ]


def test_another_library_ends_the_run_of_the_former(presenter, heard, services: FakeServices, tmp_path: Path):
    presenter.start(Wish())
    presenter.set_library(services.info())  # the same again
    assert not Child.made[0].asked
    heard.clear()
    presenter.set_library(replace(services.info(), folder=str(tmp_path / "other")))
    assert Child.made[0].asked
    assert heard.told == [("ended", ""), ("cleared", None)]
    heard.clear()
    Child.made[0].succeeded.emit(REPORT)
    assert heard.told == []
    presenter.start(Wish())
    assert str(tmp_path / "other") in Child.made[1].arguments


def test_the_end_of_the_program_waits_for_every_child(presenter, services: FakeServices, tmp_path: Path):
    presenter.start(Wish())
    presenter.set_library(replace(services.info(), folder=str(tmp_path / "other")))
    presenter.start(Wish())
    presenter.stop()
    assert [child.waited for child in Child.made] == [True, True]


def test_the_last_report_of_a_library_is_read(qtbot, runner, owner: QObject, services: FakeServices):
    path = folder_of(str(services.folder)) / "library.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(plain(REPORT)), encoding="utf-8")
    made = EvaluationPresenter(runner, owner, process=Child)
    with qtbot.waitSignal(made.reported, timeout=PATIENCE_MS) as told:
        made.set_library(services.info())
    assert told.args == [REPORT]
    path.write_text("{}", encoding="utf-8")
    other = EvaluationPresenter(runner, owner, process=Child)
    heard = Heard(other)
    other.set_library(services.info())
    qtbot.waitUntil(lambda: runner.busy == 0, timeout=PATIENCE_MS)
    assert heard.told == [("cleared", None)]


def test_libraries_of_one_name_have_folders_of_their_own(tmp_path: Path):
    one, other = folder_of(str(tmp_path / "a" / "L")), folder_of(str(tmp_path / "b" / "L"))
    assert one != other
    assert one.parent == other.parent
    assert one.name.startswith("L-")


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
    assert [row[0] for row in texts(view)] == ["bm25", "hybrid"]
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


def test_the_table_can_be_copied_and_heard(view: EvaluationView):
    view.show_report(REPORT)
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0] == "System\tR@10\tR@100"
    index = view.model.index(0, 1)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("bm25 finds 25.0%")
    rect = view.table.visualRect(index)
    assert view.table.indexAt(QPoint(rect.center())) == index


def test_the_window_runs_it(qtbot, window: MainWindow, monkeypatch, tmp_path: Path):
    Child.made = []
    window.do.evaluation._process = Child
    dock = window.docks["evaluation"]
    assert not dock.isVisible()
    window.actions_by_text["Evaluation…"].trigger()
    assert dock.isVisible()
    QTest.mouseClick(window.see.evaluation.start_button, Qt.MouseButton.LeftButton)
    (child,) = Child.made
    child.progressed.emit(Progress("queries", 1, 4, "queries", 1.0, 3.0))
    assert window.status.jobs.text() == "jobs: Evaluating: 1 of 4 queries, 3 s left"
    page = tmp_path / "library.html"
    child.succeeded.emit(replace(REPORT, page=str(page)))
    assert window.status.jobs.text() == "jobs: none"
    assert [row[0] for row in texts(window.see.evaluation)] == ["bm25", "hybrid"]
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    page.write_text("<html>", encoding="utf-8")
    QTest.mouseClick(window.see.evaluation.page_button, Qt.MouseButton.LeftButton)
    assert opened == [str(page)]


@pytest.mark.parametrize(("there", "says"), [(False, "is not there any more"), (True, "web browser")])
def test_a_page_that_can_not_be_opened_is_told(
    qtbot, window: MainWindow, monkeypatch, tmp_path: Path, there: bool, says: str
):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    page = tmp_path / "library.html"
    if there:
        page.write_text("<html>", encoding="utf-8")
    window.open_page(str(page))
    (box,) = window.findChildren(QMessageBox)
    assert says in box.text()
    box.close()


def test_closing_the_window_stops_the_child(qtbot, open_window: OpenWindow):
    Child.made = []
    window = open_window()
    window.do.evaluation._process = Child
    window.do.evaluation.start(Wish())
    window.close()
    assert Child.made[0].waited


def test_the_real_engine_says_what_is_wrong(
    qtbot, runner, owner: QObject, services: FakeServices, tmp_path: Path
):
    """The child is the shipped command line, on a library without citations."""
    library(tmp_path / "lib", [patent("1000001", "A damper"), patent("1000002", "A kettle")]).close()
    made = EvaluationPresenter(runner, owner)
    made.set_library(replace(services.info(), folder=str(tmp_path / "lib")))
    with qtbot.waitSignal(made.failed, timeout=PATIENCE_MS * 4) as told:
        made.start(Wish())
    error, doing = told.args
    assert isinstance(error, InputError)
    assert not isinstance(error, ResourceError)
    assert "has no citations inside" in str(error)
    assert doing == "The library can't be evaluated"
    assert not made.working
    made.stop()
