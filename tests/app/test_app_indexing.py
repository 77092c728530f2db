"""Indexing in two passes beside the work: paused, resumed, limited, estimated, and kept over a restart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QMessageBox

from claimlight.errors import InputError, ResourceError
from claimlight.types import (
    Committed,
    DroppedDescriptions,
    IndexEstimate,
    IndexReport,
    PassEstimate,
    Progress,
)
from claimlight_workbench.jobs.process import decode
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.library.choice import IndexChoice
from claimlight_workbench.screens.library.describe import report_text
from claimlight_workbench.screens.library.index_dialog import IndexDialog
from claimlight_workbench.screens.library.presenter import LibraryPresenter, Work
from claimlight_workbench.ui_state import IndexPlan, IndexState, Session, load, save
from tests.app.driving import settle
from tests.app.fake_child import Child
from tests.app.fake_services import FakeServices

REPORT = IndexReport(
    documents=0,
    passages=9,
    spans=1,
    postings=1,
    seconds=1.0,
    stages=(),
    device="cpu",
    generation="g2",
    full_text=3,
)
LOW = "--low-priority"


class Stopping(Child):
    """Ends when it is asked to."""

    def cancel(self) -> None:
        super().cancel()
        self.cancelled.emit()


@pytest.fixture(autouse=True)
def _no_children() -> Iterator[None]:
    Child.made = []
    yield
    Child.made = []


@pytest.fixture
def library(qtbot, runner, owner: QObject, services: FakeServices, tmp_path: Path) -> LibraryPresenter:
    presenter = LibraryPresenter(services, runner, owner, process=Stopping)
    with qtbot.waitSignal(presenter.opened):
        presenter.open(tmp_path / "L")
    return presenter


@pytest.fixture
def window(qtbot, open_window, services: FakeServices) -> MainWindow:
    made = open_window()
    made.do.library._process = Stopping
    made.do.library._estimating.process = Stopping
    settle(qtbot, made)
    return made


def asked() -> list[tuple[str, ...]]:
    return [child.arguments for child in Child.made]


def first_pass(done: int) -> Progress:
    return Progress("index", done, 3, "documents", 1.0, 1.0)


def test_a_pause_stops_the_child_and_resuming_starts_it_again(library: LibraryPresenter, tmp_path: Path):
    folder = str(tmp_path / "L")
    library.index()
    assert library.can_pause
    library.pause()
    assert Child.made[0].asked
    assert library.working is None
    assert library.paused
    assert library.plans == (IndexPlan(folder, IndexState.PAUSED),)
    library.resume()
    assert not library.paused
    assert asked() == [("index", "--library", folder, LOW)] * 2
    Child.made[1].succeeded.emit(REPORT)
    assert library.plans == ()


def test_what_is_imported_while_indexing_is_paused_is_indexed_by_its_claims(
    library: LibraryPresenter, tmp_path: Path
):
    library.index()
    library.pause()
    library.import_paths([tmp_path / "a.zip"])
    Child.made[1].succeeded.emit(None)
    assert asked()[2] == ("index", "--library", str(tmp_path / "L"), LOW, "--quick")
    Child.made[2].succeeded.emit(REPORT)
    assert library.paused


def test_indexing_that_waits_for_an_import_is_paused_too(library: LibraryPresenter, tmp_path: Path):
    library.import_paths([tmp_path / "a.zip"])
    assert library.can_pause
    library.pause()
    assert not Child.made[0].asked, "the import goes on"
    Child.made[0].succeeded.emit(None)
    assert asked()[1][-1] == "--quick"


def test_limits_are_kept_for_what_is_imported_later(library: LibraryPresenter, tmp_path: Path):
    choice = IndexChoice(case=7, sets=("L3",), classes=("H04L", "G06F 40/00"), published="2010..2012")
    library.index(choice=choice)
    limits = ("--case", "7", "--set", "L3", "--class", "H04L", "--class", "G06F 40/00")
    limits = (*limits, "--published", "2010..2012")
    assert asked()[0] == ("index", "--library", str(tmp_path / "L"), LOW, *limits)
    Child.made[0].succeeded.emit(REPORT)
    assert library.plans[0].state is IndexState.LIMITED
    library.import_paths([tmp_path / "a.zip"])
    Child.made[1].succeeded.emit(None)
    assert asked()[2][4:] == limits
    assert IndexChoice(descriptions=False, classes=("H04L",)).options == ("--quick",)


def test_a_cancelled_or_failed_indexing_does_not_begin_again_by_itself(library: LibraryPresenter):
    library.index()
    library.cancel()
    assert library.plans == ()
    library.index()
    Child.made[1].failed.emit(ResourceError("The disk is full."))
    assert library.paused


def test_the_end_of_the_program_keeps_what_is_not_finished(library: LibraryPresenter, tmp_path: Path):
    library.index()
    plans = library.plans
    library.stop()
    assert Child.made[0].waited
    Child.made[0].cancelled.emit()
    assert library.plans == plans == (IndexPlan(str(tmp_path / "L"), IndexState.RUNNING),)


@pytest.mark.parametrize(
    ("state", "indexed", "resumed"),
    [
        (IndexState.RUNNING, 1, True),
        (IndexState.RUNNING, 3, False),
        (IndexState.PAUSED, 1, False),
        (IndexState.LIMITED, 1, False),
    ],
)
def test_the_next_start_resumes_what_was_not_paused(
    qtbot, open_window, services: FakeServices, monkeypatch, tmp_path: Path, state, indexed, resumed
):
    services.indexed = indexed
    folder = tmp_path / "L"
    orders = []
    monkeypatch.setattr(LibraryPresenter, "_order_index", lambda _self, *order: orders.append(order))
    session = Session(library=str(folder), index_plans=(IndexPlan(str(folder), state, ("--class", "H04L")),))
    window = open_window(session=session, wait=False)
    qtbot.waitUntil(lambda: window.do.library.info is not None)
    settle(qtbot, window)
    assert orders == ([(str(folder), ("--class", "H04L"))] if resumed else [])
    assert window.do.library.paused is (state is IndexState.PAUSED)
    assert window.see.library.pause_button.isVisibleTo(window.see.library) is window.do.library.paused


def test_plans_are_written_and_read(tmp_path: Path):
    plans = (IndexPlan("/L", IndexState.PAUSED, ("--set", "L3")), IndexPlan("/M", IndexState.RUNNING))
    save(Session(index_plans=plans), tmp_path / "session.json")
    assert load(tmp_path / "session.json").index_plans == plans


def test_every_document_is_searched_when_the_claims_are_indexed(qtbot, library: LibraryPresenter):
    library.index()
    indexed, described = QSignalSpy(library.indexed), QSignalSpy(library.described)
    child = Child.made[0]
    child.progressed.emit(first_pass(2))
    assert indexed.count() == 0
    with qtbot.waitSignal(library.indexed):
        child.progressed.emit(first_pass(3))
    with qtbot.waitSignal(library.described):
        child.progressed.emit(Committed("full text", 2))
    with qtbot.waitSignal(library.described):
        child.succeeded.emit(REPORT)
    assert (indexed.count(), described.count()) == (1, 2)


def test_a_rebuilt_index_is_searched_when_it_is_ready(qtbot, library: LibraryPresenter):
    library.index(rebuild=True)
    indexed = QSignalSpy(library.indexed)
    Child.made[0].progressed.emit(first_pass(3))
    assert indexed.count() == 0
    with qtbot.waitSignal(library.indexed):
        Child.made[0].succeeded.emit(REPORT)


def test_the_numbers_follow_each_commit(qtbot, window: MainWindow, services: FakeServices, monkeypatch):
    full = replace(services.info(), documents=1813, indexed_documents=1813)
    counts = iter((1573, 1500))
    monkeypatch.setattr(services, "info", lambda: replace(full, claims_only=next(counts)))
    window.do.library.index()
    status, facts = window.notices.status.library, window.see.library._values["Indexed"]
    compared = len(services.compared)
    for number in ("240", "313"):
        with qtbot.waitSignal(window.do.library.counted):
            Child.made[0].progressed.emit(Committed("full text", 1))
        settle(qtbot, window)
        text = f"claims of all indexed, full text of {number}"
        assert status.text().endswith(f"1,813 documents, {text} so far")
        assert facts.text().startswith(f"1,813 documents; {text}")
    assert len(services.compared) == compared, "the matrix is not computed again at each commit"
    monkeypatch.setattr(services, "info", lambda: replace(full, claims_only=1500))
    window.do.library.pause()
    settle(qtbot, window)
    assert status.text().endswith(f"{text} (paused)")
    assert facts.text().endswith("; indexing is paused")


def test_strip_and_panel_say_which_pass_is_at_work(qtbot, window: MainWindow):
    strip, panel = window.see.work, window.see.library
    window.do.library.index()
    assert strip.cancel_button.text() == "Pause"
    assert panel.cancel_button.isHidden()
    assert panel.pause_button.text() == "Pause indexing"
    assert not panel.index_button.isEnabled()
    Child.made[0].progressed.emit(Progress("full text", 1200, 240_000, "passages", 48.0, 4980.0))
    far, left = "1,200 of 240,000 passages, 48 passages/s", "1 h 23 min left"
    assert strip.text.text() == f"Indexing descriptions: {left}  ·  {far}"
    assert panel.state.text() == f"indexing descriptions: {far}, {left}"
    strip.close_button.click()
    Child.made[0].progressed.emit(Progress("full text", 1300, 240_000, "passages", 48.0, 4980.0))
    assert strip.isHidden(), "it lasts hours, and the status line says as much"
    pausing = []
    window.do.library.pausing.connect(lambda: pausing.append((strip.text.text(), panel.state.text())))
    panel.pause_button.click()
    assert pausing[0][0] == pausing[0][1]
    assert pausing[0][0].startswith("Pausing: ")
    settle(qtbot, window)
    assert strip.isVisible()
    assert strip.cancel_button.isEnabled()
    assert strip.text.text() == "Indexing is paused. What has been indexed is kept, and searched."
    assert panel.pause_button.text() == "Resume indexing"
    assert panel.state.text() == strip.text.text()
    strip.cancel_button.click()
    assert window.do.library.working is Work.INDEX
    assert strip.cancel_button.text() == "Pause"


ESTIMATE = IndexEstimate(
    PassEstimate(0, 0, 0.0, 0),
    PassEstimate(2744, 240_000, 4980.0, 360_000_000),
    0,
    700_000_000,
    10**11,
    "cpu",
)


def test_the_dialog_estimates_what_is_chosen_before_it_starts(qtbot, window: MainWindow):
    folder = window.do.library.info.folder
    dialog = window.wiring.indexing.ask()
    assert isinstance(dialog, IndexDialog)
    assert asked() == [("index", "--library", folder, "--estimate")]
    Child.made[0].succeeded.emit(ESTIMATE)
    assert dialog.estimate.text() == (
        "Descriptions: 2,744 documents, 240,000 passages, 1 h 23 min, 360 MB on disk\n"
        "About 1 h 23 min on this processor, measured now.\n"
        "While it runs it needs at most 700 MB more on disk; 100.0 GB are free."
    )
    assert [dialog.sets.itemText(row)[:3] for row in range(dialog.sets.count())] == ["all"]
    with qtbot.waitSignal(dialog.estimate_wanted):
        dialog.classes.setText("H04L, G06F 40/00;")
        dialog.published.setText(" 2010..2012 ")
        assert dialog.estimate.text() == "Estimating…"
    limits = ("--class", "H04L", "--class", "G06F 40/00", "--published", "2010..2012")
    assert asked()[1] == ("index", "--library", folder, "--estimate", *limits)
    Child.made[1].failed.emit(
        InputError("--class: FOO is no symbol. `claimlight index --help` shows the options.")
    )
    assert dialog.estimate.text() == "FOO is no symbol."
    dialog.start_button.click()
    assert asked()[2] == ("index", "--library", folder, LOW, *limits)
    Child.made[2].succeeded.emit(REPORT)
    settle(qtbot, window)
    said = "limited to class H04L, class G06F 40/00, published 2010..2012"
    assert window.see.library._values["Indexed"].text().endswith(said)
    again = window.wiring.indexing.ask()
    assert again.state.text().endswith(f"within the last {said.replace('limited to', 'limits:')}.")
    again.reject()


def test_the_dialog_says_if_there_is_nothing_to_do_or_no_room(qtbot, window: MainWindow):
    dialog = window.wiring.indexing.ask()
    nothing = PassEstimate(0, 0, 0.0, 0)
    dialog.show_estimate(replace(ESTIMATE, descriptions=nothing))
    assert dialog.estimate.text() == "There is nothing to index: all of this is indexed."
    dialog.show_estimate(replace(ESTIMATE, descriptions=PassEstimate(2, 12, 0.3, 20_000)))
    assert "\nLess than 1 s on this processor" in dialog.estimate.text()
    dialog.show_estimate(replace(ESTIMATE, free_bytes=1000))
    assert "There is not enough disk space" in dialog.estimate.text()
    assert dialog.estimate.objectName() == "warning"
    dialog.what.setCurrentIndex(1)
    assert not dialog.classes.isEnabled()
    assert dialog.choice.options == ("--quick",)
    dialog.reject()


def test_the_removal_of_descriptions_is_asked_about(qtbot, window: MainWindow, services: FakeServices):
    services.partly, services.removable = frozenset({1}), DroppedDescriptions(2, 36_000_000)
    folder = window.do.library.info.folder
    with qtbot.waitSignal(window.do.library.removal_known):
        window.see.library.removal_requested.emit()
    box = window.findChild(QMessageBox)
    assert "the descriptions of 2 documents" in box.text()
    assert "frees about 36 MB" in box.informativeText()
    next(each for each in box.buttons() if each.text() == "Remove").click()
    assert asked() == [("index", "--library", folder, "--drop-descriptions", "--yes")]
    assert window.do.library.paused, "they are not indexed again before the user asks for it"
    with qtbot.waitSignal(window.do.library.indexed):
        Child.made[0].succeeded.emit(DroppedDescriptions(2, 36_000_000))
    settle(qtbot, window)
    assert "are removed from the index; 36 MB are free again" in window.see.work.text.text()


@pytest.mark.parametrize(
    ("found", "asked_for", "told"),
    [
        (
            DroppedDescriptions(2, 36_000_000, partly=43),
            "Remove the descriptions of 2 documents, and the passages that searches read of 43 other",
            "of 2 documents, and the passages that searches had read of 43 other documents, are removed",
        ),
        (
            DroppedDescriptions(0, 950_000, partly=1),
            "Remove the passages that searches read of the descriptions of 1 document from",
            "The passages that searches had read of the descriptions of 1 document are removed",
        ),
        (
            DroppedDescriptions(0, 1_800_000),
            "Remove what is encoded of unfinished descriptions",
            "Unfinished descriptions are removed; 2 MB are free again",
        ),
    ],
)
def test_what_searches_read_is_told_apart(qtbot, window, services, found, asked_for, told):
    services.removable = found
    with qtbot.waitSignal(window.do.library.removal_known):
        window.do.library.ask_removal()
    box = window.findChild(QMessageBox)
    assert box.text().startswith(asked_for)
    assert told in report_text(found)
    box.reject()


def test_nothing_is_asked_if_there_is_nothing_to_remove(qtbot, window: MainWindow):
    with qtbot.waitSignal(window.do.library.removal_known):
        window.do.library.ask_removal()
    assert window.findChild(QMessageBox) is None
    assert window.notices.status.currentMessage().startswith("No description is indexed")


def test_commands_that_do_not_fit_say_so(qtbot, window: MainWindow):
    said = window.notices.status.currentMessage
    window.acts.actions["Pause indexing"].trigger()
    assert said() == "This library is not being indexed here."
    window.acts.actions["Resume indexing"].trigger()
    assert said() == "Indexing of this library is not paused."
    window.do.library.index()
    window.acts.actions["Index…"].trigger()
    assert said() == "The library is being indexed. Pause that first."
    window.acts.actions["Pause indexing"].trigger()
    assert window.do.library.paused
    window.acts.actions["Resume indexing"].trigger()
    assert window.do.library.working is Work.INDEX


def test_the_events_of_the_command_line_are_read():
    dropped = decode('{"event": "descriptions_dropped", "documents": 2, "bytes": 5}')
    assert dropped == DroppedDescriptions(2, 5)
    one = '{"documents": 1, "passages": 2, "seconds": 3.0, "bytes": 4}'
    line = (
        f'{{"event": "index_estimate", "schema": "x", "claims": {one}, "descriptions": {one}, "sampled": 0, '
        '"needed_bytes": 1, "free_bytes": 2, "device": "cpu", "seconds": 6.0, "enough_space": true}'
    )
    found = decode(line)
    assert isinstance(found, IndexEstimate)
    assert found.descriptions == PassEstimate(1, 2, 3.0, 4)
