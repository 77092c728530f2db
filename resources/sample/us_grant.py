"""A document of the sample library as the USPTO publishes a grant."""

from __future__ import annotations

from datetime import date
from typing import Any

from lxml import etree

from resources.sample.authored import US_PARTS, Class, Document, SourceError
from resources.sample.elements import claim_element, compact_date, dated, lines, serialise, sub, text_element

US_DTD = "us-patent-grant-v45-2014-04-03.dtd"
US_PART_TITLES = {"BRFSUM": "Brief Summary", "DETDESC": "Detailed Description"}


def us_grant(document: Document) -> str:
    """The document as the USPTO publishes a grant, with its own XML declaration."""
    published = _required_date(document)
    root = etree.Element(
        "us-patent-grant",
        {
            "lang": "EN",
            "dtd-version": "v4.5 2014-04-03",
            "file": f"US{document.number}-{compact_date(published)}.XML",
            "status": "PRODUCTION",
            "id": "us-patent-grant",
            "country": "US",
            "date-produced": compact_date(published),
            "date-publ": compact_date(published),
        },
    )
    _us_front_page(root, document, published)
    abstract = sub(root, "abstract", id="abstract")
    lines(
        abstract,
        (
            text_element("p", text, "US", id=f"p-{place:04d}", num="0000")
            for place, text in enumerate(document.abstract, 1)
        ),
    )
    if document.figures:
        drawings = sub(root, "drawings", id="DRAWINGS")
        lines(drawings, (_us_figure(document, sheet) for sheet in range(document.figures + 1)))
    root.append(_us_description(document))
    sub(root, "us-claim-statement", "What is claimed is:" if len(document.claims) > 1 else "I claim:")
    claims = sub(root, "claims", id="claims")
    lines(claims, (claim_element(claim, "US") for claim in document.claims))
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE us-patent-grant SYSTEM "{US_DTD}" [ ]>\n'
    return head + serialise(root)


def _required_date(document: Document) -> date:
    if document.published is None:
        raise SourceError(f"{document.path.name}: published is missing")
    return document.published


def _us_publication(
    parent: etree._Element, number: str, kind: str, day: date | None, country: str = "US"
) -> None:
    identity = sub(parent, "document-id")
    sub(identity, "country", country)
    sub(identity, "doc-number", number)
    if kind:
        sub(identity, "kind", kind)
    if day:
        sub(identity, "date", compact_date(day))


def _us_front_page(root: etree._Element, document: Document, published: date) -> None:
    front = sub(root, "us-bibliographic-data-grant")
    _us_publication(sub(front, "publication-reference"), document.number, document.kind, published)
    _us_publication(
        sub(front, "application-reference", appl_type="utility"), document.application, "", document.filed
    )
    sub(front, "us-application-series-code", document.application[:2])
    foreign = [entry for entry in document.priorities if entry["country"] != "US"]
    if foreign:
        claims = sub(front, "priority-claims")
        for sequence, entry in enumerate(foreign, 1):
            kind = "regional" if entry["country"] == "EP" else "national"
            claim = sub(claims, "priority-claim", sequence=f"{sequence:02d}", kind=kind)
            sub(claim, "country", entry["country"])
            sub(claim, "doc-number", entry["number"])
            sub(claim, "date", compact_date(entry["date"]))
    classes = sub(front, "classifications-ipcr")
    for place, symbol in enumerate(document.ipc):
        _us_class(classes, symbol, published, "ipcr", first=place == 0)
    classes = sub(front, "classifications-cpc")
    _us_class(sub(classes, "main-cpc"), document.cpc[0], published, "cpc", first=True)
    if document.cpc[1:]:
        further = sub(classes, "further-cpc")
        for symbol in document.cpc[1:]:
            _us_class(further, symbol, published, "cpc", first=False)
    sub(front, "invention-title", document.title, id="d2e43")
    if document.citations:
        references = sub(front, "us-references-cited")
        for place, citation in enumerate(document.citations, 1):
            _us_citation(references, citation, place)
    sub(front, "number-of-claims", str(len(document.claims)))
    sub(front, "us-exemplary-claim", "1")
    search = sub(front, "us-field-of-classification-search")
    for symbol in document.cpc:
        sub(search, "classification-cpc-text", symbol.symbol)
    if document.figures:
        figures = sub(front, "figures")
        sub(figures, "number-of-drawing-sheets", str(document.figures))
        sub(figures, "number-of-figures", str(document.figures))
    provisional = [entry for entry in document.priorities if entry["country"] == "US"]
    if provisional:
        related = sub(front, "us-related-documents")
        for entry in provisional:
            _us_publication(sub(related, "us-provisional-application"), entry["number"], "", entry["date"])
    _us_parties(front, document)
    etree.indent(front, space="")


def _us_class(parent: etree._Element, symbol: Class, published: date, scheme: str, *, first: bool) -> None:
    element = sub(parent, f"classification-{scheme}")
    cpc = scheme == "cpc"
    dated(
        element,
        "cpc-version-indicator" if cpc else "ipc-version-indicator",
        date(2013 if cpc else 2006, 1, 1),
    )
    if not cpc:
        sub(element, "classification-level", "A")
    sub(element, "section", symbol.section)
    sub(element, "class", symbol.number)
    sub(element, "subclass", symbol.subclass)
    sub(element, "main-group", symbol.group)
    sub(element, "subgroup", symbol.subgroup)
    sub(element, "symbol-position", "F" if first else "L")
    sub(element, "classification-value", "I" if symbol.inventive else "A" if cpc else "N")
    dated(element, "action-date", published)
    sub(sub(element, "generating-office"), "country", "US")
    sub(element, "classification-status", "B")
    sub(element, "classification-data-source", "H")
    if cpc:
        sub(element, "scheme-origination-code", "C")


