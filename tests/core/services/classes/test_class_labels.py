"""Classes of documents with their titles, and counts of a library with everything below a class."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlight.services.classes.counts import count_classes
from claimlight.services.classes.labels import label_classes
from claimlight.services.classes.schemes import Schemes
from claimlight.tasks import TaskContext
from claimlight.types import ClassSymbol, Scheme
from tests.core.classes import invented
from tests.fakes import library, patent

CLASSES = (("B62K 25/04", "B62K 25/28"), ("B62K 2025/041",), ("B62K 25/04", "B62K 25/99"))


@pytest.fixture
def held(tmp_path):
    patents = [
        replace(
            patent(f"100000{n}", "Bicycle", claims=["A bicycle with a frame."]),
            classes=tuple(ClassSymbol(Scheme.CPC, each) for each in symbols),
        )
        for n, symbols in enumerate(CLASSES, 1)
    ]
    with library(tmp_path / "L", patents) as made:
        yield made


def test_documents_are_counted_once_for_all_that_is_below_a_class(held, tmp_path):
    Schemes().import_files(invented.write_lists(tmp_path / "lists"), TaskContext())
    counts = count_classes(held, Schemes(), Scheme.CPC, "", TaskContext())
    assert counts["B62K"] == counts["B62"] == counts["B"] == 3
    # B62K 2025/041 is below B62K 25/04 by the dots of the scheme.
    assert counts["B62K 25/04"] == 3
    assert counts["B62K 2025/041"] == 1
    # A symbol that the edition does not have counts for its main group.
    assert counts["B62K 25/99"] == 1
    assert count_classes(held, Schemes(), Scheme.IPC, "", TaskContext()) == {}


def test_without_an_edition_symbols_count_by_their_characters(held):
    counts = count_classes(held, Schemes(), Scheme.CPC, "", TaskContext())
    assert counts["B62K"] == 3
    assert counts["B62K 25/04"] == 2


def test_labels_say_how_much_of_a_symbol_is_known(tmp_path):
    twice = ClassSymbol(Scheme.CPC, "B62K 25/04", inventive=False, first=True)
    asked = (twice, replace(twice, inventive=True, first=False), ClassSymbol(Scheme.OTHER, "USPC 1/2"))
    before, other = label_classes(Schemes(), asked, TaskContext())
    assert (before.symbol.inventive, before.symbol.first) == (True, True)
    assert [each.symbol for each in before.path] == ["B", "B62", "B62K"]
    assert not before.known
    assert before.line == "CPC=B62K25/04"
    assert other.line == ""
    Schemes().import_files(invented.write_lists(tmp_path / "lists"), TaskContext())
    after = label_classes(Schemes(), asked, TaskContext())[0]
    assert after.known
    assert after.path[-1].symbol == "B62K 25/04"
    assert after.line == "CPC=B62K25/04+"
