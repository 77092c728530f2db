"""A map as arrays, for a window: what is where on the screen, and the points as pixels.

Everything is one pass over all points, a few milliseconds for 100,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from claimlight.services.maps.drawing import SECTIONS, count_sections
from claimlight.types import LibraryMap, MapPoint

_EDGE = 18
"""Pixels around the whole map."""
_OPAQUE = 0xFF000000
_NEAR = 8
"""Pixels within which a point is pointed at."""
_MOST_ZOOM = 400.0
"""Times the scale of the whole map."""


@dataclass(frozen=True, slots=True)
class Lens:
    """The part of the plane that is seen."""

    x: float
    """Place in the middle of the picture."""
    y: float
    scale: float
    """Pixels for a unit of the plane."""
    width: int
    """Pixels of the picture."""
    height: int

    def moved(self, right: float, down: float) -> Lens:
        """The plane drawn as many pixels further to the right and down."""
        return replace(self, x=self.x - right / self.scale, y=self.y + down / self.scale)


class Plane:
    """The points of a map."""

    def __init__(self, found: LibraryMap) -> None:
        self.found = found
        self.points: tuple[MapPoint, ...] = found.points
        self.rows = {each.publication: row for row, each in enumerate(found.points)}
        """Row of each publication."""
        self.legend = count_sections(found)
        """Sections with their documents."""
        self._places = np.array([(each.x, each.y) for each in found.points], dtype=np.float32).reshape(-1, 2)
        if len(self._places):
            self._bounds = self._places.min(axis=0), self._places.max(axis=0)
        codes = {section: code for code, section in enumerate(SECTIONS)}
        self._sections = np.array([codes[each.section] for each in found.points], dtype=np.int64)
        counts = np.bincount(self._sections, minlength=len(SECTIONS))
        # Points of rare sections are drawn last, over the others.
        self._order = np.argsort(-counts[self._sections], kind="stable")
        self._at: tuple[Lens, NDArray[np.int32]] | None = None

    def whole(self, width: int, height: int) -> Lens:
        """The whole map in a picture of this size."""
        if not len(self._places):
            return Lens(0.0, 0.0, 1.0, width, height)
        low, high = self._bounds
        room = np.maximum(np.array([width, height], dtype=np.float64) - 2 * _EDGE, 1.0)
        scale = float((room / np.maximum(high - low, 1e-6)).min())
        x, y = ((low + high) / 2).tolist()
        return Lens(x, y, scale, width, height)

    def zoomed(self, lens: Lens, factor: float, x: float, y: float) -> Lens:
        """Larger or smaller, with what is at the pixel (``x``, ``y``) staying there."""
        fit = self.whole(lens.width, lens.height).scale
        scale = min(max(lens.scale * factor, fit * 0.5), fit * _MOST_ZOOM)
        right, down = x - lens.width / 2, y - lens.height / 2
        change = 1.0 / lens.scale - 1.0 / scale
        return replace(lens, x=lens.x + right * change, y=lens.y - down * change, scale=scale)

    def pixels(self, lens: Lens, rows: Sequence[int] | None = None) -> NDArray[np.int32]:
        """[n, 2] pixel of each point, or of those in ``rows``; outside the picture too."""
        # Read once and replaced whole: pointing and drawing ask for the same picture again and again.
        known = self._at
        if known is None or known[0] != lens:
            middle = np.array([lens.x, lens.y], dtype=np.float32)
            at = (self._places - middle) * np.array([lens.scale, -lens.scale], dtype=np.float32)
            at += np.array([lens.width / 2, lens.height / 2], dtype=np.float32)
            # Far outside, a deep zoom would leave the range of whole numbers.
            known = lens, np.rint(np.clip(at, -1e6, 1e6)).astype(np.int32)
            self._at = known
        return known[1] if rows is None else known[1][np.asarray(rows, dtype=np.int64)]

    def draw(
        self,
        lens: Lens,
        *,
        colours: Sequence[int],
        background: int,
        dot: int,
        ringed: Sequence[int] = (),
        ring: int = 0,
        framed: Sequence[int] = (),
        frame: int = 0,
    ) -> bytes:
        """The picture as 32-bit pixels ``0xffRRGGBB``, line by line.

        ``colours`` and ``background`` are ``0xRRGGBB``, one for each of `SECTIONS`; a point is ``dot`` pixels
        wide. Rows that are ``ringed`` have a ring of the colour ``ring`` around them, ``framed`` ones a
        square of the colour ``frame``.
        """
        image = np.full((lens.height, lens.width), background | _OPAQUE, dtype=np.uint32)
        palette = np.array(colours, dtype=np.uint32) | np.uint32(_OPAQUE)
        at = self.pixels(lens)
        seen = self._order[_within(at, lens, dot)[self._order]]
        _stamp(image, at[seen], palette[self._sections[seen]], _disc(dot))
        for rows, colour, shape in ((ringed, ring, _ring(dot + 4)), (framed, frame, _frame(dot + 4))):
            if len(rows):
                _stamp(image, self.pixels(lens, rows), np.array([colour | _OPAQUE], dtype=np.uint32), shape)
        return image.tobytes()

    def nearest(self, lens: Lens, x: float, y: float) -> int:
        """Row of the point that is pointed at; -1 if none is."""
        if not len(self._places):
            return -1
        at = self.pixels(lens)
        close = np.flatnonzero((np.abs(at[:, 0] - x) <= _NEAR) & (np.abs(at[:, 1] - y) <= _NEAR))
        if not len(close):
            return -1
        squares = ((at[close] - np.array([x, y])) ** 2).sum(axis=1)
        return int(close[squares.argmin()])

    def inside(self, lens: Lens, mask: bytes, stride: int) -> list[int]:
        """Rows of the points on pixels where ``mask``, of ``stride`` bytes a line, is not 0."""
        at = self.pixels(lens)
        seen = np.flatnonzero(_within(at, lens, 0))
        bits = np.frombuffer(mask, dtype=np.uint8).reshape(lens.height, stride)
        hit = bits[at[seen, 1], at[seen, 0]] != 0
        rows: list[int] = seen[hit].tolist()
        return rows


def _within(at: NDArray[np.int32], lens: Lens, reach: int) -> NDArray[np.bool_]:
    across = (at[:, 0] >= -reach) & (at[:, 0] < lens.width + reach)
    down = (at[:, 1] >= -reach) & (at[:, 1] < lens.height + reach)
    kept: NDArray[np.bool_] = across & down
    return kept


def _disc(wide: int) -> list[tuple[int, int]]:
    half = (wide - 1) / 2
    steps = range(-(wide // 2), wide // 2 + 1)
    return [(x, y) for x in steps for y in steps if x * x + y * y <= half * half + 0.6 * half]


def _ring(wide: int) -> list[tuple[int, int]]:
    inner = set(_disc(wide - 2))
    return [each for each in _disc(wide) if each not in inner]


def _frame(wide: int) -> list[tuple[int, int]]:
    half = wide // 2
    steps = range(-half, half + 1)
    return [(x, y) for x in steps for y in steps if max(abs(x), abs(y)) == half]


def _stamp(
    image: NDArray[np.uint32],
    at: NDArray[np.int32],
    colours: NDArray[np.uint32],
    shape: Sequence[tuple[int, int]],
) -> None:
    """Draw a shape at each place; one colour for all, or one for each."""
    high, wide = image.shape
    flat = image.reshape(-1)
    reach = max(max(abs(x), abs(y)) for x, y in shape)
    x, y = at[:, 0], at[:, 1]
    inside = (x >= reach) & (x < wide - reach) & (y >= reach) & (y < high - reach)
    begin = y[inside] * np.int32(wide) + x[inside]
    inks = colours if len(colours) == 1 else colours[inside]
    for right, down in shape:
        flat[begin + np.int32(down * wide + right)] = inks
    # What is cut off by the edge.
    edge = np.flatnonzero(~inside)
    inks = colours if len(colours) == 1 else colours[edge]
    for right, down in shape:
        across, along = x[edge] + right, y[edge] + down
        held = (across >= 0) & (across < wide) & (along >= 0) & (along < high)
        image[along[held], across[held]] = inks if len(inks) == 1 else inks[held]
