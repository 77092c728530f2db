"""Quantities of a claim: numbers with a unit, a tolerance, a range or decimals.

Other numbers are left out: they count parts, which a document says in words, or are reference signs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from claimlight.text.encoder_text import to_encoder_text
from claimlight.text.informative import UNITS

_WHOLE = r"\d+(?:[.,]\d+)*"
_NUMBER = re.compile(_WHOLE)
_SIGNS = "|".join(re.escape(sign) for sign in ("±", "+/-", "–", "-", "×", "x", "to", "bis", "à"))
# Of one letter, and so only in the case in which they are written.
_LETTERS = "[VAWKNJTΩmgshl]"
_NAMED = "|".join(sorted(UNITS, key=len, reverse=True))
_UNIT = rf"(?:[%‰°µμ]\s?[A-Za-z]{{0,2}}|(?i:{_NAMED})|{_LETTERS})(?!\w)(?:\s?%)?"
_QUANTITY = re.compile(
    rf"(?<![\w.,])(?P<first>{_WHOLE})(?P<more>(?:\s?(?:{_SIGNS})\s?{_WHOLE})*)(?P<unit>\s?-?{_UNIT})?(?![\w])"
)
_RANGE = re.compile(r"\s*(?:to|bis|à|-|–)\s*")
_NAMING = re.compile(
    r"(?:claims?|anspr\w+|revendications?|fig(?:ure|ur)?s?\.?|steps?|nos?\.)\s*(?:[\d,\s]|to|or|and|bis|oder|und)*$",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"[.,]")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3}){2,})")
"""``1,000`` and ``1.000.000``; ``1.000`` has decimals in English, and so here."""
_BEFORE = 40


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity and where it is: half-open code points of the text it was found in."""

    start: int
    end: int
    numbers: frozenset[str]
    """Its numbers, as `numbers_in` writes them."""


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in order, without reference signs and numbers of claims and figures."""
    read = to_encoder_text(text)
    found = []
    for match in _QUANTITY.finditer(read.text):
        first, more, unit = match["first"], match["more"], match["unit"]
        plain_range = more and _RANGE.fullmatch(_NUMBER.sub("", more))
        if not unit and (plain_range or not more) and not _DECIMAL.search(first + more):
            continue
        if _NAMING.search(read.text[max(0, match.start() - _BEFORE) : match.start()]):
            continue
        start, end = int(read.origin[match.start()]), int(read.origin[match.end()])
        shown = text[start:end].rstrip()
        found.append(Quantity(start, start + len(shown), numbers_in(match[0])))
    return tuple(found)


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text, each with a point for its decimals and without marks of thousands."""
    return frozenset(map(_write_number, _NUMBER.findall(text)))


def _write_number(number: str) -> str:
    whole, *parts = _DECIMAL.split(number)
    if not parts:
        return whole.lstrip("0") or "0"
    if _THOUSANDS.fullmatch(number):
        return "".join((whole, *parts))
    *thousands, decimals = parts
    joined, decimals = "".join((whole, *thousands)).lstrip("0") or "0", decimals.rstrip("0")
    return f"{joined}.{decimals}" if decimals else joined
