"""USPTO pre-grant publications of 2001 to 2004: document types pap v1.5 and v1.6."""

from __future__ import annotations

from lxml import etree

from claimlight.errors import ParseError
from claimlight.formats.base import Format, root_name
from claimlight.formats.parts.body import Body
from claimlight.formats.parts.element_text import flatten
from claimlight.formats.parts.pictures import read_pictures
from claimlight.formats.us.older_xml import mark_parts, number_claims, rename, space_out
from claimlight.formats.us.pap_front import FrontPage
from claimlight.formats.xml.parsing import line_of, parse
from claimlight.types import Patent, Section, Source

ROOT = "patent-application-publication"

_LANGUAGE = "en"
_ONLY_FORMAT = (
    "highlight", "uline", "duline", "literal", "cross-reference", "in-line-formula", "section",
    "markush-group", "markush-item", "grant-number", "contract-number", "us-agency",
)  # fmt: skip
_NAMES = {
    "paragraph": "p",
    "paragraph-federal-research-statement": "p",
    "superscript": "sup",
    "subscript": "sub",
    "math-cwu": "maths",
    "chemistry-cwu": "chemistry",
    "lists": "ul",
    "list-item": "li",
    "footnote": "p",
    "dependent-claim-reference": "claim-ref",
}
_PARTS = {
    "copyright-statement": Section.BACKGROUND,
    "cross-reference-to-related-applications": Section.BACKGROUND,
    "federal-research-statement": Section.BACKGROUND,
    "background-of-invention": Section.BACKGROUND,
    "summary-of-invention": Section.SUMMARY,
    "brief-description-of-drawings": Section.DRAWINGS,
    "brief-description-of-sequences": Section.DRAWINGS,
    "detailed-description": Section.DETAILED,
    "program-listing-deposit": Section.DETAILED,
}
_OPEN = ("background-of-invention", "summary-of-invention")
_UNIT_NUMBERS = ("table-cwu", "math-cwu", "chemistry-cwu", "program-listing-deposit")
"""Elements with a ``number`` that only the typesetter used."""


def sniff(head: bytes) -> int:
    return 100 if root_name(head) == ROOT else 0


def read(document: bytes, source: Source) -> Patent:
    """A publication of an application; raises `ParseError`."""
    root = parse(document)
    pictures = read_pictures(root)
    _translate(root)
    page: FrontPage | None = None
    body = Body()
    for child in root:
        if child.tag == "bibliographic-information":
            page = FrontPage(child)
        else:
            body.read(child, _LANGUAGE)
    if page is None or page.publication is None:
        raise ParseError("no publication number on the front page", line=line_of(root))
    return page.patent(page.publication, source, body, pictures)


def _translate(root: etree._Element) -> None:
    for unit in root.iter(*_UNIT_NUMBERS):
        for number in unit.findall("number"):
            unit.set("num", number.text or "")
            unit.remove(number)
    for deposit in root.iter("biological-deposit", "biological-deposit-citation"):
        space_out(deposit)
    etree.strip_tags(root, *_ONLY_FORMAT)
    flatten(root)
    for paragraph in root.iter("paragraph", "paragraph-federal-research-statement"):
        _split_number(paragraph)
    for reference in root.iter("dependent-claim-reference"):
        # One attribute holds several ids; in the later dialects blanks separate them.
        reference.set("idref", reference.get("depends_on", "").replace(",", " "))
        etree.strip_tags(reference, "claim-text")
    rename(root, _NAMES)
    for child in root:
        if child.tag == "subdoc-description":
            mark_parts(child, _PARTS, opened=_OPEN)
        elif child.tag == "subdoc-claims":
            number_claims(child)
        elif child.tag == "subdoc-abstract":
            _drop_heading(child)
        child.tag = child.tag.removeprefix("subdoc-")


def _split_number(paragraph: etree._Element) -> None:
    """Separate ``<number>[0042]</number> Text`` into the number and the text of a paragraph."""
    number = paragraph.find("number")
    if number is None or (paragraph.text or "").strip():
        return
    printed = (number.text or "").strip().strip("[].")
    if printed.isdigit() and number is paragraph[0]:
        paragraph.set("num", printed)
        paragraph.text = number.tail
        number.tail = None
        paragraph.remove(number)


def _drop_heading(abstract: etree._Element) -> None:
    """Take out the heading "Abstract of Disclosure", which is no part of the abstract."""
    for heading in abstract.findall("heading"):
        if abstract.find("p") is not None:
            abstract.remove(heading)


FORMAT = Format(
    ROOT,
    sniff,
    read,
    office="USPTO",
    kind="XML",
    about="applications of 2001 to 2004, document types pap v1.5 and v1.6",
    roots=frozenset({ROOT}),
)
