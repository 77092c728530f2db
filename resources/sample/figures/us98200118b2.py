"""US 98,200,118 B2: magnetorheological damper with a ring magnet and a porous bleed."""

from __future__ import annotations

from resources.sample.figures.kit import (
    arc,
    arrow,
    axis,
    block,
    body,
    box,
    broken,
    circle,
    cut,
    cut_both,
    disc,
    dot,
    seal,
    smooth,
    tube,
    winding,
)
from resources.sample.figures.plot import Plot, Scale
from resources.sample.figures.sheet import BOLD, DASHED, NORMAL, THIN, Sheet


def section(sheet: Sheet) -> None:
    """Figure 1: longitudinal section of the damper."""
    axis(sheet, (75, 4), (75, 208))
    cut_both(sheet, [(50, 34), (54, 34), (54, 184), (50, 184)])
    cut(sheet, box(50, 184, 100, 190))
    cut_both(sheet, [(50, 26), (70, 26), (70, 40), (54, 40), (54, 34), (50, 34)], angle=-45)
    seal(sheet, (69.6, 30), (80.4, 30), (69.6, 36), (80.4, 36))
    disc(sheet, (75, 197), 8, BOLD)
    circle(sheet, (75, 197), 3.6)
    # Hollow rod with the wires.
    cut_both(sheet, box(70, 10, 73, 92), angle=-45, step=1.5)
    broken(sheet, 70, 73, 10)
    broken(sheet, 77, 80, 10)
    for x in (74.2, 75.8):
        sheet.line((x, 8), (x, 98))
    # Piston: flux ring, core halves, ring magnet and coil; enlarged in the next figure.
    cut_both(sheet, box(54.5, 96, 60, 124))
    cut_both(sheet, box(61.6, 92, 70, 96), angle=45, step=1.4)
    cut(sheet, box(62, 96, 88, 108), angle=-45)
    cut(sheet, box(62, 112, 88, 124), angle=-45)
    body(sheet, box(66, 108, 84, 112))
    winding(sheet, 61.6, 104, 66, 116)
    winding(sheet, 84, 104, 88.4, 116)
    for top in (93.5, 124):
        cut_both(sheet, box(54.5, top, 59, top + 2.4), step=1.2)
        cut_both(sheet, box(62, top, 66, top + 2.4), step=1.2)
    seal(sheet, (54.8, 110), (95.2, 110))
    # Floating piston with the gas behind it.
    cut(sheet, box(54.4, 150, 95.6, 158), angle=-45)
    seal(sheet, (54.9, 154), (95.1, 154))
    for row in range(3):
        for column in range(6):
            x, y = 58.5 + column * 6.4 + (row % 2) * 2, 164 + row * 7
            sheet.area(arc((x, y), 0.4, steps=10), ink=True)
    sheet.sign("10", (118, 16))
    arrow(sheet, (113, 20), (102, 30), width=THIN)
    sheet.sign("20", (34, 12), (74.2, 16))
    sheet.sign("14", (34, 24), (71, 22))
    sheet.sign("12", (28, 62), (52, 68))
    sheet.sign("22", (122, 104), (93, 110))
    sheet.sign("18", (28, 150), (60, 154))
    sheet.sign("16", (122, 172), (86, 174))


