"""The table of hits with its line of counts, orders and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QElapsedTimer,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    QSignalBlocker,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.search.index_notes import CLAIMS_ONLY, NO_INDEX_NOTE
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.models.columns import COLUMNS, Column, Needs, Painting, Width
from claimlight_workbench.models.desk import Left
from claimlight_workbench.models.list_filter import FILTERS, ListFilter
from claimlight_workbench.models.results_model import Order, ResultsModel
from claimlight_workbench.screens.results.columns import ColumnKeeper
from claimlight_workbench.screens.results.strip import FilterStrip, HiddenStrip
from claimlight_workbench.widgets.coverage import CoverageDelegate
from claimlight_workbench.widgets.empty_state import EmptyState
from claimlight_workbench.widgets.icons import IconButton
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.row_table import ScrolledTable, prepare_rows
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.widgets.zones import ZoneDelegate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import CoverageMatrix, DateFinding, Hit, IndexDepth, PatentId, SearchResults
    from claimlight_workbench.models.rows import Page
    from claimlight_workbench.values import FoundSet

_ORDERS = {
    Order.SCORE: tr("by score"),
    Order.FEATURES: tr("by matched features"),
    Order.DATE: tr("newest first"),
}
_SEARCH_ORDER = {False: _ORDERS[Order.SCORE], True: tr("by gain over D1")}
_SET_ORDER = {True: tr("best first"), False: tr("newest first")}
_DELEGATES = {Painting.COVERAGE: CoverageDelegate, Painting.DATE_STATUS: ZoneDelegate}
OPEN_AFTER_MS = 30
HELD_MS = 60
"""Holding Down must not open every document on the way: a row that is chosen so soon after another waits. A
single press, which comes later than that even from a fast hand, opens its document at once."""
_CHOSEN = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
_INDEXING = tr(
    "Indexing is running: until titles, abstracts and claims are indexed, only keywords are searched."
)


class ResultsView(QWidget):
    """Selecting a row opens its document."""

    opened = Signal(object)
    """`Hit`."""
    order_changed = Signal(str)
    page_wanted = Signal(int, object)
    """Page of the shown set, and its documents."""
    compare_wanted = Signal(str)
    """Publication of the document to show beside the open one."""
    remove_wanted = Signal(str)
    """The publication to remove from the library."""
    limit_lifted = Signal()
    """The user asks to see what the date limit hides."""
    newest_wanted = Signal(object)
    """`FoundSet` to order by date."""
    again_wanted = Signal()
    """Search again: descriptions have been indexed."""

    def __init__(self, parent: QWidget | None = None, *, columns: Sequence[Column] = COLUMNS) -> None:
        super().__init__(parent)
        self.model = ResultsModel(self, columns=columns)
        self._stale = False
        self._number = 0
        """Number of the shown set."""
        self._cause = ""
        """Why the list is empty."""
        self.table = ScrolledTable()
        self.count = make_wrapped_label(tr("No search yet"), name="title")
        self.order = QComboBox()
        name_box(self.order, tr("Order of the results"))
        for order, name in _ORDERS.items():
            self.order.addItem(name, order)
        self.filter_button = IconButton(
            "filter",
            tr("Filter results"),
            tip=tr("Show only unread documents, or those with a category"),
            command=tr("Filter results…"),
            checkable=True,
        )
        # As high as the box beside it: the line takes no room from the rows.
        self.filter_button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self.filter_menu = QMenu(self)
        self._filters = {row.filter: self.filter_menu.addAction(row.menu) for row in FILTERS}
        for chosen, action in self._filters.items():
            action.setCheckable(True)
            action.triggered.connect(lambda _=False, chosen=chosen: self.set_filter(chosen))
        self.filter_button.clicked.connect(self.choose_filter)
        self.filtered = FilterStrip()
        self.filtered.pressed.connect(lambda: self.set_filter(ListFilter.ALL))
        self._away = ""
        """Publication of the chosen row that the filter hides."""
        self.notes = make_wrapped_label(name="warning")
        self.notes.hide()
        self._notes: tuple[str, ...] = ()
        self._indexing = False
        self._reading = False
        """Descriptions are being read for the list."""
        self._depth_note = ""
        """Takes the place of the note on documents that are indexed by their claims only."""
        self.again = QToolButton()
        self.again.setText(tr("Search again"))
        self.again.setToolTip(tr("Run the search again with the descriptions that have been indexed since"))
        self.again.hide()
        self.again.clicked.connect(self.again_wanted)
        self.hidden = HiddenStrip()
        self.hidden.pressed.connect(self.limit_lifted)
        # The row is chosen by a cell that is never hidden, so that the table scrolls to it.
        self._chosen_column = next(
            place for place, each in enumerate(columns) if each.width is Width.CONTENTS
        )
        self._prepare_table()
        self.columns = ColumnKeeper(self.table, columns)
        self.empty = EmptyState(
            tr("The documents that a search finds are listed here, best first."), over=self.table
        )
        line = QHBoxLayout()
        line.addWidget(self.count, 1)
        line.addWidget(self.order)
        line.addWidget(self.filter_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addLayout(line)
        told = QHBoxLayout()
        told.addWidget(self.notes, 1)
        told.addWidget(self.again, 0, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.hidden)
        column.addWidget(self.filtered)
        column.addLayout(told)
        column.addWidget(self.table)
        self._opening = QTimer(self)
        self._opening.setSingleShot(True)
        self._chosen = QElapsedTimer()
        self._opening.timeout.connect(self._open_current)
        # Activated by the user only; `set_order` itself also changes what the box shows.
        self.order.activated.connect(lambda row: self.set_order(self.order.itemData(row)))
        self.model.dataChanged.connect(self._say_count)
        self.model.page_wanted.connect(lambda page: self.page_wanted.emit(page, self.model.ids(page)))

    def show_results(self, results: SearchResults, *, current: str = "") -> None:
        """Show a search and open a hit: the named one if it is there, else the first."""
        self.model.replace(results)
        self.columns.fit_features(len(results.request.query.features))
        self.columns.fit_contents()
        self.hidden.show_hidden(results.hidden)
        self._cause = results.cause
        self._shown(results.notes, current)

    def update_results(self, results: SearchResults) -> None:
        """Show a newer answer to the same search: selection, reading place and focus stay."""
        table, row = self.table, self.table.currentIndex().row()
        bar, name = table.verticalScrollBar(), self.current_name()
        above, scrolled = table.rowViewportPosition(row), bar.value()
        seen = 0 <= above < table.viewport().height()
        # The document on the screen stays: nothing is opened because rows have moved.
        with QSignalBlocker(table.selectionModel()):
            self.model.update(results)
        self.hidden.show_hidden(results.hidden)
        self._cause = results.cause
        self._notes = results.notes
        self._say_of_depth("")
        self._fit_depth()
        self._tell_filter()
        row = self.model.row_of(name)
        self._choose_quietly(row)
        if row >= 0 and seen and scrolled:
            # What the user looks at stays where it is on the screen.
            bar.setValue(scrolled + table.rowViewportPosition(row) - above)
        else:
            bar.setValue(scrolled)
            if row >= 0 and seen:
                table.scrollTo(table.currentIndex())
        self._say_count()

    def show_reading(self, seconds: float) -> None:
        """Say that descriptions are read; the line has its room already, so that no row moves."""
        # The note that it replaces is the longer one.
        self.notes.setMinimumHeight(self.notes.height() if self.notes.isVisible() else 0)
        self._say_of_depth(
            tr("Reading the descriptions of the best documents… {seconds:g} s (Esc stops)", seconds=seconds)
        )
        self._reading = True

    def end_reading(self) -> None:
        """Nothing is read any more."""
        if self._reading:
            self._say_of_depth("")

    def offer_again(self, results: SearchResults, documents: int) -> None:
        """Offer to search again: descriptions of documents on the list have been indexed."""
        if results is not self.model.results:
            return
        self._say_of_depth(
            trn(
                "The description of {n:,} document on this list has been indexed since the search.",
                "The descriptions of {n:,} documents on this list have been indexed since the search.",
                documents,
            ),
            again=True,
        )

    def show_depths(self, depths: dict[PatentId, IndexDepth]) -> None:
        """Set how much of the documents of a set is indexed."""
        self.model.set_depths(depths)
        self._fit_depth()

    def in_view(self) -> tuple[PatentId, ...]:
        """The documents whose rows are in view."""
        last = self.table.rowAt(self.table.viewport().height() - 1)
        rows = range(max(0, self.table.rowAt(0)), (last if last >= 0 else self.model.rowCount() - 1) + 1)
        return tuple(hit.patent.id for row in rows if (hit := self.model.hit(row)) is not None)

    def show_rulings(self, matrix: CoverageMatrix) -> None:
        """Show all rulings; rows that are ordered by them are ordered again."""
        self.model.show_rulings(matrix)
        if self.model.order is Order.FEATURES and self.model.results is not None:
            current = self.current_name()
            self.model.set_order(Order.FEATURES)
            self.go_to(max(0, self.model.row_of(current)), quiet=True)

    def measure(self) -> None:
        """The size of the text has changed."""
        self.columns.measure()
        results = self.model.results
        if results is not None:
            self.columns.fit_features(len(results.request.query.features))
        self.columns.fit_contents()
        self.columns.fit()

    def show_set(self, found: FoundSet, *, current: str = "") -> None:
        """Show a set, best or newest first."""
        self.model.show_set(found)
        self.hidden.show_hidden(found.hidden)
        self._cause = found.cause
        self._shown(found.notes, current)
        if found.scores and self.model.order is Order.DATE:
            self.newest_wanted.emit(found)

    def show_nothing(self) -> None:
        """No search."""
        self.model.replace(None)
        self.hidden.show_hidden(())
        self._cause = ""
        self._shown((), "")

    def clear_out(self, left: Left) -> None:
        """Clear the rows and everything known about them."""
        self._opening.stop()
        self.model.set_zones({}, all_new=True)
        self.model.set_lamps({})
        if left is Left.CASE:
            self.model.set_seen(())
            self.model.set_marks({})
            self.model.set_tags({})
        self.show_nothing()

    def name_set(self, number: int) -> None:
        """The number that the shown set was given."""
        self._number = number
        self._say_count()

    def reorder(self, found: FoundSet, places: tuple[int, ...]) -> None:
        """Places of a set in another order; ignored if another set is shown by now."""
        if found is self.model.found:
            current = self.current_name()
            self.model.reorder_set(places)
            self.go_to(max(0, self.model.row_of(current)), quiet=True)

    def fill(self, page: Page) -> None:
        """Rows of the set were read; the chosen one is opened if it was waiting for that."""
        waiting = self.current_hit() is None
        self.model.fill(page)
        self.model.set_zones(page.zones, all_new=False)
        if page.number == 0:
            self.columns.fit_contents()
            self.columns.fit()
        if waiting and self.current_hit() is not None:
            self._opening.start(OPEN_AFTER_MS)

    def show_zones(self, zones: dict[PatentId, DateFinding], *, all_new: bool) -> None:
        """Set the date status of rows."""
        self.model.set_zones(zones, all_new=all_new)

    def _shown(self, notes: tuple[str, ...], current: str) -> None:
        found = self.model.found
        self._stale = False
        self._number = found.number if found is not None else 0
        over = self.model.results.request.over if self.model.results is not None else None
        has = {Needs.SCORES} if found is None or found.scores else set()
        has |= {Needs.EVIDENCE} if found is None else set()
        has |= {Needs.D1} if over is not None else set()
        has |= {Needs.DEPTH} if self.model.partly_indexed else set()
        self.columns.show_kind(has=has, ranks=self.model.rowCount())
        self.order.setItemText(
            0, _SET_ORDER[bool(found.scores)] if found is not None else _SEARCH_ORDER[over is not None]
        )
        self._notes = notes
        self._away = ""
        self._tell_filter()
        self._say_of_depth("")
        self._say_count()
        self.go_to(max(0, self.model.row_of(current)))

    def set_indexing(self, *, indexing: bool) -> None:
        """While the library is being indexed, no note asks the user to index it."""
        self._indexing = indexing
        self._show_notes()

    def _show_notes(self) -> None:
        notes = [self._depth_note if each.endswith(CLAIMS_ONLY) else each for each in self._notes]
        if not self._depth_note or self._depth_note not in notes:
            notes = [*self._notes, *filter(None, [self._depth_note])]
        notes = [_INDEXING if self._indexing and each == NO_INDEX_NOTE else each for each in notes]
        self.notes.setText("\n".join(map(tell, notes)))
        self.notes.setVisible(bool(notes))

    def set_order(self, order: Order) -> None:
        """Order the rows and keep the document."""
        order = Order(order)
        current = self.current_name()
        self.model.set_order(order)
        with QSignalBlocker(self.order):
            self.order.setCurrentIndex(self.order.findData(order))
        found = self.model.found
        if found is not None and found.scores:
            if order is Order.DATE:
                self.newest_wanted.emit(found)
            else:
                self.model.reorder_set(range(len(found.patents)))
        if current:
            self.go_to(self.model.row_of(current), quiet=True)
        self.order_changed.emit(order.value)

    def choose_filter(self) -> None:
        """Open the menu of filters at its button; the letters there choose one."""
        self._tell_filter()
        button = self.filter_button
        self.filter_menu.popup(button.mapToGlobal(QPoint(0, button.height())))
        self.filter_menu.setActiveAction(self._filters[self.model.filter])

    def set_filter(self, chosen: ListFilter) -> None:
        """Show only some documents of the list; the open one stays open."""
        name = self.current_name() or self._away
        if self.model.results is not None or self.model.found is not None:
            self.model.set_filter(chosen)
        row = self.model.row_of(name)
        self._away = name if row < 0 else ""
        self._choose_quietly(row)
        if row >= 0:
            self.table.scrollTo(self.table.currentIndex())
        self._tell_filter()
        self._say_count()

    def _tell_filter(self) -> None:
        model = self.model
        for chosen, action in self._filters.items():
            action.setChecked(chosen is model.filter)
        self.filter_button.setChecked(model.filter is not ListFilter.ALL)
        self.filtered.show_filter(model.filter, hidden=model.listed - model.rowCount(), listed=model.listed)

    def current_hit(self) -> Hit | None:
        """The chosen hit."""
        return self.model.hit(self.table.currentIndex().row())

    def current_name(self) -> str:
        """Publication of the chosen row; empty if there is none."""
        hit = self.current_hit()
        return str(hit.patent.publication) if hit is not None else ""

    def neighbours(self) -> tuple[Hit, ...]:
        """The hits after and before the chosen one, to be prefetched."""
        row = self.table.currentIndex().row()
        near = (self.model.hit(row + 1), self.model.hit(row + 2), self.model.hit(row - 1))
        return tuple(hit for hit in near if hit is not None)

    def step(self, by: int) -> None:
        """Go up or down the list."""
        row = self.table.currentIndex().row()
        # A document that the filter hides: on from its place in the whole list.
        row = row + by if row >= 0 else self.model.count_above(self._away) + min(by, 0)
        if 0 <= row < self.model.rowCount():
            self.go_to(row)

    def next_unseen(self) -> None:
        """Go to the next unread row."""
        row = self.table.currentIndex().row()
        first = row + 1 if row >= 0 else self.model.count_above(self._away)
        for row in range(first, self.model.rowCount()):
            hit = self.model.hit(row)
            if hit is not None and not self.model.is_seen(hit):
                self.go_to(row)
                return

    def stop(self) -> None:
        """Open nothing more: the program ends."""
        self._opening.stop()

    def take_keys(self) -> None:
        """Give the rows the keyboard focus."""
        self.table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_stale(self, *, stale: bool) -> None:
        """Say that the query has changed since these rows were found."""
        self._stale = stale and self.model.rowCount() > 0
        self._say_count()

    def go_to(self, row: int, *, quiet: bool = False) -> None:
        """Select a row; without a signal if its document is shown already."""
        if not 0 <= row < self.model.rowCount():
            return
        if quiet:
            self._choose_quietly(row)
        else:
            index = self.model.index(row, self._chosen_column)
            self.table.selectionModel().setCurrentIndex(index, _CHOSEN)
        self.table.scrollTo(self.table.currentIndex())

    def _choose_quietly(self, row: int) -> None:
        """Select a row, or none for -1, without opening its document."""
        chosen = self.table.selectionModel()
        with QSignalBlocker(chosen):
            if row >= 0:
                chosen.setCurrentIndex(self.model.index(row, self._chosen_column), _CHOSEN)
            else:
                chosen.clear()
        # The table repaints a changed row upon the signal that is blocked here.
        self.table.viewport().update()

    def _say_of_depth(self, text: str, *, again: bool = False) -> None:
        """Say what happens to the descriptions; empty for the note that the search gave."""
        self._reading, self._depth_note = False, text
        self.again.setVisible(again)
        self._show_notes()
        if not text:
            self.notes.setMinimumHeight(0)

    def _fit_depth(self) -> None:
        self.columns.show_need(Needs.DEPTH, there=self.model.partly_indexed)

    def follow(self, row: int) -> None:
        """Select the row of a document that is being opened; a pending opening is dropped."""
        self._opening.stop()
        self.go_to(row, quiet=True)

    def _prepare_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        prepare_rows(table, tr("Results"), row=26)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for place, column in enumerate(self.model.columns):
            if column.painting is not None:
                table.setItemDelegateForColumn(place, _DELEGATES[column.painting](table))
        header = table.horizontalHeader()
        header.setMinimumSectionSize(18)
        # Widths follow the rows on view: asking a long set for more would read it.
        header.setResizeContentsPrecision(0)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._menu)
        table.selectionModel().currentRowChanged.connect(self._row_chosen)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The viewport's own resizing: it comes after the view's, and when the scroll bar appears.
        if event.type() == QEvent.Type.Resize and watched is self.table.viewport():
            self.columns.fit()
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            # The menu is of a row; to choose the row would open its document.
            return event.button() == Qt.MouseButton.RightButton and watched is self.table.viewport()
        return super().eventFilter(watched, event)

    def _menu(self, place: QPoint) -> None:
        hit = self.model.hit(self.table.indexAt(place).row())
        if hit is None:
            return
        name = str(hit.patent.publication)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Show beside the open document"), lambda: self.compare_wanted.emit(name))
        menu.addAction(tr("Copy publication number"), lambda: QGuiApplication.clipboard().setText(name))
        menu.addAction(tr("Remove from the library…"), lambda: self.remove_wanted.emit(name))
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            held = self._chosen.isValid() and not self._chosen.hasExpired(HELD_MS)
            self._chosen.restart()
            self._opening.start(OPEN_AFTER_MS if held else 0)

    def _open_current(self) -> None:
        if (hit := self.current_hit()) is not None:
            self.opened.emit(hit)
            self._say_count()

    def _say_count(self) -> None:
        total = self.model.rowCount()
        row = self.table.currentIndex().row() + 1
        searched = self.model.results is not None or self.model.found is not None
        self.empty.set_empty(not searched)
        if total:
            old = tr("  ·  results of the previous query; Ctrl+Enter searches again") if self._stale else ""
            name = f"L{self._number}" if self._number else tr("Results")
            unseen = self.model.unseen
            best = tr("best ") if self.model.results is not None and self.model.results.is_full else ""
            self.count.setText(
                tr(
                    "{name}  {row:,} / {best}{total:,}, {unseen:,} unread{old}",
                    name=name,
                    row=max(row, 1),
                    best=best,
                    total=total,
                    unseen=unseen,
                    old=old,
                )
            )
        elif self.model.filter is not ListFilter.ALL:
            self.count.setText(tr("The filter shows no document of this list."))
        else:
            # How many the limit hides stands in the strip right below.
            cause = (
                tell(self._cause) if self.hidden.isHidden() else tr("The date limit hides every document.")
            )
            nothing = tr("Nothing found. {cause}", cause=cause) if cause else tr("Nothing found")
            self.count.setText(nothing if searched else tr("No search yet"))
