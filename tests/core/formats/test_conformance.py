"""Every dialect of FORMATS against its samples: nothing lost, nothing moved, always the same."""

import dataclasses
import json
import re
from collections import Counter

import pytest
from golden import SAMPLES, plain, records_of, sample_files
from lxml import etree

from claimlight.formats import FORMATS
from claimlight.formats.registry import RECORDS
from claimlight.formats.xml.namespaces import parse_local
from claimlight.text.normalise import normalise
from claimlight.types import Patent, Skipped

FILES = [
    pytest.param(form, path, id=f"{form.name}/{path.name}")
    for form in FORMATS
    if (SAMPLES / form.name).is_dir()
    for path in sample_files(SAMPLES / form.name)
]

UNCOMPARED = {
    "table", "patent-document", "exchange-documents", "us-patdoc-sgml", "us-greenbook", "patentsview",
    "ep-text-analytics", *(form.name for form in RECORDS),
}  # fmt: skip
"""Dialects that are no XML, or that give the same text in several forms of which one is kept."""
BODIES = {
    "abstract", "description", "claims", "subdoc-abstract", "subdoc-description", "subdoc-claims",
    "sdoab", "sdode", "sdocl",
}  # fmt: skip
DESCRIPTIONS = {"description", "subdoc-description", "sdode"}
"""Elsewhere a heading only says what follows."""
ROOT = re.compile(rb"<((?:[\w.-]+:)?[A-Za-z_][\w.-]*)[\s>]")


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_dialect_has_samples(form):
    folder = SAMPLES / form.name
    assert folder.is_dir(), f"write small invented files of {form.name} into {folder}"
    assert sample_files(folder)


def test_every_sample_folder_has_a_dialect():
    assert {path.name for path in SAMPLES.iterdir()} == {form.name for form in FORMATS}


@pytest.mark.parametrize(("form", "path"), FILES)
def test_golden(form, path):
    golden = path.with_name(path.name + ".json")
    assert [plain(record) for record in records_of(path)] == json.loads(golden.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("form", "path"), FILES)
def test_sniffed_as_its_own_only(form, path):
    head = path.read_bytes()[:8192]
    assert form.sniff(head) > 0
    assert [other.name for other in FORMATS if other.sniff(head)] == [form.name]


@pytest.mark.parametrize(("form", "path"), FILES)
def test_twice_the_same(form, path):
    assert records_of(path) == records_of(path)


@pytest.mark.parametrize(("form", "path"), FILES)
def test_text_is_normalised_and_elements_point_into_it(form, path):
    for record in records_of(path):
        if isinstance(record, Skipped):
            continue
        assert isinstance(record, Patent)
        for text in _strings(record):
            assert normalise(text) == text
        for claim in record.claims:
            check_elements(claim)


def check_elements(claim):
    assert claim.text
    assert all(0 < parent < claim.number for parent in claim.parents)
    at = 0
    for element in claim.elements:
        assert element.start == at, "elements follow one another, a line break apart"
        assert element.start < element.end <= len(claim.text)
        assert claim.text[element.start : element.end].strip() == claim.text[element.start : element.end]
        at = element.end + 1
    if claim.elements:
        assert claim.elements[0].depth == 0
        assert claim.elements[-1].end == len(claim.text)


def _strings(record):
    yield from (item.text for item in record.titles + record.abstracts)
    yield from (claim.text for claim in record.claims)
    for paragraph in record.description:
        yield paragraph.text
        yield paragraph.heading
    yield from (citation.text for citation in record.citations)
    yield from (party.name for party in record.parties)


@pytest.mark.parametrize(("form", "path"), [item for item in FILES if item.values[0].name not in UNCOMPARED])
def test_no_text_is_lost(form, path):
    data = path.read_bytes()
    for record in records_of(path):
        if isinstance(record, Patent):
            document = _document(data[record.source.offset :])
            assert lost_letters(document, record) == Counter()


def _document(data):
    """The document at the start of ``data``, up to the end tag of its root."""
    root = ROOT.search(data)[1]
    return data[: data.index(b"</" + root + b">") + len(root) + 3]


def lost_letters(document: bytes, record: Patent) -> Counter:
    """Letters of abstract, description and claims that no parsed text holds; digits may go with numbers."""
    wanted = Counter()
    for child in parse_local(document):
        if child.tag.lower() in BODIES:
            for statement in child.findall("claim-statement"):
                statement.text = ""
            if child.tag.lower() not in DESCRIPTIONS:
                etree.strip_elements(child, "H", "heading", with_tail=False)
            wanted.update(_letters("".join(child.itertext())))
    found = Counter()
    heading = ""
    for text in [*(a.text for a in record.abstracts), *(c.text for c in record.claims)]:
        found.update(_letters(text))
    for paragraph in record.description:
        found.update(_letters(paragraph.text))
        if paragraph.heading != heading:
            found.update(_letters(paragraph.heading))
        heading = paragraph.heading
    return wanted - found


def _letters(text):
    return re.findall(r"[^\W\d_]", normalise(text))


def test_records_are_values():
    record = records_of(sample_files(SAMPLES / "jsonl")[0])[0]
    assert hash(record) == hash(dataclasses.replace(record))
