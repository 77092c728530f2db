"""US 98,200,347 B2: damper whose bypass is ruled by the inertia of liquid in a long track."""

from __future__ import annotations

import math

from resources.sample.figures.kit import (
    arc,
    axis,
    body,
    both_sides,
    box,
    broken,
    circle,
    cut,
    cut_both,
    disc,
    seal,
    spring,
)
from resources.sample.figures.plot import Plot, Scale
from resources.sample.figures.sheet import BOLD, DASHED, DOTTED, NORMAL, THIN, Point, Sheet

TURNS = 2.75
PITCH = 11.5
"""Distance of neighbouring turns in the drawing, in mm."""


def assembly(sheet: Sheet) -> None:
    """Figure 1: section of the piston assembly."""
    axis(sheet, (75, 6), (75, 204))
    cut_both(sheet, box(24, 14, 28.5, 200), angle=-45)
    for left, right in ((24, 28.5), (121.5, 126)):
        broken(sheet, left, right, 14)
        broken(sheet, left, right, 200)
    # Rod, hollow post with its cross bore.
    body(sheet, [(67, 14), (83, 14), (83, 40), (80, 43), (70, 43), (67, 40)])
    broken(sheet, 67, 83, 14)
    cut_both(sheet, box(70, 43, 73, 49), step=1.6)
    cut_both(sheet, box(70, 53, 73, 153.5), step=1.6)
    # Main valve.
    cut_both(sheet, [(29.2, 66), (43, 66), (47, 90), (29.2, 90)])
    cut_both(sheet, [(48, 66), (56, 66), (54, 90), (52, 90)])
    cut_both(sheet, [(61, 66), (70, 66), (70, 90), (58, 90)])
    seal(sheet, (29.6, 78), (120.4, 78))
    for number, reach in enumerate((22, 20, 15)):
        for side in (-1, 1):
            near, far = 75 + side * 5, 75 + side * (reach + 12)
            body(sheet, box(min(near, far), 90 + number * 1.6, max(near, far), 91.6 + number * 1.6))
    for number, reach in enumerate((34, 27, 18)):
        for side in (-1, 1):
            near, far = 75 + side * 5, 75 + side * reach
            body(sheet, box(min(near, far), 64.4 - number * 1.6, max(near, far), 66 - number * 1.6))
    # Cup with track plate, cover plate, diaphragm disc and bypass seat.
    inside = [(59, 160), (59, 152), (56, 152), (56, 156), (42, 156), (42, 104), (70, 104)]
    cut(sheet, both_sides([(70, 98), (37, 98), (37, 166)], inside), angle=-45)
    cut_both(sheet, box(66, 152, 69, 154.5), angle=-45, step=1.6)
    cut_both(sheet, box(66, 157.5, 69, 160), angle=-45, step=1.6)
    for side in (-1, 1):
        left, right = sorted((75 + side * 32, 75 + side * 40))
        sheet.area(box(left, 147, right, 152))
        sheet.line((left, 147), (right, 147), width=BOLD)
        sheet.line((left, 152), (right, 152), width=BOLD)
    track: list[Point] = [(70, 104), (42, 104), (42, 113)]
    for place in (46.0, 53.5, 61.0):
        track += [(place, 113), (place, 108.5), (place + 3.5, 108.5), (place + 3.5, 113)]
    cut_both(sheet, [*track, (70, 113)], step=1.6)
    cut_both(sheet, box(42, 113, 46, 117), angle=-45, step=1.6)
    cut_both(sheet, box(49.5, 113, 70, 117), angle=-45, step=1.6)
    cut_both(sheet, box(42, 117, 46, 120), step=1.6)
    cut_both(sheet, box(42.6, 128, 70, 131.5), step=1.6)
    seal(sheet, (42.9, 129.7), (107.1, 129.7))
    for side in (-1, 1):
        spring(sheet, (75 + side * 28, 131.5), (75 + side * 28, 156), 6, 3)
        left, right = sorted((75 + side * 9, 75 + side * 13))
        body(sheet, box(left, 131.5, right, 148))
    cut_both(sheet, box(55, 148, 69.8, 152), step=1.6)
    body(sheet, box(37, 123, 42, 124.4), width=THIN)
    # The ways of the liquid.
    for side in (-1, 1):
        start, bend = 75 + side * 11, 75 + side * 1
        sheet.line((start, 51), (bend, 51), (bend, 60), width=THIN)
        sheet.area([(bend, 62), (bend - 0.8, 59.5), (bend + 0.8, 59.5)], ink=True)
    sheet.sign("10", (108, 26), (82, 32))
    sheet.sign("36", (108, 44), (76, 50))
    sheet.sign("34", (52, 40))
    sheet.sign("12", (12, 46), (71.5, 56))
    sheet.sign("18", (138, 58), (105, 64))
    sheet.sign("14", (138, 78), (114, 80))
    sheet.sign("16", (12, 84), (44, 92))
    sheet.sign("20", (138, 98), (113, 108))
    sheet.sign("22", (12, 101), (46, 107))
    sheet.sign("42", (12, 112), (47.5, 115))
    sheet.sign("24", (138, 112), (98, 115))
    sheet.sign("46", (12, 123), (43.5, 118.8))
    sheet.sign("44", (12, 134), (39, 123.8))
    sheet.sign("26", (138, 124), (98, 122.5))
    sheet.sign("28", (138, 136), (104, 130))
    sheet.sign("40", (138, 148), (104, 143))
    sheet.sign("32", (12, 146), (57, 150))
    sheet.sign("30", (12, 160), (57.4, 155))
    sheet.sign("38", (52, 184))


