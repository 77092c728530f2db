"""Search reports as XML, with the elements of WIPO ST.36: ``search-report-data`` with ``srep-citations``.

Only what the report knows is written: an approval of title or abstract, a drawing for publication and the
name of an examiner are the office's to add. ``docs/schemas/search-report.dtd`` has the elements used.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from lxml import etree

from claimlight.services.reports.layout import claim_ranges, clean
from claimlight.types import (
    CitedPassage,
    ClaimCitation,
    PublicationNumber,
    Report,
    ReportDocument,
    RuleSet,
    Scheme,
    plural,
)

_OFFICES = {RuleSet.EPC: "EP", RuleSet.US: "US"}


def write_search_report_xml(report: Report) -> bytes:
    """The file as bytes, in UTF-8."""
    root = etree.Element("search-report-data")
    root.set("id", "srep")
    root.set("lang", "en")
    root.set("srep-office", _OFFICES[report.application.rules])
    root.set("date-produced", _day(report.made.date()))
    _add_information(root, report)
    body = etree.SubElement(root, "srep-for-pub")
    _add_fields(body, report)
    citations = etree.SubElement(body, "srep-citations")
    for number, document in enumerate(report.documents, 1):
        cited = report.citations_of(document)
        if cited:
            _add_citation(citations, number, document, cited)
    if not len(citations):
        _add(citations, "text", "No document is cited.")
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_information(root: etree._Element, report: Report) -> None:
    about = report.application
    number = about.application or about.publication
    if number is None:
        return
    information = etree.SubElement(root, "srep-info")
    _add(information, "file-reference-id", f"{report.case} {report.name}")
    reference = etree.SubElement(information, "application-reference")
    _add_number(reference, number, about.filed)
    if about.priority is not None:
        _add(etree.SubElement(information, "date-of-earliest-priority"), "date", _day(about.priority))
    _add(etree.SubElement(information, "applicant-name"), "name", about.applicant)
    title = etree.SubElement(information, "srep-invention-title")
    # The default is "yes": an approval that nobody gave.
    title.set("title-approval", "no")
    if about.title:
        _add(title, "invention-title", about.title)
    etree.SubElement(information, "srep-abstract").set("abs-approval", "no")
    etree.SubElement(information, "srep-figure-to-publish").set("figinfo", "none")
    etree.SubElement(information, "srep-info-admin")


def _add_fields(body: etree._Element, report: Report) -> None:
    fields = etree.SubElement(body, "srep-fields-searched")
    minimum = etree.SubElement(fields, "minimum-documentation")
    accepted = [(item.scheme, item.symbol) for item in report.fields.accepted]
    restricted = [(item.scheme, item.symbol) for item in report.fields.restricted]
    distinct = tuple(dict.fromkeys((*accepted, *restricted)))
    ipc = [symbol for scheme, symbol in distinct if scheme is Scheme.IPC]
    if ipc:
        classes = etree.SubElement(minimum, "classifications-ipcr")
        for symbol in ipc:
            _add(etree.SubElement(classes, "classification-ipcr"), "text", symbol)
    for scheme, symbol in distinct:
        if scheme is not Scheme.IPC:
            _add(fields, "other-documentation", f"{scheme.upper()} {symbol}")
    libraries = {step.library: step.library_documents for step in report.strategy.steps}
    if libraries:
        searched = "; ".join(
            f"{Path(folder).name} ({plural(documents, 'document')})"
            for folder, documents in libraries.items()
        )
        _add(etree.SubElement(fields, "database-searched"), "text", searched)


def _add_citation(
    parent: etree._Element,
    number: int,
    document: ReportDocument,
    cited: tuple[tuple[int, ClaimCitation], ...],
) -> None:
    citation = etree.SubElement(parent, "citation")
    citation.set("id", f"sr-cit{number:04}")
    patent = etree.SubElement(citation, "patcit")
    patent.set("num", f"{number:04}")
    patent.set("dnum", str(document.publication))
    patent.set("dnum-type", "publication number")
    name = "; ".join(document.applicants)
    _add_number(patent, document.publication, document.published, name)
    for letters in dict.fromkeys(item.letters for _, item in cited):
        own = [(claim, item) for claim, item in cited if item.letters == letters]
        for passage in _distinct([passage for _, item in own for passage in item.passages]):
            _add(etree.SubElement(citation, "rel-passage"), "passage", passage)
        _add(citation, "category", letters)
        if claims := claim_ranges(claim for claim, _ in own if claim):
            _add(citation, "rel-claims", claims)


def _distinct(passages: list[CitedPassage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.label for item in passages))


def _add_number(parent: etree._Element, number: PublicationNumber, day: date | None, name: str = "") -> None:
    identity = etree.SubElement(parent, "document-id")
    _add(identity, "country", number.country)
    _add(identity, "doc-number", number.number)
    if number.kind:
        _add(identity, "kind", number.kind)
    if name:
        _add(identity, "name", name)
    if day is not None:
        _add(identity, "date", _day(day))


def _add(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = clean(text)


def _day(day: date) -> str:
    """``20260131``, as the offices write days."""
    return day.strftime("%Y%m%d")
