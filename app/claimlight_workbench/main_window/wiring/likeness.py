"""Makes numbered sets of what is like a document or a passage, and of its citations and family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight.retrieval.boolean.canonical import format_like
from claimlight_workbench.screens.relations.view import SetOf

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Each set is that of a query line about the open document: recorded, explained and run again like it."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ReaderPresenter,
        reader: ReaderView,
        family: FamilyPanel,
        citations: CitationPanel,
        run_line: Callable[[str], None],
        say: Callable[[str], None],
    ) -> None:
        super().__init__(parent)
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
            self._run_line(format_like(publication))

    def search_passage(self) -> None:
        """Search for documents like the selected words, or like the passage in focus."""
        publication = self._publication()
        if not publication:
            return
        if words := self._reader.words_in_focus():
            self._run_line(format_like(publication, words))
        else:
            self._say("Select words of the document or click a passage first")

    def take_set(self, which: SetOf) -> None:
        """Make a set of citations or of the family of the open document."""
        if publication := self._publication():
            self._run_line(_LINES[which].format(publication))

    def _publication(self) -> str:
        view = self._presenter.view
        if view is None:
            self._say("Open a document first")
            return ""
        return str(view.summary.publication)
