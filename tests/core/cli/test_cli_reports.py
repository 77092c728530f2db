"""``cases report`` and ``cases strategy``."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from docx import Document

from claimlight.cli.__main__ import run
from claimlight.services.cases.cases import CaseBook
from claimlight.types import Category, Mark, PublicationNumber
from tests.core.cli.schema import conforms
from tests.core.cli.test_cli_matrix import CLAIM
from tests.fakes import add, library, patent

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "strategy.schema.json"


@pytest.fixture
def folder(tmp_path):
    """A library without an index: query lines need none."""
    patents = [
        patent("1000001", "Damper", paragraphs=["A viscous damper of a bicycle."]),
        patent("1000002", "Frame", paragraphs=["A bicycle with a frame."]),
        patent("1000003", "Abstract", abstract="A brake."),
        patent("1000004", "Claimed", claims=[CLAIM]),
    ]
    library(tmp_path / "L", patents).close()
    return tmp_path / "L"


@pytest.fixture
def case(folder):
    """A case with one document marked X, one confirmed passage and two query lines."""
    with CaseBook.open() as book:
        made = book.create_case("Fork", application=f"1. {CLAIM}").id
        book.mark(made, Mark(PublicationNumber("EP", "1000001", "A1"), Category.X, "mine", 1))
    shelf = ("--library", str(folder))
    number = ("--case", str(made))
    assert run(["query", "damper", *shelf, *number]) == 0
    assert run(["query", "L1 OR brake", *shelf, *number]) == 0
    with CaseBook.open() as book:
        from dataclasses import replace

        book.save_case(replace(book.case(made), library=str(folder)))
    decided = ["EP1000001A1", "--feature", "F3", "--passage", "[0001]", "-l", str(folder)]
    assert run(["cases", "confirm", str(made), *decided]) == 0
    return str(made)


@pytest.fixture
def ask(capsys):
    def asked(*arguments, code=0):
        capsys.readouterr()
        found = run([*arguments])
        told = capsys.readouterr()
        assert found == code, told.err
        return told.out if "--json" in arguments else " ".join((told.out + told.err).split())

    return asked


def test_warnings_are_printed_and_nothing_is_written_without_a_file(case, ask):
    told = ask("cases", "report", case)
    assert "Warning: The application has neither a filing date nor a priority date" in told
    assert "D1 EP 1 000 001 A1 X 1: [0001]" in told
    assert "Claim 1: passages are confirmed for 1 of 4 features." in told
    assert "Written" not in told


@pytest.mark.parametrize("name", ["r.docx", "r.pdf", "r.csv", "r.xml"])
def test_a_report_is_written_as_the_name_says_and_not_over_a_file(case, ask, tmp_path, name):
    path = tmp_path / name
    assert ask("cases", "report", case, "--out", str(path)).endswith(f"Written: {path}")
    before = path.read_bytes()
    assert "exists already and was not changed" in ask("cases", "report", case, "--out", str(path), code=1)
    assert path.read_bytes() == before
    ask("cases", "report", case, "--out", str(path), "--force")


def test_chart_and_search_report_are_written_apart(case, ask, tmp_path):
    for option, there, missing in (
        ("--chart", "Claim chart, claim 1", "Fields searched"),
        ("--search-report", "Fields searched", "Claim chart, claim 1"),
    ):
        path = tmp_path / f"r{option}.docx"
        ask("cases", "report", case, "--out", str(path), option)
        words = [paragraph.text for paragraph in Document(str(path)).paragraphs]
        assert there in words
        assert missing not in words
    assert "one of --chart and --search-report" in ask(
        "cases", "report", case, "--chart", "--search-report", code=2
    )
    told = ask("cases", "report", case, "--chart", "--out", str(tmp_path / "r.xml"), code=1)
    assert "XML is the format of search reports" in told


def test_a_report_as_json_has_warnings_documents_and_claims(case, ask):
    body = json.loads(ask("cases", "report", case, "--json"))
    assert body["warnings"][0]["kind"] == "no dates"
    assert [item["title"] for item in body["documents"]] == ["Damper"]
    assert body["claims"][0]["citations"][0]["note"] == "", "notes are the examiner's own"
    body = json.loads(ask("cases", "report", case, "--notes", "--json"))
    assert body["claims"][0]["citations"][0]["note"] == "mine"


def test_a_library_that_is_gone_leaves_what_the_case_has(case, ask, folder):
    folder.rename(folder.with_name("moved"))
    told = ask("cases", "report", case)
    assert "--library names another one" in told
    assert "D1 EP 1 000 001 A1 X 1: [0001]" in told
    assert "Damper" in ask("cases", "report", case, "--library", str(folder.with_name("moved")))


def test_a_strategy_is_printed_written_and_run_again(case, ask, folder, tmp_path):
    told = ask("cases", "strategy", case)
    assert "L1" in told
    assert "L1 OR brake" in told
    path = tmp_path / "s.csv"
    ask("cases", "strategy", case, "--out", str(path), "--rerun")
    rows = list(csv.DictReader(StringIO(path.read_text("utf-8-sig"), newline="")))
    assert [row["set"] for row in rows] == ["L1", "L2"]
    assert {row["changed"] for row in rows} == {"The same documents in the same order."}
    assert "exists already" in ask("cases", "strategy", case, "--out", str(path), code=1)
    from claimlight.services.library.library import Library

    with Library.open(folder) as held:
        add(held, [patent("1000009", "Damper of a boat")])
    body = json.loads(ask("cases", "strategy", case, "--rerun", "--json"))
    assert conforms(body, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    first = body["reruns"][0]
    assert (first["label"], first["added"], first["missing"]) == ("L1", 1, 0)
    assert "The library grew by 1 document, from 4 to 5." in first["differences"]


def test_a_set_whose_library_is_gone_does_not_stop_the_others(case, ask, folder):
    folder.rename(folder.with_name("moved"))
    assert ask("cases", "strategy", case, "--rerun").count("Not run again:") == 2
    told = ask("cases", "strategy", case, "--rerun", "--library", str(folder.with_name("moved")))
    assert "this library is" in told
