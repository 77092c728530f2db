"""What the front ends ask of the schemes: one object over the imported editions and the shipped titles."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from claimlight.classes import history, searching, tree
from claimlight.classes.edition_file import EditionFile
from claimlight.classes.editions import Editions, parse_version
from claimlight.classes.importing import import_edition
from claimlight.errors import InputError
from claimlight.formats.parts.symbols import read_class, read_classes
from claimlight.services.library.library import Library
from claimlight.store.database import among
from claimlight.tasks import TaskContext
from claimlight.types import (
    SCHEMES,
    ClassComparison,
    ClassEntry,
    ClassExpansion,
    ClassHits,
    ClassLevel,
    ClassView,
    CountedEntry,
    Edition,
    EditionInfo,
    EditionReport,
    Scheme,
)

HOW_TO_IMPORT = "Import the official files: claimlight classes import PATH"


@dataclass(frozen=True, slots=True)
class SymbolsBelow:
    """A symbol with all below it, in the order of the scheme."""

    edition: Edition
    retired: bool
    """Whether a newer edition no longer has the symbol."""
    symbols: tuple[str, ...]


class Schemes:
    """CPC and IPC as far as they were imported; without an edition the shipped titles answer."""

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` of the editions; default: the user's."""
        self._editions = Editions(folder)

    def import_files(
        self, path: Path, context: TaskContext, *, scheme: Scheme | None = None, version: str = ""
    ) -> EditionReport:
        """Import an edition; see `claimlight.classes.importing.import_edition`."""
        return import_edition(self._editions, path, context, scheme=scheme, version=version)

    def list(self) -> tuple[tuple[EditionInfo, ...], tuple[str, ...]]:
        """The imported editions, and a sentence for each file that can't be used."""
        return self._editions.list()

    def remove(self, scheme: Scheme, version: str) -> Edition:
        """Delete an edition, also one that is damaged; `InputError` if it was not imported."""
        edition = self._editions.find(scheme, version)
        self._editions.remove(edition)
        return edition

    def edition(self, scheme: Scheme, version: str = "") -> Edition:
        """The edition that answers: that version, else the newest, else the shipped titles."""
        return self._editions.open(scheme, version).edition

    def sections(self, scheme: Scheme, version: str = "") -> tuple[ClassEntry, ...]:
        """The top of the tree."""
        return tree.list_sections(self._editions.open(scheme, version))

    def show(self, text: str, *, scheme: Scheme | None = None, version: str = "") -> ClassView:
        """An entry with its place, notes and references, by a symbol in any spelling.

        Without a version the newest edition that has it, and whether it is retired since. Without a scheme
        the CPC, then the IPC. `InputError` if it is no symbol or in no edition.
        """
        symbol = _require_symbol(text)
        version = parse_version(version) if version else ""
        asked = [scheme] if scheme else [each for each in SCHEMES if self._has(each, version)] or [Scheme.CPC]
        for each in asked:
            if version:
                view = tree.find_view(self._editions.open(each, version), symbol)
            else:
                view = history.find_in_editions(self._editions, each, symbol)
            if view is not None:
                return view
        raise InputError(self._explain_missing(symbol, asked[0], version))

    def show_all(
        self, text: str, *, scheme: Scheme | None = None, version: str = ""
    ) -> tuple[ClassView, ...]:
        """As `show`, of each symbol of a list separated by ``;``, ``,`` or ``//``."""
        symbols, others = read_classes(text)
        for other in others or (() if symbols else (text,)):
            _require_symbol(other)
        return tuple(self.show(symbol, scheme=scheme, version=version) for symbol in symbols)

    def search(
        self,
        text: str,
        context: TaskContext,
        *,
        scheme: Scheme = Scheme.CPC,
        version: str = "",
        level: ClassLevel | None = None,
        below: str = "",
        top: int = 20,
    ) -> ClassHits:
        """The entries whose titles contain the words, best first; see `claimlight.classes.searching`."""
        file = self._editions.open(scheme, version)
        symbol = _require_symbol(below) if below else ""
        return searching.search_titles(file, text, context, level=level, below=symbol, top=top)

    def expand(
        self,
        text: str,
        *,
        scheme: Scheme | None = None,
        version: str = "",
        library: Library | None = None,
    ) -> ClassExpansion:
        """A symbol with everything below it in the scheme, and their documents in a library."""
        view = self.show(text, scheme=scheme, version=version)
        file = self._open(view.edition)
        entries = tree.list_subtree(file, view.entry.symbol)
        if library is None:
            counted = tuple(CountedEntry(entry) for entry in entries)
            return ClassExpansion(view.edition, view.entry.symbol, counted)
        counts, documents = _count_documents(
            library, view.edition.scheme, [entry.symbol for entry in entries]
        )
        return ClassExpansion(
            view.edition,
            view.entry.symbol,
            tuple(CountedEntry(entry, counts.get(entry.symbol, 0)) for entry in entries),
            documents,
        )

    def below(self, symbol: str, scheme: Scheme) -> SymbolsBelow:
        """The symbols of a subtree, by the newest edition that has its top; `InputError` if none has."""
        view = self.show(symbol, scheme=scheme)
        symbols = tree.list_symbols_below(self._open(view.edition), view.entry.symbol)
        return SymbolsBelow(view.edition, view.retired, symbols)

    def paths(
        self, symbols: builtins.list[str], scheme: Scheme, version: str = ""
    ) -> Mapping[str, Sequence[str]]:
        """The symbols from each symbol up to its section, itself first; see `tree.list_paths`."""
        return tree.list_paths(self._editions.open(scheme, version), symbols)

    def compare(
        self, before: str, after: str, context: TaskContext, *, scheme: Scheme = Scheme.CPC
    ) -> ClassComparison:
        """What changed between two versions of a scheme."""
        files = [self._editions.open(scheme, parse_version(version)) for version in (before, after)]
        return history.compare_editions(files[0], files[1], context)

    def _has(self, scheme: Scheme, version: str) -> bool:
        return not version or Edition(scheme, version) in self._editions.known(scheme)

    def _open(self, edition: Edition) -> EditionFile:
        return self._editions.open(edition.scheme, edition.version)

    def _explain_missing(self, symbol: str, scheme: Scheme, version: str) -> str:
        newest = self._editions.newest(scheme)
        if newest is None and not version:
            if " " in symbol:
                return f"{symbol} is a group, and no {scheme.upper()} was imported. {HOW_TO_IMPORT}"
            return f"There is no {symbol} in the {scheme.upper()}."
        file = self._editions.open(scheme, version)
        if not history.covers(file, symbol):
            return f"{file.edition} was imported without the groups of {symbol[:4]}. {HOW_TO_IMPORT}"
        return f"There is no {symbol} in {file.edition}{'' if version else ' or an older imported edition'}."


def _require_symbol(text: str) -> str:
    symbol = read_class(text)
    if not symbol:
        raise InputError(
            f"{text.strip() or 'An empty text'} is no symbol of CPC or IPC. Write H, H04, H04L, H04L 9/00 or "
            "H04L 9/06."
        )
    return symbol


def _count_documents(
    library: Library, scheme: Scheme, symbols: builtins.list[str]
) -> tuple[dict[str, int], int]:
    """Documents by symbol, and those with at least one."""
    with library.store.read() as connection:
        held, listed = among(connection, symbols)
        below, values = f"scheme = ? AND symbol {held}", (scheme.value, listed)
        each = f"SELECT symbol, count(DISTINCT document_id) FROM class_symbol WHERE {below} GROUP BY symbol"  # noqa: S608
        whole = f"SELECT count(DISTINCT document_id) FROM class_symbol WHERE {below}"  # noqa: S608
        counts = connection.exec_driver_sql(each, values).all()
        (documents,) = connection.exec_driver_sql(whole, values).one()
    return {row[0]: row[1] for row in counts}, documents
