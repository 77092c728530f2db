"""Long jobs of a library: what is asked of the child process, in which order, and what a cancel forgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal

from claimlight.services.search.index_notes import NO_INDEX_NOTE
from claimlight_workbench.screens.library.presenter import LibraryPresenter, Work
from tests.app.driving import settle
from tests.app.fake_services import FakeServices


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
        self.started = False
        Child.made.append(self)

    def start(self) -> None:
        self.started = True

    def cancel(self) -> None:
        self.cancelled.emit()


@pytest.fixture
def library(qtbot, runner, services: FakeServices, tmp_path: Path) -> LibraryPresenter:
    Child.made = []
    presenter = LibraryPresenter(services, runner, process=Child)
    with qtbot.waitSignal(presenter.opened):
        presenter.open(tmp_path / "L")
    return presenter


def asked() -> list[tuple[str, ...]]:
    return [child.arguments for child in Child.made]


def test_an_import_is_followed_by_indexing(qtbot, library: LibraryPresenter, tmp_path: Path):
    folder = str(tmp_path / "L")
    library.import_paths([tmp_path / "a.zip", tmp_path / "b"])
    first = ("import", str(tmp_path / "a.zip"), str(tmp_path / "b"), "--library", folder)
    assert asked() == [first]
    with qtbot.waitSignal(library.indexed):
        Child.made[0].succeeded.emit(None)
        assert asked() == [first, ("index", "--library", folder, "--low-priority")]
        Child.made[1].succeeded.emit(None)
    assert all(child.started for child in Child.made)
    assert library.working is None


def test_the_first_documents_are_searched_before_they_are_indexed(
    qtbot, library: LibraryPresenter, services: FakeServices, tmp_path: Path
):
    assert library.info is not None
    library.info = replace(library.info, documents=0)
    library.import_paths([tmp_path / "a.zip"])
    with qtbot.waitSignal(library.indexed):
        Child.made[0].succeeded.emit(None)
    assert library.working is Work.INDEX, "the index is still being made"


def test_an_import_during_an_import_is_indexed_too(library: LibraryPresenter, tmp_path: Path):
    library.import_paths([tmp_path / "a.zip"])
    library.import_paths([tmp_path / "b.zip"])
    Child.made[0].succeeded.emit(None)
    Child.made[1].succeeded.emit(None)
    assert [arguments[0] for arguments in asked()] == ["import", "import", "index"]
    assert "b.zip" in asked()[1][1]


def test_everything_is_indexed_anew_when_asked(qtbot, library: LibraryPresenter, tmp_path: Path):
    library.index(rebuild=True)
    assert asked() == [("index", "--library", str(tmp_path / "L"), "--low-priority", "--rebuild")]
    with qtbot.waitSignal(library.indexed):
        Child.made[0].succeeded.emit(None)


def test_a_cancel_forgets_what_waits(qtbot, library: LibraryPresenter, tmp_path: Path):
    library.import_paths([tmp_path / "a.zip"])
    with qtbot.waitSignal(library.info_changed):
        library.cancel()
    assert len(Child.made) == 1
    assert library.working is None


def test_a_sample_of_another_model_is_indexed_anew(qtbot, open_window, services: FakeServices, monkeypatch):
    real, orders = services.sample, []
    monkeypatch.setattr(services, "sample", lambda context: replace(real(context), stale=True))
    monkeypatch.setattr(
        LibraryPresenter, "import_paths", lambda _self, files, *, rebuild: orders.append((files, rebuild))
    )
    open_window(wait=False)
    qtbot.waitUntil(lambda: bool(orders))
    assert orders == [((services.folder.parent / "xml",), True)]


def test_while_indexing_runs_nobody_is_told_to_index(qtbot, open_window, services: FakeServices, monkeypatch):
    fresh = replace(services.info(), indexed_documents=0)
    monkeypatch.setattr(services, "info", lambda: fresh)
    search = services.search
    monkeypatch.setattr(
        services,
        "search",
        lambda request, context: replace(search(request, context), notes=(NO_INDEX_NOTE, "Another.")),
    )
    window = open_window()
    notes, button = window.see.results.notes, window.see.library.index_button
    assert notes.text() == f"{NO_INDEX_NOTE}\nAnother."
    assert button.isEnabled()
    Child.made = []
    window.do.library._process = Child
    window.do.library.index()
    running = (
        "Indexing is running: until titles, abstracts and claims are indexed, only keywords are searched."
    )
    assert notes.text() == f"{running}\nAnother."
    assert not button.isEnabled()
    window.acts.run()
    settle(qtbot, window)
    assert notes.text() == f"{running}\nAnother."
    Child.made[0].cancelled.emit()
    settle(qtbot, window)
    assert notes.text() == f"{NO_INDEX_NOTE}\nAnother."
    assert button.isEnabled()


def test_documents_that_arrive_end_the_words_about_an_empty_library(
    qtbot, open_window, services: FakeServices, monkeypatch
):
    full = services.info()
    monkeypatch.setattr(services, "info", lambda: replace(full, documents=0, indexed_documents=0))
    services.cause = "The library is empty: import documents."
    window = open_window(wait=False)
    count = window.see.results.count
    qtbot.waitUntil(lambda: count.text() == f"Nothing found. {services.cause}", timeout=5000)
    settle(qtbot, window)
    assert window.see.empty.isVisible()
    window.do.library.info_changed.emit(replace(full, folder=window.do.library.info.folder))
    assert window.see.results.isVisible()
    assert count.text() == "No search yet"


def test_what_is_being_indexed_is_not_called_nothing(qtbot, open_window, services: FakeServices, monkeypatch):
    fresh = replace(services.info(), indexed_documents=0)
    monkeypatch.setattr(services, "info", lambda: fresh)
    window = open_window()
    status, name = window.notices.status.library, Path(fresh.folder).name
    assert status.text() == f"{name}: {fresh.documents:,} documents, not indexed yet"
    Child.made = []
    window.do.library._process = Child
    window.do.library.index()
    assert status.text() == f"{name}: {fresh.documents:,} documents, being indexed"
    assert window.see.library._values["Indexed"].text().endswith("; indexing continues")
    some = replace(fresh, indexed_documents=1, indexing=True)
    window.notices.status.show_library(some, name)
    assert status.text().endswith(", 1 indexed so far")
    told = []
    window.do.library.info_changed.connect(lambda _info: told.append(status.text()))
    Child.made[0].cancelled.emit()
    assert status.text().endswith(" indexed so far"), "what was known before the job is told no more"
    settle(qtbot, window)
    assert [text.rpartition(", ")[2] for text in told] == ["not indexed yet"]
