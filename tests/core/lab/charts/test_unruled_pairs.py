"""Pairs of a library on which nobody has ruled: what a chart would have a judge read."""

import json
from dataclasses import replace

from claimlight.cli.__main__ import run
from claimlight.lab.charts.unruled import choose_passages, draw_unruled
from claimlight.lab.diagnostics.cells.sample import CellPlan
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from tests.core.lab.charts.test_silver_cells import WORDS, applications, library, stack


def test_passages_that_share_most_with_one_feature_are_chosen_for_it():
    features = ["a valve that opens slowly", "a pump of steel"]
    texts = [
        "The housing has a lid.",
        "The valve opens slowly.",
        "A steel pump is shown.",
        "Valve, pump and housing are steel.",
    ]
    assert choose_passages(features, texts, 1) == [1, 2]
    assert choose_passages(features, texts, 4) == [0, 1, 2, 3]
    assert choose_passages(features, [], 2) == []


def test_features_meet_passages_of_their_own_near_and_other_documents(tmp_path):
    with library(tmp_path / "L", applications()) as made:
        engine = SearchEngine.open(made, Settings(), stack=lambda _: stack(WORDS))
        groups = list(draw_unruled(made, engine, CellPlan(3, 4), TaskContext()))
        again = list(draw_unruled(made, engine, CellPlan(3, 4), TaskContext()))
    assert groups == again
    assert {group.source for group in groups} == {"own", "near", "other"}
    for group in groups:
        assert group.features
        assert len(set(group.passages)) == len(group.passages) > 0
        line = json.loads(group.json())
        assert line["features"] == list(group.features)
        assert [passage["text"] for passage in line["passages"]] == list(group.passages)
        assert not any("labels" in passage for passage in line["passages"])


def test_passages_are_without_reference_signs_as_judges_read_them(tmp_path):
    signed = [
        replace(
            item,
            description=tuple(replace(p, text=f"{p.text} The part (12) is shown.") for p in item.description),
        )
        for item in applications()
    ]
    with library(tmp_path / "L", signed) as made:
        engine = SearchEngine.open(made, Settings(), stack=lambda _: stack(WORDS))
        groups = list(draw_unruled(made, engine, CellPlan(3, 4), TaskContext()))
    texts = [text for group in groups for text in group.passages]
    assert any("The part is shown." in text for text in texts)
    assert not any("(12)" in text for text in texts)


def test_the_command_leaves_out_what_must_not_be_learned_from(tmp_path, monkeypatch, capsys):
    made = stack(WORDS)
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    given = applications()
    library(tmp_path / "L", given).close()
    number = given[3].publication
    (tmp_path / "without.txt").write_text(f"{number.country}{number.number}\n", encoding="utf-8")
    out = tmp_path / "pairs.jsonl"
    asked = ["lab", "charts", "pairs", str(tmp_path / "L"), "--out", str(out), "--clusters", "2"]
    assert run([*asked, "--without", str(tmp_path / "without.txt")]) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    pairs = sum(len(line["features"]) * len(line["passages"]) for line in lines)
    assert f"{len(lines)} groups with {pairs} pairs" in capsys.readouterr().out
    assert not any(line["id"].startswith(str(number)) for line in lines)
