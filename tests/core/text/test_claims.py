"""References between claims, reading claims from text, and ancestors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.claims import parse_claims, references, standing, with_ancestors
from core.types import Claim

TABLE = [
    ("The device of claim 1, wherein", 5, (1,)),
    ("The device of claims 2 to 5 and 7, wherein", 9, (2, 3, 4, 5, 7)),
    ("The device of claims 2-4 or 6", 9, (2, 3, 4, 6)),
    ("The device of claims 2–4, 6", 9, (2, 3, 4, 6)),
    ("according to claims 1, 3, and 5", 9, (1, 3, 5)),
    ("according to claims 1 and/or 2", 9, (1, 2)),
    ("according to claims 1, 2, 5 through 7, and 9", 12, (1, 2, 5, 6, 7, 9)),
    ("according to any one of claims 1 to 3 or claims 5 to 6", 9, (1, 2, 3, 5, 6)),
    ("as claimed in claim 1 or claim 4", 9, (1, 4)),
    ("as claimed in claim 1, 2 or 3", 9, (1, 2, 3)),
    ("as claimed in either of claims 1 or 2", 9, (1, 2)),
    ("of any one of claim 1 to claim 4", 9, (1, 2, 3, 4)),
    ("The device of claim1", 2, (1,)),
    ("The device of Claims (1) to (3)", 5, (1, 2, 3)),
    ("The device of claim No. 3", 5, (3,)),
    ("The device of claim 3.", 5, (3,)),
    ("any of the preceding claims", 4, (1, 2, 3)),
    ("any preceding claim", 4, (1, 2, 3)),
    ("any of the previous claims", 4, (1, 2, 3)),
    ("one or more of the foregoing claims", 4, (1, 2, 3)),
    ("any one of the above claims", 4, (1, 2, 3)),
    ("any of the claims above", 4, (1, 2, 3)),
    ("according to the preceding claim", 4, (3,)),
    ("according to any of the preceding claims 1 to 2", 5, (1, 2)),
    ("Vorrichtung nach Anspruch 1", 2, (1,)),
    ("Vorrichtung nach Anspruch 1 oder 2, bei welchem", 5, (1, 2)),
    ("nach einem der Ansprüche 1 bis 4", 6, (1, 2, 3, 4)),
    ("nach mindestens einem der Ansprüche 1, 3 und 4", 6, (1, 3, 4)),
    ("nach einem der vorhergehenden Ansprüche", 4, (1, 2, 3)),
    ("nach einem der vorstehenden Patentansprüche", 4, (1, 2, 3)),
    ("nach einem vorstehenden Anspruch, wobei", 4, (1, 2, 3)),
    ("nach einem der vorangehenden Ansprüche", 3, (1, 2)),
    ("nach dem vorhergehenden Anspruch", 4, (3,)),
    ("gemäß den Ansprüchen 2 und/oder 3", 4, (2, 3)),
    ("nach Patentanspruch 3", 4, (3,)),
    ("selon la revendication 1", 2, (1,)),
    ("selon l'une quelconque des revendications 8 à 10", 12, (8, 9, 10)),
    ("selon l'une quelconque des revendications 1 et 9 ou des revendications 4 et 9", 12, (1, 9, 4)),
    ("selon l'une des revendications précédentes", 4, (1, 2, 3)),
    ("selon l'une quelconque des revendications qui précèdent", 3, (1, 2)),
    ("selon la revendication précédente", 4, (3,)),
    ("suivant la revendication 1 ou 2", 5, (1, 2)),
    # what is none
    ("A device as claimed, with 3 wheels", 5, ()),
    ("The device of claim 7", 5, ()),
    ("The device of claim 5", 5, ()),
    ("The vehicle of claim 1, 2 wheels being driven", 5, (1,)),
    ("The alloy of claim 4, 1 to 3 % of which is copper", 5, (4,)),
    ("The bar of claim 4 and 2 mm thick", 5, (4,)),
    ("The device of claim 1, having 3 wheels", 5, (1,)),
    ("A device that proclaims 3 things", 5, ()),
    ("in the previous step", 5, ()),
    ("claims 1 to 99999", 4, (1, 2, 3)),
    ("claims 3 to 1", 5, (1, 2, 3)),
    ("", 3, ()),
]


@pytest.mark.parametrize(("text", "number", "expected"), TABLE)
def test_references(text, number, expected):
    assert references(text, number) == tuple(sorted(expected))


@given(st.text(alphabet="claims 1234567,and/or-–to()précédentesAnspruch", max_size=80), st.integers(1, 40))
def test_references_are_ascending_and_smaller(text, number):
    found = references(text, number)
    assert list(found) == sorted(set(found))
    assert all(1 <= n < number for n in found)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6, unique=True))
def test_any_list_is_read_back(numbers):
    numbers.sort()
    for last in (" and ", " or ", ", and ", " and/or ", " und ", " ou "):
        text = "claims " + ", ".join(map(str, numbers[:-1])) + last + str(numbers[-1])
        assert references(text, 40) == tuple(numbers)


def test_numbered_lines():
    claims = parse_claims("What is claimed is:\n1. A frame;\nand a wheel.\n\n2. The frame of claim 1.")
    assert [c.number for c in claims] == [1, 2]
    assert claims[0].text == "A frame;\nand a wheel."
    assert [claims[0].text[e.start : e.end] for e in claims[0].elements] == ["A frame;", "and a wheel."]
    assert [e.depth for e in claims[0].elements] == [0, 1]
    assert claims[1].parents == (1,)
    assert claims[1].elements == ()


def test_steps_numbered_inside_a_claim_stay_in_it():
    claims = parse_claims("1. A method comprising:\n1) heating,\n2) cooling.\n2. The method of claim 1.")
    assert [c.number for c in claims] == [1, 2]
    assert "cooling" in claims[0].text


def test_running_text():
    claims = parse_claims("1. A frame. 2. The frame of claim 1, 1.5 mm thick. 3. The frame of claim 2.")
    assert [c.number for c in claims] == [1, 2, 3]
    assert claims[1].text == "The frame of claim 1, 1.5 mm thick."


@pytest.mark.parametrize("lead", ["7. ", "7) ", "Claim 7: ", "[Claim 7] ", "7.", " 7 . "])
def test_leads_and_a_lone_claim_keeps_its_number(lead):
    (claim,) = parse_claims(lead + "A frame with 4. wheels.")
    assert (claim.number, claim.text) == (7, "A frame with 4. wheels.")


def test_unnumbered_text_is_one_claim():
    (claim,) = parse_claims("A frame.\n\nIt has a wheel.")
    assert claim.number == 1
    assert claim.text == "A frame.\nIt has a wheel."
    assert parse_claims("  \n ") == ()


def test_unnumbered_paragraphs_that_refer_are_claims():
    claims = parse_claims("A frame.\n\nThe frame of claim 1, painted.")
    assert [(c.number, c.parents) for c in claims] == [(1, ()), (2, (1,))]


def _tree():
    parents = {1: (), 2: (1,), 3: (1, 2), 4: (2, 3), 5: ()}
    return [Claim(number=n, text=str(n), parents=p) for n, p in parents.items()]


def test_ancestors():
    def numbers(n, **kw):
        return [c.number for c in with_ancestors(_tree(), n, **kw)]

    assert numbers(4) == [1, 2, 4]
    assert numbers(3) == [1, 3]
    assert numbers(4, every=True) == [1, 2, 3, 4]
    assert numbers(5) == [5]
    assert numbers(9) == []


def test_ancestors_keep_the_language():
    claims = [
        Claim(number=1, text="Rahmen", language="de"),
        Claim(number=1, text="frame", language="en"),
        Claim(number=2, text="painted frame", language="en", parents=(1,)),
    ]
    assert [c.text for c in with_ancestors(claims, 2)] == ["frame", "painted frame"]


@pytest.mark.parametrize(
    "text",
    [
        "(canceled)",
        "(Cancelled).",
        "-34. (canceled)",
        "to 36. (canceled)",
        "– 12. (cancelled)",
        "Claims 2-9 (deleted)",
        "[withdrawn]",
        "(gestrichen)",
        "(supprimée)",
    ],
)
def test_cancelled_claims_are_not_examined(text):
    live = Claim(35, "A valve with a cancelled stroke.")
    assert standing([Claim(1, text), live]) == (live,)
    assert standing([Claim(1, text)]) == (Claim(1, text),)


@pytest.mark.parametrize(
    "text",
    ["(withdrawn) The valve of claim 1.", "A ticket that is cancelled.", "Deleted records are kept.", "7."],
)
def test_claims_that_speak_of_cancelling_stand(text):
    assert standing([Claim(1, text), Claim(2, "A valve.")])[0].text == text


def test_a_claim_whose_parent_was_cancelled_stands_alone():
    claims = standing([Claim(1, "(canceled)"), Claim(2, "The valve of claim 1.", parents=(1,))])
    assert [claim.number for claim in with_ancestors(claims, 2)] == [2]
