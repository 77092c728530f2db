"""Query sets L1, L2, … of a case: appended, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection

from core.store.codec import decode, encode
from core.types import (
    ParsedQuery,
    Provenance,
    PublicationNumber,
    QuerySet,
    SearchRequest,
    SetHit,
    SetHits,
    SetRequest,
)

_REQUEST = cast("type[SearchRequest | SetRequest]", SearchRequest | SetRequest)
_COLUMNS = "number, created, request, provenance, notes, parsed, documents, hits"


def append_set(connection: Connection, case: int, record: QuerySet) -> QuerySet:
    """Write a set under the next number of the case, whatever number it brings."""
    query = "SELECT coalesce(max(number), 0) + 1 FROM query_set WHERE case_id = ?"
    number = int(connection.exec_driver_sql(query, (case,)).scalar_one())
    hits = record.hits if isinstance(record.hits, SetHits) else SetHits.of(record.hits)
    connection.exec_driver_sql(
        f"INSERT INTO query_set (case_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
        (
            *(case, number, record.created.isoformat()),
            *(encode(record.request), encode(record.provenance), "\n".join(record.notes)),
            *(encode(record.parsed) if record.parsed else "", len(hits), hits.packed()),
        ),
    )
    return replace(record, number=number, hits=hits)


def read_sets(connection: Connection, case: int) -> list[QuerySet]:
    """All sets of a case with their hits, L1 first."""
    query = f"SELECT {_COLUMNS} FROM query_set WHERE case_id = ? ORDER BY number"  # noqa: S608
    rows = connection.exec_driver_sql(query, (case,)).all()
    single = _single_rows(connection, case) if any(row.hits is None for row in rows) else {}
    return [_query_set(row, single) for row in rows]


def _query_set(row: Any, single: dict[int, list[SetHit]]) -> QuerySet:
    hits: Sequence[SetHit]
    if row.hits is None:
        hits = tuple(single.get(row.number, ()))
    else:
        hits = SetHits.unpacked(row.hits, row.documents)
    return QuerySet(
        number=row.number,
        created=datetime.fromisoformat(row.created),
        request=decode(_REQUEST, row.request),
        provenance=decode(Provenance, row.provenance),
        notes=tuple(row.notes.split("\n")) if row.notes else (),
        hits=hits,
        parsed=decode(ParsedQuery, row.parsed) if row.parsed else None,
    )


def _single_rows(connection: Connection, case: int) -> dict[int, list[SetHit]]:
    """The hits of sets that were recorded one row a hit."""
    query = """SELECT number, country, publication, kind, score FROM set_hit
        WHERE case_id = ? ORDER BY number, rank"""
    hits: dict[int, list[SetHit]] = {}
    for number, country, publication, kind, score in connection.exec_driver_sql(query, (case,)):
        hits.setdefault(number, []).append(SetHit(PublicationNumber(country, publication, kind), score))
    return hits
