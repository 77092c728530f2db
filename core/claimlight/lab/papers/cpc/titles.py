"""Zero-shot classification: a document gets the labels whose official titles are nearest to it.

Nothing is trained, so labels that no document has are found as well (paper, section 7: "zero- or few-shot
classification in long-tail categories").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from claimlight.errors import InputError
from claimlight.lab.papers.cpc.features import title_lines
from claimlight.lab.papers.cpc.levels import Level

_PARENTHESES = re.compile(r"\([^()]*\)")
_EDITION = re.compile(r"\s+\d*(?:19|20)\d\d\.(?:\d\d)?$")
"""When a group came into the IPC, behind some titles."""
_MAIN = "/00"


def read_label_titles(path: Path, level: Level) -> Mapping[str, str]:
    """Texts of the labels of a level, by label ascending; read as `features.read_titles` does.

    A section is its title with those of its classes; a class and a subclass their own; a group follows the
    title of its subclass, a subgroup both. Parentheses, which name what belongs elsewhere, are left out. A
    list without titles of the level is an `InputError`.
    """
    own: dict[str, str] = {}
    for symbol, title in title_lines(path):
        label = Level.SUBGROUP.label(symbol) or _spelled(symbol)
        if label:
            own[label] = _clean(title)
    found = {level.label(symbol): text for symbol in sorted(own) if (text := _text(symbol, level, own))}
    if not found:
        raise InputError(f"{path} has no titles of the level {level}.")
    return found


def _spelled(symbol: str) -> str:
    """A symbol above the groups, as it is; empty for anything else."""
    for level in (Level.SECTION, Level.CLASS, Level.SUBCLASS):
        if level.label(symbol) == symbol:
            return symbol
    return ""


def _text(label: str, level: Level, own: Mapping[str, str]) -> str:
    """The text of a symbol that is of this level; else empty. ``own`` has titles by full symbol."""
    if level is Level.MAIN_GROUP and label.endswith(_MAIN):
        return f"{own.get(label[:4], '')}: {own[label]}"
    if level is Level.SUBGROUP and "/" in label:
        main = label.partition("/")[0] + _MAIN
        parts = [own.get(label[:4], ""), own.get(main, ""), own[label] if label != main else ""]
        return ": ".join(part for part in parts if part)
    if level in (Level.MAIN_GROUP, Level.SUBGROUP) or level.label(label) != label:
        return ""
    if level is Level.SECTION:
        classes = [title for symbol, title in own.items() if len(symbol) == 3 and symbol[0] == label]
        return "; ".join([own[label], *classes])
    return own[label]


def _clean(title: str) -> str:
    text = title.replace("{", "").replace("}", "")
    while (shorter := _PARENTHESES.sub("", text)) != text:
        text = shorter
    return _EDITION.sub("", " ".join(text.split())).lower()
