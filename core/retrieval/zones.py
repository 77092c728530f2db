"""What dates make of a document against an application: full prior art, P, E, or none of it.

The rule exists twice, for one document and for the columns of a catalogue; a test holds the two
against each other on every combination of days.

An earlier filing counts for E against the filing date of the application, as search reports have it
(Guidelines B-X 9.2.6), not against the day that is relevant for the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from core.types import ReferenceDates, Zone

UNDATED = 99_999_999
"""A missing day in a column: never before anything."""
ZONES: Sequence[Zone] = tuple(Zone)
"""The zones by the number that `zones` gives them."""


def zone(
    reference: ReferenceDates,
    *,
    published: date | None,
    filed: date | None,
    priority: date | None,
    claim: int = 0,
) -> Zone:
    """The zone of a document with these dates; ``claim`` 0 stands for all claims.

    A document of which it can't be told that it is no prior art is `Zone.UNKNOWN`, never
    `Zone.LATER`.
    """
    relevant = _relevant(reference, claim)
    if published is None or relevant is None:
        return Zone.UNKNOWN
    if published < relevant:
        return Zone.PRIOR
    if reference.filed is not None and published < reference.filed:
        return Zone.P
    earliest = min((day for day in (filed, priority) if day is not None), default=None)
    if earliest is None:
        return Zone.UNKNOWN
    if earliest < (reference.filed or relevant):
        return Zone.E
    return Zone.LATER if reference.filed is not None else Zone.UNKNOWN


def zones(
    reference: ReferenceDates,
    *,
    published: NDArray[np.int64],
    filed: NDArray[np.int64],
    priority: NDArray[np.int64],
    claim: int = 0,
) -> NDArray[np.int8]:
    """As `zone` for columns of days ``yyyymmdd`` (`UNDATED` where missing): indexes into `ZONES`."""
    relevant = _relevant(reference, claim)
    if relevant is None:
        return np.full(len(published), ZONES.index(Zone.UNKNOWN), dtype=np.int8)
    filing = reference.filed or relevant
    earliest = np.minimum(filed, priority)
    late = Zone.LATER if reference.filed is not None else Zone.UNKNOWN
    conditions = [
        published == UNDATED,
        published < number(relevant),
        published < number(filing),
        earliest == UNDATED,
        earliest < number(filing),
    ]
    chosen = (Zone.UNKNOWN, Zone.PRIOR, Zone.P, Zone.UNKNOWN, Zone.E)
    codes = [np.int8(ZONES.index(item)) for item in chosen]
    return np.select(conditions, codes, default=np.int8(ZONES.index(late))).astype(np.int8)


def number(day: date) -> int:
    """A day as ``yyyymmdd``."""
    return day.year * 10_000 + day.month * 100 + day.day


def _relevant(reference: ReferenceDates, claim: int) -> date | None:
    """The relevant day; a priority after the filing, which can't be right, moves nothing."""
    relevant = reference.relevant(claim)
    if relevant is None or reference.filed is None:
        return relevant
    return min(relevant, reference.filed)
