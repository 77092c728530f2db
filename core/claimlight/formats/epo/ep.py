"""EPO full text, DTD v1.0 to v1.5.1: the front page in B-codes of ST.32 (SDOBI), the body in ST.36."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from lxml import etree

from claimlight.errors import ParseError
from claimlight.formats.base import Format, root_name
from claimlight.formats.epo.ep_citations import (
    merge_citations,
    read_mentioned,
    read_reference_list,
    read_search_report,
)
from claimlight.formats.parts import numbers, symbols
from claimlight.formats.parts.body import Body
from claimlight.formats.parts.element_text import clean, flatten, read_name, read_text, unescape
from claimlight.formats.parts.front_page import FrontPageData
from claimlight.formats.parts.pictures import read_pictures
from claimlight.formats.parts.related_documents import CODED
from claimlight.formats.xml.parsing import line_of, parse
from claimlight.types import (
    Citation,
    ClassSymbol,
    LocalText,
    Origin,
    Party,
    Patent,
    Priority,
    PublicationNumber,
    Relation,
    Role,
    Scheme,
    Source,
)

ROOT = "ep-patent-document"

_ROLES = {
    "B711": Role.APPLICANT,
    "B721": Role.INVENTOR,
    "B731": Role.ASSIGNEE,
    "B741": Role.AGENT,
    "B781": Role.OPPONENT,
}


_DIVIDED = frozenset({Relation.DIVISION, Relation.DIVIDED_INTO})


def sniff(head: bytes) -> int:
    return 100 if root_name(head) == ROOT else 0


def read(document: bytes, source: Source) -> Patent:
    """An application or a specification; raises `ParseError`."""
    root = parse(document)
    pictures = read_pictures(root)
    flatten(root)
    language = root.get("lang", "").lower()[:2]
    page = _FrontPage(language)
    body = Body()
    listed: list[Citation] = []
    reported: list[Citation] = []
    for child in root:
        local = child.get("lang", language).lower()[:2]
        if child.tag == "SDOBI":
            page.read(child)
        # The office's own list comes after the description and replaces what was found marked up in it.
        elif child.tag == "ep-reference-list":
            listed = list(read_reference_list(child)) or listed
        elif child.tag == "search-report-data":
            reported += read_search_report(child)
        else:
            body.read(child, local)
            if child.tag == "description":
                listed = listed or list(read_mentioned(child))
    publication = numbers.read_publication(
        root.get("country") or page.text("B190") or "EP",
        root.get("doc-number") or page.text("B110"),
        root.get("kind") or page.text("B130"),
    )
    if publication is None:
        raise ParseError("no publication number in the root element or B110", line=line_of(root))
    page.application = numbers.read_application("EP", page.text("B210"))
    page.published = numbers.read_date(root.get("date-publ")) or page.published
    page.relate_application(publication)
    page.citations = [*merge_citations(reported, page.citations), *listed]
    return page.patent(publication, source, body, pictures)


class _FrontPage(FrontPageData):
    """The bibliographic data; one method per B-code."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        self._texts: dict[str, str] = {}
        self._appeared: date | None = None

    def relate_application(self, publication: PublicationNumber) -> None:
        """Add the first publication of the application, whose day is B430, unless it is this document."""
        # Of an international application B430 is the entry in the Bulletin; the WO document is what was
        # published (Art. 153(3) EPC), and B871 names it with its own day.
        international = any(
            item.relation is Relation.PCT and item.number.number.isdigit() for item in self.related
        )
        # B430 gives a day and no number; an EP application keeps its number from A1 to B9.
        if self._appeared not in (None, self.published) and not international:
            number = replace(publication, kind="A")
            self.relate(Relation.PREVIOUSLY_PUBLISHED, number, day=self._appeared)

    def text(self, code: str) -> str:
        return self._texts.get(code, "")

    def read(self, element: etree._Element) -> None:
        for child in element:
            reader = _CODES.get(child.tag)
            if reader is not None:
                reader(self, child)
            elif child.tag in _ROLES:
                self.parties.append(_read_party(child, _ROLES[child.tag]))
            # Codes nest: B110 is in B100, B721 in B720 in B700.
            elif len(child):
                self.read(child)
            else:
                self._texts.setdefault(child.tag, (child.text or "").strip())

    def _read_published(self, element: etree._Element) -> None:
        self.published = numbers.read_date(element.findtext("date"))

    def _read_appeared(self, element: etree._Element) -> None:
        self._appeared = numbers.read_date(element.findtext("date"))

    def _read_filed(self, element: etree._Element) -> None:
        self.filed = numbers.read_date(element.findtext("date"))

    def _read_titles(self, element: etree._Element) -> None:
        language = ""
        for child in element:
            if child.tag == "B541":
                language = (child.text or "").strip().lower()
            elif child.tag == "B542" and (title := read_name(child)):
                self.titles.append(LocalText(title, language))

    def _read_priorities(self, element: etree._Element) -> None:
        """B310, B320 and B330 are siblings, one triple for each priority."""
        number = ""
        day: date | None = None
        country = ""
        for child in element:
            if child.tag == "B310":
                self._close_priority(country, number, day)
                number, day, country = (child.text or "").strip(), None, ""
            elif child.tag == "B320":
                day = numbers.read_date(child.findtext("date"))
            elif child.tag == "B330":
                country = (child.findtext("ctry") or "").strip()
        self._close_priority(country, number, day)

    def _close_priority(self, country: str, number: str, day: date | None) -> None:
        if number:
            self.priorities.append(Priority(country, number, day))

    def _read_old_ipc(self, element: etree._Element) -> None:
        """IPC 1 to 7: the edition precedes each symbol, a sequence letter follows it."""
        edition = (element.findtext("B516") or "").strip()
        for child in element:
            if child.tag in {"B511", "B512", "B513", "B514", "B515"}:
                # The edition is in front of the symbol: ``7C 09J 103/02``.
                spelled = symbols.read_symbol((child.text or "").strip().lstrip("0123456789"))
                inventive = child.tag in {"B511", "B512"}
                self.classes.append(ClassSymbol(Scheme.IPC, spelled, inventive, child.tag == "B511", edition))
            elif child.tag == "B517EP":
                spelled = symbols.read_symbol((child.text or "").strip(" /"))
                self.classes.append(ClassSymbol(Scheme.IPC, spelled, inventive=False, version=edition))

    def _read_ipcr(self, element: etree._Element) -> None:
        self._fixed(element, "classification-ipcr", Scheme.IPC)

    def _read_cpc(self, element: etree._Element) -> None:
        self._fixed(element, "classification-cpc", Scheme.CPC)

    def _fixed(self, element: etree._Element, tag: str, scheme: Scheme) -> None:
        for child in element.iter(tag):
            found = symbols.read_fixed(child.findtext("text") or child.text or "", scheme)
            if found is not None:
                self.classes.append(found)

    def _read_cited(self, element: etree._Element) -> None:
        """B561 (patents) and B562 (literature), each followed by its category (B563) and claims (B564)."""
        current: list[str] = []
        for child in element:
            if child.tag in {"B561", "B562"}:
                self._close_cited(current)
                current = [child.tag, read_text(child), "", ""]
            elif child.tag == "B563" and current:
                current[2] = read_text(child)
            elif child.tag == "B564" and current:
                current[3] = " ".join(filter(None, (current[3], read_text(child))))
        self._close_cited(current)

    def _close_cited(self, item: list[str]) -> None:
        if item and item[1]:
            tag, text, category, claims = item
            number = numbers.read_cited(text) if tag == "B561" else None
            text = "" if number is not None else text
            self.citations.append(Citation(number, text, category, Origin.SEARCH, claims))

    def _read_family(self, element: etree._Element) -> None:
        """Application and publication numbers of parents, divisions and continuations."""
        for group in element.iter(*CODED):
            relation = CODED[group.tag]
            for part in group.iter("anum", "pnum"):
                text = (part.text or "").strip()
                child = next(part.iterancestors("cdoc"), None) is not None
                # B620 lists the parent and, as ``cdoc``, children, whose relation is the other way round.
                if relation in _DIVIDED:
                    relation = Relation.DIVIDED_INTO if child else Relation.DIVISION
                if part.tag == "anum":
                    self.relate(relation, numbers.read_application("EP", text), day=_day_beside(part))
                else:  # the day beside it is the filing day, not that of the publication
                    self.relate(relation, numbers.read_publication("EP", text))

    def _read_international(self, element: etree._Element) -> None:
        """The international application (B861) and its publication (B871)."""
        for part in element.iter("anum", "pnum"):
            text = (part.text or "").strip()
            found = (
                numbers.read_international(text)
                if part.tag == "anum"
                else numbers.read_publication("WO", text)
            )
            self.relate(Relation.PCT, found, day=_day_beside(part))


