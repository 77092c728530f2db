"""The list of cases: found, opened with all that is kept with each, named; nothing of the previous stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from claimlight import paths
from claimlight.errors import InputError
from claimlight.services.cases.case_names import automatic_name
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import (
    Backup,
    BackupContents,
    CaseSummary,
    Category,
    LogEntry,
    Mark,
    PatentSummary,
    PublicationNumber,
    ReferenceDates,
    SearchResults,
    SetResult,
)
from claimlight_workbench.engine.engine import Engine
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.case_history import change_words
from claimlight_workbench.screens.cases.backups import BackupsDialog
from claimlight_workbench.screens.cases.view import CasesDialog, HistoryDialog
from claimlight_workbench.ui_state import Session
from claimlight_workbench.values import CaseState, ClaimSet
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, publication

OTHER = "1. A lever connector with a spring.\n\n2. The connector of claim 1 made of damper steel."
OTHER_NAME = automatic_name(OTHER)
"""What the case of these claims is called."""


class Kept(FakeServices):
    """The fake library with a case book on disk."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.engine = Engine(Settings())
        self.refuse = 0
        """A case that can't be opened."""

    def close(self) -> None:
        super().close()
        self.engine.close()

    def open_case(self, case: int, claims: ClaimSet, context: TaskContext) -> CaseState:
        return self.engine.open_case(case, claims, context)

    def cases(
        self, text: str, context: TaskContext, *, archived: bool = False, deleted: bool = False
    ) -> tuple[CaseSummary, ...]:
        return self.engine.cases(text, context, archived=archived, deleted=deleted)

    def archive_case(self, case: int, context: TaskContext, *, archived: bool) -> CaseState | None:
        return self.engine.archive_case(case, context, archived=archived)

    def delete_case(self, case: int, context: TaskContext, *, deleted: bool) -> CaseState | None:
        return self.engine.delete_case(case, context, deleted=deleted)

    def see(self, patent: PatentSummary, context: TaskContext) -> frozenset[str]:
        # Documents 1 and 2 are of one family.
        numbers = tuple(publication(n) for n in ((1, 2) if patent.id in {1, 2} else (patent.id,)))
        return self.see_all(numbers, context)

    def case_holder(self, context: TaskContext) -> str:
        return self.engine.case_holder(context)

    def case_backups(self, context: TaskContext) -> tuple[BackupContents, ...]:
        return self.engine.case_backups(context)

    def restore_cases(self, number: int, context: TaskContext) -> Backup:
        return self.engine.restore_cases(number, context)

    def tag(self, patent: PatentSummary, tags: Sequence[str], context: TaskContext) -> CaseState:
        return self.engine.tag(patent, tags, context)

    def see_all(self, publications: Sequence[PublicationNumber], context: TaskContext) -> frozenset[str]:
        return self.engine.see_all(publications, context)

    def resume_case(self, case: int, context: TaskContext) -> tuple[ClaimSet | None, CaseState]:
        if case == self.refuse:
            raise InputError(f"There is no case {case}.")
        return self.engine.resume_case(case, context)

    def rename_case(self, case: int, name: str, context: TaskContext) -> CaseState | None:
        return self.engine.rename_case(case, name, context)

    def case_history(self, context: TaskContext) -> tuple[LogEntry, ...]:
        return self.engine.case_history(context)

    def record(self, results: SearchResults | SetResult, claim: int, context: TaskContext) -> CaseState:
        return self.engine.record(results, claim, context)

    def keep_dates(self, dates: ReferenceDates | None, limit: date | None, context: TaskContext) -> CaseState:
        return self.engine.keep_dates(dates, limit, context)

    def mark(self, mark: Mark, context: TaskContext) -> CaseState:
        return self.engine.mark(mark, context)

    def undo(self, context: TaskContext) -> CaseState:
        return self.engine.undo(context)

    def add_version(
        self, text: str, name: str, day: date | None, context: TaskContext
    ) -> tuple[ClaimSet | None, CaseState]:
        return self.engine.add_version(text, name, day, context)

    def turn_step(self, number: int, context: TaskContext) -> tuple[CaseState, tuple[LogEntry, ...]]:
        return self.engine.turn_step(number, context)

    def redo(self, context: TaskContext) -> CaseState:
        return self.engine.redo(context)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(tmp_path)
    yield made
    made.engine.close()


