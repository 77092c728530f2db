"""The official layouts: title lists, scheme XML of the CPC, scheme XML of the IPC."""

from __future__ import annotations

from datetime import date

import pytest

from claimlight.classes.reading.sources import SchemeFile, list_files, read_scheme_file
from claimlight.classes.reading.title_lists import split_references
from claimlight.errors import InputError
from claimlight.types import ClassNote, ClassReference
from tests.core.classes import invented


def read(text: str, name: str = "cpc-section-B_20220801.txt"):
    reading = read_scheme_file(SchemeFile(name, text.encode()))
    assert reading is not None
    return reading


def by_symbol(reading):
    return {record.symbol: record for record in reading.records}


def test_a_title_list_gives_titles_without_references_and_braces():
    reading = read(invented.TITLES_B.replace("\n", "\r\n"))
    assert (reading.scheme, reading.version) == ("cpc", "2022.08")
    found = by_symbol(reading)
    assert found["B62K"].title == "TWO-WHEELED THINGS; THEIR FRAMES"
    assert found["B62K"].references == [ClassReference("brakes of them B62L", ("B62L",))]
    assert found["B62K 2025/041"].title == "the frame being flexible"
    assert found["B62K 25/06"].title == "with a telescopic fork, e.g. for welding (shops)"
    assert found["B62K 25/28"].title == "with a pivoted stay, e.g. of an electric bicycle"
    assert [record.depth for record in reading.records] == [0, 1, 2, 3, 4, 5, 5, 4, 3]


@pytest.mark.parametrize(
    ("title", "kept", "references"),
    [
        ("(bio)absorbable", "(bio)absorbable", ()),
        (
            "Discs (A01B15/16 takes precedence; of rail B61F)",
            "Discs",
            ("A01B15/16 takes precedence", "of rail B61F"),
        ),
        ("Ovens (domestic (gas A47J37/00) ones F24C)", "Ovens", ("domestic (gas A47J37/00) ones F24C",)),
        ("Bolts (not closed", "Bolts (not closed", ()),
    ],
)
def test_brackets_of_a_title(title, kept, references):
    found = split_references(title)
    assert found[0] == kept
    assert tuple(each.text for each in found[1]) == references


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("B62K25/04\t1", "line 10: 2 columns instead of 3"),
        ("wheels\t1\tSprings", "line 10: wheels is no symbol"),
        ("B62K25/04\tx\tSprings", "line 10: the level x"),
        ("B62K25/04\t99\tSprings", "line 10: the level 99"),
        ("B62K25/04\t\tSprings", "line 10: B62K 25/04 has the level (none)"),
        ("B62K\t1\tSprings", "line 10: B62K has the level 1"),
    ],
)
def test_a_line_that_is_wrong_is_named(line, fault):
    with pytest.raises(InputError, match=f"cpc-section-B.*{fault.replace('(', '.').replace(')', '.')}"):
        read(invented.TITLES_B + line)


def test_cpc_xml_gives_what_title_lists_do_not_have():
    reading = read(invented.CPC_XML, "any.xml")
    assert (reading.scheme, reading.version) == ("cpc", "2019.08")
    found = by_symbol(reading)
    assert list(found) == ["B", "B62", "B62K", "B62K 25/00", "B62K 25/04", "B62K 25/05"], "no subsection"
    assert found["B62K"].title == "TWO-WHEELED THINGS; THEIR FRAMES"
    assert found["B62K"].references == [ClassReference("brakes of them B62L", ("B62L",))]
    assert found["B62K"].notes[0] == ClassNote(
        warning=False, text="Two wheels are enough.\n  one before\n  one behind"
    )
    assert not found["B62K"].allocatable
    assert found["B62K"].revised == date(2018, 8, 1)
    assert found["B62K 25/00"].heading == "Springs"
    assert found["B62K 25/00"].concordant == "B62K 25/00"
    assert found["B62K 25/04"].title == "springs between frame and wheel"
    assert (found["B62K 25/05"].frozen, found["B62K 25/05"].additional_only) == (True, True)
    assert [(move.symbol, move.targets) for move in reading.moves] == [
        ("B62K 25/30", ("B62K 25/28",)),
        ("B62K 25/05", ("B62K 25/06", "B62K 25/28-B62K 25/30")),
    ]


def test_ipc_xml_of_the_master_files():
    reading = read(invented.IPC_XML, "any.xml")
    assert (reading.scheme, reading.version) == ("ipc", "2024.01")
    found = by_symbol(reading)
    assert list(found) == ["B", "B62", "B62K", "B62K 25/00", "B62K 25/04", "B62K 25/06"]
    assert found["B"].title == "THINGS — MOVED"
    assert found["B62K"].title == "TWO WHEELS; FRAMES"
    assert found["B62K"].references == [
        ClassReference("brakes of them B62L", ("B62L",)),
        ClassReference("side-cars B62K 27/00-B62K 27/12", ("B62K 27/00-B62K 27/12",)),
    ]
    assert found["B62K"].notes == [ClassNote(warning=False, text="Two are enough.\n  one before")]
    assert found["B62K 25/00"].heading == "Springs"
    assert found["B62K 25/06"].depth == 5
    assert found["B62K 25/06"].additional_only


def test_xml_without_symbol_or_level_is_refused_with_its_line():
    with pytest.raises(InputError, match=r"any\.xml, line \d+: an entry has no symbol or level"):
        read(invented.CPC_XML.replace("<classification-symbol>B62</", "<classification-symbol></"), "any.xml")
    with pytest.raises(InputError, match="not well-formed XML"):
        read(invented.CPC_XML[:-30], "any.xml")
    with pytest.raises(InputError, match="wheels is no symbol of the IPC"):
        read(invented.IPC_XML.replace('symbol="B62"', 'symbol="wheels"'), "any.xml")


def test_other_files_are_left_out():
    for text in ("<html/>", "Read me first\n", "a\tb\tc\n"):
        assert read_scheme_file(SchemeFile("x", text.encode())) is None


def test_a_zip_is_read_like_its_folder(tmp_path):
    path = invented.write_zip(tmp_path / "lists.zip", b__txt=invented.TITLES_B, notes__pdf="no", a__txt="x")
    assert [file.name.split()[-1] for file in list_files(path)] == ["a.txt", "b.txt"]
    (tmp_path / "broken.zip").write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"broken.zip can't be read"):
        list(list_files(tmp_path / "broken.zip"))
