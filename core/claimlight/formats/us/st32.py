"""USPTO grants of 2001 to 2004 in XML: ``PATDOC``, WIPO standard ST.32 as the "Red Book" v2.4 and v2.5.

The front page has the B-codes of ST.32; the body has its own vocabulary, with every text in a ``PDAT``. Both
are renamed to the vocabulary of the later dialects and read by the same code.
"""

from __future__ import annotations

import re

from lxml import etree

from claimlight.errors import ParseError
from claimlight.formats.base import Format, is_declared, root_name
from claimlight.formats.parts.body import Body
from claimlight.formats.parts.pictures import read_pictures
from claimlight.formats.us.older_xml import mark_parts, number_claims, rename, space_out
from claimlight.formats.us.st32_front import FrontPage
from claimlight.formats.xml.parsing import line_of, parse
from claimlight.formats.xml.sgml import to_xml
from claimlight.types import Patent, Section, Source

ROOT = "PATDOC"
NAME = "us-patdoc"

_LANGUAGE = "en"
_ONLY_FORMAT = (
    "PDAT", "PTEXT", "STEXT", "HIL", "BOLD", "ITALIC", "ULINE", "DULINE", "SMALLCAPS", "LTL", "FGREF", "F",
    "CWU", "TABLE-US", "TABLE-CALS", "IMG", "LST", "BTEXT", "DEL-S", "DEL-E", "MATHML", "DNUM", "ELE",
)  # fmt: skip
_NAMES = {
    "PARA": "p",
    "H": "heading",
    "SP": "sup",
    "SB": "sub",
    "UL": "ul",
    "OL": "ol",
    "SL": "ul",
    "DL": "dl",
    "DT": "dt",
    "DD": "dd",
    "LI": "li",
    "FOO": "p",
    "MATH-US": "maths",
    "CHEM-US": "chemistry",
}
_PARTS = {
    "RELAPP": Section.BACKGROUND,
    "GOVINT": Section.BACKGROUND,
    "BRFSUM": Section.SUMMARY,
    "DRWDESC": Section.DRAWINGS,
    "DETDESC": Section.DETAILED,
}
_OPEN = ("BRFSUM",)
_SUBDOCUMENTS = {"SDOAB": "abstract", "SDODE": "description", "SDOCL": "claims"}
_SPACED = ("SEQLST-US", "B830", "CIT")
"""Elements in the text whose fields are not separated by blanks."""
_DELETED = {"DEL-S": "[", "DEL-E": "]"}
"""Reissues print deletions in brackets; additions, printed in italics, are plain text here."""
_UNLISTED_LEVEL = 1
_LEVEL = re.compile(r"([0-9])\Z")


def sniff(head: bytes) -> int:
    """100 only with an XML declaration; without one the document may be SGML."""
    return 100 if root_name(head) == ROOT and is_declared(head) else 0


def sniff_sgml(head: bytes) -> int:
    """100 without an XML declaration, or with the root element in other letter case."""
    root = root_name(head)
    return 100 if root.upper() == ROOT and not (root == ROOT and is_declared(head)) else 0


def read(document: bytes, source: Source) -> Patent:
    """A grant; raises `ParseError`."""
    return read_tree(parse(document), source)


def read_sgml(document: bytes, source: Source) -> Patent:
    """A grant in SGML; raises `ParseError`."""
    return read_tree(parse(to_xml(document, ROOT)), source)


def read_tree(root: etree._Element, source: Source) -> Patent:
    """The grant of a parsed tree, from XML or SGML."""
    pictures = read_pictures(root)
    _translate(root)
    page: FrontPage | None = None
    body = Body()
    for child in root:
        if child.tag == "SDOBI":
            page = FrontPage(child, _LANGUAGE)
        else:
            body.read(child, _LANGUAGE)
    if page is None or page.publication is None:
        raise ParseError("no publication number in B110", line=line_of(root))
    return page.patent(page.publication, source, body, pictures)


def _translate(root: etree._Element) -> None:
    # Before tags are stripped: brackets, blanks and levels hang on elements that disappear then.
    for mark in root.iter(*_DELETED):
        mark.text = _DELETED[mark.tag]
    for group in root.iter(*_SPACED):
        space_out(group)
    # A list, as nesting moves elements that the walk has still to visit.
    for claim in list(root.iter("CLM")):
        _nest_steps(claim)
    etree.strip_tags(root, *_ONLY_FORMAT, "CL")
    for child in root:
        if child.tag == "SDODE":
            mark_parts(child, _PARTS, opened=_OPEN)
        if child.tag != "SDOBI":
            rename(child, _NAMES)
        if child.tag == "SDOCL":
            number_claims(child)
        child.tag = _SUBDOCUMENTS.get(child.tag, child.tag)


def _nest_steps(claim: etree._Element) -> None:
    """Nest paragraphs and steps of a claim, which are siblings with levels."""
    claim.tag = "claim"
    claim.set("id", claim.get("ID", ""))
    for link in claim.iter("CLREF"):
        link.tag = "claim-ref"
        link.set("idref", link.get("ID", ""))
    above: list[tuple[int, etree._Element]] = []
    for part in claim.findall("*"):
        if part.tag not in {"PARA", "CLMSTEP"}:
            continue
        level = _read_level(part)
        etree.strip_tags(part, "PARA")
        part.tag = "claim-text"
        while above and above[-1][0] >= level:
            above.pop()
        if above:
            above[-1][1].append(part)
        above.append((level, part))


def _read_level(part: etree._Element) -> int:
    """0 for a paragraph, at least 1 for a step."""
    if part.tag == "PARA":
        return 0
    said = _LEVEL.match(part.get("LVL", ""))
    return max(_UNLISTED_LEVEL, int(said[1])) if said else _UNLISTED_LEVEL


FORMAT = Format(
    NAME,
    sniff,
    read,
    office="USPTO",
    kind="XML",
    about="grants of 2001 to 2004 (ST.32, Red Book v2.4 and v2.5)",
    roots=frozenset({ROOT}),
)
SGML_FORMAT = Format(
    "us-patdoc-sgml",
    sniff_sgml,
    read_sgml,
    office="USPTO",
    kind="SGML",
    about="the same grants in SGML",
    roots=frozenset({ROOT, ROOT.lower()}),
)
"""Grants of 2001 in the "Red Book" v2.4 without an XML declaration, in upper or in lower case."""
