"""Turns the authored sources of the sample library into the XML that the offices would publish.

Run as a script it rewrites ``xml/`` and ``application.xml`` beside it; `build` writes the same files
elsewhere. The source format is described in ``source/README.md``.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "source"
US_DTD = "us-patent-grant-v45-2014-04-03.dtd"
EP_VERSION = "ep-patent-document-v1-5-1"
EP_STATES = (
    "AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MK MT NL NO PL PT RO RS SE "
    "SI SK SM TR"
)
US_PARTS = {
    "field": "BRFSUM",
    "background": "BRFSUM",
    "summary": "BRFSUM",
    "drawings": "DRAWINGS",
    "detailed": "DETDESC",
    "other": "BRFSUM",
}
US_PART_TITLES = {"BRFSUM": "Brief Summary", "DETDESC": "Detailed Description"}
PUBLICATION = re.compile(r"\b(EP|US|WO) (\d{7,11}) ([AB]\d)\b")
FIGURE = re.compile(r"\b((?:FIG|Fig)s?\. |(?:Figure|FIGURE)s? |FIGS\. )(\d+)([A-Za-z]?)\b")
CLAIM_NUMBERS = re.compile(r"\b[Cc]laims? (\d+)((?:(?:, | to | and | or | or claim )\d+)*)")
ELEMENT = re.compile(r"(-{1,2}) +(.*)")
SUBSCRIPT = re.compile(r"~([^~\s]+)~")
SUPERSCRIPT = re.compile(r"\^([^^\s]+)\^")
TRAILING = re.compile(r"(, | to | and | or | or claim )(\d+)")


class SourceError(ValueError):
    """A source file that can't be turned into a document; names the file."""


@dataclass(frozen=True, slots=True)
class Class:
    """One classification symbol, taken apart as the offices store it."""

    section: str
    number: str
    subclass: str
    group: str
    subgroup: str
    inventive: bool

    @property
    def symbol(self) -> str:
        return f"{self.section}{self.number}{self.subclass} {self.group}/{self.subgroup}"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its lines with their nesting depth (0 for the preamble)."""

    number: int
    parents: tuple[int, ...]
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A run of description paragraphs under one heading."""

    kind: str
    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One authored publication."""

    path: Path
    office: str
    number: str
    kind: str
    published: date | None
    filed: date
    application: str
    title: str
    abstract: tuple[str, ...]
    claims: tuple[Claim, ...]
    sections: tuple[Section, ...]
    cpc: tuple[Class, ...]
    ipc: tuple[Class, ...]
    family: str
    figures: int
    first_published: date | None
    titles: dict[str, str] = field(default_factory=dict)
    priorities: tuple[dict[str, Any], ...] = ()
    applicants: tuple[dict[str, str], ...] = ()
    inventors: tuple[dict[str, str], ...] = ()
    agents: tuple[dict[str, str], ...] = ()
    examiner: dict[str, str] = field(default_factory=dict)
    citations: tuple[dict[str, Any], ...] = ()

    @property
    def publication(self) -> str:
        """The canonical publication number, e.g. ``EP9000123A1``."""
        return f"{self.office}{self.number}{self.kind}"


def read_document(path: Path) -> Document:
    """The document authored in ``path``; `SourceError` where the source breaks its own rules."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SourceError(f"{path.name}: {error}") from error
    try:
        document = Document(
            path=path,
            office=raw["office"],
            number=raw["number"],
            kind=raw["kind"],
            published=raw.get("published"),
            filed=raw["filed"],
            application=raw["application"],
            title=raw["title"],
            abstract=_paragraphs(raw.get("abstract", "")),
            claims=tuple(_claim(path, entry) for entry in raw["claims"]),
            sections=tuple(
                Section(entry["kind"], entry["heading"], _paragraphs(entry["text"]))
                for entry in raw["sections"]
            ),
            cpc=tuple(_class(path, text) for text in raw["cpc"]),
            ipc=tuple(_class(path, text) for text in raw["ipc"]),
            family=raw["family"],
            figures=raw["figures"],
            first_published=raw.get("first_published"),
            titles={language: raw[f"title_{language}"] for language in ("de", "fr") if raw["office"] == "EP"},
            priorities=tuple(raw.get("priorities", ())),
            applicants=tuple(raw["applicants"]),
            inventors=tuple(raw["inventors"]),
            agents=tuple(raw.get("agents", ())),
            examiner=raw.get("examiner", {}),
            citations=tuple(raw.get("citations", ())),
        )
    except KeyError as error:
        raise SourceError(f"{path.name}: {error.args[0]} is missing") from error
    _check(document)
    return document


