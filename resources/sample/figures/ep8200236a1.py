"""EP 8 200 236 A1: magnetorheological damper that stirs up its settled particles."""

from __future__ import annotations

import math

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
    cut_ring,
    disc,
    seal,
    smooth,
    winding,
)
from resources.sample.figures.plot import Plot, Scale
from resources.sample.figures.sheet import BOLD, DASHED, NORMAL, THIN, Sheet


def damper(sheet: Sheet) -> None:
    """Figure 1: longitudinal section."""
    axis(sheet, (70, 4), (70, 208))
    # Outer tube, hollow tube beside the cylinder, cylinder.
    cut_both(sheet, box(38, 34, 42, 186), 70, angle=-45)
    cut(sheet, box(91, 42, 92.4, 158), step=1.4)
    cut(sheet, box(95.6, 38, 97, 158), angle=-45, step=1.4)
    cut_both(sheet, box(46, 34, 49, 156), 70)
    sheet.area(box(90.4, 38.4, 94.6, 41.6))
    sheet.line((91, 38), (97, 38), width=BOLD)
    sheet.line((91, 42), (92.4, 42), width=BOLD)
    cut_both(sheet, [(38, 24), (63, 24), (63, 34), (38, 34)], 70, angle=45)
    seal(sheet, (62.6, 28), (77.4, 28))
    # Rod and piston with three gaps and their coils.
    body(sheet, [(63, 6), (77, 6), (77, 84), (63, 84)])
    broken(sheet, 63, 77, 6)
    cut_both(sheet, [(49.4, 84), (52, 84), (52, 116), (49.4, 116)], 70)
    cut(sheet, [(54, 84), (86, 84), (86, 116), (54, 116)], angle=-45)
    for top in (87, 97, 107):
        for left in (54, 79):
            winding(sheet, left, top, left + 7, top + 6)
    seal(sheet, (50, 100), (90, 100))
    # Bottom piece with sump and jet channel.
    bottom = [
        (42, 158), (49, 158), (49, 156), (52, 156), (65, 173), (65, 182), (75, 182), (75, 173), (88, 156),
        (91, 156), (91, 158), (98, 158), (98, 190), (42, 190),
    ]  # fmt: skip
    cut(sheet, bottom, angle=45)
    sheet.area([(92.8, 157), (95.2, 157), (95.2, 174), (76, 179), (74.7, 176.8), (92.8, 172)])
    sheet.line((92.8, 158), (92.8, 172), (75, 176.6))
    sheet.line((95.2, 158), (95.2, 174), (75, 179.2))
    sheet.line((91.2, 170.4), (94.4, 168.6), width=1.0)
    for left in (60, 76):
        winding(sheet, left, 176.5 if left == 60 else 181, left + 4, 186)
    sheet.line(*smooth((65, 179), (69, 178), (75, 175)), width=THIN)
    disc(sheet, (70, 198), 8, BOLD)
    circle(sheet, (70, 198), 3.6)
    block(sheet, 116, 178, 142, 194, "Controller")
    sheet.line((80, 185), (84, 185), (84, 187), (116, 187), width=NORMAL, dash=DASHED)
    arrow(sheet, (93.9, 70), (93.9, 92), width=THIN, head=2)
    sheet.sign("5", (94, 14), (77, 18))
    sheet.sign("15", (22, 44), (40, 50))
    sheet.sign("3", (56, 60))
    sheet.sign("1", (22, 66), (47.5, 72))
    sheet.sign("9", (122, 62), (94.5, 66))
    sheet.sign("4", (22, 92), (56, 95))
    sheet.sign("6", (122, 92), (87, 89), (83, 100))
    sheet.sign("2", (58, 140))
    sheet.sign("11", (122, 152), (94, 168.6))
    sheet.sign("7", (22, 168), (46, 172))
    sheet.sign("10", (122, 166), (86, 175))
    sheet.sign("8", (22, 192), (67, 174))
    sheet.sign("12", (46, 204), (61.5, 184))
    sheet.sign("13", (129, 206), (129, 194))


