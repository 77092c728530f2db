"""The classes of a document in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import Scheme
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claimlight.services.classes.labels import ClassLabel

SCHEME_NAMES = {Scheme.CPC: tr("CPC"), Scheme.IPC: tr("IPC"), Scheme.OTHER: tr("Other")}
"""In the order of the rows."""
_KINDS = ((True, tr("inventive")), (False, tr("additional")), (None, ""))
NO_CLASSES = tr("No classes: the files of this document name none")


@dataclass(frozen=True, slots=True)
class ClassRow:
    """The classes of one scheme and kind, in the order of the document, the first one first."""

    name: str
    """``CPC additional``."""
    labels: tuple[ClassLabel, ...]


def class_rows(labels: Iterable[ClassLabel]) -> tuple[ClassRow, ...]:
    """CPC, IPC and others apart, each in inventive, additional and neither."""
    known = list(labels)
    rows: list[ClassRow] = []
    for scheme, name in SCHEME_NAMES.items():
        for kind, word in _KINDS:
            own = [each for each in known if each.symbol.scheme is scheme and each.symbol.inventive is kind]
            own.sort(key=lambda each: not each.symbol.first)
            if own:
                rows.append(ClassRow(f"{name} {word}".strip(), tuple(own)))
    return tuple(rows)


def rows_line(rows: Iterable[ClassRow]) -> str:
    """All rows in one line."""
    return "   ·   ".join(
        f"{row.name}: {', '.join(each.symbol.symbol for each in row.labels)}" for row in rows
    )


def label_words(label: ClassLabel) -> str:
    """Kind and version of the symbol, and its titles from the section downwards."""
    symbol = label.symbol
    kind = {True: tr("inventive"), False: tr("additional"), None: ""}[symbol.inventive]
    told = ", ".join(
        filter(
            None,
            (
                kind,
                tr("first") if symbol.first else "",
                tr("version {version}", version=symbol.version) if symbol.version else "",
            ),
        )
    )
    lines = [f"{SCHEME_NAMES[symbol.scheme]} {symbol.symbol}{f' ({told})' if told else ''}"]
    if label.retired:
        lines.append(tr("Retired: {edition} is the last imported version that has it", edition=label.edition))
    lines += [f"{entry.symbol}  {entry.short or entry.title}" for entry in label.path]
    if label.path and not label.known:
        lines.append(
            tr("{edition} has no title of {symbol} itself", edition=label.edition, symbol=symbol.symbol)
        )
    return "\n".join(lines)