def read_library(sources: Path = SOURCES) -> list[Document]:
    """All library documents under ``sources``, by publication number; families are checked."""
    documents = sorted(
        (read_document(path) for path in sources.glob("*/*.toml")), key=lambda document: document.publication
    )
    seen: dict[str, Document] = {}
    families: dict[str, list[Document]] = {}
    for document in documents:
        other = seen.setdefault(document.publication, document)
        if other is not document:
            raise SourceError(f"{document.path.name} and {other.path.name} are both {document.publication}")
        families.setdefault(document.family, []).append(document)
    for family, members in families.items():
        roots = [
            {str(entry["number"]) for entry in member.priorities} | {member.application} for member in members
        ]
        if not set.intersection(*roots):
            raise SourceError(f"family {family}: members share neither a priority nor an application")
    return documents


def build(target: Path, sources: Path = SOURCES) -> list[Path]:
    """Writes the XML of all sources below ``target`` and returns the files, sorted."""
    folder = target / "xml"
    folder.mkdir(parents=True, exist_ok=True)
    documents = read_library(sources)
    files = {
        folder / "us-grants.xml": "".join(
            us_grant(document) for document in documents if document.office == "US"
        ),
        target / "application.xml": ep_document(read_document(sources / "application.toml")),
    }
    for document in documents:
        if document.office == "EP":
            files[folder / f"{document.publication}.xml"] = ep_document(document)
    for stale in set(folder.glob("*.xml")) - set(files):
        stale.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return sorted(files)


def us_grant(document: Document) -> str:
    """The document as the USPTO publishes a grant, with its own XML declaration."""
    published = _required_date(document)
    root = etree.Element(
        "us-patent-grant",
        {
            "lang": "EN",
            "dtd-version": "v4.5 2014-04-03",
            "file": f"US{document.number}-{_day(published)}.XML",
            "status": "PRODUCTION",
            "id": "us-patent-grant",
            "country": "US",
            "date-produced": _day(published),
            "date-publ": _day(published),
        },
    )
    _us_front_page(root, document, published)
    abstract = _sub(root, "abstract", id="abstract")
    _lines(
        abstract,
        (
            _text("p", text, "US", id=f"p-{place:04d}", num="0000")
            for place, text in enumerate(document.abstract, 1)
        ),
    )
    if document.figures:
        drawings = _sub(root, "drawings", id="DRAWINGS")
        _lines(drawings, (_us_figure(document, published, sheet) for sheet in range(document.figures + 1)))
    root.append(_us_description(document))
    _sub(root, "us-claim-statement", "What is claimed is:" if len(document.claims) > 1 else "I claim:")
    claims = _sub(root, "claims", id="claims")
    _lines(claims, (_claim_element(claim, "US") for claim in document.claims))
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE us-patent-grant SYSTEM "{US_DTD}" [ ]>\n'
    return head + _serialise(root)


def ep_document(document: Document) -> str:
    """The document as the EPO publishes full text: A or B document, or an application not yet published."""
    day = _day(document.published) if document.published else ""
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
        abstract = _sub(root, "abstract", id="abst", lang="en")
        _lines(
            abstract,
            (
                _text("p", text, "EP", id=f"pa{index:02d}", num=f"{index:04d}")
                for index, text in enumerate(document.abstract, 1)
            ),
        )
    description, cited = _ep_description(document)
    root.append(description)
    claims = _sub(root, "claims", id="claims01", lang="en")
    _lines(claims, (_claim_element(claim, "EP") for claim in document.claims))
    if document.figures:
        drawings = _sub(root, "drawings", id="draw", lang="en")
        _lines(drawings, (_ep_figure(sheet) for sheet in range(1, document.figures + 1)))
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
    return head + _serialise(root)


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(block.split()) for block in re.split(r"\n\s*\n", text.strip()) if block.strip())


def _class(path: Path, text: str) -> Class:
    match = re.fullmatch(r"([A-HY])(\d\d)([A-Z]) (\d{1,4})/(\d{2,6})( additional)?", text)
    if match is None:
        raise SourceError(f"{path.name}: {text!r} is no class symbol")
    section, number, subclass, group, subgroup, additional = match.groups()
    return Class(section, number, subclass, group, subgroup, additional is None)


