"""Classes in the Python API."""

from __future__ import annotations

from dataclasses import replace

import pytest

import claimlight
from claimlight.types import ClassSymbol, Scheme
from tests.core.classes import invented
from tests.fakes import library, patent


def test_the_shipped_titles_without_an_edition():
    view = claimlight.show_class("b62l")
    assert view.edition.version == ""
    assert [entry.symbol for entry in view.path] == ["B", "B62"]
    assert claimlight.search_classes("bicycle brakes", level="subclass").hits[0].entry.symbol == "B62L"
    assert claimlight.list_editions() == ()
    with pytest.raises(claimlight.InputError, match="no CPC was imported"):
        claimlight.show_class("B62K25/04")
    with pytest.raises(claimlight.InputError, match="level='dots' is not one of"):
        claimlight.search_classes("bicycle", level="dots")


def test_import_expand_and_compare(tmp_path):
    events = []
    report = claimlight.import_classes(invented.write_lists(tmp_path / "lists"), progress=events.append)
    assert (str(report.info.edition), report.unchanged) == ("CPC 2022.08", False)
    assert events
    plain = tmp_path / "titles.tsv"
    plain.write_text(invented.TITLES_B, encoding="utf-8")
    claimlight.import_classes(plain, scheme="cpc", version="2019.08")
    assert [str(info.edition) for info in claimlight.list_editions()] == ["CPC 2022.08", "CPC 2019.08"]
    assert "H04L 9/06" in [change.symbol for change in claimlight.compare_classes("2019.08", "2022.08").added]
    one = replace(patent("1000001", "Bicycle"), classes=(ClassSymbol(Scheme.CPC, "B62K 25/06"),))
    with library(tmp_path / "L", [one]) as made:
        folder = made.folder
    with claimlight.open(folder) as opened:
        for given in (folder, opened):
            expanded = claimlight.expand_class("B62K 25/04", library=given)
            assert (expanded.documents, [item.documents for item in expanded.entries]) == (1, [0, 0, 1])
