"""Joins the document on the screen with the list it was opened from, its notes, family and citations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from claimlight.types import Category, format_publication
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import ClearsOut, Left
from claimlight_workbench.models.passage_notes import place_notes

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDockWidget

    from claimlight.types import (
        DocumentView,
        Hit,
        LibraryInfo,
        PassageId,
        PatentId,
        PatentSummary,
        PublicationNumber,
        Span,
    )
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.models.links import DocumentLinks, LinkBoard
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.case.view import CaseView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.drawing import DrawingPresenter
    from claimlight_workbench.screens.reader.finding import FindPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.reader.view import ReaderView
    from claimlight_workbench.screens.relations.presenter import RelationsPresenter
    from claimlight_workbench.screens.relations.view import CitationPanel, FamilyPanel
    from claimlight_workbench.screens.results.view import ResultsView


@dataclass(frozen=True, slots=True)
class Target:
    """A place of a document, shown as soon as the document's links are known."""

    patent: PatentId
    passage: PassageId | None
    feature: str = ""
    """Its strongest link there is highlighted."""
    span: Span | None = None
    """Words to select where no link leads to them."""


class Reading(QObject):
    """Opens documents, by row, by number or at a place."""

    judged = Signal(object, int)
    """`PatentSummary` of a document that X, Y or A was given by key, and the claim."""
    closed = Signal()
    """The document on the screen is in no list any more."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ReaderPresenter,
        find: FindPresenter,
        drawing: DrawingPresenter,
        reader: ReaderView,
        results: ResultsView,
        query: QueryPresenter,
        case: CasePresenter,
        case_view: CaseView,
        board: LinkBoard,
        state: WindowState,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self.in_hand = presenter
        """The side that category, note and tags are given to: the one whose text has the keys."""
        self._reader = reader
        self._results = results
        self._query = query
        self._case = case
        self._case_view = case_view
        self._board = board
        self._state = state
        self._notices = notices
        self._target: Target | None = None
        results.opened.connect(self._open_hit)
        presenter.shown.connect(self._show)
        presenter.linked.connect(self._prefetch)
        presenter.linked.connect(self._arrive)
        presenter.depth_known.connect(reader.show_depth)
        presenter.describing.connect(lambda reading: reader.depth_strip.show_reading(reading=reading))
        reader.depth_strip.pressed.connect(presenter.read_description)
        presenter.failed.connect(notices.fail)
        presenter.shown.connect(find.show)
        presenter.shown.connect(drawing.show)
        reader.find_bar.wanted.connect(find.find)
        find.failed.connect(notices.fail)
        results.model.dates_changed.connect(self._show_dates)
        for changed in (results.model.modelReset, results.model.dataChanged, results.model.layoutChanged):
            changed.connect(self._say_reason)
        case_view.note_written.connect(self._keep_note)
        case_view.chosen.connect(self.open_publication)

    @property
    def publication(self) -> str:
        """Publication number of the document on the screen; empty for none."""
        view = self._presenter.view
        return str(view.summary.publication) if view is not None else ""

    def open_publication(self, publication: str) -> None:
        """Open a document by its number, from the list where it is there."""
        row = self._results.model.row_of(publication)
        if row >= 0:
            self._results.go_to(row)
        else:
            self._state.by_hand = publication
            self._presenter.open_publication(publication)

    def open_at(self, target: Target, publication: str) -> None:
        """Open a document at a place."""
        self._target = target
        view = self._presenter.view
        if view is not None and view.summary.id == target.patent and self._board.links is not None:
            self._arrive(self._board.links)
            return
        row = self._results.model.row_of(publication)
        hit = self._results.model.hit(row)
        if hit is not None:
            self._results.follow(row)
            self._open_hit(hit)
        else:
            self._state.by_hand = publication
            self._presenter.open(target.patent)

    def close_unlisted(self) -> None:
        """Close the document of the list before where nothing was found."""
        if not self._results.model.listed and self.publication != self._state.by_hand:
            self._state.clear_out(Left.LIST)
            for each in (self._presenter, self._reader, self._case_view):
                each.clear_out(Left.LIST)
            self.closed.emit()

    def clear_out(self, _left: Left) -> None:
        """Go nowhere any more."""
        self._target = None

    def judge(self, category: Category) -> None:
        """Give the document in hand a category, if it is in the list or was opened by its number."""
        summary = self.judgeable()
        if summary is None:
            return
        self._case.judge(summary.publication, category, claim=self._query.claim)
        if category is not Category.IRRELEVANT and self._case.state is not None and not self._case.read_only:
            self.judged.emit(summary, self._query.claim)

    def judgeable(self) -> PatentSummary | None:
        """The document in hand, if it is in the list or was opened by its number; else say why not."""
        view = self.in_hand.view
        if view is None:
            return None
        name = str(view.summary.publication)
        if (
            self.in_hand is self._presenter
            and not self._results.model.is_listed(name)
            and name != self._state.by_hand
        ):
            self._notices.say(
                tr(
                    "{name} is not in this list. Select a document of the list first.",
                    name=format_publication(name),
                )
            )
            return None
        return view.summary

    def show_own(self) -> None:
        """Show the notes and the tags of the document in hand."""
        case, view = self._case, self.in_hand.view
        publication = str(view.summary.publication) if view is not None else ""
        self._case_view.show_note(publication, case.note_of(publication))
        notes = place_notes(case.notes_on(publication), view.passages) if view is not None else ()
        self._case_view.show_passage_notes(notes)
        shown = view.summary if view is not None else None
        self._case_view.show_tags(shown, case.tags_of(publication), case.all_tags)

    def _open_hit(self, hit: Hit) -> None:
        self._state.publication, self._state.by_hand = str(hit.patent.publication), ""
        self._results.model.see(self._state.publication)
        self._presenter.open(hit.patent.id)

    def _show(self, view: DocumentView) -> None:
        state, publication = self._state, str(view.summary.publication)
        # The saved position is of the last session's document, and for its first showing only.
        scroll = state.scroll_once if publication == state.session.publication else 0
        state.scroll_once = 0
        state.publication = publication
        self._reader.show_document(view, scroll=scroll)
        self._show_dates()
        self._say_reason()
        self.show_own()

    def _say_reason(self, *_: object) -> None:
        self._reader.show_reason(self._results.model.reason(self.publication) if self.publication else "")

    def _show_dates(self) -> None:
        """Show the date status of the document on the screen, as far as the list knows it."""
        view = self._presenter.view
        if view is not None:
            self._reader.front.show_dates(self._results.model.dates_of(view.summary.id))

    def _prefetch(self, _links: DocumentLinks | None) -> None:
        self._presenter.prefetch([hit.patent.id for hit in self._results.neighbours()])

    def _arrive(self, _links: DocumentLinks | None) -> None:
        view = self._presenter.view
        if view is None:
            return
        # Dropped even if another document has come: a later visit must not jump there.
        target, self._target = self._target, None
        if target is None or view.summary.id != target.patent or target.passage is None:
            return
        self._reader.go_to_place(target.passage, target.span, target.feature)
        links = self._board.links
        if target.feature and links is not None:
            self._board.pick(links.strongest_of(target.passage, target.feature))

    def _keep_note(self, publication: str, note: str) -> None:
        number = self._number_of(publication)
        if number is not None:
            self._case.annotate(number, note)

    def _number_of(self, publication: str) -> PublicationNumber | None:
        for side in (self._presenter, self.in_hand):
            if side.view is not None and str(side.view.summary.publication) == publication:
                return side.view.summary.publication
        state = self._case.state
        marks = state.marks if state is not None else ()
        hit = self._results.model.hit(self._results.model.row_of(publication))
        if hit is not None:
            return hit.patent.publication
        return next((mark.publication for mark in marks if str(mark.publication) == publication), None)


class Relations(QObject):
    """Family and citations of the document on the screen."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: RelationsPresenter,
        family: FamilyPanel,
        citations: CitationPanel,
        docks: dict[str, QDockWidget],
        reader: ReaderPresenter,
        library: LibraryPresenter,
        reading: Reading,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._panels: tuple[ClearsOut, ...] = (presenter, family, citations)
        docks["family"].visibilityChanged.connect(presenter.watch_family)
        docks["citations"].visibilityChanged.connect(presenter.watch_citations)
        reader.shown.connect(lambda view: presenter.show(view.summary))
        library.info_changed.connect(self._forget)
        presenter.family_read.connect(family.show_family)
        presenter.citations_read.connect(citations.show_citations)
        presenter.failed.connect(notices.fail)
        family.chosen.connect(reading.open_publication)
        citations.chosen.connect(reading.open_publication)
        reading.closed.connect(self._clear)

    def _forget(self, _info: LibraryInfo) -> None:
        self._presenter.forget()

    def _clear(self) -> None:
        for each in self._panels:
            each.clear_out(Left.LIST)
