"""The list of reference signs beside the drawings: filtered by typing, and a way to their mentions."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QHeaderView, QLabel, QVBoxLayout, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import number, tr, trn
from claimlight_workbench.screens.reader.sign_words import (
    NO_SIGNS,
    NONE_FITS,
    READING_SIGNS,
    sign_line,
    step_line,
)
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.enter_table import EnterTable
from claimlight_workbench.widgets.filter_line import FilterLine
from claimlight_workbench.widgets.icons import IconButton
from claimlight_workbench.widgets.key_sheet import fits
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import ReferenceSign
    from claimlight_workbench.models.signs import SignBoard

_Index = QModelIndex | QPersistentModelIndex
_LINES = 4
"""Least height of the table."""
_NUMBER_LETTERS, _FIGURE_LETTERS = 6, 9


class Column(IntEnum):
    """Columns in order."""

    SIGN = 0
    NAME = 1
    MENTIONS = 2
    FIGURES = 3


_HEADINGS = (tr("Sign"), tr("Name"), tr("Mentions"), tr("Figures?"))
_TIPS = (
    "",
    "",
    "",
    tr("Figures that the passages with the sign name most often: a guess at where it is drawn"),
)


class _Signs(QAbstractTableModel):
    """The signs that fit the filter."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: Sequence[ReferenceSign] = ()

    def replace(self, rows: Sequence[ReferenceSign]) -> None:
        """Show other signs."""
        if rows or self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        return _TIPS[section] or None if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        sign = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(sign, Column(index.column()))
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == Column.MENTIONS:
            return Qt.AlignmentFlag.AlignCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return wrap_tip(sign_line(sign))
        return None


def _cell(sign: ReferenceSign, column: Column) -> str:
    if column is Column.SIGN:
        return sign.sign
    if column is Column.NAME:
        return sign.name
    return number(len(sign.places), ",") if column is Column.MENTIONS else ", ".join(sign.figures)


class SignList(QFrame):
    """Follows the board. Enter or a click goes to the next mention of a sign."""

    left = Signal()
    """Esc was pressed: the keys go back."""

    def __init__(self, board: SignBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self.line = FilterLine()
        self.line.setPlaceholderText(tr("Filter by sign or name"))
        self.line.setAccessibleName(tr("Filter the reference signs"))
        make_clearable(self.line)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.close_button = IconButton("close", tr("Close the list of reference signs"))
        self.table = EnterTable(tr("Reference signs"))
        self.model = _Signs(self)
        self.table.setModel(self.model)
        prepare_rows(self.table, tr("Reference signs"))
        self.table.setMinimumHeight(design.lines(self, _LINES))
        self.said = ElidedLabel()
        self.said.setObjectName("muted")
        self.mention = make_wrapped_label()
        self.mention.hide()
        top = QHBoxLayout()
        top.setSpacing(design.TIGHT)
        top.addWidget(self.line, 1)
        top.addWidget(self.count)
        top.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.TIGHT)
        column.addLayout(top)
        column.addWidget(self.table, 1)
        column.addWidget(self.said)
        column.addWidget(self.mention)
        self._fit()
        self.line.textChanged.connect(self._filter)
        self.line.entered.connect(self._enter)
        self.line.moved.connect(self._go_down)
        self.line.left.connect(self.leave)
        self.close_button.clicked.connect(self.leave)
        self.table.opened.connect(self._open)
        board.changed.connect(self._filter)
        board.current_changed.connect(self._mark)
        board.current_changed.connect(lambda: self.show_mention(""))
        board.listing_changed.connect(self._filter)

    def take_keys(self) -> None:
        """Give the keys to the filter."""
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def show_mention(self, words: str) -> None:
        """Show the words of the mention that was gone to; none while the text is shown."""
        self.mention.setText(words)
        self.mention.setVisible(bool(words))

    def leave(self) -> None:
        """Close the list."""
        self.left.emit()

    def _fit(self) -> None:
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        for column in Column:
            stretched = column is Column.NAME
            header.setSectionResizeMode(
                column, QHeaderView.ResizeMode.Stretch if stretched else QHeaderView.ResizeMode.Interactive
            )
        for column, wide in (
            (Column.SIGN, _NUMBER_LETTERS), (Column.MENTIONS, _NUMBER_LETTERS),
            (Column.FIGURES, _FIGURE_LETTERS),
        ):  # fmt: skip
            self.table.setColumnWidth(column, max(design.letters(self, wide), header.sectionSizeHint(column)))

    def _filter(self) -> None:
        board = self._board
        if not board.listing:
            self.model.replace(())
            return
        signs = board.found.signs if board.found is not None else ()
        typed = self.line.text()
        rows = [each for each in signs if _fits(typed, each)]
        self.model.replace(rows)
        total = trn("{n:,} sign", "{n:,} signs", len(signs))
        part = tr("{shown:,} of {total:,}", shown=len(rows), total=len(signs))
        self.count.setText(("" if not signs else total) if len(rows) == len(signs) else part)
        self._mark()

    def _mark(self) -> None:
        board = self._board
        if not board.listing:
            return
        current = board.current
        if current is not None:
            row = next((n for n, each in enumerate(self.model.rows) if each is current), -1)
            if row >= 0 and row != self.table.currentIndex().row():
                with QSignalBlocker(self.table):
                    self.table.setCurrentIndex(self.model.index(row, Column.SIGN))
            if row >= 0:
                self.table.scrollTo(self.model.index(row, Column.SIGN))
        self.said.setText(self._words(current))

    def _words(self, current: ReferenceSign | None) -> str:
        board = self._board
        if board.fault:
            return board.fault
        if board.found is None:
            return READING_SIGNS
        if not board.found.signs:
            return NO_SIGNS
        if not self.model.rows:
            return NONE_FITS
        if current is None:
            return tr("Enter or a click goes to the first mention, then to the next.")
        return step_line(current, board.at) if board.at >= 0 else sign_line(current)

    def _enter(self, _by: int) -> None:
        """Enter in the filter takes the chosen row, or the first."""
        at = self.table.currentIndex()
        self._open(at if at.isValid() else self.model.index(0, 0))

    def _go_down(self) -> None:
        if self.model.rows:
            if not self.table.currentIndex().isValid():
                self.table.setCurrentIndex(self.model.index(0, Column.SIGN))
            self.table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _open(self, index: QModelIndex) -> None:
        if index.isValid() and index.row() < len(self.model.rows):
            self._board.step(self.model.rows[index.row()])


def _fits(typed: str, sign: ReferenceSign) -> bool:
    """A number that is typed begins the sign; other words are parts of the name."""
    words = typed.split()
    digits = [word for word in words if word[0].isdigit()]
    others = " ".join(word for word in words if not word[0].isdigit())
    return all(sign.sign.casefold().startswith(word.casefold()) for word in digits) and fits(
        others, sign.name
    )
