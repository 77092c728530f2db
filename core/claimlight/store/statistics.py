"""Figures of a whole library, and its quarantine."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Select, distinct, func, select

from claimlight.codec import decode, encode
from claimlight.files import write_atomically
from claimlight.store.library_tables import Document, QuarantineRow, SourceFile
from claimlight.store.repository import read_version
from claimlight.store.store import Store
from claimlight.types import Quarantined, Source

KEPT_NAME = "counts.json"
"""File of the counts of a shared library in its folder."""
_SUBCLASS = 4
"""Letters of a CPC or IPC subclass: ``H04L``."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a library; lists most frequent first, years ascending."""

    documents: int
    textless: int
    """Documents without any text: there is nothing to encode of them."""
    passages: int
    families: int
    quarantined: int
    offices: tuple[tuple[str, int], ...]
    languages: tuple[tuple[str, int], ...]
    years: tuple[tuple[int, int], ...]
    classes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    """Counts of a shared library, as they are in a file."""

    identity: str
    version: int
    counts: Counts


def count_all(store: Store) -> Counts:
    """Count in one snapshot.

    Counts of a shared library, which may have millions of documents, are kept in its folder until the library
    changes.
    """
    with store.read() as connection:
        if not store.shared:
            return _count(connection)
        version = read_version(connection)
        kept = _read_kept(store.folder / KEPT_NAME)
        if kept is not None and (kept.identity, kept.version) == (store.identity, version):
            return kept.counts
        counts = _count(connection)
    # They can always be counted again.
    with suppress(OSError):
        write_atomically(store.folder / KEPT_NAME, encode(_Kept(store.identity, version, counts)))
    return counts


def _read_kept(path: Path) -> _Kept | None:
    try:
        return decode(_Kept, path.read_bytes())
    except (OSError, ValueError):
        return None


def _count(connection: Connection) -> Counts:
    totals = select(func.count(), func.coalesce(func.sum(Document.passages), 0)).select_from(Document)
    documents, passages = map(int, connection.execute(totals).one())
    return Counts(
        documents=documents,
        textless=connection.execute(
            select(func.count()).select_from(Document).where(Document.passages == 0)
        ).scalar_one(),
        passages=passages,
        families=connection.execute(select(func.count(distinct(Document.family_key)))).scalar_one(),
        quarantined=connection.execute(select(func.count()).select_from(QuarantineRow)).scalar_one(),
        offices=_count_offices(connection),
        languages=_count_languages(connection),
        years=_count_years(connection),
        classes=_count_classes(connection),
    )


def read_languages(store: Store) -> tuple[tuple[str, int], ...]:
    """Documents by language, most first; empty where a document does not say its own."""
    with store.read() as connection:
        return _count_languages(connection)


def read_quarantined(store: Store) -> tuple[Quarantined, ...]:
    """Every quarantined document, by file and place."""
    query = (
        select(SourceFile.path, QuarantineRow.__table__)
        .join(QuarantineRow, QuarantineRow.source_id == SourceFile.id)
        .order_by(SourceFile.path, QuarantineRow.id)
    )
    with store.read() as connection:
        return tuple(
            Quarantined(
                Source(row.path, row.member, row.ordinal, row.offset, row.dialect), row.reason, row.line
            )
            for row in connection.execute(query)
        )


def _count_offices(connection: Connection) -> tuple[tuple[str, int], ...]:
    return _sort_most_first(connection, select(Document.country, func.count()).group_by(Document.country))


def _count_languages(connection: Connection) -> tuple[tuple[str, int], ...]:
    return _sort_most_first(connection, select(Document.language, func.count()).group_by(Document.language))


def _sort_most_first(connection: Connection, query: Select[str, int]) -> tuple[tuple[str, int], ...]:
    rows = connection.execute(query).all()
    return tuple(sorted(((row[0], row[1]) for row in rows), key=lambda item: (-item[1], item[0])))


def _count_years(connection: Connection) -> tuple[tuple[int, int], ...]:
    counted = connection.exec_driver_sql(
        "SELECT published / 10000, count(*) FROM document WHERE published IS NOT NULL GROUP BY 1 ORDER BY 1"
    )
    return tuple((row[0], row[1]) for row in counted)


def _count_classes(connection: Connection) -> tuple[tuple[str, int], ...]:
    """Documents by subclass; `Document.classes` holds CPC where there is any, else IPC."""
    tally: Counter[str] = Counter()
    for text in connection.execute(select(Document.classes).where(Document.classes != "")).scalars():
        tally.update({symbol[:_SUBCLASS] for symbol in text.split("\n")})
    return tuple(sorted(tally.items(), key=lambda item: (-item[1], item[0])))
