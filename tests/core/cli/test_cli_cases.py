"""``claimlight cases …``: the list of cases, what is done with one, the book checked and brought back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from claimlight.paths import resources
from claimlight.services.cases import cases
from claimlight.services.cases.cases import CaseBook
from claimlight.types import Category, Mark, PublicationNumber
from tests.core.cli.schema import conforms
from tests.fakes import library, patent

DOCS = Path(__file__).resolve().parents[3] / "docs"
EP = PublicationNumber("EP", "1000000", "A1")


@pytest.fixture
def answered(capsys):
    def asked(*arguments, code=0):
        capsys.readouterr()
        assert run(["cases", *arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return asked


@pytest.fixture
def book():
    with CaseBook.open() as opened:
        one = opened.create_case("[Fork]", application="1. A fork with a damper.", publication=EP).id
        opened.mark(one, Mark(EP, Category.X, "see the [handle]", 1, "F1"))
        opened.tag(one, EP, ["to read"])
        opened.create_case("Kettle")


def change(statement):
    with closing(sqlite3.connect(cases.default_path())) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_case_goes_through_its_life(book, ask, answered):
    assert [item["name"] for item in answered("list")["cases"]] == ["Kettle", "[Fork]"]
    assert "now called 'A kettle'" in ask("rename", "2", "A kettle")
    ask("archive", "2")
    assert "A kettle" not in ask("list")
    assert "archived" in ask("list", "--all")
    ask("unarchive", "2")
    assert "A kettle" in ask("list")
    assert "is not deleted" in ask("purge", "2", "--yes", code=1)
    ask("delete", "2")
    assert [item["name"] for item in answered("list")["cases"]] == ["[Fork]"]
    assert [item["deleted"] for item in answered("list", "--all")["cases"]] == [True, False]
    ask("undelete", "2")
    assert "A kettle" in ask("list")
    ask("delete", "2")
    assert "is erased" in ask("purge", "2", "--yes")
    assert "There is no case 2" in ask("show", "2", code=1)
    told = ask("history", "1")
    assert "created case '[Fork]' begun" in told
    assert "marked EP1000000A1: X for claim 1 F1" in told
    assert answered("history", "1")["history"][-1]["action"] == "tagged"


def test_a_case_is_shown_and_found_by_its_words(book, ask, answered):
    told = ask("show", "1")
    for words in ("[Fork]", "EP1000000A1 X – claim 1 F1 – see the [handle]", "tags: to read", "A fork with"):
        assert words in told
    shown = answered("show", "1")
    assert (shown["marks"][0]["note"], shown["tags"]) == ("see the [handle]", {"EP1000000A1": ["to read"]})
    assert "found in: note on EP1000000A1" in ask("list", "--search", "HANDLE")
    assert [item["id"] for item in answered("list", "--search", "fork damper")["cases"]] == [1]
    assert "No case contains these words" in ask("list", "--search", "violin")


def test_damage_in_a_row_is_named_and_the_rest_goes_on(book, ask, answered):
    assert "is undamaged" in ask("check")
    change("UPDATE case_file SET value = '{' WHERE id = 2")
    told = ask("list")
    assert "[Fork]" in told
    assert "Damaged: Case 2, the case itself: it can't be read" in told
    assert "1 fault was found" in ask("check", code=1)
    found = answered("check", code=1)
    assert (found["sound"], [row["case"] for row in found["rows"]]) == (False, [2])
    assert "Case 2 can't be read: its row is damaged" in ask("show", "2", code=1)


def test_backups_are_listed_and_one_is_chosen(book, ask, answered):
    first, second = answered("backups")["backups"][::-1]
    assert (first["cases"], second["cases"], second["marks"]) == (0, 2, 1)
    assert "2 cases, 1 category or note, 0 sets" in ask("backups")
    cases.default_path().write_bytes(b"")
    assert "no readable case" in ask("restore", "--backup", "1", "--yes", code=1)
    assert "no backup 9" in ask("restore", "--backup", "9", "--yes", code=1)
    assert "is restored" in ask("restore", "--backup", "2", "--yes")
    assert "Kettle" in ask("list")


def test_a_name_with_an_impossible_date_is_no_traceback(book, ask):
    (cases.default_path().parent / "backups" / "cases-000009-2031-02-31.db").write_bytes(b"")
    assert "Kettle" in ask("list")
    assert "2031" not in ask("backups")
    assert "is restored" in ask("restore", "--yes", "--force")


def test_no_restore_under_a_book_that_is_open(book, ask):
    with CaseBook.open():
        assert "is open in process" in ask("restore", "--yes", "--force", code=1)
    assert "is restored" in ask("restore", "--yes", "--force")


def test_letters_passages_and_notes_are_given(ask, answered, tmp_path):
    with library(tmp_path / "L", [patent("1000000", "Fork")]), CaseBook.open() as opened:
        opened.create_case("[Fork]", application="1. A fork with a damper.")
    where = ("--library", str(tmp_path / "L"))
    assert "is marked P,X for claim 1" in ask("mark", "1", "EP1000000A1", "x,p")
    assert "for the whole application" in ask("mark", "1", "EP1000000A1", "L", "--claim", "0")
    label = answered("show", "1")["marks"][0]["cited"]
    assert label == []
    told = ask("mark", "1", "EP1000000A1", "P,X", "--passage", "title", *where)
    assert "title: cited with it" in told
    assert "has no figure 3" in ask("mark", "1", "EP1000000A1", "X", "--passage", "figure 3", *where, code=1)
    assert "Name the library" in ask("mark", "1", "EP1000000A1", "X", "--passage", "title", code=1)
    assert "exclude each other" in ask("mark", "1", "EP1000000A1", "X,Y", code=1)
    assert "Note written on" in ask("note", "1", "EP1000000A1", "see", "--passage", "title", *where)
    shown = answered("show", "1")
    marks = {mark["claim"]: (mark["letters"], mark["cited"]) for mark in shown["marks"]}
    assert marks == {0: ("L", []), 1: ("P,X", ["title"])}
    assert [note["note"] for note in shown["passage_notes"]] == ["see"]
    assert "EP1000000A1 P,X – claim 1 – title" in ask("show", "1")
    assert "has no category for claim 1" in ask("mark", "1", "EP1000000A1", "-")
    assert "does not contain" in ask(
        "note", "1", "EP1000000A1", "x", "--passage", "title", "--words", "violin", *where, code=1
    )


def test_versions_of_claims_are_added_listed_and_compared(book, ask, answered, tmp_path):
    schema = json.loads((DOCS / "schemas" / "claims.schema.json").read_text())
    amended = tmp_path / "amended.txt"
    amended.write_text("1. A fork with a hollow damper.", encoding="utf-8")
    assert "A fork with a damper" in ask("claims", "1")
    ask("claims", "1", "--add", str(amended), "--day", "2026-03-01")
    assert "amended, 2026-03-01" in ask("claims", "1", "--versions")
    told = ask("claims", "1", "--compare", "1")
    assert "as filed → amended, 2026-03-01" in told
    assert "A fork with a {+hollow+} damper." in told
    found, listed = answered("claims", "1", "--compare", "1"), answered("claims", "1")
    for body in (found, listed):
        assert not conforms(body, schema)
    assert (found["claims"][0]["change"], found["claims"][0]["inserted"]) == ("changed", 1)
    assert [version["searched"] for version in listed["versions"]] == [False, True]
    ask("claims", "1", "--use", "as filed")
    assert "hollow" not in ask("claims", "1")
    assert "no version 'granted'" in ask("claims", "1", "--use", "granted", code=1)


def test_amended_claims_are_read_from_the_xml_of_an_office(book, ask, answered, tmp_path):
    ask("claims", "1", "--add", str(resources() / "sample" / "application.xml"), "--name", "new")
    (_, added) = answered("claims", "1")["versions"]
    assert added["searched"]
    assert added["claims"] > 1
    assert added["text"].startswith("1. A shock absorber")
    assert "<" not in added["text"]
    empty = tmp_path / "empty.txt"
    empty.write_text("", encoding="utf-8")
    assert "empty.txt has no claims" in ask("claims", "1", "--add", str(empty), code=1)
    assert len(answered("claims", "1")["versions"]) == 2
