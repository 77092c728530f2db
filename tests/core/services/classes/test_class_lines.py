"""Query lines that name a class with everything below it: ``CPC=B62K25/04+``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlight.errors import QueryError
from claimlight.services.classes.schemes import Schemes
from claimlight.tasks import TaskContext
from claimlight.types import ClassSymbol, PatentId, Scheme, SetRequest
from tests.core.classes import invented
from tests.core.services.sets.set_fakes import WORDS, numbers, run, searcher
from tests.fakes import library, patent, stack

CLASSES = ("B62K 25/04", "B62K 2025/041", "B62K 25/28", "B62K 25/05")


@pytest.fixture
def sets(tmp_path):
    patents = [
        replace(
            patent(f"100000{n}", "Bicycle", claims=["A bicycle with a frame."]),
            classes=(ClassSymbol(Scheme.CPC, symbol), ClassSymbol(Scheme.IPC, "B62K 25/00")),
        )
        for n, symbol in enumerate(CLASSES, 1)
    ]
    with library(tmp_path / "L", patents) as made:
        yield searcher(made, stack(WORDS))


@pytest.fixture
def imported(tmp_path):
    def imported_from(path):
        return Schemes().import_files(path, TaskContext())

    imported_from(invented.write_lists(tmp_path / "lists"))
    return imported_from


def test_a_group_with_everything_below_it(sets, imported):
    assert sorted(numbers(run(sets, "CPC=B62K25/04"))) == ["1"], "without + the symbol alone"
    result = run(sets, "CPC=B62K25/04+")
    assert sorted(numbers(result)) == ["1", "2"], "the 2000 series is below by the scheme, not by its digits"
    assert result.parsed.text == "CPC=B62K25/04+"
    assert [(term.text, term.documents) for term in result.parsed.terms] == [("CPC=B62K25/04+", 2)]
    assert dict(result.provenance.parameters)["below B62K 25/04"] == "CPC 2022.08"
    assert sorted(numbers(run(sets, "bicycle NOT B62K 25/00+.cpc."))) == ["4"]
    assert sets.parse("CPC=B62K25/00+", {}).terms[0].documents == 3


def test_what_such_a_line_marks(sets, imported):
    request = SetRequest("frame AND CPC=B62K25/04+")
    marked = [bool(sets.marks(request, {}, PatentId(number), TaskContext())) for number in (1, 2, 3)]
    assert marked == [True, True, False]


def test_a_retired_symbol_is_read_from_the_last_edition_that_has_it(sets, imported, tmp_path):
    old = tmp_path / "scheme.xml"
    old.write_text(invented.CPC_XML, encoding="utf-8")
    imported(old)
    result = run(sets, "CPC=B62K25/05+")
    assert numbers(result) == ["4"]
    assert result.notes == (
        "B62K 25/05 is retired; what is below it is read from CPC 2019.08, the last imported edition that "
        "has it.",
    )


def test_without_an_edition_the_message_says_what_to_import(sets):
    with pytest.raises(QueryError, match=r"no CPC was imported.*claimlight classes import") as told:
        run(sets, "bicycle AND CPC=B62K25/04+")
    assert told.value.column == 17
    assert len(numbers(run(sets, "CPC=B62K+"))) == 4, "above groups no edition is needed"


def test_a_symbol_that_no_edition_has(sets, imported):
    with pytest.raises(QueryError, match=r"There is no B62K 99/00 in CPC 2022\.08"):
        run(sets, "CPC=B62K99/00+")
    with pytest.raises(QueryError, match="no IPC was imported"):
        run(sets, "IPC=B62K25/04+")