def dialog_of(qtbot, window: MainWindow) -> CasesDialog:
    """Open the list by its key."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    press(window, Qt.Key.Key_F4)
    dialog = window.findChild(CasesDialog)
    assert isinstance(dialog, CasesDialog)
    qtbot.waitUntil(lambda: dialog.table.rowCount() > 0)
    return dialog


def names(dialog: CasesDialog) -> list[str]:
    return [dialog.table.item(row, 0).text() for row in range(dialog.table.rowCount())]


def begin_other(qtbot, window: MainWindow) -> None:
    """Enter the claims of another case by hand."""
    former = window.do.case.state
    window.acts.actions["New case…"].trigger()
    window.see.claim.editor.setPlainText(OTHER)
    window.acts.run()
    qtbot.waitUntil(lambda: window.do.case.state not in (None, former) and len(sets(window)) == 1)
    qtbot.waitUntil(lambda: window.do.reader.view is not None and not window.see.results._opening.isActive())
    settle(qtbot, window)


def sets(window: MainWindow) -> tuple[object, ...]:
    return window.do.case.state.sets if window.do.case.state is not None else ()


def open_row(qtbot, window: MainWindow, name: str) -> None:
    dialog = dialog_of(qtbot, window)
    dialog.table.setCurrentCell(names(dialog).index(name), 0)
    with qtbot.waitSignal(window.do.case.resumed):
        press(dialog.table, Qt.Key.Key_Return)
    settle(qtbot, window)


def test_a_case_comes_back_with_its_claim_dates_sets_and_marks(qtbot, window: MainWindow):
    window.do.query.choose(2)
    settle(qtbot, window)
    window.do.query.merge(0)
    window.acts.run()
    qtbot.waitUntil(lambda: len(sets(window)) == 2)
    window.see.bar.before_chosen.emit(date(2012, 5, 6))
    dates = ReferenceDates(date(2012, 3, 4), date(2011, 3, 4), applicant="Ann")
    window.see.bar.dates_chosen.emit(dates)
    settle(qtbot, window)
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: Category.X in window.do.case.categories.values())
    ranges, marked = window.do.query.ranges, window.do.case.categories
    begin_other(qtbot, window)
    assert window.do.case.categories == {}
    assert window.do.query.before is None
    open_row(qtbot, window, "Sample application")
    query = window.do.query
    assert (query.claim, query.ranges, query.dates, query.before) == (2, ranges, dates, date(2012, 5, 6))
    assert window.do.case.categories == marked
    assert [each.number for each in sets(window)] == [1, 2]
    assert window.see.sets.model.rowCount() == 2
    assert window.see.results.model.rowCount() == 3


def test_nothing_of_the_former_case_stays_on_view(qtbot, window: MainWindow):
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    first = window.do.case.state.case.name
    begin_other(qtbot, window)
    other = window.do.case.state.case.name
    assert window.see.case.marks.count() == 0
    open_row(qtbot, window, first)
    assert window.see.case.marks.count() == 1
    open_row(qtbot, window, other)
    assert window.see.case.marks.count() == 0
    assert window.do.query.claims.claims[0].text.startswith("A lever connector")


def test_a_note_that_is_being_written_stays_with_the_case_it_was_written_for(qtbot, window: MainWindow):
    begin_other(qtbot, window)
    QTest.keyClicks(window.see.case.note, "read column 4")
    open_row(qtbot, window, "Sample application")
    assert window.do.case.state.marks == ()
    open_row(qtbot, window, OTHER_NAME)
    assert [mark.note for mark in window.do.case.state.marks] == ["read column 4"]


def test_the_open_case_is_named_in_the_title_and_above_the_claim(qtbot, window: MainWindow):
    assert window.windowTitle() == "Sample application – Sample – Claimlight"
    assert window.see.claim.case.text() == "Sample application"
    begin_other(qtbot, window)
    assert window.windowTitle() == f"{OTHER_NAME} – Sample – Claimlight"
    assert window.see.claim.case.text() == OTHER_NAME


def test_a_case_is_renamed_where_it_stands_in_the_list(qtbot, window: MainWindow):
    dialog = dialog_of(qtbot, window)
    QTest.mouseClick(dialog.rename_button, Qt.MouseButton.LeftButton)
    editor = dialog.table.findChild(type(dialog.search))
    editor.selectAll()
    QTest.keyClicks(editor, "Damper of 2013")
    with qtbot.waitSignal(window.do.cases.changed):
        press(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names(dialog) == ["Damper of 2013"])
    assert window.windowTitle() == "Damper of 2013 – Sample – Claimlight"
    # Under its new name it is still the case of these claims.
    dialog.reject()
    window.wiring.sample.open()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: window.do.case.state is not None)
    assert window.do.case.state.case.name == "Damper of 2013"


def test_typing_finds_cases_by_their_claims(qtbot, window: MainWindow):
    begin_other(qtbot, window)
    dialog = dialog_of(qtbot, window)
    assert names(dialog) == [OTHER_NAME, "Sample application"]
    QTest.keyClicks(dialog.search, "crown")
    qtbot.waitUntil(lambda: names(dialog) == ["Sample application"])
    dialog.search.clear()
    QTest.keyClicks(dialog.search, "nowhere said")
    qtbot.waitUntil(lambda: names(dialog) == [])
    assert dialog.count.text() == "No case matches these words."
    assert not dialog.open_button.isEnabled()
    dialog.reject()


def test_the_list_counts_sets_and_marks(qtbot, window: MainWindow):
    press(window.see.results.table, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    dialog = dialog_of(qtbot, window)
    assert [dialog.table.item(0, column).text() for column in (3, 4)] == ["1", "1"]
    dialog.reject()


def test_a_case_that_cant_be_opened_leaves_the_former_one_open(
    qtbot, window: MainWindow, services: Kept, monkeypatch
):
    first = int(window.do.case.state.case.id)
    begin_other(qtbot, window)
    told = []
    monkeypatch.setattr(
        "claimlight_workbench.errors.show", lambda _window, error, doing="": told.append(str(error))
    )
    services.refuse = first
    with qtbot.waitSignal(window.do.case.resumed):
        window.wiring.case_list.open_case(first)
    settle(qtbot, window)
    assert told == [f"There is no case {first}."]
    assert window.do.case.state.case.name == OTHER_NAME
    assert window.do.query.claims.claims[0].text.startswith("A lever connector")


def test_a_case_without_claims_shows_none(qtbot, window: MainWindow, open_window):
    services = window._services
    empty = services.engine.open_case(0, ClaimSet((), "none", name="Searches without claims"), TaskContext())
    services.engine.open_case(int(window.do.case.state.case.id), ClaimSet((), ""), TaskContext())
    with qtbot.waitSignal(window.do.case.resumed):
        window.wiring.case_list.open_case(int(empty.case.id))
    settle(qtbot, window)
    assert window.do.query.claims is None
    assert window.see.claim.text.document().isEmpty()
    assert window.collect().claims_text == ""
    assert window.windowTitle() == "Searches without claims – Sample – Claimlight"


def test_the_history_says_what_was_done_newest_first(qtbot, window: MainWindow):
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    with qtbot.waitSignal(window.do.cases.history_read):
        window.acts.actions["Case history"].trigger()
    dialog = window.findChild(HistoryDialog)
    rows = [
        tuple(dialog.table.item(row, at).text() for at in (1, 2)) for row in range(dialog.table.rowCount())
    ]
    assert rows[0] == ("Category, note", "EP 1 000 001 A1: category X for claim 1")
    assert rows[-1] == ("Case", "created as 'Sample application'")
    assert ("Document opened", "EP 1 000 001 A1") in rows
    (search,) = (text for kind, text in rows if kind == "Search")
    assert search.startswith("L1: claim 1 search: A 𝛼-damper (10)")
    assert search.endswith("  ·  3 documents found")
    assert dialog.count.text() == f"{len(rows)} entries"
    dialog.kind.setCurrentText("Search")
    shown = [row for row in range(len(rows)) if not dialog.table.isRowHidden(row)]
    assert [rows[row] for row in shown] == [("Search", search)]
    assert dialog.count.text() == "1 entry"
    assert "searches are always kept" in _choose(dialog, shown[0])
    assert not dialog.turn_button.isEnabled()
    dialog.kind.setCurrentIndex(0)
    assert _choose(dialog, 0) == ""
    dialog.turn_button.click()
    qtbot.waitUntil(lambda: not window.do.case.categories)
    qtbot.waitUntil(lambda: dialog.turn_button.text() == "Redo step")
    assert dialog.table.item(1, 2).text().endswith("category X for claim 1 (undone)")
    assert dialog.table.item(0, 1).text() == "Undone"
    dialog.turn_button.click()
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    dialog.open_button.click()
    assert not dialog.isVisible()


def test_undo_of_an_amendment_brings_the_claims_back(qtbot, window: MainWindow):
    before = window.do.query.claims.plain()
    with qtbot.waitSignal(window.do.case.resumed):
        window.do.case.add_version("1. A kettle with a hollow spout.", "", None)
    settle(qtbot, window)
    assert window.do.query.claims.plain() == "1. A kettle with a hollow spout."
    assert window.do.case.state.case.version_label == "amended"
    with qtbot.waitSignal(window.do.case.resumed):
        window.do.case.undo()
    settle(qtbot, window)
    assert window.do.query.claims.plain() == before
    assert window.do.case.state.case.versions == ()


def _choose(dialog: HistoryDialog, row: int) -> str:
    dialog.table.setCurrentCell(row, 0)
    return dialog.hindrance.text()


@pytest.mark.parametrize(
    ("logged", "shown"),
    [
        ("EP1000001A1: 0 for claim 1", "EP 1 000 001 A1: not relevant (0) for claim 1"),
        ("US20050004974A1: Y for claim 2 F3", "US 2005/0004974 A1: category Y for claim 2 F3"),
        ("EP1000001A1: note for claim 1", "EP 1 000 001 A1: a note, no category for claim 1"),
        ("EP1000001A1: no mark", "EP 1 000 001 A1: category and note removed"),
        ("EP1000001A1: tags valve, for later", "EP 1 000 001 A1: tags valve, for later"),
        ("features, ranges, library edited", "features, library searched changed"),
        (
            "reference date, dates, limit edited",
            "relevant date, dates of the application, date limit changed",
        ),
        ("renamed to 'X: Y'", "renamed to 'X: Y'"),
        ("archived", "archived"),
    ],
)
def test_what_was_changed_is_told_in_the_words_of_the_window(logged, shown):
    assert change_words(logged) == shown


def test_saved_is_the_case_and_moves_with_a_mark(qtbot, window: MainWindow):
    window.notices.status.show_saved(None)
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    changed = window.do.case.state.case.changed.astimezone()
    assert window.notices.status.saved.text().startswith("case saved ")
    assert f"{changed:%Y-%m-%d}" in window.notices.status.saved.toolTip()
    window.notices.status.show_saved(None)
    window.keeper.changed()
    settle(qtbot, window)
    assert window.notices.status.saved.text() == ""


# Seen documents


def seen_rows(window: MainWindow) -> list[bool]:
    model = window.see.results.model
    return [model.is_seen(model.hit(row)) for row in range(model.rowCount())]


def test_seen_documents_come_back_with_the_case_and_count_for_the_family(qtbot, window: MainWindow):
    qtbot.waitUntil(lambda: seen_rows(window) == [True, True, False])  # 2 is of the family of 1
    window.see.results.go_to(2)
    qtbot.waitUntil(lambda: str(publication(3)) in window.do.case.state.seen)
    begin_other(qtbot, window)
    qtbot.waitUntil(lambda: seen_rows(window) == [True, True, False])
    open_row(qtbot, window, "Sample application")
    assert seen_rows(window) == [True, True, True]
    assert window.collect().seen == ()


def test_undo_takes_a_mark_back_not_that_a_document_was_opened_since(qtbot, window: MainWindow):
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    window.see.results.go_to(2)
    qtbot.waitUntil(lambda: str(publication(3)) in window.do.case.state.seen)
    press(window.see.results.table, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: window.do.case.categories == {})
    assert str(publication(3)) in window.do.case.state.seen


def test_seen_documents_of_an_earlier_session_are_taken_over_once(qtbot, open_window, services: Kept):
    case = services.open_case(0, services.sample(TaskContext()).claims, TaskContext()).case
    session = Session(
        case=int(case.id),
        claims_text=case.application,
        claims_source=case.name,
        library=str(services.folder / "Sample"),
        seen=(str(publication(3)), "no number"),
    )
    window = open_window(session=session)
    qtbot.waitUntil(lambda: str(publication(3)) in window.do.case.state.seen)
    assert publication(3) in services.engine._cases().seen(case.id)
    assert window.collect().seen == ()


# Archive and delete


def test_a_deleted_case_leaves_the_list_and_comes_back_by_undo(qtbot, window: MainWindow):
    begin_other(qtbot, window)
    dialog = dialog_of(qtbot, window)
    dialog.table.setCurrentCell(names(dialog).index(OTHER_NAME), 0)
    assert not dialog.delete_button.isEnabled()
    dialog.table.setCurrentCell(names(dialog).index("Sample application"), 0)
    QTest.mouseClick(dialog.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: names(dialog) == [OTHER_NAME])
    assert dialog.told.text() == "“Sample application” is deleted."
    QTest.mouseClick(dialog.undo_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sorted(names(dialog)) == sorted([OTHER_NAME, "Sample application"]))
    assert not dialog.undo_button.isVisible()
    dialog.reject()


def test_archived_and_deleted_cases_are_listed_on_demand(qtbot, window: MainWindow):
    begin_other(qtbot, window)
    dialog = dialog_of(qtbot, window)
    dialog.table.setCurrentCell(names(dialog).index("Sample application"), 0)
    QTest.mouseClick(dialog.archive_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: names(dialog) == [OTHER_NAME])
    dialog.with_archived.click()
    qtbot.waitUntil(lambda: "Sample application" in names(dialog))
    row = names(dialog).index("Sample application")
    assert dialog.table.item(row, 5).text() == "archived"
    dialog.table.setCurrentCell(row, 0)
    QTest.mouseClick(dialog.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: names(dialog) == [OTHER_NAME])
    dialog.with_deleted.click()
    qtbot.waitUntil(lambda: "Sample application" in names(dialog))
    dialog.table.setCurrentCell(names(dialog).index("Sample application"), 0)
    assert not dialog.open_button.isEnabled()
    QTest.mouseClick(dialog.delete_button, Qt.MouseButton.LeftButton)
    row = names(dialog).index("Sample application")
    qtbot.waitUntil(lambda: dialog.table.item(row, 5).text() == "archived")
    dialog.reject()


# Two windows


def test_a_second_window_on_a_case_reads_it_and_changes_nothing(qtbot, window: MainWindow, open_window):
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    kept = window.do.case.categories
    other = Kept(window._services.folder)
    second = open_window(engine=other, session=Session())
    qtbot.waitUntil(lambda: second.do.case.state is not None)
    settle(qtbot, second)
    assert second.do.case.categories == kept
    assert second.windowTitle().startswith("Sample application (read-only)")
    strip = second.see.held
    assert strip.isVisible()
    assert strip.text.text().startswith("This case is open in another window (process ")
    assert "close the other window" in strip.text.text()
    assert second.see.case.note.isReadOnly()
    assert second.see.case.tags.isReadOnly()
    assert not any(button.isEnabled() for button in second.see.case.findChildren(QPushButton))
    assert not window.see.held.isVisible()
    second.notices.status.clearMessage()
    second.acts.undo()
    second.wiring.reading.judge(Category.A)
    second.acts.run()
    settle(qtbot, second)
    assert "open in another window" in second.notices.status.currentMessage()
    book = window._services.engine._cases()
    case = window.do.case.state.case.id
    assert [mark.category for mark in book.marks(case)] == [Category.X]
    assert len(book.sets(case)) == 1


def test_a_case_that_the_other_window_has_left_can_be_worked_on(qtbot, window: MainWindow, open_window):
    other = Kept(window._services.folder)
    second = open_window(engine=other, session=Session())
    qtbot.waitUntil(lambda: second.do.case.state is not None)
    assert second.do.case.read_only
    begin_other(qtbot, window)
    second.wiring.case_list.open_case(int(second.do.case.state.case.id))
    qtbot.waitUntil(lambda: second.do.case.state is not None and not second.do.case.read_only)
    qtbot.waitUntil(lambda: second.do.reader.view is not None)
    settle(qtbot, second)
    second.wiring.reading.judge(Category.A)
    qtbot.waitUntil(lambda: Category.A in second.do.case.categories.values())


def test_the_button_takes_a_case_over_when_the_other_window_is_closed(qtbot, window: MainWindow, open_window):
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: bool(window.do.case.categories))
    second = open_window(engine=Kept(window._services.folder), session=Session())
    qtbot.waitUntil(lambda: second.do.case.state is not None)
    settle(qtbot, second)
    turn = second.do.case._turn
    second.see.held.button.click()
    qtbot.waitUntil(lambda: second.see.held.text.text().endswith("It is still open there."))
    assert second.do.case._turn == turn, "nothing is opened again for nothing"
    window.close()
    second.see.held.button.click()
    qtbot.waitUntil(lambda: second.do.case.state is not None and not second.do.case.read_only)
    settle(qtbot, second)
    assert not second.see.held.isVisible()
    assert not second.see.case.note.isReadOnly()
    assert second.windowTitle().startswith("Sample application –")
    assert second.do.case.categories == {str(publication(1)): Category.X}


# Backups


def mark_both(qtbot, window: MainWindow) -> None:
    """X for the first document, which is backed up, then Y for the second."""
    press(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: len(window.do.case.categories) == 1)
    window._services.engine._cases().back_up()
    press(window.see.results.table, Qt.Key.Key_J)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    press(window.see.results.table, Qt.Key.Key_Y)
    qtbot.waitUntil(lambda: len(window.do.case.categories) == 2)


def ask_to_restore(qtbot, window: MainWindow, monkeypatch) -> BackupsDialog:
    """Choose the backup with one mark and say yes."""
    buttons = QMessageBox.StandardButton
    monkeypatch.setattr(QMessageBox, "question", lambda *_: buttons.Yes)
    with qtbot.waitSignal(window.do.cases.backups_read):
        window.acts.actions["Restore case book…"].trigger()
    (dialog,) = window.findChildren(BackupsDialog)
    marks = [dialog.table.item(row, 3).text() for row in range(dialog.table.rowCount())]
    dialog.table.setCurrentCell(marks.index("1"), 0)
    assert dialog.table.item(marks.index("1"), 5).text() == "sound"
    dialog.restore_button.click()
    return dialog


def test_a_backup_of_the_case_book_is_restored_in_the_window(qtbot, window: MainWindow, monkeypatch):
    mark_both(qtbot, window)
    number = int(window.do.case.state.case.id)
    with qtbot.waitSignal(window.do.cases.restored):
        ask_to_restore(qtbot, window, monkeypatch)
    assert window.do.case.state is None
    assert "The case book of " in window.notices.status.currentMessage()
    with qtbot.waitSignal(window.do.cases.listed):
        pass
    (dialog,) = window.findChildren(CasesDialog)
    dialog.open_chosen()
    qtbot.waitUntil(lambda: window.do.case.state is not None)
    settle(qtbot, window)
    assert int(window.do.case.state.case.id) == number
    assert window.do.case.categories == {str(publication(1)): Category.X}
    assert not window.do.case.read_only
    assert list(paths.cases_dir().glob("cases.db.replaced-*")), "the book as it was is kept"


def test_a_book_that_another_window_has_open_is_not_replaced(
    qtbot, window: MainWindow, open_window, monkeypatch
):
    mark_both(qtbot, window)
    open_window(engine=Kept(window._services.folder), session=Session())
    with qtbot.waitSignal(window.do.cases.failed):
        ask_to_restore(qtbot, window, monkeypatch)
    (box,) = window.findChildren(QMessageBox)
    assert "Close every Claimlight window" in box.text()
    box.close()
    assert len(window.do.case.categories) == 2
    window.wiring.reading.judge(Category.A)
    qtbot.waitUntil(lambda: window.do.case.categories[str(publication(2))] is Category.A)


def test_a_backup_that_can_not_be_used_is_listed_and_not_offered(qtbot, colours):
    backup = Backup("/b/cases-1.db", date(2026, 1, 2), 1)
    found = (
        BackupContents(backup, fault="not a database"),
        BackupContents(replace(backup, number=2)),
        BackupContents(replace(backup, number=3), 1, 2, 3, faults=1),
    )
    dialog = BackupsDialog(found)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(dialog)
    states = [dialog.table.item(row, 5).text() for row in range(3)]
    assert states == ["can't be used: not a database", "holds no case", "usable, except for 1 damaged row"]
    assert dialog.chosen is found[2]
    assert dialog.restore_button.isEnabled()
    for row in (0, 1):
        dialog.table.setCurrentCell(row, 0)
        assert not dialog.restore_button.isEnabled()


# Tags


def write_tags(qtbot, window: MainWindow, text: str) -> None:
    press(window.see.results.table, Qt.Key.Key_T)
    line = window.see.case.tags
    line.selectAll()
    QTest.keyClicks(line, text)
    press(line, Qt.Key.Key_Return)
    settle(qtbot, window)


def title(window: MainWindow, row: int) -> str:
    model = window.see.results.model
    return model.data(model.index(row, Column.TITLE))


def test_tags_are_written_at_t_shown_in_the_rows_and_kept_with_the_case(qtbot, window: MainWindow):
    write_tags(qtbot, window, "closest, spring type ,")
    qtbot.waitUntil(lambda: title(window, 0) == "[closest, spring type] Damper number 1")
    assert title(window, 2) == "Damper number 3"
    assert window.see.case.tags.text() == "closest, spring type"
    begin_other(qtbot, window)
    assert title(window, 0) == "Damper number 1"
    assert window.see.case.tags.text() == ""
    dialog = dialog_of(qtbot, window)
    QTest.keyClicks(dialog.search, "closest")
    qtbot.waitUntil(lambda: names(dialog) == ["Sample application"])
    dialog.reject()
    open_row(qtbot, window, "Sample application")
    qtbot.waitUntil(lambda: title(window, 0) == "[closest, spring type] Damper number 1")


def test_a_tag_of_the_case_is_completed_and_undo_takes_tags_back(qtbot, window: MainWindow):
    write_tags(qtbot, window, "closest")
    window.see.results.go_to(2)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == 3)
    settle(qtbot, window)
    assert window.see.case.tags.text() == ""
    press(window.see.results.table, Qt.Key.Key_T)
    line = window.see.case.tags
    QTest.keyClicks(line, "new, clo")
    press(line, Qt.Key.Key_Tab)
    assert line.text() == "new, closest"
    press(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: title(window, 2) == "[closest, new] Damper number 3")
    window.acts.undo()
    qtbot.waitUntil(lambda: title(window, 2) == "Damper number 3")
    assert line.text() == ""


def test_tags_being_written_go_to_the_document_they_were_written_for(qtbot, window: MainWindow):
    press(window.see.results.table, Qt.Key.Key_T)
    QTest.keyClicks(window.see.case.tags, "first")
    window.see.results.go_to(2)
    qtbot.waitUntil(lambda: title(window, 0) == "[first] Damper number 1")
    assert title(window, 2) == "Damper number 3"


def test_opening_documents_of_a_case_that_is_held_elsewhere_is_no_error(services: Kept):
    claims, context = ClaimSet((), "Held", text="1. A lever."), TaskContext()
    first = services.engine.open_case(0, claims, context)
    second = Engine(Settings())
    try:
        assert second.open_case(int(first.case.id), claims, context).holder
        assert second.see_all([publication(1)], context) == frozenset()
        assert second.open_case(int(first.case.id), claims, context).seen == frozenset()
    finally:
        second.close()
