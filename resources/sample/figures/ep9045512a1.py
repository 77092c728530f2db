"""EP 9 045 512 A1: damper strut whose shunt line stays open for a time that depends on the pace."""

from __future__ import annotations

import itertools

from resources.sample.figures import bicycle
from resources.sample.figures.kit import (
    arc,
    arrow,
    axis,
    body,
    box,
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
from resources.sample.figures.sheet import BOLD, DASHED, NORMAL, THIN, Point, Sheet


def section(sheet: Sheet) -> None:
    """Figure 1: the strut in section."""
    axis(sheet, (66, 4), (66, 208))
    # Head with eye and gas bladder; the pressure transducer is the end wall of the working space.
    head = [(66, 22), (54, 22), (46, 30), (42, 38), (42, 46), (46, 46), (46, 66), (66, 66)]
    cut(sheet, [*head, *[(132 - x, y) for x, y in reversed(head)]], angle=45, step=2.4)
    disc(sheet, (66, 14), 11, BOLD)
    circle(sheet, (66, 14), 5)
    body(sheet, [*arc((66, 44), 11, 180, 360, 24), *arc((66, 52), 11, 0, 180, 24)], BOLD)
    inner = smooth((58, 42), (66, 36), (74, 42), (75, 50), (70, 59), (66, 60), (62, 59), (57, 50), (58, 42))
    sheet.line(*inner, width=NORMAL)
    cut(sheet, box(46.4, 66, 85.6, 69), angle=-45, step=1.5)
    for gauge in (52, 60, 70, 78):
        body(sheet, box(gauge - 1.5, 64.4, gauge + 1.5, 66), THIN)
    # Tube with the mouths of the shunt line.
    cut(sheet, box(42, 46, 46, 182), angle=-45)
    for top, bottom in ((46, 76), (83, 160), (167, 182)):
        cut(sheet, box(86, top, 90, bottom), angle=45)
    # Shunt line as a curved pipe, cut.
    outer = [
        (90, 75.4),
        *smooth((98, 75.4), (108, 80), (112, 92), (112, 121.5), (112, 151), (108, 163), (98, 167.6)),
        (90, 167.6),
    ]
    inside = [
        (90, 77),
        *smooth(
            (97.4, 77),
            (106.4, 81.4),
            (110.2, 92.5),
            (110.2, 121.5),
            (110.2, 150.5),
            (106.4, 161.6),
            (97.4, 166),
        ),
        (90, 166),
    ]
    far = [
        (90, 83.6),
        *smooth(
            (96, 83.6),
            (101.4, 86.4),
            (103.4, 93.5),
            (103.4, 121.5),
            (103.4, 149.5),
            (101.4, 156.6),
            (96, 159.4),
        ),
        (90, 159.4),
    ]
    near = [
        (90, 82),
        *smooth(
            (96.6, 82), (103, 85.4), (105.2, 93), (105.2, 121.5), (105.2, 150), (103, 157.6), (96.6, 161)
        ),
        (90, 161),
    ]
    cut(sheet, [*outer, *reversed(inside)], angle=45, step=1.4)
    cut(sheet, [*near, *reversed(far)], angle=45, step=1.4)
    # Shutter with its solenoid, and the module on the head.
    body(sheet, box(101, 108, 123, 124), BOLD)
    cut(sheet, box(103, 114, 119, 118), angle=-45, step=1.4)
    winding(sheet, 113, 109.5, 121.5, 113)
    winding(sheet, 113, 119, 121.5, 122.5)
    body(sheet, box(96, 28, 120, 44), BOLD)
    sheet.line((78, 65), (90, 58), (100, 58), (100, 44), width=NORMAL)
    sheet.line((117, 108), (117, 44), width=NORMAL)
    # Working piston, rod and lower eye.
    body(sheet, [(62, 122), (70, 122), (70, 192), (62, 192)])
    piston = [(46.4, 110), (56, 110), (52, 122), (46.4, 122)]
    cut_both(sheet, piston, 66, angle=45)
    cut(sheet, [(60, 110), (72, 110), (75, 122), (57, 122)], angle=45)
    for number, reach in enumerate((16, 13, 10)):
        body(sheet, box(66 - reach, 108.4 - 1.6 * number, 66 + reach, 110 - 1.6 * number))
        body(sheet, box(66 - reach - 1, 122 + 1.6 * number, 66 + reach + 1, 123.6 + 1.6 * number))
    seal(sheet, (46.9, 116), (85.1, 116))
    cut_both(sheet, box(46.4, 172, 62, 182), 66, angle=45)
    seal(sheet, (61.6, 177), (70.4, 177))
    disc(sheet, (66, 199), 8, BOLD)
    circle(sheet, (66, 199), 3.6)
    sheet.sign("1", (24, 22))
    arrow(sheet, (29, 27), (40, 36), width=THIN)
    sheet.sign("7", (24, 48), (57, 50))
    sheet.sign("16", (134, 26), (118, 33))
    sheet.sign("14", (24, 68), (50, 67.5))
    sheet.sign("3", (56, 90))
    sheet.sign("2", (24, 94), (43, 100))
    sheet.sign("8", (132, 84), (110, 90))
    sheet.sign("12", (136, 104), (121, 111))
    sheet.sign("10", (136, 128), (118, 117))
    sheet.sign("4", (24, 114), (51, 116))
    sheet.sign("5", (54, 150))
    sheet.sign("6", (24, 190), (63, 187))


def solenoid(sheet: Sheet) -> None:
    """Figure 2: the bistable solenoid with its armature as shutter, closing the shunt line."""
    axis(sheet, (8, 100), (142, 100))
    # The shunt line.
    for left, right in ((14, 20), (42, 48)):
        for top, bottom in ((30, 91), (109, 172)) if left == 42 else ((30, 172),):
            cut(sheet, box(left, top, right, bottom), angle=45)
        broken(sheet, left, right)
    body(sheet, [(48, 84), (60, 84), (60, 92), (48, 92)])
    body(sheet, [(48, 108), (60, 108), (60, 116), (48, 116)])
    # Yoke with coils and the two magnets.
    cut(
        sheet,
        [(60, 62), (132, 62), (132, 91.5), (124, 91.5), (124, 70), (68, 70), (68, 91.5), (60, 91.5)],
        angle=-45,
    )
    cut(
        sheet,
        [(60, 138), (132, 138), (132, 108.5), (124, 108.5), (124, 130), (68, 130), (68, 108.5), (60, 108.5)],
        angle=-45,
    )
    for left in (69, 101):
        winding(sheet, left, 71, left + 22, 89)
        winding(sheet, left, 111, left + 22, 129)
    for top, bottom, upper, lower in ((71, 89, "N", "S"), (111, 129, "S", "N")):
        body(sheet, box(91.6, top, 100.4, bottom), BOLD)
        sheet.text(upper, (96, top + 4.4))
        sheet.text(lower, (96, bottom - 4.4))
    body(sheet, [(20.3, 93), (118, 93), (118, 107), (20.3, 107)], BOLD)
    for x in range(26, 118, 8):
        sheet.line((x, 93.2), (x - 3, 106.8), width=THIN)
    seal(sheet, (54, 92.4), (54, 107.6))
    arrow(sheet, (70, 148), (110, 148), both=True, width=THIN)
    sheet.sign("8", (32, 52))
    sheet.sign("10", (32, 124), (36, 104))
    sheet.sign("12", (134, 48), (118, 66))


def broken(sheet: Sheet, left: float, right: float) -> None:
    """Both ends of a wall of the pipe."""
    for y in (30, 172):
        sheet.line(*smooth((left, y), (left + 2, y + 1), (right - 2, y - 1), (right, y)), width=THIN)


def pedelec(sheet: Sheet) -> None:
    """Figure 3: the strut in a pedelec."""
    rear, front, crank = (34.0, 140.0), (118.0, 140.0), (68.0, 142.0)
    pivot: Point = (64.5, 126)
    bicycle.wheel(sheet, rear, 26)
    bicycle.wheel(sheet, front, 26)
    # Fork and handlebar.
    tube(sheet, (103, 100), front, 3.6)
    tube(sheet, (98.5, 80), (103, 102), 4.6)
    sheet.line((98.5, 82), (97.6, 77), width=1.6)
    sheet.line(*smooth((98, 77.4), (94, 75.4), (87, 77)), width=1.2)
    # Main frame with the battery in its down tube.
    tube(sheet, (67, 138), (102, 99), 7)
    tube(sheet, (60, 100), (101, 90), 4)
    tube(sheet, crank, (56.5, 86), 4)
    body(sheet, [(76.5, 133.2), (95.5, 112), (91, 108), (72, 129.2)], BOLD)
    tube(sheet, (56.5, 86), (54, 74), 2.6)
    body(sheet, smooth((44, 72), (54, 70), (66, 72), (66, 74), (54, 75), (44, 74), (44, 72)), BOLD)
    # Rocker, seat stay and strut.
    tube(sheet, pivot, rear, 3)
    tube(sheet, rear, (46, 108), 2.6)
    tube(sheet, (46, 108), (61, 112), 3)
    tube(sheet, (80, 103), (79, 96), 3)
    bicycle.strut(sheet, (80, 103), (52, 106))
    disc(sheet, crank, 7, BOLD)
    tube(sheet, crank, (76, 156), 2)
    body(sheet, box(72, 155, 81, 157.4))
    dot(sheet, crank)
    body(sheet, box(84, 95, 92, 100))
    sheet.line((92, 98), (96, 105), (84, 120), width=BOLD, dash=(2, 1))
    sheet.line((80, 125), (72, 136), width=BOLD, dash=(2, 1))
    sheet.line((4, 166.3), (146, 166.3))
    sheet.sign("1", (40, 84), (57, 104))
    sheet.sign("16", (78, 66), (87, 95.6))
    sheet.sign("22", (122, 84), (95, 102.5))
    sheet.sign("20", (89, 127.5), (85.5, 120))


def staircase(sheet: Sheet) -> None:
    """Figure 4: the persistence time in bands of the pace."""
    plot = Plot(
        sheet, (34, 44, 134, 172), Scale(0, 40, (7, 14, 22, 32), "Pace / km/h"),
        Scale(0, 1.6, (0.2, 0.3, 0.5, 0.8, 1.4), "Persistence time / s"),
    )  # fmt: skip
    bands = ((0, 1.4), (7, 0.8), (14, 0.5), (22, 0.3), (32, 0.2), (39, 0.2))
    points: list[tuple[float, float]] = []
    for (begin, time), (end, _) in itertools.pairwise(bands):
        points += [(begin, time), (end, time)]
        if begin:
            plot.guide((0, time), (begin, time))
    plot.curve(points)
    for begin, _ in bands[1:-1]:
        low, high = plot.at(begin, 0), plot.at(begin, 0.2)
        sheet.line(low, high, width=THIN, dash=(1.5, 1.2))


def pressure(sheet: Sheet) -> None:
    """Figure 5: a doorstep (a) and pedalling out of the saddle (b)."""
    plot = Plot(sheet, (28, 48, 132, 168), Scale(0, 0.6), Scale(0, 5, (), "Pressure in the working space"))
    sheet.text("Time", (80, 176))
    shock = [
        (0.0, 0.6),
        (0.05, 0.6),
        (0.06, 0.61),
        (0.066, 1.2),
        (0.078, 3.9),
        (0.085, 4.3),
        (0.1, 3.5),
        (0.12, 2.0),
        (0.14, 1.2),
        (0.17, 0.8),
        (0.22, 0.62),
        (0.3, 0.6),
        (0.58, 0.6),
    ]
    plot.curve(shock, rounded=True)
    pedal = [
        (0.0, 0.6),
        (0.12, 0.62),
        (0.2, 0.9),
        (0.28, 2.0),
        (0.34, 3.4),
        (0.39, 4.0),
        (0.43, 3.8),
        (0.49, 2.5),
        (0.54, 1.4),
        (0.58, 0.95),
    ]
    plot.curve(pedal, rounded=True, dash=DASHED)
    sheet.sign("a", (70, 58), plot.at(0.095, 3.8))
    sheet.sign("b", (124, 60), plot.at(0.43, 3.8))


FIGURES = (section, solenoid, pedelec, staircase, pressure)
FRONT = section
