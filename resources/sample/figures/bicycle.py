"""A bicycle from the side, as some of the documents show it."""

from __future__ import annotations

import math

from resources.sample.figures.kit import body, circle, dot, tube
from resources.sample.figures.sheet import BOLD, NORMAL, THIN, Point, Sheet


def wheel(sheet: Sheet, middle: Point, radius: float) -> None:
    """Tire, rim, spokes and hub."""
    for spoke in range(24):
        turn = math.tau * spoke / 24
        lean = turn + (0.35 if spoke % 2 else -0.35)
        hub = (middle[0] + 1.8 * math.cos(lean), middle[1] + 1.8 * math.sin(lean))
        rim = (middle[0] + (radius - 4) * math.cos(turn), middle[1] + (radius - 4) * math.sin(turn))
        sheet.line(hub, rim, width=THIN)
    circle(sheet, middle, radius, BOLD)
    circle(sheet, middle, radius - 2.6, NORMAL)
    circle(sheet, middle, radius - 4, NORMAL)
    sheet.area([(middle[0] + 2.2 * math.cos(a / 4), middle[1] + 2.2 * math.sin(a / 4)) for a in range(26)])
    circle(sheet, middle, 2.2)
    dot(sheet, middle)


def strut(sheet: Sheet, begin: Point, end: Point) -> None:
    """A damper between two bolts: the thick tube at ``begin``."""
    middle = (begin[0] + (end[0] - begin[0]) * 0.55, begin[1] + (end[1] - begin[1]) * 0.55)
    tube(sheet, begin, end, 2.2)
    tube(sheet, begin, middle, 5)
    for bolt in (begin, end):
        body(sheet, [(bolt[0] + 2 * math.cos(a / 4), bolt[1] + 2 * math.sin(a / 4)) for a in range(25)])
        dot(sheet, bolt)
