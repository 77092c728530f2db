"""The table of hits with its line of counts, orders and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.models.results_model import Column, Order, ResultsModel
from app.widgets.coverage import CoverageDelegate, strip_width

if TYPE_CHECKING:
    from core.types import Hit, SearchResults

_ORDERS = {
    Order.SCORE: "by score",
    Order.FEATURES: "by features covered",
    Order.DATE: "newest first",
}
_TITLE_CHARS = 26
_TITLE_LEAST_CHARS = 10
_GIVE_WAY = (Column.FAMILY, Column.RANKS, Column.APPLICANT)
"""Shown while the title keeps its room; what they say is also in the tool tips."""
OPEN_AFTER_MS = 30
"""Holding Down must not open every document it passes."""


class ResultsView(QWidget):
    """Choosing a row opens its document."""

    opened = Signal(object)
    """`Hit`."""
    order_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ResultsModel(self)
        self._stale = False
        self._wanted: dict[Column, int] = {}
        self.table = QTableView()
        self.count = QLabel("No search yet")
        self.count.setObjectName("title")
        self.order = QComboBox()
        self.order.setAccessibleName("Order of the results")
        for order, name in _ORDERS.items():
            self.order.addItem(name, order)
        self.notes = QLabel()
        self.notes.setObjectName("warning")
        self.notes.setWordWrap(True)
        self.notes.hide()
        self._prepare_table()
        line = QHBoxLayout()
        line.addWidget(self.count, 1)
        line.addWidget(self.order)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 4, 2, 2)
        column.setSpacing(4)
        column.addLayout(line)
        column.addWidget(self.notes)
        column.addWidget(self.table)
        self._opening = QTimer(self)
        self._opening.setSingleShot(True)
        self._opening.setInterval(OPEN_AFTER_MS)
        self._opening.timeout.connect(self._open_current)
        self.order.activated.connect(lambda row: self.set_order(self.order.itemData(row)))
        self.model.dataChanged.connect(self._say_count)

    def show_results(self, results: SearchResults, *, current: str = "") -> None:
        """Show a search and open a hit: the named one if it is there, else the first."""
        self._stale = False
        self.model.replace(results)
        features = len(results.request.query.features)
        self.table.setColumnWidth(Column.COVERAGE, max(76, strip_width(features)))
        self.table.resizeColumnToContents(Column.PUBLICATION)
        self._fit_columns()
        self.notes.setText("\n".join(results.notes))
        self.notes.setVisible(bool(results.notes))
        self._say_count()
        self.go_to(max(0, self.model.row_of(current)))

    def set_order(self, order: Order) -> None:
        """Order the rows, staying on the document."""
        order = Order(order)
        current = self.current_hit()
        self.model.set_order(order)
        with QSignalBlocker(self.order):
            self.order.setCurrentIndex(self.order.findData(order))
        if current is not None:
            self.go_to(self.model.row_of(str(current.patent.publication)), quiet=True)
        self.order_changed.emit(order.value)

    def current_hit(self) -> Hit | None:
        """The chosen hit."""
        return self.model.hit(self.table.currentIndex().row())

    def neighbours(self) -> tuple[Hit, ...]:
        """The hits after and before the chosen one: what is asked for next."""
        row = self.table.currentIndex().row()
        near = (self.model.hit(row + 1), self.model.hit(row + 2), self.model.hit(row - 1))
        return tuple(hit for hit in near if hit is not None)

    def step(self, by: int) -> None:
        """Go up or down the list."""
        row = self.table.currentIndex().row() + by
        if 0 <= row < self.model.rowCount():
            self.go_to(row)

    def next_unseen(self) -> None:
        """To the next row that was never opened."""
        for row in range(self.table.currentIndex().row() + 1, self.model.rowCount()):
            hit = self.model.hit(row)
            if hit is not None and not self.model.is_seen(hit):
                self.go_to(row)
                return

    def stop(self) -> None:
        """Open nothing more: the program ends."""
        self._opening.stop()

    def set_stale(self, *, stale: bool) -> None:
        """Say that the query has changed since these rows were found."""
        self._stale = stale and self.model.rowCount() > 0
        self._say_count()

    def go_to(self, row: int, *, quiet: bool = False) -> None:
        """Choose a row; quietly when its document is on view already."""
        if not 0 <= row < self.model.rowCount():
            return
        index = self.model.index(row, int(Column.PUBLICATION))
        chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        if quiet:
            with QSignalBlocker(self.table.selectionModel()):
                self.table.selectionModel().setCurrentIndex(index, chosen)
            self.table.viewport().update()
        else:
            self.table.selectionModel().setCurrentIndex(index, chosen)
        self.table.scrollTo(index)

    def _prepare_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setAccessibleName("Results")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(26)
        table.setItemDelegateForColumn(Column.COVERAGE, CoverageDelegate(table))
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(18)
        wide = table.fontMetrics().horizontalAdvance
        for column, sample in (
            (Column.RANK, "000"),
            (Column.SEEN, "●"),
            (Column.MARK, "X"),
            (Column.PUBLICATION, "US 00,000,000 B0"),
            (Column.DATE, "2019-00-00"),
            (Column.COVERAGE, "Features 0"),
            (Column.APPLICANT, "Applicant name"),
            (Column.TITLE, "A title of some words"),
            (Column.FAMILY, "Fam.  "),
            (Column.RANKS, "00 · 00 · 00"),
        ):
            table.setColumnWidth(column, wide(sample) + 12)
            self._wanted[column] = wide(sample) + 12
        table.selectionModel().currentRowChanged.connect(self._row_chosen)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The viewport's own resizing: it comes after the view's, and when the scroll bar appears.
        if event.type() == QEvent.Type.Resize and watched is self.table.viewport():
            self._fit_columns()
        return super().eventFilter(watched, event)

    def _fit_columns(self) -> None:
        """The title takes the room that is left; in a narrow window the last columns go."""
        fixed = [column for column in Column if column not in {Column.TITLE, *_GIVE_WAY}]
        letter = self.table.fontMetrics().averageCharWidth()
        room = self.table.viewport().width() - sum(self.table.columnWidth(column) for column in fixed)
        for column in _GIVE_WAY:
            shown = room - self._wanted[column] >= letter * _TITLE_CHARS
            room -= self._wanted[column] if shown else 0
            self.table.setColumnHidden(column, not shown)
            if shown:
                self.table.setColumnWidth(column, self._wanted[column])
        self.table.setColumnWidth(Column.TITLE, max(letter * _TITLE_LEAST_CHARS, room))

    def _row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self._opening.start()

    def _open_current(self) -> None:
        if (hit := self.current_hit()) is not None:
            self.opened.emit(hit)
            self._say_count()

    def _say_count(self) -> None:
        total = self.model.rowCount()
        row = self.table.currentIndex().row() + 1
        if total:
            old = "  ·  of the query before its last change; Ctrl+Enter runs it" if self._stale else ""
            self.count.setText(f"Results {max(row, 1)} / {total}, {self.model.unseen} unseen{old}")
        else:
            self.count.setText("Nothing found" if self.model.results is not None else "No search yet")
