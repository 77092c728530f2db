"""Searches that begin with a document: what is like it, its citations and family, and the marks of a case."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight.errors import InputError
from claimlight.services.search.feedback import make_feedback
from claimlight_workbench.language import tell, tr
from claimlight_workbench.screens.relations.view import SetOf

if TYPE_CHECKING:
    from collections.abc import Callable

    from claimlight_workbench.main_window.wiring.searching import Searching
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.reader.view import ReaderView
    from claimlight_workbench.screens.relations.view import CitationPanel, FamilyPanel

_LINES = {
    SetOf.CITED: "CITED({0})",
    SetOf.CITING: "CITING({0})",
    SetOf.BOTH: "CITED({0}) OR CITING({0})",
    SetOf.FAMILY: "FAMILY({0})",
}


class Likeness(QObject):
    """What is about the open document is a query line, so its set is recorded, explained and run again."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ReaderPresenter,
        reader: ReaderView,
        family: FamilyPanel,
        citations: CitationPanel,
        run_line: Callable[[str], None],
        query: QueryPresenter,
        case: CasePresenter,
        searching: Searching,
        say: Callable[[str], None],
    ) -> None:
        super().__init__(parent)
        self._query = query
        self._case = case
        self._searching = searching
        self._presenter = presenter
        self._reader = reader
        self._run_line = run_line
        self._say = say
        reader.text.like_wanted.connect(self.search_passage)
        family.set_wanted.connect(self.take_set)
        citations.set_wanted.connect(self.take_set)

    def search_document(self) -> None:
        """Search for documents like the open one."""
        if publication := self._publication():
            self._run_line(_line_like(publication))

    def search_passage(self) -> None:
        """Search for documents like the selected words, or like the passage in focus."""
        publication = self._publication()
        if not publication:
            return
        if words := self._reader.words_in_focus():
            self._run_line(_line_like(publication, words))
        else:
            self._say(tr("Select words of the document or click a passage first"))

    def search_with_marks(self) -> None:
        """Search the claim again, ranked with the categories and confirmed passages of the case."""
        request, state = self._query.request, self._case.state
        if request is None or state is None:
            self._say(tr("Search a claim first"))
            return
        try:
            feedback = make_feedback(state.marks, state.confirmations, claim=self._query.claim)
        except InputError as error:
            self._say(tell(str(error)))
        else:
            self._searching.run(replace(request, feedback=feedback))

    def take_set(self, which: SetOf) -> None:
        """Make a set of citations or of the family of the open document."""
        if publication := self._publication():
            self._run_line(_LINES[which].format(publication))

    def _publication(self) -> str:
        view = self._presenter.view
        if view is None:
            self._say(tr("Open a document first"))
            return ""
        return str(view.summary.publication)


def _line_like(publication: str, words: str = "") -> str:
    # The parser of query lines is loaded by the engine, after the window is up.
    from claimlight.services.search.queries import line_like

    return line_like(publication, words)
