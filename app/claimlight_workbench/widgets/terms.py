"""How the words of a feature are marked by what a passage has of them: a line of its own for each state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPen, QTextCharFormat
from PySide6.QtWidgets import QSizePolicy, QWidget

from claimlight.types import TermState
from claimlight_workbench import theme
from claimlight_workbench.language import tell, tr
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_width, paint_chip
from claimlight_workbench.widgets.outlines import outline_pen

if TYPE_CHECKING:
    from claimlight.types import CellRuling, Query

TERM_LINES: Mapping[TermState, QTextCharFormat.UnderlineStyle] = MappingProxyType(
    {
        TermState.LITERAL: QTextCharFormat.UnderlineStyle.SingleUnderline,
        TermState.MEANING: QTextCharFormat.UnderlineStyle.DashUnderline,
        TermState.MISSING: QTextCharFormat.UnderlineStyle.WaveUnderline,
    }
)
_GAP = 12
_WAVE = 4


def term_colour(state: TermState) -> str:
    """Colour of a word's line; that of missing words is the word's own, too."""
    colours = theme.active()
    return colours.warning if state is TermState.MISSING else colours.text


class TermLegend(QWidget):
    """The feature and the passage, then each state that occurs in its own line; hidden without a ruling."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._feature = self._place = ""
        self._states: Sequence[TermState] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_terms(self, ruling: CellRuling | None, query: Query | None) -> None:
        """Explain the marks of a feature's words; None hides the legend."""
        if ruling is None or query is None or not ruling.terms:
            self.hide()
            return
        self._feature, self._place = ruling.feature, tell(ruling.label)
        by_state: dict[TermState, list[str]] = {}
        for term in ruling.terms:
            by_state.setdefault(term.state, []).append(query.text[term.span.start : term.span.end])
        self._states = [state for state in TermState if state in by_state]
        said = "; ".join(f"{tell(state.value)}: {', '.join(by_state[state])}" for state in self._states)
        self.setAccessibleName(
            tr("Words of {feature} in {place}: {said}", feature=self._feature, place=self._place, said=said)
        )
        self.setToolTip(self.accessibleName())
        self.show()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, max(chip_height(), self.fontMetrics().height()) + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        wide = chip_width(chip_font(self.font()), self._feature)
        top = (self.height() - chip_height()) // 2
        paint_chip(painter, QRect(4, top, wide, chip_height()), self._feature)
        left = 4 + wide + _GAP // 2
        left = (
            self._write(painter, metrics, left, tr("in {place}:", place=self._place), theme.active().muted)
            + _GAP
        )
        for state in self._states:
            right = self._write(painter, metrics, left, tell(state.value), term_colour(state))
            _draw_line(painter, left, right, self.height() - 5, state)
            if state is TermState.MISSING:
                painter.setPen(outline_pen())
                painter.drawRoundedRect(QRect(left - 3, 3, right - left + 6, self.height() - 6), 3, 3)
            left = right + _GAP
        painter.end()

    def _write(self, painter: QPainter, metrics: QFontMetrics, left: int, text: str, colour: str) -> int:
        """Write a text; returns where it ends."""
        wide = metrics.horizontalAdvance(text)
        painter.setPen(QColor(colour))
        sides = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(left, 0, wide + 2, self.height() - 2), sides, text)
        return left + wide


def _draw_line(painter: QPainter, left: int, right: int, y: int, state: TermState) -> None:
    pen = QPen(QColor(term_colour(state)))
    pen.setWidthF(1.4)
    if state is TermState.MEANING:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if state is not TermState.MISSING:
        painter.drawLine(left, y, right, y)
        return
    path = QPainterPath(QPointF(left, y))
    for number, x in enumerate(range(left, right, _WAVE)):
        peak = y - 2 if number % 2 else y + 2
        path.quadTo(QPointF(x + _WAVE / 2, peak), QPointF(x + _WAVE, y))
    painter.drawPath(path)
