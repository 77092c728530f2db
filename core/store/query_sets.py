"""Query sets L1, L2, … of a case: appended, never changed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from core.store.codec import decode, encode
from core.types import Provenance, PublicationNumber, QuerySet, SearchRequest, SetHit


def append_set(connection: Connection, case: int, record: QuerySet) -> QuerySet:
    """Write a set under the next number of the case, whatever number it brings."""
    query = "SELECT coalesce(max(number), 0) + 1 FROM query_set WHERE case_id = ?"
    number = int(connection.exec_driver_sql(query, (case,)).scalar_one())
    connection.exec_driver_sql(
        "INSERT INTO query_set (case_id, number, created, request, provenance, notes) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(case, number, record.created.isoformat()),
            *(encode(record.request), encode(record.provenance), "\n".join(record.notes)),
        ),
    )
    rows = [
        (case, number, rank, hit.publication.country, hit.publication.number, hit.publication.kind, hit.score)
        for rank, hit in enumerate(record.hits, 1)
    ]
    if rows:
        connection.exec_driver_sql(
            "INSERT INTO set_hit (case_id, number, rank, country, publication, kind, score) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    return QuerySet(number, record.created, record.request, record.provenance, record.notes, record.hits)


def read_sets(connection: Connection, case: int) -> list[QuerySet]:
    """All sets of a case with their hits, L1 first."""
    hits: dict[int, list[SetHit]] = {}
    query = """SELECT number, country, publication, kind, score FROM set_hit
        WHERE case_id = ? ORDER BY number, rank"""
    for number, country, publication, kind, score in connection.exec_driver_sql(query, (case,)):
        hits.setdefault(number, []).append(SetHit(PublicationNumber(country, publication, kind), score))
    query = """SELECT number, created, request, provenance, notes FROM query_set
        WHERE case_id = ? ORDER BY number"""
    return [
        QuerySet(
            number,
            datetime.fromisoformat(created),
            decode(SearchRequest, request),
            decode(Provenance, provenance),
            tuple(notes.split("\n")) if notes else (),
            tuple(hits.get(number, ())),
        )
        for number, created, request, provenance, notes in connection.exec_driver_sql(query, (case,))
    ]