def _us_citation(parent: etree._Element, citation: dict[str, Any], place: int) -> None:
    element = sub(parent, "us-citation")
    if "npl" in citation:
        sub(sub(element, "nplcit", num=f"{place:05d}"), "othercit", citation["npl"])
    else:
        country, number, kind = citation["document"].split()
        identity = sub(sub(element, "patcit", num=f"{place:05d}"), "document-id")
        sub(identity, "country", country)
        sub(identity, "doc-number", number if country == "US" else f"{country} {number}")
        sub(identity, "kind", kind)
        if "name" in citation:
            sub(identity, "name", citation["name"])
        if "date" in citation:
            sub(identity, "date", f"{citation['date']:%Y%m}00")
    sub(element, "category", f"cited by {citation['origin']}")


def _us_parties(front: etree._Element, document: Document) -> None:
    parties = sub(front, "us-parties")
    applicants = sub(parties, "us-applicants")
    for sequence, party in enumerate(document.applicants, 1):
        applicant = sub(
            applicants,
            "us-applicant",
            sequence=f"{sequence:03d}",
            app_type="applicant",
            designation="us-only",
            applicant_authority_category="assignee",
        )
        _us_address(sub(applicant, "addressbook"), party)
        sub(sub(applicant, "residence"), "country", party["country"])
    inventors = sub(parties, "inventors")
    for sequence, party in enumerate(document.inventors, 1):
        inventor = sub(inventors, "inventor", sequence=f"{sequence:03d}", designation="us-only")
        _us_address(sub(inventor, "addressbook"), party)
    if document.agents:
        agents = sub(parties, "agents")
        for sequence, party in enumerate(document.agents, 1):
            agent = sub(agents, "agent", sequence=f"{sequence:02d}", rep_type="attorney")
            _us_address(sub(agent, "addressbook"), party)
    assignees = sub(front, "assignees")
    for party in document.applicants:
        role = "02" if party["country"] == "US" else "03"
        _us_address(sub(sub(assignees, "assignee"), "addressbook"), party, role)
    if document.examiner:
        examiner = sub(sub(front, "examiners"), "primary-examiner")
        sub(examiner, "last-name", document.examiner["last"])
        sub(examiner, "first-name", document.examiner["first"])


def _us_address(book: etree._Element, party: dict[str, str], role: str = "") -> None:
    if "name" in party:
        sub(book, "orgname", party["name"])
    else:
        sub(book, "last-name", party["last"])
        sub(book, "first-name", party["first"])
    if role:
        sub(book, "role", role)
    address = sub(book, "address")
    for key in ("city", "state", "country"):
        if key in party:
            sub(address, key, party[key])


def us_picture(document: Document, sheet: int) -> str:
    """The name of the picture of a drawing sheet, from 1; 0 is the drawing of the front page."""
    return f"US{document.number}-{compact_date(_required_date(document))}-D{sheet:05d}.TIF"


def _us_figure(document: Document, sheet: int) -> etree._Element:
    figure = etree.Element("figure", {"id": f"Fig-EMI-D{sheet:05d}", "num": f"{sheet:05d}"})
    sub(
        figure,
        "img",
        id=f"EMI-D{sheet:05d}",
        he="220.00mm",
        wi="150.00mm",
        file=us_picture(document, sheet),
        alt="embedded image",
        img_content="drawing",
        img_format="tif",
    )
    etree.indent(figure, space="")
    return figure


def _us_description(document: Document) -> etree._Element:
    description = etree.Element("description", {"id": "description"})
    description.text = "\n"
    number = 0
    part = ""
    for place, section in enumerate(document.sections, 1):
        wanted = US_PARTS[section.kind]
        if wanted != part:
            _us_part(description, part, "tail")
            _us_part(description, wanted, "lead")
            part = wanted
        parent = description
        if section.kind == "drawings":
            parent = sub(description, "description-of-drawings")
            parent.text = parent.tail = "\n"
        if section.heading:
            heading = sub(parent, "heading", section.heading, id=f"h-{place:04d}", level="1")
            heading.tail = "\n"
        for text in section.paragraphs:
            number += 1
            paragraph = text_element(
                "p", text, "US", id=f"p-{len(document.abstract) + number:04d}", num=f"{number:04d}"
            )
            paragraph.tail = "\n"
            parent.append(paragraph)
    _us_part(description, part, "tail")
    return description


def _us_part(description: etree._Element, part: str, end: str) -> None:
    """Marks where one of the office's parts of the description begins or ends."""
    if not part:
        return
    target, title = part, US_PART_TITLES.get(part, "")
    if part == "DRAWINGS":
        target, title = "brief-description-of-drawings", "Brief Description of Drawings"
    mark = etree.ProcessingInstruction(target, f'description="{title}" end="{end}"')
    mark.tail = "\n"
    description.append(mark)
