"""The zone of a row: letters in a frame of their own shape, so that no colour has to be told apart."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app import theme
from app.models.columns import ZONE_TEXT
from app.models.results_model import ZONE_ROLE
from app.widgets.chips import CHIP_HEIGHT, chip_font, chip_width
from core.types import Zone

_Index = QModelIndex | QPersistentModelIndex


class ZoneDelegate(QStyledItemDelegate):
    """PRIOR is a full plate, P a drawn frame, E a dashed one; later and unknown are words without a frame."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        # Qt hands an enumeration of strings on as a plain string.
        zone = Zone(index.data(ZONE_ROLE)) if index.data(ZONE_ROLE) else None
        if zone is not None:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _paint(painter, option.rect, zone, option.font)
            painter.restore()


def _paint(painter: QPainter, place: QRect, zone: Zone, font: QFont) -> None:
    colours = theme.active()
    plain = zone in {Zone.LATER, Zone.UNKNOWN}
    painter.setFont(font if plain else chip_font(font))
    text = ZONE_TEXT[zone]
    box = QRect(0, 0, chip_width(chip_font(font), text) + 2, CHIP_HEIGHT)
    box.moveCenter(place.center())
    box.moveLeft(place.left() + 4)
    if not plain:
        pen = QPen(QColor(colours.good if zone is Zone.PRIOR else colours.warning))
        pen.setWidthF(1.2)
        if zone is Zone.E:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        fill = theme.blend(colours.good, colours.base, 0.16) if zone is Zone.PRIOR else ""
        painter.setBrush(QColor(fill) if fill else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0, 0, -1, -1), 3, 3)
    painter.setPen(QColor(colours.muted if plain else colours.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
