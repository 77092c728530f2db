"""Icons: SVG files in the colour of the text, drawn for the resolution of the screen; buttons with them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QToolButton

from claimlight import paths
from claimlight_workbench import design, theme
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.widgets.key_tips import set_tip

if TYPE_CHECKING:
    from pathlib import Path

_INK = b"currentColor"


def folder() -> Path:
    """Folder of the icons; their licence is beside them."""
    return paths.resources() / "icons"


@lru_cache(maxsize=64)
def _drawing(name: str) -> bytes:
    return (folder() / f"{name}.svg").read_bytes()


@lru_cache(maxsize=512)
def _picture(name: str, colour: str, side: int, ratio: float) -> QPixmap:
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    drawing = QSvgRenderer(QByteArray(_drawing(name).replace(_INK, colour.encode())))
    drawing.render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def icon(name: str, *, ratio: float = 1.0) -> QIcon:
    """An icon in the colours of the theme, for a screen with ``ratio`` pixels for each unit of length."""
    colours, side = theme.active(), scale_pixels(design.ICON)
    made = QIcon(_picture(name, colours.text, side, ratio))
    for mode, colour in (
        (QIcon.Mode.Disabled, theme.blend(colours.muted, colours.window, _FAINT)),
        (QIcon.Mode.Selected, colours.text),
    ):
        made.addPixmap(_picture(name, colour, side, ratio), mode)
    made.addPixmap(_picture(name, colours.accent, side, ratio), QIcon.Mode.Normal, QIcon.State.On)
    return made


_FAINT = 0.5
"""Opacity of the icon of a button that can't be pressed."""


class IconButton(QToolButton):
    """A flat button with an icon; its name is for screen readers, its tool tip names the keys as they are.

    ``command`` is the name of the command it stands for, whose keys the tool tip gives.
    """

    def __init__(
        self, name: str, label: str, *, tip: str = "", command: str = "", checkable: bool = False
    ) -> None:
        super().__init__()
        self._name = name
        self.setAutoRaise(True)
        self.setCheckable(checkable)
        self.setAccessibleName(label)
        set_tip(self, tip or label, command=command)
        self._drawn: tuple[object, ...] = ()
        """What the icon was drawn from: a style change comes with each new parent."""
        self._draw()

    def set_icon(self, name: str) -> None:
        """Show another icon."""
        if name != self._name:
            self._name = name
            self._draw()

    def _draw(self) -> None:
        side, ratio = scale_pixels(design.ICON), self.devicePixelRatioF()
        wanted = (self._name, theme.active(), side, ratio)
        if wanted != self._drawn:
            self._drawn = wanted
            self.setIcon(icon(self._name, ratio=ratio))
            self.setIconSize(QSize(side, side))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.StyleChange}:
            self._draw()
