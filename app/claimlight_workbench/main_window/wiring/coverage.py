"""Joins the concept of a match, the matrix and the pairs with the results and the document on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from claimlight_workbench.language import tr
from claimlight_workbench.main_window.wiring.reading import Target
from claimlight_workbench.models.lamps import lamps_of
from claimlight_workbench.models.links import coverage_of
from claimlight_workbench.screens.matrix.worth import VerdictSheet
from claimlight_workbench.screens.reader.describe import link_words
from claimlight_workbench.values import FoundSet

if TYPE_CHECKING:
    from claimlight.services.models.judges import JudgeFacts
    from claimlight.types import (
        CenterSpan,
        Confirmation,
        Decision,
        DocumentEvidence,
        MatrixRow,
        PatentId,
        PatentSummary,
        SearchResults,
    )
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.main_window.wiring.asking import Dates
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.main_window.wiring.searching import Searching
    from claimlight_workbench.models.desk import Left
    from claimlight_workbench.models.links import DocumentLinks, Link, LinkBoard
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.evidence.view import EvidenceView
    from claimlight_workbench.screens.inspector.presenter import InspectorPresenter
    from claimlight_workbench.screens.inspector.view import InspectorView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.matrix.pairs import PairsView
    from claimlight_workbench.screens.matrix.presenter import MatrixPresenter
    from claimlight_workbench.screens.matrix.view import CellPlace, MatrixView
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.results.presenter import ResultsPresenter
    from claimlight_workbench.screens.results.strip import ResidualStrip
    from claimlight_workbench.screens.results.view import ResultsView
    from claimlight_workbench.values import (
        CaseState,
        Compared,
        Comparing,
        DecidedPlace,
        Lacking,
    )


class Concepts(QObject):
    """Shows the concept behind a match."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: InspectorPresenter,
        view: InspectorView,
        evidence: EvidenceView,
        library: LibraryPresenter,
        board: LinkBoard,
        panels: Panels,
        query: QueryPresenter,
        reading: Reading,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._view = view
        self._board = board
        self._panels = panels
        self._reading = reading
        evidence.inspected.connect(self._inspect)
        presenter.started.connect(view.show_busy)
        presenter.inspected.connect(view.show_center)
        presenter.cleared.connect(view.show_nothing)
        presenter.failed.connect(notices.fail)
        view.chosen.connect(self._open_span)
        library.info_changed.connect(lambda _info: presenter.forget())
        # The match that led to the concept is one of the former claim.
        query.claim_changed.connect(lambda _claim: presenter.forget())

    def inspect_highlighted(self) -> None:
        """Show the concept of what is highlighted, else of the strongest match of the passage."""
        links = self._board.lit or self._board.strong_links[:1]
        self._panels.raise_panel("center")
        self._view.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if links:
            self._inspect(links[0])

    def _inspect(self, link: Link) -> None:
        self._panels.raise_panel("center")
        self._presenter.inspect(link.center, link.anchor)
        query, links = self._board.query, self._board.links
        if query is not None and links is not None:
            words = link_words((link,), query, links.passages)
            self._view.show_link("  ·  ".join(filter(None, (words.feature, words.met))))

    def _open_span(self, item: CenterSpan) -> None:
        target = Target(item.patent.id, item.passage, span=item.span)
        self._reading.open_at(target, str(item.patent.publication))


