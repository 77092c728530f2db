"""Bars in the rows of a list: a share as a painted bar with its figure beside it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from claimlight_workbench import theme
from claimlight_workbench.text_size import scale_pixels

SHARE = Qt.ItemDataRole.UserRole + 20
"""Length of the bar, 0 to 1; no bar without it."""
MUTED = Qt.ItemDataRole.UserRole + 21
"""Whether the bar is only an outline: the row does not reach what was asked for."""
TICK = Qt.ItemDataRole.UserRole + 22
"""Where a line crosses the bar, 0 to 1: the threshold of the row; none without it."""
_GAP = 6


class BarDelegate(QStyledItemDelegate):
    """Figure on the left, as wide as ``widest``; the bar takes the rest of the column."""

    def __init__(self, widest: str, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]  # QObject or None
        self._widest = widest

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        share = index.data(SHARE)
        if share is None:
            super().paint(painter, option, index)
            return
        # The row as the style paints it, without the text.
        plain = QStyleOptionViewItem(option)
        self.initStyleOption(plain, index)
        plain.text = ""
        widget = option.widget
        style = widget.style() if widget is not None else None
        if style is not None:
            style.drawControl(QStyle.ControlElement.CE_ItemViewItem, plain, painter, widget)
        colours = theme.active()
        area: QRect = option.rect.adjusted(_GAP, 0, -_GAP, 0)
        font: QFontMetrics = option.fontMetrics
        wide = font.horizontalAdvance(self._widest)
        painter.save()
        muted = bool(index.data(MUTED))
        painter.setPen(QColor(colours.muted if muted else colours.text))
        figure = QRect(area.left(), area.top(), wide, area.height())
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(figure, right, str(index.data(Qt.ItemDataRole.DisplayRole)))
        high = min(scale_pixels(10), area.height() - 6)
        left = area.left() + wide + _GAP
        bar = QRectF(left, area.center().y() - high / 2 + 1, max(0, area.right() - left), high)
        paint_bar(painter, bar, float(share), muted=muted, tick=index.data(TICK))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return super().sizeHint(option, index)


def paint_bar(
    painter: QPainter,
    room: QRectF,
    share: float,
    *,
    muted: bool = False,
    tick: float | None = None,
    colours: theme.Theme | None = None,
) -> None:
    """A bar from the left of ``room``; muted ones are outlines, so that colour alone says nothing."""
    colours = colours or theme.active()
    bar = QRectF(room)
    bar.setWidth(max(1.0, room.width() * min(1.0, max(0.0, share))))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if muted:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.muted), 1.0))
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
    else:
        painter.fillRect(bar, QColor(colours.accent))
    if tick is not None:
        x = room.left() + room.width() * min(1.0, max(0.0, float(tick)))
        painter.setPen(QPen(QColor(colours.text), 1.0))
        painter.drawLine(
            QRectF(x, room.top() - 2, 0, 0).topLeft(), QRectF(x, room.bottom() + 2, 0, 0).topLeft()
        )
