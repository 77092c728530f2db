"""Symbols over the editions of a scheme: retired ones, where they went, and what changed between two."""

from __future__ import annotations

import re
from dataclasses import replace

from claimlight.classes.edition_file import EditionFile
from claimlight.classes.editions import Editions
from claimlight.classes.tree import find_view, has_groups_of, read_transfers
from claimlight.tasks import TaskContext
from claimlight.types import ClassChange, ClassComparison, ClassView, Scheme, Transfer

_BRACKETS = re.compile(r"\([^()]*\)")
_NO_WORD = re.compile(r"[\W_]+")


def find_in_editions(editions: Editions, scheme: Scheme, symbol: str) -> ClassView | None:
    """A symbol in the newest edition, else in the last that has it; None if no edition has it.

    It is retired only if a newer edition has other groups of its subclass, or no such subclass at all: an
    edition that was imported without the files of the subclass says nothing about it. The view also has what
    older editions say of where its documents went.
    """
    known = editions.known(scheme)
    if not known:
        return find_view(editions.open(scheme), symbol)
    found: ClassView | None = None
    missing = False
    for edition in known:
        file = editions.open(scheme, edition.version)
        view = find_view(file, symbol)
        if view is not None:
            found = view
            break
        missing = missing or covers(file, symbol)
    if found is None:
        return None
    retired = missing and found.edition != known[0]
    transfers = find_transfers(editions, scheme, symbol)
    return replace(found, retired=retired, newest=known[0], transfers=transfers)


def covers(file: EditionFile, symbol: str) -> bool:
    """Whether an edition would have this symbol if it were in force: it has others of its subclass."""
    subclass = symbol[:4]
    if " " not in symbol:
        return True
    return has_groups_of(file, subclass) or find_view(file, subclass) is None


def compare_editions(before: EditionFile, after: EditionFile, context: TaskContext) -> ClassComparison:
    """What changed from one edition to another, in the order of the symbols.

    Only subclasses of which both have groups are compared by groups. Titles are compared by their words: the
    files of one edition differ in brackets and capitals from those of another.
    """
    old, new = _read_titles(before, context), _read_titles(after, context)
    shared = {symbol[:4] for symbol in old if " " in symbol} & {symbol[:4] for symbol in new if " " in symbol}
    grouped = {symbol[:4] for symbol in [*old, *new] if " " in symbol}
    # A subclass that one of them does not have at all was added or removed with its groups.
    uncompared = {each for each in grouped - shared if each in old and each in new}

    def counts(symbol: str) -> bool:
        return symbol[:4] not in uncompared or " " not in symbol

    removed = [symbol for symbol in old if symbol not in new and counts(symbol)]
    with before.read(context) as connection:
        transfers = {symbol: read_transfers(connection, symbol, before.edition) for symbol in removed}
    both = [symbol for symbol in old if symbol in new]
    changed = [symbol for symbol in both if _differ(old[symbol], new[symbol])]
    return ClassComparison(
        before=before.edition,
        after=after.edition,
        added=tuple(ClassChange(each, "", new[each]) for each in new if each not in old and counts(each)),
        removed=tuple(ClassChange(each, old[each], "", transfers[each]) for each in removed),
        retitled=tuple(ClassChange(each, old[each], new[each]) for each in changed),
        same=len(both) - len(changed),
        uncompared=tuple(sorted(uncompared)),
    )


def _read_titles(file: EditionFile, context: TaskContext) -> dict[str, str]:
    with file.read(context) as connection:
        return dict(connection.execute("SELECT symbol, title FROM entry ORDER BY id").fetchall())


def _differ(old: str, new: str) -> bool:
    return bool(old and new) and _plain(old) != _plain(new)


def _plain(title: str) -> str:
    return _NO_WORD.sub(" ", _BRACKETS.sub(" ", title)).casefold().strip()


def find_transfers(editions: Editions, scheme: Scheme, symbol: str) -> tuple[Transfer, ...]:
    """What all editions of a scheme say of where the documents of a symbol went, the newest first.

    Of an IPC symbol also what the editions of the CPC say: which CPC groups cover an IPC group that the
    CPC does not have.
    """
    found: dict[tuple[str, ...], Transfer] = {}
    for edition in (*editions.known(scheme), *(editions.known(Scheme.CPC) if scheme is Scheme.IPC else ())):
        file = editions.open(edition.scheme, edition.version)
        with file.read() as connection:
            for transfer in read_transfers(connection, symbol, edition):
                found.setdefault(transfer.targets, transfer)
    return tuple(found.values())
