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

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(design.letters(self, _LEAST_LETTERS))

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(wrap_tip(text))
        self.setAccessibleName(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(design.letters(self, _LEAST_LETTERS), super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(design.letters(self, _USUAL_LETTERS), super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        # A widget that paints itself must paint the box of the style sheet too.
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        self.style().drawItemText(
            painter,
            self.rect(),
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            self.palette(),
            self.isEnabled(),
            text,
            self.foregroundRole(),
        )
        painter.end()
