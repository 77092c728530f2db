"""Quantities of claims and passages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.text.quantities import Figures, find_quantities
from claimlight.types import TermState

LITERAL, MEANING, MISSING = TermState.LITERAL, TermState.MEANING, TermState.MISSING


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0.1 to 5 mm and 3 blades (12)", ["0.1 to 5 mm"]),
        ("a mass of 3005±5 Th", ["3005±5 Th"]),
        ("50 °C or 80%, 95 wt% or 99 per cent", ["50 °C", "80%", "95 wt%", "99 per cent"]),
        ("the valve of claim 1.5, wherein 2,5 kg", ["2,5 kg"]),
        ("between 20 and 25 mm, or the valve 7 and 3 mm", ["between 20 and 25 mm", "3 mm"]),
        ("10-20 nm, 100 \u2013 200 \u03bcm (Fig. 3)", ["10-20 nm", "100 \u2013 200 \u03bcm"]),
        ("H2O and C12, from 5 to 10 layers, the damper 112, 7, 8 or 9 parts, member-12", []),
        ("a 5mm hole and a 12-volt supply of 300 K [5]", ["5mm", "12-volt", "300 K"]),
        ("pH of 7.5, ratio 1:2.5", ["7.5", "2.5"]),
        ("4.2*10^2 ms, 3 x 10-3 mol/l and 2·10⁻³ m", ["4.2*10^2 ms", "3 x 10-3 mol/l", "2·10⁻³ m"]),
        ("-25 °C, minus 5 °C, from -5 to -60 °C", ["-25 °C", "minus 5 °C", "-5 to -60 °C"]),
        ("700 ms at 10 km/h, 15 cSt, 1 µF, 30 HRC", ["700 ms", "10 km/h", "15 cSt", "1 µF", "30 HRC"]),
        ("15 000 ms, 5 degrees Celsius, 40 kg/m3", ["15 000 ms", "5 degrees Celsius", "40 kg/m3"]),
        ("1.000.000 cycles", ["1.000.000"]),
        ("2,5-diazabicyclo[2.2.1]heptane, 1,2,3,4-tetrahydro, (3,4-dichloro), 5-FU, a 2.5-fold", []),
        ("as in FIG. 7A, 47 AGG sequences and 4 LED", []),
        ("from 5 mM to 10 uM, 30 kDa", ["5 mM", "10 uM", "30 kDa"]),
    ],
)
def test_quantities_are_found_whole_and_other_numbers_are_not(text, found):
    assert [text[each.start : each.end] for each in find_quantities(text)] == found


@pytest.mark.parametrize(
    ("claim", "passage", "states"),
    [
        ("5 mm", "0.5 cm long", [LITERAL]),
        ("2,5 kg", "of 2500 g", [LITERAL]),
        ("1,000 rpm", "1000 rpm", [LITERAL]),
        ("999 milliseconds", "of 0.999 s", [LITERAL]),
        ("420 s at 20 km/h", "420 ms at 20 km/h", [MISSING, LITERAL]),
        ("420 ms at 20 m/s", "420 ms at 20 km/h", [LITERAL, MISSING]),
        ("-25 °C", "at 25 °C", [MISSING]),
        ("\u221225 °C", "minus 25 °C", [LITERAL]),
        ("7 ms", "valve 7 opens for 8 ms", [MISSING]),
        ("2 kW", "up to 2 W", [MISSING]),
        ("400-450 ms", "420 ms", [MEANING]),
        ("400-450 ms", "400 to 450 ms", [LITERAL]),
        ("400-450 ms", "300 to 500 ms", [MISSING]),
        ("between 250 and 900 ms", "for 300 to 350 ms", [MEANING]),
        ("300 to 400 ms", "420 ms", [MISSING]),
        ("3005±5 Th", "3004 Th", [MEANING]),
        ("3005±5 Th", "3011 Th", [MISSING]),
        ("at least 25 MPa", "broke at 31 MPa", [MEANING]),
        ("more than 100,000 rpm", "90 000 rpm", [MISSING]),
        ("below 100 °C", "its target is 78 °C", [MEANING]),
        ("up to 5 mm", "6 mm", [MISSING]),
        ("at least about 5 mm", "of 6 mm", [MEANING]),
        ("at most 5 mm", "less than 4 mm", [MEANING]),
        ("20 mm", "20 or 30 mm", [LITERAL]),
        ("ratio of 2.5", "2.5 to 1", [LITERAL]),
        ("a pH of 7.5", "7 and 5", [MISSING]),
        ("30 HRC", "58 HRC", [MISSING]),
        ("95 wt%", "95 wt %", [LITERAL]),
        ("5 mM", "5 mm", [MISSING]),
        ("0.2 mM", "200 µM", [LITERAL]),
        ("20 Millimeter", "2 cm", [LITERAL]),
        ("300 K", "300 kelvin", [LITERAL]),
        ("3 m² and 40 kg/m3", "3 m2 of 40 kg/m^3", [LITERAL, LITERAL]),
    ],
)
def test_a_passage_has_a_quantity_by_its_value_and_unit(claim, passage, states):
    assert [Figures.of(passage).state(each) for each in find_quantities(claim)] == states


@given(st.text(alphabet="0123456789 .,-–±×x*^10mkg%°C²/()abto", max_size=40))
def test_whatever_is_written_is_found_within_the_text_and_has_itself(text):
    """Also of numbers that are none."""
    figures, end = Figures.of(text), 0
    for each in find_quantities(text):
        assert end <= each.start < each.end <= len(text)
        end = each.end
        assert text[each.start : each.end].strip() == text[each.start : each.end]
        assert figures.state(each) is not MISSING


def test_the_guide_says_how_many_passages_of_charts_have_the_quantities():
    """So few that disclose a feature, and so many near misses, that a missing quantity changes no verdict."""
    root = Path(__file__).parents[3]
    counts = {True: [0, 0], False: [0, 0]}
    for path in sorted((root / "resources" / "charts" / "choose").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            chart = json.loads(line)
            features = {each["label"]: find_quantities(each["text"]) for each in chart["features"]}
            texts = {each["n"]: each["text"] for each in chart["document"]["paragraphs"]}
            for cell in chart["cells"]:
                named = cell.get("paragraphs") or cell.get("near") or ()
                wanted = features[cell["feature"]]
                if not wanted or not named or named[0] not in texts or cell["wording"] == "absent":
                    continue
                figures = Figures.of(texts[named[0]])
                has = all(figures.state(each) is not MISSING for each in wanted)
                counts[cell["disclosed"]][0] += has
                counts[cell["disclosed"]][1] += 1
    guide = " ".join((root / "docs" / "guide" / "verdicts.md").read_text(encoding="utf-8").split())
    (some, disclosed), (more, near) = counts[True], counts[False]
    assert f"({some} of {disclosed}), and of near misses more ({more} of {near})" in guide