def bottom_piece(sheet: Sheet) -> None:
    """Figure 2: the bottom piece with the cake in its sump."""
    axis(sheet, (72, 8), (72, 206))
    cut_both(sheet, [(20, 14), (26, 14), (26, 60), (20, 60)], 72, angle=-45)
    for left in (20, 118):
        broken(sheet, left, left + 6, 14)
    piece = [
        (14, 60), (28, 60), (60, 112), (60, 164), (84, 164), (84, 112), (116, 60), (130, 60),
        (130, 190), (14, 190),
    ]  # fmt: skip
    cut(sheet, piece, angle=45, step=3)
    # Helical rib on the wall of the well and the cone.
    for turn in range(4):
        y = 124 + turn * 10
        for x, way in ((60, 1), (84, -1)):
            body(sheet, [(x, y - way * 2.4), (x + way * 2.6, y - way * 2.4 + 1), (x, y - way * 2.4 + 2)])
        sheet.line(*smooth((62.6, y - 1.4), (72, y + 1.6), (81.4, y + 3.4)), width=THIN)
    # The cake.
    cake = [
        (60, 150),
        *smooth((60, 150), (66, 148.6), (72, 149.6), (78, 148.4), (84, 150)),
        (84, 164),
        (60, 164),
    ]
    sheet.area(cake)
    sheet.line(*cake, (60, 150), width=NORMAL)
    for row in range(5):
        for column in range(8):
            place = 62 + column * 2.9 + (row % 2) * 1.3
            if place < 83.4:
                sheet.area(arc((place, 152 + row * 2.6), 0.45, steps=10), ink=True)
    # Jet channel with the check valve, fed from the hollow tube.
    sheet.area([(112, 58), (117, 58), (117, 132), (84.2, 148.6), (84.2, 143), (112, 129)])
    sheet.line((112, 60), (112, 129), (84, 143))
    sheet.line((117, 60), (117, 132), (84, 148.6))
    cut(sheet, box(109, 14, 112, 66), step=1.6)
    cut(sheet, box(117, 14, 118, 66), step=1.6)
    sheet.line((112, 114), (116.4, 118), width=1.1)
    sheet.area([(109.5, 111), (112, 111), (112, 116), (109.5, 116)], ink=True)
    sheet.area(arc((116, 117.8), 1.0, steps=16), ink=True)
    # Sensing coil around the well, in its slit sleeve.
    for left in (48, 88):
        sheet.area(box(left - 0.5, 151.5, left + 8.5, 178.5))
        winding(sheet, left, 152, left + 8, 178)
        sheet.line(*box(left - 1.2, 150.8, left + 9.2, 179.2), (left - 1.2, 150.8), width=BOLD)
    # Opening angle of the cone.
    sheet.line(*arc((72, 131.5), 62, 270 - 31.6, 270 + 31.6), width=THIN)
    sheet.area(box(66, 67, 78, 72))
    sheet.text("70°", (72, 69.5))
    sheet.sign("2", (46, 40))
    sheet.sign("1", (9, 34), (22, 40))
    sheet.sign("9", (138, 34), (114.5, 40))
    sheet.sign("7", (138, 92), (124, 100))
    sheet.sign("11", (140, 116), (116.4, 117.6))
    sheet.sign("10", (140, 136), (106, 135.6))
    sheet.sign("14", (8, 118), (61.5, 132.5))
    sheet.sign("8", (8, 138), (68, 140))
    sheet.sign("12", (8, 170), (50, 168))


def jet(sheet: Sheet) -> None:
    """Figure 3: section on the plane of the jet channel."""
    middle = (72.0, 104.0)
    cut_ring(sheet, middle, 58, 26)
    axis(sheet, (8, 104), (138, 104))
    axis(sheet, (72, 38), (72, 170))
    # The channel opens along the wall of the well.
    sheet.area([(71, 78.2), (71, 84.6), (122, 84.6), (122, 78.2)])
    inner = math.sqrt(26**2 - 19.4**2)
    sheet.line((72, 78), (116, 78), width=BOLD)
    sheet.line((72 + inner, 84.6), (116, 84.6), width=BOLD)
    sheet.line(*arc((113, 81.3), 4.6, -46, 46), width=BOLD)
    circle(sheet, (112, 81.3), 3.3, BOLD)
    arrow(sheet, (104, 81.3), (84, 81.3), head=3)
    turn = arc(middle, 19, 280, 60, 40)
    sheet.line(*turn, width=NORMAL)
    tip, back = turn[-1], turn[-3]
    arrow(sheet, back, tip, head=3)
    # Helical rib, and the coil farther out in dashes.
    sheet.line(*arc(middle, 22.5, 300, 20, 60), width=THIN)
    for radius in (33, 43):
        sheet.line(*arc(middle, radius), width=NORMAL, dash=(2.4, 1.4))
    sheet.sign("7", (126, 150), (112, 140))
    sheet.sign("10", (134, 60), (98, 79.5))
    sheet.sign("8", (66, 112))
    sheet.sign("14", (16, 172), (57, 120.8))
    sheet.sign("12", (14, 50), (42, 81.5))


def inductance(sheet: Sheet) -> None:
    """Figure 4: inductance while parked (20), and during the conditioning strokes (21)."""
    low, high, bottom, top = 4.0, 7.2, 168, 48
    parked = Plot(
        sheet, (28, top, 94, bottom), Scale(0, 28, (0, 13, 26), "Parking / weeks"),
        Scale(low, high, (4.2, 4.4, 6.6), "Inductance / mH"),
    )  # fmt: skip
    parked.curve([(0, 4.2), (4, 4.9), (8, 5.45), (13, 5.95), (18, 6.3), (22, 6.5), (26, 6.6)], rounded=True)
    driven = Plot(sheet, (104, top, 134, bottom), Scale(0, 52, (0, 48), "Strokes"), Scale(low, high))
    driven.curve(
        [(0, 6.6), (6, 6.1), (14, 5.45), (24, 4.95), (34, 4.62), (42, 4.47), (48, 4.4)], rounded=True
    )
    parked.guide((0, 6.6), (26, 6.6))
    for value in (4.4, 6.6):
        sheet.line((28, parked.at(0, value)[1]), (134, parked.at(0, value)[1]), width=THIN, dash=(1.5, 1.2))
    x, y = parked.at(26, 4.2)
    end = parked.at(26, 6.6)[1]
    arrow(sheet, (x, y), (x, end), both=True, width=THIN, head=2)
    parked.guide((0, 4.2), (26, 4.2))
    sheet.text("2.4", (x - 6, (y + end) / 2))
    sheet.sign("20", (44, 66), parked.at(8, 5.45))
    sheet.sign("21", (128, 84), driven.at(14, 5.45))


FIGURES = (damper, bottom_piece, jet, inductance)
FRONT = damper
