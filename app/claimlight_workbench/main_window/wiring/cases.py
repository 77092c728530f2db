"""Joins the open case with its panel, the results and the query; and the list of cases with the open one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, SignalInstance

from claimlight.errors import LockedCasesError, WrongPassphraseError
from claimlight.services.cases.case_encryption import is_encrypted
from claimlight.services.cases.claim_versions import find_new_words
from claimlight.types import Category
from claimlight_workbench.jobs.process import remember_passphrase
from claimlight_workbench.language import tell, tr
from claimlight_workbench.main_window.session import publication_of
from claimlight_workbench.models.case_history import Search, describe_history
from claimlight_workbench.models.categories import count_cited
from claimlight_workbench.screens.case.versions import AddVersionDialog, VersionsDialog
from claimlight_workbench.screens.cases.backups import BackupsDialog
from claimlight_workbench.screens.cases.encryption import EncryptionDialog, PassphraseDialog
from claimlight_workbench.screens.cases.view import CasesDialog, HistoryDialog
from claimlight_workbench.screens.sets.describe import expression_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from claimlight.types import Backup, BackupContents, Case, LogEntry
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.main_window.wiring.searching import Searching
    from claimlight_workbench.screens.case.held import HeldStrip
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.case.view import CaseView
    from claimlight_workbench.screens.cases.presenter import CasesPresenter
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.query.claim_tree import ClaimPicker
    from claimlight_workbench.screens.query.feature_list import FeatureList
    from claimlight_workbench.screens.query.panel import ClaimPanel
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.results.view import ResultsView
    from claimlight_workbench.values import CaseState, ClaimSet


class ActiveCase(QObject):
    """Categories, tags, read documents and dates of the open case, everywhere they are shown."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: CasePresenter,
        view: CaseView,
        held: HeldStrip,
        query: QueryPresenter,
        reader: ReaderPresenter,
        results: ResultsView,
        reading: Reading,
        searching: Searching,
        features: FeatureList,
        picker: ClaimPicker,
        show_title: Callable[[], None],
        state: WindowState,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._view = view
        self._held = held
        self._query = query
        self._reader = reader
        self._rows = results.model
        self._reading = reading
        self._searching = searching
        self._features = features
        self._picker = picker
        self._show_title = show_title
        self._state = state
        self._notices = notices
        self._wire()

    def _wire(self) -> None:
        case, view = self._presenter, self._view
        self._query.claims_read.connect(lambda claims: case.open(0, claims))
        case.changed.connect(self._show)
        case.changed.connect(self._held.show_case)
        case.claim_changed.connect(lambda: self._rows.set_marks(case.given))
        self._query.claim_changed.connect(case.set_claim)
        case.still_held.connect(self._held.show_still_held)
        case.stepped.connect(self._show_step)
        case.seen_changed.connect(self._show_read)
        case.refused.connect(self._notices.refuse)
        case.changed.connect(lambda _state: self._notices.forget_refusal())
        self._held.pressed.connect(case.take_over)
        view.category_given.connect(lambda value: self._reading.judge(Category(value)))
        view.undo_requested.connect(case.undo)
        view.redo_requested.connect(case.redo)
        view.tagged.connect(case.tag)
        self._reader.shown.connect(lambda document: case.see(document.summary))

    def _show(self, case: CaseState) -> None:
        state = self._state
        state.case = int(case.case.id)
        state.case_name = case.case.name + (tr(" (read-only)") if case.holder else "")
        self._show_title()
        if state.dated == state.case:
            self._notices.status.show_saved_now()
        else:
            state.dated = state.case
            self._show_another(case)
        self._view.show_case(case)
        self._rows.set_marks(self._presenter.given)
        self._rows.set_tags(case.tags)
        self._picker.show_documents(count_cited(case.marks))
        self._features.show_new(find_new_words(case.case, case.sets))
        self._reading.show_own()
        if state.reopen:
            self._searching.reopen()
        self._searching.name_known()

    def _show_another(self, case: CaseState) -> None:
        self._notices.status.show_saved(case.case.changed)
        self._show_dates(case.case)
        self._rows.set_seen(case.seen)
        before, self._state.seen_before = self._state.seen_before, ()
        if before and self._state.case == self._state.session.case:
            self._presenter.see_all([each for text in before if (each := publication_of(text)) is not None])
        view = self._reader.view
        if view is not None:
            self._presenter.see(view.summary)

    def _show_step(self, state: CaseState, words: str) -> None:
        """Undo and redo may have changed the query too: show the one the case has now."""
        if words:
            self._notices.say(words)
        query, case = self._query, state.case
        claims = query.claims
        if claims is not None and case.application.strip() and claims.plain() != case.application:
            # Another version of the claims counts again.
            self._presenter.resume(int(case.id))
            return
        if case.features and (case.features, case.ranges) != (query.feature_lines, query.ranges):
            query.choose(case.claim, ranges=case.ranges, lines=case.features)
        self._show_dates(case)

    def _show_dates(self, case: Case) -> None:
        self._query.set_within(case.within)
        # A case of an earlier version has no dates: those on the screen stay.
        if case.dates is not None:
            self._query.set_dates(case.dates)
            self._query.set_before(case.limit)

    def _show_read(self, publications: frozenset[str]) -> None:
        for each in publications:
            self._rows.see(each)


