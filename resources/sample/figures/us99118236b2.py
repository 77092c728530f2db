"""US 99,118,236 B2: strut whose valve is fed by an alternator in its rod."""

from __future__ import annotations

from resources.sample.figures import bicycle
from resources.sample.figures.kit import (
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
    spring,
    tube,
    winding,
)
from resources.sample.figures.plot import Plot, Scale
from resources.sample.figures.sheet import BOLD, DASHED, NORMAL, THIN, Point, Sheet


def rear_triangle(sheet: Sheet) -> None:
    """Figure 1: rear triangle with the strut."""
    hub: Point = (46, 138)
    bicycle.wheel(sheet, hub, 38)
    sheet.line((4, 176.3), (146, 176.3))
    # Front triangle, broken off towards the head tube.
    tube(sheet, (112, 146), (138, 96), 8)
    tube(sheet, (94, 72), (138, 62), 6)
    tube(sheet, (110, 146), (90, 58), 6.4)
    for begin, end in (((134, 94), (144, 99)), ((137, 57), (139, 67))):
        sheet.area([begin, end, (end[0] + 6, end[1]), (begin[0] + 6, begin[1] - 2)])
        sheet.line(
            *smooth(begin, ((begin[0] + end[0]) / 2 + 1, (begin[1] + end[1]) / 2 - 1), end), width=THIN
        )
    tube(sheet, (90, 58), (87, 42), 4)
    body(sheet, smooth((72, 39), (86, 36), (104, 39), (104, 42), (86, 43), (72, 42), (72, 39)), BOLD)
    # Rear triangle: chain stay, seat stay, link.
    tube(sheet, (106, 140), hub, 5)
    tube(sheet, hub, (78, 88), 4.4)
    tube(sheet, (76, 90), (100, 96), 5)
    bicycle.strut(sheet, (129, 111), (80, 86))
    disc(sheet, (111, 146), 9, BOLD)
    circle(sheet, (111, 146), 3)
    for joint in ((106, 138), (98.5, 95), (78, 89)):
        disc(sheet, joint, 2)
        dot(sheet, joint)
    disc(sheet, hub, 4.4, BOLD)
    dot(sheet, hub, 1.2)
    body(sheet, [(52, 122), (57, 125), (55, 130), (50, 127)], BOLD)
    sheet.line(*smooth((55.5, 122.6), (64, 112), (74, 100), (88, 83), (104, 94)), width=NORMAL)
    sheet.sign("10", (132, 30))
    arrow(sheet, (127, 34), (116, 44), width=THIN)
    sheet.sign("20", (118, 86), (114, 102))
    sheet.sign("12", (138, 128), (124, 122))
    sheet.sign("14", (58, 88), (68, 104))
    sheet.sign("18", (26, 92), (52, 125))
    sheet.sign("16", (12, 112), (42.5, 135.5))


def section(sheet: Sheet) -> None:
    """Figure 2: lengthwise section of the strut."""
    axis(sheet, (70, 4), (70, 208))
    # Body with the passage in its thick wall.
    cut(sheet, [(46, 34), (52, 34), (52, 186), (46, 186)], angle=45)
    cut(sheet, [(46, 34), (46, 26), (58, 20), (82, 20), (112, 26), (112, 34), (88, 34), (52, 34)], angle=45)
    for top, bottom in ((34, 44), (51, 142), (149, 186)):
        cut(sheet, box(88, top, 94, bottom), angle=-45)
    cut(sheet, box(100, 34, 112, 186), angle=-45)
    cut(sheet, box(94, 34, 100, 38), angle=-45)
    cut(sheet, box(94, 154, 100, 186), angle=-45)
    disc(sheet, (70, 14), 9, BOLD)
    circle(sheet, (70, 14), 4)
    # Gate, its slot beside the passage, and the wire.
    body(sheet, box(92, 84, 126, 87.5), BOLD)
    sheet.area(box(103, 84.4, 108, 87.1))
    sheet.line((103, 84), (103, 87.5))
    sheet.line((108, 84), (108, 87.5))
    body(sheet, box(112, 70, 130, 102))
    spring(sheet, (119, 87.5), (119, 101), 6, 4)
    sheet.line((126, 84), (126, 72), width=0.7)
    sheet.line((126, 87.5), (126, 84), width=0.7)
    body(sheet, box(123.5, 70, 128.5, 73.5))
    # Piston with check valves, hollow rod.
    cut_both(sheet, [(52.4, 92), (58, 92), (58, 104), (52.4, 104)], 70)
    cut(sheet, box(61, 92, 79, 104))
    for side in (-1, 1):
        left, right = sorted((70 + side * 8, 70 + side * 14))
        body(sheet, box(left, 104, right, 105.4))
    seal(sheet, (52.9, 98), (87.1, 98))
    cut_both(sheet, box(62, 104, 64.6, 198), 70, angle=-45, step=1.4)
    body(sheet, box(64.6, 104, 75.4, 110))
    # Magnets in the rod, coil in the lower end of the body.
    for number in range(6):
        body(sheet, box(64.8, 140 + number * 8, 75.2, 145 + number * 8))
    sheet.line((69.2, 112), (69.2, 192))
    sheet.line((70.8, 112), (70.8, 192))
    cut_both(sheet, box(52, 154, 61.4, 158), 70, angle=45, step=1.4)
    cut_both(sheet, box(59.4, 158, 61.4, 186), 70, angle=45, step=1.4)
    for top in (159, 166, 173, 180):
        winding(sheet, 53, top, 58.6, top + 5.4)
        winding(sheet, 81.4, top, 87, top + 5.4)
    seal(sheet, (61, 156), (79, 156))
    disc(sheet, (70, 200), 7, BOLD)
    circle(sheet, (70, 200), 3.2)
    arrow(sheet, (97, 128), (97, 112), width=THIN)
    sheet.sign("20", (24, 20))
    arrow(sheet, (29, 24), (43, 32), width=THIN)
    sheet.sign("30", (62, 64))
    sheet.sign("22", (24, 58), (48, 64))
    sheet.sign("24", (24, 76), (52.2, 82))
    sheet.sign("28", (24, 96), (56, 98))
    sheet.sign("34", (136, 50), (97, 60))
    sheet.sign("38", (140, 66), (126, 78))
    sheet.sign("36", (136, 118), (98, 86.5))
    sheet.sign("32", (57, 128))
    sheet.sign("26", (24, 134), (63, 138))
    sheet.sign("40", (136, 138), (74, 144))
    sheet.sign("46", (24, 172), (55, 168))
    sheet.sign("48", (136, 200), (79.6, 178))


