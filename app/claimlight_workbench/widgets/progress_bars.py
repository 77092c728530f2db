"""Rows of small bars, one for each feature: how many new passages each block of documents read had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from claimlight_workbench import theme
from claimlight_workbench.language import tr
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_width, paint_chip

_ROW, _GAP, _WIDEST = 30, 8, 18
_HEAD = 64
"""Width of what names a row."""


@dataclass(frozen=True, slots=True)
class BarRow:
    """A row: a feature's label, or words where it is none; a number and its tool tip for each block."""

    label: str
    words: str
    counts: tuple[int, ...]
    tips: tuple[str, ...]
    note: str
    """At the right of the bars."""


class ProgressBars(QWidget):
    """All rows have one scale, so that their heights compare."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[BarRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("New passages by documents read"))
        self.show_rows(())

    @property
    def rows(self) -> tuple[BarRow, ...]:
        """What is shown."""
        return self._rows

    def show_rows(self, rows: Sequence[BarRow]) -> None:
        """Show rows of equally many bars."""
        self._rows = tuple(rows)
        self.setAccessibleDescription(
            "; ".join(
                f"{row.label or row.words}: {', '.join(map(str, row.counts))} ({row.note})"
                for row in self._rows
            )
            or tr("no document read yet")
        )
        self.setFixedHeight(max(1, len(self._rows)) * scale_pixels(_ROW) + 4)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, max(1, len(self._rows)) * scale_pixels(_ROW) + 4)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().event(event)

    def tip_at(self, place: QPoint) -> str:
        """The tool tip of the bar, or of the row, at a place."""
        number = place.y() // scale_pixels(_ROW)
        if not 0 <= number < len(self._rows):
            return ""
        row = self._rows[number]
        left, step = scale_pixels(_HEAD), self._step()
        column = (place.x() - left) // step if place.x() >= left else -1
        return row.tips[column] if 0 <= column < len(row.tips) else row.words

    def _step(self) -> int:
        """Width of a bar with its gap: less where there are many."""
        blocks = max((len(row.counts) for row in self._rows), default=0)
        room = (self.width() - scale_pixels(_HEAD)) * 6 // 10
        return max(3, min(scale_pixels(_WIDEST), room // max(1, blocks)))

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.active()
        painter = QPainter(self)
        tall, step, left = scale_pixels(_ROW), self._step(), scale_pixels(_HEAD)
        # One scale for the passages, another for the documents: they are different things.
        most = {
            bool(row.label): max(
                (
                    max(other.counts, default=0)
                    for other in self._rows
                    if bool(other.label) == bool(row.label)
                ),
                default=0,
            )
            for row in self._rows
        }
        for number, row in enumerate(self._rows):
            top = number * tall
            self._paint_name(painter, row, top, tall)
            colour = QColor(theme.feature_colour(colours, row.label) if row.label else colours.muted)
            base = top + tall - 6
            wide = len(row.counts) * step
            painter.fillRect(QRect(left, base, max(1, wide), 1), QColor(colours.line))
            for place, count in enumerate(row.counts):
                if count:
                    high = max(3.0, (tall - 14) * count / max(1, most[bool(row.label)]))
                    bar = QRectF(left + place * step, base - high, max(2, step - 3), high)
                    painter.fillRect(bar, colour)
            painter.setPen(QColor(colours.muted))
            start = left + wide + _GAP
            words = painter.fontMetrics().elidedText(
                row.note, Qt.TextElideMode.ElideRight, max(0, self.width() - start - 4)
            )
            painter.drawText(
                QRect(start, top, self.width() - start, tall),
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                words,
            )
        painter.end()

    def _paint_name(self, painter: QPainter, row: BarRow, top: int, tall: int) -> None:
        if row.label:
            wide = chip_width(chip_font(painter.font()), row.label)
            paint_chip(painter, QRect(2, top + (tall - chip_height()) // 2, wide, chip_height()), row.label)
            return
        painter.setPen(QColor(theme.active().text))
        place = QRect(2, top, scale_pixels(_HEAD) - 4, tall)
        words = painter.fontMetrics().elidedText(row.words, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
