"""The list of cases: counts for each, and words looked for in all that a case holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from claimlight.codec import encode
from claimlight.store import case_rows as rows
from claimlight.types import Case, CaseSummary, Mark, PassageNote, Tagged

_Places = list[tuple[str, str]]
"""Where text stands, in words, and the text."""


def is_listed(case: Case, *, archived: bool, deleted: bool) -> bool:
    """Whether a case is in a list that shows archived or deleted ones or not."""
    return (archived or not case.archived) and (deleted or not case.deleted)


def summaries(
    connection: Connection, text: str = "", *, archived: bool = False, deleted: bool = False
) -> list[CaseSummary]:
    """The cases in which every word of ``text`` stands somewhere, worked on last first.

    Looked through are the name, the application's number, the claims, notes on documents and passages, tags
    and the publications that have a mark. Archived and deleted cases only where they are asked for.
    """
    words = text.casefold().split()
    counts = rows.count_entries(connection)
    marks = _marks(connection, words)
    tags = {
        case: tuple(sorted({tag for item in items for tag in item.tags}))
        for case, items in rows.read_subject(connection, "tag", Tagged).items()
    }
    found: list[CaseSummary] = []
    for case in rows.read_cases(connection):
        if not is_listed(case, archived=archived, deleted=deleted):
            continue
        own_tags = tags.get(case.id, ())
        where = _where([*_fields(case, own_tags), *marks.get(case.id, ())], words)
        if where is None:
            continue
        count = counts.get(case.id, {})
        marked, sets, seen = (count.get(name, 0) for name in ("mark", "set", "seen"))
        found.append(CaseSummary(case, marked, sets, seen, own_tags, where))
    return found


def _fields(case: Case, tags: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield "name", case.name
    yield "application", str(case.publication or "")
    yield "tags", "\n".join(tags)
    yield "notes", case.notes
    yield "classes", "\n".join(f"{item} {item.symbol.replace(' ', '')} {item.title}" for item in case.classes)
    yield "claims", case.application


def _marks(connection: Connection, words: Sequence[str]) -> dict[int, _Places]:
    """Publications and notes of the marks of each case in which one of the words may stand.

    There are many marks, and only few of them are worth being decoded.
    """
    found: dict[int, _Places] = {}
    if not words:
        return found
    # As they stand in JSON, where a quotation mark has a backslash before it.
    escaped = [encode(word)[1:-1] for word in words]
    for case, key, raw in rows.read_raw_subject(connection, "mark"):
        publication = key.partition("\n")[0]
        places = found.setdefault(case, [])
        if any(word in publication.casefold() for word in words):
            places.append((f"mark {publication}", publication))
        text = raw.decode(errors="replace").casefold()
        if any(word in text for word in escaped):
            notes = (mark.note for mark in rows.decode_if_readable(Mark, raw))
            places.extend((f"note on {publication}", note) for note in notes)
    for case, key, raw in rows.read_raw_subject(connection, "passage note"):
        text = raw.decode(errors="replace").casefold()
        if any(word in text for word in escaped):
            found.setdefault(case, []).extend(
                (f"note on {key.partition(chr(10))[0]} {item.label}".rstrip(), item.note)
                for item in rows.decode_if_readable(PassageNote, raw)
            )
    return found


def _where(places: _Places, words: Sequence[str]) -> str | None:
    """The places of a case where the words stand; None where one of them stands nowhere."""
    folded = [(name, text.casefold()) for name, text in places] if words else []
    named: dict[str, None] = {}
    for word in words:
        first = next((name for name, text in folded if word in text), None)
        if first is None:
            return None
        named[first] = None
    return ", ".join(named)
