"""Reference signs: which numbers are signs, and what they name, in the languages of the files."""

from __future__ import annotations

import pytest

from claimlight.text.reference_signs import find_reference_signs


def signs(*paragraphs: str) -> dict[str, str]:
    return {each.sign: each.name for each in find_reference_signs(("FIG. 1", *paragraphs))}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The damper 12 has a rotor (14a).", {"12": "damper", "14a": "rotor"}),
        ("A first valve 3' and the valve spring 3A.", {"3'": "first valve", "3A": "valve spring"}),
        ("The bolts 12, 14 and 16 hold it.", {"12": "bolts", "14": "bolts", "16": "bolts"}),
        ("Der Dämpfer (12) hat die obere Öffnung 14.", {"12": "Dämpfer", "14": "obere Öffnung"}),
        ("Das Ende des Dämpfers 12. Der Dämpfer 12.", {"12": "Dämpfer"}),
        ("L'arbre de sortie 12 du moteur 14.", {"12": "arbre de sortie", "14": "moteur"}),
        ("The head 4 a and the neck 4 b. The lid 5 a user opens.", {"4a": "head", "4b": "neck", "5": "lid"}),
        ("Valve 12 opens. The valve 12 shuts.", {"12": "valve"}),
        ("The valve 12 to the housing 3 mounted.", {"12": "valve", "3": "housing"}),
        ("In the step S a step 302 follows.", {"302": "step"}),
    ],
)
def test_a_sign_has_the_name_before_it(text: str, found: dict[str, str]):
    assert signs(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "The width 12 mm, a length of 3 cm and the angle 30°.",
        "The method of claim 1, see the paragraph 12 and the example 3.",
        "Nach Anspruch 1 und dem Beispiel 2 der Tabelle 3.",
        "Selon la revendication 1 et le tableau 2.",
        "In the Figure 3 and the FIG. 4, the Figs. 5 and 6.",
        "The prior patent 4,123,456 of the year 1998, in the June 2003.",
        "The temperature 20 to 30, the range 5-7, the ratio 1.5 and the share 40 %.",
        "It comprises 12 valves and the 14 pistons, at least 3.",
        "In the step 2, a person of Stuttgart 1974 was at the Health Level 7.",
    ],
)
def test_other_numbers_are_no_signs(text: str):
    assert signs(text) == {}


def test_the_most_frequent_name_wins_and_every_mention_is_placed():
    texts = (
        "FIG. 1 shows the damping valve 12.",
        "The damping valve 12 and a body 12.",
        "By damping valve 12.",
    )
    (found,) = find_reference_signs(texts)
    assert (found.sign, found.name) == ("12", "damping valve")
    assert [texts[each.paragraph][each.start : each.end] for each in found.mentions] == ["12"] * 4


def test_a_description_without_figures_has_none():
    assert find_reference_signs(("The damper 12 has a rotor 14.",)) == ()
