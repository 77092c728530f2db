"""The warning sign of a match: a diamond with ≠ for no shared word, a square with w for words only."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPen, QPixmap, QPolygonF

from claimlight.services.search.cell_words import LAMP_SIGN
from claimlight.types import Lamp
from claimlight_workbench import theme

LAMP_SIZE = 15
_SIGN = 0.62
"""Height of the sign as a part of that of the lamp."""


def paint_lamp(painter: QPainter, place: QRect, lamp: Lamp) -> None:
    """Paint a lamp into a square; nothing for none."""
    if lamp not in LAMP_SIGN:
        return
    colours = theme.active()
    box = QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor(colours.warning))
    pen.setWidthF(1.2)
    painter.setPen(pen)
    painter.setBrush(QColor(colours.base))
    if lamp is Lamp.NO_SHARED_WORD:
        middle = box.center()
        corners = [
            QPointF(middle.x(), box.top()),
            QPointF(box.right(), middle.y()),
            QPointF(middle.x(), box.bottom()),
            QPointF(box.left(), middle.y()),
        ]
        painter.drawPolygon(QPolygonF(corners))
    else:
        painter.drawRect(box.adjusted(1, 1, -1, -1))
    font = QFont(painter.font())
    font.setBold(True)
    font.setPixelSize(round(place.height() * _SIGN))
    painter.setFont(font)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, LAMP_SIGN[lamp])
    painter.restore()


def lamp_icon(lamp: Lamp, *, ratio: float = 1.0) -> QIcon:
    """A lamp as an icon for rows and labels."""
    pixmap = QPixmap(round(LAMP_SIZE * ratio), round(LAMP_SIZE * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_lamp(painter, QRect(0, 0, LAMP_SIZE, LAMP_SIZE), lamp)
    painter.end()
    icon = QIcon(pixmap)
    # Without a picture of its own a chosen row would get this one with the selection's colour over it.
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon
