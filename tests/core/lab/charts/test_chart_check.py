"""Form, balance and duplicates of charts and groups."""

from __future__ import annotations

import json

import pytest

from claimlight.cli.__main__ import run
from claimlight.errors import InputError
from claimlight.lab.charts.balance import measure_balance
from claimlight.lab.charts.checking import find_duplicates, find_faults
from claimlight.lab.charts.reading import preamble, read_benchmark, read_part
from claimlight.training.judges.material import read_groups
from tests.core.lab.charts.chart_fakes import benchmark, charts, group, write

WORDY = "A device comprising a thing of the same kind, made of glass"


def faults_of(folder, item):
    write(folder / "choose" / "b.jsonl", [item])
    return find_faults(read_benchmark(folder, strict=False))


def test_the_parts_and_groups_of_a_benchmark(tmp_path):
    found = read_benchmark(benchmark(tmp_path))
    assert {part: [placed.item.id for placed in items] for part, items in found.charts.items()} == {
        "choose": ["T02"],
        "fit": ["T01"],
    }
    assert [placed.item.id for placed in found.groups] == ["G001"]
    assert not find_faults(found)
    assert not find_duplicates(found)


def test_a_part_is_read_without_opening_others(tmp_path):
    benchmark(tmp_path)
    (tmp_path / "final").mkdir()
    (tmp_path / "final" / "c.jsonl").write_text("closed\n")
    assert [chart.id for chart in read_part(tmp_path, "choose")] == ["T02"]
    with pytest.raises(InputError, match="line 1"):
        read_part(tmp_path, "final")
    with pytest.raises(InputError, match="no part 'other'; it has choose, final, fit"):
        read_part(tmp_path, "other")


def test_a_folder_of_files_is_one_part(tmp_path):
    write(tmp_path / "a.jsonl", charts())
    assert [chart.id for chart in read_part(tmp_path, "choose")] == ["T01", "T02"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="has no charts"):
        read_benchmark(tmp_path / "empty")


def test_the_preamble_ends_where_the_first_feature_begins():
    assert preamble("A kettle comprising a lid; a spout.", ["a spout", "a lid"]) == "A kettle comprising"
    assert preamble("a lid; a spout.", ["a lid", "a spout"]) == "a lid; a spout."


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda c: c["document"]["paragraphs"].pop(), "13 paragraphs; 14 to 22 were expected"),
        (lambda c: c["document"]["paragraphs"][3].update(n="0003"), "a paragraph number is there twice"),
        (lambda c: c["document"]["paragraphs"][3].update(text="Short."), "1 words in paragraph 0004"),
        (lambda c: c["features"][0].update(text="a wheel"), "the text of F1 is no part of the claim"),
        (lambda c: c["cells"].pop(), "every feature needs exactly one cell"),
        (
            lambda c: c["cells"][0].update(paragraphs=["0099"]),
            "F1: the document has no paragraph or claim 0099",
        ),
        (
            lambda c: c["document"].update(claims=[{"n": "1", "text": WORDY}]),
            "claim 1 of the document is numbered '1'",
        ),
        (lambda c: c["document"].update(claims=[{"n": "claim 1", "text": "A lid."}]), "2 words in claim 1"),
        (lambda c: c["cells"][0].update(near=["0001"]), "discloses the feature and only comes near"),
        (lambda c: c["cells"][0].update(paragraphs=[]), "it is disclosed, but by no paragraph"),
        (lambda c: c["cells"][0].update(wording="absent"), "a disclosed cell can't be 'absent'"),
        (lambda c: c["cells"][4].update(wording="near_miss"), "F5: a near miss lists the paragraphs"),
        (lambda c: c["cells"][3].update(wording="same"), "an undisclosed cell can't be 'same'"),
        (lambda c: c.pop("claim"), "claim is missing"),
        (lambda c: c["cells"][0].update(wording="vague"), "'vague' is invalid"),
    ],
)
def test_what_breaks_the_form_of_a_chart_is_named(tmp_path, spoil, fault):
    _, item = charts()
    spoil(item)
    found = faults_of(tmp_path, item)
    assert any(fault in line and "b.jsonl, line 1" in line for line in found), found


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda g: g.update(cpc=""), "the CPC class must not be empty"),
        (lambda g: g["passages"].pop(), "4 passages; 5 to 8 were expected"),
        (lambda g: g["passages"][0].update(labels=["same"]), "passage 1 needs one label for each feature"),
        (lambda g: g["passages"][0]["labels"].__setitem__(0, "maybe"), "unknown label 'maybe'"),
        (
            lambda g: [p["labels"].__setitem__(1, "near") for p in g["passages"]],
            "feature 2 needs passages that disclose it and passages that don't",
        ),
    ],
)
def test_what_breaks_the_form_of_a_group_is_named(tmp_path, spoil, fault):
    item = group()
    spoil(item)
    write(tmp_path / "groups" / "g.jsonl", [item])
    found = find_faults(read_benchmark(tmp_path, strict=False))
    assert any(fault in line for line in found), found


