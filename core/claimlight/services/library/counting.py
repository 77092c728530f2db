"""How many documents of a library, or of a set, there are of each year, office and applicant."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from claimlight.types import CountBy, DocumentCount, DocumentStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claimlight.services.library.library import Library
    from claimlight.tasks import TaskContext

MOST = 50
"""Values listed by default; years are all listed."""
_QUERIES = {
    CountBy.YEAR: ("SELECT id, published / 10000 FROM document WHERE published IS NOT NULL", "id"),
    CountBy.OFFICE: ("SELECT id, country FROM document WHERE country != ''", "id"),
    CountBy.APPLICANT: (
        "SELECT document_id, name FROM party WHERE role IN ('applicant', 'assignee') AND name != ''",
        "document_id",
    ),
}


def count_documents(
    library: Library,
    by: CountBy,
    context: TaskContext,
    *,
    patents: Sequence[int] | None = None,
    top: int = MOST,
) -> DocumentStatistics:
    """Documents by year, office or applicant; `claimlight.services.classes.statistics` counts classes.

    ``patents`` are the documents that are looked at; None: all of the library. ``top`` 0 lists all.
    """
    # Screens show these counts: the window is up before the store is loaded.
    from claimlight.store.database import among

    query, column = _QUERIES[by]
    with library.store.read(context) as connection:
        if patents is None:
            rows = connection.exec_driver_sql(query).all()
            whole = connection.exec_driver_sql("SELECT count(*) FROM document").scalar_one()
        else:
            held, values = among(connection, map(int, patents))
            rows = connection.exec_driver_sql(f"{query} AND {column} {held}", (values,)).all()
            whole = len(set(patents))
    context.check()
    pairs = [(int(row[0]), str(row[1])) for row in rows]
    known = len({document for document, _ in pairs})
    counted = _count_names(pairs) if by is CountBy.APPLICANT else Counter(name for _, name in pairs)
    if by is CountBy.YEAR:
        listed = sorted(counted)
    else:
        ordered = sorted(counted, key=lambda name: (-counted[name], name))
        listed = ordered[:top] if top else ordered
    counts = tuple(
        DocumentCount(name, "", counted[name], counted[name] / whole, _line(by, name)) for name in listed
    )
    return DocumentStatistics(by, whole, known, counts, len(counted) - len(listed))


def within_set(found: DocumentStatistics, label: str) -> DocumentStatistics:
    """The statistics of a set, with lines that find its documents only: ``L3 AND PD=2019``."""
    return replace(
        found, counts=tuple(replace(each, line=f"{label} AND {each.line}") for each in found.counts)
    )


def counts_table(found: DocumentStatistics) -> str:
    """The counts as CSV: value, title of a class, documents, share of all documents in per cent."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((found.by.value, "title", "documents", "percent"))
    for each in found.counts:
        writer.writerow((each.name, each.title, each.documents, f"{100 * each.share:.2f}"))
    return text.getvalue()


def _count_names(pairs: Iterable[tuple[int, str]]) -> Counter[str]:
    """Documents by applicant; spellings that differ in case count as the most frequent of them."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    documents: defaultdict[str, set[int]] = defaultdict(set)
    for document, name in pairs:
        key = " ".join(name.casefold().split())
        spellings[key][name] += 1
        documents[key].add(document)
    counted: Counter[str] = Counter()
    for key, held in documents.items():
        # The most frequent spelling; of several the first.
        name, _ = min(spellings[key].items(), key=lambda each: (-each[1], each[0]))
        counted[name] = len(held)
    return counted


def _line(by: CountBy, name: str) -> str:
    if by is CountBy.YEAR:
        return f"PD={name}"
    if by is CountBy.OFFICE:
        return f"PN={name}$"
    # Quotes would end the phrase.
    return f'AS="{name.replace(chr(34), " ")}"'
