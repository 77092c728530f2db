"""One line: the place of a passage, and how strongly it matches each feature, as chips with figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from claimlight.services.search.cell_words import LAMP_WORDS, VERDICT_WORDS
from claimlight.types import FeatureStrength, Lamp, strength_figure
from claimlight_workbench import theme
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.lamps import NO_LAMPS, Lamps
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_width, paint_chip
from claimlight_workbench.widgets.lamps import LAMP_SIZE, paint_lamp
from claimlight_workbench.wording import SUGGESTED

_GAP = 4
_BETWEEN = 10


class StrengthLine(QWidget):
    """Painted, so that it never needs more width than there is; the whole of it is its tool tip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ""
        self._strengths: Sequence[FeatureStrength] = ()
        self._lamps: Lamps = NO_LAMPS
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_strengths(
        self, title: str, strengths: Sequence[FeatureStrength], lamps: Lamps = NO_LAMPS
    ) -> None:
        """Show a title and match strengths in the order given, each with its warning."""
        self._title, self._strengths, self._lamps = title, tuple(strengths), lamps
        words = ", ".join(
            tr(
                "{feature} match strength {strength} ({verdict_words}",
                feature=each.feature,
                strength=strength_figure(each.strength),
                verdict_words=tell(VERDICT_WORDS[each.verdict]),
            )
            + (f", {tell(LAMP_WORDS[lamps[each.feature]])})" if each.feature in lamps else ")")
            for each in self._strengths
        )
        self.setAccessibleName(f"{title}: {words}" if words else title)
        self.setToolTip(self.accessibleName())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, max(chip_height(), self.fontMetrics().height()) + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        plain = painter.font()
        bold = QFont(plain)
        bold.setBold(True)
        left = 4 + self._text(painter, 4, self._title, bold) + _BETWEEN
        top = (self.height() - chip_height()) // 2
        for number, each in enumerate(self._strengths):
            label, figure = each.feature, f"{strength_figure(each.strength)}"
            wide = chip_width(chip_font(plain), label)
            lamp = self._lamps.get(label, Lamp.NONE)
            lit = LAMP_SIZE + _GAP if lamp is not Lamp.NONE else 0
            needed = wide + _GAP + QFontMetrics(plain).horizontalAdvance(figure) + lit
            last = number == len(self._strengths) - 1
            if left + needed + (0 if last else _BETWEEN * 2) > self.width():
                self._text(painter, left, "…", plain)
                break
            painter.setFont(plain)
            hollow = each.verdict not in SUGGESTED
            paint_chip(painter, QRect(left, top, wide, chip_height()), label, hollow=hollow)
            self._text(painter, left + wide + _GAP, figure, plain)
            paint_lamp(painter, QRect(left + needed - LAMP_SIZE, top, LAMP_SIZE, LAMP_SIZE), lamp)
            left += needed + _BETWEEN
        painter.end()

    def _text(self, painter: QPainter, left: int, text: str, font: QFont) -> int:
        """Write a text; returns its width."""
        wide = QFontMetrics(font).horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(QColor(theme.active().text))
        place = QRect(left, 0, wide + 2, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        return wide