def _claim(path: Path, entry: dict[str, Any]) -> Claim:
    lines: list[tuple[int, str]] = []
    for line in filter(None, (line.strip() for line in entry["text"].splitlines())):
        match = ELEMENT.fullmatch(line)
        lines.append((len(match[1]), match[2]) if match else (0, line))
    if not lines or lines[0][0]:
        raise SourceError(f"{path.name}: claim {entry['number']} has no preamble")
    return Claim(entry["number"], tuple(entry.get("parents", ())), tuple(lines))


def _check(document: Document) -> None:
    name = document.path.name
    for place, claim in enumerate(document.claims, 1):
        if claim.number != place:
            raise SourceError(f"{name}: claim {claim.number} stands where claim {place} should")
        named = {number for _, line in claim.lines for number in _named_claims(line)}
        if named != set(claim.parents) or any(parent >= place for parent in named):
            raise SourceError(
                f"{name}: claim {place} refers to {sorted(named)} but has parents {claim.parents}"
            )
    for section in document.sections:
        if section.kind not in US_PARTS:
            raise SourceError(f"{name}: unknown section kind {section.kind!r}")
        for match in FIGURE.finditer(" ".join(section.paragraphs)):
            if int(match[2]) > document.figures:
                raise SourceError(f"{name}: {match[0]} has no drawing sheet")
    if document.office not in ("US", "EP"):
        raise SourceError(f"{name}: unknown office {document.office!r}")


def _named_claims(text: str) -> Iterator[int]:
    for match in CLAIM_NUMBERS.finditer(text):
        last = int(match[1])
        yield last
        for joint, digits in TRAILING.findall(match[2]):
            number = int(digits)
            yield from range(last + 1, number + 1) if joint == " to " else (number,)
            last = number


def _day(value: date) -> str:
    return value.strftime("%Y%m%d")


def _required_date(document: Document) -> date:
    if document.published is None:
        raise SourceError(f"{document.path.name}: published is missing")
    return document.published


def _sub(
    parent: etree._Element, tag: str, content: str | None = None, /, **attributes: str
) -> etree._Element:
    element = etree.SubElement(
        parent, tag, {key.replace("_", "-"): value for key, value in attributes.items()}
    )
    element.text = content
    return element


def _dated(parent: etree._Element, tag: str, value: date | None) -> None:
    _sub(_sub(parent, tag), "date", _day(value) if value else None)


def _lines(parent: etree._Element, children: Iterable[etree._Element]) -> None:
    parent.text = "\n"
    for child in children:
        child.tail = "\n"
        parent.append(child)


def _raised(markup: str) -> str:
    """Sub- and superscripts as elements."""
    return SUPERSCRIPT.sub(r"<sup>\1</sup>", SUBSCRIPT.sub(r"<sub>\1</sub>", markup))


def _text(
    tag: str,
    text: str,
    office: str,
    number: int = 0,
    cited: list[tuple[str, int]] | None = None,
    **attributes: str,
) -> etree._Element:
    """An element with the inline markup of ``text``; publications named in it are added to ``cited``."""
    markup = _raised(escape(text))
    figure = r'<figref idref="DRAWINGS">\1\2\3</figref>' if office == "US" else ""
    markup = FIGURE.sub(
        figure or (lambda match: f'<figref idref="f{int(match[2]):04d}">{match[0]}</figref>'), markup
    )
    if cited is not None:

        def link(match: re.Match[str]) -> str:
            publication = "".join(match.groups())
            cited.append((publication, number))
            return f'<patcit id="pcit{len(cited):04d}" dnum="{publication}"><text>{match[0]}</text></patcit>'

        markup = PUBLICATION.sub(link, markup)
    opening = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return etree.fromstring(f"<{tag}{opening}>{markup}</{tag}>")


