"""How many relevant documents are left unread, by the documents of a random sample that were read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from claimlight.services.stopping.intervals import StratumCount, interval_of_total
from claimlight.types import (
    RELEVANT,
    Category,
    DocumentRead,
    Mark,
    NumberInterval,
    PublicationNumber,
    ReadingSample,
    RecallInterval,
    SampledDocument,
    UnreadEstimate,
)


def estimate_unread(
    sample: ReadingSample,
    listed: Sequence[PublicationNumber],
    reading: Sequence[DocumentRead],
    marks: Sequence[Mark],
    *,
    relevant: Collection[Category] = RELEVANT,
) -> UnreadEstimate:
    """Estimate what is left of the documents that a sample was drawn from.

    ``listed`` are the documents of its set by rank. Of each stratum only the documents before the first
    unread one of the draw count: those chosen out of turn are no random sample.
    """
    read = {number for item in reading for number in (item.publication, *item.family)}
    marked = {mark.publication for mark in marks if mark.categories & set(relevant)}
    positive = marked | {
        number
        for item in reading
        if marked & {item.publication, *item.family}
        for number in (item.publication, *item.family)
    }
    counted: set[PublicationNumber] = set()
    strata = []
    for stratum in sample.strata:
        kept = _read_in_turn(stratum.drawn, read)
        counted.update(kept)
        strata.append(StratumCount(stratum.size, len(kept), sum(item in positive for item in kept)))
    ranks = {number: rank for rank, number in enumerate(listed, 1)}
    before = set(sample.before)
    # Of the rest of the library only what was drawn is known to have been drawn from.
    frame = (ranks.keys() - before) | set(sample.order)
    found, earlier = len(positive & frame), len(positive & before)
    unread = sample.frame - len(read & frame)
    left = _left(strata, found, unread) if counted else None
    return UnreadEstimate(
        sample,
        tuple(
            SampledDocument(item, ranks.get(item, 0), item in read, item in positive, item in counted)
            for item in sample.order
        ),
        tuple(relevant),
        unread,
        found + earlier,
        left,
        _recall(found + earlier, left) if left is not None else None,
    )


def _read_in_turn(
    drawn: Sequence[PublicationNumber], read: Collection[PublicationNumber]
) -> list[PublicationNumber]:
    end = next((place for place, item in enumerate(drawn) if item not in read), len(drawn))
    return list(drawn[:end])


def _left(strata: Sequence[StratumCount], found: int, unread: int) -> NumberInterval:
    """The total of the frame less what of it is found, within what is possible."""
    total = interval_of_total(strata)
    low, high = (max(0, min(number - found, unread)) for number in (total.low, total.high))
    return NumberInterval(min(max(total.estimate - found, low), high), low, high)


def _recall(found: int, left: NumberInterval) -> RecallInterval | None:
    if not found + left.high:
        return None
    shares = [found / (found + rest) if found + rest else 1.0 for rest in (left.high, left.low)]
    middle = found / (found + left.estimate) if found + left.estimate else shares[0]
    return RecallInterval(middle, *shares)