def piston(sheet: Sheet) -> None:
    """Figure 2: the piston."""
    axis(sheet, (75, 6), (75, 202))
    # Cylinder, flux ring and gap.
    cut_both(sheet, box(14, 24, 20, 190), angle=-45)
    for left in (14, 130):
        broken(sheet, left, left + 6, 24)
        broken(sheet, left, left + 6, 190)
    cut_both(sheet, box(20.6, 62, 34, 160), step=2.6)
    # Core halves: the upper one on the rod, the bleed along the axis of the lower one.
    cut_both(sheet, [(40, 62), (72, 62), (72, 104), (40, 104)], angle=-45, step=2.6)
    cut_both(sheet, box(64, 20, 72, 62), step=1.8)
    broken(sheet, 64, 72, 20)
    broken(sheet, 78, 86, 20)
    sheet.area(box(72.2, 46, 77.8, 104))
    for x in (74.2, 75.8):
        sheet.line((x, 18), (x, 86), width=NORMAL)
    sheet.line((74.2, 86), (58, 86), (56, 92), width=NORMAL, dash=(1.5, 1))
    sheet.line((75.8, 86), (92, 86), (94, 92), width=NORMAL, dash=(1.5, 1))
    cut_both(sheet, [(40, 114), (66, 114), (66, 160), (40, 160)], angle=-45, step=2.6)
    # Cross bore of the bleed to the upper chamber.
    sheet.area(box(40.3, 114.3, 109.7, 119))
    sheet.line((40, 119), (66, 119), width=BOLD)
    sheet.line((84, 119), (110, 119), width=BOLD)
    # Ring magnet, bobbin with coil, shunt.
    body(sheet, box(58, 104, 92, 114), BOLD)
    for x, pole in ((64, "N"), (86, "N")):
        sheet.text(pole, (x, 109))
    for side in (-1, 1):
        left, right = sorted((75 + side * 21, 75 + side * 35))
        sheet.area(box(left, 90, right, 128))
        winding(sheet, left + 1, 91, right - 1, 127)
        sheet.line(*box(left, 90, right, 128), (left, 90), width=BOLD)
        near, far = sorted((75 + side * 18, 75 + side * 20.6))
        sheet.area(box(near, 94, far, 124), ink=True)
    # Plug of sintered bronze in the bore.
    body(sheet, box(66, 130, 84, 154), BOLD)
    for row in range(9):
        for column in range(7):
            sheet.area(
                arc((67.7 + column * 2.4 + (row % 2) * 1.2, 131.8 + row * 2.5), 0.55, steps=10), ink=True
            )
    # End plates with openings.
    for top in (56, 160):
        for near, far in ((20.6, 34), (40, 64 if top == 56 else 66)):
            cut_both(sheet, box(near, top, far, top + 6), step=1.3)
        for side in (-1, 1):
            left, right = sorted((75 + side * 35, 75 + side * 41))
            sheet.line((left, top), (right, top), width=THIN)
            sheet.line((left, top + 6), (right, top + 6), width=THIN)
    sheet.sign("20", (104, 20), (75.8, 32))
    sheet.sign("34", (8, 48), (30, 59))
    sheet.sign("32", (8, 84), (28, 84))
    sheet.sign("24", (142, 70), (103, 76))
    sheet.sign("36", (8, 108), (37, 104))
    sheet.sign("42", (142, 96), (94.6, 101))
    sheet.sign("28", (142, 116), (89, 111))
    sheet.sign("30", (8, 132), (46, 122))
    sheet.sign("26", (142, 142), (101, 146))
    sheet.sign("40", (104, 186), (78, 146))
    sheet.sign("38", (46, 186), (71, 124))


def _pattern(sheet: Sheet, top: float, words: str, lines: int, shunted: int) -> None:
    """Right half of the piston with loops of flux through the gap, and through the shunt."""
    left = 62.0
    axis(sheet, (left, top - 4), (left, top + 56))
    body(sheet, box(left, top, left + 28, top + 22), NORMAL)
    body(sheet, box(left, top + 30, left + 28, top + 52), NORMAL)
    cut(sheet, box(left, top + 22, left + 12, top + 30), angle=0, step=1.4)
    winding(sheet, left + 15, top + 15, left + 27, top + 37)
    sheet.area(box(left + 12.6, top + 17, left + 14.4, top + 35), ink=True)
    body(sheet, box(left + 32, top, left + 44, top + 52), NORMAL)
    for number in range(lines):
        inset = 1.5 * number
        near, far = left + 2.5 + inset, left + 42 - inset
        above, below = top + 3 + inset, top + 49 - inset
        loop = smooth(
            (near, top + 26), (near, above + 4), (near + 4, above), (far - 4, above), (far, above + 4),
            (far, below - 4), (far - 4, below), (near + 4, below), (near, below - 4), (near, top + 26),
        )  # fmt: skip
        sheet.line(*loop, width=THIN)
    for number in range(shunted):
        inset = 1.4 * number
        near, far = left + 9 - inset, left + 13.2 + 0.15 * number
        loop = smooth(
            (near, top + 26), (near, top + 17 - inset), ((near + far) / 2, top + 14 - inset), (far, top + 18),
            (far, top + 34), ((near + far) / 2, top + 38 + inset), (near, top + 35 + inset), (near, top + 26),
        )  # fmt: skip
        sheet.line(*loop, width=THIN)
    sheet.text(words, (32, top + 26), 5)


