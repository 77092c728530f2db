from __future__ import annotations

import itertools

import pytest
from PySide6.QtGui import QPalette

from claimlight_workbench import theme

pytestmark = pytest.mark.styled

BOTH = pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=lambda each: each.name)
AA = 4.5


def contrast(first, second):
    """WCAG 2 contrast ratio, 1 to 21."""
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour):
    def linear(channel):
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@BOTH
def test_text_is_readable_on_every_ground(colours):
    for ground in (colours.base, colours.window, colours.raised, colours.selection):
        assert contrast(colours.text, ground) >= 7
    for ground in (colours.base, colours.window, colours.raised):
        for ink in (colours.muted, colours.warning, colours.good):
            assert contrast(ink, ground) >= AA, (ink, ground)
    assert contrast(colours.accent_text, colours.accent) >= AA


@BOTH
@pytest.mark.parametrize("number", range(1, 13))
def test_features_are_readable(colours, number):
    label = f"F{number}"
    assert contrast(colours.chip_text, theme.feature_colour(colours, label)) >= AA
    assert contrast(theme.feature_colour(colours, label), colours.base) >= 3
    assert contrast(colours.text, theme.chip_ground(colours, label)) >= AA
    for strength in (0.0, 0.25, 0.5, 0.75, 1.0):
        assert contrast(colours.text, theme.tint(colours, label, strength)) >= AA


@BOTH
def test_a_figure_on_what_is_not_proven_is_readable_and_its_ground_is_no_colour(colours):
    ground = theme.unproven(colours)
    assert contrast(colours.text, ground) >= AA
    channels = [int(ground[at : at + 2], 16) for at in (1, 3, 5)]
    assert max(channels) - min(channels) <= 16


@BOTH
def test_feature_colours_can_be_told_apart(colours):
    def lab(colour: str) -> tuple[float, float, float]:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
        ]
        r, g, b = linear
        x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
        y = 0.2126 * r + 0.7152 * g + 0.0722 * b
        z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
        fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
        return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)

    for one, other in itertools.combinations(colours.features, 2):
        distance = sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5
        assert distance >= 15, (one, other, distance)


@BOTH
def test_a_stronger_link_is_a_stronger_colour(colours):
    grounds = [theme.tint(colours, "F1", step / 10) for step in range(11)]
    away = [contrast(ground, colours.base) for ground in grounds]
    assert away == sorted(away)
    assert away[0] < away[-1]


def test_labels_beyond_the_twelfth_repeat_colours(qapp):
    assert theme.feature_colour(theme.LIGHT, "F13") == theme.feature_colour(theme.LIGHT, "F1")
    assert theme.feature_colour(theme.LIGHT, "") == theme.LIGHT.muted


def test_a_theme_is_applied(qapp):
    for colours in (theme.DARK, theme.LIGHT):
        theme.apply(qapp, colours)
        assert qapp.palette().color(QPalette.ColorRole.Base).name() == colours.base
        assert theme.active() is colours
