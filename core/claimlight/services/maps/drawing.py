"""A map as a table (CSV) and as a picture (SVG, PNG): points in the colours of sections, with a legend."""

from __future__ import annotations

import csv
import io
import struct
import zlib
from collections import Counter
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from claimlight.types import NO_SECTION, LibraryMap, plural

SECTIONS = (*"ABCDEFGHY", NO_SECTION)
"""In the order of legends."""
COLOURS = {
    "A": "#d1495b",
    "B": "#2f6db5",
    "C": "#2a8f4f",
    "D": "#8c510a",
    "E": "#1b1f24",
    "F": "#d9820b",
    "G": "#8e5bd0",
    "H": "#0f94a8",
    "Y": "#c2257a",
    NO_SECTION: "#8f98a1",
}
"""On white; the letters distinguish them without colours too."""
_SIDE, _EDGE, _LEGEND = 1000, 24, 170
_ROW = 26
_DOT = 5
_SCALE = 3
"""Pixels of a PNG for each dot of a letter."""
# Rows of letters 5 dots wide, the highest bit on the left: all that a legend needs.
_LETTERS = {
    "A": (14, 17, 17, 31, 17, 17, 17),
    "B": (30, 17, 17, 30, 17, 17, 30),
    "C": (14, 17, 16, 16, 16, 17, 14),
    "D": (30, 17, 17, 17, 17, 17, 30),
    "E": (31, 16, 16, 30, 16, 16, 31),
    "F": (31, 16, 16, 30, 16, 16, 16),
    "G": (14, 17, 16, 23, 17, 17, 14),
    "H": (17, 17, 17, 31, 17, 17, 17),
    "Y": (17, 17, 10, 4, 4, 4, 4),
    NO_SECTION: (0, 0, 0, 31, 0, 0, 0),
    "0": (14, 17, 19, 21, 25, 17, 14),
    "1": (4, 12, 4, 4, 4, 4, 14),
    "2": (14, 17, 1, 2, 4, 8, 31),
    "3": (31, 2, 4, 2, 1, 17, 14),
    "4": (2, 6, 10, 18, 31, 2, 2),
    "5": (31, 16, 30, 1, 1, 17, 14),
    "6": (6, 8, 16, 30, 17, 17, 14),
    "7": (31, 1, 2, 4, 8, 8, 8),
    "8": (14, 17, 17, 14, 17, 17, 14),
    "9": (14, 17, 17, 15, 1, 2, 12),
    ",": (0, 0, 0, 0, 12, 4, 8),
    " ": (0, 0, 0, 0, 0, 0, 0),
}
_INK = (27, 31, 36)


def map_table(found: LibraryMap) -> str:
    """The points as CSV: publication, title, section, x, y."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("publication", "title", "section", "x", "y"))
    for each in found.points:
        section = "" if each.section == NO_SECTION else each.section
        writer.writerow((each.publication, each.title, section, f"{each.x:.5f}", f"{each.y:.5f}"))
    return text.getvalue()


def count_sections(found: LibraryMap) -> tuple[tuple[str, int], ...]:
    """Documents by section, in the order of the legend; sections without documents are left out."""
    counts = Counter(each.section for each in found.points)
    return tuple((section, counts[section]) for section in SECTIONS if counts[section])


def map_svg(found: LibraryMap) -> str:
    """The map as SVG; each point has number and title as its tool tip."""
    wide = _SIDE + _LEGEND
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {_SIDE}" font-family="sans-serif" '
        'font-size="15">',
        f"<title>Map of {plural(len(found.points), 'document')} by section of their first class</title>",
        f'<rect width="{wide}" height="{_SIDE}" fill="#ffffff"/>',
    ]
    places = _pixels(found)
    for section, _ in _drawn(found):
        lines.append(f'<g fill="{COLOURS[section]}" fill-opacity="0.75">')
        for each, (x, y) in zip(found.points, places.tolist(), strict=True):
            if each.section == section:
                tip = escape(f"{each.publication} {each.title}")
                lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{tip}</title></circle>')
        lines.append("</g>")
    for row, (section, count) in enumerate(count_sections(found)):
        top = _EDGE + _ROW * row + 10
        lines.append(f'<circle cx="{_SIDE + 10}" cy="{top}" r="6" fill="{COLOURS[section]}"/>')
        lines.append(f'<text x="{_SIDE + 26}" y="{top + 5}" fill="#1b1f24">{section}  {count:,}</text>')
    return "\n".join([*lines, "</svg>", ""])


def map_png(found: LibraryMap) -> bytes:
    """The map as PNG of 1,170 by 1,000 pixels."""
    image = np.full((_SIDE, _SIDE + _LEGEND, 3), 255, dtype=np.uint8)
    places = np.rint(_pixels(found)).astype(np.int64)
    letters = np.array([each.section for each in found.points])
    for section, _ in _drawn(found):
        _dots(image, places[letters == section], COLOURS[section], _DOT)
    for row, (section, count) in enumerate(count_sections(found)):
        top = _EDGE + _ROW * row
        _dots(image, np.array([[_SIDE + 10, top + 10]]), COLOURS[section], 13)
        _write(image, f"{section} {count:,}", _SIDE + 26, top)
    return _encode(image)


def _drawn(found: LibraryMap) -> list[tuple[str, int]]:
    """Sections in the order in which they are drawn: rare ones last, over the others."""
    return sorted(count_sections(found), key=lambda each: -each[1])


def _pixels(found: LibraryMap) -> NDArray[np.float64]:
    """[n, 2] within a square with an edge, y downwards; the whole map fills it."""
    places = np.array([(each.x, -each.y) for each in found.points], dtype=np.float64).reshape(-1, 2)
    if not len(places):
        return places
    low, high = places.min(axis=0), places.max(axis=0)
    scale = (_SIDE - 2 * _EDGE) / max(float((high - low).max()), 1e-9)
    within: NDArray[np.float64] = (places - (low + high) / 2) * scale + _SIDE / 2
    return within


def _dots(image: NDArray[np.uint8], places: NDArray[np.int64], colour: str, wide: int) -> None:
    """Round dots of ``wide`` pixels."""
    ink = tuple(bytes.fromhex(colour[1:]))
    half = wide // 2
    for down in range(-half, half + 1):
        for right in range(-half, half + 1):
            if down * down + right * right <= half * half + half / 2:
                rows = np.clip(places[:, 1] + down, 0, image.shape[0] - 1)
                image[rows, np.clip(places[:, 0] + right, 0, image.shape[1] - 1)] = ink


def _write(image: NDArray[np.uint8], text: str, left: int, top: int) -> None:
    for place, letter in enumerate(text):
        rows = np.array(_LETTERS[letter], dtype=np.uint8)[:, None] >> np.arange(4, -1, -1) & 1
        dots = np.kron(rows, np.ones((_SCALE, _SCALE), dtype=np.uint8)).astype(bool)
        begin = left + place * 6 * _SCALE
        # A legend of a library of millions is cut rather than drawn over the edge.
        part = image[top : top + dots.shape[0], begin : begin + dots.shape[1]]
        part[dots[:, : part.shape[1]]] = _INK


def _encode(image: NDArray[np.uint8]) -> bytes:
    """A PNG of 8 bits a channel, without filters."""
    high, wide, _ = image.shape
    lines = np.concatenate([np.zeros((high, 1), dtype=np.uint8), image.reshape(high, -1)], axis=1)
    header = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
