"""Relevance feedback: what marks make of a search, and what is recorded of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from claimlight import codec
from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.search.feedback import describe_feedback, make_feedback
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.tasks import TaskContext
from claimlight.types import (
    Category,
    Confirmation,
    Decision,
    Feedback,
    Mark,
    PublicationNumber,
    Query,
    SearchRequest,
)
from tests.core.services.sets.set_fakes import SETTINGS, WORDS
from tests.fakes import library, patent, stack

CTX = TaskContext()
DAY = date(2010, 1, 1)
PATENTS = [
    patent("1", "Bicycle wheel", abstract="A bicycle with a wheel.", published=DAY),
    patent("2", "Bicycle lamp", abstract="A bicycle with a lamp of glass.", published=DAY),
    patent("3", "Lamp glass", abstract="A lamp with glass and a spring.", published=DAY),
    patent("4", "Wheel", abstract="A wheel of a cart.", published=DAY),
    patent("5", "Kettle", abstract="A kettle with a spout and a handle.", published=DAY),
]


def name(number: int) -> PublicationNumber:
    return PublicationNumber("EP", f"{number}", "A1")


def confirmed(number: int, passage: str, decision: Decision = Decision.CONFIRMED, claim: int = 1):
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Confirmation(name(number), decision, "a lamp", "d", passage, "p", "[0001]", at, "F1", claim)


@pytest.fixture
def engine(tmp_path):
    model = stack(WORDS)
    with library(tmp_path / "L", PATENTS) as made:
        build_index(
            index_folder(made.folder), LibraryCorpus(made.store), stack=model, settings=SETTINGS, context=CTX
        )
        yield made, SearchEngine.open(made, SETTINGS, stack=lambda _: model)


def order(results) -> list[str]:
    return [hit.patent.publication.number for hit in results.hits]


def test_what_marks_say():
    marks = [
        Mark(name(1), Category.IRRELEVANT, claim=1),
        Mark(name(2), Category.X, claim=1),
        Mark(name(3), Category.A, claim=1),
        Mark(name(4), Category.Y, claim=2),
        Mark(name(5), Category.NONE, "a note", claim=1),
    ]
    passages = [confirmed(5, "a spout"), confirmed(1, "a wheel"), confirmed(3, "x", Decision.REJECTED)]
    given = make_feedback(marks, passages, claim=1)
    assert given == Feedback((name(2), name(5)), (name(1),), ("a spout",))
    assert describe_feedback(given) == "2 relevant, 1 not relevant, 1 confirmed passage"
    assert name(4) in make_feedback(marks).pull, "of any claim"
    with pytest.raises(InputError, match="marked X or Y"):
        make_feedback(marks[:1])


@pytest.mark.parametrize("turned", [False, True])
def test_the_mark_that_counts_does_not_depend_on_the_order_of_the_marks(turned):
    one, other = PublicationNumber("EP", "1", "A1"), PublicationNumber("EP", "2", "A1")
    marks = [
        Mark(one, Category.X, claim=1),
        Mark(one, Category.IRRELEVANT, claim=2),
        Mark(other, Category.X, claim=0),
        Mark(other, Category.IRRELEVANT, claim=2),
    ]
    marks = marks[::-1] if turned else marks
    assert make_feedback(marks, claim=1).pull == (one, other)
    with pytest.raises(InputError, match="marked X or Y"):
        make_feedback(marks, claim=2)
    assert make_feedback(marks).pull == (one, other)
    assert make_feedback(marks).push == ()


def test_like_documents_come_up_and_unlike_ones_go_down(engine):
    _, searcher = engine
    request = SearchRequest(Query("a bicycle"))
    before = searcher.run(request, CTX)
    assert all(hit.unmarked_rank is None for hit in before.hits)
    after = searcher.run(replace(request, feedback=Feedback((name(2),), (name(1),))), CTX)
    assert order(after)[0] == "2"
    assert "Ranked with your marks: 1 relevant, 1 not relevant." in after.notes
    places = {hit.patent.publication.number: hit.unmarked_rank for hit in after.hits}
    expected = {number: place for place, number in enumerate(order(before), 1)}
    assert all(places[number] == expected.get(number, 0) for number in places)
    evidence = {hit.patent.publication.number: hit.passages for hit in before.hits}
    assert all(
        hit.passages == evidence[hit.patent.publication.number]
        for hit in after.hits
        if hit.patent.publication.number in evidence
    ), "the evidence is that of the claim"


def test_the_vector_moves_to_what_is_relevant_and_away_from_what_is_not(engine):
    _, searcher = engine
    request = SearchRequest(Query("a bicycle"))

    def dense(feedback: Feedback | None) -> dict[int, float]:
        found = searcher.rank(replace(request, feedback=feedback), CTX)
        ranking = next(each for each in found.rankings if each.leg == "dense")
        return dict(zip(ranking.ids.tolist(), ranking.scores.tolist(), strict=True))

    plain, pulled = dense(None), dense(Feedback((name(3),)))
    assert pulled[3] > plain[3]
    assert dense(Feedback((name(3),), (name(4),)))[4] < pulled[4]


def test_words_of_confirmed_passages_are_searched(engine):
    _, searcher = engine
    request = SearchRequest(Query("a bicycle"))
    feedback = Feedback((name(1),), (), ("a spout for pouring",))
    found = searcher.rank(replace(request, feedback=feedback), CTX)
    words = next(each for each in found.rankings if each.leg == "bm25")
    assert 5 in words.ids.tolist()
    plain = searcher.rank(request, CTX)
    assert 5 not in next(each for each in plain.rankings if each.leg == "bm25").ids.tolist()


def test_documents_that_are_gone_are_said(engine):
    _, searcher = engine
    given = Feedback((name(2), name(99)), (name(98),))
    found = searcher.run(SearchRequest(Query("a bicycle"), feedback=given), CTX)
    assert "2 marked documents are not in this library and left out." in found.notes


def test_the_set_keeps_the_marks_and_is_found_again(engine, tmp_path):
    made, searcher = engine
    given = Feedback((name(2),), (name(1),), ("a lamp",))
    found = searcher.run(SearchRequest(Query("a bicycle"), feedback=given), CTX)
    recorded = dict(found.provenance.parameters)["marks"]
    assert recorded.startswith("+ EP2A1, - EP1A1, ")
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("one").id
        book.record_set(case, found)
        (record,) = book.sets(case)
    assert record.request.feedback == given
    again = SetSearch(made, SETTINGS, searcher).rerun(record, {}, CTX)
    assert (again.equal, again.differences) == (True, ())


def test_requests_of_earlier_versions_have_no_marks():
    old = codec.plain(SearchRequest(Query("x")))
    del old["feedback"]
    assert codec.read(SearchRequest, old).feedback is None
