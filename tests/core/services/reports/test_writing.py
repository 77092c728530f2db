"""Reports and strategies as files: complete in every format, and no file is replaced unasked."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from docx import Document
from lxml import etree
from report_fakes import MADE

from claimlight.errors import InputError, ResourceError
from claimlight.services.reports.layout import Layout, Text, claim_ranges
from claimlight.services.reports.pdf_writer import write_pdf
from claimlight.services.reports.strategy import strategy_of
from claimlight.services.reports.writing import strategy_json, write_report, write_strategy
from claimlight.types import Category, Decision, ReportKind, StepRerun
from tests.core.cli.schema import conforms

SCHEMAS = Path(__file__).parents[4] / "docs" / "schemas"
REJECTED = "A bicycle with a frame."


@pytest.fixture
def report(desk):
    """Two documents, three passages, and a rejected one whose text must be nowhere."""
    desk.mark("1000001", Category.X)
    desk.mark("1000001", Category.Y, claim=2)
    desk.mark("1000002", Category.A, claim=3)
    desk.decide("1000001", "damper", "[0001]", comment="as drawn")
    desk.decide("1000001", "brake", "claim 1")
    desk.decide("1000002", "frame", "[0001]", Decision.REJECTED)
    return desk.report()


@pytest.fixture
def strategy(desk):
    return strategy_of(desk.case, desk.book.sets(desk.id), made=MADE)


def words_of(path: Path) -> str:
    """All text of a DOCX file, with tabs between the cells of a table."""
    document = Document(str(path))
    lines = [paragraph.text for paragraph in document.paragraphs]
    lines += ["\t".join(cell.text for cell in row.cells) for table in document.tables for row in table.rows]
    return "\n".join(lines)


def table_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(path.read_text("utf-8-sig"), newline="")))


def test_a_docx_file_has_search_report_chart_and_strategy(report, tmp_path):
    written = write_report(report, tmp_path / "r.docx")
    text = words_of(Path(written.path))
    for expected in (
        "Search report",
        "Fork <damper> & brake",
        "2018-10-01 (verified)",
        "D1  EP 1 000 001 A1",
        "Δέλτα Räder GmbH",
        "[0001] (F3); claim 1 (F4)",
        "2, dependent on 1",
        "Full prior art",
        "Claim chart, claim 1",
        "A viscous damper of a bicycle.\n(as drawn)",
        "CPC B62K 25/04  Axle suspensions",
        "damper AND oil\npublished before 2018-10-01; only classes CPC B62K",
        "model general-small-4-abc\nindex g7",
    ):
        assert expected in text, expected
    assert REJECTED not in text
    assert "careful with claim 2" not in text, "notes are the examiner's own"


@pytest.mark.parametrize(
    ("kind", "there", "missing"),
    [
        (ReportKind.CHART, "Claim chart, claim 1", "Fields searched"),
        (ReportKind.SEARCH_REPORT, "Fields searched", "Claim chart"),
    ],
)
def test_a_kind_has_its_part_only(report, tmp_path, kind, there, missing):
    write_report(report, tmp_path / "r.docx", kind=kind)
    text = words_of(tmp_path / "r.docx")
    assert there in text
    assert missing not in text


def test_a_case_without_anything_is_written_too(desk, tmp_path):
    report = replace(desk.report(), strategy=strategy_of(desk.case, [], made=MADE))
    for name in ("r.docx", "r.pdf", "r.csv", "r.xml"):
        write_report(report, tmp_path / name)
    text = words_of(tmp_path / "r.docx")
    assert "No document has a category." in text
    assert "No passage is confirmed." in text
    assert "No search is recorded." in text


def test_the_chart_as_csv_has_a_row_for_each_passage_and_each_open_feature(report, tmp_path):
    write_report(report, tmp_path / "r.csv")
    rows = table_of(tmp_path / "r.csv")
    damper = next(row for row in rows if row["text"] == "a viscous damper")
    assert damper == {
        "claim": "1",
        "feature": "F3",
        "text": "a viscous damper",
        "wording": "current",
        "document": "D1",
        "publication": "EP 1 000 001 A1",
        "category": "X",
        "published": "2010-05-04",
        "date_status": "Full prior art",
        "citation": "EP 1 000 001 A1, [0001]",
        "passage": "A viscous damper of a bicycle.",
        "comment": "as drawn",
    }
    assert next(row for row in rows if row["text"] == "a frame")["citation"] == ""


def test_the_citations_as_csv_have_a_row_for_each_claim(report, tmp_path):
    write_report(report, tmp_path / "r.csv", kind=ReportKind.SEARCH_REPORT)
    rows = table_of(tmp_path / "r.csv")
    assert [(row["claim"], row["category"], row["document"]) for row in rows] == [
        ("1", "X", "D1"),
        ("2", "Y", "D1"),
        ("3", "A", "D2"),
    ]
    assert rows[2]["applicants"] == "自転車株式会社"


def test_a_spreadsheet_runs_nothing_of_it(desk, tmp_path):
    desk.mark("1000001", Category.X)
    desk.decide("1000001", "damper", "[0001]", comment="=HYPERLINK(1)")
    write_report(desk.report(), tmp_path / "r.csv")
    assert "'=HYPERLINK(1)" in {row["comment"] for row in table_of(tmp_path / "r.csv")}


def elements(path: Path) -> etree._Element:
    root = etree.parse(str(path)).getroot()
    dtd = etree.DTD(str(SCHEMAS / "search-report.dtd"))
    assert dtd.validate(root), dtd.error_log
    return root


def test_xml_has_the_elements_of_the_standard(report, tmp_path):
    write_report(report, tmp_path / "r.xml")
    root = elements(tmp_path / "r.xml")
    assert (root.tag, root.get("srep-office"), root.get("date-produced")) == (
        "search-report-data",
        "EP",
        "20260302",
    )
    first, second = root.findall("srep-for-pub/srep-citations/citation")
    assert [(item.tag, "".join(item.itertext()).strip()) for item in first[1:]] == [
        ("rel-passage", "[0001]"),
        ("rel-passage", "claim 1"),
        ("category", "X"),
        ("rel-claims", "1"),
        ("category", "Y"),
        ("rel-claims", "2"),
    ]
    identity = second.find("patcit/document-id")
    assert [(item.tag, item.text) for item in identity] == [
        ("country", "EP"),
        ("doc-number", "1000002"),
        ("kind", "A1"),
        ("name", "自転車株式会社"),
        ("date", "20100504"),
    ]
    fields = root.find("srep-for-pub/srep-fields-searched")
    assert [item.text for item in fields.iter("text")] == ["B62L 1/00", "Wheels (4 documents)"]
    assert [item.text for item in fields.iter("other-documentation")] == ["CPC B62K 25/04", "CPC B62K"]


def test_xml_of_an_application_in_the_library_has_its_number(desk, tmp_path):
    from report_fakes import number

    desk.edit(publication=number("1000002"))
    write_report(desk.report(), tmp_path / "r.xml")
    root = elements(tmp_path / "r.xml")
    assert root.findtext("srep-info/application-reference/document-id/doc-number") == "19991000002"
    assert root.findtext("srep-info/date-of-earliest-priority/date") == "20181001"
    assert root.findtext("srep-for-pub/srep-citations/text") == "No document is cited."
    assert root.find("srep-info/srep-abstract").get("abs-approval") == "no", "nobody has approved anything"


@pytest.mark.data
def test_xml_is_valid_by_the_content_model_that_an_office_publishes(report, tmp_path, shared_data):
    """The declarations of the elements, out of the DTD of EP publications."""
    declared = (shared_data / "xml" / "dtd" / "1-5.dtd").read_text("utf-8", errors="replace")
    names = re.findall(r"<!ELEMENT ([\w-]+)", (SCHEMAS / "search-report.dtd").read_text("utf-8"))
    groups = dict(re.findall(r'<!ENTITY % (\w+_group)\s+"([^"]*)"', declared))
    models = []
    for name in names:
        model = re.search(rf"<!ELEMENT\s+{name}\s+([^>]*)>", declared)[1]
        for group, content in groups.items():
            model = model.replace(f"%{group};", content)
        models.append(f"<!ELEMENT {name} {model}>")
    dtd = etree.DTD(StringIO("\n".join(models)))
    write_report(report, tmp_path / "r.xml")
    root = etree.parse(str(tmp_path / "r.xml")).getroot()
    for item in root.iter():
        item.attrib.clear()
    assert dtd.validate(root), dtd.error_log


def test_a_chart_is_no_xml(report, tmp_path):
    with pytest.raises(InputError, match="format of search reports"):
        write_report(report, tmp_path / "r.xml", kind=ReportKind.CHART)
    assert list(tmp_path.glob("r.*")) == []


def test_a_pdf_file_has_pages_and_fonts_of_its_own(report, tmp_path):
    written = write_report(report, tmp_path / "r.pdf")
    body = (tmp_path / "r.pdf").read_bytes()
    assert body.startswith(b"%PDF-")
    assert written.notes == (), "Greek, Latin and Japanese have fonts"
    assert b"DejaVuSansCondensed" in body
    assert b"HeiseiMin-W3" in body or b"STSong-Light" in body
    assert b"FontFile2" in body, "Latin and Greek are in the file"


def test_a_pdf_names_what_it_has_no_font_for():
    body, notes = write_pdf(Layout("t", "f", (Text("กข Latin Ελλ 한국 中文 かな <b>&"),)))
    assert body.startswith(b"%PDF-")
    (note,) = notes
    assert note.startswith("The PDF has no font for 2 characters (Thai)")


def test_a_passage_longer_than_a_page_is_written_whole(desk, tmp_path):
    long = " ".join(f"word{n}" for n in range(6000))
    desk.mark("1000001", Category.X)
    made = desk.decide("1000001", "damper", "[0001]")
    desk.book.decide(desk.id, replace(made, passage=long, passage_digest="another"))
    report = desk.report()
    write_report(report, tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().count(b"/Type /Page\n") > 3
    write_report(report, tmp_path / "r.docx")
    assert long in words_of(tmp_path / "r.docx")


def test_characters_that_xml_can_not_hold_are_left_out(desk, tmp_path):
    desk.mark("1000001", Category.X)
    desk.edit(name="Fork\x00 \x0b\ufffe end")
    for name in ("r.docx", "r.pdf", "r.xml"):
        write_report(desk.report(), tmp_path / name)
    assert "Fork  end" in words_of(tmp_path / "r.docx")


def test_no_file_is_replaced_unless_asked_to(report, strategy, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("mine")
    for write in (
        lambda **how: write_report(report, path, **how),
        lambda **how: write_strategy(strategy, path, **how),
    ):
        with pytest.raises(InputError, match="exists already and was not changed"):
            write()
        assert path.read_text() == "mine"
        write(replace=True)
        assert path.read_bytes().startswith(b"\xef\xbb\xbf")
        path.write_text("mine")


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(report, tmp_path, monkeypatch):
    path = tmp_path / "r.pdf"
    path.write_text("mine")

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(ResourceError, match="the disk is full"):
        write_report(report, path, replace=True)
    assert [item.name for item in tmp_path.glob("r.*")] == ["r.pdf"]
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["r", "r.odt", "r.json"])
def test_an_unknown_extension_is_refused(report, tmp_path, name):
    with pytest.raises(InputError, match=r"end the file name in one of \.docx, \.pdf, \.csv, \.xml"):
        write_report(report, tmp_path / name)


def test_numbers_of_claims_are_joined():
    assert claim_ranges([5, 1, 2, 3, 3]) == "1-3, 5"
    assert claim_ranges([]) == ""


# The search strategy by itself


def test_a_strategy_is_written_in_every_format(strategy, tmp_path):
    for name in ("s.docx", "s.pdf", "s.csv", "s.json"):
        write_strategy(strategy, tmp_path / name)
    first, second = table_of(tmp_path / "s.csv")
    assert (first["set"], first["query"], first["documents"], first["published_before"]) == (
        "L1",
        "damper AND oil",
        "1",
        "2018-10-01",
    )
    assert (second["claim"], second["model"], second["index"]) == ("1", "general-small-4-abc", "g7")
    assert "documents_now" not in first
    assert "damper AND oil" in words_of(tmp_path / "s.docx")
    body = json.loads((tmp_path / "s.json").read_text("utf-8"))
    schema = json.loads((SCHEMAS / "strategy.schema.json").read_text("utf-8"))
    assert conforms(body, schema) == []
    assert [step["label"] for step in body["steps"]] == ["L1", "L2"]


def test_a_strategy_that_was_run_again_says_what_changed(strategy, tmp_path):
    reruns = (
        StepRerun("L1", equal=False, documents=2, added=1, missing=0, differences=("The library grew.",)),
        StepRerun("L2", equal=False, documents=0, added=0, missing=0, differences=(), fault="No model."),
    )
    strategy = replace(strategy, reruns=reruns)
    write_strategy(strategy, tmp_path / "s.csv")
    first, second = table_of(tmp_path / "s.csv")
    assert (first["documents_now"], first["changed"]) == ("2", "1 new, 0 no longer found. The library grew.")
    assert second["changed"] == "Not run again: No model."
    write_strategy(strategy, tmp_path / "s.docx")
    assert "2\n1 new, 0 no longer found. The library grew." in words_of(tmp_path / "s.docx")
    schema = json.loads((SCHEMAS / "strategy.schema.json").read_text("utf-8"))
    assert conforms(strategy_json(strategy), schema) == []
