"""How many documents of a library each class has, with everything below it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import numpy as np

from claimlight.services.classes.labels import symbols_above
from claimlight.services.classes.schemes import Schemes
from claimlight.services.library.library import Library
from claimlight.tasks import TaskContext
from claimlight.types import Scheme

_SYMBOLS = "SELECT symbol, document_id FROM class_symbol WHERE scheme = ?"


def count_classes(
    library: Library, schemes: Schemes, scheme: Scheme, version: str, context: TaskContext
) -> Mapping[str, int]:
    """Documents with a class or one below it, by symbol; classes without documents are left out.

    A symbol that the edition does not have counts for the main group, subclass, class and section in its
    characters.
    """
    with library.store.read() as connection:
        rows = connection.exec_driver_sql(_SYMBOLS, (scheme.value,)).all()
    context.check()
    if not rows:
        return {}
    places: dict[str, int] = {}
    of_row = np.fromiter((places.setdefault(row[0], len(places)) for row in rows), np.int64, len(rows))
    documents = np.fromiter((row[1] for row in rows), np.int64, len(rows))
    del rows
    paths = schemes.paths(list(places), scheme, version)
    context.check()
    names: dict[str, int] = {}
    lists = [
        [names.setdefault(each, len(names)) for each in paths.get(symbol) or (symbol, *symbols_above(symbol))]
        for symbol in places
    ]
    sizes = np.array([len(each) for each in lists], np.int64)
    flat = np.fromiter(chain.from_iterable(lists), np.int64, int(sizes.sum()))
    starts = np.cumsum(sizes) - sizes
    repeats = sizes[of_row]
    # For each row its whole path: the start of the path of its symbol, and the place within it.
    within = np.arange(int(repeats.sum())) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    nodes = flat[np.repeat(starts[of_row], repeats) + within]
    # One number for a pair of node and document, sorted: several times as fast as `np.unique`.
    base = int(documents.max()) + 1
    pairs = nodes * base + np.repeat(documents, repeats)
    pairs.sort()
    context.check()
    first = np.concatenate([[True], pairs[1:] != pairs[:-1]])
    counts = np.bincount(pairs[first] // base, minlength=len(names))
    return {name: int(counts[place]) for name, place in names.items()}


def choose_scheme(library: Library) -> Scheme:
    """The scheme that more documents of a library have classes of; the CPC if there are as many."""
    # PostgreSQL sorts all rows for count(DISTINCT …), but not for this.
    held = "SELECT DISTINCT scheme, document_id FROM class_symbol"
    query = f"SELECT scheme, count(*) FROM ({held}) AS held GROUP BY scheme"  # noqa: S608
    with library.store.read() as connection:
        counts = {row[0]: row[1] for row in connection.exec_driver_sql(query)}
    more = counts.get(Scheme.IPC.value, 0) > counts.get(Scheme.CPC.value, 0)
    return Scheme.IPC if more else Scheme.CPC


_BELOW = (
    "SELECT count(DISTINCT document_id) FROM class_symbol WHERE scheme = ? AND symbol >= ? AND symbol < ?"
)


def count_documents_below(library: Library, scheme: Scheme, symbol: str) -> int:
    """Documents of a library whose symbols begin with a symbol, by its characters."""
    begin = symbol.removesuffix("00") if symbol.endswith("/00") else symbol
    # Symbols are ASCII, so all that begin with a text are below the text with a last character after any.
    with library.store.read() as connection:
        (count,) = connection.exec_driver_sql(_BELOW, (scheme.value, begin, f"{begin}\x7f")).one()
    return int(count)
