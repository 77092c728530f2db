"""Mentions of figures in a text ("FIGS. 2A-2C", "Figur 3"), and their captions.

A label is what follows the word, in one form: ``3``, ``2A``, ``12B``; ``FIG. 2(a)`` is ``2A``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

_WORD = r"(?:fig(?:ure|ur)?s?|figuren|abb(?:ildung(?:en)?)?|drawing figures?|figuras?|kuva)"
_LETTER = r"\s?\([a-zA-Z]\)|[a-zA-Z](?![a-zA-Z])"
_LABEL = rf"(?:\d{{1,3}}(?:{_LETTER}(?:\d(?!\d))?)?(?:['′]{{1,2}})?|(?<=[.\s])[A-HJ-Z](?![a-zA-Z0-9]))"
_NEXT = rf"(?:\d{{1,2}}(?:{_LETTER})?(?![a-zA-Z]{{0,2}}\d|\.\d|\s?[%°])|\([a-zA-Z]\)|[A-Z](?![a-zA-Z0-9]))"
_TO = r"\s?(?:[-‐-―]|\bto\b|\bthrough\b|\bbis\b|\bà\b|\bthru\b)\s?"
_AND = r"\s?(?:,|&|/|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|, and\b|, or\b)\s?(?:to\s)?"
_AGAIN = rf"(?:{_WORD}\.?\s?)?"
_MENTION = re.compile(
    rf"(?<![\w-]){_WORD}(?:\.|\b)\s{{0,2}}(?:nos?\.\s?|nr\.\s?)?({_LABEL}(?:(?:{_TO}|{_AND}){_AGAIN}{_NEXT})*)",
    re.IGNORECASE,
)
_SPLIT = re.compile(rf"({_TO})|{_AND}", re.IGNORECASE)
_PART = re.compile(r"(\d{0,3})\s?\(?([a-zA-Z]?)\)?(\d?)(['′]*)\Z")
_LONGEST_RANGE = 60
_HINT = re.compile(r"fig|abb|kuva", re.IGNORECASE)
_AGAIN_WORD = re.compile(rf"\A{_WORD}\.?\s?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FigureMention:
    """A mention of one or more figures: half-open code points of the text, and the labels."""

    start: int
    end: int
    labels: tuple[str, ...]


def find_figures(text: str) -> tuple[FigureMention, ...]:
    """The mentions of figures in a text; ranges are written out (``2A-2C``: ``2A``, ``2B``, ``2C``)."""
    if _HINT.search(text) is None:
        return ()
    found = []
    for match in _MENTION.finditer(text):
        labels = tuple(dict.fromkeys(_read_labels(match[1])))
        if labels:
            found.append(FigureMention(match.start(), match.end(), labels))
    return tuple(found)


def _read_labels(text: str) -> Iterator[str]:
    before = ""
    joined = False
    for part in _SPLIT.split(text):
        if part is None:
            continue
        if _SPLIT.fullmatch(part):
            joined = True
            continue
        label = _read_label(_AGAIN_WORD.sub("", part).strip(), before)
        if not label:
            continue
        if joined and before:
            yield from _write_out(before, label)
        else:
            yield label
        before, joined = label, False


def _read_label(text: str, before: str) -> str:
    """``2(a)`` is ``2A``; a letter alone (``2A and B``) goes with the number before it."""
    match = _PART.match(text)
    if match is None or not (match[1] or match[2]):
        return ""
    number, letter, digit, prime = match[1].lstrip("0"), match[2].upper(), match[3], match[4]
    if not number and before:
        number = before.rstrip("'")[: len(before) - len(before.lstrip("0123456789"))]
    return f"{number}{letter}{digit}{prime.replace('′', chr(39))}"


def _write_out(first: str, last: str) -> Iterator[str]:
    """The labels after the first of a range; the last alone if they are of different forms."""
    one, two = _PART.match(first), _PART.match(last)
    if one is None or two is None:
        yield last
        return
    if one[1] == two[1] and one[2] and two[2]:
        for code in range(ord(one[2]) + 1, ord(two[2]) + 1):
            yield f"{one[1]}{chr(code)}"
        return
    begin, end = int(one[1] or 0), int(two[1] or 0)
    if not 0 < end - begin <= _LONGEST_RANGE:
        yield last
        return
    yield from map(str, range(begin + 1, end))
    yield from (f"{end}{chr(code)}" for code in range(ord("A"), ord(two[2] or "A")))
    yield last


_SENTENCE = re.compile(r"[.;:]\s+(?:and\s+|und\s+)?\Z|\A\W*(?:in\s+)?\Z|\n\W*\Z", re.IGNORECASE)
_VERB = re.compile(
    r"\s*(?:[,:;–—-]\s*)?(?:is|are|shows?|illustrates?|depicts?|represents?|provides?|presents?|displays?|"
    r"describes?|schematically|diagrammatically|comprises?|an?\b|the\b|zeigt|zeigen|eine?n?\b|die\b|der\b|das\b|"
    r"illustre|représente|montre|est\b|sont\b|une?\b|la\b|le\b|in\b)",
    re.IGNORECASE,
)
_LONGEST_CAPTION = 600


def read_captions(paragraphs: Iterable[str], *, brief: bool = False) -> dict[str, str]:
    """The caption of each figure, by label: the first sentence or clause that begins with its mention.

    "FIG. 2 is a side view of the pump." In the ``brief`` description of the drawings a paragraph that begins
    with a mention is a caption, whatever its verb; elsewhere the verb must be one of captions.
    """
    found: dict[str, str] = {}
    for text in paragraphs:
        starts = [
            item
            for item in find_figures(text)
            if _SENTENCE.search(text[: item.start])
            and (_VERB.match(text, item.end) or (brief and not text[: item.start].strip()))
        ]
        for item, following in zip_longest(starts, starts[1:]):
            end = following.start if following else len(text)
            caption = " ".join(text[item.start : end].split())[:_LONGEST_CAPTION].strip()
            caption = re.sub(r"[\s;,:]+(?:and|und|et)?\s*\Z", "", caption).rstrip(".;, ")
            for label in item.labels:
                found.setdefault(label, caption)
    return found
