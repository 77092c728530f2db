"""US 99,104,417 B2: fork strut with a needle valve that a microcontroller lifts."""

from __future__ import annotations

from resources.sample.figures.kit import (
    arc,
    axis,
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
    spring,
    winding,
)
from resources.sample.figures.plot import Plot, Scale
from resources.sample.figures.sheet import BOLD, DASHED, NORMAL, THIN, Sheet


def fork(sheet: Sheet) -> None:
    """Figure 1: front elevation of the fork."""
    axis(sheet, (75, 6), (75, 66))
    body(sheet, box(69, 12, 81, 44))
    broken(sheet, 69, 81, 12)
    for middle in (46, 104):
        body(sheet, box(middle - 6, 44, middle + 6, 112))
        leg = [
            (middle - 8.5, 104), (middle + 8.5, 104), (middle + 8, 180), (middle + 5, 192), (middle - 5, 192),
            (middle - 8, 180),
        ]  # fmt: skip
        body(sheet, leg, BOLD)
        sheet.line((middle - 8.5, 108), (middle + 8.5, 108))
        body(sheet, [(middle - 5, 186), (middle + 5, 186), (middle + 3, 202), (middle - 3, 202)])
        circle(sheet, (middle, 195), 1.8)
        axis(sheet, (middle, 48), (middle, 204))
    crown = [
        (36, 48), (66, 44), (84, 44), (114, 48), (114, 60), (108, 62), (84, 54), (66, 54), (42, 62), (36, 60),
    ]  # fmt: skip
    body(sheet, crown, BOLD)
    outer = smooth((54, 116), (58, 98), (75, 88), (92, 98), (96, 116))
    inner = smooth((54.3, 124), (62, 106), (75, 97), (88, 106), (95.7, 124))
    body(sheet, [*outer, *reversed(inner)], NORMAL)
    sheet.line(*box(41.5, 66, 50.5, 182), (41.5, 66), dash=DASHED, width=NORMAL)
    spring(sheet, (104, 66), (104, 182), 7, 16, THIN)
    sheet.sign("100", (128, 24))
    sheet.line((122, 28), (114, 36), width=THIN)
    sheet.area([(112.6, 37.4), (115.6, 36.2), (113.8, 34.4)], ink=True)
    sheet.sign("102", (22, 36), (44, 50))
    sheet.sign("104", (130, 76), (110, 82))
    sheet.sign("106", (130, 150), (112.3, 154))
    sheet.sign("108", (75, 128), (75, 93))
    sheet.sign("110", (20, 134), (42, 140))


def strut(sheet: Sheet) -> None:
    """Figure 2: section through the strut at rest."""
    axis(sheet, (72, 6), (72, 206))
    # Housing; its right wall is thick enough for the side passage.
    cut(sheet, box(46, 40, 51, 176), angle=45)
    for top, bottom in ((40, 48), (54, 166), (172, 176)):
        cut(sheet, box(93, top, 98, bottom), angle=-45)
    cut(sheet, box(102, 40, 107, 176), angle=-45)
    cut(sheet, box(98, 40, 102, 46), angle=-45)
    cut(sheet, box(98, 174, 102, 176), angle=-45)
    sheet.area(box(98.3, 46.3, 101.7, 173.7))
    # Needle, seat and coil halfway up the passage, shown enlarged in the next figure.
    cut(sheet, box(98, 110, 99.2, 114), step=1.2)
    cut(sheet, box(100.8, 110, 102, 114), step=1.2)
    sheet.area([(98.9, 106), (101.1, 106), (101.1, 109.5), (100, 114), (98.9, 109.5)], ink=True)
    winding(sheet, 102, 94, 105.5, 106)
    sheet.line((100, 94), (100, 106))
    # Screw cap with electronics and cells.
    cap = [(46, 40), (42, 40), (42, 12), (111, 12), (111, 40), (93, 40), (93, 36), (51, 36), (51, 40)]
    cut(sheet, cap, angle=45)
    body(sheet, box(52, 17, 91, 32))
    body(sheet, box(54, 27, 66, 30))
    body(sheet, box(70, 19, 88, 24))
    body(sheet, box(70, 25.5, 88, 30.5))
    for pin in (56, 59, 62):
        sheet.line((pin, 30), (pin, 32))
    # Nitrogen behind the floating partition.
    cut(sheet, box(51.4, 52, 92.6, 60), angle=-45)
    seal(sheet, (52, 54), (52, 58), (92, 54), (92, 58))
    body(sheet, box(70.5, 50.5, 73.5, 56))
    # Piston head and rod, lip gland.
    cut(sheet, [(51.4, 112), (70, 112), (70, 124), (51.4, 124)], angle=-45)
    cut(sheet, [(74, 112), (92.6, 112), (92.6, 124), (74, 124)], angle=-45)
    for pinhole in (60, 84):
        sheet.area(box(pinhole - 0.7, 112.3, pinhole + 0.7, 123.7))
        sheet.line((pinhole - 0.7, 112), (pinhole - 0.7, 124), width=THIN)
        sheet.line((pinhole + 0.7, 112), (pinhole + 0.7, 124), width=THIN)
    cut_both(sheet, [(46, 176), (67, 176), (67, 188), (52, 188), (52, 180), (46, 180)], 72)
    cut(sheet, [(98, 176), (107, 176), (107, 180), (98, 180)], angle=-45)
    body(sheet, [(67, 126), (67, 202), (77, 202), (77, 126), (75.5, 110), (68.5, 110)])
    broken(sheet, 67, 77, 202)
    seal(sheet, (66.6, 179), (77.4, 179), (66.6, 184), (77.4, 184))
    sheet.sign("152", (24, 18), (45, 22))
    sheet.sign("150", (24, 32), (57, 28.5))
    sheet.sign("154", (128, 14), (86, 21.5), (86, 28))
    sheet.sign("160", (24, 52), (58, 56))
    sheet.sign("122", (62, 88))
    sheet.sign("112", (24, 84), (48, 90))
    sheet.sign("130", (130, 112), (101, 108))
    sheet.sign("124", (130, 140), (100, 146))
    sheet.sign("118", (24, 112), (56, 117))
    sheet.sign("120", (58, 148))
    sheet.sign("116", (24, 178), (56, 184))
    sheet.sign("114", (24, 198), (68, 194))
    sheet.sign("110", (130, 196))
    sheet.line((122, 194), (108, 188), width=THIN)
    sheet.area([(106.4, 187.2), (109.6, 187.4), (108.6, 189.4)], ink=True)


