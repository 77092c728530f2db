"""USPTO grants and pre-grant publications, v4.0 to v4.7 (2005 on): the document around its front page."""

from __future__ import annotations

import re

from claimlight.errors import ParseError
from claimlight.formats.base import Format, root_name
from claimlight.formats.parts.body import DETAILED_MARK, Body
from claimlight.formats.parts.element_text import flatten, read_child_text
from claimlight.formats.parts.pictures import read_pictures
from claimlight.formats.us.uspto_front import FrontPage
from claimlight.formats.xml.parsing import line_of, parse
from claimlight.types import Paragraph, Patent, Section, Source

_GRANT = "us-patent-grant"
_APPLICATION = "us-patent-application"
_DETAILED_START = re.compile(rb'<\?(?:DETDESC|detailed-description)\s[^>]*end="lead"\s*\?>')
"""The parser drops processing instructions; this one marks the detailed description, which one grant in
twelve starts without a heading."""
_DETAILED_NAMES = (b"<?DETDESC", b"<?detailed-description")
_PICTURE = re.compile(rb'<\?img\s((?:[\w-]+="[^"<>&]*"\s*)+)\?>')
"""Grants of 2005 have characters without a code as processing instructions."""


def read_uspto(document: bytes, source: Source) -> Patent:
    """A grant or an application; raises `ParseError`."""
    root = parse(_mark_instructions(document))
    pictures = read_pictures(root)
    flatten(root)
    language = root.get("lang", "EN").lower()[:2]
    page: FrontPage | None = None
    body = Body()
    for child in root:
        tag = child.tag
        if tag.startswith("us-bibliographic-data"):
            page = FrontPage(child, language)
        # A sibling of the description, so no reader of the body meets it.
        elif tag == "us-sequence-list-doc":
            listing = Paragraph(read_child_text(child), Section.DETAILED, language=language)
            body.description += (listing,)
        else:
            body.read(child, language)
    if page is None or page.publication is None:
        raise ParseError("no publication number on the front page", line=line_of(root))
    return page.patent(page.publication, source, body, pictures)


def _mark_instructions(document: bytes) -> bytes:
    """Turn these processing instructions into elements; most documents have none, so plain searches first."""
    if b"<?img" in document:
        document = _PICTURE.sub(rb"<img \1/>", document)
    if any(name in document for name in _DETAILED_NAMES):
        return _DETAILED_START.sub(f"<{DETAILED_MARK}/>".encode(), document)
    return document


def _sniff_grant(head: bytes) -> int:
    return 100 if root_name(head) == _GRANT else 0


def _sniff_application(head: bytes) -> int:
    return 100 if root_name(head) == _APPLICATION else 0


GRANT = Format(
    _GRANT,
    _sniff_grant,
    read_uspto,
    office="USPTO",
    kind="XML",
    about="grants v4.0 to v4.7: utility, design (S), plant (P), reissue (E), registration (H)",
    roots=frozenset({_GRANT}),
)
APPLICATION = Format(
    _APPLICATION,
    _sniff_application,
    read_uspto,
    office="USPTO",
    kind="XML",
    about="applications v4.0 to v4.7",
    roots=frozenset({_APPLICATION}),
)
