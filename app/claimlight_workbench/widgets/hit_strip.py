"""A narrow strip beside a text: a tick for every hit in it, in lanes, and the part that is visible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from claimlight_workbench import theme
from claimlight_workbench.language import number, tr

if TYPE_CHECKING:
    import numpy.typing as npt

_TICK = 2
"""Height of a tick."""
_NEAR = 4
"""Pixels above and below the pointer in which a tick is meant."""
_GAP = 2
_NAMED = 6
"""Hits that the tool tip lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """Hits of one kind."""

    name: str
    """``find matches``: for the tool tip and screen readers."""
    places: npt.NDArray[np.float64]
    """Where each is in the text, 0 to 1, ascending."""
    width: int
    """Pixels."""
    colours: Sequence[str]
    """``#rrggbb`` of each, or one for all."""
    words: Callable[[int], str]
    """A hit in the tool tip; empty if the name of the lane is enough."""
    parts: Sequence[tuple[int, int]] = ()
    """For each, which part of the lane it takes: (1, 3) is the middle third; empty for all of it."""


class HitStrip(QWidget):
    """A click goes to the nearest hit, or else to that part of the text; the keys have *n of N* instead."""

    chosen = Signal(str, int)
    """Lane by its name, and number of the hit in it."""
    moved = Signal(float)
    """Show the text at this place, 0 to 1."""
    wheeled = Signal(QWheelEvent)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._lanes: tuple[Lane, ...] = ()
        self._first, self._last = 0.0, 1.0
        self._ticks: QPixmap | None = None
        self._width = 2 * _GAP
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        self.show_lanes((), width=16)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """What is shown, left to right."""
        return self._lanes

    def show_lanes(self, lanes: Sequence[Lane], *, width: int) -> None:
        """Show hits; ``width`` is the room for all lanes, which stays the same whatever is found."""
        self._lanes = tuple(lanes)
        self._width = width + 2 * _GAP
        counts = ", ".join(f"{lane.name}: {len(lane.places)}" for lane in lanes if len(lane.places))
        self.setAccessibleName(f"{self._name}: {counts or tr('none')}")
        self.redraw()
        self.updateGeometry()

    def show_visible(self, first: float, last: float) -> None:
        """Set the part of the text that is visible, 0 to 1."""
        if (first, last) != (self._first, self._last):
            self._first, self._last = first, last
            self.update()

    def redraw(self) -> None:
        """Draw the ticks again, as for other colours."""
        self._ticks = None
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._width, 60)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width, 20)

    def hit_at(self, height: int) -> tuple[str, int] | None:
        """The hit nearest to a height in pixels; None if none is near."""
        best: tuple[int, str, int] | None = None
        for lane, numbers in self._near(height):
            tops = self._tops(lane)[numbers]
            nearest = int(np.argmin(np.abs(tops - height)))
            found = abs(int(tops[nearest]) - height), lane.name, int(numbers[nearest])
            best = found if best is None or found[0] < best[0] else best
        return (best[1], best[2]) if best is not None else None

    def tip_at(self, height: int) -> str:
        """What is near a height in pixels, a line for each hit."""
        lines: list[str] = []
        for lane, numbers in self._near(height):
            said = list(dict.fromkeys(filter(None, (lane.words(int(each)) for each in numbers[:_NAMED]))))
            more = len(numbers) - _NAMED if said and len(numbers) > _NAMED else 0
            lines += said or [f"{lane.name}: {number(len(numbers), ',')}"]
            lines += [tr("{more:,} more", more=more)] if more else []
        return "\n".join(lines)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]  # Qt's own event
        self._ticks = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.StyleChange}:
            self._ticks = None

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.active()
        if self._ticks is None:
            self._ticks = self._draw()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(colours.raised))
        top = round(self._first * self.height())
        shown = QRect(0, top, self.width() - 1, max(6, round(self._last * self.height()) - top - 1))
        painter.fillRect(shown, QColor(colours.selection))
        painter.drawPixmap(0, 0, self._ticks)
        painter.setPen(QColor(colours.muted))
        painter.drawRect(shown)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().y()) or self._name, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        height = round(event.position().y())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if (hit := self.hit_at(height)) is not None:
            self.chosen.emit(*hit)
        else:
            self._move(height)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move(round(event.position().y()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.wheeled.emit(event)

    def _move(self, height: int) -> None:
        self.moved.emit(min(1.0, max(0.0, height / max(self.height(), 1))))

    def _tops(self, lane: Lane) -> npt.NDArray[np.int32]:
        return np.asarray(lane.places * max(self.height() - _TICK, 1), dtype=np.int32)

    def _near(self, height: int) -> list[tuple[Lane, npt.NDArray[np.intp]]]:
        found = []
        for lane in self._lanes:
            tops = self._tops(lane)
            low, high = np.searchsorted(tops, (height - _NEAR, height + _NEAR + 1))
            if high > low:
                found.append((lane, np.arange(low, high)))
        return found

    def _draw(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio)))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        left = _GAP
        for lane in self._lanes:
            tops = self._tops(lane)
            if len(lane.colours) == 1:
                # As many as there are pixels at most, however many hits there are.
                colour = QColor(lane.colours[0])
                for top in np.unique(tops):
                    painter.fillRect(left, int(top), lane.width, _TICK, colour)
            else:
                for number, top in enumerate(tops):
                    part, of = lane.parts[number] if lane.parts else (0, 1)
                    wide = max(2, lane.width // of)
                    painter.fillRect(
                        left + part * wide, int(top), wide, _TICK + 1, QColor(lane.colours[number])
                    )
            left += lane.width + 1
        painter.end()
        return picture
