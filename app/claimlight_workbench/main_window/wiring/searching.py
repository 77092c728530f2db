"""Joins claim searches, query lines and numbered sets with the results table and the case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt

from claimlight.errors import QueryError
from claimlight.types import SetRequest, SetResult
from claimlight_workbench.language import number, tr, trn

if TYPE_CHECKING:
    from claimlight.types import ExportKind, LibraryInfo, Query, SearchRequest, SearchResults
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.expression.presenter import ExpressionPresenter
    from claimlight_workbench.screens.expression.view import ExpressionView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.query.bar import QueryBar
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.results.presenter import ResultsPresenter, RunSet
    from claimlight_workbench.screens.results.view import ResultsView
    from claimlight_workbench.screens.sets.presenter import SetsPresenter
    from claimlight_workbench.screens.sets.view import SetsView
    from claimlight_workbench.values import CaseState, FoundSet


class ModelInUse(Protocol):
    """The encoder, for the status line."""

    def model_fingerprint(self) -> str:
        """Fingerprint of the model that answers; empty until one is loaded."""
        ...

    def device(self) -> str:
        """Where the encoder runs; empty until one is loaded."""
        ...


class Searching(QObject):
    """One list at a time is on the screen: a claim search or a set."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ResultsPresenter,
        query: QueryPresenter,
        case: CasePresenter,
        library: LibraryPresenter,
        reader: ReaderPresenter,
        line: ExpressionPresenter,
        bar: QueryBar,
        results: ResultsView,
        expression: ExpressionView,
        sets: SetsView,
        show_evidence_for: Callable[[Query | None], None],
        close_unlisted: Callable[[], None],
        model: ModelInUse,
        state: WindowState,
        notices: Notices,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._query = query
        self._case = case
        self._library = library
        self._reader = reader
        self._line = line
        self._bar = bar
        self._results = results
        self._expression = expression
        self._sets = sets
        self._show_evidence_for = show_evidence_for
        self._close_unlisted = close_unlisted
        self._model = model
        self._state = state
        self._notices = notices
        self._changed = changed
        self._claim = 0
        """The claim that was searched last."""
        self._wire()

    def _wire(self) -> None:
        results, bar = self._presenter, self._bar
        self._query.requested.connect(self._search)
        results.started.connect(lambda: bar.set_running(running=True))
        results.stopped.connect(lambda: bar.set_running(running=False))
        results.stopped.connect(self._expression.show_stopped)
        results.found.connect(self.take)
        results.read_on.connect(self._read_on)
        results.settled.connect(self._settle)
        results.reading_started.connect(self._results.show_reading)
        results.reading_ended.connect(self._results.end_reading)
        results.started.connect(self._results.end_reading)
        results.deepened.connect(self._results.offer_again)
        results.depths_known.connect(self._results.show_depths)
        results.failed.connect(self._notices.fail)
        results.set_run.connect(self.take_set)
        results.set_opened.connect(self.show_set)
        results.page_read.connect(self._results.fill)
        results.page_dropped.connect(self._results.model.forget_asked)
        results.reordered.connect(lambda order: self._results.reorder(*order))
        self._results.page_wanted.connect(results.want)
        self._results.newest_wanted.connect(results.newest_first)
        self._case.recorded.connect(self._number_new)
        self._case.failed.connect(self._notices.fail)
        self._case.failed.connect(self._search_instead)
        self._sets.opened.connect(self._open_set)

    # Claim searches

    def _search(self, request: SearchRequest, asked: bool) -> None:  # noqa: FBT001 - a slot
        if self._library.info is not None:
            self._state.reopen = 0
            self._presenter.run(request, asked=asked)

    def run(self, request: SearchRequest) -> None:
        """Run a claim search that the user asked for, such as one with marks."""
        self._search(request, True)

    def reopen(self) -> bool:
        """Show the last session's set instead of searching; whether there is one to show."""
        state = self._state
        if state.reopen and self._library.info is not None and self._case.state is not None:
            number, state.reopen = state.reopen, 0
            state.stay = True
            self._presenter.open_set(number)
            return True
        return state.reopen > 0

    def search_again(self) -> None:
        """After indexing: the set on the screen from the history, without removed documents, or the claim."""
        if self._state.shown_set:
            self._state.stay = True
            self._presenter.open_set(self._state.shown_set)
        else:
            self._query.run(asked=False)

    def look_deeper(self) -> None:
        """Descriptions have been indexed: perhaps some of the list on the screen."""
        if self._results.model.results is self._presenter.results:
            self._presenter.look_deeper()

    def _search_instead(self, *_: object) -> None:
        """The case with the last session's set can't be opened."""
        if self._state.reopen:
            self._state.reopen = 0
            self._query.run(asked=False)

    def take(self, results: SearchResults, asked: bool) -> None:  # noqa: FBT001 - a slot
        """Show what was found; `_settle` saves what the user asked for with the case."""
        state = self._state
        self._claim = self._query.claim
        state.searched = (self._query.claims, results.request.exclude_family_of)
        if results.request.exclude_family_of is not None:
            state.relative = state.searched
        self.show_search(results)
        state.search_number = 0
        if not asked:
            self.name_known()
            if state.search_number:
                self._presenter.leave_as_is()
        self._show_model()

    def _read_on(self, before: SearchResults, results: SearchResults) -> None:
        """Descriptions were read: the same list, where it is, as it is now."""
        if self._results.model.results is not before:
            return
        self._results.update_results(results)
        self._reader.renew()
        self._say_best(results)
        # A number stands for what was saved.
        if self._state.search_number:
            self._state.search_number = 0
            self._results.name_set(0)
            self._sets.show_current(0)
            self.name_known()

    def _settle(self, results: SearchResults, asked: bool) -> None:  # noqa: FBT001 - a slot
        if asked:
            self._case.record(results, self._claim)

    def show_search(self, results: SearchResults, *, number: int = 0) -> None:
        """Show a claim search, by its number where it has one."""
        self._state.shown_set = 0
        self._bar.set_running(running=False)
        self._say_best(results)
        self._reader.set_line(None)
        self._show_evidence_for(None)
        self._expression.show_other()
        self._results.show_results(results, current=self._state.publication)
        self._close_unlisted()
        self._sets.show_current(0)
        if number:
            self._show_number(number)

    def _say_best(self, results: SearchResults) -> None:
        seconds = sum(each.seconds for each in results.times)
        best = tr("best ") if results.is_full else ""
        self._bar.show_count(
            f"{best}{trn('{n:,} document', '{n:,} documents', len(results.hits))}, {number(seconds, '.2f')} s"
        )

    # Sets

    def take_set(self, run: RunSet) -> None:
        """Show a set that is new, and record it."""
        self.show_set(run.found)
        if self._expression.editor.hasFocus() and len(run.found.patents):
            # The next key is for what was found: letters are commands there.
            self._results.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._case.record(run.result, self._query.claim)

    def show_set(self, found: FoundSet) -> None:
        """Show a set."""
        request, state = found.request, self._state
        state.shown_set = found.number
        self._bar.set_running(running=False)
        self._bar.show_count("")
        # A line without words has none to be outlined in a document.
        worded = found.parsed is None or any(term.words for term in found.parsed.terms)
        self._reader.set_line(request if isinstance(request, SetRequest) and worded else None)
        self._show_evidence_for(found.asks)
        if found.line:
            self._line.answer(found.line)
        self._expression.show_found(found)
        self._results.show_set(found, current=state.publication if state.stay else "")
        self._close_unlisted()
        state.stay = False
        self._sets.show_current(found.number)
        self._show_model()
        self._changed()

    def _open_set(self, number: int) -> None:
        """Show a set; the last claim search is still here with all its evidence."""
        results = self._presenter.results
        if number == self._state.search_number and results is not None:
            self._presenter.cancel()
            self.show_search(results, number=number)
        else:
            self._presenter.open_set(number)

    # Numbers

    def name_known(self) -> None:
        """Number a search that the program ran by itself, if it is the newest set of the case."""
        state, results = self._case.state, self._results.model.results
        newest = state.sets[-1] if state is not None and state.sets else None
        if newest is None or results is None or self._state.search_number == newest.number:
            return
        if (newest.request, newest.provenance) == (results.request, results.provenance):
            self._state.search_number = newest.number
            self._show_number(newest.number)

    def _number_new(self, state: CaseState, results: SearchResults | SetResult) -> None:
        """What was just found has its number; by now something else may be on the screen."""
        number = state.sets[-1].number if state.sets else 0
        found = self._results.model.found
        if isinstance(results, SetResult):
            shown = found is not None and found.request is results.request and not found.number
            if shown:
                self._state.shown_set = number
                self._expression.show_number(number)
        else:
            shown = self._results.model.results is results
            # While the case was written, another search may have been found.
            if self._presenter.results is results:
                self._state.search_number = number
        if shown:
            self._show_number(number)
            self._changed()

    def _show_number(self, number: int) -> None:
        self._results.name_set(number)
        self._sets.show_current(number)

    def _show_model(self) -> None:
        self._notices.status.show_model(self._model.model_fingerprint(), self._model.device())


