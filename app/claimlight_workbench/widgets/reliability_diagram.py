"""The reliability of a judge as a diagram: what it said against what was so."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from claimlight.services.search.verdict_words import RELIABILITY_TITLE, reliability_sentences
from claimlight_workbench import theme
from claimlight_workbench.language import tell, tr
from claimlight_workbench.text_size import scale_pixels

if TYPE_CHECKING:
    from claimlight.types import Reliability, ReliabilityBin

_RIGHT, _GAP, _CAP = 16, 5, 4.0
_LEAST, _MOST = 2.5, 8.0
"""Radius of the dot of few cells, and of the bin with most."""
_STEPS = tuple(range(0, 101, 20))


class ReliabilityDiagram(QWidget):
    """A dot for each range of probability with its 95 % interval; lines where the verdicts begin.

    Its accessible description and tool tip are the figures in words.
    """

    def __init__(
        self, found: Reliability, *, disclosed: float, candidate: float, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bins = found.bins
        self._bounds = ((candidate, tr("candidate")), (disclosed, tr("disclosed")))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tell(RELIABILITY_TITLE))
        self.setAccessibleDescription("\n".join(map(tell, reliability_sentences(found))))
        self.setToolTip(self.accessibleDescription())

    def sizeHint(self) -> QSize:
        return QSize(scale_pixels(360), scale_pixels(280))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.active()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.base))
        painter.setPen(QPen(QColor(colours.line)))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        metrics = self.fontMetrics()
        high, wide = metrics.height(), metrics.horizontalAdvance("100 %")
        area = QRectF(self.rect()).adjusted(
            wide + 2 * _GAP, 2 * high + 2 * _GAP, -_RIGHT, -(2 * high + 2 * _GAP)
        )
        _draw_axes(painter, area, colours)
        self._draw_bounds(painter, area, colours)
        painter.setPen(QPen(QColor(colours.muted), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(_at(area, 0.0, 0.0), _at(area, 1.0, 1.0))
        most = max((each.cells for each in self._bins), default=1)
        for each in self._bins:
            _draw_bin(painter, area, each, most=most, colour=QColor(colours.accent))

    def _draw_bounds(self, painter: QPainter, area: QRectF, colours: theme.Theme) -> None:
        """Where the verdicts begin: a line, and its word above the diagram on its side of it."""
        high = self.fontMetrics().height()
        for place, (bound, word) in enumerate(self._bounds):
            if bound > 1.0:
                continue
            x = _at(area, bound, 0.0).x()
            painter.setPen(QPen(QColor(colours.text), 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            text = tr("{word} from {bound}", word=word, bound=round(100 * bound))
            needed = self.fontMetrics().horizontalAdvance(text)
            # Each word has a line of its own: bounds may be as near to each other as they like.
            left = min(x - needed / 2, self.width() - needed - _GAP)
            painter.setPen(QColor(colours.text))
            box = QRectF(max(left, _GAP), _GAP + place * high, needed + 2, high)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _draw_axes(painter: QPainter, area: QRectF, colours: theme.Theme) -> None:
    high = painter.fontMetrics().height()
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
    for step in _STEPS:
        across, up = _at(area, step / 100, 0.0), _at(area, 0.0, step / 100)
        painter.setPen(QPen(QColor(colours.line)))
        painter.drawLine(up, _at(area, 1.0, step / 100))
        painter.setPen(QColor(colours.muted))
        painter.drawText(QRectF(0, up.y() - high / 2, area.left() - _GAP, high), right, f"{step} %")
        painter.drawText(QRectF(across.x() - 30, area.bottom() + 2, 60, high), middle, f"{step}")
    below = QRectF(area.left(), area.bottom() + 2 + high, area.width(), high)
    painter.drawText(below, middle, tr("probability of the cell"))


def _draw_bin(painter: QPainter, area: QRectF, each: ReliabilityBin, *, most: int, colour: QColor) -> None:
    reach = each.interval
    painter.setPen(QPen(colour, 1.4))
    ends = (_at(area, each.probability, reach.low), _at(area, each.probability, reach.high))
    painter.drawLine(*ends)
    for end in ends:
        painter.drawLine(end - QPointF(_CAP, 0), end + QPointF(_CAP, 0))
    painter.setBrush(colour)
    # Its area, not its radius, grows with the number of cells.
    radius = max(_LEAST, _MOST * math.sqrt(each.cells / most))
    painter.drawEllipse(_at(area, each.probability, each.share), radius, radius)


def _at(area: QRectF, probability: float, share: float) -> QPointF:
    return QPointF(area.left() + area.width() * probability, area.bottom() - area.height() * share)
