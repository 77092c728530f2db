"""The matrix: documents of the result list against features; Enter goes to the passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QToolButton, QVBoxLayout, QWidget

from claimlight.services.search.cell_words import notes_of_decisions
from claimlight.types import ByHand, Decision
from claimlight_workbench import design
from claimlight_workbench.language import begin, tell, tr
from claimlight_workbench.screens.matrix.describe import (
    cell_sentence,
    judged_words,
    legend,
    legend_tip,
    matrix_title,
)
from claimlight_workbench.screens.matrix.model import ALL, FIRST_FEATURE, ROW_ROLE, STATUS, MatrixModel
from claimlight_workbench.screens.matrix.on_screen import Place
from claimlight_workbench.screens.matrix.painting import CellDelegate, FeatureHeader
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.values import Compared, Comparing, DecidedPlace, Judged
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.empty_state import EDIT_FEATURES, EmptyState
from claimlight_workbench.widgets.enter_table import EnterTable
from claimlight_workbench.widgets.zones import ZoneDelegate
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types import CoverageMatrix, MatrixRow, PassageId, PatentId

ROW_HEIGHT = 25
_CELL_LEAST, _CELL_MOST = 42, 92
_ALL_LEAST = 40
_STATUS_MOST = 116
"""Characters of the date status column; its tool tip has all of the words."""
_STATUS_MARGIN = 24
_NO_LIMIT = 16_777_215
"""What Qt calls QWIDGETSIZE_MAX."""
_ABSTRACTS_SHOWN = 3
"""Rows of the list of abstracts shown at once if the panel is high enough."""
_LOW = 280
"""Pixels; a lower panel has no room for both lists, and shows one or the other."""
_REST = tr("No documents are compared: run a search with a claim that has features")
_WORTH = tr("What a verdict is worth")
_BUSY = tr("Comparing the documents with the features …  (Esc stops it)")
_STOPPED = tr("The documents were not compared")
_NEARER = tr("The best passage is now another one: Enter opens it")


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Where a cell leads."""

    patent: PatentId
    publication: str
    feature: str
    """Empty for the document as a whole."""
    passage: PassageId | None