def test_preambles_may_be_the_features_of_a_group_without_a_claim(tmp_path):
    item = group() | {"claim": "", "features": ["A damper for a door, comprising:", "A damper for a drawer"]}
    write(tmp_path / "groups" / "g.jsonl", [item])
    assert find_faults(read_benchmark(tmp_path)) == []
    assert {
        cell.subject for block in read_groups(tmp_path / "groups" / "g.jsonl") for cell in block.cells
    } == {""}


def test_a_cell_may_name_a_claim_of_the_document(tmp_path):
    _, item = charts()
    item["document"]["claims"] = [{"n": "claim 1", "text": WORDY}]
    item["cells"][0]["paragraphs"].append("claim 1")
    without = faults_of(tmp_path, charts()[1])
    assert faults_of(tmp_path, item) == without
    (chart,) = read_part(tmp_path, "choose")
    assert [passage.n for passage in chart.document.passages][-2:] == ["0014", "claim 1"]


def test_the_same_chart_in_two_parts_is_found(tmp_path):
    first, second = charts()
    copied = {**second, "id": "T03"}
    write(tmp_path / "fit" / "a.jsonl", [first, second])
    write(tmp_path / "choose" / "b.jsonl", [copied])
    (line,) = find_duplicates(read_benchmark(tmp_path))
    assert line.startswith("choose T03 and fit T02 share ")
    write(tmp_path / "choose" / "b.jsonl", [second])
    assert any("T02 was there before" in line for line in find_faults(read_benchmark(tmp_path)))


def test_a_passage_of_a_group_that_a_chart_has_too_is_found(tmp_path):
    benchmark(tmp_path)
    item = group()
    item["passages"][2]["text"] = charts()[1]["document"]["paragraphs"][4]["text"]
    write(tmp_path / "groups" / "g.jsonl", [item])
    assert find_duplicates(read_benchmark(tmp_path)) == [
        "choose T02 and groups G001 share 1 sentence or features."
    ]


def test_the_balance_says_how_much_each_tell_gives_away(tmp_path):
    benchmark(tmp_path)
    choose, fit, groups = measure_balance(read_benchmark(tmp_path))
    assert (choose.name, fit.name, groups.name) == ("choose", "fit", "groups")
    assert (choose.items, choose.cells, choose.disclosed) == (1, 5, 0.6)
    assert choose.sections == (("A", 1),)
    kinds = {kind.name: kind for kind in choose.kinds}
    assert {name: kind.cells for name, kind in kinds.items()} == {
        "same": 2,
        "implicit": 1,
        "near_miss": 1,
        "absent": 1,
    }
    assert kinds["same"].overlap == 1.0, "spout, glass; handle, wood"
    assert kinds["absent"].overlap is None
    tells = {tell.name: tell.area for tell in choose.tells}
    assert tells["position of the feature"] == 0.0, "the first three are disclosed, the last two are not"
    assert tells["negations in the paragraph"] == 0.0, "only the near miss negates"
    assert (groups.cells, groups.disclosed) == (10, 0.4)


def test_the_command_prints_the_balance_and_fails_on_a_fault(tmp_path, capsys):
    benchmark(tmp_path)
    assert run(["lab", "charts", "check", str(tmp_path)]) == 0
    assert "choose: 1 items, 5 cells, 60% disclosed" in capsys.readouterr().out
    assert run(["lab", "charts", "check", str(tmp_path), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert [part["name"] for part in body["parts"]] == ["choose", "fit", "groups"]
    (tmp_path / "fit" / "a.jsonl").write_text("{}\n")
    assert run(["lab", "charts", "check", str(tmp_path)]) != 0
    assert "a.jsonl, line 1: id is missing" in capsys.readouterr().err
