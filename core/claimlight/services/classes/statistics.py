"""How often classes occur in the documents of a set or of a whole library, at a level of the scheme."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.services.classes.labels import query_line, symbols_above
from claimlight.types import (
    ClassCount,
    ClassLevel,
    ClassStatistics,
    CountBy,
    DocumentCount,
    DocumentStatistics,
    Scheme,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claimlight.services.classes.schemes import Schemes
    from claimlight.services.library.library import Library
    from claimlight.tasks import TaskContext

MOST = 50
"""Classes listed by default."""
_SYMBOLS = "SELECT document_id, symbol FROM class_symbol WHERE scheme = ?"
_LENGTHS = {1: ClassLevel.SECTION, 3: ClassLevel.CLASS, 4: ClassLevel.SUBCLASS}


def count_at_level(
    library: Library,
    schemes: Schemes,
    context: TaskContext,
    *,
    scheme: Scheme,
    level: ClassLevel,
    version: str = "",
    patents: Sequence[int] | None = None,
    top: int = MOST,
) -> ClassStatistics:
    """Documents by class of a level, most frequent first; at subgroup level by the symbol itself.

    ``patents`` are the documents that are looked at; None: all of the library. A symbol that the version
    does not have counts for the classes in its characters.
    """
    # Screens show these counts: the window is up before the store is loaded.
    from claimlight.store.database import among

    with library.store.read(context) as connection:
        if patents is None:
            rows = connection.exec_driver_sql(_SYMBOLS, (scheme.value,)).all()
            whole = connection.exec_driver_sql("SELECT count(*) FROM document").scalar_one()
        else:
            held, values = among(connection, map(int, patents))
            query = f"{_SYMBOLS} AND document_id {held}"
            rows = connection.exec_driver_sql(query, (scheme.value, values)).all()
            whole = len(set(patents))
    context.check()
    symbols = list({row[1] for row in rows})
    paths = schemes.paths(symbols, scheme, version)
    placed = {symbol: _at_level(symbol, paths, level) for symbol in symbols}
    pairs = {(document, placed[symbol]) for document, symbol in rows}
    context.check()
    counts = Counter(symbol for _, symbol in pairs if symbol)
    best = sorted(counts, key=lambda symbol: (-counts[symbol], symbol))
    listed = best[:top] if top else best
    made: list[ClassCount] = []
    for symbol in listed:
        context.check()
        title, line = _describe(schemes, symbol, scheme, version)
        made.append(ClassCount(symbol, title, counts[symbol], counts[symbol] / whole, line))
    return ClassStatistics(
        edition=schemes.edition(scheme, version),
        level=level,
        documents=whole,
        classified=len({document for document, _ in rows}),
        counts=tuple(made),
        others=len(best) - len(listed),
    )


def count_subclasses(
    library: Library,
    schemes: Schemes,
    context: TaskContext,
    *,
    scheme: Scheme,
    patents: Sequence[int] | None = None,
    top: int = MOST,
) -> DocumentStatistics:
    """`count_at_level` for subclasses, as one of the statistics of documents."""
    found = count_at_level(
        library, schemes, context, scheme=scheme, level=ClassLevel.SUBCLASS, patents=patents, top=top
    )
    counts = tuple(
        DocumentCount(each.symbol, each.title, each.documents, each.share, each.line) for each in found.counts
    )
    return DocumentStatistics(CountBy.CLASS, found.documents, found.classified, counts, found.others)


def within_set(found: ClassStatistics, label: str) -> ClassStatistics:
    """The statistics of a set, with lines that find its documents only: ``L3 AND CPC=B62K+``."""
    counts = tuple(replace(each, line=f"{label} AND {each.line}") for each in found.counts)
    return replace(found, counts=counts)


def statistics_table(found: ClassStatistics) -> str:
    """The counts as CSV: class, title, documents, share of all documents in per cent."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("class", "title", "documents", "percent"))
    for each in found.counts:
        writer.writerow((each.symbol, each.title, each.documents, f"{100 * each.share:.2f}"))
    return text.getvalue()


def _at_level(symbol: str, paths: Mapping[str, Sequence[str]], level: ClassLevel) -> str:
    """The class of a level that a symbol is or is below; empty if it is above that level."""
    if level is ClassLevel.SUBGROUP:
        return symbol if _level_of(symbol) is level else ""
    path = paths.get(symbol) or (symbol, *symbols_above(symbol))
    return next((each for each in path if _level_of(each) is level), "")


def _level_of(symbol: str) -> ClassLevel:
    if " " in symbol:
        return ClassLevel.MAIN_GROUP if symbol.endswith("/00") else ClassLevel.SUBGROUP
    return _LENGTHS.get(len(symbol), ClassLevel.SUBCLASS)


def _describe(schemes: Schemes, symbol: str, scheme: Scheme, version: str) -> tuple[str, str]:
    """Title and query line of a class, by the version or another one that has it."""
    for each in dict.fromkeys((version, "")):
        try:
            view = schemes.show(symbol, scheme=scheme, version=each)
        except InputError:
            continue
        whole = bool(view.edition.version)
        return view.entry.short or view.entry.title, query_line(scheme, symbol, whole=whole)
    return "", query_line(scheme, symbol, whole=False)
