"""One line: where a passage stands, and what each feature adds to its score, as chips with figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.models.lamps import LAMP_WORDS, NO_LAMPS, Lamps
from app.widgets.chips import CHIP_HEIGHT, chip_font, chip_width, paint_chip
from app.widgets.lamps import LAMP_SIZE, paint_lamp
from core.types import Lamp

_GAP = 4
_BETWEEN = 10


class ShareLine(QWidget):
    """Painted, so that it never asks for more width than there is; the whole of it is its tool tip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ""
        self._shares: Sequence[tuple[str, float]] = ()
        self._lamps: Lamps = NO_LAMPS
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_shares(self, title: str, shares: Sequence[tuple[str, float]], lamps: Lamps = NO_LAMPS) -> None:
        """Show a title and the features' shares in the order given, each with what warns of it."""
        self._title, self._shares, self._lamps = title, tuple(shares), lamps
        words = ", ".join(
            f"{label} adds {share:.3f}" + (f" ({LAMP_WORDS[lamps[label]]})" if label in lamps else "")
            for label, share in self._shares
        )
        self.setAccessibleName(f"{title}: {words}" if words else title)
        self.setToolTip(self.accessibleName())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, max(CHIP_HEIGHT, self.fontMetrics().height()) + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        plain = painter.font()
        bold = QFont(plain)
        bold.setBold(True)
        left = 4 + self._text(painter, 4, self._title, bold) + _BETWEEN
        top = (self.height() - CHIP_HEIGHT) // 2
        for number, (label, share) in enumerate(self._shares):
            figure = f"{share:.3f}"
            wide = chip_width(chip_font(plain), label)
            lamp = self._lamps.get(label, Lamp.NONE)
            lit = LAMP_SIZE + _GAP if lamp is not Lamp.NONE else 0
            needed = wide + _GAP + QFontMetrics(plain).horizontalAdvance(figure) + lit
            last = number == len(self._shares) - 1
            if left + needed + (0 if last else _BETWEEN * 2) > self.width():
                self._text(painter, left, "…", plain)
                break
            painter.setFont(plain)
            paint_chip(painter, QRect(left, top, wide, CHIP_HEIGHT), label)
            self._text(painter, left + wide + _GAP, figure, plain)
            paint_lamp(painter, QRect(left + needed - LAMP_SIZE, top, LAMP_SIZE, LAMP_SIZE), lamp)
            left += needed + _BETWEEN
        painter.end()

    def _text(self, painter: QPainter, left: int, text: str, font: QFont) -> int:
        """Write a text; its width."""
        wide = QFontMetrics(font).horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(QColor(theme.active().text))
        place = QRect(left, 0, wide + 2, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        return wide
