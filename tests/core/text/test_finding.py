"""Words found in a text as they are typed."""

from __future__ import annotations

import pytest

from claimlight.text.finding import Finder
from claimlight.types import FindRequest


def found(words: str, text: str, **options: bool) -> list[str]:
    return [text[span.start : span.end] for span in Finder(FindRequest(words, **options)).find(text)]


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("damp", "A damper. Damping is DAMPED.", ["damp", "Damp", "DAMP"]),
        ("front wheel", "the front\nwheel, a front  wheel", ["front\nwheel", "front  wheel"]),
        ("2.5", "2.5 mm, 2x5 mm", ["2.5"]),
        ("electrode", "une électrode", ["électrode"]),
        ("électrode", "an electrode", ["electrode"]),
        ("stossdampfer", "ein Stoßdämpfer", ["Stoßdämpfer"]),
        ("Stoßdämpfer", "ein Stossdaempfer", ["Stossdaempfer"]),
        ("anti-lock", "anti–lock", ["anti–lock"]),
        ("rider's", "the rider’s hand", ["rider’s"]),
        ("[0042", "see [0042]", ["[0042"]),
        ("\U0001d6fc", "𝛂 𝛼", ["𝛂", "𝛼"]),
        ("İ", "the İ", ["İ"]),
        ("  ", "a  b", []),
        ("", "a b", []),
        ("減衰", "流体の減衰器", ["減衰"]),
    ],
)
def test_what_is_typed_is_found_in_any_case_and_accent(words: str, text: str, expected: list[str]):
    assert found(words, text) == expected


def test_case_is_matched_if_asked_for():
    assert found("Damp", "A damper. Damping.", match_case=True) == ["Damp"]
    assert found("electrode", "électrode electrode", match_case=True) == ["electrode"]


def test_whole_words_are_not_inside_others():
    text = "ring, string, rings, (ring)"
    assert found("ring", text, whole_words=True) == ["ring", "ring"]
    assert found("(ring", text, whole_words=True) == ["(ring"]


def test_places_are_code_points_of_the_text_itself():
    text = "𝛼ß İ ﬁ damper"
    (span,) = Finder(FindRequest("DAMPER")).find(text)
    assert (span.start, span.end) == (text.index("damper"), len(text))