def alternator(sheet: Sheet) -> None:
    """Figure 3: the alternator, with the rod cut."""
    axis(sheet, (75, 8), (75, 204))
    cut_both(sheet, box(20, 50, 30, 166), angle=45, step=2.6)
    for left in (20, 120):
        broken(sheet, left, left + 10, 50)
        broken(sheet, left, left + 10, 166)
    # Sleeve around the rod, the sections of the coil wound on it.
    cut_both(
        sheet, [(30, 54), (30, 60), (46, 60), (46, 156), (30, 156), (30, 162), (51, 162), (51, 54)], angle=-45
    )
    for number in range(4):
        top = 62 + number * 23.6
        winding(sheet, 31, top, 45, top + 21.2)
        winding(sheet, 105, top, 119, top + 21.2)
        for x, sign in ((33.5, number % 2), (116.5, 1 - number % 2)):
            sheet.area(
                [(x + 1.9 * dx, top + 3.4 + 1.9 * dy) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            )
            circle(sheet, (x, top + 3.4), 1.7, THIN)
            if sign:
                dot(sheet, (x, top + 3.4), 0.6)
            else:
                sheet.line((x - 1.2, top + 2.2), (x + 1.2, top + 4.6), width=THIN)
                sheet.line((x + 1.2, top + 2.2), (x - 1.2, top + 4.6), width=THIN)
    # Rod, with magnets and disks of soft iron in turn on the pin.
    cut_both(sheet, box(51.6, 18, 56, 196), angle=45)
    for edge in (51.6, 94.0):
        broken(sheet, edge, edge + 4.4, 18)
        broken(sheet, edge, edge + 4.4, 196)
    for number in range(7):
        top = 26 + number * 23.6
        if number:
            cut_both(sheet, box(56.2, top - 5.6, 72, top), angle=-45, step=1.4)
        body(sheet, box(56.2, top, 93.8, top + 18), BOLD)
        poles = ("N", "S") if number % 2 else ("S", "N")
        for x in (64, 86):
            sheet.text(poles[0], (x, top + 4.2))
            sheet.text(poles[1], (x, top + 13.8))
    body(sheet, box(72, 14, 78, 192))
    body(sheet, box(69, 192, 81, 198))
    broken(sheet, 72, 78, 14)
    sheet.sign("26", (36, 24), (53.5, 30))
    sheet.sign("40", (118, 24), (90, 35))
    sheet.sign("44", (118, 38), (84, 46.8))
    sheet.sign("22", (10, 82), (24, 88))
    sheet.sign("46", (10, 122), (36, 117))
    sheet.sign("48", (138, 168), (101, 159))
    sheet.sign("42", (116, 190), (77, 186))


def circuit(sheet: Sheet) -> None:
    """Figure 4: circuit diagram."""

    def loops(x: float, top: float) -> None:
        for number in range(4):
            sheet.line(
                *smooth(
                    (x, top + 5 * number),
                    (x + 4, top + 1 + 5 * number),
                    (x + 4, top + 4 + 5 * number),
                    (x, top + 5 + 5 * number),
                )
            )

    # Coil with switch and shunt resistor across it.
    loops(22, 62)
    sheet.line((22, 62), (22, 46), (56, 46))
    sheet.line((22, 82), (22, 98), (56, 98))
    sheet.line((42, 46), (42, 58))
    sheet.line((42, 58), (47, 66.5))
    dot(sheet, (42, 58))
    dot(sheet, (42, 67))
    sheet.line((42, 67), (42, 74))
    body(sheet, box(39, 74, 45, 89))
    sheet.line((42, 89), (42, 98))
    dot(sheet, (42, 46))
    dot(sheet, (42, 98))
    # Rectifier, converter, storage capacitor.
    block(sheet, 56, 40, 80, 104, "∼", "=", size=7)
    block(sheet, 92, 40, 116, 104, "=", "=", size=7)
    for left, right in ((80, 92), (116, 132)):
        sheet.line((left, 46), (right, 46))
        sheet.line((left, 98), (right, 98))
    sheet.line((132, 46), (132, 70))
    sheet.line((132, 74), (132, 98))
    sheet.line((125, 70), (139, 70), width=0.8)
    sheet.line((125, 74), (139, 74), width=0.8)
    # What the capacitor feeds.
    sheet.line((132, 98), (132, 178), (96, 178))
    sheet.line((122, 98), (122, 118))
    dot(sheet, (122, 98))
    dot(sheet, (132, 98))
    sheet.line((122, 118), (122, 120))
    block(sheet, 56, 130, 96, 152, "Logic")
    sheet.line((122, 120), (122, 138), (96, 138))
    block(sheet, 14, 132, 40, 150, "Acceler-", "ometer")
    arrow(sheet, (40, 141), (56, 141))
    block(sheet, 56, 168, 96, 188, "Actuator")
    arrow(sheet, (76, 152), (76, 168))
    sheet.line((66, 130), (66, 116), (30, 116), (30, 62.5), (39, 62.5), width=NORMAL, dash=DASHED)
    sheet.area([(44.2, 62.5), (39.4, 61.4), (39.4, 63.6)], ink=True)
    sheet.sign("46", (10, 60), (21, 66))
    sheet.sign("58", (50, 34), (45.5, 63))
    sheet.sign("60", (52, 82), (45, 84))
    sheet.sign("50", (68, 28), (68, 40))
    sheet.sign("52", (104, 28), (104, 40))
    sheet.sign("54", (140, 58), (136, 70))
    sheet.sign("56", (106, 124), (92, 130))
    sheet.sign("18", (18, 122), (22, 132))
    sheet.sign("38", (44, 192), (56, 184))


def charging(sheet: Sheet) -> None:
    """Figure 5: the capacitor in the first minute."""
    plot = Plot(
        sheet, (32, 48, 134, 168), Scale(0, 60, (10, 20, 30, 40, 50, 60), "Time / s"),
        Scale(0, 6, (0, 1, 2, 3, 4, 5), "Capacitor voltage / V"),
    )  # fmt: skip
    points: list[tuple[float, float]] = [(0, 0)]
    level = 0.0
    time = 2.0
    stroke = 0
    while time < 55:
        points.append((time, level))
        level = (level**2 + (0.52 if stroke < 8 else 0.6 + 0.5 * (stroke % 3))) ** 0.5
        level = min(level, 5.2)
        points.append((time + 0.5, level))
        time += 1.4 if stroke < 8 else 2.2 + 0.7 * (stroke % 2)
        if stroke >= 8:
            level -= 0.06
        stroke += 1
    plot.curve([*points, (59, level - 0.04)])
    woken = plot.at(12.3, 2.02)
    plot.guide((0, 2.02), (60, 2.02))
    plot.guide((12.3, 0), (12.3, 2.02))
    sheet.text("logic wakes", (woken[0] + 32, woken[1] + 5))


def landing(sheet: Sheet) -> None:
    """Figure 6: rod travel and gate state during a landing."""
    across = Scale(0, 1.2)
    rod = Plot(sheet, (36, 30, 134, 100), across, Scale(0, 3, (0, 1, 2, 2.5), "Rod travel / in"))
    rod.curve(
        [
            (0, 0),
            (0.1, 0),
            (0.13, 0.3),
            (0.2, 1.5),
            (0.26, 2.25),
            (0.31, 2.5),
            (0.36, 2.42),
            (0.5, 2.0),
            (0.7, 1.3),
            (0.9, 0.75),
            (1.1, 0.4),
            (1.18, 0.3),
        ],
        rounded=True,
    )
    gate = Plot(
        sheet,
        (36, 130, 134, 172),
        Scale(0, 1.2, (0.2, 0.4, 0.6, 0.8, 1), "Time / s"),
        Scale(0, 1.25, (), "Gate"),
    )
    gate.curve([(0, 0), (0.104, 0), (0.12, 1), (0.31, 1), (0.34, 0), (1.18, 0)])
    for time in (0.1, 0.31):
        sheet.line(rod.at(time, 3), gate.at(time, 0), width=THIN, dash=(1.5, 1.2))
    for time, value, words in ((0.215, 1, "open"), (0.7, 0, "shut")):
        x, y = gate.at(time, value)
        sheet.text(words, (x, y - 4))


FIGURES = (rear_triangle, section, alternator, circuit, charging, landing)
FRONT = section