_CODES: dict[str, Callable[[_FrontPage, etree._Element], None]] = {
    "B140": _FrontPage._read_published,
    "B220": _FrontPage._read_filed,
    "B300": _FrontPage._read_priorities,
    "B430": _FrontPage._read_appeared,
    "B510": _FrontPage._read_old_ipc,
    "B510EP": _FrontPage._read_ipcr,
    "B520EP": _FrontPage._read_cpc,
    "B540": _FrontPage._read_titles,
    "B560": _FrontPage._read_cited,
    "B600": _FrontPage._read_family,
    "B860": _FrontPage._read_international,
    "B870": _FrontPage._read_international,
}


def _day_beside(part: etree._Element) -> date | None:
    """The date beside a number."""
    number = part.getparent()
    document = number.getparent() if number is not None else None
    return numbers.read_date(document.findtext("date")) if document is not None else None


def _read_party(element: etree._Element, role: Role) -> Party | None:
    name = unescape(clean(element.findtext("snm") or ""))
    if not name:
        return None
    return Party(role, name, (element.findtext("adr/ctry") or "").strip())


FORMAT = Format(
    "ep-patent-document",
    sniff,
    read,
    office="EPO",
    kind="XML",
    about="full text v1.0 to v1.5.1",
    roots=frozenset({ROOT}),
)
