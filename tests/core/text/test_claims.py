"""References between claims, reading claims from text, and ancestors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.text.claim_references import find_references
from claimlight.text.claims import (
    collect_ancestors,
    drop_cancelled,
    find_missing_references,
    format_missing,
    list_claims,
    parse_claims,
    read_pasted_claims,
)
from claimlight.types import Claim

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
    ("請求項１に記載の減衰器", 5, (1,)),
    ("請求項１又は２に記載の", 5, (1, 2)),
    ("請求項１から３のいずれか一項に記載の", 5, (1, 2, 3)),
    ("請求項1乃至請求項4のいずれか1項に記載の", 6, (1, 2, 3, 4)),
    ("請求項１、３、又は４に記載の", 6, (1, 3, 4)),
    ("前記いずれかの請求項に記載の", 4, (1, 2, 3)),
    ("根据权利要求1所述的阻尼器", 5, (1,)),
    ("根据权利要求1-3中任一项所述的", 5, (1, 2, 3)),
    ("如权利要求1、2或4所述的", 5, (1, 2, 4)),
    ("如前述任一项权利要求所述的", 3, (1, 2)),
    ("如請求項1至3中任一項所述之", 5, (1, 2, 3)),
    ("제1항에 있어서, 상기", 5, (1,)),
    ("제1항 내지 제3항 중 어느 한 항에 있어서", 5, (1, 2, 3)),
    ("제 1 항 또는 제 2 항에 있어서", 5, (1, 2)),
    ("청구항 1 내지 청구항 3 중", 5, (1, 2, 3)),
    # what is none
    ("제1 항체를 포함하는", 5, ()),
    ("第1の請求項目", 5, ()),
    ("权利要求1，2个轮子", 5, (1,)),
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
    assert find_references(text, number) == tuple(sorted(expected))


@given(st.text(alphabet="claims 1234567,and/or-–to()précédentesAnspruch", max_size=80), st.integers(1, 40))
def test_references_are_ascending_and_smaller(text, number):
    found = find_references(text, number)
    assert list(found) == sorted(set(found))
    assert all(1 <= n < number for n in found)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6, unique=True))
def test_any_list_is_read_back(numbers):
    numbers.sort()
    for last in (" and ", " or ", ", and ", " and/or ", " und ", " ou "):
        text = "claims " + ", ".join(map(str, numbers[:-1])) + last + str(numbers[-1])
        assert find_references(text, 40) == tuple(numbers)


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
        return [c.number for c in collect_ancestors(_tree(), n, **kw)]

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
    assert [c.text for c in collect_ancestors(claims, 2)] == ["frame", "painted frame"]


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
    assert drop_cancelled([Claim(1, text), live]) == (live,)
    assert drop_cancelled([Claim(1, text)]) == (Claim(1, text),)


@pytest.mark.parametrize(
    "text",
    ["(withdrawn) The valve of claim 1.", "A ticket that is cancelled.", "Deleted records are kept.", "7."],
)
def test_claims_that_speak_of_cancelling_stand(text):
    assert drop_cancelled([Claim(1, text), Claim(2, "A valve.")])[0].text == text


@pytest.mark.parametrize(
    "text",
    [
        "1. A valve comprising\na body.\n\n2-38. (Canceled)\n\n39. The valve of claim 1, of metal.",
        "1. A valve comprising\na body.\n2.\u201338. (cancelled).\n39. The valve of claim 1, of metal.",
        "1. A valve comprising\na body.\nClaims 2 to 5, and 7: deleted\n39. The valve of claim 1, of metal.",
        "1. (Currently Amended) A valve comprising\na body.\n2. - 38. (canceled)\n"
        "39. (Withdrawn \u2013 Currently Amended) The valve of claim 1, of metal.\n40-41. (withdrawn)",
    ],
)
def test_ranges_of_cancelled_claims_and_the_status_of_claims_are_not_read(text):
    first, last = drop_cancelled(read_pasted_claims(text))
    assert (first.number, first.text.replace("\n", " ")) == (1, "A valve comprising a body.")
    assert (last.number, last.text, last.parents) == (39, "The valve of claim 1, of metal.", (1,))


def test_elements_stay_where_they_are_without_the_status():
    (claim,) = read_pasted_claims("1. (new) A valve comprising:\n    a body; and\n    a spring.\n")
    assert [claim.text[each.start : each.end] for each in claim.elements] == [
        "A valve comprising:",
        "a body; and",
        "a spring.",
    ]


def test_cancelled_ranges_in_running_text_are_not_read():
    text = "1. A valve (new) of metal. 2-4. (canceled) 5. (previously presented) The valve of claim 1."
    assert [(claim.number, claim.text) for claim in read_pasted_claims(text)] == [
        (1, "A valve (new) of metal."),
        (5, "The valve of claim 1."),
    ]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "1. (Original) A damper. 2. (Cancelled) 3. (New) A valve. 4. (Original) A pump. 5. (canceled)",
            {1: "A damper.", 3: "A valve.", 4: "A pump."},
        ),
        (
            "1. (Original) A damper. 2-5. (canceled) 6. (New) The damper of claim 1. 7. (Cancelled) "
            "8. (New) A horn.",
            {1: "A damper.", 6: "The damper of claim 1.", 8: "A horn."},
        ),
        (
            "1. (Original) A damper. 2. (Original) A valve. 3. (New) A pump.",
            {1: "A damper.", 2: "A valve.", 3: "A pump."},
        ),
        (
            "1. A damper.\n2. (Canceled without prejudice)\n15. (Cancelled) The damper of claim 8.\n"
            "16. A horn.",
            {1: "A damper.", 16: "A horn."},
        ),
        ("1. A damper.\n2.-3. (not entered)\n4. (Not Entered)\n5. A horn.", {1: "A damper.", 5: "A horn."}),
        (
            "1. (Currently Amended, Withdrawn) A damper.\n"
            "2. (Re-presented \u2013 formerly dependent claim 3) A valve.\n3. (Amended herein) A pump.",
            {1: "A damper.", 2: "A valve.", 3: "A pump."},
        ),
        (
            "1. A valve when [[a pressure sensor]] an acceleration sensor ~~old~~ detects [a shock].",
            {1: "A valve when an acceleration sensor detects [a shock]."},
        ),
    ],
)
def test_amended_lists_are_read_as_they_stand(text, claims):
    assert {claim.number: claim.text for claim in drop_cancelled(read_pasted_claims(text))} == claims


@pytest.mark.parametrize("text", ["1-38. (canceled)", "A ticket of 2 to 3 passengers is cancelled, wherein"])
def test_what_is_no_range_between_claims_stays(text):
    assert text.removeprefix("1-38. ") in read_pasted_claims(text)[0].text


def test_a_claim_whose_parent_was_cancelled_stands_alone():
    claims = drop_cancelled([Claim(1, "(canceled)"), Claim(2, "The valve of claim 1.", parents=(1,))])
    assert [claim.number for claim in collect_ancestors(claims, 2)] == [2]


_JAPANESE = """【特許請求の範囲】
【請求項１】
流体を収容するシリンダと、
前記シリンダ内を摺動するピストンと、
を備える流体減衰器。
【請求項２】
前記ピストンに弁が設けられている、請求項１に記載の流体減衰器。
【請求項３】
請求項１又は２に記載の流体減衰器を備える車両。"""
_CHINESE = """权利要求书
1. 一种流体阻尼器，其特征在于，包括：缸体；以及活塞。
2. 根据权利要求1所述的流体阻尼器，其特征在于，所述阀为电磁阀。
3、根据权利要求1-2中任一项所述的流体阻尼器，其中，所述活塞为钢。"""
_KOREAN = """【청구범위】
【청구항 1】
유체를 수용하는 실린더; 및
피스톤을 포함하는 유체감쇠기.
【청구항 2】
제1항에 있어서, 상기 피스톤에 밸브가 마련되는 유체감쇠기.
【청구항 3】
제1항 내지 제2항 중 어느 한 항에 따른 유체감쇠기를 포함하는 차량."""
_GERMAN = """Patentansprüche
1. Stoßdämpfer mit einem Zylinder.
2. Stoßdämpfer nach Anspruch 1, dadurch gekennzeichnet, dass er klein ist.
3. Stoßdämpfer nach einem der Ansprüche 1 bis 2, der rot ist."""
_FRENCH = """REVENDICATIONS
1. Amortisseur comprenant un cylindre.
2. Amortisseur selon la revendication 1, caractérisé en ce que le cylindre est court.
3. Amortisseur selon l'une quelconque des revendications 1 à 2."""
_ENGLISH = """What is claimed is:
1. A widget comprising a frame.
2. The widget of claim 1, painted.
3. The widget of claim 1 or claim 2, wherein the frame is 5 mm wide."""


