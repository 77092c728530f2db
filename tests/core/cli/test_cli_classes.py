"""Classes on the command line: import, list, show, search, expand, compare, remove."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from claimlight.types import ClassSymbol, Scheme
from tests.core.classes import invented
from tests.core.cli.schema import conforms
from tests.fakes import library, patent

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "schemas" / "classes.schema.json").read_text(encoding="utf-8")
)


@pytest.fixture
def ask(capsys):
    """Run ``classes`` with arguments; what it printed on the two streams."""

    def asked(*arguments, code=0):
        capsys.readouterr()
        assert run(["classes", *map(str, arguments)]) == code, capsys.readouterr().err
        return capsys.readouterr()

    return asked


@pytest.fixture
def answer(ask):
    """The same with --json; the one object, which follows its schema."""

    def answered(*arguments):
        body = json.loads(ask(*arguments, "--json").out)
        assert conforms(body, SCHEMA) == []
        return body

    return answered


@pytest.fixture
def imported(ask, tmp_path):
    ask("import", invented.write_lists(tmp_path / "lists"))
    old = tmp_path / "scheme.xml"
    old.write_text(invented.CPC_XML, encoding="utf-8")
    ask("import", old)


def test_import_list_and_remove(ask, answer, tmp_path):
    assert "No version of CPC or IPC was imported" in ask("list").err
    assert answer("list") == {"schema": "claimlight.classes.1", "editions": [], "faults": []}
    lists = invented.write_lists(tmp_path / "lists")
    assert "Imported CPC 2022.08: 17 entries" in ask("import", lists).err
    assert "already imported" in ask("import", lists).err
    head, row = ask("list").out.splitlines()
    assert head.split("\t")[:4] == ["scheme", "version", "entries", "subclasses with groups"]
    assert row.split("\t")[:4] == ["CPC", "2022.08", "17", "2 of 2"]
    assert answer("list")["editions"][0]["edition"] == {"scheme": "cpc", "version": "2022.08"}
    ask("remove", "cpc", "2022.08")
    assert "was not imported" in ask("remove", "cpc", "2022.08", code=1).err


def test_events_of_an_import(capsys, tmp_path):
    lists = invented.write_lists(tmp_path / "lists")
    assert run(["--events", "jsonl", "classes", "import", str(lists)]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0]["event"] == "progress"
    assert events[-1]["event"] == "classes_import"
    assert conforms(events[-1], SCHEMA) == []
    assert events[-1]["info"]["entries"] == 17


def test_show_in_any_spelling(ask, answer, imported):
    assert ask("show", "b62k0025040000").out == ask("show", "B62K 25/04 (2006.01)").out
    assert ask("show", "B62K", "25/04").out == ask("show", "b62k25/04").out, "without quotes"
    several = ask("show", "B62K25/04; H04L9/06 // B62K", "--json").out.splitlines()
    assert [json.loads(line)["entry"]["symbol"] for line in several] == ["B62K 25/04", "H04L 9/06", "B62K"]
    assert "wheel is no symbol" in ask("show", "B62K; wheel", code=1).err
    printed = ask("show", "B62K25/04", "--tree").out
    assert "B62K 2025/041\tsubgroup\t· · the frame being flexible" in printed
    assert "Elsewhere: for side-cars B62K27/06" in printed
    body = answer("show", "B62K 25", "--tree")
    assert [entry["symbol"] for entry in body["path"]] == ["B", "B62", "B62K"]
    assert [entry["symbol"] for entry in body["tree"]] == [
        "B62K 25/04",
        "B62K 2025/041",
        "B62K 25/06",
        "B62K 25/28",
    ]


def test_a_retired_symbol_is_said_to_be(ask, answer, imported):
    text = ask("show", "B62K 25/05").out
    assert "Retired: CPC 2022.08 no longer has it; CPC 2019.08 is the last" in text
    assert "Its documents went or are going to B62K 25/06, B62K 25/28-B62K 25/30 (CPC 2019.08)" in text
    assert "Additional information only; frozen: not used for new documents." in text
    assert answer("show", "B62K 25/05")["retired"] is True
    notes = ask("show", "B62K", "--version", "2019.08").out
    assert "Note: Two wheels are enough." in notes
    assert "Not allocatable." in notes


def test_what_is_not_there_is_explained(ask, imported):
    assert "There is no B62K 99/00 in CPC 2022.08 or an older" in ask("show", "B62K 99/00", code=1).err
    assert "is no symbol of CPC or IPC" in ask("show", "wheel", code=1).err
    missing = ask("show", "H04L 9/06", "--version", "2019.08", code=1).err
    assert "There is no H04L 9/06 in CPC 2019.08" in missing
    assert "is a group, and no IPC was imported" in ask("show", "B62K 25/04", "--kind", "ipc", code=1).err


def test_search(ask, answer, imported):
    rows = [line.split("\t") for line in ask("search", "spring", "fork").out.splitlines()]
    assert rows[0] == ["symbol", "level", "score", "title"]
    assert rows[1][0] == "B62K 25/06"
    assert rows[1][3].endswith(" › with a telescopic fork, e.g. for welding (shops)")
    assert "some of them" in ask("search", "fork", "kettle").err
    assert "has any of the words" in ask("search", "kettle").err
    body = answer("search", "messages", "--level", "subclass")
    assert [hit["entry"]["symbol"] for hit in body["hits"]] == ["H04L"]
    shipped = answer("search", "bicycle", "--kind", "ipc", "--level", "subclass")
    assert shipped["edition"] == {"scheme": "ipc", "version": ""}
    assert "B62K" in [hit["entry"]["symbol"] for hit in shipped["hits"]]


def test_expand_counts_the_documents_of_a_library(ask, answer, imported, tmp_path):
    symbols = (("B62K 25/04", "B62K 25/06"), ("B62K 25/06",), ("B62K 25/28",))
    patents = [
        replace(
            patent(f"100000{n}", "Bicycle", claims=["A bicycle."]),
            classes=tuple(ClassSymbol(Scheme.CPC, symbol) for symbol in each),
        )
        for n, each in enumerate(symbols)
    ]
    with library(tmp_path / "L", patents) as made:
        folder = made.folder
    printed = ask("expand", "B62K25/04", "--library", folder)
    assert [line.split("\t")[:2] for line in printed.out.splitlines()[1:]] == [
        ["B62K 25/04", "1"],
        ["B62K 2025/041", "0"],
        ["B62K 25/06", "2"],
    ]
    assert "2 documents have at least one of 3 symbols." in printed.err
    assert answer("expand", "B62K25/04", "--library", folder)["documents"] == 2
    assert answer("expand", "B62K25/04")["documents"] is None


def test_compare(ask, answer, imported):
    printed = ask("compare", "2019.08", "2022.08")
    assert "removed\tB62K 25/05\twith a leaf spring [now in B62K 25/06, B62K 25/28-B62K 25/30]" in printed.out
    assert "title\tB62K 25/04\tsprings between frame and wheel → springs between wheel" in printed.out
    assert "From CPC 2019.08 to CPC 2022.08" in printed.err
    assert answer("compare", "2019.08", "2022.08")["removed"][0]["symbol"] == "B62K 25/05"


def test_statistics_of_a_library_and_of_a_set(ask, answer, imported, tmp_path, capsys):
    symbols = ("B62K 25/04", "B62K 2025/041", "H04L 9/06", "")
    patents = [
        replace(
            patent(f"100000{n}", "Bicycle", claims=["A bicycle with a frame." if n < 3 else "A lamp."]),
            classes=(ClassSymbol(Scheme.CPC, symbol),) if symbol else (),
        )
        for n, symbol in enumerate(symbols, 1)
    ]
    library(tmp_path / "L", patents).close()
    found = answer("statistics", "--library", tmp_path / "L")["statistics"]
    assert (found["documents"], found["classified"], found["others"]) == (4, 3, 0)
    assert [(each["symbol"], each["documents"], each["share"]) for each in found["counts"]] == [
        ("B62K", 2, 0.5),
        ("H04L", 1, 0.25),
    ]
    assert found["counts"][0]["line"] == "CPC=B62K+"
    assert run(["query", "frame", "--library", str(tmp_path / "L"), "--new-case", "one"]) == 0
    found = answer("statistics", "--library", tmp_path / "L", "--set", "L1", "--level", "main-group")
    assert [(each["symbol"], each["line"]) for each in found["statistics"]["counts"]] == [
        ("B62K 25/00", "L1 AND CPC=B62K25/00+")
    ]
    told = ask("statistics", "--library", tmp_path / "L", "--top", "1")
    assert told.out.splitlines()[1].split()[:4] == ["B62K", "2", "50.0", "%"]
    assert "4 documents, 3 of them with a class of the CPC. 1 more class not listed" in told.err
