"""The list of background jobs: its registry, its panel, and the status line."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight.errors import InputError, ResourceError
from claimlight.types import Committed, Progress
from claimlight_workbench.jobs import registry as registry_module
from claimlight_workbench.jobs.registry import Controls, JobRegistry, JobState
from claimlight_workbench.jobs.titles import kind_of, title_of
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.jobs import describe
from claimlight_workbench.screens.jobs.view import JobsView
from tests.app.fake_child import Child


def test_a_job_is_listed_from_waiting_to_its_end(qapp, monkeypatch):
    registry, Child.made, owner = JobRegistry(), [], QObject()
    paused = False
    controls = Controls(pausing=lambda: paused)
    waiting = registry.wait("index", "Index L", controls)
    assert waiting.state is JobState.WAITING
    child = Child((), owner)
    assert registry.follow(child, "index", "Index L", controls, listed=waiting) is waiting
    child.progressed.emit(Progress("index", 3, 12, "documents", 1.5, 6.0))
    child.progressed.emit(Committed("index", 3))
    assert (waiting.state, describe.progress_text(waiting)) == (
        JobState.RUNNING,
        "titles, abstracts and claims: 3 of 12 documents",
    )
    assert describe.status_text(registry.jobs) == "Index L, 25 %, 6 s left"
    paused = True
    child.cancelled.emit()
    assert waiting.state is JobState.PAUSED
    again = registry.wait("index", "Index L", controls)
    assert again is waiting, "a paused job is taken up again"
    second = Child((), owner)
    registry.follow(second, "index", "Index L", controls, listed=again)
    second.succeeded.emit(None)
    assert [line.text for line in waiting.log] == [
        "Begun",
        "Stage: index",
        "3 documents are on disk",
        "Paused",
        "Resumed",
        "Done",
    ]
    assert describe.status_text(registry.jobs) == "none"
    registry.forget_ended()
    assert registry.jobs == ()


def test_what_the_user_wrote_is_not_in_a_log(qapp):
    registry, Child.made, owner = JobRegistry(), [], QObject()
    for error in (
        InputError("no sets for: secret valve"),
        ValueError("secret valve"),
        ResourceError("disk full"),
    ):
        child = Child((), owner)
        job = registry.follow(child, "export", "Export L1", Controls())
        child.failed.emit(error)
        assert job.state is JobState.FAILED
    text = "\n".join(describe.copied_text(job) for job in registry.jobs)
    assert "secret" not in text
    assert "InputError" in text
    assert "disk full" in text


def test_brief_jobs_go_and_the_oldest_give_room(qapp, monkeypatch):
    monkeypatch.setattr(registry_module, "MOST_KEPT", 3)
    registry, Child.made, owner = JobRegistry(), [], QObject()
    for number in range(5):
        child = Child((), owner)
        registry.follow(child, "report", f"Job {number}", Controls(), brief=number == 2)
        child.succeeded.emit(None)
    assert [job.title for job in registry.jobs] == ["Job 1", "Job 3", "Job 4"]


def test_titles_name_the_library_and_kinds_name_nothing_of_the_user():
    order = ("import", "/data/secret.xml", "--library", "/data/Smith")
    assert (kind_of(order), title_of(order)) == ("import", "Import files into Smith")
    assert title_of(("index", "--library", "/data/Smith", "--rebuild")) == "Rebuild the index of Smith"
    assert kind_of(("models", "check", "secret")) == "models check"
    assert title_of(("unknown", "x")) == "unknown"


def test_the_panel_cancels_pauses_resumes_and_copies(qtbot, window: MainWindow, services, tmp_path: Path):
    Child.made = []
    library = window.do.library
    library._process = Child
    status = window.notices.status.jobs
    qtbot.waitUntil(lambda: status.text() == "Jobs: none")
    QTest.mouseClick(status, Qt.MouseButton.LeftButton)
    view = window.see.jobs
    assert window.panels.docks["jobs"].isVisible()
    window.do.library.import_paths([tmp_path / "a.xml"])
    view.refresh()
    assert [describe.state_text(job).split()[-1] for job in view.model.jobs[:2]] == ["waiting", "running"]
    qtbot.waitUntil(lambda: status.text().startswith("Jobs: Import files into"))
    Child.made[0].succeeded.emit(None)
    view.refresh()
    index = view.model.jobs[0]
    assert index.state is JobState.RUNNING
    view.table.selectRow(0)
    assert view.pause_button.isEnabled()
    QTest.mouseClick(view.pause_button, Qt.MouseButton.LeftButton)
    assert Child.made[1].asked
    Child.made[1].cancelled.emit()
    view.refresh()
    assert index.state is JobState.PAUSED
    assert not view.cancel_button.isEnabled()
    QTest.mouseClick(view.resume_button, Qt.MouseButton.LeftButton)
    assert len(Child.made) == 3
    assert index.state is JobState.RUNNING
    view.refresh()
    QTest.mouseClick(view.cancel_button, Qt.MouseButton.LeftButton)
    Child.made[2].cancelled.emit()
    assert index.state is JobState.CANCELLED
    QTest.mouseClick(view.copy_button, Qt.MouseButton.LeftButton)
    assert "Resumed" in QGuiApplication.clipboard().text()
    view.refresh()
    QTest.mouseClick(view.clear_button, Qt.MouseButton.LeftButton)
    view.refresh()
    assert not view.model.jobs
    assert view.empty.isVisible()


@pytest.mark.styled
def test_the_list_of_jobs_has_no_scroll_bar_and_what_gives_way_is_said_of_the_chosen_job(qtbot):
    registry, Child.made, owner = JobRegistry(), [], QObject()
    view = JobsView()
    qtbot.addWidget(view)
    view.follow(registry)
    child = Child((), owner)
    registry.follow(child, "index", "Index a library with a long name", Controls())
    child.progressed.emit(Progress("index", 3, 12, "documents", 1.5, 6.0))
    view.refresh()
    header = view.table.horizontalHeader()
    shown = []
    for width in (1900, 900, 500):
        view.resize(width, 300)
        view.show()
        QApplication.processEvents()
        assert view.table.horizontalScrollBar().maximum() == 0
        assert header.length() <= view.table.viewport().width()
        shown.append([each for each in range(header.count()) if not header.isSectionHidden(each)])
    assert shown[0] == list(range(7))
    assert {0, 1} <= set(shown[2]) < set(shown[1]) < set(shown[0])
    for part in ("3 of 12 documents", "1.5 documents/s", "6 s left", "begun "):
        assert part in view.title.text()
