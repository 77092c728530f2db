"""Joins the claim, its features and its dates with everything that shows matches of the claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

if TYPE_CHECKING:
    from datetime import date

    from claimlight.types import Query, ReferenceDates
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.expression.presenter import ExpressionPresenter
    from claimlight_workbench.screens.matrix.presenter import MatrixPresenter
    from claimlight_workbench.screens.query.bar import QueryBar
    from claimlight_workbench.screens.query.panel import ClaimPanel
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.results.presenter import ResultsPresenter
    from claimlight_workbench.screens.results.view import ResultsView


class Asking(QObject):
    """The claim panel and the bar edit the query; reader, evidence and matrix follow it."""

    def __init__(
        self,
        parent: QObject,
        *,
        query: QueryPresenter,
        reader: ReaderPresenter,
        matrix: MatrixPresenter,
        bar: QueryBar,
        claim: ClaimPanel,
        results: ResultsView,
        board: LinkBoard,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._query = query
        self._reader = reader
        self._matrix = matrix
        self._claim = claim
        self._results = results
        self._board = board
        self._wire_bar(bar)
        self._wire_claim()
        query.query_changed.connect(self._show_query)
        query.failed.connect(notices.fail)

    def _wire_bar(self, bar: QueryBar) -> None:
        query = self._query
        bar.claim_chosen.connect(self.choose_claim)
        bar.before_chosen.connect(query.set_before)
        bar.legs_chosen.connect(query.set_legs)
        # Queued: the list that closes gives the focus back to its box first.
        bar.left.connect(self._results.take_keys, Qt.ConnectionType.QueuedConnection)
        query.claims_changed.connect(bar.show_claims)
        query.claim_changed.connect(bar.show_claim)
        query.before_changed.connect(bar.show_before)
        query.within_changed.connect(bar.show_within)
        query.limit_proposed.connect(bar.show_proposal)
        query.legs_changed.connect(bar.show_legs)

    def _wire_claim(self) -> None:
        query, panel, features = self._query, self._claim, self._claim.features
        panel.pasted.connect(query.paste)
        panel.document_named.connect(query.take_from)
        panel.file_dropped.connect(query.read_file)
        panel.marked.connect(query.mark)
        features.split.connect(query.split)
        features.split_at.connect(query.split_at)
        features.merged.connect(query.merge)
        features.left_out.connect(query.leave_out)
        features.start_moved.connect(query.move_start)
        features.end_moved.connect(query.move_end)
        features.refused.connect(query.refuse_words)
        features.undone.connect(query.undo_features)
        features.redone.connect(query.redo_features)
        features.reset.connect(query.reset_features)

    def choose_claim(self, number: int) -> None:
        """Search another claim."""
        self._query.choose(number)
        self._query.run()

    def show_evidence_for(self, line: Query | None) -> None:
        """Show evidence for the text of a query line; for None, for the claim."""
        self._claim.show_asked(line)
        query = line or self._query.query
        if query != self._board.query:
            self._ask(query)

    def _show_query(self, query: Query | None) -> None:
        self._claim.show_query(query)
        self._ask(query)
        self._results.set_stale(stale=True)

    def _ask(self, query: Query | None) -> None:
        self._reader.set_query(query)
        self._matrix.set_query(query)
        view = self._reader.view
        if view is not None:
            self._reader.open(view.summary.id)


class Dates(QObject):
    """The dates of the application and the date limit: kept with the case, compared with every document."""

    def __init__(
        self,
        parent: QObject,
        *,
        query: QueryPresenter,
        case: CasePresenter,
        presenter: ResultsPresenter,
        matrix: MatrixPresenter,
        expression: ExpressionPresenter,
        bar: QueryBar,
        results: ResultsView,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self._query = query
        self._case = case
        self._presenter = presenter
        self._matrix = matrix
        self._expression = expression
        self._results = results
        self._changed = changed
        bar.dates_chosen.connect(query.set_dates)
        bar.dates_chosen.connect(lambda _dates: self.keep())
        bar.before_chosen.connect(lambda _before: self.keep())
        query.dates_changed.connect(bar.show_dates)
        query.dates_changed.connect(self._compare)
        query.before_changed.connect(self._mark_stale)
        presenter.zones_known.connect(lambda zones, all_new: results.show_zones(zones, all_new=all_new))

    def keep(self) -> None:
        """Keep what the user has set with the case."""
        if self._case.state is not None:
            self._case.keep_dates(self._query.dates, self._query.before)

    def lift_limit(self) -> None:
        """Run the same search, or query line, without the date limit."""
        found = self._results.model.found
        self._query.set_before(None)
        self.keep()
        if found is not None and found.line:
            self._expression.run(found.line)
        else:
            self._query.run()

    def _mark_stale(self, before: date | None) -> None:
        """Rows that were found with another limit say so."""
        model = self._results.model
        shown = model.results or model.found
        if shown is not None and shown.request.before != before:
            self._results.set_stale(stale=True)

    def _compare(self, dates: ReferenceDates | None, claim: int) -> None:
        self._results.columns.show_zones(shown=dates is not None)
        self._presenter.set_dates(dates, claim, self._results.model.loaded())
        self._matrix.set_dates(dates, claim)
        self._changed()
