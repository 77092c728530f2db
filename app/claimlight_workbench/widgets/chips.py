"""The small coloured plate that represents a feature wherever it appears: colour and label."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter, QPixmap

from claimlight_workbench import design, theme
from claimlight_workbench.text_size import scale_pixels

_HEIGHT = 16
_LEAST_WIDTH = 24
_EDGE = 3
"""Width of the edge in the full colour of the feature."""


def chip_height() -> int:
    """Height of a chip, which follows the size of the text."""
    return scale_pixels(_HEIGHT)


def chip_width(font: QFont, label: str) -> int:
    """Width of a chip with this label."""
    return max(
        scale_pixels(_LEAST_WIDTH), QFontMetrics(font).horizontalAdvance(label) + design.TIGHT + 2 * _EDGE
    )


def chip_font(base: QFont) -> QFont:
    """The font of chips: a step smaller and bold."""
    return design.sized(base, design.SMALL, bold=True)


def paint_chip(painter: QPainter, place: QRect, label: str, *, hollow: bool = False) -> None:
    """Paint one chip; hollow for a feature with highlights off or without a match."""
    colours = theme.active()
    box = QRectF(place).adjusted(0, 0, -1, -1)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(chip_font(painter.font()))
    if hollow:
        painter.setPen(QColor(colours.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, design.CORNER, design.CORNER)
    else:
        # A full plate in every place where a feature is named would be louder than what is disclosed.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.chip_ground(colours, label)))
        painter.drawRoundedRect(box, design.CORNER, design.CORNER)
        painter.setBrush(QColor(theme.feature_colour(colours, label)))
        painter.setClipRect(box.adjusted(0, 0, scale_pixels(_EDGE) - box.width(), 0))
        painter.drawRoundedRect(box, design.CORNER, design.CORNER)
        painter.setClipping(False)
    painter.setPen(QColor(colours.muted if hollow else colours.text))
    painter.drawText(place.adjusted(_EDGE, 0, 0, 0), Qt.AlignmentFlag.AlignCenter, label)
    painter.restore()


def chip_icon(label: str, font: QFont, *, hollow: bool = False, ratio: float = 1.0) -> QIcon:
    """A chip as an icon for buttons and list rows."""
    size = QSize(chip_width(chip_font(font), label), chip_height())
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setFont(font)
    paint_chip(painter, QRect(QPoint(0, 0), size), label, hollow=hollow)
    painter.end()
    icon = QIcon(pixmap)
    # Without a picture of its own a chosen row would get this one with the selection's colour over it.
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon
