"""What drawings of machines are put together from: cut parts, shafts, springs, windings, arrows, boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from resources.sample.figures.sheet import BOLD, CHAIN, NORMAL, THIN, WORDS, Point, Sheet


def box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def arc(middle: Point, radius: float, begin: float = 0, end: float = 360, steps: int = 72) -> list[Point]:
    """Points of an arc; degrees, clockwise on the page from the right."""
    angles = (math.radians(begin + (end - begin) * step / steps) for step in range(steps + 1))
    return [(middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle)) for angle in angles]


def smooth(*points: Point, steps: int = 12) -> list[Point]:
    """A curve through all points (Catmull-Rom)."""
    padded = [points[0], *points, points[-1]]
    curve: list[Point] = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for step in range(steps):
            t = step / steps
            curve.append(
                tuple(
                    0.5
                    * (
                        2 * q
                        + (r - p) * t
                        + (2 * p - 5 * q + 4 * r - s) * t**2
                        + (3 * q - p - 3 * r + s) * t**3
                    )
                    for p, q, r, s in zip(a, b, c, d, strict=True)
                )  # type: ignore[arg-type]
            )
    return [*curve, points[-1]]


def body(sheet: Sheet, points: Sequence[Point], width: float = NORMAL) -> None:
    """A part that is not cut: white, with its edge."""
    sheet.area(points)
    sheet.line(*points, points[0], points[1], width=width)


def cut(sheet: Sheet, points: Sequence[Point], *, angle: float = 45, step: float = 2.0) -> None:
    """A part in section: hatched, with a bold edge."""
    sheet.area(points)
    for begin, end in _hatching(points, angle, step):
        sheet.line(begin, end, width=THIN)
    sheet.line(*points, points[0], points[1], width=BOLD)


def cut_ring(sheet: Sheet, middle: Point, outer: float, inner: float, *, angle: float = 45) -> None:
    """A tube cut across its axis."""
    for begin, end in _hatching(arc(middle, outer), angle, 2.0, arc(middle, inner)):
        sheet.line(begin, end, width=THIN)
    circle(sheet, middle, outer, BOLD)
    circle(sheet, middle, inner, BOLD)


def mirrored(points: Sequence[Point], axis: float) -> list[Point]:
    """The points on the other side of an upright axis."""
    return [(2 * axis - x, y) for x, y in points]


def cut_both(
    sheet: Sheet, points: Sequence[Point], axis: float = 75, *, angle: float = 45, step: float = 2.0
) -> None:
    """A part of a body of revolution: cut left and right of its axis."""
    cut(sheet, points, angle=angle, step=step)
    cut(sheet, mirrored(points, axis), angle=-angle, step=step)


def tube(sheet: Sheet, begin: Point, end: Point, wide: float) -> None:
    """A tube seen from the side."""
    long = math.dist(begin, end)
    x, y = (end[1] - begin[1]) / long * wide / 2, (begin[0] - end[0]) / long * wide / 2
    body(
        sheet,
        [
            (begin[0] + x, begin[1] + y),
            (end[0] + x, end[1] + y),
            (end[0] - x, end[1] - y),
            (begin[0] - x, begin[1] - y),
        ],
    )


def both_sides(outside: Sequence[Point], inside: Sequence[Point], axis: float = 75) -> list[Point]:
    """A ring-shaped part that closes across an upright axis, from the outline of its left half.

    ``outside`` leads from the upper end of the half to the axis, ``inside`` back from the axis.
    """
    return [*outside, *mirrored(outside[::-1], axis), *mirrored(inside[::-1], axis), *inside]


def axis(sheet: Sheet, *points: Point) -> None:
    sheet.line(*points, width=THIN, dash=CHAIN)


def circle(sheet: Sheet, middle: Point, radius: float, width: float = NORMAL) -> None:
    sheet.line(*arc(middle, radius), width=width)


def disc(sheet: Sheet, middle: Point, radius: float, width: float = NORMAL) -> None:
    body(sheet, arc(middle, radius), width)


def dot(sheet: Sheet, middle: Point, radius: float = 0.8) -> None:
    sheet.area(arc(middle, radius, steps=24), ink=True)


def winding(sheet: Sheet, left: float, top: float, right: float, bottom: float) -> None:
    """A coil in section: a box with its diagonals."""
    body(sheet, box(left, top, right, bottom))
    sheet.line((left, top), (right, bottom), width=THIN)
    sheet.line((left, bottom), (right, top), width=THIN)


def spring(
    sheet: Sheet, begin: Point, end: Point, width: float, turns: int, thickness: float = NORMAL
) -> None:
    """A helical or wave spring as a zigzag between two points."""
    long = math.dist(begin, end)
    along = ((end[0] - begin[0]) / long, (end[1] - begin[1]) / long)
    points = [begin]
    for number in range(turns * 2):
        share = (number + 0.5) / (turns * 2) * long
        side = width / 2 if number % 2 else -width / 2
        points.append(
            (begin[0] + along[0] * share - along[1] * side, begin[1] + along[1] * share + along[0] * side)
        )
    sheet.line(*points, end, width=thickness)


def seal(sheet: Sheet, *middles: Point, size: float = 1.6) -> None:
    """Sealing rings in section."""
    for x, y in middles:
        sheet.area(box(x - size / 2, y - size / 2, x + size / 2, y + size / 2), ink=True)


def broken(sheet: Sheet, left: float, right: float, y: float) -> None:
    """The wavy edge at which a part is broken off."""
    long = right - left
    high, turns = min(1.2, long / 8), 1 if long < 12 else 2
    wave = [(left + long * n / 24, y + high * math.sin(n / 24 * turns * math.tau)) for n in range(25)]
    # The straight edge of the part goes.
    sheet.area(box(left + BOLD / 2, y - BOLD / 2, right - BOLD / 2, y + BOLD / 2))
    sheet.line(*wave, width=THIN)


def arrow(sheet: Sheet, *points: Point, head: float = 2.6, both: bool = False, width: float = NORMAL) -> None:
    """A line with a solid head at its end, or at both."""
    sheet.line(*points, width=width)
    for tip, back in [(points[-1], points[-2]), *([(points[0], points[1])] if both else [])]:
        turn = math.atan2(back[1] - tip[1], back[0] - tip[0])
        wings = [
            (tip[0] + head * math.cos(turn + side), tip[1] + head * math.sin(turn + side))
            for side in (0.3, -0.3)
        ]
        sheet.area([tip, *wings], ink=True)


def block(
    sheet: Sheet, left: float, top: float, right: float, bottom: float, *words: str, size: float = WORDS
) -> None:
    """A box of a block diagram with its words, one line each."""
    body(sheet, box(left, top, right, bottom))
    for number, each in enumerate(words):
        y = (top + bottom) / 2 + (number - (len(words) - 1) / 2) * size * 1.35
        sheet.text(each, ((left + right) / 2, y), size)


def _hatching(
    points: Sequence[Point], angle: float, step: float, hole: Sequence[Point] = ()
) -> list[tuple[Point, Point]]:
    """Parallel lines inside a polygon; places depend on the page alone, so parts that are one match."""
    turn = math.radians(angle)
    cos, sin = math.cos(turn), math.sin(turn)
    rings = [[(x * cos + y * sin, y * cos - x * sin) for x, y in ring] for ring in (points, hole) if ring]
    low, high = min(v for _, v in rings[0]), max(v for _, v in rings[0])
    found = []
    level = math.ceil(low / step) * step
    while level < high:
        crossed = []
        for ring in rings:
            for (u0, v0), (u1, v1) in zip(ring, [*ring[1:], ring[0]], strict=True):
                if (v0 <= level) != (v1 <= level):
                    crossed.append(u0 + (level - v0) / (v1 - v0) * (u1 - u0))
        crossed.sort()
        for begin, end in zip(crossed[::2], crossed[1::2], strict=True):
            found.append(
                (
                    (begin * cos - level * sin, begin * sin + level * cos),
                    (end * cos - level * sin, end * sin + level * cos),
                )
            )
        level += step
    return found
