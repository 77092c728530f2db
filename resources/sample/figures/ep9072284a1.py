"""EP 9 072 284 A1: bicycle damper whose hold time follows the temperature of its liquid."""

from __future__ import annotations

from resources.sample.figures.kit import (
    arrow,
    axis,
    block,
    body,
    both_sides,
    box,
    broken,
    circle,
    cut,
    cut_both,
    seal,
    spring,
    winding,
)
from resources.sample.figures.plot import Plot, Scale
from resources.sample.figures.sheet import DASHED, DOTTED, NORMAL, THIN, Sheet


def section(sheet: Sheet) -> None:
    """Figure 1: the cartridge in its fork leg."""
    axis(sheet, (75, 6), (75, 206))
    # Lower leg with the lug for the axle, then the tube that slides in it.
    leg = [
        (37, 92), (43.5, 92), (43.5, 168), (106.5, 168), (106.5, 92), (113, 92), (113, 178), (100, 190),
        (88, 204), (62, 204), (50, 190), (37, 178),
    ]  # fmt: skip
    cut(sheet, leg, angle=-45, step=2.6)
    sheet.area([(75 + x, 195 + y) for x, y in ((-7, -7), (7, -7), (7, 7), (-7, 7))])
    circle(sheet, (75, 195), 7)
    cut_both(sheet, box(44.5, 12, 48, 150), angle=45)
    broken(sheet, 44.5, 48, 12)
    broken(sheet, 102, 105.5, 12)
    # Outer sleeve, gap, cylinder.
    cut_both(sheet, box(49.5, 14, 52.5, 146), angle=-45)
    # Head with valve and coil.
    cut(sheet, both_sides([(52.5, 37), (52.5, 14)], [(66, 21), (66, 37)]), angle=45)
    cut_both(sheet, [(56, 41.5), (66, 41.5), (66, 48), (59, 48), (59, 124), (56, 124)], angle=45)
    winding(sheet, 57, 19, 65, 33)
    winding(sheet, 85, 19, 93, 33)
    spring(sheet, (75, 21), (75, 29), 9, 4)
    spool = [
        (67, 29), (83, 29), (83, 36), (81.5, 36), (81.5, 38), (80.2, 38), (80.2, 40), (79, 40), (79, 42),
        (78, 42), (78, 45), (72, 45), (72, 42), (71, 42), (71, 40), (69.8, 40), (69.8, 38),
        (68.5, 38), (68.5, 36),
        (67, 36),
    ]  # fmt: skip
    cut(sheet, spool, angle=-45, step=1.6)
    # Lower closure of the cylinder; the ports above it join the gap to the compression chamber.
    cut_both(sheet, box(52.5, 130, 67.5, 146), angle=45)
    seal(sheet, (67.2, 134), (82.8, 134), (67.2, 141), (82.8, 141), (52, 138), (98, 138))
    # Piston and hollow rod with the generator.
    cut_both(sheet, box(68, 86, 71, 172), angle=45, step=1.6)
    cut(sheet, [(59.4, 74), (90.6, 74), (90.6, 86), (59.4, 86)], angle=-45)
    seal(sheet, (60, 80), (90, 80))
    body(sheet, [(69, 172), (81, 172), (81, 174), (78, 174), (78, 184), (72, 184), (72, 174), (69, 174)])
    winding(sheet, 71, 92, 74, 106)
    winding(sheet, 76, 92, 79, 106)
    body(sheet, box(74, 90, 76, 152))
    for turn in range(13):
        sheet.line((74, 112 + turn * 3.1), (76, 109.5 + turn * 3.1), width=THIN)
    cut_both(sheet, box(71, 120, 74, 127), angle=45, step=1.2)
    # Sensor in the leg, its cable to the foot of the rod.
    body(sheet, box(88, 174, 97, 182))
    sheet.line((88.3, 174.3), (96.7, 181.7), width=THIN)
    sheet.line((88, 178), (84, 178), (84, 181), (78, 181), width=NORMAL)
    arrow(sheet, (54.2, 112), (54.2, 100), width=THIN)
    arrow(sheet, (95.8, 112), (95.8, 100), width=THIN)
    sheet.sign("7", (124, 22), (83, 33))
    sheet.sign("12", (27, 22), (59, 25))
    sheet.sign("11", (27, 62), (51, 66))
    sheet.sign("6", (27, 80), (54.2, 84))
    sheet.sign("1", (124, 54), (92.5, 60))
    sheet.sign("5", (64, 60))
    sheet.sign("2", (124, 74), (86, 80))
    sheet.sign("4", (64, 113))
    sheet.sign("3", (25, 128), (69.5, 116))
    sheet.sign("10", (124, 108), (78, 101), (73.5, 123))
    sheet.sign("8", (126, 166), (95, 177))


