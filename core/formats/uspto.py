"""What grants and applications of the USPTO share in v4.0 to v4.7: the front page and the body."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from lxml import etree

from core.errors import ParseError
from core.formats import numbers, symbols
from core.formats.body import DETAILED_MARK, abstract_of, claims_of, description_of
from core.formats.parties import addressbook_party, dedupe
from core.formats.text import clean, flatten, text_of
from core.formats.xml import line_of, parse
from core.types import (
    Citation,
    Claim,
    ClassSymbol,
    LocalText,
    Origin,
    Paragraph,
    Party,
    Patent,
    Priority,
    PublicationNumber,
    Role,
    Scheme,
    Source,
)

_DETAILED_START = re.compile(rb'<\?(?:DETDESC|detailed-description)\s[^>]*end="lead"\s*\?>')
"""Processing instructions never enter the tree; this one says what one grant in twelve has no heading for."""
_ORIGINS = {"cited by examiner": Origin.EXAMINER, "cited by applicant": Origin.APPLICANT}
_PARTY_GROUPS = {
    "applicants": Role.APPLICANT,
    "us-applicants": Role.APPLICANT,
    "inventors": Role.INVENTOR,
    "agents": Role.AGENT,
    "assignees": Role.ASSIGNEE,
}


def read_uspto(document: bytes, source: Source) -> Patent:
    """A grant or an application; raises `ParseError`."""
    root = parse(_DETAILED_START.sub(f"<{DETAILED_MARK}/>".encode(), document))
    flatten(root)
    language = root.get("lang", "EN").lower()[:2]
    page: _FrontPage | None = None
    abstracts: tuple[LocalText, ...] = ()
    description: tuple[Paragraph, ...] = ()
    claims: tuple[Claim, ...] = ()
    for child in root:
        tag = child.tag
        if tag.startswith("us-bibliographic-data"):
            page = _FrontPage(child, language)
        elif tag == "abstract":
            abstracts += tuple(filter(None, [abstract_of(child, language)]))
        elif tag == "description":
            description += description_of(child, language)
        elif tag == "claims":
            claims += claims_of(child, language)
    if page is None or page.publication is None:
        raise ParseError("no publication number on the front page", line=line_of(root))
    return Patent(
        publication=page.publication,
        source=source,
        published=page.published,
        application=page.application,
        filed=page.filed,
        language=language,
        titles=tuple(page.titles),
        abstracts=abstracts,
        claims=claims,
        description=description,
        classes=symbols.unique(page.classes),
        citations=tuple(page.citations),
        parties=dedupe(page.parties),
        priorities=tuple(dict.fromkeys(page.priorities)),
        related=tuple(n for n in dict.fromkeys(page.related) if n not in page.own),
    )


class _FrontPage:
    """The bibliographic data, read in one walk over the groups of the front page."""

    def __init__(self, front: etree._Element, language: str) -> None:
        self.publication: PublicationNumber | None = None
        self.published: date | None = None
        self.application: PublicationNumber | None = None
        self.filed: date | None = None
        self.titles: list[LocalText] = []
        self.classes: list[ClassSymbol] = []
        self.citations: list[Citation] = []
        self.parties: list[Party | None] = []
        self.priorities: list[Priority] = []
        self.related: list[PublicationNumber] = []
        self._language = language
        for child in front:
            reader = _GROUPS.get(child.tag)
            if reader is not None:
                reader(self, child)

    @property
    def own(self) -> tuple[PublicationNumber | None, ...]:
        return (self.publication, self.application)

    def _publication(self, element: etree._Element) -> None:
        item = _DocumentId(element.find("document-id"))
        self.publication = item.publication()
        self.published = numbers.parse_date(item.date)

    def _application(self, element: etree._Element) -> None:
        item = _DocumentId(element.find("document-id"))
        self.application = item.application()
        self.filed = numbers.parse_date(item.date)

    def _title(self, element: etree._Element) -> None:
        text = text_of(element)
        if text:
            self.titles.append(LocalText(text, element.get("lang", self._language).lower()[:2]))

    def _ipcr(self, element: etree._Element) -> None:
        self.classes.extend(_parts_symbol(child, Scheme.IPC) for child in element)

    def _cpc(self, element: etree._Element) -> None:
        main = element.find("main-cpc")
        for child in element.iter("classification-cpc"):
            first = main is not None and child.getparent() is main
            self.classes.append(_parts_symbol(child, Scheme.CPC, first=first))

    def _ipc(self, element: etree._Element) -> None:
        edition = (element.findtext("edition") or "").strip().lstrip("0")
        for child in element:
            main = child.tag.endswith("-classification")
            if main or child.tag in {"additional-info", "unlinked-indexing-code"}:
                spelled = symbols.symbol(child.text or "")
                self.classes.append(
                    ClassSymbol(Scheme.IPC, spelled, main, child.tag.startswith("main"), edition)
                )

    def _national(self, element: etree._Element) -> None:
        for child in element:
            if child.tag.endswith("-classification") and (child.text or "").strip():
                spelled = symbols.national_us(child.text or "")
                self.classes.append(ClassSymbol(Scheme.OTHER, spelled, first=child.tag.startswith("main")))

    def _locarno(self, element: etree._Element) -> None:
        edition = (element.findtext("edition") or "").strip()
        for child in element:
            if child.tag.endswith("-classification") and (child.text or "").strip():
                first = child.tag.startswith("main")
                spelled = symbols.locarno(child.text or "")
                self.classes.append(ClassSymbol(Scheme.OTHER, spelled, first=first, version=edition))

    def _references(self, element: etree._Element) -> None:
        etree.strip_tags(element, "sub", "sup")  # in a reference they are letters, no formulas
        self.citations.extend(filter(None, map(_citation, element)))

    def _party_group(self, element: etree._Element) -> None:
        role = _PARTY_GROUPS[element.tag]
        for child in element:
            party = addressbook_party(child, role)
            self.parties.append(party)
            if party is not None and child.get("app-type") == "applicant-inventor":
                self.parties.append(Party(Role.INVENTOR, party.name, party.country))

    def _parties(self, element: etree._Element) -> None:
        for child in element:
            if child.tag in _PARTY_GROUPS:
                self._party_group(child)

    def _examiners(self, element: etree._Element) -> None:
        self.parties.extend(addressbook_party(child, Role.EXAMINER) for child in element)

    def _priority_claims(self, element: etree._Element) -> None:
        for child in element:
            item = _DocumentId(child if child.find("document-id") is None else child.find("document-id"))
            self._add_priority(item)

    def _add_priority(self, item: _DocumentId) -> None:
        if item.number:
            day = numbers.parse_date(item.date)
            self.priorities.append(Priority(item.country.upper(), item.number, day))

    def _related(self, element: etree._Element) -> None:
        for group in element:
            for document in group.iter("document-id"):
                above = document.getparent()
                place = above.tag if above is not None else ""
                item = _DocumentId(document)
                if place == "us-provisional-application":
                    self._add_priority(item)
                if place != "child-doc":
                    published = place in {"related-publication", "parent-grant-document"}
                    self._add_related(item.publication() if published else item.application())

    def _regional(self, element: etree._Element) -> None:
        item = _DocumentId(element.find("document-id"))
        published = element.tag == "pct-or-regional-publishing-data"
        self._add_related(item.publication() if published else item.application())

    def _add_related(self, number: PublicationNumber | None) -> None:
        if number is not None:
            self.related.append(number)


_GROUPS: dict[str, Callable[[_FrontPage, etree._Element], None]] = {
    "publication-reference": _FrontPage._publication,
    "application-reference": _FrontPage._application,
    "invention-title": _FrontPage._title,
    "classifications-ipcr": _FrontPage._ipcr,
    "classifications-cpc": _FrontPage._cpc,
    "classification-ipc": _FrontPage._ipc,
    "classification-national": _FrontPage._national,
    "classification-locarno": _FrontPage._locarno,
    "references-cited": _FrontPage._references,
    "us-references-cited": _FrontPage._references,
    "parties": _FrontPage._parties,
    "us-parties": _FrontPage._parties,
    "assignees": _FrontPage._party_group,
    "examiners": _FrontPage._examiners,
    "priority-claims": _FrontPage._priority_claims,
    "us-related-documents": _FrontPage._related,
    "pct-or-regional-filing-data": _FrontPage._regional,
    "pct-or-regional-publishing-data": _FrontPage._regional,
}


class _DocumentId:
    """The fields of a ``document-id``."""

    __slots__ = ("country", "date", "kind", "name", "number")

    def __init__(self, element: etree._Element | None) -> None:
        fields = _fields(element) if element is not None else {}
        self.country = fields.get("country", "").strip()
        self.number = " ".join(fields.get("doc-number", "").split())
        self.kind = fields.get("kind", "").strip()
        self.date = fields.get("date", "").strip()
        self.name = fields.get("name", "")

    def publication(self) -> PublicationNumber | None:
        return numbers.publication(self.country, self.number, self.kind, year=self.date[:4])

    def application(self) -> PublicationNumber | None:
        return numbers.application(self.country, self.number)


def _fields(element: etree._Element) -> dict[str, str]:
    """Tag and raw text of each child; the hottest line of a grant with hundreds of citations."""
    return {child.tag: child.text or "" for child in element}


def _parts_symbol(element: etree._Element, scheme: Scheme, *, first: bool = False) -> ClassSymbol:
    values: dict[str, str] = {}
    for child in element:
        tag = child.tag
        if tag.endswith("-version-indicator"):
            values["version"] = text_of(child)
        else:
            values[tag] = (child.text or "").strip()
    value = values.get("classification-value", "")
    return ClassSymbol(
        scheme,
        symbols.joined(
            values.get("section", ""),
            values.get("class", ""),
            values.get("subclass", ""),
            values.get("main-group", ""),
            values.get("subgroup", ""),
        ),
        inventive=value == "I" if value else None,
        first=first or (scheme is Scheme.IPC and values.get("symbol-position") == "F"),
        version=values.get("version", ""),
    )


def _citation(element: etree._Element) -> Citation | None:
    number: PublicationNumber | None = None
    category = text = claims = passage = ""
    for child in element:
        tag = child.tag
        if tag == "patcit":
            if len(child):
                item = _DocumentId(child[0])
                number, text = item.publication(), clean(item.name)
            if number is None:
                text = text_of(child)
        elif tag == "nplcit":
            text = text_of(child)
        elif tag == "category":
            category = (child.text or "").strip()
        elif tag == "rel-claims":
            claims = text_of(child)
        elif tag == "rel-passage":
            passage = text_of(child)
    if number is None and not text:
        return None
    origin = _ORIGINS.get(category.lower(), Origin.OTHER)
    return Citation(number, text, category, origin, claims, passage)
