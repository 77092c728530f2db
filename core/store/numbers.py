"""One spelling for all spellings of a number: publications are found by it, families built from it.

Offices write the same number in several ways: ``13/123,456``, ``13123456`` and ``201113123456``
are one US application, ``EP 1 000 000`` and ``EP01000000`` one publication. The rules cover what
the files of this program contain; a spelling they do not know stays as it is, without punctuation,
and then simply meets fewer others. Two different numbers never get the same key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.types import Priority, PublicationNumber

_CHECK_DIGIT = re.compile(r"\.\d$")
_NOT_ALNUM = re.compile(r"[^0-9A-Z]")
_PCT = re.compile(r"^(?:PCT/?|WO)([A-Z]{2})/?(\d{2}|\d{4})/?(\d{5,6})$")
_EPODOC_PCT = re.compile(r"^WO(\d{4})([A-Z]{2})(\d{5,6})$")
_SPLIT = re.compile(r"^([A-Z]*)(\d+)([A-Z]?)$")
_TYPED = re.compile(r"^([A-Z]{2})([A-Z]*\d.*?)([A-Z]\d?)?$")
_UTILITY_MODELS = frozenset("UYZ")
_STAGES_APART = frozenset({"JP", "KR"})
_CN_SHARED = 11
"""Letters and digits of ``CN101234567``."""
_APPLICATION_DIGITS = 8
_FIRST_LONG_US_PATENT = 2018_06_19
_YEAR_DASH = re.compile(r"^P?-?(\d{4})-0*(\d{1,6})$")


def publication_key(country: str, number: str) -> str:
    """Country and number of a publication without leading zeros and punctuation."""
    country = country.strip().upper()
    plain = _NOT_ALNUM.sub("", number.upper())
    if plain.startswith(country) and plain[2:3].isdigit():
        plain = plain[2:]
    if plain.isdigit():
        if country == "US" and len(plain) == 10 and plain.startswith("20"):
            plain = plain[:4] + "0" + plain[4:]  # DOCDB writes pre-grant numbers one zero shorter
        elif country == "WO":
            plain = _pct_serial(plain)
        return country + (plain.lstrip("0") or "0")
    parts = _SPLIT.match(plain)
    if parts is None:
        return country + plain
    prefix, digits, suffix = parts.groups()
    return country + prefix + (digits.lstrip("0") or "0") + suffix


def kinds_meet(number_key: str, one: str, other: str) -> bool:
    """Whether two publications of this `publication_key` belong to one application.

    Most offices number all stages of an application alike (``EP1000000A1``, ``EP1000000B1``); Japan,
    Korea and, until its numbers had nine digits, China count each stage anew, and utility models are
    counted on their own. A missing kind meets every kind.
    """
    if not one or not other or one[0] == other[0]:
        return True
    if (one[0] in _UTILITY_MODELS) != (other[0] in _UTILITY_MODELS):
        return False
    country = number_key[:2]
    return country not in _STAGES_APART and not (country == "CN" and len(number_key) < _CN_SHARED)


def names_application(number_key: str, kind: str, citing: int | None) -> bool:
    """Whether a cited number can only be that of an application; ``citing`` is the day of the citation.

    International applications bear their own form, European ones eight digits. United States
    patents have had eight digits since June 2018; before, eight digits meant series code and serial.
    """
    if kind:
        return False
    if number_key.startswith("PCT", 2):
        return True
    digits = number_key[2:]
    if len(digits) != _APPLICATION_DIGITS or not digits.isdigit():
        return False
    if number_key.startswith("EP"):
        return True
    return number_key.startswith("US") and citing is not None and citing < _FIRST_LONG_US_PATENT


def parse_publication(text: str) -> PublicationNumber | None:
    """Read ``EP1000000A1``, ``EP 1 000 000 A1``, ``US D651,432 S``; None when it is no number."""
    match = _TYPED.match(_NOT_ALNUM.sub("", text.upper()))
    return None if match is None else PublicationNumber(match[1], match[2], match[3] or "")


def application_key(country: str, number: str) -> str:
    """Country and number of an application in one spelling; empty when there is no number.

    US: series code and serial (8 digits). PCT: ``PCT``, receiving office, year, six digits.
    EP: two digits of the year and six. Others: without country prefix and check digit.
    """
    country = country.strip().upper()
    text = number.strip().upper().replace(" ", "").replace(",", "")
    pct = _PCT.match(text)
    if pct is not None:
        return _pct(*pct.groups())
    epodoc = _EPODOC_PCT.match(text)
    if epodoc is not None:
        return _pct(epodoc[2], epodoc[1], epodoc[3])
    text = _CHECK_DIGIT.sub("", text)
    if country and text.startswith(country):
        text = text[len(country) :]
    dashed = _YEAR_DASH.match(text) if country == "JP" else None
    plain = dashed.group(1) + dashed.group(2).zfill(6) if dashed else _NOT_ALNUM.sub("", text)
    if not plain:
        return ""
    if plain.isdigit():
        plain = _digits(country, plain)
    return plain if plain.startswith("PCT") else country + plain


def family_key(
    family: str,
    priorities: tuple[Priority, ...],
    application: PublicationNumber | None,
    publication: PublicationNumber,
) -> str:
    """The first of `family_keys`: finds the family in a library."""
    return family_keys(family, priorities, application, publication)[0]


def family_keys(
    family: str,
    priorities: Iterable[Priority],
    application: PublicationNumber | None,
    publication: PublicationNumber,
) -> tuple[str, ...]:
    """What the members of a simple family share; a document that shares one of them is a member.

    The set of priorities; a first filing has none and is its own priority, so its application stands
    for it; where there is none either, the publication. Beside it the office's own family identifier
    where there is one.
    """
    keys = {application_key(item.country, item.number) for item in priorities} - {""}
    if not keys and application is not None:
        keys = {application_key(application.country, application.number)} - {""}
    own = f"F{family}" if family else ""
    if not keys:
        return (own or f"P{publication_key(publication.country, publication.number)}",)
    claimed = "+".join(sorted(keys))
    return (own, claimed) if own else (claimed,)


def _digits(country: str, plain: str) -> str:
    """The office's own rules for an all-digit application number."""
    if country == "US":
        if len(plain) == 12 and plain[:2] in ("19", "20"):
            return plain[4:]  # year, series code, serial
        if len(plain) == 10 and plain[:2] in ("19", "20"):
            return _pct("US", plain[:4], plain[4:])
        return plain.zfill(8) if len(plain) == 7 else plain
    if country == "EP":
        if len(plain) == 11 and plain[:2] in ("19", "20") and plain[4] == "0":
            return plain[2:4] + plain[5:]  # EPODOC: four digits of the year, seven of the serial
        if len(plain) == 9:
            return plain[:8]  # a check digit without its dot
    if country == "KR" and len(plain) == 13 and plain[:2] in ("10", "20"):
        return plain[2:]  # patent or utility model, then year and serial
    return plain


def _pct(office: str, year: str, serial: str) -> str:
    return f"PCT{office}{_full_year(year)}{serial.zfill(6)}"


def _pct_serial(plain: str) -> str:
    """``WO`` publications: four digits of the year, six of the serial."""
    if len(plain) == 7:
        return _full_year(plain[:2]) + plain[2:].zfill(6)
    if len(plain) == 8:
        return _full_year(plain[:2]) + plain[2:]
    if len(plain) == 9 and plain[:2] in ("19", "20"):
        return plain[:4] + plain[4:].zfill(6)
    return plain


def _full_year(year: str) -> str:
    """The PCT began in 1978."""
    if len(year) == 4:
        return year
    return ("19" if int(year) >= 78 else "20") + year
