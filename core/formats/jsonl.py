"""One patent per line of JSON: title, abstract, claims and a description with Markdown headings.

Fields: ``publication_number`` (needed), ``title``, ``abstract``, ``claims`` (a list of numbered strings
or one string), ``description``, ``filing_date``, ``publication_date``, ``language``, ``ipc``, ``cpc``
(lists of symbols), ``family_id``. Others are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from core.errors import ParseError
from core.formats import numbers, symbols
from core.formats.base import Format
from core.formats.headings import section_of
from core.text.claims import parse_claims
from core.text.normalise import normalise
from core.types import (
    Claim,
    ClassSymbol,
    LocalText,
    Paragraph,
    Patent,
    PublicationNumber,
    Scheme,
    Section,
    Source,
)

_KEYS = re.compile(rb'"(?:publication_number|claims|abstract|description)"\s*:')
_NUMBER = re.compile(r"\s*([A-Z]{2})[\s-]*([A-Z]{0,2}[\d/., ]*\d)[\s-]*([A-Z]\d?)?\s*\Z")
_HEADING = re.compile(r"(#{1,6})\s+(.*)\Z")
_PARAGRAPH = re.compile(r"\[(\d{4,5})\]\s*")


def sniff(head: bytes) -> int:
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    line = begin.split(b"\n", 1)[0]
    return 50 if begin.startswith(b"{") and _KEYS.search(line) else 0


def read(document: bytes, source: Source) -> Patent:
    """One record; raises `ParseError` where the line is no object or lacks its number."""
    record = _record(document)
    publication = _publication(_string(record, "publication_number"))
    language = _string(record, "language") or "en"
    title, abstract = (normalise(_string(record, key)) for key in ("title", "abstract"))
    return Patent(
        publication=publication,
        source=source,
        published=numbers.parse_date(_string(record, "publication_date")),
        filed=numbers.parse_date(_string(record, "filing_date")),
        language=language,
        titles=(LocalText(title, language),) if title else (),
        abstracts=(LocalText(abstract, language),) if abstract else (),
        claims=_claims(record.get("claims"), language),
        description=tuple(_paragraphs(_string(record, "description"), language)),
        classes=symbols.unique(_classes(record)),
        family=_string(record, "family_id"),
    )


def _record(document: bytes) -> dict[str, Any]:
    try:
        record = json.loads(document.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ParseError(f"not UTF-8: {error.reason} at byte {error.start}", line=1) from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise ParseError(f"not JSON: {error}", line=1) from error
    if not isinstance(record, dict):
        raise ParseError("not a JSON object", line=1)
    return record


def _string(record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ParseError(f"{key} is not a string", line=1)
    return value


def _publication(text: str) -> PublicationNumber:
    match = _NUMBER.match(text.upper())
    found = numbers.publication(match[1], match[2], match[3] or "") if match else None
    if found is None:
        raise ParseError(f"publication_number {text!r} can't be read", line=1)
    return found


def _claims(value: object, language: str) -> tuple[Claim, ...]:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = "\n".join(_numbered(item, place) for place, item in enumerate(value, 1))
    if not isinstance(value, str):
        raise ParseError("claims is neither a string nor a list of strings", line=1)
    return parse_claims(normalise(value), language) if value.strip() else ()


def _numbered(text: str, place: int) -> str:
    return text if re.match(r"\s*\d+\s*[.)]", text) else f"{place}. {text}"


def _paragraphs(text: str, language: str) -> Iterator[Paragraph]:
    section, heading, waiting = Section.DESCRIPTION, "", False
    for line in normalise(text).split("\n"):
        title = _HEADING.match(line)
        if title:
            opened = section_of(title[2])
            section = opened or section
            if opened is not Section.DESCRIPTION:  # the title of the whole says nothing of a paragraph
                heading = f"{heading} / {title[2]}" if waiting else title[2]
                waiting = True
        elif line:
            number = _PARAGRAPH.match(line)
            body = line[number.end() :] if number else line
            if body:
                yield Paragraph(body, section, heading, number[1] if number else "", language)
                waiting = False
    if waiting:
        yield Paragraph(heading, section, "", "", language)


def _classes(record: dict[str, Any]) -> Iterator[ClassSymbol | None]:
    for key, scheme in (("cpc", Scheme.CPC), ("ipc", Scheme.IPC)):
        values = record.get(key)
        if isinstance(values, list):
            for value in values:
                if isinstance(value, str):
                    yield symbols.fixed(value, scheme)


FORMAT = Format("jsonl", sniff, read)
