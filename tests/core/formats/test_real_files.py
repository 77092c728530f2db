"""All real XML at hand: counts checked against the raw bytes, contents against digests, text against loss."""

import json
import re
import zipfile
from collections import Counter

import pytest
from golden import GOLDEN_REAL, digested, records_of
from test_conformance import check_elements, lost_letters

from claimlight.formats import list_sources
from claimlight.text.normalise import normalise
from claimlight.types import Patent, Quarantined, Section, Skipped

pytestmark = pytest.mark.data

COUNTS = {
    # folder: patents, skipped, quarantined
    "us-grant-v4": (450, 1, 0),
    "us-application-v4": (10, 0, 0),
    "ep": (24, 1, 4),
    "marec": (6, 0, 0),
    "zip": (11, 15, 0),
}
ROOTS = re.compile(rb"<(us-patent-grant|us-patent-application|ep-patent-document|patent-document)\s")
MALFORMED = {"v1-2-A1.xml": 93, "v1-4-A1-1.xml": 118, "v1-4-A1.xml": 96, "v1-5-1-A1-2.xml": 308}


@pytest.fixture(scope="module")
def everything(shared_data):
    return {
        folder: [(path, records_of(path)) for path in list_sources([shared_data / "xml" / folder])]
        for folder in COUNTS
    }


@pytest.mark.parametrize("folder", COUNTS)
def test_counts(everything, folder):
    kinds = Counter(type(record) for _, records in everything[folder] for record in records)
    assert (kinds[Patent], kinds[Skipped], kinds[Quarantined]) == COUNTS[folder]


@pytest.mark.parametrize("folder", COUNTS)
def test_every_root_element_in_the_bytes_is_a_record(everything, folder):
    for path, records in everything[folder]:
        taken = sum(1 for record in records if not isinstance(record, Skipped))
        assert taken == sum(len(ROOTS.findall(data)) for data in _contents(path)), path.name


def _contents(path):
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return [archive.read(info) for info in archive.infolist()]
    return [path.read_bytes()]


def test_malformed_documents_are_quarantined_with_their_line(everything):
    found = {
        path.name: record.line
        for path, records in everything["ep"]
        for record in records
        if isinstance(record, Quarantined)
    }
    assert found == MALFORMED


def test_sequence_listing_is_skipped(everything):
    (record,) = (r for _, rs in everything["us-grant-v4"] for r in rs if isinstance(r, Skipped))
    assert record.source.path.endswith("ipg070102.small.xml")
    assert "sequence listing" in record.reason


def test_no_letter_is_lost(everything):
    for folder, files in everything.items():
        if folder == "zip":
            continue
        for path, records in files:
            data = path.read_bytes()
            for record in records:
                if isinstance(record, Patent):
                    document = data[record.source.offset :]
                    end = re.search(rb"</(?:us-patent-\w+|ep-patent-document|patent-document)\s*>", document)
                    lost = lost_letters(document[: end.end()], record)
                    letters = sum(len(text) for text in _texts(record))
                    assert sum(lost.values()) <= 0.001 * letters, (path.name, str(record.publication), lost)


def _texts(record):
    yield from (item.text for item in record.abstracts + record.claims + record.description)


def test_stored_form(everything):
    for files in everything.values():
        for path, records in files:
            for record in records:
                if isinstance(record, Patent):
                    assert all(normalise(text) == text for text in _texts(record)), path.name
                    assert all(normalise(item.text) == item.text for item in record.titles)
                    for claim in record.claims:
                        check_elements(claim)


def test_every_claim_but_the_first_kind_refers_somewhere(everything):
    """A claim that says "of claim 1" has a parent, in every office and language."""
    pattern = re.compile(r"\b(?:claims? \d|Ansprüchen? \d|Anspruch \d|revendications? \d)")
    for files in everything.values():
        for path, records in files:
            for record in records:
                if isinstance(record, Patent):
                    for claim in record.claims:
                        if claim.number > 1 and (match := pattern.search(claim.text)):
                            named = int(re.search(r"\d+", match.group()).group())
                            if named < claim.number:
                                assert claim.parents or len(record.claims) == 1, (path.name, claim.number)


def test_headings_tell_the_parts(everything):
    """Of the US grants with headings nearly all have a detailed description and a background."""
    grants = [r for _, rs in everything["us-grant-v4"] for r in rs if isinstance(r, Patent)]
    utility = [r for r in grants if r.publication.kind.startswith("B") and len(r.description) > 20]
    parts = Counter(part for r in utility for part in {p.section for p in r.description})
    assert parts[Section.DETAILED] >= 0.99 * len(utility)
    assert parts[Section.BACKGROUND] >= 0.9 * len(utility)
    assert parts[Section.DRAWINGS] >= 0.8 * len(utility)


@pytest.mark.parametrize("folder", ["us-grant-v4", "us-application-v4"])
def test_counts_within_documents_match_the_raw_bytes(everything, folder):
    for path, records in everything[folder]:
        data = path.read_bytes()
        for record in records:
            if isinstance(record, Patent):
                document = data[record.source.offset :]
                document = document[: re.search(rb"</us-patent-\w+\s*>", document).end()]
                where = (path.name, str(record.publication))
                assert len(record.claims) == len(re.findall(rb"<claim\s", document)), where
                cited = re.findall(rb"<(?:us-)?citation>", document)
                assert len(record.citations) == len(cited), where
                _, _, description = document.partition(b"<description ")
                description = description.partition(b"</description>")[0]
                texts = [p for p in re.findall(rb"<p\s.*?</p>", description, re.DOTALL) if _printed(p)]
                bare = [p for p in record.description if p.text == p.heading or not p.heading]
                assert len(texts) <= len(record.description) <= len(texts) + len(bare), where


def _printed(paragraph):
    """Whether a paragraph has text, or a picture that leaves a placeholder."""
    return b"<img" in paragraph or re.sub(rb"<[^>]*>|\s", b"", paragraph)


def test_golden_digests(shared_data):
    golden = json.loads(GOLDEN_REAL.read_text(encoding="utf-8"))
    for name, expected in golden.items():
        assert [digested(record) for record in records_of(shared_data / "xml" / name)] == expected, name


def test_json_lines(shared_data):
    records = records_of(shared_data / "text" / "us_applications_full.jsonl.gz")
    assert Counter(map(type, records)) == {Patent: 1813}
    assert all(r.claims and r.description and r.filed and r.titles for r in records)
    assert records[-1].source.ordinal == 1812
