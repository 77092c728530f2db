"""The bar that finds words in the open document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QWidget

from claimlight.types import FindRequest
from claimlight_workbench import design
from claimlight_workbench.language import tr, trn
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.filter_line import FilterLine
from claimlight_workbench.widgets.icons import IconButton

if TYPE_CHECKING:
    from claimlight_workbench.models.finds import FindBoard

_LONGEST = 100
"""A longer selection is not taken over as what to find."""
_MANY = tr("{at:,} of {total:,}", at=88_888, total=88_888)


class FindBar(QFrame):
    """Finds while it is typed in; Enter and Shift+Enter step, Esc closes and returns the keys."""

    wanted = Signal(object)
    """`FindRequest`: find this; blank words end it."""
    stepped = Signal(int)
    """Go to the next match (1) or the previous one (-1)."""

    def __init__(self, board: FindBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._before: QWidget | None = None
        """What had the keys."""
        self.setObjectName("strip")
        self.line = FilterLine()
        self.line.setPlaceholderText(tr("Find in document"))
        self.line.setAccessibleName(tr("Find in document"))
        make_clearable(self.line)
        self.count = QLabel()
        self.count.setMinimumWidth(self.fontMetrics().horizontalAdvance(_MANY))
        self.previous = IconButton("up", tr("Previous match"), command=tr("Find previous"))
        self.next = IconButton("down", tr("Next match"), command=tr("Find next"))
        self.case = IconButton("case", tr("Match case: letters and accents exactly as typed"), checkable=True)
        self.whole = IconButton("words", tr("Whole words: not inside a longer word"), checkable=True)
        self.close_button = IconButton("close", tr("Close (Esc)"))
        line = QHBoxLayout(self)
        line.setContentsMargins(*design.STRIP)
        line.setSpacing(design.TIGHT)
        line.addWidget(self.line, 1)
        line.addWidget(self.count)
        for each in (self.previous, self.next, self.case, self.whole, self.close_button):
            line.addWidget(each)
        self.line.textChanged.connect(self._tell)
        self.line.entered.connect(self.stepped)
        self.line.left.connect(self.leave)
        self.case.toggled.connect(self._tell)
        self.whole.toggled.connect(self._tell)
        self.previous.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        self.close_button.clicked.connect(self.leave)
        board.changed.connect(self._say)
        self._say()
        self.hide()

    def open(self, words: str = "") -> None:
        """Take the keys; ``words`` is what is selected in the text."""
        focused = QApplication.focusWidget()
        if focused is not None and not self.isAncestorOf(focused):
            self._before = focused
        hidden = self.isHidden()
        self.show()
        taken = words.strip()
        if taken and len(taken) <= _LONGEST and "\n" not in taken:
            self.line.setText(taken)
        elif hidden and self.line.text():
            self._tell()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def leave(self) -> bool:
        """Close, and return the keys to what had them; returns whether it was open."""
        if self.isHidden():
            return False
        self.hide()
        self.wanted.emit(FindRequest(""))
        if self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None
        return True

    def _tell(self) -> None:
        self.wanted.emit(FindRequest(self.line.text(), self.case.isChecked(), self.whole.isChecked()))

    def _say(self) -> None:
        board = self._board
        total = len(board.places)
        if board.found is None:
            said = ""
        elif not total:
            said = tr("no match")
        elif board.at < 0:
            said = trn("{n:,} match", "{n:,} matches", total)
        else:
            said = tr("{at:,} of {total:,}", at=board.at + 1, total=total)
        self.count.setText(said)
        self.count.setAccessibleName(
            tr("Find in document: {said}", said=said) if said else tr("Find in document")
        )
        for each in (self.previous, self.next):
            each.setEnabled(total > 0)