class Lines(QObject):
    """Checks, completes and runs query lines."""

    def __init__(
        self,
        parent: QObject,
        *,
        line: ExpressionPresenter,
        expression: ExpressionView,
        query: QueryPresenter,
        results: ResultsPresenter,
        library: LibraryPresenter,
        state: WindowState,
        notices: Notices,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self._line = line
        self._expression = expression
        self._query = query
        self._results = results
        self._library = library
        self._state = state
        self._notices = notices
        self._changed = changed
        self._wire()

    def _wire(self) -> None:
        line, view, library, query = self._line, self._expression, self._library, self._query
        editor = view.editor
        editor.edited.connect(line.edit)
        editor.completion_wanted.connect(line.complete)
        view.run_pressed.connect(line.run)
        view.operator_chosen.connect(line.set_operator)
        line.checked.connect(lambda parsed, _text: view.show_parsed(parsed))
        line.refused.connect(lambda error, _text: view.show_error(error))
        line.completed.connect(editor.complete)
        line.requested.connect(self._run)
        line.scope_changed.connect(view.show_scope)
        line.operator_changed.connect(view.show_operator)
        line.failed.connect(self._notices.fail)
        library.opening.connect(line.pause)
        for failed in (library.failed, library.locked):
            failed.connect(lambda *_: line.resume() if library.info is not None else None)
        library.info_changed.connect(self._library_changed)
        for signal in (
            query.query_changed,
            query.before_changed,
            query.within_changed,
            query.claims_changed,
            query.dates_changed,
        ):
            signal.connect(lambda *_: line.set_scope(query.scope))
        self._results.line_refused.connect(self._refused)
        self._results.found.connect(lambda *_: self._run_waiting())

    def _run(self, request: SetRequest) -> None:
        if self._library.info is not None:
            self._state.reopen = 0
            self._expression.show_running()
            self._results.run_line(request)
            self._changed()

    def _run_waiting(self) -> None:
        """Run the line that the window was started with."""
        if self._state.waiting_line:
            line, self._state.waiting_line = self._state.waiting_line, ""
            self._expression.editor.show_text(line)
            self._expression.editor.enter()

    def _library_changed(self, _info: LibraryInfo) -> None:
        self._line.recheck()
        claims = self._query.claims is not None or self._state.session.claims_text or self._state.examine
        if not claims:
            self._run_waiting()

    def _refused(self, error: Exception) -> None:
        if isinstance(error, QueryError):
            self._expression.show_error(error, ran=True)
        else:
            self._notices.fail(error, tr("The query line could not be run"))


class Sets(QObject):
    """Inserts sets into the query line, runs them again and exports them."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: SetsPresenter,
        view: SetsView,
        case: CasePresenter,
        insert: Callable[[str], None],
        panels: Panels,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._view = view
        self._panels = panels
        self._notices = notices
        case.changed.connect(self._show_case)
        view.inserted.connect(insert)
        view.rerun_wanted.connect(presenter.rerun)
        view.export_wanted.connect(self._export)
        presenter.told.connect(self._say)
        presenter.failed.connect(notices.fail)

    def _show_case(self, state: CaseState) -> None:
        self._view.case_name = state.case.name
        self._view.show_sets(state.sets)

    def _export(self, number: int, path: Path, kind: ExportKind) -> None:
        self._panels.raise_panel("sets")
        self._presenter.export(number, path, kind)

    def _say(self, text: str) -> None:
        self._view.say(text)
        self._notices.say(text)
