"""A document of the sample library as the EPO publishes full text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from lxml import etree

from resources.sample.authored import Class, Document, SourceError
from resources.sample.elements import claim_element, compact_date, dated, lines, serialise, sub, text_element

EP_VERSION = "ep-patent-document-v1-5-1"
EP_STATES = (
    "AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MK MT NL NO PL PT RO RS SE "
    "SI SK SM TR"
)


def ep_document(document: Document) -> str:
    """The document as the EPO publishes full text: A or B document, or an application not yet published."""
    day = compact_date(document.published) if document.published else ""
    stem = f"EP{document.application.split('.', maxsplit=1)[0]}"
    root = etree.Element(
        "ep-patent-document",
        {
            "id": f"{stem}{document.kind}",
            "file": f"{stem}NW{document.kind}.xml",
            "lang": "en",
            "country": "EP",
            "doc-number": document.number,
            "kind": document.kind,
            "date-publ": day,
            "status": "n",
            "dtd-version": EP_VERSION,
        },
    )
    _ep_front_page(root, document)
    if document.abstract:
        abstract = sub(root, "abstract", id="abst", lang="en")
        lines(
            abstract,
            (
                text_element("p", text, "EP", id=f"pa{index:02d}", num=f"{index:04d}")
                for index, text in enumerate(document.abstract, 1)
            ),
        )
    description, cited = _ep_description(document)
    root.append(description)
    claims = sub(root, "claims", id="claims01", lang="en")
    lines(claims, (claim_element(claim, "EP") for claim in document.claims))
    if document.figures:
        drawings = sub(root, "drawings", id="draw", lang="en")
        lines(drawings, (_ep_figure(sheet) for sheet in range(1, document.figures + 1)))
    found = [citation for citation in document.citations if citation["origin"] == "search"]
    if document.kind.startswith("A") and found:
        root.append(_ep_search_report(document, found))
    if cited:
        root.append(_ep_reference_list(cited))
    public = EP_VERSION.removeprefix("ep-patent-document-v").replace("-", ".")
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<!DOCTYPE ep-patent-document PUBLIC "-//EPO//EP PATENT DOCUMENT {public}//EN" "{EP_VERSION}.dtd">\n'
    )
    return head + serialise(root)


def _ep_front_page(root: etree._Element, document: Document) -> None:
    front = sub(root, "SDOBI", lang="en")
    tags = sub(sub(front, "B000"), "eptags")
    sub(tags, "B001EP", EP_STATES.replace(" ", ""))
    sub(tags, "B005EP", "J")
    group = sub(front, "B100")
    sub(group, "B110", document.number)
    subject = "SPECIFICATION" if document.kind.startswith("B") else "APPLICATION"
    sub(sub(group, "B120"), "B121", f"EUROPEAN PATENT {subject}")
    sub(group, "B130", document.kind)
    dated(group, "B140", document.published)
    sub(group, "B190", "EP")
    group = sub(front, "B200")
    sub(group, "B210", document.application)
    dated(group, "B220", document.filed)
    sub(group, "B250", "en")
    sub(group, "B251EP", "en")
    sub(group, "B260", "en")
    if document.priorities:
        group = sub(front, "B300")
        for entry in document.priorities:
            sub(group, "B310", entry["number"])
            dated(group, "B320", entry["date"])
            sub(sub(group, "B330"), "ctry", entry["country"])
    _ep_dates(front, document)
    group = sub(front, "B500")
    _ep_classes(group, document)
    titles = sub(group, "B540")
    for language, title in sorted({**document.titles, "en": document.title}.items()):
        sub(titles, "B541", language)
        sub(titles, "B542", title.upper())
    granted = document.kind.startswith("B")
    _ep_citations(group, (entry for entry in document.citations if granted or entry["origin"] == "search"))
    _ep_parties(front, document)
    states = sub(sub(front, "B800"), "B840")
    for state in EP_STATES.split():
        sub(states, "ctry", state)


def _ep_dates(front: etree._Element, document: Document) -> None:
    if document.published is None:
        return
    group = sub(front, "B400")
    _ep_bulletin(group, "B405", document.published)
    if document.kind.startswith("B"):
        if document.first_published is None:
            raise SourceError(f"{document.path.name}: first_published is missing")
        _ep_bulletin(group, "B430", document.first_published)
        _ep_bulletin(group, "B450", document.published)
    else:
        _ep_bulletin(group, "B430", document.published)


def _ep_bulletin(group: etree._Element, tag: str, value: date) -> None:
    element = sub(group, tag)
    sub(element, "date", compact_date(value))
    year, week, _ = value.isocalendar()
    sub(element, "bnum", f"{year}{week:02d}")


def _ep_classes(group: etree._Element, document: Document) -> None:
    added = compact_date(document.published or document.filed)
    classes = sub(group, "B510EP")
    for place, symbol in enumerate(document.ipc):
        value = f"A{'F' if place == 0 else 'L'}{'I' if symbol.inventive else 'N'}"
        element = sub(classes, "classification-ipcr", sequence=str(place + 1))
        sub(element, "text", _ep_symbol(symbol, "20060101", value, added))
    classes = sub(sub(group, "B520EP"), "classifications-cpc")
    for place, symbol in enumerate(document.cpc):
        value = f" {'F' if place == 0 else 'L'}{'I' if symbol.inventive else 'A'}"
        element = sub(classes, "classification-cpc", sequence=str(place + 1))
        sub(element, "text", _ep_symbol(symbol, "20130101", value, added))


def _ep_symbol(symbol: Class, version: str, value: str, added: str) -> str:
    """The fixed-width form of ST.8: symbol, version, level, position, value, date, status, source, office."""
    place = f"{symbol.section}{symbol.number}{symbol.subclass}{symbol.group:>4}/{symbol.subgroup:<10}"
    return f"{place}{version}{value}{added}BHEP        "


def _ep_citations(group: etree._Element, citations: Iterable[dict[str, Any]]) -> None:
    """The cited documents: patents before literature, each with its category and the claims it concerns."""
    ordered = sorted(citations, key=lambda citation: "npl" in citation)
    if not ordered:
        return
    cited = sub(group, "B560")
    for citation in ordered:
        if "npl" in citation:
            sub(sub(cited, "B562"), "text", citation["npl"])
        else:
            country, number, kind = citation["document"].split()
            sub(sub(cited, "B561"), "text", f"{country}-{kind}- {_grouped(number)}")
        if "category" in citation:
            sub(cited, "B563", citation["category"])
        if "claims" in citation:
            sub(cited, "B564", citation["claims"])


def _grouped(number: str) -> str:
    return f"{int(number):,}".replace(",", " ")


def _ep_parties(front: etree._Element, document: Document) -> None:
    group = sub(front, "B700")
    granted = document.kind.startswith("B")
    if not granted:
        applicants = sub(group, "B710")
        for party in document.applicants:
            _ep_party(sub(applicants, "B711"), party)
    inventors = sub(group, "B720")
    for party in document.inventors:
        _ep_party(sub(inventors, "B721"), party)
    if granted:
        proprietors = sub(group, "B730")
        for party in document.applicants:
            _ep_party(sub(proprietors, "B731"), party)
    if document.agents:
        agents = sub(group, "B740")
        for party in document.agents:
            _ep_party(sub(agents, "B741"), party)


def _ep_party(element: etree._Element, party: dict[str, str]) -> None:
    sub(element, "snm", party["name"] if "name" in party else f"{party['last'].upper()}, {party['first']}")
    address = sub(element, "adr")
    if "street" in party:
        sub(address, "str", party["street"])
    sub(address, "city", party["city"])
    sub(address, "ctry", party["country"])


def _ep_description(document: Document) -> tuple[etree._Element, list[tuple[str, int]]]:
    """The description and the publications it names, each with its paragraph number."""
    description = etree.Element("description", {"id": "desc", "lang": "en"})
    description.text = "\n"
    cited: list[tuple[str, int]] = []
    number = 0
    headings = 0
    for section in document.sections:
        if section.heading:
            headings += 1
            heading = sub(description, "heading", id=f"h{headings:04d}")
            sub(heading, "b", section.heading)
            heading.tail = "\n"
        for text in section.paragraphs:
            number += 1
            paragraph = text_element("p", text, "EP", number, cited, id=f"p{number:04d}", num=f"{number:04d}")
            paragraph.tail = "\n"
            description.append(paragraph)
    return description, cited


def ep_picture(sheet: int) -> str:
    """The name of the picture of a drawing sheet, from 1; all documents have the same names."""
    return f"imgf{sheet:04d}.tif"


def _ep_figure(sheet: int) -> etree._Element:
    figure = etree.Element("figure", {"id": f"f{sheet:04d}", "num": str(sheet)})
    sub(
        figure,
        "img",
        id=f"if{sheet:04d}",
        file=ep_picture(sheet),
        wi="150",
        he="220",
        img_content="drawing",
        img_format="tif",
    )
    return figure


def _ep_search_report(document: Document, found: list[dict[str, Any]]) -> etree._Element:
    report = etree.Element(
        "search-report-data", {"id": "srep", "lang": "en", "srep-office": "EP", "date-produced": ""}
    )
    publication = sub(report, "srep-for-pub")
    sub(sub(publication, "srep-fields-searched"), "minimum-documentation")
    citations = sub(publication, "srep-citations")
    for place, entry in enumerate(found, 1):
        citation = sub(citations, "citation", id=f"sr-cit{place:04d}")
        if "npl" in entry:
            sub(sub(citation, "nplcit", id=f"sr-ncit{place:04d}", num=f"{place:04d}"), "text", entry["npl"])
        else:
            country, number, kind = entry["document"].split()
            cited = sub(citation, "patcit", id=f"sr-pcit{place:04d}", dnum=f"{country}{number}{kind}")
            identity = sub(cited, "document-id")
            sub(identity, "country", country)
            sub(identity, "doc-number", number)
            sub(identity, "kind", kind)
            if "name" in entry:
                sub(identity, "name", entry["name"])
            if "date" in entry:
                sub(identity, "date", compact_date(entry["date"]))
        if "passage" in entry:
            sub(sub(citation, "rel-passage"), "passage", f"* {entry['passage']} *")
        sub(citation, "category", entry["category"])
        if "claims" in entry:
            sub(citation, "rel-claims", entry["claims"])
    etree.indent(report, space="")
    return report


def _ep_reference_list(cited: list[tuple[str, int]]) -> etree._Element:
    references = etree.Element("ep-reference-list", {"id": "ref-list"})
    sub(sub(references, "heading", id="ref-h0001"), "b", "REFERENCES CITED IN THE DESCRIPTION")
    listing = sub(sub(references, "p", id="ref-p0001", num=""), "ul", id="ref-ul0001", list_style="bullet")
    for place, (publication, number) in enumerate(cited, 1):
        item = sub(listing, "li")
        entry = sub(item, "patcit", id=f"ref-pcit{place:04d}", dnum=publication)
        identity = sub(entry, "document-id")
        sub(identity, "country", publication[:2])
        sub(identity, "doc-number", publication[2:-2])
        sub(identity, "kind", publication[-2:])
        sub(item, "crossref", f"[{number:04d}]", idref=f"pcit{place:04d}")
    etree.indent(references, space="")
    return references