class MatrixView(QWidget):
    """Two lists: documents with claims or description, and those with an abstract only."""

    chosen = Signal(object)
    """`CellPlace`."""
    decided = Signal(object, object)
    """`DecidedPlace`, and the `Decision` on it."""
    worth_asked = Signal()
    """The user asks what a verdict is worth."""
    moved = Signal()
    """Other rows are in view."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seen = True
        self._waiting: Compared | Comparing | None = None
        """Shown as soon as the panel is seen: filling a hidden panel at every search would be wasted."""
        self._ruled: list[MatrixRow] = []
        """Rows that came while the panel was not seen."""
        self._shown: Compared | Comparing | None = None
        self._progress = ""
        self._current: PatentId | None = None
        """The open document."""
        self._read: CellPlace | None = None
        """The cell whose passage was opened last: only what is on the screen can be confirmed."""
        self._next_wanted = False
        """A passage was rejected: the next one is opened as soon as it is known."""
        self.title = ElidedLabel(_REST)
        self.title.setObjectName("title")
        self.legend = QLabel()
        self.legend.setObjectName("muted")
        self.legend.setWordWrap(True)  # every sign is told at any width
        self.worth = QToolButton()
        self.worth.setText(f"{_WORTH}…")
        self.worth.setToolTip(tr("What each verdict promises, what was measured, and when there is none"))
        self.worth.setAutoRaise(True)
        self.worth.clicked.connect(self.worth_asked)
        self.notes = QLabel()
        self.notes.setObjectName("warning")
        self.notes.setWordWrap(True)
        self.model = MatrixModel(self)
        self.table = _table(self.model, tr("Features and documents"))
        self.empty = EmptyState(
            tr("For each document found, what it discloses of each feature is shown here."),
            EDIT_FEATURES,
            over=self.table,
        )
        self.abstracts_title = QLabel(tr("Abstract only: what it omits may be in the full text"))
        self.abstracts_title.setObjectName("title")
        self.abstracts_model = MatrixModel(self)
        self.abstracts = _table(self.abstracts_model, tr("Features and documents with an abstract only"))
        self.abstracts.horizontalHeader().hide()
        self.abstracts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        upper, lower = self.table.horizontalScrollBar(), self.abstracts.horizontalScrollBar()
        # No endless loop: a scroll bar emits nothing if its value stays the same.
        upper.valueChanged.connect(lower.setValue)
        lower.valueChanged.connect(upper.setValue)
        self.switch = QToolButton()
        self.switch.setCheckable(True)
        self.switch.setToolTip(
            tr("Show the documents with an abstract only, instead of those with more text")
        )
        self.switch.toggled.connect(lambda _on: self._fit())
        self.sentence = ElidedLabel()
        self.sentence.setObjectName("muted")
        self._lay_out()
        for table in (self.table, self.abstracts):
            # Of one width, and so of one range, whether or not their rows need the bar.
            table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
            table.clicked.connect(self._opened)
            table.entered.connect(self._entered)
            table.deleted.connect(lambda _index: self.reject())
            table.spaced.connect(lambda index: self.order_by(index.column()))
            table.verticalHeader().sectionClicked.connect(
                lambda row, table=table: self._opened(table.model().index(row, ALL))
            )
            table.selectionModel().currentChanged.connect(self._say)
            table.verticalScrollBar().valueChanged.connect(self.moved)
        self.table.horizontalHeader().sectionClicked.connect(self.order_by)
        self.show_nothing()

    def show_nothing(self) -> None:
        """Show that there is no list, or no feature."""
        self._clear(_REST)

    def show_busy(self) -> None:
        """The new list is being compared; the previous one is removed."""
        self._clear(_BUSY)

    def show_stopped(self, why: str) -> None:
        """Comparing was stopped, or failed."""
        self._clear(_STOPPED, why)

    def show_comparing(self, comparing: Comparing) -> None:
        """Show match strengths while the judge rules on the rows."""
        self._ruled.clear()
        self._waiting = comparing
        if self._seen:
            self._fill()

    def show_row(self, row: MatrixRow) -> None:
        """Show a row that the judge has ruled on."""
        if not self._seen:
            self._ruled.append(row)
            return
        for table, model in ((self.table, self.model), (self.abstracts, self.abstracts_model)):
            if model.show_row(row) and model.row(table.currentIndex().row()) is row:
                self._say(table.currentIndex())

    def show_progress(self, judged: Judged | None) -> None:
        """How far the judge is; None when it has ended."""
        self._say_progress(judged_words(judged) if judged is not None else "")

    def show_reading_on(self, place: Place | None) -> None:
        """Say where on the screen the judge reads on, if it does."""
        told = {
            None: "",
            Place.OPEN: tr("reading on in the open document"),
            Place.ROWS: tr("reading on in the rows in view"),
        }
        self._say_progress(told[place])

    def _say_progress(self, judged: str) -> None:
        self._progress = tr("{judged} (Esc stops)", judged=begin(judged)) if judged else ""
        if self._shown is not None:
            self._show_title(self._shown)

    def _show_title(self, shown: Compared | Comparing) -> None:
        # Beside the buttons there is room for one of both.
        self.title.setText(self._progress or matrix_title(shown))

    def show_compared(self, compared: Compared) -> None:
        """Show a matrix; behind another panel it waits until it is seen."""
        self._ruled.clear()
        self._waiting = compared
        if self._seen:
            self._fill()

    def show_renewed(self, compared: Compared) -> None:
        """Renew legend and notes of a matrix some of whose rows were read on in: these came by `show_row`."""
        if self._waiting is not None:
            self._waiting = compared
        elif self._shown is not None:
            self._show_legend(compared.matrix)
            self._show_notes(compared.matrix)

    def _show_legend(self, matrix: CoverageMatrix, *, waiting: bool = False) -> None:
        self.legend.setText(legend(matrix, waiting=waiting))
        self.legend.setToolTip(wrap_tip(legend_tip(matrix, waiting=waiting)))

    def _show_notes(self, matrix: CoverageMatrix) -> None:
        notes = (*matrix.notes, *notes_of_decisions(matrix))
        self.notes.setText("\n".join(map(tell, notes)))
        self.notes.setVisible(bool(notes))

    def in_view(self) -> tuple[PatentId, ...]:
        """The documents whose rows are in view; none while the panel is not seen."""
        if not self._seen:
            return ()
        found: list[PatentId] = []
        for table, model in ((self.table, self.model), (self.abstracts, self.abstracts_model)):
            if table.isVisible() and model.rowCount():
                last = table.rowAt(table.viewport().height() - 1)
                rows = range(table.rowAt(0), (last if last >= 0 else model.rowCount() - 1) + 1)
                found += [row.patent.id for place in rows if (row := model.row(place)) is not None]
        return tuple(found)

    def _fill(self) -> None:
        shown, self._waiting = self._waiting, None
        if shown is None:
            return
        self.empty.set_empty(False)
        waiting = isinstance(shown, Comparing)
        self._shown = shown
        matrix = shown.matrix
        self._show_title(shown)
        self.legend.show()
        self._show_legend(matrix, waiting=waiting)
        self.worth.show()
        self._show_notes(matrix)
        before = self._current_cell()
        # Of the same list: its judge has ended, or a decision was taken.
        scrolled = [table.verticalScrollBar().value() for table in (self.table, self.abstracts)]
        self.model.show(matrix, matrix.rows, waiting=waiting)
        self.abstracts_model.show(matrix, matrix.abstracts_only, waiting=waiting)
        self.switch.setText(
            tr("Abstracts only ({abstracts_only:,})", abstracts_only=len(matrix.abstracts_only))
        )
        with QSignalBlocker(self.switch):
            self.switch.setChecked(not matrix.rows)
        for table in (self.table, self.abstracts):
            table.setColumnHidden(STATUS, matrix.reference is None)
        self._fit()
        for table in (self.table, self.abstracts):
            if table.model().rowCount():
                with QSignalBlocker(table.selectionModel()):
                    _choose(table, 0, min(FIRST_FEATURE, table.model().columnCount() - 1))
                table.scrollTo(table.model().index(0, ALL))
        if self._current is not None:
            self.show_current(self._current)
        if before is not None:
            self._return_to(before)
            for table, place in zip((self.table, self.abstracts), scrolled, strict=True):
                table.verticalScrollBar().setValue(place)

    def _current_cell(self) -> tuple[PatentId, int, int | None] | None:
        """Document and column of the current cell, and the column that orders the rows."""
        for table in (self.table, self.abstracts):
            index = table.currentIndex()
            if index.isValid() and (table.hasFocus() or table is self.table):
                return index.data(ROW_ROLE).patent.id, index.column(), self.model.ordered_by
        return None

    def _return_to(self, before: tuple[PatentId, int, int | None]) -> None:
        """Make the same cell current as in the matrix before; after a rejection, open its next passage."""
        patent, column, order = before
        if order is not None and order != self.model.ordered_by:
            self.order_by(order)
        for table, model in ((self.table, self.model), (self.abstracts, self.abstracts_model)):
            row = model.place_of(patent)
            if row >= 0 and column < model.columnCount():
                _choose(table, row, column)
                index = table.currentIndex()
                cell = model.cell(index)
                if self._next_wanted and cell is not None and cell.passage is not None:
                    self._opened(index)
                self._say(index)
        self._next_wanted = False

    def confirm(self) -> None:
        """Confirm the passage of the current cell; again, withdraw that."""
        self._decide(Decision.CONFIRMED)

    def reject(self) -> None:
        """Reject the passage of the current cell; where none is left, withdraw the last rejection."""
        self._decide(Decision.REJECTED)

    def show_current(self, patent: PatentId) -> None:
        """Select the row of the open document, in the current column."""
        self._current = patent
        if self._read is not None and self._read.patent != patent:
            self._read = None  # back in its document, another passage may be on the screen
        for table, model in ((self.table, self.model), (self.abstracts, self.abstracts_model)):
            row = model.place_of(patent)
            if row >= 0 and row != table.currentIndex().row():
                with QSignalBlocker(table.selectionModel()):
                    _choose(table, row, max(0, table.currentIndex().column()))
                # The table repaints a changed row upon the signal that is blocked here.
                table.viewport().update()

    def order_by(self, column: int) -> None:
        """Sort best first by a column; repeated, restore the order of the results."""
        asked = None if self.model.ordered_by == column else column
        for table, model in ((self.table, self.model), (self.abstracts, self.abstracts_model)):
            model.order_by(asked)
            if model.rowCount():
                _choose(table, 0, column)
        self.table.horizontalHeader().viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def watch(self, seen: bool) -> None:  # noqa: FBT001 - a slot of the dock's signal
        """The panel has come to the front of its tabs, or gone behind another one."""
        self._seen = seen
        if seen:
            self._fill()
            ruled, self._ruled = self._ruled, []
            for row in ruled:
                self.show_row(row)
        self.moved.emit()

    def _clear(self, words: str, why: str = "") -> None:
        self.empty.set_empty(words == _REST)
        self._waiting = self._shown = self._current = self._read = None
        self._next_wanted = False
        self._ruled.clear()
        self._progress = ""
        self.title.setText(words)
        self.notes.setText(why)
        self.notes.setVisible(bool(why))
        self.legend.hide()
        self.worth.hide()
        self.sentence.setText("")
        self.model.show(None, ())
        self.abstracts_model.show(None, ())
        for part in (self.abstracts_title, self.abstracts, self.switch):
            part.hide()
        self.table.show()

    def _fit(self) -> None:
        """Columns share the width; the names in both lists are aligned."""
        self._share_height()
        columns = self.model.columnCount()
        if not columns:
            return
        tables = (self.table, self.abstracts)
        names = max(table.verticalHeader().sizeHint().width() for table in tables)
        bar = self.table.verticalScrollBar().sizeHint().width()
        status = 0
        if not self.table.isColumnHidden(STATUS):
            rows = (*self.model.shown, *self.abstracts_model.shown)
            measured = {self.model.headerData(STATUS, Qt.Orientation.Horizontal)}
            measured |= {tell(row.dates.label) for row in rows}
            widest = max(map(self.fontMetrics().horizontalAdvance, measured))
            status = min(scale_pixels(_STATUS_MOST), widest + scale_pixels(_STATUS_MARGIN))
        taken = names + bar + 2 * self.table.frameWidth() + status
        whole = room = (self.table.width() - taken) // (columns - 1)
        if room < _CELL_LEAST:
            whole = _ALL_LEAST
            room = (self.table.width() - taken - whole) // max(1, columns - FIRST_FEATURE)
        for table in tables:
            table.verticalHeader().setFixedWidth(names)
            for column in range(columns):
                table.setColumnWidth(column, min(_CELL_MOST, max(_CELL_LEAST, room)))
            table.setColumnWidth(ALL, min(_CELL_MOST, whole))
            if status:
                table.setColumnWidth(STATUS, status)

    def _share_height(self) -> None:
        """Both lists one below the other; in a low panel, the one that the switch chooses."""
        low, some = self.height() < _LOW, self.abstracts_model.rowCount() > 0
        only = low and some and self.switch.isChecked()
        self.switch.setVisible(low and some)
        self.sentence.setVisible(not low)
        self.table.setVisible(not only)
        self.abstracts.setVisible(some and (only or not low))
        self.abstracts_title.setVisible(some and not low)
        self.abstracts.horizontalHeader().setVisible(only)
        bar = Qt.ScrollBarPolicy.ScrollBarAsNeeded if only else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.abstracts.setHorizontalScrollBarPolicy(bar)
        rows = min(_ABSTRACTS_SHOWN, self.abstracts_model.rowCount())
        height = rows * ROW_HEIGHT + 2 * self.abstracts.frameWidth() + 2
        self.abstracts.setMinimumHeight(0 if only else height)
        self.abstracts.setMaximumHeight(_NO_LIMIT if only else height)

    def _opened(self, index: QModelIndex) -> None:
        self._read = _place(index)
        self.chosen.emit(self._read)

    def _entered(self, index: QModelIndex) -> None:
        """Enter opens the passage; on the cell whose passage is open it confirms."""
        place = _place(index)
        if place.passage is not None and place == self._read and place.patent == self._current:
            self.confirm()
        else:
            self._opened(index)

    def _decide(self, decision: Decision) -> None:
        lower = self.abstracts.hasFocus()
        index = (self.abstracts if lower else self.table).currentIndex()
        cell = (self.abstracts_model if lower else self.model).cell(index)
        if cell is None:
            return
        place = _place(index)
        left = cell.by_hand is ByHand.REJECTED and decision is Decision.REJECTED
        if place.passage is None and not left:
            return
        if not left and (place != self._read or place.patent != self._current):
            # A decision is on a passage that was read.
            self._opened(index)
            return
        self._next_wanted = decision is Decision.REJECTED
        publication = index.data(ROW_ROLE).patent.publication
        self.decided.emit(DecidedPlace(publication, place.feature, place.passage), decision)

    def _say(self, index: QModelIndex) -> None:
        model = index.model()
        if not isinstance(model, MatrixModel) or model.matrix is None:
            return
        row: MatrixRow = index.data(ROW_ROLE)
        cell = model.cell(index)
        if cell is not None:
            waiting = model.is_waiting(row)
            said = cell_sentence(row, cell, model.matrix, waiting=waiting)
            self.sentence.setText(f"{_NEARER}  ·  {said}" if self._is_left(_place(index)) else said)
        else:
            self.sentence.setText(tell(row.dates.words) if index.column() == STATUS else row.patent.title)

    def _is_left(self, place: CellPlace) -> bool:
        """Whether the reader is still at the passage that a cell had before the judge ruled, or read on."""
        read = self._read
        return (
            read is not None
            and place.patent == self._current
            and (place.patent, place.feature) == (read.patent, read.feature)
            and None not in {read.passage, place.passage}
            and place.passage != read.passage
        )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        line = QHBoxLayout()
        line.addWidget(self.title, 1)
        line.addWidget(self.switch)
        line.addWidget(self.worth)
        column.addLayout(line)
        column.addWidget(self.legend)
        column.addWidget(self.notes)
        column.addWidget(self.table, 1)
        column.addWidget(self.abstracts_title)
        column.addWidget(self.abstracts, 1)
        column.addWidget(self.sentence)


def _table(model: MatrixModel, name: str) -> EnterTable:
    table = EnterTable(name)
    table.setHorizontalHeader(FeatureHeader(table))
    table.setModel(model)
    table.setItemDelegate(CellDelegate(table))
    table.setItemDelegateForColumn(STATUS, ZoneDelegate(table))
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    names = table.verticalHeader()
    names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    names.setDefaultSectionSize(ROW_HEIGHT)
    names.setHighlightSections(True)
    names.setSectionsClickable(True)
    names.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.setCornerButtonEnabled(False)
    return table


def _place(index: QModelIndex) -> CellPlace:
    model, patent = index.model(), index.data(ROW_ROLE).patent
    assert isinstance(model, MatrixModel)
    cell = model.cell(index)
    return CellPlace(
        patent.id,
        str(patent.publication),
        cell.feature if cell is not None else "",
        cell.passage if cell is not None else None,
    )


def _choose(table: EnterTable, row: int, column: int) -> None:
    index = table.model().index(row, column)
    table.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    table.scrollTo(index)
