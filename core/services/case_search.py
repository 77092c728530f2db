"""The list of cases: counts for each, and words looked for in all that a case holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from core.store import case_rows as rows
from core.types import Case, CaseSummary, Mark, Tagged


def listed(case: Case, *, archived: bool, deleted: bool) -> bool:
    """Whether a case is in a list that shows archived or deleted ones or not."""
    return (archived or not case.archived) and (deleted or not case.deleted)


def summaries(
    connection: Connection, text: str = "", *, archived: bool = False, deleted: bool = False
) -> list[CaseSummary]:
    """The cases in which every word of ``text`` stands somewhere, worked on last first.

    Looked through are the name, the application's number, the claims, notes, tags and the publications
    that have a mark. Archived and deleted cases only where they are asked for.
    """
    counts = rows.counts(connection)
    marks = rows.read_subject(connection, "mark", Mark)
    tags = rows.read_subject(connection, "tag", Tagged)
    words = text.casefold().split()
    found: list[CaseSummary] = []
    for case in rows.read_cases(connection):
        if not listed(case, archived=archived, deleted=deleted):
            continue
        own_tags = sorted({tag for item in tags.get(case.id, ()) for tag in item.tags})
        where = _where(case, marks.get(case.id, ()), own_tags, words)
        if where is None:
            continue
        count = counts.get(case.id, {})
        found.append(
            CaseSummary(
                case=case,
                marks=count.get("mark", 0),
                sets=count.get("set", 0),
                seen=count.get("seen", 0),
                tags=tuple(own_tags),
                found=where,
            )
        )
    return found


def _where(case: Case, marks: Sequence[Mark], tags: Iterable[str], words: Sequence[str]) -> str | None:
    """The places of a case where the words stand; None where one of them stands nowhere."""
    if not words:
        return ""
    places = [(name, text.casefold()) for name, text in _places(case, marks, tags)]
    named: dict[str, None] = {}
    for word in words:
        hits = [name for name, text in places if word in text]
        if not hits:
            return None
        named |= dict.fromkeys(hits[:1])
    return ", ".join(named)


def _places(case: Case, marks: Sequence[Mark], tags: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield "name", case.name
    # As offices print it too: EP 1 234 567 A1.
    yield "application", str(case.publication or "")
    yield "tags", "\n".join(tags)
    for mark in marks:
        yield f"mark {mark.publication}", str(mark.publication)
        yield f"note on {mark.publication}", mark.note
    yield "notes", case.notes
    yield "claims", case.application