def flux(sheet: Sheet) -> None:
    """Figure 3: lines of flux for three currents."""
    _pattern(sheet, 14, "−1.2 A", 0, 5)
    _pattern(sheet, 80, "0 A", 3, 0)
    _pattern(sheet, 146, "+1.2 A", 6, 0)
    sheet.sign("42", (122, 22), (76, 32))
    sheet.sign("28", (122, 54), (68, 40))
    sheet.sign("36", (122, 92), (92, 96))
    sheet.sign("30", (122, 168), (84, 172))


def forces(sheet: Sheet) -> None:
    """Figure 4: force against speed."""
    plot = Plot(
        sheet, (36, 44, 132, 172), Scale(0, 0.2, (0, 0.05, 0.1, 0.15, 0.2), "Speed / m/s"),
        Scale(0, 1400, (0, 480, 980, 1150), "Force / N"),
    )  # fmt: skip
    plot.curve(
        [(0, 0), (0.01, 28), (0.03, 75), (0.06, 118), (0.1, 150), (0.15, 180), (0.195, 205)], rounded=True
    )
    plot.curve(
        [(0, 0), (0.01, 160), (0.02, 300), (0.035, 430), (0.05, 475), (0.08, 490), (0.14, 508), (0.195, 525)],
        rounded=True,
    )
    plot.curve(
        [
            (0, 0),
            (0.01, 240),
            (0.02, 560),
            (0.032, 960),
            (0.042, 1115),
            (0.05, 1150),
            (0.08, 1170),
            (0.14, 1200),
            (0.195, 1226),
        ],
        rounded=True,
    )
    plot.curve(
        [(0, 0), (0, 980), (0.02, 1055), (0.05, 1130), (0.08, 1160), (0.14, 1195), (0.195, 1222)], dash=DASHED
    )
    sheet.sign("50", (122, 146), plot.at(0.16, 185))
    sheet.sign("52", (122, 112), plot.at(0.16, 514))
    sheet.sign("54", (92, 84), plot.at(0.034, 1000))
    sheet.sign("56", (62, 46), plot.at(0.012, 1025))


def seat(sheet: Sheet) -> None:
    """Figure 5: seat suspension with the damper."""
    # Seat.
    body(sheet, smooth((36, 82), (40, 74), (90, 74), (98, 78), (98, 84), (92, 86), (40, 86), (36, 82)), BOLD)
    body(
        sheet,
        smooth((34, 76), (26, 40), (22, 16), (28, 12), (34, 16), (38, 44), (44, 74), (40, 80), (34, 76)),
        BOLD,
    )
    body(sheet, box(24, 88, 112, 94), BOLD)
    body(sheet, box(18, 172, 118, 178), BOLD)
    # Scissors, damper and air spring.
    sheet.line((35, 99), (44, 102), (114, 102), (114, 126), (122, 126), width=NORMAL, dash=DASHED)
    sheet.line((122, 134), (116, 134), (116, 168), (66, 164), (53.6, 150), width=NORMAL, dash=DASHED)
    for n in range(3):
        top = 124 + n * 16
        body(
            sheet,
            smooth(
                (88, top),
                (84, top + 8),
                (88, top + 16),
                (108, top + 16),
                (112, top + 8),
                (108, top),
                (88, top),
            ),
            BOLD,
        )
    body(sheet, box(90, 94, 106, 124))
    tube(sheet, (30, 169), (84, 97), 4.4)
    tube(sheet, (84, 169), (30, 97), 4.4)
    for point in ((30, 169), (84, 97), (84, 169), (30, 97), (57, 133)):
        disc(sheet, point, 3)
        dot(sheet, point)
    tube(sheet, (44, 160), (66, 106), 3)
    tube(sheet, (44, 160), (55, 133), 7)
    for point in ((44, 160), (66, 106)):
        disc(sheet, point, 1.8)
    disc(sheet, (30, 97), 5)
    dot(sheet, (30, 97))
    block(sheet, 122, 120, 142, 140)
    sheet.line((4, 178), (146, 178))
    for n in range(14):
        sheet.line((8 + n * 10, 178), (4 + n * 10, 182), width=THIN)
    sheet.sign("66", (10, 90), (25.6, 95.5))
    sheet.sign("60", (10, 124), (37, 107))
    sheet.sign("10", (16, 148), (45.6, 147))
    sheet.sign("62", (132, 158), (111, 150))
    sheet.sign("64", (132, 108), (132, 120))


FIGURES = (section, piston, flux, forces, seat)
FRONT = piston
