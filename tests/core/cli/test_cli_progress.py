"""``claimlight cases progress``, ``sample`` and ``estimate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from claimlight.services.cases.cases import CaseBook
from claimlight.types import Category, Mark
from tests.core.cli.schema import conforms
from tests.core.cli.test_cli_matrix import CLAIM, folder, model

__all__ = ["folder", "model"]
SCHEMA = json.loads(
    (Path(__file__).resolve().parents[3] / "docs" / "schemas" / "progress.schema.json").read_text()
)


@pytest.fixture
def case():
    with CaseBook.open() as book:
        return book.create_case("Fork", application=f"1. {CLAIM}").id


@pytest.fixture
def ask(capsys):
    def asked(*arguments, code=0):
        capsys.readouterr()
        found = run(["cases", *arguments])
        told = capsys.readouterr()
        assert found == code, told.err
        if "--json" in arguments:
            answer = json.loads(told.out)
            assert not conforms(answer, SCHEMA)
            return answer
        return " ".join((told.out + told.err).split())

    return asked


@pytest.fixture
def searched(folder, case):
    assert run(["query", "wheel OR damper OR frame OR brake", "-l", str(folder), "--case", str(case)]) == 0
    return str(case)


def test_a_sample_is_drawn_read_and_estimated_from(searched, ask):
    drawn = ask("sample", searched, "--size", "3", "--seed", "5", "--json")
    assert drawn["left"] is None
    assert drawn["sample"]["set_number"] == 1
    order = drawn["sample"]["order"]
    assert "Nothing is known yet" in ask("estimate", searched)
    with CaseBook.open() as book:
        kept = book.samples(int(searched))[0]
        for item in kept.order:
            book.see(int(searched), item)
        book.mark(int(searched), Mark(kept.order[0], Category.X))
    found = ask("estimate", searched, "--json")
    assert [item["publication"] for item in found["documents"]] == order
    assert (found["counted"], found["positive"]) == (3, 1)
    assert found["left"]["low"] <= found["left"]["estimate"] <= found["left"]["high"] <= found["unread"]
    assert ask("estimate", searched, "--relevant", "YA", "--json")["positive"] == 0
    words = ask("estimate", searched, "--sample", "s1")
    assert "95 % interval" in words
    assert "It assumes" in words


def test_the_rest_of_the_library_can_be_drawn_from(searched, folder, ask):
    assert run(["query", "brake", "-l", str(folder), "--case", searched]) == 0
    wide = ask("sample", searched, "--size", "50", "--rest-of", str(folder), "--json")
    assert wide["sample"]["strata"][-1]["first"] == 0
    assert Path(wide["sample"]["library"]) == folder
    with CaseBook.open() as book:
        listed = {str(hit.publication) for hit in book.sets(int(searched))[1].hits}
    assert wide["sample"]["strata"][-1]["drawn"]
    assert not listed & set(wide["sample"]["strata"][-1]["drawn"])


def test_progress_is_a_row_for_each_block_and_a_curve(searched, folder, ask, tmp_path):
    assert "No document is read" in ask("progress", searched)
    with CaseBook.open() as book:
        hits = [hit.publication for hit in book.sets(int(searched))[0].hits]
        for item in hits[:3]:
            book.see(int(searched), item)
        book.mark(int(searched), Mark(hits[1], Category.Y))
    found = ask("progress", searched, "--block", "2", "--json")
    assert [(block["first"], block["last"], block["relevant"]) for block in found["blocks"]] == [
        (1, 2, 1),
        (3, 3, 0),
    ]
    assert [point["relevant"] for point in found["curve"]["points"]] == [0, 1, 1]
    assert found["curve"]["compared"] == 0
    out = tmp_path / "curve.csv"
    words = ask("progress", searched, "--out", str(out))
    assert "1–3" in words
    assert "1 relevant document, the last one was document 2." in words
    assert len(out.read_text("utf-8-sig").splitlines()) == 4
    compared = ask("progress", searched, "--evidence", str(folder), "--json")["curve"]
    assert compared["compared"] == 3
    assert all(point["covered"] >= point["confirmed"] for point in compared["points"])


def test_what_is_missing_is_told_with_the_next_step(case, searched, ask):
    assert "cases sample" in ask("estimate", searched, code=1)
    assert "letters" in ask("progress", searched, "--relevant", "Q", code=2)
    ask("sample", searched)
    assert "S1" in ask("estimate", searched, "--sample", "S9", code=1)
    with CaseBook.open() as book:
        other = str(book.create_case("Kettle").id)
    assert "search first" in ask("sample", other, code=1)
