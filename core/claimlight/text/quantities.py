"""Quantities of a claim, numbers with a unit, a tolerance or decimals, and what a passage has of them.

Other numbers are left out: they count parts, which a document says in words, or are reference signs. Units of
one kind are compared by value, ``5 mm`` and ``0.5 cm`` being the same; others by their letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isclose

from claimlight.text.encoder_text import to_encoder_text
from claimlight.types import TermState

_PREFIXES = {"n": 1e-9, "µ": 1e-6, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_SCALED = "m g s l mol M Hz W V A Pa J N F H Ω eV"
"""Symbols that take the prefixes."""
_KINDS: dict[str, tuple[str, float]] = {
    **{f"{prefix}{each}": (each, by) for each in _SCALED.split() for prefix, by in _PREFIXES.items()},
    **{name: ("m", by) for name, by in (("cm", 1e-2), ("dm", 1e-1), ("inch", 0.0254), ("inches", 0.0254))},
    **{name: ("s", by) for name, by in (("sec", 1.0), ("secs", 1.0), ("msec", 1e-3), ("min", 60.0))},
    **{name: ("s", by) for name, by in (("mins", 60.0), ("h", 3600.0), ("hr", 3600.0), ("hrs", 3600.0))},
    **{name: ("l", by) for name, by in (("L", 1.0), ("mL", 1e-3), ("ml", 1e-3), ("cl", 1e-2), ("dl", 1e-1))},
    **{name: ("Pa", by) for name, by in (("bar", 1e5), ("mbar", 1e2), ("hPa", 1e2), ("psi", 6894.76))},
    **dict.fromkeys(("rpm", "r/min", "min-1"), ("rpm", 1.0)),
    **dict.fromkeys(
        ("%", "percent", "per cent", "prozent", "pour cent", "wt%", "vol%", "wt", "vol"), ("%", 1.0)
    ),
    **dict.fromkeys(("°", "degree", "degrees", "grad", "degré", "degrés"), ("°", 1.0)),
    **dict.fromkeys(("°C", "° C", "℃", "degree celsius", "degrees celsius", "grad celsius"), ("°C", 1.0)),
    **dict.fromkeys(("°F", "° F", "℉", "degrees fahrenheit"), ("°F", 1.0)),
    **{name: (name, 1.0) for name in ("K", "ppm", "ppb", "mph", "dB", "dBm", "‰", "T", "cSt")},
    **{name: (name, 1.0) for name in ("HRC", "HRB", "HV", "HB", "IU", "AWG")},
    "kelvin": ("K", 1.0),
}
_WORDS = {
    "meter": "m", "metre": "m", "mètre": "m", "gram": "g", "gramm": "g", "gramme": "g", "second": "s",
    "sekunde": "s", "seconde": "s", "liter": "l", "litre": "l", "watt": "W", "volt": "V", "ampere": "A",
    "ampère": "A", "hertz": "Hz", "pascal": "Pa", "joule": "J", "newton": "N", "ohm": "Ω",
}  # fmt: skip
_WORD_PREFIXES = {
    "": 1.0, "nano": 1e-9, "micro": 1e-6, "mikro": 1e-6, "milli": 1e-3, "centi": 1e-2, "zenti": 1e-2,
    "kilo": 1e3, "mega": 1e6,
}  # fmt: skip
_KINDS |= {
    f"{prefix}{word}{ending}": (unit, by)
    for word, unit in _WORDS.items()
    for prefix, by in _WORD_PREFIXES.items()
    for ending in ("", "s", "n")
}
_KINDS |= dict.fromkeys(("minute", "minutes", "minuten"), ("s", 60.0))
_KINDS |= dict.fromkeys(("hour", "hours", "stunde", "stunden", "heure", "heures"), ("s", 3600.0))
_KINDS |= dict.fromkeys(("day", "days", "tag", "tage", "tagen", "jour", "jours"), ("s", 86400.0))

_BLANK = r"[ \u00a0\u2009\u202f]"
_MINUS = r"[-\u2010-\u2012\u2212]"
_DIGITS = rf"\d{{1,3}}(?:{_BLANK}\d{{3}})+(?![\d.,]\d)|\d+(?:[.,]\d+)*"
_POWER = rf"{_BLANK}?[x×*·]{_BLANK}?10(?:\^{_MINUS}?\d+|{_MINUS}\d+|[⁻⁰¹²³⁴-⁹]+)"
# A minus behind a number is that of a range.
_SIGNED = rf"(?:minus{_BLANK}|(?<!\d)(?<!\d{_BLANK}){_MINUS})?"
_ONE = rf"{_SIGNED}(?:{_DIGITS})(?:{_POWER})?"
_TO = rf"\u2013|\u2014|{_MINUS}|to|bis|à"
_JOINED = rf"{_TO}|±|\+/-|/|×|x|or|oder|ou"
_BETWEEN = rf"(?:(?i:between|zwischen|entre){_BLANK}{_ONE}{_BLANK}(?:and|und|et){_BLANK}{_ONE})"
_WRITTEN = sorted(_KINDS, key=len, reverse=True)
_NAMED = "|".join(re.escape(name) for name in _WRITTEN if name.islower() and len(name) > 2)
_SYMBOL = "|".join(re.escape(name) for name in _WRITTEN if not name.islower() or len(name) < 3)
# Letters that no list has, with a capital where words have none: kDa, Th. Names such as LED are all capitals.
_OTHER = r"[a-z]{1,2}[A-Z][a-z]{0,2}|[A-Z][a-z]"
_SIMPLE = rf"(?:{_SYMBOL}|(?i:{_NAMED})|{_OTHER})(?:[²³]|\^?-?[1-3](?![\d.,]))?(?![^\W\d_])"
_UNIT = rf"{_SIMPLE}(?:{_BLANK}?[/·]{_BLANK}?{_SIMPLE})*(?:{_BLANK}?%)?"
_NUMBER = re.compile(_ONE)
_QUANTITY = re.compile(
    rf"(?<![\w.,])(?<!\w{_MINUS})(?P<numbers>{_BETWEEN}|{_ONE}(?:{_BLANK}*(?:{_JOINED}){_BLANK}*{_ONE})*)"
    rf"(?:{_BLANK}*-?(?P<unit>{_UNIT}))?(?!\w)"
)
_RANGE = re.compile(rf"[\s\d](?:{_TO}|and|und|et)(?:[\s\d]|{_MINUS})")
_TOLERANCE = re.compile(r"±|\+/-")
_POWERS = re.compile(_POWER)
_NAMING = re.compile(
    r"(?:claims?|anspr\w+|revendications?|fig(?:ure|ur)?s?\.?|steps?|nos?[.:])\s*(?:[\d,\s]|to|or|and|bis|oder|und)*$",
    re.IGNORECASE,
)
_ABOUT = r"(?:\s+(?:about|approximately|around|etwa|circa|environ))?\s*$"
_AT_LEAST = re.compile(
    r"(?:at least|(?:more|greater|higher|larger|longer|not less|no less) than|above|exceed(?:s|ing)?|over|≥|>"
    r"|mindestens|wenigstens|mehr als|größer als|über|au moins|plus de|supérieure? à)" + _ABOUT,
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?:at most|(?:less|lower|smaller|shorter|not more|no more) than|below|under|up to|≤|<|höchstens|maximal"
    r"|weniger als|kleiner als|unter|bis zu|au plus|moins de|inférieure? à)" + _ABOUT,
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"[.,]")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3}){2,})")
"""``1,000`` and ``1.000.000``; ``1.000`` has decimals in English, and so here."""
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_PLAIN = re.compile(rf"\d+\.\d+|{_THOUSANDS.pattern}")
"""A number that may stand without a unit: with a comma for decimals it may as well be two."""
_SYMBOLS = 3
_EXPONENTS = str.maketrans("²³", "23")
_BEFORE = 40
_LITTLE = 1e-6


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity and where it is: half-open code points of the text it was found in."""

    start: int
    end: int
    values: tuple[float, ...]
    """Its numbers in order, in the unit that `kind` is named after."""
    kind: str
    """What it measures; empty without a unit."""
    ends: tuple[float, float] | None = None
    """Those of a range, a tolerance or a limit; a limit has an infinite one."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a text has of quantities."""

    quantities: tuple[Quantity, ...]
    numbers: tuple[float, ...]
    """All of its numbers, those without a unit among them; no reference signs in brackets."""

    @classmethod
    def of(cls, text: str) -> Figures:
        """The figures of a passage."""
        numbers = _NUMBER.findall(to_encoder_text(text).text)
        return cls(find_quantities(text), tuple(map(_read_number, numbers)))

    def state(self, wanted: Quantity) -> TermState:
        """What there is of a quantity of a claim.

        Literal: all of its numbers, of the same kind. By meaning: a value or a narrower range inside its
        range or beyond its limit. A number without a unit is compared with every number. What is measured
        is not compared: a width of 5 mm is found in a height of 5 mm.
        """
        same = [each for each in self.quantities if each.kind == wanted.kind]
        values = [value for each in same for value in each.values] if wanted.kind else self.numbers
        if all(any(isclose(value, there, rel_tol=_LITTLE) for there in values) for value in wanted.values):
            return TermState.LITERAL
        if wanted.ends is None:
            return TermState.MISSING
        low, high = wanted.ends
        little = _LITTLE * max(abs(each) for each in wanted.values)
        inside = (
            low - little <= min(each.ends or each.values) and max(each.ends or each.values) <= high + little
            for each in same
        )
        return TermState.MEANING if any(inside) else TermState.MISSING


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in order, without reference signs and numbers of claims and figures."""
    read = to_encoder_text(text)
    # The Greek letter for the sign of a millionth.
    written = read.text.replace("\u03bc", "\u00b5")
    found = []
    for match in _QUANTITY.finditer(written):
        numbers, unit = match["numbers"], match["unit"] or ""
        each = _NUMBER.findall(numbers)
        plain = not (_TOLERANCE.search(numbers) or _POWERS.search(numbers) or any(map(_DECIMAL.search, each)))
        before = written[max(0, match.start() - _BEFORE) : match.start()]
        # A letter may be of the name of a figure: 7A.
        if len(unit) < 2 and not unit.startswith("%") and _NAMING.search(before):
            continue
        if not unit and (plain or _is_of_name(each, before, written[match.end() :])):
            continue
        kind, by = _find_kind(unit)
        values = tuple(_read_number(number) * by for number in each)
        start, end = int(read.origin[match.start()]), int(read.origin[match.end()])
        end = start + len(text[start:end].rstrip())
        found.append(Quantity(start, end, values, kind, _find_ends(numbers, values, before)))
    return tuple(found)


def _is_of_name(numbers: Sequence[str], before: str, after: str) -> bool:
    """Whether numbers without a unit are of a chemical name: ``2,5-diaza``, ``bicyclo[2.2.1]``."""
    placed = any(_DECIMAL.search(each) and not _PLAIN.fullmatch(each) for each in numbers)
    return placed or before.endswith(("[", "-", "(")) or after.startswith(("-", "]", "'"))


def _find_ends(numbers: str, values: tuple[float, ...], before: str) -> tuple[float, float] | None:
    if len(values) == 1 and _AT_LEAST.search(before):
        return values[0], inf
    if len(values) == 1 and _AT_MOST.search(before):
        return -inf, values[0]
    if len(values) != 2:
        return None
    if _TOLERANCE.search(numbers):
        return values[0] - abs(values[1]), values[0] + abs(values[1])
    return (min(values), max(values)) if _RANGE.search(numbers) else None


def _find_kind(unit: str) -> tuple[str, float]:
    """What a unit measures, and by how much to multiply; of products and unknown units its letters."""
    plain = re.sub(r"\s+", " ", unit.strip()).replace(" %", "%").replace("^", "").translate(_EXPONENTS)
    # Of symbols the case counts: mM is no mm.
    named = _KINDS.get(plain.casefold()) if len(plain) > _SYMBOLS else None
    return _KINDS.get(plain) or named or (plain.replace(" ", ""), 1.0)


def _read_number(number: str) -> float:
    digits, *powers = re.split(r"[x×*·]", re.sub(rf"^(?:minus|{_MINUS})|{_BLANK}", "", number))
    power = 0
    if powers:
        written = re.sub(_MINUS, "-", powers[0].translate(_SUPERSCRIPT))
        power = int(written.removeprefix("10").removeprefix("^"))
    value = _read_digits(digits) * 10.0**power
    return value if number[0].isdecimal() else -value


def _read_digits(digits: str) -> float:
    whole, *parts = _DECIMAL.split(digits)
    if not parts:
        return float(whole)
    if _THOUSANDS.fullmatch(digits):
        return float("".join((whole, *parts)))
    *thousands, decimals = parts
    return float(f"{''.join((whole, *thousands))}.{decimals}")
