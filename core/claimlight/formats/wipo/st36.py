"""WIPO ST.36: international applications published by WIPO, and national documents in ST.36."""

from __future__ import annotations

import re

from lxml import etree

from claimlight.errors import ParseError
from claimlight.formats.base import Format, root_name
from claimlight.formats.epo.ep_citations import merge_citations, read_search_report
from claimlight.formats.parts import numbers
from claimlight.formats.parts.body import Body
from claimlight.formats.parts.element_text import flatten
from claimlight.formats.parts.exchange_numbers import read_office_publication
from claimlight.formats.parts.pictures import read_pictures
from claimlight.formats.wipo.st36_front import FrontPage
from claimlight.formats.xml.namespaces import parse_local
from claimlight.formats.xml.parsing import line_of
from claimlight.types import Citation, LocalText, Patent, Picture, PublicationNumber, Source

NAMED = frozenset(
    {
        "wo-published-application",
        "wo-international-application-status",
        "pct-application",
        "jp-official-gazette",
    }
)
ROOTS = NAMED | {f"{office}-patent-document" for office in ("wo", "xx", "cn", "jp", "kr", "ca", "au", "gb")}
_NATIONAL = re.compile(r"(?!ep-)([a-z]{2})-patent-document\Z")
_OWN = frozenset({"application-body", "patent-document", "wo-patent-document"})
"""Elements around the front page and the body."""


def sniff(head: bytes) -> int:
    root = root_name(head)
    return 100 if root in NAMED or _NATIONAL.match(root) else 0


def read(document: bytes, source: Source) -> Patent:
    """One publication; raises `ParseError`."""
    return read_tree(parse_local(document), source)


def read_tree(root: etree._Element, source: Source) -> Patent:
    """The publication of a tree with the names of ST.36."""
    pictures = read_pictures(root)
    flatten(root)
    reader = _Reader(root)
    reader.read(root)
    return reader.patent(root, source, pictures)


class _Reader:
    def __init__(self, root: etree._Element) -> None:
        office = str(root.tag)[:2] if str(root.tag)[2:3] == "-" else ""
        self._country = (root.get("country") or ("" if office == "xx" else office)).upper()
        self._language = root.get("lang", "").lower()[:2]
        self._page = FrontPage(self._country)
        self._body = Body()
        self._reported: list[Citation] = []

    def read(self, element: etree._Element) -> None:
        language = element.get("lang", "").lower()[:2] or self._language
        for child in element.iterchildren(etree.Element):
            tag = str(child.tag)
            local = child.get("lang", "").lower()[:2] or language
            if tag.endswith("bibliographic-data"):
                self._page.read(child)
                for abstract in child.iterchildren("abstract"):
                    self._body.read(abstract, abstract.get("lang", "").lower()[:2] or local)
            elif tag.endswith(("search-report", "search-report-data")):
                self._reported.extend(read_search_report(child))
            elif tag in _OWN:
                self.read(child)
            else:
                self._body.read(child, local)

    def _read_number(self, root: etree._Element) -> PublicationNumber:
        found = self._page.publication
        if found is None and self._country:
            found = read_office_publication(self._country, root.get("doc-number", ""), root.get("kind", ""))
        if found is None:
            raise ParseError(
                "no publication number on the front page; an application that is not published has none",
                line=line_of(root),
            )
        # The kind may be in the root element alone.
        if not found.kind and root.get("kind"):
            return PublicationNumber(found.country, found.number, root.get("kind", "").upper())
        return found

    def patent(self, root: etree._Element, source: Source, pictures: tuple[Picture, ...]) -> Patent:
        page = self._page
        publication = self._read_number(root)
        page.language = page.language or self._language
        titles = (LocalText(item.text, item.language or page.language) for item in page.titles)
        page.titles = list(dict.fromkeys(titles))
        page.published = page.published or numbers.read_date(root.get("date-publ"))
        page.citations = list(dict.fromkeys(merge_citations(self._reported, page.citations)))
        # Front page and body may both carry the same abstract.
        self._body.abstracts = tuple(dict.fromkeys(self._body.abstracts))
        return page.patent(publication, source, self._body, pictures)


FORMAT = Format(
    "st36",
    sniff,
    read,
    office="WIPO",
    kind="XML",
    about="ST.36: PCT publications, application status, national documents (CN, JP, KR, CA, AU, GB)",
    roots=ROOTS,
)
