"""Real files against a second, plain reading: every letter of every claim, in its order; golden versions."""

import json
import re
import unicodedata

import pytest
from golden import GOLDEN_REAL
from lxml import etree

from claimlight.formats import SourceReader, Unread, list_sources
from claimlight.tasks import TaskContext
from claimlight.text.placeholders import PLACEHOLDER
from claimlight.types import Origin, Patent

pytestmark = pytest.mark.data

FOLDERS = ("us-grant-v4", "us-application-v4", "ep", "marec", "zip")
VERSION = re.compile(rb'<(us-patent-\w+|ep-patent-document)\s[^>]*?dtd-version="([^"]+)"')
OWED = {
    *(f"us-patent-grant v{n}" for n in ("40", "42", "45", "47")),
    *(f"us-patent-application v{n}" for n in ("40", "41", "43", "44", "45")),
    *(f"ep-patent-document v1{n}" for n in ("0", "01", "1", "2", "3", "4", "5", "51")),
}


@pytest.fixture(scope="module")
def read(shared_data):
    """The bytes of each document beside what was read from them."""
    paths = list_sources([shared_data / "xml" / folder for folder in FOLDERS])
    cut = (item for path in paths for item in SourceReader(path, TaskContext()).unread())
    pairs = [(item.piece.data, item.read()) for item in cut if isinstance(item, Unread)]
    return [(data, record) for data, record in pairs if isinstance(record, Patent)]


def letters(text):
    return re.findall(r"[^\W\d_]", unicodedata.normalize("NFC", PLACEHOLDER.sub("", text)))


def plain(element):
    """All text of an element, as XML has it."""
    for odd in element.iter(etree.ProcessingInstruction, etree.Comment):
        odd.text = ""
    return "".join(element.itertext())


def test_every_claim_holds_every_letter_of_its_element_in_order(read):
    compared = 0
    for data, record in read:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
        elements = [claim for claims in root.iterchildren("claims") for claim in claims.iter("claim")]
        where = str(record.publication)
        if len(elements) == 1:  # some older documents have all their claims in one element
            said, wanted = letters("".join(c.text for c in record.claims)), letters(plain(elements[0]))
            before = len(wanted) - len(said)
            assert wanted[before:] == said, where
            assert "".join(wanted[:before]) in {"", "ICLAIM"}, where
            compared += len(record.claims)
            continue
        assert len(elements) == len(record.claims), where
        for element, claim in zip(elements, record.claims, strict=True):
            assert letters(claim.text) == letters(plain(element)), (where, claim.number)
            compared += 1
    assert compared == 3414


def test_every_title_and_abstract_is_there(read):
    compared = 0
    for data, record in read:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
        said = "".join(text.text for text in record.abstracts)
        wanted = "".join(plain(element) for element in root.iterchildren("abstract"))
        assert sorted(letters(said)) == sorted(letters(wanted)), str(record.publication)
        found = {"".join(letters(title.text)) for title in record.titles}
        for title in root.iter("invention-title", "B542"):
            inside = {above.tag for above in title.iterancestors()}
            if not inside & {"description", "search-report-data"} and letters(plain(title)):
                assert "".join(letters(plain(title))) in found, str(record.publication)
                compared += 1
    assert compared >= len(read)


def test_every_picture_in_a_text_has_a_placeholder_with_its_file(read):
    """One of several files of one formula stands for it."""
    compared = 0
    for data, record in read:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
        said = " ".join(
            item.text for item in (*record.abstracts, *record.claims, *record.description) if "[" in item.text
        )
        for text in root.iterchildren("abstract", "claims", "description"):
            for image in text.iter("img"):
                if not any(plain(above).strip() for above in image.iterancestors("chemistry", "maths")):
                    assert f": {image.get('file')}]" in said, (str(record.publication), image.get("file"))
                    compared += 1
    assert compared > 600


def _versions(data):
    for kind, version in VERSION.findall(data):
        number = re.search(r"v?(\d)[.-]?(\d[\d.-]*)", version.decode().rsplit("document", 1)[-1])
        digits = re.sub(r"\D", "", number[0].split(" ")[0]) if number else version.decode()
        yield f"{kind.decode()} v{digits[:2] if kind.startswith(b'us') else digits}"


def test_golden_files_of_every_version_at_hand(read, shared_data):
    present = {version for data, _ in read for version in _versions(data)}
    assert present == OWED
    golden = set()
    for name in json.loads(GOLDEN_REAL.read_text(encoding="utf-8")):
        for item in SourceReader(shared_data / "xml" / name, TaskContext()).unread():
            if isinstance(item, Unread):
                golden.update(_versions(item.piece.data))
    assert golden >= OWED


def test_search_reports_are_read_as_far_as_they_are_text(read):
    """EP: the front page lists documents, the report itself is images. MAREC gives the category."""
    cited = [(str(r.publication), c) for _, r in read for c in r.citations if c.origin is Origin.SEARCH]
    assert len({number for number, _ in cited if number.startswith("EP")}) >= 10
    with_category = {number for number, c in cited if c.category}
    assert with_category == {"EP1000000A1", "WO1978000001A1"}
    for data, record in read:
        if b"<srep-citations" in data:
            assert any(c.origin is Origin.SEARCH and c.category for c in record.citations)
