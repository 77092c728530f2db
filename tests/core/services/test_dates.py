"""Zones of summaries, and the independent claims that a report leaves without full prior art."""

from __future__ import annotations

from datetime import date

import pytest

from core.services.dates import report_check, zone_of, zones_of
from core.types import (
    Category,
    Claim,
    JudgedDocument,
    PatentId,
    PatentSummary,
    PublicationNumber,
    ReferenceDates,
    Zone,
)

REFERENCE = ReferenceDates(date(2019, 5, 2), date(2018, 5, 2))
CLAIMS = (Claim(1, "A wheel."), Claim(2, "The wheel of claim 1.", parents=(1,)), Claim(7, "A method."))
OLD, BETWEEN = date(2018, 5, 1), date(2018, 5, 2)


def _judged(category: Category, claim: int, published: date | None = OLD) -> JudgedDocument:
    return JudgedDocument(PublicationNumber("EP", "1", "A1"), published, category, claim)


def _gaps(*judged: JudgedDocument, excused: tuple[int, ...] = ()) -> list[int]:
    return [gap.claim for gap in report_check(REFERENCE, CLAIMS, judged, excused=excused)]


def test_every_independent_claim_needs_a_document_of_before_the_priority() -> None:
    assert _gaps() == [1, 7]
    assert _gaps(_judged(Category.X, 1)) == [7]
    assert _gaps(_judged(Category.X, 1), _judged(Category.A, 7)) == []
    assert _gaps(_judged(Category.Y, 0)) == []
    assert _gaps(_judged(Category.X, 2)) == [1, 7]


def test_what_does_not_count() -> None:
    for category in (Category.P, Category.E, Category.IRRELEVANT, Category.NONE):
        assert _gaps(_judged(category, 0)) == [1, 7]
    assert _gaps(_judged(Category.X, 0, BETWEEN)) == [1, 7]
    assert _gaps(_judged(Category.X, 0, None)) == [1, 7]


def test_a_stated_reason_excuses_a_claim() -> None:
    assert _gaps(_judged(Category.X, 1), excused=(7,)) == []


def test_the_words_say_what_is_missing() -> None:
    (first, _) = report_check(REFERENCE, CLAIMS, [_judged(Category.X, 1, BETWEEN)])
    assert first.words == (
        "Claim 1 is independent, and none of its documents was published before 2018-05-02; "
        "cite one that was or state why there is none."
    )
    (first, _) = report_check(REFERENCE, CLAIMS, [])
    assert "has no document" in first.words
    (first, _) = report_check(ReferenceDates(), CLAIMS, [_judged(Category.X, 0)])
    assert "neither a filing nor a priority date" in first.words


@pytest.mark.parametrize(("claim", "expected"), [(0, Zone.P), (1, Zone.P)])
def test_zones_of_rows(claim: int, expected: Zone) -> None:
    number = PublicationNumber("EP", "1", "A1")
    row = PatentSummary(PatentId(1), number, "", BETWEEN, None, None, "", "", "")
    assert zone_of(REFERENCE, row, claim) is expected
    assert zones_of(REFERENCE, [row, row], claim) == (expected, expected)
