"""The date status of a row: letters in a frame of their own shape, so that it does not depend on colour."""

from __future__ import annotations

from functools import lru_cache, partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from claimlight.types import DateFinding, Zone
from claimlight_workbench import theme
from claimlight_workbench.language import tell
from claimlight_workbench.models.results_model import ZONE_ROLE
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_width
from claimlight_workbench.widgets.stamps import Stamps

_PLAIN = {Zone.PRIOR, Zone.LATER, Zone.UNKNOWN}
_MUTED = {Zone.LATER, Zone.UNKNOWN}
_Index = QModelIndex | QPersistentModelIndex


class ZoneDelegate(QStyledItemDelegate):
    """What needs a second look has a frame: P a solid one, E a dashed one; the others are words only."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        found = index.data(ZONE_ROLE)
        if isinstance(found, DateFinding):
            painter.save()
            painter.setFont(option.font)
            place: QRect = option.rect
            Stamps(painter).draw(
                place.topLeft(), place.size(), (found.zone, found.label), partial(_paint_stamp, found=found)
            )
            painter.restore()


def _paint_stamp(painter: QPainter, place: QRect, *, found: DateFinding) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint(painter, place, found, painter.font())


def _paint(painter: QPainter, place: QRect, found: DateFinding, font: QFont) -> None:
    colours, zone = theme.active(), found.zone
    plain = zone in _PLAIN
    room = place.width() - 6
    drawn = font if plain else chip_font(font)
    text, wide = _fit(tell(found.label), room, drawn.key())
    box = QRect(0, 0, wide, chip_height())
    painter.setFont(drawn)
    box.moveCenter(place.center())
    box.moveLeft(place.left() + 4)
    if not plain:
        pen = QPen(QColor(colours.warning))
        pen.setWidthF(1.2)
        if zone is Zone.E:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0, 0, -1, -1), 3, 3)
    painter.setPen(QColor(colours.muted if zone in _MUTED else colours.text))
    side = (
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter if plain else Qt.AlignmentFlag.AlignCenter
    )
    painter.drawText(box, side, text)


@lru_cache(maxsize=512)
def _fit(label: str, room: int, key: str) -> tuple[str, int]:
    """The part of a label that fits, and the width of its frame; cached, as rows repeat their labels."""
    font = QFont()
    font.fromString(key)
    metrics = QFontMetrics(font)
    if metrics.horizontalAdvance(label) > room:
        # Whole words say more than half a bracket, and the tool tip has the reason in full.
        label = label.partition(" (")[0]
    text = metrics.elidedText(label, Qt.TextElideMode.ElideRight, room)
    return text, min(room, chip_width(font, text) + 2)