def _needle(sheet: Sheet, lift: float) -> None:
    """The needle in the passage, lifted by an amount in mm of the drawing."""
    axis(sheet, (78, 14), (78, 200))
    up = -lift
    # Walls of the passage with the conical seat.
    left = [
        (22, 20), (38, 20), (38, 96), (52, 96), (52, 124), (66, 146), (66, 154), (52, 154), (52, 194),
        (22, 194),
    ]  # fmt: skip
    cut(sheet, left, angle=45, step=3)
    right = [
        (134, 20), (118, 20), (118, 96), (104, 96), (104, 124), (90, 146), (90, 154),
        (104, 154), (104, 194), (134, 194),
    ]  # fmt: skip
    cut(sheet, right, angle=-45, step=3)
    for side in (22, 134):
        sheet.area(box(side - 1, 18, side + 1, 196))
    broken(sheet, 22, 38, 20)
    broken(sheet, 118, 134, 20)
    broken(sheet, 22, 52, 194)
    broken(sheet, 104, 134, 194)
    # Magnet in the wall, bobbin on the stem of the needle.
    for edge, way in ((38, 1), (118, -1)):
        left_edge, right_edge = sorted((edge, edge + way * 9))
        body(sheet, box(left_edge, 44, right_edge, 78))
        sheet.text("N", ((left_edge + right_edge) / 2, 51))
        sheet.text("S", ((left_edge + right_edge) / 2, 71))
    body(
        sheet,
        [
            (72, 40 + up),
            (84, 40 + up),
            (84, 118 + up),
            (98.9, 132 + up),
            (78, 164.8 + up),
            (57.1, 132 + up),
            (72, 118 + up),
        ],
        BOLD,
    )
    body(sheet, box(54, 56 + up, 102, 60 + up))
    winding(sheet, 50, 60 + up, 60, 80 + up)
    winding(sheet, 96, 60 + up, 106, 80 + up)
    # Leaf spring on the head of the stem.
    bow = smooth((40, 24), (58, 31 + up / 2), (78, 39 + up), (98, 31 + up / 2), (116, 24))
    sheet.line(*bow, width=0.8)
    body(sheet, box(38, 21, 42, 26))
    body(sheet, box(114, 21, 118, 26))
    sheet.sign("138", (10, 30), (50, 27.5 + up / 3))
    sheet.sign("136", (10, 58), (40, 62))
    sheet.sign("134", (142, 84), (105, 72 + up))
    sheet.sign("130", (142, 112), (91, 127 + up))
    sheet.sign("132", (10, 134), (63.5, 142.5))
    sheet.sign("124", (142, 172), (82, 178))


def seated(sheet: Sheet) -> None:
    """Figure 3: the needle on its seat."""
    _needle(sheet, 0)


