"""A one-line label that shortens its text instead of growing."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStyle, QStyleOption, QWidget

from claimlight_workbench import design
from claimlight_workbench.wording import wrap_tip

_LEAST_LETTERS, _USUAL_LETTERS = 6, 17


class ElidedLabel(QLabel):
    """The whole text is its tool tip and accessible name."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, whole: bool = False) -> None:
        """``whole``: it asks for the room of its text, and shortens it only where there is less."""
        super().__init__(text, parent)
        self._whole = whole
        self.setTextFormat(Qt.TextFormat.PlainText)
        if not whole:
            self.setMinimumWidth(design.letters(self, _LEAST_LETTERS))

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(wrap_tip(text))
        self.setAccessibleName(text)

    def minimumSizeHint(self) -> QSize:
        least = design.letters(self, _LEAST_LETTERS)
        if self._whole:
            least = min(least, super().sizeHint().width())
        return QSize(least, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return hint if self._whole else QSize(design.letters(self, _USUAL_LETTERS), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        # A widget that paints itself must paint the box of the style sheet too.
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        # Without the padding of the style sheet.
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        self.style().drawItemText(
            painter,
            room,
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            self.palette(),
            self.isEnabled(),
            text,
            self.foregroundRole(),
        )
        painter.end()