class CaseList(QObject):
    """Opens another case with all that is kept with it, and nothing of the previous one."""

    def __init__(
        self,
        window: QWidget,
        *,
        cases: CasesPresenter,
        case: CasePresenter,
        view: CaseView,
        query: QueryPresenter,
        library: LibraryPresenter,
        claim: ClaimPanel,
        panels: Panels,
        open_document: Callable[[str], None],
        state: WindowState,
        notices: Notices,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(window)
        self._changed = changed
        self._unlocked = False
        self._window = window
        self._cases = cases
        self._case = case
        self._view = view
        self._query = query
        self._library = library
        self._claim = claim
        self._panels = panels
        self._state = state
        self._notices = notices
        self._open_document = open_document
        self._history: HistoryDialog | None = None
        cases.changed.connect(case.refresh)
        cases.turned.connect(lambda state: case.stepped.emit(state, ""))
        cases.keep_backups()
        cases.history_read.connect(self._show_history)
        cases.backups_read.connect(self._show_backups)
        cases.restored.connect(self._show_restored)
        cases.failed.connect(self._fail)
        case.resumed.connect(self._show_resumed)
        query.claims_read.connect(lambda _claims: self._show_claim())

    def show_cases(self) -> None:
        """Open the list of cases."""
        state, cases = self._case.state, self._cases
        dialog = CasesDialog(int(state.case.id) if state is not None else 0, self._window)
        dialog.wanted.connect(cases.find)
        dialog.opened.connect(self.open_case)
        dialog.new_wanted.connect(self.enter_claims)
        dialog.renamed.connect(cases.rename)
        dialog.archived.connect(cases.archive)
        dialog.deleted.connect(cases.delete)
        cases.failed.connect(dialog.withdraw)
        cases.listed.connect(dialog.show_cases)
        cases.find("")
        dialog.open()
        dialog.search.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_case(self, case: int) -> None:
        """Open a case of the list."""
        state = self._case.state
        if state is None or int(state.case.id) != case or self._case.read_only:
            self._view.flush()
            self._case.resume(case)

    def enter_claims(self) -> None:
        """Open the page to enter the claims of a new case; the open one stays until they are used."""
        self._panels.raise_panel("claim")
        self._claim.enter_claims()

    def _show_claim(self) -> None:
        """The claims of an application were read: they are seen, whatever was in front of them."""
        self._panels.raise_panel("claim")
        if self._claim.entering:
            self._claim.leave_entry()

    def show_history(self) -> None:
        """Open the history of the open case."""
        if self._case.state is None:
            self._notices.say(tr("No case is open. Open one, or enter claims."))
        else:
            self._cases.read_history()

    def show_versions(self) -> None:
        """Open the versions of the claims of the open case."""
        state = self._case.state
        if state is None or not state.case.application.strip():
            self._notices.say(tr("No claims are open. Open a case, or enter claims."))
            return
        dialog = VersionsDialog(state.case, self._window)

        def compare(first: int, second: int) -> None:
            job = self._case.compare_versions(first, second)
            job.succeeded.connect(dialog.show_comparison)

        dialog.compare_wanted.connect(compare)
        dialog.use_wanted.connect(self._case.use_version)
        # First: a dialog that closes after another has opened takes the keys from it.
        dialog.add_wanted.connect(dialog.reject)
        dialog.add_wanted.connect(self.add_version)
        dialog.compare()
        dialog.open()

    def add_version(self) -> None:
        """Enter an amended version of the claims of the open case."""
        if self._case.state is None:
            self._notices.say(tr("No case is open. Open one, or enter claims."))
            return
        dialog = AddVersionDialog(self._window)

        def read(path: Path) -> None:
            job = self._query.read_claims_of(path)
            job.succeeded.connect(lambda found: dialog.show_claims(path, found.plain()))
            job.failed.connect(lambda error: dialog.show_unreadable(path, tell(str(error))))
            # A dialog that is closed is deleted, and shows nothing more.
            dialog.finished.connect(lambda _code: job.cancel())

        dialog.file_wanted.connect(read)
        dialog.added.connect(self._case.add_version)
        dialog.open()

    def show_backups(self) -> None:
        """Open the list of backups of the case book."""
        self._notices.say(tr("Checking the backups of the case book…"))
        self._cases.read_backups()

    def show_encryption(self) -> None:
        """Open the dialog that encrypts the case book; if it is locked, ask for its passphrase."""
        if is_encrypted() and not self._unlocked:
            self._ask_passphrase(self.show_cases, lambda: None)
            return
        dialog = EncryptionDialog(self._window, encrypted=is_encrypted())

        def convert(present: str, new: str) -> None:
            self._view.flush()
            self._cases.convert(present, new)

        def show_done(left: tuple[str, ...]) -> None:
            self._unlocked = is_encrypted()
            remember_passphrase(dialog.new.text())
            # The session keeps texts of the case for a plain book only.
            self._changed()
            dialog.show_done(left)
            self._notices.say(
                tr("The case book is encrypted.") if self._unlocked else tr("The case book is not encrypted.")
            )

        dialog.wanted.connect(convert)
        self._cases.converted.connect(show_done)
        self._cases.not_converted.connect(lambda error: dialog.show_fault(str(error)))
        dialog.destroyed.connect(partial(_cut, self._cases.converted, self._cases.not_converted))
        dialog.open()

    def start(self, reopen: Callable[..., None]) -> None:
        """Reopen the last session; of an encrypted book ask for the passphrase first."""
        if is_encrypted():
            self._ask_passphrase(reopen, partial(reopen, cases=False))
        else:
            reopen()

    def _ask_passphrase(self, then: Callable[[], None], without: Callable[[], None]) -> None:
        dialog = PassphraseDialog(self._window)

        def unlock(passphrase: str) -> None:
            self._cases.unlock(passphrase)

        def go_on() -> None:
            self._unlocked = True
            remember_passphrase(dialog.line.text())
            dialog.accept()
            then()

        def stay_locked() -> None:
            self._notices.say(
                tr("The case book is closed. Case → Case book encryption… asks for its passphrase again.")
            )
            without()

        dialog.given.connect(unlock)
        dialog.rejected.connect(stay_locked)
        self._cases.unlocked.connect(go_on)
        self._cases.still_locked.connect(lambda error: dialog.show_fault(_describe(error)))
        dialog.destroyed.connect(partial(_cut, self._cases.unlocked, self._cases.still_locked))
        dialog.open()
        dialog.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fail(self, error: Exception, doing: str) -> None:
        if isinstance(error, LockedCasesError) and not self._window.findChildren(PassphraseDialog):
            self._ask_passphrase(self.show_cases, lambda: None)
        else:
            self._notices.fail(error, doing)

    def _show_resumed(self, claims: ClaimSet | None, state: CaseState) -> None:
        case = state.case
        if self._claim.entering:
            self._claim.leave_entry()
        if claims is None:
            self._state.forget_claims()
            self._query.unload()
        else:
            self._query.load(
                claims,
                claim=case.claim,
                ranges=case.ranges,
                lines=case.features,
                before=case.limit,
                within=case.within,
                dates=case.dates,
                run=True,
            )
        info = self._library.info
        if case.library and info is not None and Path(case.library) != Path(info.folder):
            self._notices.say(
                tr(
                    "This case was last searched in {library}, but {folder} is open.",
                    library=case.library,
                    folder=info.folder,
                )
            )

    def _show_history(self, entries: tuple[LogEntry, ...]) -> None:
        state = self._case.state
        if state is not None:
            searches = {each.number: Search(expression_of(each), len(each.hits)) for each in state.sets}
            lines = describe_history(entries, searches)
            if self._history is not None:
                self._history.show_lines(lines)
                return
            self._history = HistoryDialog(state.case.name, lines, self._window)
            self._history.turned.connect(self._cases.turn)
            self._history.document_wanted.connect(self._open_document)
            self._history.finished.connect(self._forget_history)
            self._history.open()

    def _forget_history(self) -> None:
        self._history = None

    def _show_backups(self, found: tuple[BackupContents, ...]) -> None:
        self._notices.status.clearMessage()
        dialog = BackupsDialog(found, self._window)
        dialog.restore_wanted.connect(self._restore)
        dialog.open()
        dialog.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _restore(self, number: int) -> None:
        # What is being written belongs to the book as it is, which is kept.
        self._view.flush()
        self._cases.restore(number)

    def _show_restored(self, used: Backup) -> None:
        self._case.leave()
        self._state.forget_claims()
        self._state.session = replace(self._state.session, case=0)
        self._query.unload()
        self.show_cases()
        self._notices.status.showMessage(
            tr("The case book of {day} has been restored. Open a case.", day=used.day.isoformat())
        )


def _describe(error: Exception) -> str:
    if isinstance(error, WrongPassphraseError):
        return tr("This is not the passphrase of the case book. Try again.")
    return str(error)


def _cut(*signals: SignalInstance) -> None:
    """A dialog that is closed hears nothing more."""
    for signal in signals:
        signal.disconnect()