def _claim_element(claim: Claim, office: str) -> etree._Element:
    us = office == "US"
    element = etree.Element("claim")
    element.set("id", f"CLM-{claim.number:05d}" if us else f"c-en-{claim.number:04d}")
    element.set("num", f"{claim.number:05d}" if us else f"{claim.number:04d}")
    element.text = "\n"
    parts: list[str] = []
    depth = 0
    for index, (level, line) in enumerate(claim.lines):
        if level > depth + 1:
            raise SourceError(f"claim {claim.number}: a nested element stands in none")
        markup = escape(line)
        if us:
            markup = CLAIM_NUMBERS.sub(_claim_reference, markup)
        markup = _raised(markup)
        closing = "</claim-text>" * (depth - level + 1) if level else "</claim-text>" * depth
        if index == 0:
            parts.append(f"{claim.number}. {markup}" if us else markup)
        elif level:
            parts.append(f"{closing if level <= depth else ''}\n<claim-text>{markup}")
        else:
            parts.append(f"{closing}\n{markup}")
        depth = level
    body = "".join(parts) + "</claim-text>" * depth
    text = etree.fromstring(f"<claim-text>{body}</claim-text>")
    text.tail = "\n"
    element.append(text)
    return element


def _claim_reference(match: re.Match[str]) -> str:
    targets = " ".join(f"CLM-{number:05d}" for number in _named_claims(match[0]))
    return f'<claim-ref idref="{targets}">{match[0]}</claim-ref>'


def _serialise(root: etree._Element) -> str:
    root.text = "\n"
    for child in root:
        child.tail = "\n"
    return etree.tostring(root, encoding="unicode") + "\n"


def _us_publication(
    parent: etree._Element, number: str, kind: str, day: date | None, country: str = "US"
) -> None:
    identity = _sub(parent, "document-id")
    _sub(identity, "country", country)
    _sub(identity, "doc-number", number)
    if kind:
        _sub(identity, "kind", kind)
    if day:
        _sub(identity, "date", _day(day))


def _us_front_page(root: etree._Element, document: Document, published: date) -> None:
    front = _sub(root, "us-bibliographic-data-grant")
    _us_publication(_sub(front, "publication-reference"), document.number, document.kind, published)
    _us_publication(
        _sub(front, "application-reference", appl_type="utility"), document.application, "", document.filed
    )
    _sub(front, "us-application-series-code", document.application[:2])
    foreign = [entry for entry in document.priorities if entry["country"] != "US"]
    if foreign:
        claims = _sub(front, "priority-claims")
        for sequence, entry in enumerate(foreign, 1):
            kind = "regional" if entry["country"] == "EP" else "national"
            claim = _sub(claims, "priority-claim", sequence=f"{sequence:02d}", kind=kind)
            _sub(claim, "country", entry["country"])
            _sub(claim, "doc-number", entry["number"])
            _sub(claim, "date", _day(entry["date"]))
    classes = _sub(front, "classifications-ipcr")
    for place, symbol in enumerate(document.ipc):
        _us_class(classes, symbol, published, "ipcr", first=place == 0)
    classes = _sub(front, "classifications-cpc")
    _us_class(_sub(classes, "main-cpc"), document.cpc[0], published, "cpc", first=True)
    if document.cpc[1:]:
        further = _sub(classes, "further-cpc")
        for symbol in document.cpc[1:]:
            _us_class(further, symbol, published, "cpc", first=False)
    _sub(front, "invention-title", document.title, id="d2e43")
    if document.citations:
        references = _sub(front, "us-references-cited")
        for place, citation in enumerate(document.citations, 1):
            _us_citation(references, citation, place)
    _sub(front, "number-of-claims", str(len(document.claims)))
    _sub(front, "us-exemplary-claim", "1")
    search = _sub(front, "us-field-of-classification-search")
    for symbol in document.cpc:
        _sub(search, "classification-cpc-text", symbol.symbol)
    if document.figures:
        figures = _sub(front, "figures")
        _sub(figures, "number-of-drawing-sheets", str(document.figures))
        _sub(figures, "number-of-figures", str(document.figures))
    provisional = [entry for entry in document.priorities if entry["country"] == "US"]
    if provisional:
        related = _sub(front, "us-related-documents")
        for entry in provisional:
            _us_publication(_sub(related, "us-provisional-application"), entry["number"], "", entry["date"])
    _us_parties(front, document)
    etree.indent(front, space="")


