"""Counts of classes by level."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlight.services.classes.schemes import Schemes
from claimlight.services.classes.statistics import count_at_level, statistics_table, within_set
from claimlight.tasks import TaskContext
from claimlight.types import ClassLevel, ClassSymbol, Edition, Scheme
from tests.core.classes import invented
from tests.fakes import library, patent

DOCUMENTS = (
    ("B62K 25/04", "B62K 25/28", "H04L 9/06"),
    ("B62K 2025/041",),
    ("B62K 25/04", "H04L 9/08"),
    ("F16F 9/00",),
    (),
)


@pytest.fixture
def made(tmp_path):
    patents = [
        replace(
            patent(f"100000{n}", "Bicycle"),
            classes=tuple(ClassSymbol(Scheme.CPC, symbol) for symbol in symbols),
        )
        for n, symbols in enumerate(DOCUMENTS, 1)
    ]
    with library(tmp_path / "L", patents) as found:
        yield found


@pytest.fixture
def imported(tmp_path):
    return Schemes().import_files(invented.write_lists(tmp_path / "lists"), TaskContext())


def counted(made, level, **more):
    found = count_at_level(made, Schemes(), TaskContext(), scheme=Scheme.CPC, level=level, **more)
    return found, {each.symbol: each.documents for each in found.counts}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (ClassLevel.SECTION, {"B": 3, "H": 2, "F": 1}),
        (ClassLevel.CLASS, {"B62": 3, "H04": 2, "F16": 1}),
        (ClassLevel.SUBCLASS, {"B62K": 3, "H04L": 2, "F16F": 1}),
        (ClassLevel.MAIN_GROUP, {"B62K 25/00": 3, "H04L 9/00": 2, "F16F 9/00": 1}),
        (
            ClassLevel.SUBGROUP,
            {"B62K 25/04": 2, "B62K 2025/041": 1, "B62K 25/28": 1, "H04L 9/06": 1, "H04L 9/08": 1},
        ),
    ],
)
def test_a_document_counts_once_for_each_class_of_the_level(made, imported, level, expected):
    found, counts = counted(made, level)
    assert counts == expected
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    assert (found.documents, found.classified) == (5, 4)


def test_without_a_version_the_characters_decide(made):
    found, counts = counted(made, ClassLevel.SUBCLASS)
    assert counts == {"B62K": 3, "H04L": 2, "F16F": 1}
    assert found.edition == Edition(Scheme.CPC, "")
    assert found.counts[0].title.startswith("Bicycles"), "shipped titles name what is above groups"
    assert found.counts[0].line == "CPC=B62K"


def test_the_documents_of_a_set_and_the_lines_within_it(made, imported):
    found, counts = counted(made, ClassLevel.SUBCLASS, patents=[1, 3, 4], top=1)
    assert counts == {"B62K": 2}
    assert (found.documents, found.others) == (3, 2)
    assert found.edition == imported.info.edition
    assert [each.line for each in within_set(found, "L3").counts] == ["L3 AND CPC=B62K+"]


def test_a_library_without_classes_has_no_counts(tmp_path):
    with library(tmp_path / "E", [patent("1000001", "Lamp")]) as empty:
        found, counts = counted(empty, ClassLevel.SUBCLASS)
    assert counts == {}
    assert (found.documents, found.classified) == (1, 0)


def test_the_table_has_shares_in_per_cent(made, imported):
    found, _ = counted(made, ClassLevel.SECTION)
    assert statistics_table(found).splitlines()[:2] == [
        "class,title,documents,percent",
        'B,"Processing, shaping, printing, vehicles, handling of goods",3,60.00',
    ]
