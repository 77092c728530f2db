"""The order in which the documents of a case were read, from its log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from claimlight.types import Action, DocumentRead, PublicationNumber, SeenDocument


def order_reading(
    seen: Sequence[SeenDocument],
    judged: Iterable[PublicationNumber],
    touches: Sequence[tuple[datetime, Action, str, bool]],
) -> list[DocumentRead]:
    """The read documents in the order of reading, one for each family.

    ``judged`` have a category or confirmation. ``touches`` are time, action, key and whether a value stood
    after it, of the log's lines on documents. A document that was set back to unread and opened again counts
    from then on.
    """
    opened: dict[str, tuple[int, datetime]] = {}
    handled: dict[str, tuple[int, datetime]] = {}
    for place, (at, action, key, after) in enumerate(touches):
        name = key.partition("\n")[0]
        if action is not Action.SEEN:
            handled.setdefault(name, (place, at))
        elif after:
            opened.setdefault(name, (place, at))
        else:
            opened.pop(name, None)
    # Of a state whose lines are damaged only that it is there is known: it comes last.
    last = len(touches), touches[-1][0] if touches else datetime.min.replace(tzinfo=UTC)
    found = [(*opened.get(str(item.publication), last), item.publication, item.family) for item in seen]
    known = {number for item in seen for number in (item.publication, *item.family)}
    found += [
        (*handled.get(str(number), last), number, ()) for number in sorted(set(judged) - known, key=str)
    ]
    found.sort(key=lambda item: item[0])
    return [DocumentRead(publication, at, family) for _, at, publication, family in found]