def _us_class(parent: etree._Element, symbol: Class, published: date, scheme: str, *, first: bool) -> None:
    element = _sub(parent, f"classification-{scheme}")
    cpc = scheme == "cpc"
    _dated(
        element,
        "cpc-version-indicator" if cpc else "ipc-version-indicator",
        date(2013 if cpc else 2006, 1, 1),
    )
    if not cpc:
        _sub(element, "classification-level", "A")
    _sub(element, "section", symbol.section)
    _sub(element, "class", symbol.number)
    _sub(element, "subclass", symbol.subclass)
    _sub(element, "main-group", symbol.group)
    _sub(element, "subgroup", symbol.subgroup)
    _sub(element, "symbol-position", "F" if first else "L")
    _sub(element, "classification-value", "I" if symbol.inventive else "A" if cpc else "N")
    _dated(element, "action-date", published)
    _sub(_sub(element, "generating-office"), "country", "US")
    _sub(element, "classification-status", "B")
    _sub(element, "classification-data-source", "H")
    if cpc:
        _sub(element, "scheme-origination-code", "C")


def _us_citation(parent: etree._Element, citation: dict[str, Any], place: int) -> None:
    element = _sub(parent, "us-citation")
    if "npl" in citation:
        _sub(_sub(element, "nplcit", num=f"{place:05d}"), "othercit", citation["npl"])
    else:
        country, number, kind = citation["document"].split()
        identity = _sub(_sub(element, "patcit", num=f"{place:05d}"), "document-id")
        _sub(identity, "country", country)
        _sub(identity, "doc-number", number if country == "US" else f"{country} {number}")
        _sub(identity, "kind", kind)
        if "name" in citation:
            _sub(identity, "name", citation["name"])
        if "date" in citation:
            _sub(identity, "date", f"{citation['date']:%Y%m}00")
    _sub(element, "category", f"cited by {citation['origin']}")


def _us_parties(front: etree._Element, document: Document) -> None:
    parties = _sub(front, "us-parties")
    applicants = _sub(parties, "us-applicants")
    for sequence, party in enumerate(document.applicants, 1):
        applicant = _sub(
            applicants,
            "us-applicant",
            sequence=f"{sequence:03d}",
            app_type="applicant",
            designation="us-only",
            applicant_authority_category="assignee",
        )
        _us_address(_sub(applicant, "addressbook"), party)
        _sub(_sub(applicant, "residence"), "country", party["country"])
    inventors = _sub(parties, "inventors")
    for sequence, party in enumerate(document.inventors, 1):
        inventor = _sub(inventors, "inventor", sequence=f"{sequence:03d}", designation="us-only")
        _us_address(_sub(inventor, "addressbook"), party)
    if document.agents:
        agents = _sub(parties, "agents")
        for sequence, party in enumerate(document.agents, 1):
            agent = _sub(agents, "agent", sequence=f"{sequence:02d}", rep_type="attorney")
            _us_address(_sub(agent, "addressbook"), party)
    assignees = _sub(front, "assignees")
    for party in document.applicants:
        role = "02" if party["country"] == "US" else "03"
        _us_address(_sub(_sub(assignees, "assignee"), "addressbook"), party, role)
    if document.examiner:
        examiner = _sub(_sub(front, "examiners"), "primary-examiner")
        _sub(examiner, "last-name", document.examiner["last"])
        _sub(examiner, "first-name", document.examiner["first"])


def _us_address(book: etree._Element, party: dict[str, str], role: str = "") -> None:
    if "name" in party:
        _sub(book, "orgname", party["name"])
    else:
        _sub(book, "last-name", party["last"])
        _sub(book, "first-name", party["first"])
    if role:
        _sub(book, "role", role)
    address = _sub(book, "address")
    for key in ("city", "state", "country"):
        if key in party:
            _sub(address, key, party[key])