def _spiral(offset: float) -> list[Point]:
    return [
        (75 + radius * math.cos(turn), 104 + radius * math.sin(turn))
        for turn in (n / 40 * math.tau for n in range(round(TURNS * 40) + 1))
        for radius in (13 + offset + turn / math.tau * PITCH,)
    ]


def track_plate(sheet: Sheet) -> None:
    """Figure 2: the spiral, with the holes of the cover plate above it in dashes."""
    disc(sheet, (75, 104), 56, BOLD)
    disc(sheet, (75, 104), 6.5, BOLD)
    outer, inner = _spiral(2.6), _spiral(-2.6)
    sheet.line(*outer, *reversed(inner), outer[0], width=NORMAL)
    for eighth in range(8):
        x, y = arc((75, 104), 42, eighth * 45 + 22.5, eighth * 45 + 22.5, 1)[0]
        sheet.line(*arc((x, y), 2.2), width=THIN, dash=(1.4, 0.9))
        x, y = arc((75, 104), 53, eighth * 45 + 22.5, eighth * 45 + 22.5, 1)[0]
        circle(sheet, (x, y), 1.3)
    axis(sheet, (12, 104), (138, 104))
    axis(sheet, (75, 42), (75, 166))
    sheet.sign("22", (128, 50), (111, 62))
    sheet.sign("42", (22, 50), (57.5, 65.5))
    sheet.sign("12", (128, 164), (79, 109))


def amplitudes(sheet: Sheet) -> None:
    """Figure 3: force amplitude over frequency."""
    plot = Plot(
        sheet, (36, 44, 134, 172),
        Scale(0.1, 20, (0.1, 0.4, 1, 3, 7, 20), "Frequency / Hz", logarithmic=True),
        Scale(0, 2500, (0, 900, 1900), "Force amplitude / N"),
    )  # fmt: skip
    plot.curve(
        [
            (0.1, 1900),
            (1, 1900),
            (2.4, 1910),
            (3.2, 1890),
            (4, 1700),
            (5, 1250),
            (6.2, 930),
            (7, 890),
            (9, 900),
            (18, 900),
        ],
        rounded=True,
    )
    plot.curve(
        [(0.1, 1900), (1, 1900), (2.2, 1890), (3, 1810), (4, 1580), (5.2, 1250), (7, 990), (9, 915),
         (18, 900)],
        rounded=True, dash=DASHED,
    )  # fmt: skip
    plot.curve(
        [(0.1, 1900), (0.7, 1890), (1, 1850), (2, 1620), (4, 1300), (8, 1060), (13, 960), (18, 920)],
        rounded=True, dash=(6.0, 1.5, 0.8, 1.5),
    )  # fmt: skip
    plot.curve(
        [(0.1, 1900), (0.28, 1885), (0.4, 1850), (0.8, 1600), (2, 1290), (5, 1070), (10, 965), (18, 915)],
        rounded=True, dash=DOTTED,
    )  # fmt: skip
    for level in (900, 1900):
        plot.guide((0.1, level), (20, level))
    sheet.sign("50", (126, 84), plot.at(4, 1700))
    sheet.sign("52", (130, 100), plot.at(4.9, 1330))
    sheet.sign("54", (64, 118), plot.at(2.3, 1555))
    sheet.sign("56", (50, 104), plot.at(0.95, 1545))


def _courses(
    sheet: Sheet, top: float, words: str, frequency: float, phase: float, size: float, middle: float
) -> None:
    plot = Plot(sheet, (30, top, 132, top + 62), Scale(0, 1), Scale(0, 1, (), "Pressure"))
    sheet.text(words, (120, top - 6))
    steps = [n / 240 for n in range(240)]
    plot.curve(
        [(t, 0.5 + 0.4 * math.sin(t * math.tau * frequency)) for t in steps], dash=DASHED, width=NORMAL
    )
    plot.curve([(t, middle + size * math.sin(t * math.tau * frequency - phase)) for t in steps])


def opening_pressure(sheet: Sheet) -> None:
    """Figure 4: opening pressure (continuous) and chamber pressure (dashed) for two kinds of stroke."""
    _courses(sheet, 24, "1.5 Hz", 1.5, 0.22, 0.41, 0.53)
    _courses(sheet, 118, "12 Hz", 4, math.pi * 0.96, 0.16, 0.5)
    sheet.text("Time", (81, 188))


FIGURES = (assembly, track_plate, amplitudes, opening_pressure)
FRONT = assembly
