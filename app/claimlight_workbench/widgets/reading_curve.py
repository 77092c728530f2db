"""The coverage curve: features found and relevant documents after each document read, as steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from claimlight.types import format_publication
from claimlight_workbench import theme
from claimlight_workbench.language import number, tr, trn
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.widgets.pictures import draw_picture

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from claimlight.types import CoverageCurve, CurvePoint

_GAP, _SAMPLE, _RING = 5, 26, 3.0
_TICKS = 5
_TALL = 10
"""Lines of text in a height that has room for the words below the scale."""
_PICTURE = QSize(900, 420)
_PICTURE_TYPE = 14
"""Pixels: the picture of a report has its own scale."""


class ReadingCurve(QWidget):
    """A solid line for confirmed features, a dashed one for the evidence, a dotted one for documents."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: CoverageCurve | None = None
        self._relevant = True
        self._area = QRectF(self.rect())
        """Where the lines were drawn last."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Coverage curve"))

    @property
    def found(self) -> CoverageCurve | None:
        """What is drawn; None without a document read."""
        return self._found

    def show_curve(self, found: CoverageCurve | None, words: Sequence[str] = ()) -> None:
        """Draw a curve; ``words`` are what it shows in sentences."""
        self._found = found if found is not None and found.points else None
        self.setAccessibleDescription(" ".join(words))
        self.update()

    def show_relevant(self, on: bool) -> None:  # noqa: FBT001 - a slot
        """Draw the line of relevant documents too."""
        self._relevant = on
        self.update()

    def picture(self, title: str, *, svg: bool) -> bytes:
        """The curve for a report, as PNG or SVG."""
        found, relevant = self._found, self._relevant

        def draw(painter: QPainter) -> None:
            font = QFont()
            font.setPixelSize(_PICTURE_TYPE)
            painter.setFont(font)
            area = QRectF(12, 8, _PICTURE.width() - 24, _PICTURE.height() - 16)
            head = painter.fontMetrics().lineSpacing() + 2 * _GAP
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(QRectF(QPointF(), _PICTURE), QColor(theme.LIGHT.base))
            painter.setPen(QColor(theme.LIGHT.text))
            shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(area.width()))
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)
            if found is not None:
                _Drawing(painter, area.adjusted(0, head, 0, 0), found, theme.LIGHT, relevant=relevant).draw()

        return draw_picture(_PICTURE, title, draw, svg=svg)

    def sizeHint(self) -> QSize:
        return QSize(scale_pixels(380), scale_pixels(200))

    def minimumSizeHint(self) -> QSize:
        return QSize(scale_pixels(220), scale_pixels(110))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().event(event)

    def tip_at(self, place: QPoint) -> str:
        """What is known after the document at a place of the widget."""
        if self._found is None:
            return ""
        area = self._area
        points = self._found.points
        nearest = round((place.x() - area.left()) / max(area.width(), 1.0) * len(points))
        return point_words(points[min(max(nearest, 1), len(points)) - 1], self._found)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._found is not None:
            drawing = _Drawing(
                painter, QRectF(self.rect()), self._found, theme.active(), relevant=self._relevant
            )
            drawing.draw()
            self._area = drawing.area


def point_words(point: CurvePoint, found: CoverageCurve) -> str:
    """A document of the curve in words."""
    said = [
        tr("Document {place:,}: {publication}", place=point.place, publication=_name(point)),
        tr("{n} of {every} features confirmed", n=point.confirmed, every=len(found.features)),
    ]
    if found.compared:
        said.append(tr("{n} disclosed by the evidence", n=point.covered))
    said.append(trn("{n:,} relevant document", "{n:,} relevant documents", point.relevant))
    if point.first_confirmed:
        said.append(tr("first confirmed here: {labels}", labels=", ".join(point.first_confirmed)))
    return "\n".join(said)


def _name(point: CurvePoint) -> str:
    return format_publication(str(point.publication))


class _Line(NamedTuple):
    words: str
    value: Callable[[CurvePoint], int]
    most: int
    colour: str
    style: Qt.PenStyle
    width: float


class _Drawing:
    """One drawing of a curve: on the screen, or for a picture."""

    def __init__(
        self, painter: QPainter, whole: QRectF, found: CoverageCurve, colours: theme.Theme, *, relevant: bool
    ) -> None:
        self._painter = painter
        self._found = found
        self._colours = colours
        metrics = painter.fontMetrics()
        self._row = metrics.lineSpacing()
        self._features = max(len(found.features), 1)
        self._documents = max(found.points[-1].relevant, 1)
        self._relevant = relevant
        self._lines = self._choose_lines()
        left = metrics.horizontalAdvance(number(self._features, ",")) + 2 * _GAP
        right = (metrics.horizontalAdvance(number(self._documents, ",")) if relevant else 0) + 2 * _GAP
        legend = len(self._legend_rows(whole.width())) * self._row
        self._whole = whole
        # In a low panel the words below the scale would cost a third of the curve.
        self._captioned = whole.height() > _TALL * self._row
        below = (2 if self._captioned else 1) * self._row + _GAP
        self.area = whole.adjusted(left, legend + self._row * 0.7, -right, -below)
        """Where the lines are."""

    def draw(self) -> None:
        self._draw_axes()
        for line in self._lines:
            self._draw_line(line)
        self._draw_labels()
        self._draw_legend()

    def _choose_lines(self) -> tuple[_Line, ...]:
        """In the order in which they are drawn: the confirmed one over the others."""
        colours, found = self._colours, self._found
        lines = []
        if self._relevant:
            lines.append(
                _Line(
                    tr("relevant documents (right)"),
                    lambda each: each.relevant,
                    self._documents,
                    colours.warning,
                    Qt.PenStyle.DotLine,
                    1.8,
                )
            )
        if found.compared:
            lines.append(
                _Line(
                    tr("disclosed by the evidence"),
                    lambda each: each.covered,
                    self._features,
                    colours.muted,
                    Qt.PenStyle.DashLine,
                    1.6,
                )
            )
        lines.append(
            _Line(
                tr("confirmed features"),
                lambda each: each.confirmed,
                self._features,
                colours.accent,
                Qt.PenStyle.SolidLine,
                2.2,
            )
        )
        return tuple(lines)

    def _at(self, place: float, share: float) -> QPointF:
        area = self.area
        across = place / len(self._found.points)
        return QPointF(area.left() + area.width() * across, area.bottom() - area.height() * share)

    def _draw_axes(self) -> None:
        painter, area, row = self._painter, self.area, self._row
        left = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        right = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for value in _ticks(self._features, area.height(), row):
            y = self._at(0, value / self._features).y()
            painter.setPen(QPen(QColor(self._colours.line)))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(self._colours.muted))
            box = QRectF(self._whole.left(), y - row / 2, area.left() - self._whole.left() - _GAP, row)
            painter.drawText(box, left, number(value, ","))
        if self._relevant:
            painter.setPen(QColor(self._colours.warning))
            for value in _ticks(self._documents, area.height(), row):
                y = self._at(0, value / self._documents).y()
                box = QRectF(area.right() + _GAP, y - row / 2, self._whole.right() - area.right(), row)
                painter.drawText(box, right, number(value, ","))
        painter.setPen(QColor(self._colours.muted))
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        wide = painter.fontMetrics().horizontalAdvance(number(len(self._found.points), ",")) + 2 * _GAP
        for value in _ticks(len(self._found.points), area.width(), 2 * wide):
            x = self._at(value, 0).x()
            painter.drawText(QRectF(x - wide, area.bottom() + 2, 2 * wide, row), middle, number(value, ","))
        if not self._captioned:
            return
        below = QRectF(self._whole.left(), area.bottom() + row + 2, self._whole.width(), row)
        painter.drawText(below, middle, tr("documents read, in the order of reading"))

    def _draw_line(self, line: _Line) -> None:
        points = [self._at(0, 0)]
        before = 0
        for each in self._found.points:
            value = line.value(each)
            if value != before:
                points += [self._at(each.place, before / line.most), self._at(each.place, value / line.most)]
                before = value
        points.append(self._at(len(self._found.points), before / line.most))
        self._painter.setPen(QPen(QColor(line.colour), line.width, line.style))
        self._painter.drawPolyline(QPolygonF(points))

    def _draw_labels(self) -> None:
        """Where a feature has its first confirmed passage: a dot, and its label if there is room."""
        painter, metrics = self._painter, self._painter.fontMetrics()
        free = -math.inf
        for each in self._found.points:
            if not each.first_confirmed:
                continue
            at = self._at(each.place, each.confirmed / self._features)
            painter.setPen(QPen(QColor(self._colours.accent), 1.4))
            painter.setBrush(QColor(self._colours.base))
            painter.drawEllipse(at, _RING, _RING)
            text = " ".join(each.first_confirmed)
            wide = metrics.horizontalAdvance(text)
            # Left of the dot, over the line before it: that is lower, so nothing is crossed.
            left = max(at.x() - wide - _RING - 2, self.area.left() + 1)
            if left > free:
                painter.setPen(QColor(self._colours.text))
                painter.drawText(QPointF(left, at.y() - _RING), text)
                free = left + wide + _GAP

    def _legend_rows(self, room: float) -> list[list[_Line]]:
        """The lines of the legend, wrapped."""
        rows: list[list[_Line]] = [[]]
        used = 0.0
        for line in reversed(self._lines):
            wide = self._legend_width(line)
            if rows[-1] and used + wide > room:
                rows.append([])
                used = 0.0
            rows[-1].append(line)
            used += wide
        return rows

    def _legend_width(self, line: _Line) -> float:
        return _SAMPLE + 3 * _GAP + self._painter.fontMetrics().horizontalAdvance(line.words)

    def _draw_legend(self) -> None:
        painter, top = self._painter, self._whole.top()
        for lines in self._legend_rows(self._whole.width()):
            x = self._whole.left() + _GAP
            for line in lines:
                y = top + self._row / 2
                painter.setPen(QPen(QColor(line.colour), line.width, line.style))
                painter.drawLine(QPointF(x, y), QPointF(x + _SAMPLE, y))
                painter.setPen(QColor(self._colours.text))
                box = QRectF(x + _SAMPLE + _GAP, top, self._legend_width(line), self._row)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, line.words)
                x += self._legend_width(line)
            top += self._row


def _ticks(most: int, room: float, each: float) -> list[int]:
    """Whole numbers from 0 to ``most``, few enough that each has ``each`` of the room."""
    count = max(1, min(_TICKS, int(room / max(each, 1.0))))
    step = max(1, math.ceil(most / count))
    power = 10 ** int(math.log10(step))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= step)
    return list(range(0, most + 1, step))
