"""New confirmed passages for each feature, and relevant documents, by block of documents read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from claimlight.services.search.confirmations import feature_digest
from claimlight.types import (
    BLOCK,
    RELEVANT,
    Case,
    Category,
    Confirmation,
    Decision,
    DocumentRead,
    FeatureProgress,
    Mark,
    PublicationNumber,
    ReadBlock,
    ReadingHistory,
)


def count_new(
    case: Case,
    reading: Sequence[DocumentRead],
    marks: Sequence[Mark],
    confirmations: Sequence[Confirmation],
    *,
    size: int = BLOCK,
    relevant: Collection[Category] = RELEVANT,
) -> ReadingHistory:
    """Count what was new in each ``size`` documents read.

    A passage counts in the document it is of, whenever it was confirmed, and once: the same text in a
    document read later, such as a later publication of the family, is not new.
    """
    places = {number: place for place, item in enumerate(reading) for number in _members(item)}
    digests = {feature_digest(text): n for n, text in reversed(list(enumerate(case.features)))}
    confirmed = sorted(
        (item for item in confirmations if item.decision is Decision.CONFIRMED),
        key=lambda item: places[item.publication],
    )
    known: set[tuple[str, str]] = set()
    fresh: Counter[tuple[int, int]] = Counter()
    last: dict[int, int] = {}
    other = 0
    for item in confirmed:
        key = item.feature_digest, item.passage_digest
        if key in known:
            continue
        known.add(key)
        feature = digests.get(item.feature_digest)
        if feature is None:
            other += 1
            continue
        fresh[places[item.publication] // size, feature] += 1
        last[feature] = places[item.publication]
    good = Counter(place // size for place in relevant_places(places, marks, relevant))
    count = len(case.features)
    blocks = tuple(
        ReadBlock(
            number * size + 1,
            min((number + 1) * size, len(reading)),
            good[number],
            tuple(fresh[number, feature] for feature in range(count)),
        )
        for number in range(-(-len(reading) // size))
    )
    features = tuple(
        FeatureProgress(
            f"F{n + 1}",
            text,
            sum(block.passages[n] for block in blocks),
            len(reading) - 1 - last[n] if n in last else None,
        )
        for n, text in enumerate(case.features)
    )
    return ReadingHistory(len(reading), size, features, blocks, other)


def relevant_places(
    places: dict[PublicationNumber, int], marks: Sequence[Mark], relevant: Collection[Category]
) -> set[int]:
    """Places in the order of reading of the documents with a relevant category, for whatever claim."""
    return {places[mark.publication] for mark in marks if mark.categories & set(relevant)}


def _members(item: DocumentRead) -> tuple[PublicationNumber, ...]:
    return (item.publication, *item.family)
