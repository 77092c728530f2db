"""Classification symbols in one spelling: ``H04L 9/3247``.

Symbols of other schemes have the scheme as a prefix: ``USPC 709/230``, ``LOC 01-01``,
``EC C07C 45/80``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from claimlight.types import ClassSymbol, Scheme

_FIXED = re.compile(
    r"\s*([A-HY]\d\d[A-Z])\s*(\d{1,4})\s*/\s*(\d{1,6})\s*(?:(\d{8})\s?([ACS ]?)([FL ]?)([INA ]?))?"
)
_LOOSE = re.compile(r"\s*([A-HY])\s*(\d\d)\s*([A-Z])\s*0*(\d{1,4})\s*[/:]\s*(\d{1,6})")
_NO_SLASH = re.compile(r"\s*([A-HY]\d\d[A-Z])([ \d]{2}\d)(\d{2,6})\s*\Z")
_WHOLE = re.compile(r"\s*([A-HY]\d\d[A-Z])(\d{4})(\d{6})(?!\d)")
"""``B62K0025040000``: four digits of the main group, six of the subgroup, as in the master files of WIPO."""
_SQUEEZED = re.compile(r"\s*([A-HY]\d\d[A-Z]) (\d)(\d\d)\s*\Z")
"""``E03C 104`` is ``E03C  104`` with one blank lost: no subgroup has a single digit."""
_UPPER_LEVELS = re.compile(r"\s*([A-HY](?:\d\d(?:[A-Z](?:\s*0*([1-9]\d{0,3}))?)?)?)\s*\Z")
_SEPARATORS = re.compile(r"[;,\n]|//")
_US_PADDED = 6
"""Columns of a US class: three of the class and three of the subclass, right-justified; decimals follow."""
_SHORT_DESIGN = 5
"""``D1106`` means ``D 1106``: files often lose the padding of one-digit design classes."""
_US_SUBCLASS = re.compile(r"([ \d]{2}\d)\.?(\d*) *([A-Z]{0,3})\Z")
_US_DIGEST = re.compile(r" *DIG\.? *(\d+)\Z")
_SUBCLASS = re.compile(r"\s*([A-HY]\d\d[A-Z])\s*\Z")


def read_symbol(text: str) -> str:
    """``G06F015/16``, ``C 07C  29/44   A`` and similar as ``G06F 15/16``; empty if it is no symbol.

    What follows the symbol, such as the version in ``B62K 25/04 (2006.01)``, is not read.
    """
    text = text.upper()
    match = _WHOLE.match(text)
    if match:
        subgroup = match[3].rstrip("0").ljust(2, "0")
        return f"{match[1]} {match[2].lstrip('0') or '0'}/{subgroup}"
    match = _LOOSE.match(text)
    if match:
        return f"{match[1]}{match[2]}{match[3]} {match[4]}/{match[5]}"
    match = _NO_SLASH.match(text)
    if match:
        return f"{match[1]} {match[2].lstrip(' 0')}/{match[3]}"
    match = _SQUEEZED.match(text)
    if match:
        return f"{match[1]} {match[2]}/{match[3]}"
    match = _SUBCLASS.match(text)
    return match[1] if match else ""


def read_class(text: str) -> str:
    """A symbol of any level: ``b``, ``B62``, ``B62K``, ``B62K25`` (main group), and all of `read_symbol`."""
    match = _UPPER_LEVELS.match(text.upper())
    if match is None:
        return read_symbol(text)
    return f"{match[1][:4]} {match[2]}/00" if match[2] else match[1]


def read_classes(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The symbols of a list separated by ``;``, ``,``, ``//`` or line breaks, each once, and what is none."""
    parts = [part.strip() for part in _SEPARATORS.split(text) if part.strip()]
    found = [(part, read_class(part)) for part in parts]
    symbols = dict.fromkeys(symbol for _, symbol in found if symbol)
    return tuple(symbols), tuple(part for part, symbol in found if not symbol)


def join_parts(section: str, class_: str, subclass: str, group: str, subgroup: str) -> str:
    """A symbol from its five parts; the subclass alone if the office gives no group."""
    head = f"{section}{class_}{subclass}"
    return f"{head} {group.lstrip('0') or '0'}/{subgroup}" if group and subgroup else head


def read_fixed(text: str, scheme: Scheme) -> ClassSymbol | None:
    """A line of ST.8, with symbol, version, level, position and value in fixed columns."""
    match = _FIXED.match(text)
    if match is None:
        spelled = read_symbol(text)
        return ClassSymbol(scheme, spelled) if spelled else None
    spelled = f"{match[1]} {match[2].lstrip('0') or '0'}/{match[3]}"
    value = (match[7] or "").strip()
    return ClassSymbol(
        scheme,
        spelled,
        inventive=value == "I" if value else None,
        first=match[6] == "F",
        version=match[4] or "",
    )


def read_national_us(text: str) -> str:
    """``709230``, ``D 1128``, ``339097P``, ``2974112`` as ``USPC 709/230`` … ``USPC 297/411.2``.

    Leading blanks are columns of the class. If a file has lost them, the number is too short for its columns
    and is right-justified again.
    """
    text = text.rstrip()
    bare = text.strip()
    if not bare or bare == "None":
        return ""
    if len(bare) == _SHORT_DESIGN and bare.startswith("D") and " " not in bare:
        text = f"{bare[0]} {bare[1:]}"
    # Digits fill the columns from the right, so lost blanks can be restored; with letters they can't.
    elif bare.isdigit():
        text = text.rjust(_US_PADDED)
    class_, sub = text[:3].replace(" ", "").lstrip("0"), text[3:]
    return f"USPC {class_}/{_read_us_subclass(sub)}" if sub.strip() else f"USPC {class_}"


def _read_us_subclass(sub: str) -> str:
    match = _US_SUBCLASS.match(sub)
    if match is None:
        digest = _US_DIGEST.match(sub)
        return f"DIG {digest[1]}" if digest else sub.strip().lstrip("0") or sub.strip()
    decimals = match[2].rstrip("0") if len(match[2]) == 3 else match[2]
    return f"{match[1].lstrip(' 0') or '0'}{'.' if decimals else ''}{decimals}{match[3]}"


def read_locarno(text: str) -> str:
    text = text.strip()
    return f"LOC {text[:2]}-{text[2:4]}" if len(text) >= 4 and text[:4].isdigit() else f"LOC {text}"


def unique(found: Iterable[ClassSymbol | None]) -> tuple[ClassSymbol, ...]:
    """Each symbol once, in order; of repetitions the one with more details."""
    kept: dict[tuple[Scheme, str], ClassSymbol] = {}
    for item in found:
        if item is None or not item.symbol:
            continue
        key = (item.scheme, item.symbol)
        old = kept.get(key)
        if old is None or _richness(item) > _richness(old):
            kept[key] = item
    return tuple(kept.values())


def _richness(item: ClassSymbol) -> tuple[bool, bool, bool]:
    return (item.first, item.inventive is True, item.inventive is not None)
