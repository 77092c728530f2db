"""A decoded page as a picture of Qt; in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QImage, QTransform

if TYPE_CHECKING:
    from claimlight.services.drawings.decoding import Raster


def page_image(raster: Raster, turns: int = 0) -> QImage:
    """A picture that is quickly painted, turned clockwise by ``turns`` quarters."""
    form = QImage.Format.Format_Grayscale8 if raster.grey else QImage.Format.Format_RGB888
    wide = raster.width if raster.grey else 3 * raster.width
    # The conversion copies: Qt does not keep the bytes alive.
    image = QImage(raster.pixels, raster.width, raster.height, wide, form)
    return turned_image(image.convertToFormat(QImage.Format.Format_RGB32), turns)


def turned_image(image: QImage, turns: int) -> QImage:
    """A picture turned clockwise by ``turns`` quarters."""
    return image.transformed(QTransform().rotate(90 * turns)) if turns else image
