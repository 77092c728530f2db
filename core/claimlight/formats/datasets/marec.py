"""MAREC and CLEF-IP: ``patent-document``, one schema for the publications of several offices."""

from __future__ import annotations

from dataclasses import replace

from lxml import etree

from claimlight.errors import ParseError
from claimlight.formats.base import Format, root_name
from claimlight.formats.datasets.marec_front import FrontPage, read_language, split_ucid
from claimlight.formats.parts import numbers
from claimlight.formats.parts.body import Body
from claimlight.formats.parts.element_text import flatten
from claimlight.formats.parts.pictures import read_pictures
from claimlight.formats.xml.parsing import line_of, parse
from claimlight.types import Patent, PublicationNumber, Source

ROOT = "patent-document"


def sniff(head: bytes) -> int:
    return 100 if root_name(head) == ROOT else 0


def read(document: bytes, source: Source) -> Patent:
    """A publication of any office; raises `ParseError`."""
    root = parse(document)
    pictures = read_pictures(root, numbered=False)
    flatten(root)
    language = read_language(root)
    publication = _read_own_number(root)
    page = FrontPage(language)
    body = Body()
    for child in root:
        local = read_language(child) or language
        if child.tag == "bibliographic-data":
            page.read(child)
        else:
            body.read(child, local)
    page.published = numbers.read_date(root.get("date")) or page.published
    patent = page.patent(publication, source, body, pictures)
    return replace(patent, family=(root.get("family-id") or "").strip())


def _read_own_number(root: etree._Element) -> PublicationNumber:
    country, number, kind = root.get("country", ""), root.get("doc-number", ""), root.get("kind", "")
    if not number:
        country, number, kind = split_ucid(root.get("ucid", ""))
    found = numbers.read_publication(country, number, kind)
    if found is None:
        raise ParseError("no doc-number and no ucid in the root element", line=line_of(root))
    return found


FORMAT = Format(
    "patent-document",
    sniff,
    read,
    office="MAREC",
    kind="XML",
    about="MAREC and CLEF-IP",
    roots=frozenset({ROOT}),
)
