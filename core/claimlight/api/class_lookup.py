"""Classes of CPC and IPC: imported editions, or the shipped titles without one."""

from __future__ import annotations

from contextlib import nullcontext

from claimlight.api.library import Library
from claimlight.api.running import AnyPath, Report, parse_choice, path_of, task_of
from claimlight.services.classes.schemes import Schemes
from claimlight.services.library import library as libraries
from claimlight.tasks import TaskContext
from claimlight.types import (
    ClassComparison,
    ClassExpansion,
    ClassHits,
    ClassLevel,
    ClassView,
    EditionInfo,
    EditionReport,
    Scheme,
)


def import_classes(
    path: AnyPath, *, scheme: Scheme | str = "", version: str = "", progress: Report | None = None
) -> EditionReport:
    """Import an edition of CPC or IPC from official files: a folder, a zip or one file.

    ``scheme`` and ``version`` are needed only where the files and their names do not say them. The same
    files again change nothing. `InputError` for files that are of no scheme or do not follow their layout.
    """
    return Schemes().import_files(path_of(path), task_of(progress), scheme=_scheme(scheme), version=version)


def list_editions() -> tuple[EditionInfo, ...]:
    """The imported editions, by scheme, the newest first; files that can't be used are left out."""
    return Schemes().list()[0]


def show_class(symbol: str, *, scheme: Scheme | str = "", version: str = "") -> ClassView:
    """A class with its place in the scheme, by a symbol in any spelling: ``B62K25/04``, ``B62K0025040000``.

    Without ``version`` the newest edition that has it, and whether it is retired since; without ``scheme``
    the CPC, then the IPC. `InputError` if it is no symbol or no edition has it.
    """
    return Schemes().show(symbol, scheme=_scheme(scheme), version=version)


def search_classes(
    words: str,
    *,
    scheme: Scheme | str = Scheme.CPC,
    version: str = "",
    level: ClassLevel | str | None = None,
    below: str = "",
    top: int = 20,
) -> ClassHits:
    """The classes whose titles contain the words, best first; ``weld*`` is a word that begins so.

    Words of a class's own title count more than those of the titles above it. ``level`` keeps one level,
    ``below`` what is below a symbol.
    """
    return Schemes().search(
        words,
        TaskContext(),
        scheme=parse_choice(Scheme, scheme, "scheme"),
        version=version,
        level=None if level is None else parse_choice(ClassLevel, level, "level"),
        below=below,
        top=top,
    )


def expand_class(
    symbol: str,
    *,
    scheme: Scheme | str = "",
    version: str = "",
    library: AnyPath | Library | None = None,
) -> ClassExpansion:
    """A symbol with everything below it, by the dots of the scheme; with a library the documents of each."""
    if isinstance(library, Library):
        library = library.path
    opened = nullcontext() if library is None else libraries.Library.open(path_of(library), read_only=True)
    with opened as held:
        return Schemes().expand(symbol, scheme=_scheme(scheme), version=version, library=held)


def compare_classes(
    before: str, after: str, *, scheme: Scheme | str = Scheme.CPC, progress: Report | None = None
) -> ClassComparison:
    """What changed between two imported versions: symbols added, removed, with another title."""
    return Schemes().compare(before, after, task_of(progress), scheme=parse_choice(Scheme, scheme, "scheme"))


def _scheme(value: Scheme | str) -> Scheme | None:
    return parse_choice(Scheme, value, "scheme") if value else None
