"""The authored sources of the sample library, read and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).resolve().parent / "source"
US_PARTS = {
    "field": "BRFSUM",
    "background": "BRFSUM",
    "summary": "BRFSUM",
    "drawings": "DRAWINGS",
    "detailed": "DETDESC",
    "other": "BRFSUM",
}
FIGURE = re.compile(r"\b((?:FIG|Fig)s?\. |(?:Figure|FIGURE)s? |FIGS\. )(\d+)([A-Za-z]?)\b")
CLAIM_NUMBERS = re.compile(r"\b[Cc]laims? (\d+)((?:(?:, | to | and | or | or claim )\d+)*)")
ELEMENT = re.compile(r"(-{1,2}) +(.*)")
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
        named = {number for _, line in claim.lines for number in named_claims(line)}
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


def named_claims(text: str) -> Iterator[int]:
    for match in CLAIM_NUMBERS.finditer(text):
        last = int(match[1])
        yield last
        for joint, digits in TRAILING.findall(match[2]):
            number = int(digits)
            yield from range(last + 1, number + 1) if joint == " to " else (number,)
            last = number