@pytest.mark.parametrize("text", [_JAPANESE, _CHINESE, _KOREAN, _GERMAN, _FRENCH, _ENGLISH])
def test_pasted_claims_of_every_office(text):
    """With their lines, and in one paragraph, the heading in front."""
    by_lines = read_pasted_claims(text)
    assert [(claim.number, claim.parents) for claim in by_lines] == [(1, ()), (2, (1,)), (3, (1, 2))]
    assert find_missing_references(by_lines) == {}
    in_one = read_pasted_claims(" ".join(text.split()))
    assert [(claim.number, claim.parents) for claim in in_one] == [(1, ()), (2, (1,)), (3, (1, 2))]
    assert ["".join(claim.text.split()) for claim in in_one] == [
        "".join(claim.text.split()) for claim in by_lines
    ]


def test_what_belongs_to_the_page_is_left_out():
    text = """U.S. Patent Apr. 16, 2013 Sheet 4 of 9 US 8,419,462 B2
15 16
What is claimed is:
1. A lever type connector, which comprises: a hous-
ing into which a mating 5 housing is fitted, and a semi-
conductor device;
a lever that is rotated in the
US 8,419,462 B2
17 18
housing by ten or more degrees of its axis.
- 12 -
2. The connector of claim
1, wherein the lever is rotated.
* * * * *"""
    first, second = read_pasted_claims(text)
    assert first.text == (
        "A lever type connector, which comprises: a housing into which a mating 5 housing is fitted, and a "
        "semiconductor device;\na lever that is rotated in the housing by ten or more degrees of its axis."
    )
    assert (second.text, second.parents) == ("The connector of claim 1, wherein the lever is rotated.", (1,))


