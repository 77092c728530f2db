"""What the readers of scheme files give: entries in the order of the file, with their depth."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

from claimlight.types import ClassLevel, ClassNote, ClassReference

_SYMBOL = re.compile(
    r"(?<![A-Za-z0-9])[A-HY]\d\d(?:[A-Z](?:\s?\d{1,4}/\d{2,6})?)?(?![A-Za-z0-9])(?:\s*[-–]\s*"
    r"[A-HY]\d\d(?:[A-Z](?:\s?\d{1,4}/\d{2,6})?)?(?![A-Za-z0-9]))?"
)
_BLANKS = re.compile(r"\s+")
_BEFORE_SIGN = re.compile(r"\s+([;,.)])")
_GROUP_DEPTH = 3


@dataclass(slots=True)
class Move:
    """A symbol whose documents went or are going elsewhere."""

    symbol: str
    targets: tuple[str, ...]
    text: str


@dataclass(slots=True)
class Record:
    """One entry of a scheme file."""

    symbol: str
    depth: int
    """0 section, 1 class, 2 subclass, 3 main group, 4 and more subgroup with depth - 3 dots."""
    title: str = ""
    heading: str = ""
    allocatable: bool = True
    additional_only: bool = False
    frozen: bool = False
    revised: date | None = None
    concordant: str = ""
    notes: list[ClassNote] = field(default_factory=list)
    references: list[ClassReference] = field(default_factory=list)


@dataclass(slots=True)
class Reading:
    """What one file gave; scheme and version are empty where the file does not say."""

    scheme: str = ""
    version: str = ""
    records: list[Record] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)


def level_of(depth: int) -> ClassLevel:
    """The level of an entry by its depth."""
    return tuple(ClassLevel)[min(depth, _GROUP_DEPTH + 1)]


def depth_of(symbol: str) -> int:
    """Depth of a section, class or subclass; 3 of every group."""
    return {1: 0, 3: 1, 4: 2}.get(len(symbol), _GROUP_DEPTH)


def clean(text: str) -> str:
    """One line, one blank between words, none before a comma."""
    return _BEFORE_SIGN.sub(r"\1", _BLANKS.sub(" ", text)).strip(" ;,")


def find_symbols(text: str) -> tuple[str, ...]:
    """The symbols that a text names, each once, in one spelling; a range is one item."""
    found = (_spell(match.group()) for match in _SYMBOL.finditer(text))
    return tuple(dict.fromkeys(found))


def make_references(text: str) -> list[ClassReference]:
    """The references of a bracket, which semicolons separate."""
    return [ClassReference(clean(part), find_symbols(part)) for part in text.split(";") if clean(part)]


def _spell(written: str) -> str:
    ends = [re.sub(r"(?<=[A-Z])\s?(?=\d{1,4}/)", " ", end.strip()) for end in re.split("[-–]", written)]
    return "-".join(ends)
