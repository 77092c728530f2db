"""Folders that are opened, files that are dropped, documents that are removed; and what shows long jobs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QMimeData, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from claimlight.types import ImportReport, LibraryInfo, Progress, Quarantined, Source
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.main_window.session import FIRST_SIZE, FRAME
from claimlight_workbench.ui_state import Session
from claimlight_workbench.values import FolderState
from tests.app.driving import settle
from tests.app.fake_services import FakeServices


def box_of(qtbot, window: MainWindow) -> QMessageBox:
    qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
    (box,) = window.findChildren(QMessageBox)
    return box


def press_in(qtbot, box: QMessageBox, text: str) -> None:
    (button,) = [each for each in box.buttons() if text in each.text()]
    with qtbot.waitSignal(box.finished):
        button.click()
    QApplication.processEvents()


def drop(window: MainWindow, *files: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(each)) for each in files])
    actions, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(9, 9), actions, data, Qt.MouseButton.LeftButton, none))


@pytest.fixture
def imported(window: MainWindow, monkeypatch) -> list[list[Path]]:
    asked: list[list[Path]] = []
    monkeypatch.setattr(window.do.library, "import_paths", lambda files, **_: asked.append(list(files)))
    return asked


@pytest.fixture
def opened(window: MainWindow) -> list[str]:
    seen: list[str] = []
    window.do.library.opened.connect(lambda info: seen.append(info.folder))
    return seen


def test_a_folder_with_files_is_not_made_a_library_without_a_question(
    qtbot, window, services: FakeServices, opened, tmp_path: Path
):
    services.folders[tmp_path / "files"] = FolderState(library=False, entries=12)
    window.see.library.open_requested.emit(tmp_path / "files")
    box = box_of(qtbot, window)
    assert "12 files and folders" in box.text()
    press_in(qtbot, box, "Cancel")
    settle(qtbot, window)
    assert opened == []
    window.see.library.open_requested.emit(tmp_path / "files")
    press_in(qtbot, box_of(qtbot, window), "Create a library here")
    qtbot.waitUntil(lambda: opened == [str(tmp_path / "files")])


def test_the_files_of_a_folder_go_into_a_library_elsewhere(
    qtbot, window, services: FakeServices, opened, imported, tmp_path: Path, monkeypatch
):
    services.folders[tmp_path / "files"] = FolderState(library=False, entries=12)
    services.folders[tmp_path / "new"] = FolderState(library=False)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "new"))
    window.see.library.open_requested.emit(tmp_path / "files")
    press_in(qtbot, box_of(qtbot, window), "Import into another library")
    qtbot.waitUntil(lambda: opened == [str(tmp_path / "new")])
    qtbot.waitUntil(lambda: imported == [[tmp_path / "files"]])


def test_a_library_and_an_empty_folder_open_without_a_question(
    qtbot, window, services: FakeServices, opened, tmp_path: Path
):
    services.folders[tmp_path / "empty"] = FolderState(library=False)
    for name in ("empty", "library"):
        window.see.library.open_requested.emit(tmp_path / name)
        qtbot.waitUntil(lambda name=name: opened[-1:] == [str(tmp_path / name)])
        settle(qtbot, window)
    assert not window.findChildren(QMessageBox)


@pytest.mark.parametrize("answer", ["Application", "Prior art", "Cancel"])
def test_a_single_document_that_is_dropped_is_asked_about(
    qtbot, window, imported, tmp_path: Path, answer: str
):
    file = tmp_path / "v1-4-B2.xml"
    drop(window, file)
    press_in(qtbot, box_of(qtbot, window), answer)
    settle(qtbot, window)
    examined = window.do.query.claims.source == file.name
    assert (examined, imported) == (answer == "Application", [[file]] if answer == "Prior art" else [])


def test_archives_folders_and_many_files_are_prior_art(qtbot, window, imported, tmp_path: Path):
    many = [tmp_path / "a.xml", tmp_path / "b.xml"]
    for files in ([tmp_path / "week.zip"], [tmp_path], many):
        drop(window, *files)
    assert imported == [[tmp_path / "week.zip"], [tmp_path], many]
    assert not window.findChildren(QMessageBox)


def test_a_document_is_removed_only_after_a_question(qtbot, window, monkeypatch):
    removed: list[tuple[str, ...]] = []
    monkeypatch.setattr(window.do.library, "remove", removed.append)
    name = str(window.do.reader.view.summary.publication)
    for answer, expected in (("Cancel", []), ("Remove", [(name,)])):
        window.acts.actions["Remove document from the library…"].trigger()
        box = box_of(qtbot, window)
        assert "again restores the document" in box.informativeText()
        press_in(qtbot, box, answer)
        assert removed == expected
        qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))


class Empty(FakeServices):
    def info(self) -> LibraryInfo:
        return replace(super().info(), documents=0) if self.folder.name == "Empty" else super().info()


def test_an_empty_library_says_what_to_do(qtbot, open_window, tmp_path: Path):
    window = open_window(engine=Empty(tmp_path))
    assert window.see.empty.isHidden()
    window.do.library.open(tmp_path / "Empty")
    qtbot.waitUntil(window.see.empty.isVisible)
    assert not window.see.results.isVisible()
    assert window.see.empty.title.text() == "The library Empty has no documents yet"
    assert window.see.empty.files_button.isEnabled()
    window.do.library.open(tmp_path / "Full")
    qtbot.waitUntil(window.see.results.isVisible)


def test_import_and_indexing_are_seen_and_stopped_without_a_panel(qtbot, window):
    strip, library = window.see.work, window.do.library
    assert strip.isHidden()
    assert not window.panels.docks["library"].isVisible()
    library.work_started.emit("import")
    library.work_progressed.emit(Progress("import", 40, 100, "documents", 12.0, 5.0))
    assert strip.isVisible()
    assert "40 of 100 documents" in strip.text.text()
    assert strip.bar.value() == 400
    with qtbot.waitSignal(strip.cancel_requested):
        strip.cancel_button.click()
    library.work_ended.emit("import", ImportReport(89, 0, 3, 6, (), 2.0, 1))
    library.work_started.emit("index")
    assert "Indexing" in strip.text.text()
    library.work_ended.emit("index", None)
    assert strip.isVisible()
    assert strip.cancel_button.isHidden()
    strip.close_button.click()
    assert strip.isHidden()


def test_what_could_not_be_read_is_seen_while_indexing_follows(qtbot, window, monkeypatch):
    strip, library = window.see.work, window.do.library
    opened = []
    monkeypatch.setattr(window.see.library, "open_report", lambda row: opened.append(row))
    bad = Quarantined(Source("a.zip", "b.xml"), "no closing tag")
    library.work_started.emit("import")
    library.work_ended.emit("import", ImportReport(24, 0, 0, 0, (bad,) * 4, 2.0, 1))
    library.work_started.emit("index")
    library.work_progressed.emit(Progress("index", 40, 100, "documents", 12.0, 5.0))
    assert strip.quarantined.text() == "24 imported, 4 quarantined (could not be read)"
    assert strip.quarantined.isVisible()
    assert not strip.report_button.isVisible(), "the report of this import is not read yet"
    library.runs_read.emit(())
    assert strip.report_button.isVisible()
    strip.report_button.click()
    assert opened == [0]
    assert not strip.quarantined.isVisible()
    assert strip.isVisible()
    library.work_ended.emit("index", None)
    library.work_started.emit("import")
    library.work_ended.emit("import", ImportReport(24, 0, 0, 0, (bad,), 2.0, 1))
    assert strip.quarantined.isVisible()
    library.work_started.emit("import")
    assert not strip.quarantined.isVisible(), "it is about the import before"


def test_a_job_of_another_library_says_which(qtbot, window, tmp_path: Path):
    library = window.do.library
    library._folder = str(tmp_path / "Weekly")
    library.work_started.emit("import")
    assert "(Weekly)" in window.see.work.text.text()


@pytest.mark.styled
def test_messages_leave_offline_library_and_model_in_sight(qtbot, window):
    status = window.notices.status
    status.showMessage("L1 run again: equal, the same 3 documents in the same order. " * 5, 10_000)
    QApplication.processEvents()
    for label in (status.offline, status.library, status.model, status.jobs):
        assert label.isVisible()
        assert label.width() >= label.minimumSizeHint().width()
    assert status.currentMessage().startswith("L1 run again")
    status.clearMessage()
    assert status.currentMessage() == ""


@pytest.mark.styled
@pytest.mark.parametrize(("wide", "high"), [(1366, 728), (1280, 690), (2560, 1400)])
def test_the_first_window_fits_its_screen(qtbot, open_window, services: FakeServices, wide: int, high: int):
    window = open_window()
    window.screen = lambda: SimpleNamespace(availableGeometry=lambda: QRect(0, 30, wide, high))
    window.restorer.fit_screen()
    settle(qtbot, window)
    assert window.width() == min(wide - FRAME.width(), FIRST_SIZE.width())
    assert window.height() == min(high - FRAME.height(), FIRST_SIZE.height())


@pytest.mark.styled
def test_the_window_can_be_as_small_as_the_smallest_screens(qtbot, window):
    wanted = window.minimumSizeHint()
    assert wanted.width() <= 1280
    assert wanted.height() <= 680


def test_a_library_that_has_gone_is_not_made_anew_at_the_next_start(
    qtbot, open_window, services: FakeServices, tmp_path: Path
):
    services.folders[tmp_path / "Gone"] = FolderState(library=False)
    window = open_window(session=Session(library=str(tmp_path / "Gone"), welcomed=True), wait=False)
    box = box_of(qtbot, window)
    assert "The folder is missing" in box.text()
    assert window.do.library.info is None
    settle(qtbot, window)
    assert window.collect().library == str(tmp_path / "Gone")
    box.close()


def test_libraries_opened_before_are_in_a_menu(qtbot, window, services: FakeServices, tmp_path: Path):
    first = window.do.library.info.folder
    services.folders[Path(first)] = FolderState(library=True, entries=2)
    window.recent.aboutToShow.emit()
    assert [action.text() for action in window.recent.actions()] == [f"&1  {Path(first).name}  –  {first}"]
    other = tmp_path / "R&D"
    other.mkdir()
    with qtbot.waitSignal(window.do.library.opened, timeout=20_000):
        window.do.library.open(other)
    assert window.recent.folders == (str(other), first)
    assert window.collect().libraries == (str(other), first)
    window.recent.aboutToShow.emit()
    assert window.recent.actions()[0].text().startswith("&1  R&&D")
    with qtbot.waitSignal(window.do.library.opened, timeout=20_000):
        window.recent.actions()[1].trigger()
    assert window.do.library.info.folder == first