def blocks(sheet: Sheet) -> None:
    """Figure 2: sensor, controller, coil and supply."""
    sheet.line(*box(42, 46, 120, 158), (42, 46), width=NORMAL, dash=DASHED)
    block(sheet, 12, 64, 32, 84, "Accel.", "sensor")
    block(sheet, 52, 54, 84, 94, "Processor")
    block(sheet, 92, 54, 114, 74, "Radio", "module")
    block(sheet, 52, 112, 76, 132, "Driver")
    block(sheet, 86, 112, 112, 132, "Measuring", "bridge")
    winding(sheet, 70, 172, 94, 186)
    block(sheet, 12, 104, 32, 124, "Gener-", "ator")
    block(sheet, 10, 136, 34, 152, "Super-", "capacitor")
    arrow(sheet, (32, 74), (52, 74))
    arrow(sheet, (92, 64), (84, 64), both=True)
    arrow(sheet, (62, 94), (62, 112))
    arrow(sheet, (98, 112), (98, 84), (84, 84))
    arrow(sheet, (64, 132), (64, 179), (70, 179))
    arrow(sheet, (94, 179), (99, 179), (99, 132))
    arrow(sheet, (22, 124), (22, 136))
    arrow(sheet, (34, 144), (42, 144))
    for radius in (5, 8, 11):
        sheet.line(
            *[(103 + radius * 0.7 * n, 40 - radius + abs(n) * radius * 0.5) for n in (-1, -0.5, 0, 0.5, 1)],
            width=THIN,
        )
    sheet.line((103, 54), (103, 40))
    sheet.sign("8", (22, 54), (22, 64))
    sheet.sign("9", (134, 90), (120, 98))
    sheet.sign("12", (110, 192), (94, 184))
    sheet.sign("7", (48, 190), (70, 184))
    sheet.sign("10", (22, 95), (22, 104))


def hold_time(sheet: Sheet) -> None:
    """Figure 3: sections through the field of hold times."""
    plot = Plot(
        sheet, (34, 40, 132, 176),
        Scale(-10, 70, (-5, 25, 60), "Temperature / °C"), Scale(0, 1400, (250, 420, 700), "Hold time / ms"),
    )  # fmt: skip
    for at_25, speed in ((700, "10 km/h"), (420, "20 km/h"), (250, "35 km/h")):
        shares = ((-10, 1.99), (-5, 1.8), (5, 1.47), (15, 1.2), (25, 1.0), (40, 0.87), (60, 0.8), (68, 0.785))
        plot.curve([(degree, share * at_25) for degree, share in shares], rounded=True)
        plot.guide((-10, at_25), (25, at_25))
        x, y = plot.at(58, at_25 * 0.8)
        sheet.text(speed, (x, y - 5))
    plot.guide((25, 0), (25, 700))


def travel(sheet: Sheet) -> None:
    """Figure 4: two descents at minus 3 °C."""
    plot = Plot(
        sheet, (32, 44, 132, 170),
        Scale(0, 4, (1, 2, 3, 4), "Time / s"), Scale(-110, 0, (-100, -80, -60, -40, -20, 0), "Travel / mm"),
    )  # fmt: skip

    def descent(left: tuple[float, ...]) -> list[tuple[float, float]]:
        """Four impacts, after each of which the fork is shorter by an amount in mm."""
        points = [(0.0, 0.0), (0.3, 0.0)]
        level = 0.0
        for number, rest in enumerate(left):
            begin = 0.3 + 0.8 * number
            points += [(begin + 0.06, -level - 55), (begin + 0.1, -level - 60)]
            for share, at in ((0.62, 0.2), (0.3, 0.34), (0.1, 0.5), (0.02, 0.66), (0.0, 0.8)):
                points.append((begin + at, -rest - share * (level + 60 - rest)))
            level = rest
        return [*points, (3.95, -level)]

    plot.curve(descent((11, 21, 30, 38)), dash=DOTTED)
    plot.curve(descent((4, 5, 4, 5)))
    plot.guide((3.3, -38), (4, -38))
    plot.guide((3.3, -5), (4, -5))
    x, y = plot.at(3.75, -38)
    arrow(sheet, (x, y), (x, plot.at(0, 0)[1]), both=True, width=THIN, head=2)
    sheet.text("38", (x + 5, y - 18))


FIGURES = (section, blocks, hold_time, travel)
FRONT = section
