"""Random samples of the documents of a set that are still unread, stratified by rank."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from random import Random

import numpy as np

from claimlight.errors import InputError
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.catalogue import DocumentFilter
from claimlight.services.cases.cases import CaseBook
from claimlight.services.library.library import Library
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import (
    CaseId,
    DocumentRead,
    PatentId,
    PublicationNumber,
    QuerySet,
    ReadingSample,
    SampleStratum,
)

SIZE = 20
"""Documents of a sample where nothing else is asked for."""
UPPER = 0.2
"""Share of the unread documents of a set, the best ranked, that are a stratum of their own."""
_LEAST = 4
"""Documents of a set for each one of the sample below which it is one stratum."""


def new_seed() -> int:
    """A seed that nobody chose; it is recorded with the sample."""
    return int(np.random.SeedSequence().generate_state(1)[0])


def take_sample(
    book: CaseBook,
    case: CaseId,
    record: QuerySet,
    *,
    size: int = SIZE,
    seed: int | None = None,
    library: Library | None = None,
    context: TaskContext | None = None,
) -> ReadingSample:
    """Draw a sample of the unread documents of a set and record it in the case.

    With a library its documents that are not in the set are a stratum too. `InputError` if nothing is unread.
    """
    reading = book.reading(case)
    listed = [hit.publication for hit in record.hits]
    rest = (
        _find_rest(library, record, listed, reading, context or TaskContext()) if library is not None else ()
    )
    sample = draw_sample(
        listed,
        frozenset(number for item in reading for number in (item.publication, *item.family)),
        rest,
        size=size,
        seed=new_seed() if seed is None else seed,
        set_number=record.number,
        library=library.name if library is not None else "",
    )
    return book.keep_sample(case, sample)


def draw_sample(
    listed: Sequence[PublicationNumber],
    read: Collection[PublicationNumber],
    rest: Sequence[PublicationNumber] = (),
    *,
    size: int,
    seed: int,
    set_number: int,
    library: str = "",
) -> ReadingSample:
    """Draw ``size`` documents of the unread ones ``listed`` by rank and of the ``rest``; all if fewer.

    The same for the same arguments. `InputError` if nothing is unread.
    """
    unread = [(rank, number) for rank, number in enumerate(listed, 1) if number not in read]
    if not unread and not rest:
        raise InputError(
            f"Every document of L{set_number} is read: there is nothing to draw a sample from. Search more "
            "broadly, or draw from the whole library."
        )
    cut = _cut(unread, size)
    parts = [[number for _, number in part] for part in cut]
    spans = [(part[0][0], part[-1][0]) for part in cut]
    if rest:
        parts.append(list(rest))
        spans.append((0, 0))
    random = Random(seed)
    counts = allot([len(part) for part in parts], size)
    drawn = [random.sample(part, count) for part, count in zip(parts, counts, strict=True)]
    # Every beginning of the order has its share of each stratum.
    spread = [
        ((place + random.random()) / len(part), number) for part in drawn for place, number in enumerate(part)
    ]
    return ReadingSample(
        0,
        datetime.now(UTC),
        set_number,
        library,
        seed,
        tuple(number for number in listed if number in read),
        tuple(
            SampleStratum(first, last, len(part), tuple(chosen))
            for (first, last), part, chosen in zip(spans, parts, drawn, strict=True)
        ),
        tuple(number for _, number in sorted(spread, key=lambda item: item[0])),
    )


def allot(sizes: Sequence[int], size: int) -> list[int]:
    """How many documents each stratum gives: its share, and at least one while there are enough."""
    size = min(size, sum(sizes))
    given = [min(1, each) for each in sizes][:size] + [0] * max(0, len(sizes) - size)
    whole = sum(sizes)
    while sum(given) < size:
        # The stratum that lacks most of its share is next.
        lacks = [
            size * each / whole - has if has < each else -np.inf
            for each, has in zip(sizes, given, strict=True)
        ]
        given[int(np.argmax(lacks))] += 1
    return given


def _cut(unread: list[tuple[int, PublicationNumber]], size: int) -> list[list[tuple[int, PublicationNumber]]]:
    """The best ranked and the others; one part if a part would be too small for its share of the sample."""
    at = round(UPPER * len(unread))
    if len(unread) < _LEAST * size or not at:
        return [unread] if unread else []
    return [unread[:at], unread[at:]]


def _find_rest(
    library: Library,
    record: QuerySet,
    listed: Sequence[PublicationNumber],
    reading: Sequence[DocumentRead],
    context: TaskContext,
) -> tuple[PublicationNumber, ...]:
    """One document of each family of the library that is neither in the set nor read, before its limit."""
    store, request = library.store, record.request
    known = catalogues.load(store, context)
    numbers = repository.read_publications(store, (PatentId(int(item)) for item in known.ids))
    ids = {number: patent for patent, number in numbers.items()}
    own = request.exclude_family_of
    allowed = DocumentFilter.of(
        known,
        before=request.before,
        without=[ids[own]] if own is not None and own in ids else [],
    ).allowed
    gone = [*listed, *(number for item in reading for number in (item.publication, *item.family))]
    rows = known.rows(np.array([ids[number] for number in gone if number in ids], dtype=np.int64))
    allowed = allowed & ~np.isin(known.family, known.family[rows])
    _, firsts = np.unique(known.family[allowed], return_index=True)
    found = known.ids[allowed][np.sort(firsts)]
    return tuple(numbers[PatentId(int(item))] for item in found)