class Comparison(QObject):
    """Compares the documents of the list, feature by feature."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: MatrixPresenter,
        matrix: MatrixView,
        pairs: PairsView,
        case: CasePresenter,
        searches: ResultsPresenter,
        results: ResultsView,
        query: QueryPresenter,
        reader: ReaderPresenter,
        library: LibraryPresenter,
        board: LinkBoard,
        panels: Panels,
        reading: Reading,
        state: WindowState,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._matrix = matrix
        self._case = case
        self._confirmations: tuple[Confirmation, ...] = ()
        """Those that the matrix shows."""
        self._searches = searches
        self._results = results
        self._query = query
        self._reader = reader
        self._board = board
        self._reading = reading
        self._state = state
        self._wire_views(pairs)
        presenter.comparing.connect(self._show_comparing)
        presenter.row_ruled.connect(self._show_ruled)
        presenter.compared.connect(self._show)
        presenter.row_known.connect(self._show_row)
        presenter.renewed.connect(lambda compared: self._set_lamps(compared.rows))
        matrix.worth_asked.connect(presenter.ask_judge)
        presenter.judge_known.connect(self._show_worth)
        matrix.moved.connect(self._prefer)
        results.table.verticalScrollBar().valueChanged.connect(self._prefer)
        presenter.failed.connect(notices.fail)
        library.info_changed.connect(lambda _info: presenter.compare_again())
        panels.docks["matrix"].visibilityChanged.connect(matrix.watch)
        panels.docks["pairs"].visibilityChanged.connect(pairs.watch)
        matrix.chosen.connect(self._open_cell)
        matrix.decided.connect(self._decide)
        case.changed.connect(self._follow_decisions)
        pairs.chosen.connect(self._open_document)
        reader.linked.connect(self._follow)
        results.model.modelReset.connect(self._compare_list)
        searches.started.connect(presenter.on_screen.stop)
        searches.read_on.connect(lambda *_: self._compare_list())
        for ended in (searches.reading_ended, searches.stopped):
            ended.connect(presenter.go_on)
        reader.described.connect(self._renew)

    def _wire_views(self, pairs: PairsView) -> None:
        presenter = self._presenter
        for view in (self._matrix, pairs):
            presenter.started.connect(view.show_busy)
            presenter.compared.connect(view.show_compared)
            presenter.cleared.connect(view.show_nothing)
            presenter.stopped.connect(view.show_stopped)
        for signal in (presenter.started, presenter.cleared):
            signal.connect(lambda: self._results.model.set_lamps({}))
        presenter.started.connect(lambda: self._expect(judging=presenter.judged))
        presenter.cleared.connect(lambda: self._expect(judging=False))
        presenter.stopped.connect(lambda _why: self._expect(judging=False))
        presenter.comparing.connect(self._matrix.show_comparing)
        presenter.row_ruled.connect(self._matrix.show_row)
        for view in (self._matrix, pairs):
            presenter.progressed.connect(view.show_progress)
        presenter.reading_on.connect(self._matrix.show_reading_on)
        for view in (self._matrix, pairs):
            presenter.renewed.connect(view.show_renewed)

    def _expect(self, *, judging: bool) -> None:
        """No rulings are known; the judge may have yet to rule on all documents."""
        self._results.model.expect_rulings(None if judging else ())

    def _compare_list(self) -> None:
        """Compare another list; in another order the same list is not compared again."""
        model = self._results.model
        found, results = model.found, model.results
        own = self._state.own_family(self._query.claims)
        if results is not None:
            patents = tuple(hit.patent.id for hit in results.hits)
        else:
            patents = found.patents if found is not None else ()
        # What a judge would say now it would say again when the descriptions are read.
        wait = results is not None and results is self._searches.results and self._searches.reading
        self._presenter.set_documents(patents, listed=len(patents), own=own, wait=wait)

    def _renew(self, evidence: DocumentEvidence) -> None:
        """The description of the open document was read: its features are compared again."""
        view = self._reader.view
        if view is not None and view.summary.id == evidence.patent:
            self._results.model.renew_coverage(evidence.patent, coverage_of(evidence))
            self._presenter.renew({view.summary.publication})
            self._presenter.ask_row(view.summary.id)

    def _show_comparing(self, comparing: Comparing) -> None:
        rows = comparing.matrix.every_row
        model = self._results.model
        model.set_lamps({row.patent.id: lamps_of(row) for row in rows})
        model.expect_rulings(row.patent.id for row in rows)
        self._prefer()
        self._follow()

    def _show_ruled(self, row: MatrixRow) -> None:
        if (matrix := self._presenter.matrix) is not None:
            self._results.model.show_ruling(row, matrix.query, first_only=matrix.is_first_only(row))

    def _prefer(self) -> None:
        """The judge rules first, and then reads on, in the documents whose rows are in view."""
        self._presenter.prefer(self._matrix.in_view(), self._results.in_view())

    def _show_worth(self, facts: JudgeFacts | None) -> None:
        sheet = VerdictSheet(facts, self._matrix.window())
        sheet.show()

    def _show(self, compared: Compared) -> None:
        self._results.show_rulings(compared.matrix)
        self._set_lamps(compared.rows)
        self._prefer()
        self._follow()

    def _set_lamps(self, rows: Mapping[PatentId, MatrixRow]) -> None:
        self._results.model.set_lamps({patent: lamps_of(row) for patent, row in rows.items()})

    def _follow(self, _links: DocumentLinks | None = None) -> None:
        """Mark the document on the screen in the matrix, and read its row where it is not compared."""
        if (view := self._reader.view) is not None:
            self._matrix.show_current(view.summary.id)
            self._presenter.ask_row(view.summary.id)

    def _show_row(self, row: MatrixRow) -> None:
        view = self._reader.view
        if view is not None and view.summary.id == row.patent.id and self._board.links is not None:
            self._board.set_lamps(lamps_of(row))
            matrix = self._presenter.matrix
            pale = matrix is not None and matrix.is_first_only(row)
            self._board.set_cells(row.cells, first_only=pale)

    def _decide(self, place: DecidedPlace, decision: Decision) -> None:
        """Confirm or reject the passage of a cell, for the claim that was compared."""
        matrix = self._presenter.matrix
        if matrix is not None:
            self._case.decide(matrix.query, place, decision, matrix.claim)

    def _follow_decisions(self, case: CaseState) -> None:
        """Show what is confirmed and rejected now, also after undo and in another case."""
        before, self._confirmations = self._confirmations, case.confirmations
        changed = {item.publication for item in set(before) ^ set(case.confirmations)}
        if changed:
            self._presenter.renew(changed)

    def _open_cell(self, place: CellPlace) -> None:
        self._reading.open_at(Target(place.patent, place.passage, place.feature), place.publication)

    def _open_document(self, patent: PatentSummary) -> None:
        self._reading.open_at(Target(patent.id, None), str(patent.publication))


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """The list before a residual search."""

    shown: SearchResults | FoundSet
    publication: str
    search_number: int


class Residuals(QObject):
    """Searches for what a document lacks of the claim, and goes back to the list before."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ResultsPresenter,
        strip: ResidualStrip,
        results: ResultsView,
        query: QueryPresenter,
        reader: ReaderPresenter,
        library: LibraryPresenter,
        searching: Searching,
        dates: Dates,
        state: WindowState,
        say: Callable[[str], None],
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._strip = strip
        self._results = results
        self._query = query
        self._reader = reader
        self._library = library
        self._searching = searching
        self._dates = dates
        self._state = state
        self._say = say
        self._before: Before | None = None
        self._lacking: Lacking | None = None
        """The residual search on the screen."""
        self._lacking_of = ""
        """Publication of the document whose residual is searched."""
        presenter.lacking_found.connect(self._show)
        presenter.read_on.connect(self._read_on)
        results.again_wanted.connect(self.search_again)
        strip.back_pressed.connect(self.leave)
        results.model.modelReset.connect(self._list_changed)
        results.limit_lifted.connect(self.lift_limit)

    def clear_out(self, _left: Left) -> None:
        """Forget the list before."""
        self._before = self._lacking = None
        self._lacking_of = ""

    def search(self) -> None:
        """Search for what the document on the screen lacks."""
        request, view = self._query.request, self._reader.view
        if request is None or view is None or self._library.info is None:
            self._say(tr("Open a document first: the search is for the features it lacks"))
            return
        # From one residual search to the next, the way back still leads to the list before the first.
        if self._lacking is None:
            self._keep_before()
        self._lacking_of = str(view.summary.publication)
        self._presenter.run_residual(request, view.summary.id)

    def lift_limit(self) -> None:
        """Show what the date limit hides; a residual search is run for the same document again."""
        request = self._query.request
        if self._lacking is None or request is None:
            self._dates.lift_limit()
            return
        self._query.set_before(None)
        self._dates.keep()
        self._presenter.run_residual(replace(request, before=None), self._lacking.residual.of)

    def search_again(self) -> None:
        """Run the search on the screen again, because descriptions have been indexed."""
        request = self._query.request
        if self._lacking is None or request is None:
            self._query.run()
        else:
            self._presenter.run_residual(request, self._lacking.residual.of)

    def _read_on(self, before: SearchResults, results: SearchResults) -> None:
        if self._lacking is not None and self._lacking.results is before:
            self._lacking = replace(self._lacking, results=results)

    def leave(self) -> None:
        """Go back to the list before the residual search."""
        self._strip.hide()
        before, shown = self._before, self._lacking is not None
        self._lacking = self._before = None
        if before is None or not shown:
            return
        self._state.publication = before.publication
        if isinstance(before.shown, FoundSet):
            self._state.stay = True
            self._searching.show_set(before.shown)
            return
        self._presenter.show_again(before.shown)
        self._state.search_number = before.search_number
        self._searching.show_search(before.shown, number=before.search_number)

    def _list_changed(self) -> None:
        if self._lacking is not None and self._results.model.results is not self._lacking.results:
            self._lacking = self._before = None
            self._strip.hide()

    def _keep_before(self) -> None:
        model, state = self._results.model, self._state
        shown = model.results or model.found
        self._before = None
        if shown is not None:
            self._before = Before(shown, state.publication, state.search_number)

    def _show(self, lacking: Lacking) -> None:
        name = self._lacking_of
        if lacking.results is None:
            self._strip.show_complete(name, lacking.residual.dates)
            return
        # Before the rows: `_list_changed` compares the new list with it.
        self._lacking = lacking
        self._searching.take(lacking.results, asked=True)
        self._strip.show_lacking(name, lacking.residual, lacking.results.request.query)
