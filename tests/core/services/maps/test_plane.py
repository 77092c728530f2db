"""The map as pixels: what is where, what is drawn over what, what a line encloses."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.services.maps.drawing import SECTIONS
from claimlight.services.maps.plane import Plane
from claimlight.types import LibraryMap, MapPoint

COLOURS = list(range(1, len(SECTIONS) + 1))


def made(*points: tuple[float, float, str]) -> Plane:
    return Plane(
        LibraryMap(
            "g", tuple(MapPoint(n, f"EP{n}A1", "", part, x, y) for n, (x, y, part) in enumerate(points)), 0, 0
        )
    )


@pytest.fixture
def plane() -> Plane:
    return made((-1, -1, "A"), (1, 1, "B"), (0, 0, "A"), (1, -1, "–"))


def drawn(plane: Plane, lens, **more) -> np.ndarray:
    body = plane.draw(lens, colours=COLOURS, background=0, dot=3, **more)
    return np.frombuffer(body, dtype=np.uint32).reshape(lens.height, lens.width) & 0xFFFFFF


def test_the_whole_map_is_inside_the_picture_with_up_above(plane):
    lens = plane.whole(400, 200)
    at = plane.pixels(lens)
    assert ((at >= 0) & (at < [400, 200])).all()
    assert at[0, 1] > at[2, 1] > at[1, 1]
    picture = drawn(plane, lens)
    for row, code in ((0, 1), (1, 2), (3, len(SECTIONS))):
        assert picture[at[row, 1], at[row, 0]] == code


def test_rare_sections_are_drawn_over_common_ones():
    plane = made((0, 0, "B"), (0, 0, "A"), (0, 0, "A"), (1, 1, "A"))
    at = plane.pixels(lens := plane.whole(100, 100))
    assert drawn(plane, lens)[at[0, 1], at[0, 0]] == 2


def test_zooming_leaves_the_place_under_the_pointer_and_has_limits(plane):
    lens = plane.whole(400, 200)
    x, y = plane.pixels(lens, [1])[0].tolist()
    near = plane.zoomed(lens, 7.0, x, y)
    assert np.abs(plane.pixels(near, [1])[0] - [x, y]).max() <= 1
    for _ in range(60):
        near = plane.zoomed(near, 3.0, x, y)
    assert np.isfinite(near.scale)
    assert np.abs(plane.pixels(near, [1])[0] - [x, y]).max() <= 60
    moved = lens.moved(30, -12)
    assert np.abs(plane.pixels(moved) - plane.pixels(lens) - [30, -12]).max() <= 1


def test_points_at_the_edge_are_cut_off_and_not_wrapped_round(plane):
    lens = plane.whole(400, 200)
    x = int(plane.pixels(lens, [1])[0, 0])
    picture = drawn(plane, lens.moved(400 - x, 0))
    assert (picture[:, -2:] == 2).any()
    assert not (picture[:, :2] == 2).any()


def test_pointing_finds_the_nearest_and_nothing_far_away(plane):
    lens = plane.whole(400, 200)
    x, y = plane.pixels(lens, [2])[0].tolist()
    assert plane.nearest(lens, x + 3, y - 3) == 2
    assert plane.nearest(lens, x + 30, y) == -1
    assert made().nearest(made().whole(10, 10), 1, 1) == -1


def test_rings_and_frames_are_around_points(plane):
    lens = plane.whole(400, 200)
    x, y = plane.pixels(lens, [2])[0].tolist()
    picture = drawn(plane, lens, ringed=[2], ring=99, framed=[2], frame=77)
    assert picture[y, x] == 1
    assert 99 in picture[y - 4 : y + 5, x - 4 : x + 5] or 77 in picture[y - 4 : y + 5, x - 4 : x + 5]
    assert picture[y - 3, x - 3] == 77
    assert 99 not in drawn(plane, lens)


def test_what_a_mask_covers_is_inside(plane):
    lens = plane.whole(400, 200)
    mask = np.zeros((200, 404), dtype=np.uint8)
    x, y = plane.pixels(lens, [2])[0].tolist()
    mask[y - 5 : y + 5, x - 5 : x + 5] = 255
    assert plane.inside(lens, mask.tobytes(), 404) == [2]
    assert plane.inside(lens.moved(5000, 0), mask.tobytes(), 404) == []
