"""Curves over axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from resources.sample.figures.kit import arrow, smooth
from resources.sample.figures.sheet import BOLD, NORMAL, THIN, WORDS, Point, Sheet


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: its values from ``low`` to ``high``, its marks, and the words along it."""

    low: float
    high: float
    marks: Sequence[float] = ()
    words: str = ""
    logarithmic: bool = False

    def share(self, value: float) -> float:
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


class Plot:
    """A diagram in the box from ``left``, ``top`` to ``right``, ``bottom`` in mm."""

    def __init__(self, sheet: Sheet, place: Sequence[float], across: Scale, up: Scale) -> None:
        self.sheet = sheet
        self.left, self.top, self.right, self.bottom = place
        self.across, self.up = across, up
        arrow(sheet, (self.left, self.bottom), (self.right + 6, self.bottom), width=NORMAL)
        arrow(sheet, (self.left, self.bottom), (self.left, self.top - 6), width=NORMAL)
        for value in across.marks:
            x, y = self.at(value, up.low)
            sheet.line((x, y), (x, y + 1.6), width=NORMAL)
            sheet.text(_figure(value), (x, y + 5))
        for value in up.marks:
            x, y = self.at(across.low, value)
            sheet.line((x, y), (x - 1.6, y), width=NORMAL)
            half = len(_figure(value)) * WORDS * 0.27
            sheet.text(_figure(value), (x - 3 - half, y))
        wide = max((len(_figure(value)) for value in up.marks), default=0) * WORDS * 0.54
        if across.words:
            sheet.text(across.words, ((self.left + self.right) / 2, self.bottom + 12))
        if up.words:
            sheet.text(up.words, (self.left - wide - 7, (self.top + self.bottom) / 2), turned=True)

    def at(self, x: float, y: float) -> Point:
        """The place of two values on the page."""
        return (
            self.left + self.across.share(x) * (self.right - self.left),
            self.bottom - self.up.share(y) * (self.bottom - self.top),
        )

    def curve(
        self,
        points: Iterable[Point],
        *,
        dash: Sequence[float] = (),
        rounded: bool = False,
        width: float = BOLD,
    ) -> None:
        """A curve through values, straight between them or ``rounded``."""
        places = [self.at(x, y) for x, y in points]
        self.sheet.line(*(smooth(*places) if rounded else places), width=width, dash=dash)

    def guide(self, begin: Point, end: Point) -> None:
        """A thin dashed line between two pairs of values."""
        self.sheet.line(self.at(*begin), self.at(*end), width=THIN, dash=(1.5, 1.2))


def _figure(value: float) -> str:
    return f"{value:,g}".replace("-", "−")
