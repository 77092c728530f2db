"""The pieces of XML that the documents of both offices are put together from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from xml.sax.saxutils import escape

from lxml import etree

from resources.sample.authored import CLAIM_NUMBERS, FIGURE, Claim, SourceError, named_claims

PUBLICATION = re.compile(r"\b(EP|US|WO) (\d{7,11}) ([AB]\d)\b")
SUBSCRIPT = re.compile(r"~([^~\s]+)~")
SUPERSCRIPT = re.compile(r"\^([^^\s]+)\^")


def compact_date(value: date) -> str:
    return value.strftime("%Y%m%d")


def sub(parent: etree._Element, tag: str, content: str | None = None, /, **attributes: str) -> etree._Element:
    element = etree.SubElement(
        parent, tag, {key.replace("_", "-"): value for key, value in attributes.items()}
    )
    element.text = content
    return element


def dated(parent: etree._Element, tag: str, value: date | None) -> None:
    sub(sub(parent, tag), "date", compact_date(value) if value else None)


def lines(parent: etree._Element, children: Iterable[etree._Element]) -> None:
    parent.text = "\n"
    for child in children:
        child.tail = "\n"
        parent.append(child)


def _raised(markup: str) -> str:
    """Sub- and superscripts as elements."""
    return SUPERSCRIPT.sub(r"<sup>\1</sup>", SUBSCRIPT.sub(r"<sub>\1</sub>", markup))


def text_element(
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


def claim_element(claim: Claim, office: str) -> etree._Element:
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
    targets = " ".join(f"CLM-{number:05d}" for number in named_claims(match[0]))
    return f'<claim-ref idref="{targets}">{match[0]}</claim-ref>'


def serialise(root: etree._Element) -> str:
    root.text = "\n"
    for child in root:
        child.tail = "\n"
    return etree.tostring(root, encoding="unicode") + "\n"
