"""Dates of documents against those of an application: their status, and what a search report still lacks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date

from claimlight.retrieval import zones
from claimlight.services.date_words import LABELS, words_of
from claimlight.types import (
    Category,
    Claim,
    DateFinding,
    JudgedDocument,
    PatentSummary,
    ReferenceDates,
    ReportGap,
)

_PRIOR_ART = frozenset({Category.X, Category.Y, Category.A})


def finding(reference: ReferenceDates, patent: PatentSummary, claim: int = 0) -> DateFinding:
    """What the dates of a document make of it; ``claim`` 0 stands for all claims."""
    status = zones.status(
        reference,
        published=patent.published,
        filed=patent.filed,
        priority=patent.priority,
        country=patent.publication.country,
        claim=claim,
    )
    return DateFinding(status, LABELS[status], words_of(status, patent, reference, reference.claimed(claim)))


def findings(
    reference: ReferenceDates, patents: Sequence[PatentSummary], claim: int = 0
) -> tuple[DateFinding, ...]:
    """As `finding`, for each of several documents."""
    return tuple(finding(reference, patent, claim) for patent in patents)


def report_check(
    reference: ReferenceDates,
    claims: Sequence[Claim],
    categories: Sequence[JudgedDocument],
    *,
    excused: Collection[int] = (),
) -> tuple[ReportGap, ...]:
    """The independent claims without a document published before the earliest priority date.

    Only X, Y and A count, given for the claim itself or for the whole application; without any date
    of the application no document counts. ``excused`` are claims for which a reason was stated.
    """
    days = [day for day in (reference.priority, reference.filed) if day is not None]
    earliest = min(days, default=None)
    gaps: list[ReportGap] = []
    for claim in claims:
        if claim.parents or claim.number in excused:
            continue
        judged = [item for item in categories if item.claim in (0, claim.number)]
        if not any(_prior_art(item, earliest) for item in judged):
            gaps.append(ReportGap(claim.number, _words(claim.number, judged, earliest)))
    return tuple(dict.fromkeys(gaps))


def _prior_art(item: JudgedDocument, earliest: date | None) -> bool:
    dated = item.published is not None and earliest is not None and item.published < earliest
    return dated and item.category in _PRIOR_ART


def _words(claim: int, judged: Sequence[JudgedDocument], earliest: date | None) -> str:
    if earliest is None:
        return f"Claim {claim}: the application has neither a filing nor a priority date to compare with."
    cited = [item for item in judged if item.category not in (Category.NONE, Category.IRRELEVANT)]
    if not cited:
        return f"Claim {claim} is independent and has no document; cite one or state why there is none."
    return (
        f"Claim {claim} is independent, and none of its documents was published before {earliest}; "
        "cite one that was or state why there is none."
    )
