"""The list of claims: what each depends on, what it merely refers to, and its first words."""

from __future__ import annotations

from datetime import date

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from claimlight.types import Claim, ClaimPriority, ReferenceDates
from claimlight_workbench.screens.query.claim_list import list_branches, list_claims
from claimlight_workbench.screens.query.claim_tree import ClaimPicker


def kind_of(first: str, text: str, parents: tuple[int, ...] = (1,)) -> str:
    """What the list shows in brackets for a claim that follows claims with the same words."""
    others = [Claim(number, first) for number in parents]
    entries = list_claims([*others, Claim(20, text, parents=parents)], {})
    return entries[-1][1].partition("(")[2].partition("): ")[0]


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("A 𝛼-damper (10) comprising: a wheel.", "The damper of claim 1, wherein the spring is helical."),
        (
            "A grease composition, comprising an oil.",
            "The composition according to claim 1, free of lithium.",
        ),
        ("A computer-implemented method for sorting.", "The method as claimed in claim 1."),
        (
            "Schmierfettzusammensetzung, umfassend ein Öl.",
            "Zusammensetzung nach Anspruch 1, wobei das Öl fehlt.",
        ),
        ("Composition lubrifiante comprenant une huile.", "Composition selon la revendication 1."),
        ("Dampers having a wheel.", "A damper according to claim 1."),
        ("一种阻尼器,其特征在于弹簧。", "根据权利要求1所述的阻尼器,其特征在于弹簧是螺旋形的。"),
        ("A damper comprising a wheel.", "As claimed in claim 1, the damper having a spring."),
        (
            "A portable, non-invasive stimulator for nerves.",
            "The device of claim 1, further comprising a clip.",
        ),
        ("A polymer of the formula X.", "A composition (12) as claimed in any one of the preceding claims."),
        ("Vorrichtung zum Mahlen.", "Mühle nach einem der vorhergehenden Ansprüche, wobei ein Rad läuft."),
    ],
)
def test_a_claim_to_the_same_thing_depends(first, text):
    assert kind_of(first, text) == "on 1"


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("A grease composition, comprising an oil.", "Use of the composition of claim 1 in a bearing."),
        ("A grease composition, comprising an oil.", "A method of making the grease composition of claim 1."),
        ("A damper comprising a wheel.", "A vehicle comprising the damper of claim 1."),
        (
            "Verfahren zum Schmieren eines Lagers.",
            "Gerät zur Durchführung des Verfahrens nach Anspruch 1.",
        ),
        ("Composition lubrifiante comprenant une huile.", "Procédé de fabrication selon la revendication 1."),
    ],
)
def test_a_claim_to_another_thing_merely_refers(first, text):
    assert kind_of(first, text) == "refers to claim 1"


def test_numbers_in_a_row_are_a_range():
    grease = "A grease composition, comprising an oil."
    assert kind_of(grease, "Use of the grease of any of claims 1 to 10.", tuple(range(1, 11))) == (
        "refers to claims 1–10"
    )
    assert kind_of(grease, "The composition of claims 1 to 3, 5 or 6.", (1, 2, 3, 5, 6)) == "on 1–3, 5, 6"


def test_a_text_that_is_cut_ends_with_dots():
    short, long = "A damper with a wheel.", "A damper with " + "a wheel and " * 30
    (_, first), (number, second) = list_claims([Claim(1, short), Claim(2, long)], {2: (7,)})
    assert first == "Claim 1 (independent): A damper with a wheel."
    assert number == 2
    head = "Claim 2 (independent; refers to claim 7, which does not exist): A damper with a wheel"
    assert second.startswith(head)
    assert second.endswith("…")
    assert len(second.partition("): ")[2]) <= 120


def test_the_tree_has_dependent_claims_below_and_names_the_others_by_category():
    claims = [
        Claim(1, "A damper comprising a valve."),
        Claim(2, "The damper of claim 1, wherein the valve is closed.", parents=(1,)),
        Claim(3, "The damper of claim 1 or 2, with a seal.", parents=(1, 2)),
        Claim(4, "A method for damping a wheel, comprising closing a valve."),
        Claim(5, "The method of claim 4, wherein the valve is opened.", parents=(4,)),
        Claim(6, "Use of a damper according to claim 1 in a bicycle.", parents=(1,)),
        Claim(7, "A bicycle with a damper according to claim 1.", parents=(1,)),
        Claim(8, "Verfahren zum Dämpfen eines Rades, umfassend ein Ventil."),
    ]
    found = list_branches(claims, {})
    assert [(item.number, item.below) for item in found] == [
        (1, 0), (2, 1), (3, 1), (4, 0), (5, 4), (6, 0), (7, 0), (8, 0),
    ]  # fmt: skip
    kinds = {item.number: item.text.partition(": Claim")[0] for item in found if not item.below}
    assert kinds == {
        1: "Product",
        4: "Method",
        6: "Use",
        7: "Product",
        8: "Method",
    }


def test_the_tree_shows_relevant_dates_and_documents_and_is_chosen_from_by_key(qtbot):
    picker = ClaimPicker()
    qtbot.addWidget(picker)
    claims = (Claim(1, "A damper."), Claim(2, "The damper of claim 1, with a seal.", parents=(1,)))
    for claim in claims:
        picker.addItem(claim.text, claim.number)
    picker.show_claims(claims, {})
    dates = ReferenceDates(
        date(2020, 1, 1), date(2019, 1, 1), verified=True, claims=(ClaimPriority(2, None),)
    )
    picker.show_dates(dates)
    picker.show_documents({2: 3})
    picker.show()
    picker.showPopup()
    first = picker.tree.topLevelItem(0)
    second = first.child(0)
    assert [first.text(1), second.text(1)] == ["2019-01-01", "2020-01-01"]
    assert [first.text(2), second.text(2)] == ["", "3"]
    taken = []
    picker.activated.connect(taken.append)
    QTest.keyClick(picker.tree, Qt.Key.Key_Down)
    QTest.keyClick(picker.tree, Qt.Key.Key_Return)
    assert taken == [1]
    assert picker.currentData() == 2
    assert not picker.tree.isVisible()
