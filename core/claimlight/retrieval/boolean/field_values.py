"""Dates and classes in a query line."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from claimlight.formats.parts.symbols import read_class
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.nodes import ClassRange, ClassSubtree, DayRange

EVER = (0, 99_999_999)
"""Before and after every day."""
_DAY = re.compile(r"(\d{4})(?:(-?)(\d{2})(?:\2(\d{2}))?)?")
_RANGE = re.compile(r"(.+?)\s*(?:\.\.|->|:|-)\s*(.+)")
# Sections A to H, and Y, which only the CPC has.
_SYMBOL = re.compile(r"([A-HY])(?:(\d\d)(?:([A-Z])(?:\s*(\d{1,4})(?:/(\d{1,8})?)?)?)?)?")
_MASTER_FILE = re.compile(r"[A-HY]\d\d[A-Z]\d{10}")


def parse_days(field: Field, text: str, *, column: int = 0, shown: str = "") -> DayRange:
    """Parse ``2010``, ``201003``, ``2010-03-15``, ``2010..2012``; raises `ValueError` with an explanation."""
    text = text.strip()
    if _DAY.fullmatch(text):
        first, last = _parse_period(text)
        return DayRange(field, first, last, column=column, text=shown)
    found = _RANGE.fullmatch(text)
    if found is None or not _DAY.fullmatch(found[1]) or not _DAY.fullmatch(found[2]):
        raise ValueError(_no_day(text))
    first, last = _parse_period(found[1])[0], _parse_period(found[2])[1]
    if first > last:
        raise ValueError(f"The range {text} is reversed. Write the earlier date first.")
    return DayRange(field, first, last, column=column, text=shown)


def parse_comparison(field: Field, bounds: list[tuple[str, str]], *, column: int, shown: str) -> DayRange:
    """Parse ``>=2010``, ``<2015``, ``>=2010<=2015``, ``<>20100101``."""
    low, high = EVER
    for sign, text in bounds:
        if sign == "<>":
            if len(bounds) > 1:
                raise ValueError("<> can't be combined with another comparison. Use AND.")
            inner = parse_days(field, text)
            return DayRange(field, inner.first, inner.last, outside=True, column=column, text=shown)
        if not _DAY.fullmatch(text.strip()):
            raise ValueError(_no_day(text))
        first, last = _parse_period(text.strip())
        if sign[0] == ">":
            # ">2010" is after the whole year, "<2010" before it.
            low = max(low, first if sign == ">=" else _shift_day(last, 1))
        else:
            high = min(high, last if sign == "<=" else _shift_day(first, -1))
    if low > high:
        raise ValueError(f"No date satisfies {shown}. Check the signs.")
    return DayRange(field, low, high, column=column, text=shown)


def _shift_day(day: int, step: int) -> int:
    """The day after or before."""
    try:
        moved = date(day // 10_000, day // 100 % 100, day % 100) + timedelta(days=step)
    except OverflowError:
        raise ValueError("Years range from 0001 to 9999.") from None
    return moved.year * 10_000 + moved.month * 100 + moved.day


def _no_day(text: str) -> str:
    return f"{text} is not a date. Write 20100315, 2010-03-15, 201003 or 2010, or a range as 2010..2012."


def _parse_period(text: str) -> tuple[int, int]:
    """First and last day of a year, a month or a day."""
    found = _DAY.fullmatch(text)
    assert found is not None
    year = int(found[1])
    month = int(found[3] or 0)
    if not year:
        raise ValueError(f"{text} is not a date: years range from 0001 to 9999.")
    if month > 12 or (found[3] and not month):
        raise ValueError(f"{text} is not a date: there is no month {found[3]}.")
    if not month:
        return year * 10_000 + 101, year * 10_000 + 1231
    days_in = monthrange(year, month)[1]
    day = int(found[4] or 0)
    if day > days_in or (found[4] and not day):
        raise ValueError(f"{text} is not a date: that month has {days_in} days.")
    head = year * 10_000 + month * 100
    return (head + day, head + day) if day else (head + 1, head + days_in)


@dataclass(frozen=True, slots=True, order=True)
class SymbolKey:
    """Sort key of a symbol in the order of the scheme: main groups as numbers, subgroups as decimals."""

    subclass: str
    group: int
    # A text, so that 9/3247 comes between 9/32 and 9/33, as in the scheme.
    subgroup: str


def parse_symbol(symbol: str) -> SymbolKey | None:
    """The key of a stored symbol; None if it is not a valid symbol. ``00`` is the main group itself."""
    found = _SYMBOL.fullmatch(symbol.upper())
    if found is None:
        return None
    subclass = "".join(found[n] or "" for n in (1, 2, 3))
    subgroup = found[5] or ""
    # -1 sorts a subclass before its groups.
    return SymbolKey(subclass, int(found[4] or -1), "" if set(subgroup) <= {"0"} else subgroup)


def parse_class(
    field: Field, text: str, *, exact: bool, column: int = 0, shown: str = ""
) -> ClassRange | ClassSubtree:
    """Parse ``H04L``, ``H04L9/00``, ``H04L9/$``, ``H04L9/06+`` or ``H04L9/00-H04L9/40``.

    Raises `ValueError` with an explanation. A section, class or subclass has everything below it anyway.
    """
    if text.endswith("+") and not exact:
        symbol = _format_symbol(text[:-1].strip(), shown or text)
        if " " in symbol:
            return ClassSubtree(field, symbol, column, shown)
        return ClassRange(field, symbol, column=column, text=shown)
    truncated = text.endswith(("$", "*"))
    plain = text.rstrip("$*").strip()
    parts = [part.strip() for part in re.split(r"-|\.\.|->", plain)]
    if len(parts) > 2 or (len(parts) == 2 and (truncated or exact)):
        raise ValueError(f"{shown} is not a range of classes. Write H04L9/00-H04L9/40.")
    symbols = [_format_symbol(part, shown or text) for part in parts]
    if len(symbols) == 2 and _require_key(symbols[0]) > _require_key(symbols[1]):
        raise ValueError(f"The range {shown} is reversed. Write the lower symbol first.")
    # H04L9/$ is the main group with all below it, as H04L9/00 is.
    open_group = truncated and plain.endswith("/")
    return ClassRange(
        field,
        symbols[0],
        symbols[1] if len(symbols) == 2 else "",
        exact,
        truncated and not open_group,
        column,
        shown,
    )


def _format_symbol(text: str, shown: str) -> str:
    """A symbol as the offices print it."""
    found = _SYMBOL.fullmatch(text.upper())
    if _MASTER_FILE.fullmatch(text.upper()):
        return read_class(text)
    if found is None:
        raise ValueError(
            f"{shown} is not a class. Write H (section), H04 (class), H04L (subclass), H04L9/00 (group), "
            "H04L9/32 (subgroup) or H04L9/06+ (a group with everything below it)."
        )
    head = "".join(found[n] or "" for n in (1, 2, 3))
    if found[4] is None:
        return head
    return f"{head} {int(found[4])}/{found[5] or '00'}"


def _require_key(symbol: str) -> SymbolKey:
    key = parse_symbol(symbol)
    assert key is not None
    return key
