"""Joins the document beside the open one: what is kept there, which side has the keys, what links the two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from claimlight.types import format_publication
from claimlight_workbench.language import tr
from claimlight_workbench.main_window.wiring.reading import Target
from claimlight_workbench.models.desk import Left
from claimlight_workbench.models.lamps import lamps_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from claimlight.types import (
        DateFinding,
        DocumentView,
        LibraryInfo,
        MatrixRow,
        PassageId,
        PatentId,
        PatentSummary,
    )
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.case.view import CaseView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.matrix.pairs import PairsView
    from claimlight_workbench.screens.matrix.presenter import MatrixPresenter
    from claimlight_workbench.screens.reader.beside import BesideView, Middle, SideStrip
    from claimlight_workbench.screens.reader.drawing import DrawingPresenter
    from claimlight_workbench.screens.reader.finding import FindPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.reader.view import ReaderView
    from claimlight_workbench.screens.results.view import ResultsView


class Beside(QObject):
    """Two documents side by side: the one that was kept, in the place of the results, and the open one."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ReaderPresenter,
        find: FindPresenter,
        drawing: DrawingPresenter,
        view: BesideView,
        middle: Middle,
        open_side: SideStrip,
        reader: ReaderPresenter,
        reader_view: ReaderView,
        results: ResultsView,
        matrix: MatrixPresenter,
        pairs: PairsView,
        case: CasePresenter,
        case_view: CaseView,
        library: LibraryPresenter,
        board: LinkBoard,
        beside_board: LinkBoard,
        panels: Panels,
        reading: Reading,
        state: WindowState,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._find = find
        self._drawing = drawing
        self._view = view
        self._middle = middle
        self._open_side = open_side
        self._open = reader
        self._open_view = reader_view
        self._results = results
        self._matrix = matrix
        self._pairs = pairs
        self._case = case
        self._case_view = case_view
        self._board = board
        self._beside_board = beside_board
        self._panels = panels
        self._reading = reading
        self._state = state
        self._notices = notices
        self._scroll = 0
        """Where the document that is being opened beside was read before."""
        self._place: PassageId | None = None
        """The passage it is to be shown at."""
        self._following = False
        self._restoring = False
        self._dates: dict[PatentId, DateFinding] = {}
        self._wire(library)

    def _wire(self, library: LibraryPresenter) -> None:
        presenter, view, board = self._presenter, self._view, self._board
        presenter.shown.connect(self._show)
        presenter.linked.connect(self._arrive)
        presenter.depth_known.connect(view.reader.show_depth)
        presenter.describing.connect(lambda reading: view.reader.depth_strip.show_reading(reading=reading))
        view.reader.depth_strip.pressed.connect(presenter.read_description)
        presenter.failed.connect(self._fail)
        presenter.shown.connect(self._find.show)
        presenter.shown.connect(self._drawing.show)
        view.reader.find_bar.wanted.connect(self._find.find)
        self._find.failed.connect(self._notices.fail)
        view.closed.connect(self.close)
        view.swap_pressed.connect(self.swap)
        view.linked_changed.connect(self._set_linked)
        self._middle.turned.connect(self._turned)
        board.query_changed.connect(self._ask)
        board.focus_changed.connect(lambda: self._follow(self._board, self._view.reader))
        self._beside_board.focus_changed.connect(lambda: self._follow(self._beside_board, self._open_view))
        board.hidden_changed.connect(lambda: self._copy_hidden(self._board, self._beside_board))
        self._beside_board.hidden_changed.connect(lambda: self._copy_hidden(self._beside_board, self._board))
        self._open.line_changed.connect(presenter.set_line)
        self._open.shown.connect(lambda _view: self._say_sides())
        self._open.linked.connect(lambda _links: self._go_on_at_feature())
        self._case.changed.connect(lambda _state: self._say_sides())
        for signal in (self._matrix.comparing, self._matrix.compared):
            signal.connect(lambda _found: self._ask_row())
        self._matrix.row_known.connect(self._show_row)
        library.info_changed.connect(lambda _info: presenter.forget())
        library.described.connect(presenter.deepen)
        library.opened.connect(self._restore)
        self._pairs.both_chosen.connect(self.show_pair)
        self._results.compare_wanted.connect(self.compare)
        self._results.model.modelReset.connect(self._list_changed)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)

    @property
    def comparing(self) -> bool:
        """Whether two documents are on the screen."""
        return self._middle.comparing

    @property
    def active(self) -> ReaderView:
        """The side whose text has, or had last, the keys."""
        beside = self._reading.in_hand is self._presenter
        return self._view.reader if beside and self.comparing else self._open_view

    # What is beside

    def keep(self) -> None:
        """Keep the open document beside the next; from the pairs, show both documents of the pair."""
        if self._pairs.table.hasFocus() and (pair := self._pairs.current_pair) is not None:
            self.show_pair(*pair)
            return
        view = self._open.view
        if view is None:
            self._notices.say(tr("Open a document first: it is kept beside the next one"))
            return
        self._open_beside(view.summary.id, scroll=self._open_view.place)
        self._notices.say(
            tr(
                "{publication} is kept beside. J and K open the next and the previous document of "
                "the list, F7 shows the list, O comes back",
                publication=format_publication(str(view.summary.publication)),
            )
        )

    def compare(self, publication: str) -> None:
        """Show another document beside the open one."""
        self._make_room()
        self._presenter.open_publication(publication)

    def show_pair(self, first: PatentSummary, second: PatentSummary) -> None:
        """Show D1 beside and D2 as the open document."""
        self._open_beside(first.id)
        self._reading.open_at(Target(second.id, None), str(second.publication))

    def swap(self) -> None:
        """Make the document beside the open one, and the open one that beside."""
        kept, shown = self._presenter.view, self._open.view
        if kept is None or shown is None or not self.comparing:
            return
        here, focus = self._beside_board.passage, self._beside_board.focus
        self._open_beside(shown.summary.id, scroll=self._open_view.place, place=self._board.passage)
        self._reading.open_at(Target(kept.summary.id, here, focus), str(kept.summary.publication))

    def close(self) -> None:
        """Close the document beside; the results are in its place again."""
        self._case_view.flush()
        self._state.beside = ""
        self._presenter.clear_out(Left.LIST)
        self._find.clear_out(Left.LIST)
        self._drawing.clear_out(Left.LIST)
        self._view.clear_out(Left.LIST)
        self._matrix.ask_row_beside(None)
        self._middle.turn(comparing=False)
        self._take_in_hand(self._open)

    def clear_out(self, _left: Left) -> None:
        """The library or case is left: the results are shown again, the documents are closed by others."""
        self._dates.clear()
        self._restoring = False
        self._take_in_hand(self._open)
        self._matrix.ask_row_beside(None)
        self._middle.turn(comparing=False)

    def show_results(self) -> None:
        """Show the results; the document beside is kept behind them."""
        self._middle.turn(comparing=False)

    def go_to_other(self) -> None:
        """Give the keys to the other side; from the results, come back to the document beside."""
        if self._presenter.view is None:
            self._notices.say(tr("There is no document beside: V keeps the open one there"))
            return
        if not self.comparing:
            self._middle.turn(comparing=True)
            self._give_keys(self._view.reader)
            return
        self._give_keys(self._open_view if self.active is self._view.reader else self._view.reader)

    def _open_beside(self, patent: PatentId, *, scroll: int = 0, place: PassageId | None = None) -> None:
        self._make_room()
        self._scroll, self._place = scroll, place
        self._presenter.open(patent)

    def _make_room(self) -> None:
        # A note that is being written is that of the document before.
        self._case_view.flush()
        self._scroll, self._place = 0, None
        self._restoring = False
        self._panels.raise_panel("reader")

    def _restore(self, info: LibraryInfo) -> None:
        """Open the document that was beside in the last session, once its library is open."""
        state = self._state
        if not state.beside or state.examine:
            return
        if state.session.library and Path(info.folder) != Path(state.session.library):
            state.beside = ""
            return
        self._restoring = True
        self._view.link.setChecked(state.linked)
        self._presenter.open_publication(state.beside)

    def _fail(self, error: Exception, doing: str) -> None:
        # What was beside in the last session may have been removed since: no reason for a box at the start.
        if self._restoring:
            self._restoring = False
            self._state.beside = ""
        else:
            self._notices.fail(error, doing)

    def _show(self, view: DocumentView) -> None:
        self._state.beside = str(view.summary.publication)
        scroll, self._scroll = self._scroll, 0
        self._view.reader.show_document(view, scroll=scroll)
        self._case.see(view.summary)
        self._middle.turn(comparing=True)
        self._say_sides()
        if self._reading.in_hand is self._presenter:
            self._reading.show_own()
        self._ask_row()

    def _arrive(self, _links: object) -> None:
        place, self._place = self._place, None
        if place is not None:
            self._view.reader.go_to_place(place)
        elif self._linked and self._board.focus and not self._view.reader.place:
            self._follow(self._board, self._view.reader)
        self._ask_row()

    def _list_changed(self) -> None:
        """Another list is there to be seen; the one of the last session comes after its documents."""
        if self._results.model.rowCount() and self.comparing:
            if not self._restoring:
                self.show_results()
            self._restoring = False

    # The claim, and what is known of the features

    def _ask(self) -> None:
        """Another claim: the matches of the document beside are fetched again."""
        self._presenter.set_query(self._board.query)
        view = self._presenter.view
        if view is not None:
            self._scroll = self._view.reader.place
            self._presenter.open(view.summary.id)

    def _ask_row(self) -> None:
        view = self._presenter.view
        if view is not None:
            self._matrix.ask_row_beside(view.summary.id)

    def _show_row(self, row: MatrixRow) -> None:
        self._dates[row.patent.id] = row.dates
        view = self._presenter.view
        if view is not None and view.summary.id == row.patent.id and self._beside_board.links is not None:
            self._beside_board.set_lamps(lamps_of(row))
            matrix = self._matrix.matrix
            pale = matrix is not None and matrix.is_first_only(row)
            self._beside_board.set_cells(row.cells, first_only=pale)
        self._say_sides()

    def _copy_hidden(self, source: LinkBoard, target: LinkBoard) -> None:
        """Highlights are on or off on both sides."""
        if target.hidden != source.hidden:
            target.set_hidden(source.hidden)
        target.set_weak(shown=source.weak)

    # Linked by feature

    @property
    def _linked(self) -> bool:
        return self._state.linked

    def toggle_link(self) -> None:
        """Link the two documents by feature, or let each scroll on its own."""
        self._view.link.toggle()
        self._notices.say(tr("Linked by feature") if self._linked else tr("Each document scrolls on its own"))

    def _set_linked(self, linked: bool) -> None:  # noqa: FBT001 - a slot
        self._state.linked = linked

    def go_to_feature(self, label: str) -> None:
        """Go to the best passage of a feature in the active document; in both if they are linked."""
        with self._leading():
            for side in self._sides if self._linked else (self.active,):
                side.go_to_feature(label)

    def leave_focus(self) -> None:
        """Show the evidence of all features again, on both sides; else take highlights off."""
        boards = (self._board, self._beside_board)
        with self._leading():
            left = [each.leave_focus() for each in boards]
            for each in () if any(left) else boards:
                each.pick(None)

    @property
    def _sides(self) -> tuple[ReaderView, ...]:
        return (self._open_view, self._view.reader) if self.comparing else (self._open_view,)

    def _follow(self, leader: LinkBoard, other: ReaderView) -> None:
        """A feature has come into focus on one side: the other side goes there too."""
        label = leader.focus
        follower = self._board if leader is self._beside_board else self._beside_board
        if self._following or not label or not self._linked or not self.comparing:
            return
        if follower.focus != label and follower.links is not None:
            with self._leading():
                other.go_to_feature(label)

    def _go_on_at_feature(self) -> None:
        """The next document is shown at the feature that is in focus beside."""
        if not self._board.focus:
            self._follow(self._beside_board, self._open_view)

    @contextmanager
    def _leading(self) -> Iterator[None]:
        before, self._following = self._following, True
        try:
            yield
        finally:
            self._following = before

    # The side with the keys

    def step_hit(self, by: int) -> None:
        """Go to the next or previous passage with a match, in the active document."""
        self.active.step_hit(by)

    def open_find(self) -> None:
        """Open the bar that finds words in the active document."""
        self.active.open_find()

    def step_find(self, by: int) -> None:
        """Go to the next or previous match of what is looked for in the active document."""
        self.active.step_find(by)

    def turn_drawings(self) -> None:
        """Show the text, the drawings or both of the active document, in turn."""
        self.active.turn_drawings()

    def step_page(self, by: int) -> None:
        """Go to the next or previous page of drawings of the active document, and show it."""
        self.active.step_page(by)

    def show_figure(self) -> None:
        """Show the figure that the current passage of the active document names."""
        self.active.show_figure()

    def toggle_signs(self) -> None:
        """Open the list of reference signs of the active document, or close it."""
        self.active.toggle_signs()

    def leave_find(self) -> bool:
        """Close the find bar of the active document; whether it was open."""
        return self.active.find_bar.leave()

    def copy_cited(self) -> None:
        """Copy what is selected in the active document, with its citation."""
        self.active.text.copy_cited()

    def _give_keys(self, side: ReaderView) -> None:
        side.first_focus.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _focus_moved(self, _old: QWidget | None, now: QWidget | None) -> None:
        if now is None or not self.comparing:
            return
        if self._view.isAncestorOf(now):
            self._take_in_hand(self._presenter)
        elif self._open_view.isAncestorOf(now):
            self._take_in_hand(self._open)

    def _take_in_hand(self, side: ReaderPresenter) -> None:
        """Category, note and tags are those of a side from now on."""
        if self._reading.in_hand is side:
            return
        # A note that is being written is that of the other document.
        self._case_view.flush()
        self._reading.in_hand = side
        self._reading.show_own()
        self._say_sides()

    def _turned(self) -> None:
        self._panels.compare(comparing=self.comparing)
        self._open_side.setVisible(self.comparing)
        if not self.comparing:
            self._take_in_hand(self._open)
        self._say_sides()

    def _say_sides(self) -> None:
        if not self.comparing:
            return
        beside = self._reading.in_hand is self._presenter
        for strip, side, active in (
            (self._view.strip, self._presenter, beside),
            (self._open_side, self._open, not beside),
        ):
            view, state = side.view, self._case.state
            number = view.summary.publication if view is not None else None
            marks = state.marks if state is not None else ()
            found = self._dates.get(view.summary.id) if view is not None else None
            strip.show_side(
                view, tuple(each for each in marks if each.publication == number), found, active=active
            )
