"""Painted charts as pictures for a report: PNG, or SVG, dark on white whatever the colours of the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter

from claimlight_workbench import theme

_SHARPNESS = 2
"""Pixels of a PNG for each unit of the drawing."""


def draw_picture(size: QSize, title: str, draw: Callable[[QPainter], None], *, svg: bool) -> bytes:
    """What ``draw`` paints on a ground of ``size`` units, as the contents of a PNG or SVG file."""
    body = QByteArray()
    buffer = QBuffer(body)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if svg:
        _draw_svg(buffer, size, title, draw)
    else:
        image = QImage(size * _SHARPNESS, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(_SHARPNESS)
        image.fill(QColor(theme.LIGHT.base))
        painter = QPainter(image)
        draw(painter)
        painter.end()
        image.save(buffer, "PNG")  # type: ignore[call-overload]  # a device, which the stubs do not know
    buffer.close()
    return bytes(body.data())


def _draw_svg(buffer: QBuffer, size: QSize, title: str, draw: Callable[[QPainter], None]) -> None:
    # Only a report needs it: the window opens without.
    from PySide6.QtSvg import QSvgGenerator

    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    painter = QPainter(generator)
    draw(painter)
    painter.end()
