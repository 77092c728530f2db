"""``matrix`` on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from tests.core.cli.schema import conforms
from tests.core.cli.test_cli import WORDS
from tests.fakes import library, patent, stack

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "matrix.schema.json"
CLAIM = "A bicycle comprising a frame; a viscous damper; and a brake."
EVERY = "EP1000001A1,EP1000002A1,EP1000003A1,EP1000004A1"


@pytest.fixture
def model(monkeypatch):
    made = stack(WORDS)
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    return made


@pytest.fixture
def folder(tmp_path, model):
    patents = [
        patent("1000001", "Damper", paragraphs=["A viscous damper of a bicycle."], priority="55"),
        patent("1000002", "Frame", paragraphs=["A bicycle with a frame."]),
        patent("1000003", "Abstract", abstract="A brake."),
        patent("1000004", "Claimed", claims=[CLAIM], priority="55"),
    ]
    with library(tmp_path / "L", patents) as made:
        assert made.store
    assert run(["settings", "set", "centers.stop_share", "0"]) == 0
    assert run(["index", "--library", str(tmp_path / "L")]) == 0
    return tmp_path / "L"


def test_a_matrix_as_json(folder, model, capsys):
    capsys.readouterr()
    command = ["matrix", "-l", str(folder), "--text", CLAIM, "--documents", EVERY]
    assert run([*command, "--residual", "EP1000001A1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert conforms(answer, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    rows = {row["patent"]["publication"]: row["cells"] for row in answer["rows"]}
    assert [row["patent"]["publication"] for row in answer["abstracts_only"]] == ["EP1000003A1"]
    verdicts = {name: [cell["verdict"] for cell in cells] for name, cells in rows.items()}
    assert verdicts["EP1000004A1"] == ["strong"] * 4
    damper = next(f["label"] for f in answer["features"] if "damper" in f["text"])
    assert next(c for c in rows["EP1000001A1"] if c["feature"] == damper)["verdict"] == "strong"
    ids = {row["patent"]["publication"]: row["patent"]["id"] for row in answer["rows"]}
    assert (answer["pairs"], answer["left_out"], answer["reference"]) == ([], [], None)
    assert any(note.startswith("The dates of the application are unknown") for note in answer["notes"])
    lacking = [c["feature"] for c in rows["EP1000001A1"] if c["verdict"] != "strong"]
    assert answer["residual"]["request"]["only"] == lacking
    hits = answer["residual"]["hits"]
    assert hits
    assert "EP1000001A1" not in {hit["patent"]["publication"] for hit in hits}
    gains = [hit["gain"] for hit in hits]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 0
    assert run([*command[:-1], EVERY.removesuffix(",EP1000004A1"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert conforms(answer, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    best = answer["pairs"][0]
    assert {best["first"], best["second"]} == {ids["EP1000001A1"], ids["EP1000002A1"]}
    assert best["neither"] == [next(f["label"] for f in answer["features"] if "brake" in f["text"])]
    assert best["only_first"]
    assert best["only_second"]


def test_pairs_leave_out_what_is_for_novelty_only(folder, model, capsys):
    capsys.readouterr()
    # Filed before that day and published on 2010-05-04, every document is an earlier European application.
    dates = ["--filed", "2010-01-01"]
    command = [
        "matrix",
        "-l",
        str(folder),
        "--text",
        CLAIM,
        "--documents",
        EVERY.removesuffix(",EP1000004A1"),
    ]
    assert run([*command, *dates, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert conforms(answer, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    assert {row["dates"]["label"] for row in (*answer["rows"], *answer["abstracts_only"])} == {"E"}
    assert answer["reference"]["filed"] == "2010-01-01"
    assert answer["pairs"] == []
    assert [item["why"] for item in answer["left_out"]] == ["novelty only"] * 3
    assert run([*command, *dates, "--residual", "EP1000001A1"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "3 documents left out of pairs: novelty only (Art. 54(3) EPC); --all-pairs shows them." in printed
    assert "There are fewer than two documents that can be combined." in printed
    assert "[E] E: prior art for novelty only, Art. 54(3) EPC" in printed
    assert "Note: D1 (EP1000001A1) is prior art for novelty only (Art. 54(3) EPC)" in printed
    assert run([*command, *dates, "--all-pairs"]) == 0
    printed = capsys.readouterr().out
    assert "left out" not in printed
    first = next(line for line in printed.splitlines() if " D1 " in line)
    assert "D1 EP1000001A1 [E]" in first
    assert "D2 EP1000002A1 [E]" in first
    assert run([*command, *dates, "--rules", "us", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [item["why"] for item in answer["left_out"]] == ["not prior art"] * 3, (
        "102(a)(2) is for US and PCT"
    )


def test_a_document_without_a_row_has_no_residual(folder, model, capsys):
    with library(folder, [patent("1000009", "New", claims=["A frame."])]):
        pass
    capsys.readouterr()
    assert run(["matrix", "-l", str(folder), "--text", CLAIM, "--residual", "EP1000009A1"]) == 1
    assert "not indexed yet" in " ".join(capsys.readouterr().err.split())


def test_what_is_not_indexed_is_not_compared(folder, model, capsys):
    with library(folder, [patent("1000009", "New", claims=["A frame."])]):
        pass
    capsys.readouterr()
    command = ["--library", str(folder), "--text", CLAIM]
    assert run(["matrix", *command, "--documents", "EP1000009A1"]) == 0
    printed = capsys.readouterr().out
    (row,) = (line for line in printed.splitlines() if line.startswith("EP1000009A1"))
    assert row.split()[1:] == ["?"] * 4
    said = " ".join(printed.split())
    assert "Note: 1 document is not indexed yet and not compared." in said
    assert "? not compared" in said
    assert run(["matrix", *command, "--documents", "EP1000009A1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert conforms(answer, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    cells = {(cell["verdict"], cell["cause"]) for cell in answer["rows"][0]["cells"]}
    assert cells == {("not compared", "not indexed")}
    assert run(["search", *command]) == 0
    assert "F1 ? F2 ? F3 ? F4 ? not compared: not indexed yet" in " ".join(capsys.readouterr().out.split())


def test_a_document_of_the_own_family_can_be_d1(folder, model, capsys):
    capsys.readouterr()
    assert run(["matrix", "-l", str(folder), "--like", "EP1000004A1", "--residual", "EP1000001A1"]) == 0
    assert "features missing from EP1000001A1 (D1)" in " ".join(capsys.readouterr().out.split())
    assert run(["matrix", "-l", str(folder), "--text", CLAIM, "--residual", "EP1000004A1"]) == 0
    assert "EP1000004A1 lacks no feature" in " ".join(capsys.readouterr().out.split())


def test_a_matrix_for_people(folder, model, capsys):
    capsys.readouterr()
    wanted = "EP1000002A1, EP1000001A1,EP1000003A1"
    assert run(["matrix", "-l", str(folder), "--text", CLAIM, "--documents", wanted]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    rows = [line for line in lines if line.startswith("EP1")]
    assert [line.split()[0] for line in rows] == ["EP1000002A1", "EP1000001A1", "EP1000003A1"]
    assert lines[lines.index("Title and abstract only") + 2] == rows[2]
    assert all(len(line.split()) == 5 for line in rows), "one cell for each of four features"
    said = " ".join(printed.split())
    assert "● strong match, from 50; ◐ medium match, from 35; · below threshold" in said
    pair = next(line for line in lines if "D1 EP1000001A1" in line)
    said = r"  only in D1 [F\d ]+  only in D2 [F\d ]+(  in \w+ [F\d ]+)*"
    assert re.fullmatch(r" *\d+ \(\+\d+\)  D1 EP1000001A1  D2 EP1\w+" + said, pair)


def test_pairs_of_a_quick_index_have_a_sign_that_the_legend_explains(tmp_path, model, capsys):
    parts = {"1000001": "A viscous damper of a bicycle.", "1000002": "A bicycle with a frame."}
    patents = [patent(number, text, claims=[text], paragraphs=["A brake."]) for number, text in parts.items()]
    with library(tmp_path / "Q", patents):
        pass
    for line in ("settings set centers.stop_share 0", "settings set search.reading_seconds 0"):
        assert run(line.split()) == 0
    assert run(["index", "--quick", "-l", str(tmp_path / "Q")]) == 0
    capsys.readouterr()
    wanted = "EP1000001A1,EP1000002A1"
    assert run(["matrix", "-l", str(tmp_path / "Q"), "--text", CLAIM, "--documents", wanted]) == 0
    printed = capsys.readouterr().out
    rows = [line for line in printed.splitlines() if line.startswith("EP1")]
    assert [row.endswith(" description not indexed yet") for row in rows] == [True, True]
    pair = next(line for line in printed.splitlines() if " D1 " in line)
    assert re.search(r"D1 EP100000\dA1 ½  D2 EP100000\dA1 ½  only", pair)
    assert "½ description not indexed, or only in part." in " ".join(printed.split())


def test_the_own_family_has_no_row(folder, model, capsys):
    capsys.readouterr()
    assert run(["matrix", "-l", str(folder), "--like", "EP1000004A1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["patent"]["publication"] for row in answer["rows"]] == ["EP1000002A1"]
    assert answer["thresholds"] == {"least": 0.35, "strong": 0.5}


def test_a_matrix_needs_one_claim(folder, capsys):
    assert run(["matrix", "-l", str(folder)]) == 2
    assert "Give exactly one of" in capsys.readouterr().err


def test_cells_are_listed_in_words(folder, model, capsys):
    capsys.readouterr()
    command = ["matrix", "-l", str(folder), "--text", CLAIM, "--documents", EVERY]
    assert run(command) == 0
    assert "best passage" not in capsys.readouterr().out
    assert run([*command, "--cells"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"EP1000001A1  Damper\n", out)
    assert re.search(r"^  F3  match strength \d+ \(strong match\), best passage \[0001\]", out, re.MULTILINE)
    assert len(re.findall(r"^  F\d  ", out, re.MULTILINE)) == 4 * 4
