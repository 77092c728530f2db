"""The measures of the window: distances, corners, lines and sizes of type.

Every screen takes its distances and sizes from here; a test finds those of its own. Why they are so few is in
``docs/developers/look.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QFont

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

HAIR, TIGHT, NEAR, APART, WIDE, VAST = 2, 4, 8, 12, 16, 24
"""Distances in pixels: within a control, between controls of one kind, between kinds, between groups, around
a page, around a message on an empty page."""
PANEL = (NEAR, TIGHT, NEAR, NEAR)
"""Left, top, right and bottom margin of a panel."""
STRIP = (NEAR, TIGHT, NEAR, TIGHT)
"""Margins of a strip that says or asks something."""
BAR = (TIGHT, HAIR, TIGHT, HAIR)
"""Margins of a bar across the window."""
CORNER = 4
"""Radius of corners."""
LINE = 1
"""Width of a line that separates."""
FOCUS = 2
"""Width of the line around what has the keys."""
ICON = 16
"""Side of an icon at text size 1."""
SMALL, BODY, LARGE = 0.86, 1.0, 1.2
"""Sizes of type as parts of the text size: labels on chips and axes, everything, the title of a document."""
_LEAST_POINTS = 7.0


def sized(base: QFont, size: float, *, bold: bool = False) -> QFont:
    """A font of one of the three sizes; never too small to be read."""
    font = QFont(base)
    font.setPointSizeF(max(_LEAST_POINTS, base.pointSizeF() * size))
    font.setBold(bold or base.bold())
    return font


def letters(widget: QWidget, count: float) -> int:
    """Width in pixels of this number of average letters, which follows the size of the text."""
    return round(widget.fontMetrics().averageCharWidth() * count)


def lines(widget: QWidget, count: float) -> int:
    """Height in pixels of this number of lines of text."""
    return round(widget.fontMetrics().lineSpacing() * count)