def test_numbers_in_the_margin_are_left_out_and_numbers_of_the_text_stay():
    lines = [f"part {n} of a long machine that has parts and" for n in range(101, 120)]
    lines[4], lines[9], lines[14] = f"5 {lines[4]}", f"{lines[9]} 10", f"15 {lines[14]}"
    lines[6] += " 5"
    (claim,) = read_pasted_claims("1. A machine with\n" + "\n".join(lines) + "\nan end.")
    assert " 10 " not in claim.text
    assert " 15 " not in claim.text
    assert claim.text.count(" 5 ") == 1
    assert "part 107 of a long machine that has parts and 5 part 108" in claim.text
    few = "1. A machine with\n5 parts of a long machine that has\nwheels."
    assert "5 parts" in read_pasted_claims(few)[0].text


def test_a_reference_that_leads_nowhere_is_told():
    text = "What is claimed is: 1. A widget. 2. The widget of claim 1 or claim 7. 3. The widget of claim 3."
    claims = read_pasted_claims(text)
    assert [claim.parents for claim in claims] == [(), (1,), ()]
    assert find_missing_references(claims) == {2: (7,), 3: (3,)}
    told = format_missing(find_missing_references(claims))
    assert told.startswith("Claim 2 refers to claim 7; Claim 3 refers to itself: ")
    assert format_missing(find_missing_references(claims[:1])) == ""


def test_claims_that_refer_to_one_another_do_not_hang():
    claims = [Claim(1, "a", parents=(2,)), Claim(2, "b", parents=(1, 2, 3)), Claim(3, "c", parents=(3, 2))]
    assert [claim.number for claim in collect_ancestors(claims, 3, every=True)] == [1, 2, 3]


def test_listed_claims_keep_their_numbers_and_steps():
    found = list_claims(["【請求項１】弁。", "請求項１に記載の弁。", "4. A valve of claim 1:\n1. a seat"])
    assert [(claim.number, claim.text, claim.parents) for claim in found] == [
        (1, "弁。", ()), (2, "請求項１に記載の弁。", (1,)), (4, "A valve of claim 1:\n1. a seat", (1,)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "1. A kit comprising:\n1) a saw;\n2) a file.\n2. The kit of claim 1.",
        "1. A method comprising: 1) cutting; 2) filing. 2. The method of claim 1.",
        "1. A device with (see FIG. 2. The part) a wheel. 2. The device of claim 1.",
    ],
)
def test_numbers_inside_a_claim_begin_none(text):
    assert [claim.number for claim in read_pasted_claims(text)] == [1, 2]


@given(st.text(alphabet="1. 2)claim\nTheA請求項１、。-5US 8,419,462 B2;:", max_size=200))
def test_any_pasted_text_is_read(text):
    claims = read_pasted_claims(text)
    numbers = [claim.number for claim in claims]
    assert numbers == sorted(set(numbers))
