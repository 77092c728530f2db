"""The documents that have one of some classes, with everything below it: the filter of a search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.formats.parts.symbols import read_class
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.lookups import find_by_symbols, look_up
from claimlight.retrieval.boolean.nodes import ClassRange
from claimlight.retrieval.boolean.parser import parse
from claimlight.services.classes.counts import count_documents_below
from claimlight.services.classes.labels import query_line
from claimlight.services.classes.schemes import Schemes
from claimlight.services.library.library import Library
from claimlight.types import SCHEMES, ClassFilter, Scheme, plural

_WRITTEN = re.compile(r"\s*(?:(cpc|ipc)\s*[=: ]\s*)?(.+?)\+?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class ClassMembers:
    """The documents of some classes."""

    ids: NDArray[np.int64]
    """Ascending, none twice."""
    notes: tuple[str, ...]
    """What was searched, and how many documents that are."""


def read_class_filter(text: str) -> ClassFilter:
    """``B62K``, ``b62k25/04``, ``IPC=B62K25/04+``: any spelling of a symbol, of the CPC without a scheme.

    `InputError` if it is no symbol.
    """
    match = _WRITTEN.fullmatch(text)
    symbol = read_class(match[2]) if match else ""
    if match is None or not symbol:
        raise InputError(
            f"{text.strip() or 'An empty text'} is no symbol of CPC or IPC. Write B62K, B62K25/04 or "
            "IPC=B62K25/04."
        )
    return ClassFilter(Scheme((match[1] or "cpc").lower()), symbol)


def filter_line(classes: Sequence[ClassFilter]) -> str:
    """The query line of the documents that the filter lets pass; empty for no classes."""
    schemes = Schemes()
    return " OR ".join(_line(schemes, each)[0] for each in classes)


def find_class_members(library: Library, classes: Sequence[ClassFilter]) -> ClassMembers:
    """The documents with at least one of the classes or one below it, as their query lines find them.

    What is below a class is decided by the imported edition; without one, or if no edition has the symbol, by
    its characters.
    """
    schemes, told, found = Schemes(), [], [np.empty(0, np.int64)]
    for each in classes:
        if each.scheme not in SCHEMES:
            raise InputError(f"{each} is no class of CPC or IPC.")
        line, edition = _line(schemes, each)
        told.append(f"{each} ({edition})" if edition else str(each))
        with library.store.read() as connection:
            if line.endswith("+"):
                symbols = schemes.below(each.symbol, each.scheme).symbols
                found.append(find_by_symbols(connection, Field(each.scheme.value), symbols))
            else:
                leaf = parse(line)
                assert isinstance(leaf, ClassRange)
                found.append(look_up(connection, leaf))
    ids = np.unique(np.concatenate(found))
    names = " or ".join(told)
    note = f"Only documents of {names} with everything below: {plural(len(ids), 'document')}."
    hint = "" if len(ids) else _hint(library, classes)
    return ClassMembers(ids, (note, *filter(None, (hint,))))


def _hint(library: Library, classes: Sequence[ClassFilter]) -> str:
    """Where the documents are if another scheme has the same symbols."""
    for each in classes:
        for scheme in SCHEMES:
            if scheme is not each.scheme:
                count = count_documents_below(library, scheme, each.symbol)
                if count:
                    other = ClassFilter(scheme, each.symbol)
                    return f"{other} has {plural(count, 'document')}: search in {filter_line((other,))}."
    return ""


def _line(schemes: Schemes, each: ClassFilter) -> tuple[str, str]:
    """The query line of a class, and the version that decides what is below it; empty without one."""
    try:
        view = schemes.show(each.symbol, scheme=each.scheme)
    except InputError:
        return query_line(each.scheme, each.symbol, whole=False), ""
    version = view.edition.version
    return query_line(each.scheme, view.entry.symbol, whole=bool(version)), version
