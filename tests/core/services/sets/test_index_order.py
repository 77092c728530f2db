"""Sets, classes, dates and a case, as limits and order of the descriptions that are indexed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from claimlight.errors import InputError
from claimlight.services.indexing.order import NearCase
from claimlight.services.sets.index_order import IndexLimits, find_limited, near_case
from claimlight.types import (
    AcceptedClass,
    Case,
    CaseId,
    Category,
    ClassFilter,
    Mark,
    PublicationNumber,
    QuerySet,
    ReferenceDates,
    Scheme,
    SetHit,
)
from tests.core.services.indexing.small_library import make_library

BICYCLES = ClassFilter(Scheme.CPC, "B62K")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def made(tmp_path):
    with make_library(tmp_path / "L") as opened:
        yield opened


def publication(number: int) -> PublicationNumber:
    return PublicationNumber("EP", str(1_000_000 + number), "A1")


def recorded(number: int, *members: int) -> QuerySet:
    """A set, of which only the documents matter here."""
    hits = tuple(SetHit(publication(item), 0.5) for item in members)
    return QuerySet(number, NOW, request=None, provenance=None, notes=(), hits=hits)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (IndexLimits(), None),
        (IndexLimits(sets=(recorded(1, 1, 6, 900), recorded(2, 4))), {1, 4, 6}),
        (IndexLimits(classes=(BICYCLES, ClassFilter(Scheme.CPC, "H04L9/00"))), {1, 2, 5, 6}),
        (IndexLimits(published="2010..2015"), {2, 5, 6}),
        (IndexLimits(published="2012-05-01"), {6}),
        (IndexLimits(published="201905"), {4}),
        (IndexLimits((recorded(1, 1, 2, 4),), (BICYCLES,), "2010..2020"), {2}),
        (IndexLimits(sets=(recorded(1),)), set()),
    ],
    ids=["none", "sets", "classes", "years", "day", "month", "all together", "an empty set"],
)
def test_every_limit_must_be_satisfied(made, limits, expected):
    assert find_limited(made, limits) == expected


@pytest.mark.parametrize("text", ["yesterday", "2012..2010", "2012.."])
def test_what_is_no_date_is_refused(made, text):
    with pytest.raises(InputError, match=r"is not a date|reversed"):
        find_limited(made, IndexLimits(published=text))


def test_marked_documents_come_before_members_of_sets_and_the_latest_set_first(made):
    case = Case(CaseId(1), "one", NOW, NOW)
    marks = [
        Mark(publication(1), Category.A),
        Mark(publication(2), Category.IRRELEVANT),
        Mark(publication(4), Category.X),
        Mark(publication(900), Category.X),
    ]
    near = near_case(made, case, marks, [recorded(1, 3, 1), recorded(2, 6, 4)])
    assert near == NearCase((4, 1, 6, 3))


def test_classes_and_date_are_those_of_the_case(made):
    case = Case(
        CaseId(1),
        "one",
        NOW,
        NOW,
        publication=publication(5),
        dates=ReferenceDates(filed=date(2012, 3, 4), priority=date(2011, 3, 4)),
        reference_date=date(2000, 1, 1),
        classes=(AcceptedClass(Scheme.CPC, "B62K25/04"),),
        within=(ClassFilter(Scheme.IPC, "A47J"), ClassFilter(Scheme.CPC, "B62K")),
    )
    near = near_case(made, case, [], [])
    assert (near.subclasses, near.before) == (("B62K", "A47J"), date(2012, 3, 4))
    # Without classes, those of the document under examination.
    near = near_case(made, replace(case, classes=(), within=(), dates=None), [], [])
    assert (near.subclasses, near.before) == (("H04L",), date(2000, 1, 1))
    near = near_case(made, replace(case, limit=date(2015, 1, 1)), [], [])
    assert near.before == date(2015, 1, 1)
    assert near_case(made, Case(CaseId(1), "one", NOW, NOW), [], []) == NearCase()
