"""Map and statistics of a library on the command line."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from claimlight.services import sample
from claimlight.services.library.library import Library
from claimlight.types import ClassSymbol, Party, PublicationNumber, Role, Scheme
from tests.core.cli.schema import conforms
from tests.core.store.invented import patent, write

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "schemas" / "statistics.schema.json").read_text(encoding="utf-8")
)
BOSCH = (Party(Role.APPLICANT, "Robert Bosch GmbH"), Party(Role.INVENTOR, "A. Smith"))
LOUD = (Party(Role.APPLICANT, "ROBERT BOSCH GMBH"), Party(Role.ASSIGNEE, 'Wheel "W" Ltd'))


@pytest.fixture
def folder(tmp_path):
    one = replace(
        patent(1),
        published=date(2001, 5, 1),
        parties=BOSCH,
        classes=(ClassSymbol(Scheme.CPC, "B62K 25/04"), ClassSymbol(Scheme.CPC, "B62K 25/08")),
    )
    two = replace(patent(2), published=date(2003, 5, 1), parties=LOUD, classes=())
    three = replace(
        patent(3), publication=PublicationNumber("US", "3", "B2"), published=None, parties=BOSCH, classes=()
    )
    with Library.create(tmp_path / "L") as made:
        write(made.store, one, two, three)
    return tmp_path / "L"


@pytest.fixture
def count(folder, capsys):
    def counted(by, *more):
        capsys.readouterr()
        arguments = ["library", "statistics", "--by", by, "--library", str(folder), "--json", *more]
        assert run(arguments) == 0
        body = json.loads(capsys.readouterr().out)
        assert conforms(body, SCHEMA) == []
        return body

    return counted


def rows(body):
    return [(each["name"], each["documents"], each["line"]) for each in body["counts"]]


def test_documents_are_counted_by_year_office_class_and_applicant(count):
    years = count("year")
    assert rows(years) == [("2001", 1, "PD=2001"), ("2003", 1, "PD=2003")]
    assert (years["documents"], years["known"]) == (3, 2)
    assert rows(count("office")) == [("EP", 2, "PN=EP$"), ("US", 1, "PN=US$")]
    assert rows(count("class")) == [("B62K", 1, "CPC=B62K")]
    names = count("applicant")
    assert rows(names) == [
        ("Robert Bosch GmbH", 3, 'AS="Robert Bosch GmbH"'),
        ('Wheel "W" Ltd', 1, 'AS="Wheel  W  Ltd"'),
    ]
    assert names["counts"][0]["share"] == 1.0
    assert count("applicant", "--top", "1")["others"] == 1


def test_the_line_of_a_count_finds_its_documents(count, folder, capsys):
    for by in ("year", "office", "class", "applicant"):
        for each in count(by)["counts"]:
            capsys.readouterr()
            assert run(["query", each["line"], "--library", str(folder), "--json"]) == 0
            found = json.loads(capsys.readouterr().out)
            assert found["documents"] == each["documents"], each


def test_counts_of_a_set_and_as_a_file(count, folder, tmp_path, capsys):
    assert run(["query", "PD=2001", "--library", str(folder), "--new-case", "One"]) == 0
    found = count("office", "--set", "L1")
    assert rows(found) == [("EP", 1, "L1 AND PN=EP$")]
    assert found["documents"] == 1
    out = tmp_path / "years.csv"
    assert run(["library", "statistics", "--by", "year", "-l", str(folder), "--out", str(out)]) == 0
    table = list(csv.reader(out.read_text(encoding="utf-8-sig").splitlines()))
    assert table[:2] == [["year", "title", "documents", "percent"], ["2001", "", "1", "33.33"]]


def test_the_map_is_written_as_table_and_pictures(tmp_path, capsys):
    library = tmp_path / "S"
    sample.provide(library)
    for suffix in (".csv", ".svg", ".png"):
        assert run(["library", "map", "-l", str(library), "--out", str(tmp_path / f"map{suffix}")]) == 0
        assert (tmp_path / f"map{suffix}").stat().st_size > 1000
    assert "documents on the map" in capsys.readouterr().err
    assert run(["library", "map", "-l", str(library), "--out", str(tmp_path / "map.jpg")]) == 2


def test_a_map_needs_an_index(folder, tmp_path, capsys):
    assert run(["library", "map", "-l", str(folder), "--out", str(tmp_path / "map.svg")]) == 1
    assert "claimlight index" in capsys.readouterr().err
    assert not (tmp_path / "map.svg").exists()
