"""Mentions of figures and their captions."""

from __future__ import annotations

import pytest

from claimlight.text.figures import find_figures, read_captions


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("see FIGS. 2A-2C and", [("FIGS. 2A-2C", "2A 2B 2C")]),
        ("Figs. 1, 2 and 3A to 3C show", [("Figs. 1, 2 and 3A to 3C", "1 2 3A 3B 3C")]),
        ("FIG. 2(a) and (b)", [("FIG. 2(a) and (b)", "2A 2B")]),
        ("Figur 3 bis 5 zeigen", [("Figur 3 bis 5", "3 4 5")]),
        ("FIG. 5, 6 or FIG. 7", [("FIG. 5, 6 or FIG. 7", "5 6 7")]),
        ("FIG. 12 20 mm", [("FIG. 12", "12")]),
        ("Fig. 3 and 100 parts", [("Fig. 3", "3")]),
        ("Figs. 3 and 4; 25 % of", [("Figs. 3 and 4", "3 4")]),
        ("configure 3 pumps", []),
        ("a fig tree", []),
    ],
)
def test_mentions_of_figures(text: str, mentions: list[tuple[str, str]]) -> None:
    found = find_figures(text)
    assert [(text[item.start : item.end], " ".join(item.labels)) for item in found] == mentions


def test_captions_are_the_clauses_that_begin_with_a_figure() -> None:
    captions = read_captions(
        [
            "In the drawings: FIG. 1 is a front view of the pump of FIG. 3; FIG. 2A and 2B show valves; and",
            "Figur 3 eine Ansicht.",
            "As FIG. 4 shows, nothing.",
        ]
    )
    assert captions == {
        "1": "FIG. 1 is a front view of the pump of FIG. 3",
        "2A": "FIG. 2A and 2B show valves",
        "2B": "FIG. 2A and 2B show valves",
        "3": "Figur 3 eine Ansicht",
    }


def test_a_paragraph_of_the_brief_description_is_a_caption_whatever_its_verb() -> None:
    text = "FIG. 2 redepicts the truck of FIG. 1, its flange raised."
    assert read_captions([text]) == {}
    assert read_captions([text], brief=True) == {"2": text.rstrip(".")}
