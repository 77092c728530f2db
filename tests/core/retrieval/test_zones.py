"""The zones of documents: the table of the Guidelines, days that are equal, dates that are missing."""

from __future__ import annotations

from datetime import date
from itertools import product

import numpy as np
import pytest

from core.retrieval.catalogue import Catalogue, DocumentFilter
from core.retrieval.zones import UNDATED, ZONES, number, zone, zones
from core.types import ClaimPriority, ReferenceDates, Zone

PRIORITY, FILED = date(2018, 5, 2), date(2019, 5, 2)
DAYS = (
    None,
    date(2018, 5, 1),
    PRIORITY,
    date(2018, 5, 3),
    date(2019, 5, 1),
    FILED,
    date(2019, 5, 3),
    date(2020, 1, 1),
)
REFERENCE = ReferenceDates(FILED, PRIORITY)


@pytest.mark.parametrize(
    ("published", "filed", "priority", "expected"),
    [
        # published before the priority: full prior art, whatever its other dates
        (date(2018, 5, 1), None, None, Zone.PRIOR),
        (date(2018, 5, 1), date(2017, 1, 1), date(2016, 1, 1), Zone.PRIOR),
        # on the day of the priority itself, and until the day before the filing: P
        (date(2018, 5, 2), date(2017, 1, 1), None, Zone.P),
        (date(2018, 5, 2), None, None, Zone.P),
        (date(2019, 5, 1), date(2018, 1, 1), date(2017, 1, 1), Zone.P),
        # on the day of the filing or later: E by its filing or its priority
        (date(2019, 5, 2), date(2019, 5, 1), None, Zone.E),
        (date(2020, 1, 1), date(2019, 6, 1), date(2018, 6, 1), Zone.E),
        (date(2020, 1, 1), None, date(2019, 5, 1), Zone.E),
        # filed the same day or later, without an earlier priority: no prior art
        (date(2019, 5, 2), date(2019, 5, 2), None, Zone.LATER),
        (date(2020, 1, 1), date(2019, 5, 2), date(2019, 5, 2), Zone.LATER),
        (date(2020, 1, 1), date(2019, 7, 1), None, Zone.LATER),
        # not to be told
        (None, date(2000, 1, 1), date(2000, 1, 1), Zone.UNKNOWN),
        (date(2020, 1, 1), None, None, Zone.UNKNOWN),
    ],
)
def test_the_table(published: date | None, filed: date | None, priority: date | None, expected: Zone) -> None:
    assert zone(REFERENCE, published=published, filed=filed, priority=priority) is expected


def _by_definition(reference: ReferenceDates, claim: int, days: tuple[date | None, ...]) -> Zone:
    """The rule once more, written as the definitions of the zones read."""
    published, filed, priority = days
    relevant = reference.relevant(claim)
    if reference.filed and relevant:
        relevant = min(relevant, reference.filed)
    if published is None or relevant is None:
        return Zone.UNKNOWN
    filing = reference.filed or relevant
    if published < relevant:
        return Zone.PRIOR
    if relevant <= published < filing:
        return Zone.P
    earlier = [day for day in (filed, priority) if day]
    if any(day < filing for day in earlier):
        return Zone.E
    return Zone.LATER if earlier and reference.filed else Zone.UNKNOWN


REFERENCES = [
    ReferenceDates(filed, priority, verified, claims)
    for filed, priority, verified, claims in product(
        (None, FILED, date(2018, 5, 1)),
        (None, PRIORITY, FILED),
        (True, False),
        ((), (ClaimPriority(2, None), ClaimPriority(3, date(2019, 5, 1)))),
    )
]


@pytest.mark.parametrize("claim", [0, 1, 2, 3])
def test_every_combination_of_days_one_by_one_and_in_columns(claim: int) -> None:
    combinations = list(product(DAYS, repeat=3))
    columns = [
        np.array([UNDATED if days[at] is None else number(days[at]) for days in combinations], np.int64)
        for at in range(3)
    ]
    seen = set()
    for reference in REFERENCES:
        expected = [_by_definition(reference, claim, days) for days in combinations]
        alone = [
            zone(reference, published=days[0], filed=days[1], priority=days[2], claim=claim)
            for days in combinations
        ]
        assert alone == expected
        codes = zones(reference, published=columns[0], filed=columns[1], priority=columns[2], claim=claim)
        assert [ZONES[code] for code in codes] == expected
        seen |= set(expected)
    assert seen == set(Zone)


def test_the_zone_of_a_document_is_another_for_a_claim_with_another_priority() -> None:
    """Claim 2 enjoys no priority: what lies between is full prior art. Claim 3 enjoys a later one."""
    claims = (ClaimPriority(2, None), ClaimPriority(3, date(2019, 1, 1)))
    reference = ReferenceDates(FILED, PRIORITY, True, claims)
    document = {"published": date(2018, 9, 1), "filed": date(2017, 1, 1), "priority": None}
    found = [zone(reference, **document, claim=claim) for claim in (0, 1, 2, 3)]
    assert found == [Zone.P, Zone.P, Zone.PRIOR, Zone.PRIOR]


def test_a_priority_that_does_not_hold_moves_the_relevant_day_to_the_filing() -> None:
    document = {"published": date(2018, 9, 1), "filed": None, "priority": None}
    assert zone(REFERENCE, **document) is Zone.P
    assert zone(ReferenceDates(FILED, PRIORITY, verified=False), **document) is Zone.PRIOR


def test_without_the_filing_date_nothing_is_dropped() -> None:
    for days in product(DAYS, repeat=3):
        found = zone(ReferenceDates(priority=PRIORITY), published=days[0], filed=days[1], priority=days[2])
        assert found is not Zone.LATER


def test_the_filter_of_a_catalogue_drops_what_is_later_and_nothing_else() -> None:
    combinations = list(product(DAYS, repeat=3))
    columns = [
        np.array([UNDATED if days[at] is None else number(days[at]) for days in combinations], np.int64)
        for at in range(3)
    ]
    ids = np.arange(1, len(combinations) + 1, dtype=np.int64)
    catalogue = Catalogue(1, ids, columns[0], columns[1], columns[2], ids, ids, ids)
    kept = DocumentFilter.of(catalogue, reference=REFERENCE, claim=1).allowed
    expected = [_by_definition(REFERENCE, 1, days) is not Zone.LATER for days in combinations]
    assert kept.tolist() == expected
    assert 0 < expected.count(False) < len(expected)