def lifted(sheet: Sheet) -> None:
    """Figure 4: the needle off its seat, with the way of the oil."""
    _needle(sheet, 14)
    for side in (-1, 1):
        sheet.line(
            *smooth(
                (78 + side * 6, 176),
                (78 + side * 8, 156),
                (78 + side * 16, 136),
                (78 + side * 23, 118),
                (78 + side * 23, 106),
            ),
            width=THIN,
        )
        tip = (78 + side * 23, 101.5)
        sheet.area([tip, (tip[0] - 1, tip[1] + 4), (tip[0] + 1, tip[1] + 4)], ink=True)


def dropout(sheet: Sheet) -> None:
    """Figure 5: the dropout, its slot opened."""
    leg = [
        (46, 20), (46, 92), *smooth((46, 92), (40, 118), (34, 146), (40, 172), (56, 184)), (66, 186),
        (66, 166), *arc((76, 160), 10, 180, 360, 24), (86, 186), (98, 184),
        *smooth((98, 184), (114, 172), (120, 146), (113, 118), (106, 92)), (106, 20),
    ]  # fmt: skip
    body(sheet, leg, BOLD)
    sheet.area(box(45, 18.5, 107, 20.5))
    broken(sheet, 46, 106, 20)
    axis(sheet, (76, 14), (76, 196))
    axis(sheet, (58, 160), (94, 160))
    # Slot with the strip of film, clamped at its left end, and the bead at its tip.
    body(sheet, box(52, 116, 102, 138), BOLD)
    cut(sheet, box(52, 122, 60, 132), step=1.6)
    strip = [
        *smooth((60, 126.4), (76, 126.6), (92, 127.6)),
        *reversed(smooth((60, 127.6), (76, 127.8), (92, 128.8))),
    ]
    body(sheet, strip)
    disc(sheet, (94, 128.3), 3.4, BOLD)
    dot(sheet, (94, 128.3))
    sheet.line(*smooth((56, 122), (56, 100), (52, 70), (52, 20)), width=NORMAL)
    sheet.line(*smooth((57.4, 122), (57.6, 100), (53.6, 70), (53.6, 20)), width=NORMAL)
    arrow_x = 130
    sheet.line((arrow_x, 150), (arrow_x, 124), width=NORMAL)
    sheet.area([(arrow_x, 120), (arrow_x - 1.5, 125), (arrow_x + 1.5, 125)], ink=True)
    sheet.area([(arrow_x, 154), (arrow_x - 1.5, 149), (arrow_x + 1.5, 149)], ink=True)
    sheet.sign("106", (126, 44), (106, 52))
    sheet.sign("140", (126, 98), (82, 126.9), (96, 126))
    sheet.sign("142", (22, 142), (38, 150))


def _jolts(times: tuple[float, ...]) -> list[tuple[float, float]]:
    points = [(0.0, 0.0)]
    for time in times:
        points += [
            (time, 0.0),
            (time + 0.012, 1.0),
            (time + 0.03, -0.55),
            (time + 0.05, 0.32),
            (time + 0.07, -0.15),
            (time + 0.09, 0.0),
        ]
    return [*points, (1.4, 0.0)]


def timing(sheet: Sheet) -> None:
    """Figure 6: voltage, current and lift while three stones are passed."""
    stones = (0.1, 0.35, 0.6)
    end = stones[-1] + 0.6
    down = Scale(0, 1.4)
    voltage = Plot(sheet, (32, 24, 132, 68), down, Scale(-0.7, 1.1, (), "Strip / V"))
    voltage.curve(_jolts(stones), width=NORMAL)
    current = Plot(sheet, (32, 86, 132, 124), down, Scale(0, 1.15, (), "Bobbin / mA"))
    current.curve([(0, 0), (0.1, 0), (0.1, 1), (0.12, 1), (0.12, 0.28), (end, 0.28), (end, 0), (1.4, 0)])
    lift = Plot(
        sheet, (32, 142, 132, 180), Scale(0, 1.4, (0.25, 0.5, 0.75, 1, 1.25), "Time / s"),
        Scale(0, 2.6, (0, 2), "Needle / mm"),
    )  # fmt: skip
    lift.curve([(0, 0), (0.104, 0), (0.118, 2), (end, 2), (end + 0.016, 0), (1.4, 0)])
    for time in (*stones, end):
        top, bottom = voltage.at(time, 1.1), lift.at(time, 0)
        sheet.line(top, bottom, width=THIN, dash=(1.5, 1.2))
    left, right = lift.at(stones[-1], 2.4), lift.at(end, 2.4)
    sheet.line(left, right, width=THIN)
    for tip, way in ((left, 1), (right, -1)):
        sheet.area([tip, (tip[0] + way * 2.4, tip[1] - 0.7), (tip[0] + way * 2.4, tip[1] + 0.7)], ink=True)
    sheet.text("600 ms", ((left[0] + right[0]) / 2, left[1] - 3.5))


FIGURES = (fork, strut, seated, lifted, dropout, timing)
FRONT = strut
