"""Varied cells keep the rulings that follow from how they are made."""

from collections import Counter
from random import Random

import pytest

from claimlight.training.judges.material import TrainingChart
from claimlight.training.judges.variants import add_signs, list_features, reword, vary_chart

CHART = TrainingChart(
    "V01",
    "A pump for liquids, comprising",
    (
        "a valve which is arranged in the inlet and is configured to open when the pressure exceeds a limit",
        "a plurality of blades fastened to the shaft",
        "a motor connected to the shaft by means of a belt",
        "a housing of cast iron",
    ),
    tuple(f"Paragraph {number} speaks of part {number} alone." for number in range(8)),
    ((0,), (1, 2), (), ()),
    ((3,), (), (4,), ()),
    ("other", "same", "near", "absent"),
)


@pytest.mark.parametrize("seed", range(20))
def test_paragraphs_keep_their_rulings_whatever_they_are_joined_with(seed):
    random = Random(seed)
    block = CHART.draw(random)
    found = vary_chart(CHART, block, random)
    for before, after in zip(block.cells, found, strict=False):
        assert (after.disclosed, after.wording) == (before.disclosed, before.wording)
        assert (after.row, after.column, after.subject) == (before.row, before.column, before.subject)
        assert before.passage in after.passage
        told = {*CHART.disclosing[after.column], *CHART.near[after.column]} - {before.row}
        assert not any(CHART.paragraphs[row] in after.passage for row in told)
        if after != before:
            assert after.terms == (), "their places are those of the words as they were written"


@pytest.mark.parametrize("seed", range(20))
def test_a_list_discloses_the_features_in_it_and_no_other(seed):
    random = Random(seed)
    block = CHART.draw(random)
    lists = vary_chart(CHART, block, random)[len(block.cells) :]
    assert any(cell.disclosed for cell in lists)
    last = {"inlet": 0, "blades": 1, "belt": 2, "iron": 3}
    for cell in lists:
        there = {column for word, column in last.items() if word in cell.passage}
        assert (cell.column in there) is cell.disclosed
        assert cell.row < 0, "no paragraph of the document"


def test_every_kind_of_variant_comes():
    random = Random(3)
    seen = Counter()
    for _ in range(40):
        block = CHART.draw(random)
        for before, after in zip(block.cells, vary_chart(CHART, block, random), strict=False):
            seen["joined"] += after.passage != before.passage
            seen["signs"] += "(" in after.feature
            seen["reworded"] += after.feature != before.feature and "(" not in after.feature
            seen["as written"] += after == before
    assert all(seen[kind] > 20 for kind in ("joined", "signs", "reworded", "as written")), seen


def test_phrases_are_replaced_and_words_stay():
    text = "a valve which is arranged in the inlet and opens when the pressure exceeds a limit"
    found = {reword(text, Random(seed)) for seed in range(50)}
    assert len(found) > 5
    for other in found:
        assert {"valve", "inlet", "pressure", "limit"} <= set(other.split())
        assert "  " not in other
    assert reword("a detector which, whenever aforesaid", Random(1)) == "a detector which, whenever aforesaid"
    assert reword("a housing of cast iron", Random(1)) == "a housing of cast iron"


def test_signs_stand_behind_words_and_the_head_of_a_list_ends_once():
    signed = [add_signs("a housing surrounding the electric motor", Random(seed)) for seed in range(30)]
    assert any("(" in text for text in signed)
    assert all(text.startswith("a housing") for text in signed)
    for seed in range(30):
        assert "comprising comprising" not in list_features(CHART.subject, CHART.features, Random(seed))
