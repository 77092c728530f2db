"""US 99,087,731 B2: seat suspension with a field-responsive damper."""

from __future__ import annotations

from resources.sample.figures.kit import (
    arrow,
    axis,
    block,
    body,
    box,
    broken,
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
from resources.sample.figures.sheet import BOLD, DASHED, THIN, Point, Sheet

DEPTH: Point = (26.0, -15.0)
"""How far the rear side is drawn from the front side, in mm."""


def _back(point: Point, share: float = 1.0) -> Point:
    return (point[0] + DEPTH[0] * share, point[1] + DEPTH[1] * share)


def _frame(sheet: Sheet, left: float, right: float, top: float, high: float) -> None:
    """A frame of four bars in oblique projection, its opening in the middle."""
    corners = [(left, top), (right, top), _back((right, top)), _back((left, top))]
    body(sheet, corners, BOLD)
    inner = [
        _back((left + 7, top), 0.16), _back((right - 7, top), 0.16), _back((right - 7, top), 0.84),
        _back((left + 7, top), 0.84),
    ]  # fmt: skip
    body(sheet, inner)
    body(sheet, box(left, top, right, top + high), BOLD)
    body(sheet, [(right, top), _back((right, top)), _back((right, top + high)), (right, top + high)], BOLD)


def _arms(sheet: Sheet, left: float, right: float, top: float, bottom: float, share: float) -> None:
    """The crossing arms of one side."""
    ends = [_back(each, share) for each in ((left, bottom), (right, top), (left, top), (right, bottom))]
    tube(sheet, ends[0], ends[1], 4)
    tube(sheet, ends[2], ends[3], 4)
    for end in ends:
        disc(sheet, end, 2.6)
        dot(sheet, end, 0.7)
    middle = _back(((left + right) / 2, (top + bottom) / 2), share)
    disc(sheet, middle, 3)
    dot(sheet, middle)


def _bellows(sheet: Sheet, middle: float, top: float, bottom: float, half: float) -> None:
    folds = 3
    high = (bottom - top) / folds
    for number in range(folds):
        y = top + number * high
        left, right = middle - half, middle + half
        near = ((left + 2, y), (left - 2, y + high / 2), (left + 2, y + high))
        far = ((right - 2, y + high), (right + 2, y + high / 2), (right - 2, y))
        body(sheet, smooth(*near, *far, near[0]), BOLD)


def perspective(sheet: Sheet) -> None:
    """Figure 1: perspective view of the seat."""
    # Lower frame, what stands on it, upper frame, seat.
    _frame(sheet, 22, 100, 186, 6)
    _arms(sheet, 30, 92, 128, 180, 0.9)
    _bellows(sheet, 84, 126, 178, 12)
    _frame(sheet, 22, 100, 118, 6)
    _arms(sheet, 30, 92, 128, 180, 0.08)
    pan = [(24, 108), (104, 108), _back((104, 108), 0.9), _back((24, 108), 0.9)]
    body(sheet, [(24, 108), (104, 108), (104, 115), (24, 115)], BOLD)
    body(sheet, [(104, 108), _back((104, 108), 0.9), _back((104, 115), 0.9), (104, 115)], BOLD)
    body(sheet, pan, BOLD)
    cushion = smooth((32, 106), (34, 98), (96, 98), (103, 102), (102, 107), (36, 108), (32, 106))
    body(sheet, [(x + 22, y - 13) for x, y in cushion], BOLD)
    body(sheet, cushion, BOLD)
    sheet.line((99, 99), (121, 86))
    rest = smooth(
        (30, 100),
        (22, 60),
        (22, 28),
        (30, 20),
        (44, 12),
        (54, 14),
        (54, 30),
        (58, 66),
        (60, 84),
        (40, 98),
        (30, 100),
    )
    body(sheet, rest, BOLD)
    sheet.line(*smooth((30, 20), (35, 28), (36, 60), (41, 97)), width=THIN)
    # Armrest with its knob.
    body(sheet, smooth((48, 78), (48, 72), (86, 64), (92, 67), (90, 72), (52, 81), (48, 78)), BOLD)
    body(sheet, [(83, 58), (88, 58), (88, 65), (83, 66)])
    disc(sheet, (85.5, 58), 2.6)
    sheet.sign("38", (108, 50), (87, 58))
    sheet.sign("2", (140, 104), (120, 103))
    sheet.sign("4", (140, 122), (114, 114))
    sheet.sign("8", (10, 142), (44, 137.2))
    sheet.sign("10", (10, 158), (60, 153))
    sheet.sign("12", (140, 146), (97, 152))
    sheet.sign("6", (140, 188), (114, 180))


def side(sheet: Sheet) -> None:
    """Figure 2: side view of the scissor frame in its middle position."""
    body(sheet, box(16, 52, 134, 60), BOLD)
    body(sheet, box(16, 152, 134, 160), BOLD)
    for top in (60, 148):
        sheet.line((84, top), (134, top))
        sheet.line((84, top + 4), (134, top + 4))
    _bellows(sheet, 102, 60, 152, 14)
    sheet.line((20, 64), (44, 64))
    tube(sheet, (26, 146), (124, 66), 5)
    tube(sheet, (26, 66), (124, 146), 5)
    # Lever on one of the arms, with the damper between it and a cross tube of the lower frame.
    tube(sheet, (46, 82.4), (60, 72), 5)
    tube(sheet, (40, 148), (59, 74), 3)
    tube(sheet, (40, 148), (50, 109), 7.5)
    for end in ((26, 146), (124, 66), (26, 66), (124, 146)):
        disc(sheet, end, 3.6)
        dot(sheet, end)
    disc(sheet, (40, 148), 3.4)
    dot(sheet, (40, 148))
    disc(sheet, (59.4, 72.6), 2.6)
    dot(sheet, (59.4, 72.6))
    # Position sensor facing the disk on the pivot.
    disc(sheet, (75, 106), 8, BOLD)
    disc(sheet, (75, 106), 3)
    dot(sheet, (75, 106))
    body(sheet, box(70.5, 92, 79.5, 97), BOLD)
    # Rubber stops and leveling valve.
    for left in (20, 118):
        body(
            sheet,
            smooth((left, 152), (left + 1, 146), (left + 6, 144), (left + 11, 146), (left + 12, 152))
            if left == 118
            else box(left - 2, 60, left + 8, 63),
        )
    body(sheet, box(126, 100, 140, 112), BOLD)
    sheet.line((126, 106), (117, 106))
    arrow(sheet, (133, 128), (133, 112))
    sheet.sign("4", (60, 42), (64, 52))
    sheet.sign("12", (104, 42), (98, 64))
    sheet.sign("8", (14, 82), (36, 74.2))
    sheet.sign("16", (74, 70), (56, 76))
    sheet.sign("18", (76, 81), (76, 92))
    sheet.sign("10", (58, 130), (74, 109))
    sheet.sign("14", (14, 118), (45.5, 119))
    sheet.sign("34", (130, 176), (125, 149))
    sheet.sign("36", (138, 88), (133, 100))
    sheet.sign("6", (60, 174), (64, 160))


def damper(sheet: Sheet) -> None:
    """Figure 3: section through the damper."""
    axis(sheet, (75, 4), (75, 206))
    cut_both(sheet, box(34, 40, 46, 196), step=2.6)
    for left in (34, 104):
        broken(sheet, left, left + 12, 196)
    # Guide with felt scraper and pocket of grease before the rod seal.
    cut_both(
        sheet,
        [
            (34, 22),
            (66, 22),
            (66, 28),
            (60, 28),
            (60, 34),
            (66, 34),
            (66, 40),
            (62, 40),
            (62, 46),
            (46, 46),
            (46, 40),
            (34, 40),
        ],
        angle=-45,
    )
    for x in (62, 88):
        for row in range(4):
            sheet.line((x - 2, 41 + row * 1.3), (x + 2, 41 + row * 1.3), width=THIN)
    seal(sheet, (65, 25), (85, 25), size=2.4)
    # Hollow rod with the leads.
    cut_both(sheet, box(66, 8, 72, 96), angle=-45, step=1.6)
    broken(sheet, 66, 72, 8)
    broken(sheet, 78, 84, 8)
    for x in (74, 76):
        sheet.line((x, 6), (x, 108))
    # Piston of two halves, winding and ring magnet between them.
    cut(
        sheet,
        [(49, 92), (101, 92), (101, 112), (88, 112), (88, 118), (62, 118), (62, 112), (49, 112)],
        angle=45,
        step=2.6,
    )
    cut(
        sheet,
        [(62, 118), (88, 118), (88, 138), (101, 138), (101, 158), (49, 158), (49, 138), (62, 138)],
        angle=-45,
        step=2.6,
    )
    for edge in (49.5, 88.5):
        winding(sheet, edge, 112.5, edge + 12, 129)
        body(sheet, box(edge, 130, edge + 12, 137.5), BOLD)
        sheet.text("N", (edge + 3.2, 133.8))
        sheet.text("S", (edge + 8.8, 133.8))
    arrow(sheet, (47.5, 176), (47.5, 162), width=THIN, head=2)
    arrow(sheet, (102.5, 176), (102.5, 162), width=THIN, head=2)
    sheet.sign("20", (14, 64), (38, 70))
    sheet.sign("22", (134, 94), (96, 100))
    sheet.sign("24", (134, 116), (97, 121))
    sheet.sign("28", (134, 138), (100.4, 134))
    sheet.sign("26", (14, 104), (47.5, 110))
    sheet.sign("14", (126, 20))
    arrow(sheet, (121, 24), (112, 32), width=THIN)


def computer(sheet: Sheet) -> None:
    """Figure 4: structure of the seat computer."""
    sheet.line(*box(44, 24, 110, 196), (44, 24), dash=DASHED)
    block(sheet, 10, 36, 34, 54, "Position", "sensor")
    block(sheet, 10, 76, 34, 94, "Acceler-", "ometer")
    block(sheet, 10, 136, 34, 154, "Knob")
    block(sheet, 50, 36, 74, 54, "d/dt")
    block(sheet, 50, 76, 74, 94, "Integrator")
    disc(sheet, (94, 85), 5)
    sheet.line((91, 85), (97, 85))
    sheet.line((94, 82), (94, 88))
    block(sheet, 80, 104, 108, 122, "Sign rule")
    block(sheet, 50, 136, 74, 154, "Map")
    block(sheet, 82, 136, 106, 154, "Greater", "of both")
    block(sheet, 82, 172, 106, 190, "Full", "bridge")
    block(sheet, 50, 172, 74, 190, "Mean")
    winding(sheet, 120, 174, 140, 188)
    block(sheet, 10, 172, 34, 190, "Leveling", "valve")
    arrow(sheet, (34, 45), (50, 45))
    arrow(sheet, (74, 45), (94, 45), (94, 80))
    arrow(sheet, (34, 85), (50, 85))
    arrow(sheet, (74, 85), (89, 85))
    arrow(sheet, (94, 90), (94, 104))
    arrow(sheet, (94, 122), (94, 136))
    arrow(sheet, (34, 145), (50, 145))
    arrow(sheet, (74, 145), (82, 145))
    arrow(sheet, (94, 154), (94, 172))
    arrow(sheet, (106, 181), (120, 181))
    dot(sheet, (40, 45))
    sheet.line((40, 45), (40, 128))
    arrow(sheet, (40, 128), (62, 128), (62, 136))
    dot(sheet, (40, 128))
    arrow(sheet, (40, 128), (40, 163), (62, 163), (62, 172))
    arrow(sheet, (50, 181), (34, 181))
    sheet.sign("18", (22, 26), (22, 36))
    sheet.sign("32", (22, 66), (22, 76))
    sheet.sign("38", (22, 126), (22, 136))
    sheet.sign("36", (22, 204), (22, 190))
    sheet.sign("30", (126, 60), (110, 68))
    sheet.sign("24", (130, 202), (130, 188))


def current(sheet: Sheet) -> None:
    """Figure 5: lines of equal minimum current over stroke and velocity."""
    plot = Plot(
        sheet, (32, 44, 132, 168), Scale(0, 7, (0, 1.75, 3.5, 5.25, 7), "Stroke / in"),
        Scale(-2, 2, (-2, -1, 0, 1, 2), "Velocity / ft/s"),
    )  # fmt: skip
    sheet.line(plot.at(0, 2), plot.at(7, 2), plot.at(7, -2))
    plot.guide((0, 0), (7, 0))
    for edge in (1.75, 5.25):
        plot.guide((edge, -2), (edge, 2))
    for level in (0.2, 0.6, 1.2, 1.8):
        line = []
        for step in range(41):
            speed = step / 20
            depth = (level / 1.8 / (0.25 + 0.75 * speed / 2)) ** 0.5
            if depth <= 1:
                line.append((1.75 * (1 - depth), speed))
        if len(line) > 1:
            plot.curve([(stroke, -speed) for stroke, speed in line])
            plot.curve([(7 - stroke, speed) for stroke, speed in line])
    for level in (0.6, 1.2, 1.8):
        speed = (level / 1.8 - 0.25) / 0.75 * 2
        x, y = plot.at(7, speed)
        sheet.text(f"{level:g} A", (x + 8, y))
    x, y = plot.at(7 - 1.75 * (1 - (0.2 / 1.8 / 0.25) ** 0.5), 0)
    sheet.text("0.2 A", (x, y + 4))


FIGURES = (perspective, side, damper, computer, current)
FRONT = side
