"""A library or a case is left: nothing that came from it stays on view, and nothing of it arrives later."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight.errors import InputError
from claimlight.tasks import TaskContext
from claimlight.types import (
    DocumentView,
    LibraryInfo,
    PatentId,
    PatentSummary,
    SearchRequest,
    SearchResults,
)
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.expression.view import REST
from tests.app.conftest import PATIENCE_MS
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices, publication, summary

OTHER = 500
"""Documents of the other library have these ids and numbers from here on: id 1 is EP1000501A1 there."""


class Libraries(FakeServices):
    """Two libraries that use the same ids for other documents, one without documents, one that is broken."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.reading = threading.Event()
        self.reading.set()
        self.nothing = False

    def open_library(self, folder: Path, context: TaskContext) -> LibraryInfo:
        if folder.name == "Broken":
            raise InputError(f"{folder} is no library.")
        return super().open_library(folder, context)

    def search(self, request: SearchRequest, context: TaskContext) -> SearchResults:
        found = super().search(request, context)
        if self.nothing or self.folder.name == "Empty":
            return replace(found, hits=())
        hits = tuple(replace(hit, patent=self.known(hit.patent.id)) for hit in found.hits)
        return replace(found, hits=hits)

    def document(self, patent: PatentId | str, context: TaskContext) -> DocumentView:
        while not self.reading.wait(0.01):
            context.check()
        view = super().document(patent, context)
        return replace(view, summary=self.known(view.summary.id)) if isinstance(patent, int) else view

    def known(self, patent: PatentId) -> PatentSummary:
        if self.folder.name != "Other":
            return summary(patent)
        return replace(summary(patent), publication=publication(OTHER + patent))


@pytest.fixture
def services(tmp_path: Path) -> Libraries:
    return Libraries(tmp_path)


def open_other(qtbot, window: MainWindow, folder: Path) -> None:
    with qtbot.waitSignal(window.do.library.opened):
        window.do.library.open(folder)
    settle(qtbot, window)


def on_view(window: MainWindow) -> str:
    view = window.do.reader.view
    return str(view.summary.publication) if view is not None else ""


def to_last_row(qtbot, window: MainWindow) -> None:
    window.see.results.go_to(2)
    qtbot.waitUntil(lambda: on_view(window) == str(publication(3)))
    settle(qtbot, window)


def assert_nothing_on_view(window: MainWindow) -> None:
    assert on_view(window) == ""
    assert window.see.reader.heading.text() == "No document open"
    assert window.see.reader.text.document().isEmpty()
    assert window.board.links is None
    assert window.see.family.list.topLevelItemCount() == 0
    assert window.see.citations.list.topLevelItemCount() == 0
    assert window.see.matrix.model.rowCount() == 0
    assert not window.see.case.note.isEnabled()
    assert window.see.residual.isHidden()


def test_a_row_of_one_library_is_never_opened_in_another(qtbot, window, tmp_path: Path):
    to_last_row(qtbot, window)
    shown = []
    window.do.reader.shown.connect(lambda view: shown.append(str(view.summary.publication)))
    open_other(qtbot, window, tmp_path / "Other")
    qtbot.waitUntil(lambda: on_view(window) == str(publication(OTHER + 1)))
    assert set(shown) == {str(publication(OTHER + 1))}
    assert window.see.results.table.currentIndex().row() == 0


def test_the_sample_opens_at_its_first_document_whatever_was_open_before(qtbot, window, tmp_path: Path):
    open_other(qtbot, window, tmp_path / "Other")
    window.see.results.go_to(2)
    qtbot.waitUntil(lambda: on_view(window) == str(publication(OTHER + 3)))
    settle(qtbot, window)
    shown = []
    window.do.reader.shown.connect(lambda view: shown.append(str(view.summary.publication)))
    with qtbot.waitSignal(window.do.library.opened):
        window.wiring.sample.open()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: on_view(window) == str(publication(1)))
    assert set(shown) == {str(publication(1))}
    assert window.see.results.table.currentIndex().row() == 0


def test_a_library_without_documents_shows_nothing_of_the_former(qtbot, window, tmp_path: Path):
    to_last_row(qtbot, window)
    open_other(qtbot, window, tmp_path / "Empty")
    assert window.see.results.model.rowCount() == 0
    assert_nothing_on_view(window)


def test_a_document_of_the_former_case_gets_no_mark_for_the_new_claims(qtbot, window, services: Libraries):
    to_last_row(qtbot, window)
    services.nothing = True
    window.do.query.paste("1. A damper with a spring.")
    settle(qtbot, window)
    qtbot.waitUntil(lambda: window.see.results.count.text() == "Nothing found")
    assert_nothing_on_view(window)
    press(window.see.results.table, Qt.Key.Key_X)
    settle(qtbot, window)
    assert services.marks == {}


def test_new_claims_open_the_first_document(qtbot, window):
    to_last_row(qtbot, window)
    window.do.query.paste("1. A damper with a spring.")
    qtbot.waitUntil(lambda: on_view(window) == str(publication(1)))
    settle(qtbot, window)
    assert window.see.results.table.currentIndex().row() == 0
    assert window.see.results.model.unseen == 2


