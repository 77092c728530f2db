"""The classes of a document with their titles, and the query lines that find the documents of a class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.types import SCHEMES, ClassEntry, ClassSymbol, ClassView, Edition, Scheme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claimlight.services.classes.schemes import Schemes
    from claimlight.tasks import TaskContext


@dataclass(frozen=True, slots=True)
class ClassLabel:
    """A class of a document, as far as an edition or the shipped titles know it."""

    symbol: ClassSymbol
    path: tuple[ClassEntry, ...] = ()
    """From the section to the entry, or to the nearest entry above it that has a title."""
    edition: Edition | None = None
    """None if no title is known."""
    known: bool = False
    """Whether the edition has the symbol itself."""
    retired: bool = False
    """Whether the newest imported edition no longer has it."""

    @property
    def line(self) -> str:
        """The query line of its documents; empty for other schemes than CPC and IPC."""
        whole = self.known and self.edition is not None and bool(self.edition.version)
        return query_line(self.symbol.scheme, self.symbol.symbol, whole=whole)


def query_line(scheme: Scheme, symbol: str, *, whole: bool) -> str:
    """``CPC=B62K25/04+``; ``whole``: an imported edition has the symbol, so all below it is found by dots."""
    if scheme not in SCHEMES:
        return ""
    return f"{scheme.upper()}={symbol.replace(' ', '')}{'+' if whole else ''}"


def line_of_view(view: ClassView) -> str:
    """The query line of a class with everything below it."""
    return query_line(view.edition.scheme, view.entry.symbol, whole=bool(view.edition.version))


def label_classes(
    schemes: Schemes, symbols: Iterable[ClassSymbol], context: TaskContext
) -> tuple[ClassLabel, ...]:
    """Each class with its titles, in the order given; one that occurs twice is listed once.

    Of two the inventive one is kept, and it is first if either is.
    """
    kept: dict[tuple[Scheme, str], ClassSymbol] = {}
    for each in symbols:
        key = each.scheme, each.symbol
        if (former := kept.get(key)) is None:
            kept[key] = each
            continue
        better = each if each.inventive and not former.inventive else former
        kept[key] = replace(better, first=each.first or former.first)
    found: list[ClassLabel] = []
    for each in kept.values():
        context.check()
        found.append(_label(schemes, each))
    return tuple(found)


def _label(schemes: Schemes, symbol: ClassSymbol) -> ClassLabel:
    if symbol.scheme not in SCHEMES:
        return ClassLabel(symbol)
    for text in (symbol.symbol, *symbols_above(symbol.symbol)):
        try:
            view = schemes.show(text, scheme=symbol.scheme)
        except InputError:
            continue
        known = text == symbol.symbol
        return ClassLabel(symbol, (*view.path, view.entry), view.edition, known, known and view.retired)
    return ClassLabel(symbol)


def symbols_above(symbol: str) -> tuple[str, ...]:
    """Main group, subclass, class and section of a symbol, by its characters, the nearest first."""
    head, _, group = symbol.partition(" ")
    main = f"{head} {group.split('/')[0]}/00" if group else ""
    above = (main, head[:4], head[:3], head[:1])
    return tuple(dict.fromkeys(each for each in above if each and each != symbol))