def _us_figure(document: Document, published: date, sheet: int) -> etree._Element:
    figure = etree.Element("figure", {"id": f"Fig-EMI-D{sheet:05d}", "num": f"{sheet:05d}"})
    _sub(
        figure,
        "img",
        id=f"EMI-D{sheet:05d}",
        he="220.00mm",
        wi="150.00mm",
        file=f"US{document.number}-{_day(published)}-D{sheet:05d}.TIF",
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
            parent = _sub(description, "description-of-drawings")
            parent.text = parent.tail = "\n"
        if section.heading:
            heading = _sub(parent, "heading", section.heading, id=f"h-{place:04d}", level="1")
            heading.tail = "\n"
        for text in section.paragraphs:
            number += 1
            paragraph = _text(
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


def _ep_front_page(root: etree._Element, document: Document) -> None:
    front = _sub(root, "SDOBI", lang="en")
    tags = _sub(_sub(front, "B000"), "eptags")
    _sub(tags, "B001EP", EP_STATES.replace(" ", ""))
    _sub(tags, "B005EP", "J")
    group = _sub(front, "B100")
    _sub(group, "B110", document.number)
    subject = "SPECIFICATION" if document.kind.startswith("B") else "APPLICATION"
    _sub(_sub(group, "B120"), "B121", f"EUROPEAN PATENT {subject}")
    _sub(group, "B130", document.kind)
    _dated(group, "B140", document.published)
    _sub(group, "B190", "EP")
    group = _sub(front, "B200")
    _sub(group, "B210", document.application)
    _dated(group, "B220", document.filed)
    _sub(group, "B250", "en")
    _sub(group, "B251EP", "en")
    _sub(group, "B260", "en")
    if document.priorities:
        group = _sub(front, "B300")
        for entry in document.priorities:
            _sub(group, "B310", entry["number"])
            _dated(group, "B320", entry["date"])
            _sub(_sub(group, "B330"), "ctry", entry["country"])
    _ep_dates(front, document)
    group = _sub(front, "B500")
    _ep_classes(group, document)
    titles = _sub(group, "B540")
    for language, title in sorted({**document.titles, "en": document.title}.items()):
        _sub(titles, "B541", language)
        _sub(titles, "B542", title.upper())
    granted = document.kind.startswith("B")
    _ep_citations(group, (entry for entry in document.citations if granted or entry["origin"] == "search"))
    _ep_parties(front, document)
    states = _sub(_sub(front, "B800"), "B840")
    for state in EP_STATES.split():
        _sub(states, "ctry", state)


def _ep_dates(front: etree._Element, document: Document) -> None:
    if document.published is None:
        return
    group = _sub(front, "B400")
    _ep_bulletin(group, "B405", document.published)
    if document.kind.startswith("B"):
        if document.first_published is None:
            raise SourceError(f"{document.path.name}: first_published is missing")
        _ep_bulletin(group, "B430", document.first_published)
        _ep_bulletin(group, "B450", document.published)
    else:
        _ep_bulletin(group, "B430", document.published)


def _ep_bulletin(group: etree._Element, tag: str, value: date) -> None:
    element = _sub(group, tag)
    _sub(element, "date", _day(value))
    year, week, _ = value.isocalendar()
    _sub(element, "bnum", f"{year}{week:02d}")


def _ep_classes(group: etree._Element, document: Document) -> None:
    added = _day(document.published or document.filed)
    classes = _sub(group, "B510EP")
    for place, symbol in enumerate(document.ipc):
        value = f"A{'F' if place == 0 else 'L'}{'I' if symbol.inventive else 'N'}"
        element = _sub(classes, "classification-ipcr", sequence=str(place + 1))
        _sub(element, "text", _ep_symbol(symbol, "20060101", value, added))
    classes = _sub(_sub(group, "B520EP"), "classifications-cpc")
    for place, symbol in enumerate(document.cpc):
        value = f" {'F' if place == 0 else 'L'}{'I' if symbol.inventive else 'A'}"
        element = _sub(classes, "classification-cpc", sequence=str(place + 1))
        _sub(element, "text", _ep_symbol(symbol, "20130101", value, added))


def _ep_symbol(symbol: Class, version: str, value: str, added: str) -> str:
    """The fixed-width form of ST.8: symbol, version, level, position, value, date, status, source, office."""
    place = f"{symbol.section}{symbol.number}{symbol.subclass}{symbol.group:>4}/{symbol.subgroup:<10}"
    return f"{place}{version}{value}{added}BHEP        "


def _ep_citations(group: etree._Element, citations: Iterable[dict[str, Any]]) -> None:
    """The cited documents: patents before literature, each with its category and the claims it concerns."""
    ordered = sorted(citations, key=lambda citation: "npl" in citation)
    if not ordered:
        return
    cited = _sub(group, "B560")
    for citation in ordered:
        if "npl" in citation:
            _sub(_sub(cited, "B562"), "text", citation["npl"])
        else:
            country, number, kind = citation["document"].split()
            _sub(_sub(cited, "B561"), "text", f"{country}-{kind}- {_grouped(number)}")
        if "category" in citation:
            _sub(cited, "B563", citation["category"])
        if "claims" in citation:
            _sub(cited, "B564", citation["claims"])


def _grouped(number: str) -> str:
    return f"{int(number):,}".replace(",", " ")


def _ep_parties(front: etree._Element, document: Document) -> None:
    group = _sub(front, "B700")
    granted = document.kind.startswith("B")
    if not granted:
        applicants = _sub(group, "B710")
        for party in document.applicants:
            _ep_party(_sub(applicants, "B711"), party)
    inventors = _sub(group, "B720")
    for party in document.inventors:
        _ep_party(_sub(inventors, "B721"), party)
    if granted:
        proprietors = _sub(group, "B730")
        for party in document.applicants:
            _ep_party(_sub(proprietors, "B731"), party)
    if document.agents:
        agents = _sub(group, "B740")
        for party in document.agents:
            _ep_party(_sub(agents, "B741"), party)


def _ep_party(element: etree._Element, party: dict[str, str]) -> None:
    _sub(element, "snm", party["name"] if "name" in party else f"{party['last'].upper()}, {party['first']}")
    address = _sub(element, "adr")
    if "street" in party:
        _sub(address, "str", party["street"])
    _sub(address, "city", party["city"])
    _sub(address, "ctry", party["country"])


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
            heading = _sub(description, "heading", id=f"h{headings:04d}")
            _sub(heading, "b", section.heading)
            heading.tail = "\n"
        for text in section.paragraphs:
            number += 1
            paragraph = _text("p", text, "EP", number, cited, id=f"p{number:04d}", num=f"{number:04d}")
            paragraph.tail = "\n"
            description.append(paragraph)
    return description, cited


def _ep_figure(sheet: int) -> etree._Element:
    figure = etree.Element("figure", {"id": f"f{sheet:04d}", "num": str(sheet)})
    _sub(
        figure,
        "img",
        id=f"if{sheet:04d}",
        file=f"imgf{sheet:04d}.tif",
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
    publication = _sub(report, "srep-for-pub")
    _sub(_sub(publication, "srep-fields-searched"), "minimum-documentation")
    citations = _sub(publication, "srep-citations")
    for place, entry in enumerate(found, 1):
        citation = _sub(citations, "citation", id=f"sr-cit{place:04d}")
        if "npl" in entry:
            _sub(_sub(citation, "nplcit", id=f"sr-ncit{place:04d}", num=f"{place:04d}"), "text", entry["npl"])
        else:
            country, number, kind = entry["document"].split()
            cited = _sub(citation, "patcit", id=f"sr-pcit{place:04d}", dnum=f"{country}{number}{kind}")
            identity = _sub(cited, "document-id")
            _sub(identity, "country", country)
            _sub(identity, "doc-number", number)
            _sub(identity, "kind", kind)
            if "name" in entry:
                _sub(identity, "name", entry["name"])
            if "date" in entry:
                _sub(identity, "date", _day(entry["date"]))
        if "passage" in entry:
            _sub(_sub(citation, "rel-passage"), "passage", f"* {entry['passage']} *")
        _sub(citation, "category", entry["category"])
        if "claims" in entry:
            _sub(citation, "rel-claims", entry["claims"])
    etree.indent(report, space="")
    return report


def _ep_reference_list(cited: list[tuple[str, int]]) -> etree._Element:
    references = etree.Element("ep-reference-list", {"id": "ref-list"})
    _sub(_sub(references, "heading", id="ref-h0001"), "b", "REFERENCES CITED IN THE DESCRIPTION")
    listing = _sub(_sub(references, "p", id="ref-p0001", num=""), "ul", id="ref-ul0001", list_style="bullet")
    for place, (publication, number) in enumerate(cited, 1):
        item = _sub(listing, "li")
        entry = _sub(item, "patcit", id=f"ref-pcit{place:04d}", dnum=publication)
        identity = _sub(entry, "document-id")
        _sub(identity, "country", publication[:2])
        _sub(identity, "doc-number", publication[2:-2])
        _sub(identity, "kind", publication[-2:])
        _sub(item, "crossref", f"[{number:04d}]", idref=f"pcit{place:04d}")
    etree.indent(references, space="")
    return references


def main() -> None:
    """Rebuilds the committed files, or writes them to another folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("target", nargs="?", type=Path, default=HERE, help="folder to write to")
    for path in build(parser.parse_args().target):
        print(path)


if __name__ == "__main__":
    main()
