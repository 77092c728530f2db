"""The loss of a training run by step, drawn while it runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from claimlight_workbench import theme
from claimlight_workbench.language import number, tr

SMOOTHING = 0.9
"""Weight of the past in each point of the smoothed line; the steps themselves are drawn thin behind it."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 10, 22
_TICKS = 5
"""Most grid lines across."""
_RING = 4.0
_MOST_POINTS = 2_000
"""More points can't be distinguished on any screen: of a longer run every n-th step is drawn."""


class LossCurve(QWidget):
    """Every step thin, the smoothed run thick, losses on held-out documents as rings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps: list[int] = []
        self._losses: list[float] = []
        self._validation: list[tuple[int, float]] = []
        self._total = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 90)
        self._tell()

    def sizeHint(self) -> QSize:
        return QSize(420, 180)

    @property
    def points(self) -> list[tuple[int, float]]:
        """Steps with their losses."""
        return list(zip(self._steps, self._losses, strict=True))

    def clear(self) -> None:
        """Clear the run."""
        self._steps, self._losses, self._validation, self._total = [], [], [], 0
        self._tell()

    def add(self, step: int, loss: float, *, steps: int, validation: float | None = None) -> None:
        """Add a step; one repeated after a resumption replaces the previous."""
        while self._steps and self._steps[-1] >= step:
            self._steps.pop()
            self._losses.pop()
        while self._validation and self._validation[-1][0] >= step:
            self._validation.pop()
        self._steps.append(step)
        self._losses.append(loss)
        self._total = max(steps, step)
        if validation is not None:
            self._validation.append((step, validation))
        self._tell()

    def smoothed(self) -> list[float]:
        """The smoothed line, corrected for its first value."""
        found, mean, weight = [], 0.0, 0.0
        for loss in self._losses:
            mean = SMOOTHING * mean + (1 - SMOOTHING) * loss
            weight = SMOOTHING * weight + (1 - SMOOTHING)
            found.append(mean / weight)
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.active()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.base))
        painter.setPen(QPen(QColor(colours.line)))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        if not self._steps:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, tr("Training loss"))
            return
        area = QRectF(_LEFT, _TOP, self.width() - _LEFT - _RIGHT, self.height() - _TOP - _BOTTOM)
        low, high = self._range()
        self._draw_axes(painter, area, low, high, colours)
        place = _Place(area, self._total, low, high)
        self._draw_line(
            painter, place, self._losses, QColor(theme.blend(colours.accent, colours.base, 0.35)), 1.0
        )
        self._draw_line(painter, place, self.smoothed(), QColor(colours.accent), 2.2)
        painter.setPen(QPen(QColor(colours.text), 1.6))
        for step, loss in self._validation:
            painter.drawEllipse(place.at(step, loss), _RING, _RING)

    def _range(self) -> tuple[float, float]:
        values = [*self._losses, *(loss for _, loss in self._validation)]
        low, high = min(values), max(values)
        # Equal losses have no range: without some room their height would be divided by zero.
        room = 0.06 * (high - low) or max(0.1, 0.06 * abs(high))
        return low - room, high + room

    def _draw_axes(
        self, painter: QPainter, area: QRectF, low: float, high: float, colours: theme.Theme
    ) -> None:
        for value in ticks(low, high):
            y = area.bottom() - area.height() * (value - low) / (high - low)
            painter.setPen(QPen(QColor(colours.line)))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(colours.muted))
            box = QRectF(0, y - 9, _LEFT - 6, 18)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, right, number(value, ".4g"))
        painter.setPen(QColor(colours.muted))
        below = QRectF(area.left(), area.bottom() + 2, area.width(), _BOTTOM - 4)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, tr("step 1"))
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, number(self._total, ","))

    def _draw_line(
        self, painter: QPainter, place: _Place, losses: Sequence[float], colour: QColor, width: float
    ) -> None:
        every = max(1, len(losses) // _MOST_POINTS)
        points = [
            place.at(step, loss)
            for number, (step, loss) in enumerate(zip(self._steps, losses, strict=True))
            if number % every == 0 or number == len(losses) - 1
        ]
        painter.setPen(QPen(colour, width))
        if len(points) == 1:
            painter.drawEllipse(points[0], 1.5, 1.5)
        painter.drawPolyline(QPolygonF(points))

    def _tell(self) -> None:
        """Accessible description."""
        self.setAccessibleName(tr("Loss by step"))
        self.setAccessibleDescription(
            tr(
                "step {steps:,} of {total:,}, loss {smoothed:.3f}, initially {losses:.3f}",
                steps=self._steps[-1],
                total=self._total,
                smoothed=self.smoothed()[-1],
                losses=self._losses[0],
            )
            if self._steps
            else tr("no steps yet")
        )
        self.update()


class _Place:
    """From step and loss to a point."""

    def __init__(self, area: QRectF, total: int, low: float, high: float) -> None:
        self._area, self._total, self._low, self._high = area, total, low, high

    def at(self, step: int, loss: float) -> QPointF:
        area = self._area
        across = (step - 1) / max(1, self._total - 1)
        up = (loss - self._low) / (self._high - self._low)
        return QPointF(area.left() + area.width() * across, area.bottom() - area.height() * up)


def ticks(low: float, high: float) -> list[float]:
    """Up to a few round numbers between two: multiples of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step = next(power * factor for factor in (1, 2, 5, 10) if (high - low) / (power * factor) <= _TICKS)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