def run_line(qtbot, window: MainWindow, line: str) -> None:
    editor = window.see.expression.editor
    editor.show_text(line)
    editor.enter()
    qtbot.waitUntil(lambda: window.see.results.model.found is not None)
    settle(qtbot, window)


def test_the_query_line_says_nothing_of_the_former_library_or_case(qtbot, window, tmp_path: Path):
    run_line(qtbot, window, "L1 AND damper")
    view = window.see.expression
    assert "newest first" in view.terms.text()
    open_other(qtbot, window, tmp_path / "Other")
    assert view.editor.text() == "L1 AND damper"
    assert "newest first" not in view.terms.text()
    assert window.see.results.model.found is None
    run_line(qtbot, window, "L1 AND damper")
    window.do.query.paste("1. A damper with a spring.")
    settle(qtbot, window)
    assert view.editor.text() == ""
    assert (view.reading.text(), view.terms.text()) == (REST, "")
    assert view.editor.history[-1] == "L1 AND damper"


def test_the_library_panel_says_nothing_of_the_former_library(qtbot, window, tmp_path: Path):
    view = window.see.library
    view.show_started("import")
    view.show_ended(None)
    assert view.state.text().startswith("Stopped")
    open_other(qtbot, window, tmp_path / "Other")
    assert "Stopped" not in view.state.text()
    assert view.report.count() == 0
    assert view.report_button.isHidden()


def test_an_answer_of_the_former_library_never_arrives(qtbot, window, services: Libraries, tmp_path: Path):
    shown = []
    services.reading.clear()
    window.do.reader.forget()
    window.do.reader.open(PatentId(2))
    window.do.reader.shown.connect(lambda view: shown.append(str(view.summary.publication)))
    window.do.library.open(tmp_path / "Other")
    window.do.reader.open(PatentId(3))
    services.reading.set()
    qtbot.waitUntil(lambda: on_view(window) == str(publication(OTHER + 1)))
    settle(qtbot, window)
    assert set(shown) == {str(publication(OTHER + 1))}


def test_what_was_asked_meanwhile_is_answered_where_the_other_library_cannot_be_opened(
    qtbot, window, tmp_path: Path
):
    told = []
    window.do.library.failed.disconnect(window.notices.fail)
    window.do.library.failed.connect(lambda error, _doing: told.append(str(error)))
    window.do.library.open(tmp_path / "Broken")
    window.do.reader.forget()
    window.do.reader.open(PatentId(3))
    qtbot.waitUntil(lambda: bool(told))
    qtbot.waitUntil(lambda: on_view(window) == str(publication(3)))
    assert window.see.results.model.rowCount() == 3


def test_of_two_libraries_asked_for_at_once_the_last_one_is_open(qtbot, window, tmp_path: Path):
    opened = []
    window.do.library.opened.connect(lambda info: opened.append(Path(info.folder).name))
    window.do.library.open(tmp_path / "Empty")
    window.do.library.open(tmp_path / "Other")
    qtbot.waitUntil(lambda: opened[-1:] == ["Other"])
    settle(qtbot, window)
    assert window.do.library.info.folder == str(tmp_path / "Other")


def test_a_document_that_is_in_no_list_is_marked_only_when_it_was_opened_by_hand(
    qtbot, window, services: Libraries
):
    window.do.reader.open(PatentId(9))
    qtbot.waitUntil(lambda: on_view(window) == str(publication(9)))
    press(window.see.results.table, Qt.Key.Key_X)
    settle(qtbot, window)
    assert services.marks == {}
    assert "not in this list" in window.notices.status.currentMessage()
    window.wiring.reading.open_publication(str(publication(9)))
    settle(qtbot, window)
    press(window.see.results.table, Qt.Key.Key_X)
    settle(qtbot, window)
    assert [str(each) for each, _claim in services.marks] == [str(publication(9))]


def test_a_note_that_is_being_written_is_kept_with_the_case_that_is_left(qtbot, window, services: Libraries):
    first = publication(1)
    window.panels.raise_panel("case")
    QTest.keyClicks(window.see.case.note, "all of claim 1")
    window.do.query.paste("1. A damper with a spring.")
    settle(qtbot, window)
    QApplication.processEvents()
    assert services.marks[first, 0].note == "all of claim 1"


def test_a_library_that_is_opened_while_the_sample_is_made_ready_stays(
    qtbot, open_window, services: Libraries, monkeypatch
):
    ready, real = threading.Event(), services.sample

    def slow(context):
        ready.wait(PATIENCE_MS / 1000)
        return real(context)

    monkeypatch.setattr(services, "sample", slow)
    window = open_window(wait=False)
    mine = services.folder.parent / "Mine"
    try:
        with qtbot.waitSignal(window.do.library.opened):
            window.do.library.open(mine)
    finally:
        ready.set()
    qtbot.waitUntil(lambda: window._runner.busy == 0)
    assert window.do.library.info.folder == str(mine)
    assert window.do.case.state is None
    assert window.see.claim.entering
    window.acts.actions["Open sample"].trigger()
    qtbot.waitUntil(lambda: window.do.library.info.folder.endswith("Sample"))
    settle(qtbot, window)
    assert window.do.case.state is not None
