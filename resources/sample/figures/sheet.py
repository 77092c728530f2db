"""A drawing sheet: lines, areas and lettering in millimetres, kept in order and rasterised at the end.

What is drawn later covers what was drawn before: a white body hides what is behind it.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 150.0, 220.0
"""Millimetres, as the XML says of every picture."""
DPI = 300
_OVER = 2
"""Pixels of the raster in which is drawn, per pixel of the picture and side."""
_SCALE = DPI * _OVER / 25.4
_FONT = Path(__file__).resolve().parents[2] / "fonts" / "DejaVuSansCondensed.ttf"
BOLD, NORMAL, THIN = 0.5, 0.35, 0.22
"""Widths of lines in mm: outlines of cut parts, other edges, hatching and lead lines."""
SIGN, WORDS = 6.0, 4.8
"""Sizes of lettering in mm: reference signs, words in boxes and along axes."""
DASHED, DOTTED, CHAIN = (3.0, 1.6), (0.5, 1.3), (7.0, 1.5, 0.8, 1.5)

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line of a width, or a filled area if ``fill``; ``ink`` False is white."""

    points: tuple[Point, ...]
    width: float
    fill: bool = False
    ink: bool = True


@dataclass(frozen=True, slots=True)
class Lettering:
    """A text around its middle; ``turned`` reads from bottom to top."""

    text: str
    middle: Point
    size: float
    turned: bool = False
    sign: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom in mm."""
        wide, high = _extent(self.text, self.size)
        if self.turned:
            wide, high = high, wide
        x, y = self.middle
        return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


class Sheet:
    """One page of drawings with its caption below."""

    def __init__(self, caption: str) -> None:
        self.strokes: list[Stroke | Lettering] = []
        self.text(caption, (WIDTH / 2, HEIGHT - 7), 8.0)

    @property
    def lettering(self) -> list[Lettering]:
        return [each for each in self.strokes if isinstance(each, Lettering)]

    def line(self, *points: Point, width: float = NORMAL, dash: Sequence[float] = ()) -> None:
        for part in _dashes(points, dash) if dash else (points,):
            self.strokes.append(Stroke(tuple(part), width))

    def area(self, points: Iterable[Point], *, ink: bool = False) -> None:
        """A filled area without an edge."""
        self.strokes.append(Stroke(tuple(points), 0.0, fill=True, ink=ink))

    def text(self, text: str, middle: Point, size: float = WORDS, *, turned: bool = False) -> None:
        self.strokes.append(Lettering(text, middle, size, turned))

    def sign(self, sign: str, at: Point, *ends: Point, bend: float = 0.06) -> None:
        """A reference sign with a lead line, gently bent, to each of ``ends``."""
        label = Lettering(sign, at, SIGN, sign=True)
        self.strokes.append(label)
        left, top, right, bottom = label.box
        half_x, half_y = (right - left) / 2 + 0.9, (bottom - top) / 2 + 0.9
        for end in ends:
            dx, dy = end[0] - at[0], end[1] - at[1]
            share = min(half_x / abs(dx) if dx else math.inf, half_y / abs(dy) if dy else math.inf)
            begin = (at[0] + dx * share, at[1] + dy * share)
            side = (begin[0] + end[0]) / 2 - dy * bend, (begin[1] + end[1]) / 2 + dx * bend
            self.line(*_bow(begin, side, end), width=THIN)

    def raster(self, *, lettering: bool = True) -> Image.Image:
        """The page as a bilevel picture, on demand without its lettering."""
        image = Image.new("L", (round(WIDTH * _SCALE), round(HEIGHT * _SCALE)), 255)
        draw = ImageDraw.Draw(image)
        draw.fontmode = "1"
        for each in self.strokes:
            if isinstance(each, Lettering):
                if lettering:
                    _letter(image, draw, each)
                continue
            points = [(x * _SCALE, y * _SCALE) for x, y in each.points]
            if each.fill:
                draw.polygon(points, fill=0 if each.ink else 255)
            else:
                draw.line(points, fill=0, width=max(1, round(each.width * _SCALE)), joint="curve")
        small = image.reduce(_OVER)
        return small.point([0] * 128 + [255] * 128).convert("1", dither=Image.Dither.NONE)

    def tiff(self) -> bytes:
        """The page as the offices store it: a TIFF with one bit per pixel, compressed by group 4."""
        written = io.BytesIO()
        self.raster().save(written, "TIFF", compression="group4", dpi=(DPI, DPI))
        return written.getvalue()


@cache
def _font(size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONT, round(size * _SCALE), layout_engine=ImageFont.Layout.BASIC)


@cache
def _extent(text: str, size: float) -> tuple[float, float]:
    left, top, right, bottom = _font(size).getbbox(text)
    return (right - left) / _SCALE, (bottom - top) / _SCALE


def _letter(image: Image.Image, draw: ImageDraw.ImageDraw, label: Lettering) -> None:
    font = _font(label.size)
    x, y = label.middle[0] * _SCALE, label.middle[1] * _SCALE
    left, top, right, bottom = font.getbbox(label.text)
    if not label.turned:
        draw.text((round(x - (left + right) / 2), round(y - (top + bottom) / 2)), label.text, 0, font)
        return
    wide, high = round(right - left), round(bottom - top)
    strip = Image.new("L", (wide, high), 255)
    flat = ImageDraw.Draw(strip)
    flat.fontmode = "1"
    flat.text((-left, -top), label.text, 0, font)
    image.paste(strip.transpose(Image.Transpose.ROTATE_90), (round(x - high / 2), round(y - wide / 2)))


def _bow(begin: Point, side: Point, end: Point) -> list[Point]:
    """A quadratic curve."""
    curve = []
    for step in range(13):
        t = step / 12
        first, second, third = (1 - t) ** 2, 2 * t * (1 - t), t * t
        curve.append(
            (
                first * begin[0] + second * side[0] + third * end[0],
                first * begin[1] + second * side[1] + third * end[1],
            )
        )
    return curve


def _dashes(points: Sequence[Point], dash: Sequence[float]) -> list[list[Point]]:
    """The drawn parts of a line with gaps; ``dash`` alternates drawn and left out."""
    parts: list[list[Point]] = [[points[0]]]
    place, left = 0, dash[0]
    for begin, end in itertools.pairwise(points):
        length = math.dist(begin, end)
        done = 0.0
        while length - done > left:
            done += left
            at = (
                begin[0] + (end[0] - begin[0]) * done / length,
                begin[1] + (end[1] - begin[1]) * done / length,
            )
            if place % 2 == 0:
                parts[-1].append(at)
            else:
                parts.append([at])
            place += 1
            left = dash[place % len(dash)]
        left -= length - done
        if place % 2 == 0:
            parts[-1].append(end)
    return [part for part in parts if len(part) > 1]
