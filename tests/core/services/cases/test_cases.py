"""The case book: what was said to be saved is there, nothing is rewritten, every step can be taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from cases_fakes import mark
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy import event

from claimlight.codec import decode
from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.types import (
    Action,
    Case,
    CaseId,
    Category,
    ClaimPriority,
    Hit,
    Mark,
    PatentId,
    PatentSummary,
    Provenance,
    PublicationNumber,
    Query,
    ReferenceDates,
    RuleSet,
    SearchRequest,
    SearchResults,
)

FAKES = Path(__file__).with_name("cases_fakes.py")
NUMBER = PublicationNumber("EP", "1000000", "A1")


def results(*numbers: int) -> SearchResults:
    hits = tuple(
        Hit(
            PatentSummary(
                PatentId(n), PublicationNumber("US", str(n), "B2"), "T", None, None, None, "", "", "en"
            ),
            1.0 / n,
            (),
            (),
            (),
        )
        for n in numbers
    )
    request = SearchRequest(Query("a damper"), before=date(2020, 1, 1), top=5)
    provenance = Provenance("L", "g1", 9, "enc", "cen", "cpu", (("rrf.k", "60"),))
    return SearchResults(request, hits, ("a note",), (), provenance)


def test_cases_are_kept_and_numbers_never_come_again(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        one = book.create_case("one", application="1. A wheel.", reference_date=date(2019, 5, 1))
        two = book.create_case("two", publication=NUMBER)
    with CaseBook.open(path, clock=clock) as book:
        assert book.cases() == [two, one]
        assert book.case(one.id) == one
        assert book.create_case("three").id == two.id + 1


def test_an_unknown_case_is_named(book):
    for call in (
        lambda: book.case(CaseId(7)),
        lambda: book.mark(CaseId(7), mark(1)),
        lambda: book.record_set(CaseId(7), results(1)),
        lambda: book.see(CaseId(7), NUMBER),
    ):
        with pytest.raises(InputError, match="no case 7"):
            call()


def test_edits_are_told_field_by_field_and_empty_ones_not_at_all(book):
    case = book.create_case("one")
    saved = book.save_case(replace(case, notes="careful", claim=3))
    assert (saved.notes, saved.claim, saved.created) == ("careful", 3, case.created)
    assert saved.changed > case.changed
    before = book.history(case.id)
    assert book.save_case(saved) == saved
    assert book.history(case.id) == before
    assert before[-1].text == "claim, notes edited"


def test_marks_replace_one_another_by_what_they_are_about(book):
    case = book.create_case("one").id
    first = Mark(NUMBER, Category.X, "", 1, "F1")
    book.mark(case, first)
    book.mark(case, replace(first, feature="F2", category=Category.A))
    book.mark(case, replace(first, category=Category.Y))
    second = replace(first, feature="F2", category=Category.A)
    assert book.marks(case) == [replace(first, category=Category.Y), second]
    book.mark(case, replace(first, category=Category.NONE))
    assert [item.feature for item in book.marks(case)] == ["F2"]
    book.mark(case, Mark(NUMBER, Category.NONE, "only a note"))
    assert len(book.marks(case)) == 2


def test_what_was_read_is_kept_but_not_undone(book):
    case = book.create_case("one").id
    book.mark(case, mark(1))
    book.see(case, NUMBER)
    assert book.undo(case) == "US9000001B2: Y for claim 1 F1"
    assert book.seen(case) == {NUMBER}
    book.see(case, NUMBER, seen=False)
    assert book.seen(case) == frozenset()


def test_query_sets_are_appended_and_read_back(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("one").id
        first = book.record_set(case, results(3, 1, 2))
        second = book.record_set(case, results())
        assert (first.label, second.label) == ("L1", "L2")
        assert [str(hit.publication) for hit in first.hits] == ["US3B2", "US1B2", "US2B2"]
        assert book.undo(case) == "", "a search on record is never taken back"
    with CaseBook.open(path, clock=clock) as book:
        assert book.sets(case) == [first, second]
        assert book.sets(case)[0].request == results().request
        assert book.sets(case)[0].provenance == results().provenance
        third = book.record_set(case, results(9))
        assert book.sets(case) == [first, second, third]
        log = [item.text for item in book.history(case)]
        assert log[-2:] == ["L2: nothing found for a text", "L3: 1 document for a text"]


def test_sets_of_cases_are_numbered_on_their_own(book):
    one, two = book.create_case("one").id, book.create_case("two").id
    assert [book.record_set(case, results(1)).label for case in (one, two, one)] == ["L1", "L1", "L2"]


def test_undo_and_redo_walk_the_log_and_only_add_to_it(book):
    case = book.create_case("one")
    book.mark(case.id, mark(1))
    book.save_case(replace(book.case(case.id), notes="careful"))
    log = book.history(case.id)
    assert book.undoable(case.id) == "notes edited"
    assert book.undo(case.id) == "notes edited"
    assert book.case(case.id).notes == ""
    assert book.undo(case.id) == "US9000001B2: Y for claim 1 F1"
    assert book.marks(case.id) == []
    assert book.undo(case.id) == ""
    assert book.redo(case.id) == "US9000001B2: Y for claim 1 F1"
    assert book.marks(case.id) == [mark(1)]
    assert book.redoable(case.id) == "notes edited"
    book.mark(case.id, mark(2))
    assert book.redoable(case.id) == "", "a new change ends what could be redone"
    after = book.history(case.id)
    assert [item.text for item in after[: len(log)]] == [item.text for item in log]
    assert [item.action for item in after[len(log) :]] == [
        Action.UNDONE, Action.UNDONE, Action.REDONE, Action.MARKED,
    ]  # fmt: skip


@hypothesis_settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.one_of(st.integers(0, 3), st.sampled_from(["undo", "redo"])), max_size=12))
def test_undo_is_the_state_before(book, steps):
    """Any run of marks, undos and redos leaves what a plain stack of states says."""
    case = book.create_case("one").id
    states, at = [{}], 0
    for step in steps:
        if step == "undo":
            assert bool(book.undo(case)) == (at > 0)
            at = max(at - 1, 0)
        elif step == "redo":
            assert bool(book.redo(case)) == (at < len(states) - 1)
            at = min(at + 1, len(states) - 1)
        elif states[at].get(step) != mark(step):
            book.mark(case, mark(step))
            states = [*states[: at + 1], {**states[at], step: mark(step)}]
            at += 1
        assert {item.publication: item for item in book.marks(case)} == {
            item.publication: item for item in states[at].values()
        }


def test_the_log_is_only_ever_appended_to(book, path):
    """No statement of the case book changes or deletes a line of the log or a query set."""
    statements = []
    event.listen(
        book._store._database.engine,
        "before_cursor_execute",
        lambda _c, _k, statement, *_: statements.append(statement.split()),
    )
    case = book.create_case("one").id
    book.mark(case, mark(1))
    book.record_set(case, results(1))
    book.undo(case)
    book.redo(case)
    written = [words for words in statements if words[0] in {"UPDATE", "DELETE", "INSERT", "REPLACE"}]
    precious = {"log", "query_set", "set_hit"}
    assert {words[0] for words in written if precious & set(words[1:3])} == {"INSERT"}


def test_dates_law_and_limit_are_kept_with_the_case(book):
    dates = ReferenceDates(
        date(2019, 5, 2),
        date(2018, 5, 2),
        True,
        (ClaimPriority(3, None),),
        RuleSet.US,
        applicant="ACME",
        confirmed=True,
    )
    case = book.create_case("one")
    assert (case.dates, case.limit) == (None, None)
    book.save_case(replace(case, dates=dates, limit=date(2018, 1, 1)))
    kept = book.case(case.id)
    assert (kept.dates, kept.limit) == (dates, date(2018, 1, 1))
    book.undo(case.id)
    assert (book.case(case.id).dates, book.case(case.id).limit) == (None, None)


def test_a_case_of_an_earlier_version_has_no_dates_and_no_limit():
    """Its reference date was the day the search was limited to, whether anybody had chosen that or not."""
    text = (
        '{"id":3,"name":"old","created":"2025-01-02T03:04:05+00:00","changed":"2025-01-02T03:04:05+00:00",'
        '"application":"1. A wheel.","publication":null,"reference_date":"2018-05-02","claim":1,'
        '"features":[],"notes":"","library":""}'
    )
    case = decode(Case, text)
    assert (case.dates, case.limit) == (None, None)
    old = '{"filed":"2019-05-02","priority":"2018-05-02","verified":true,"claims":[]}'
    assert decode(ReferenceDates, old).rules is RuleSet.EPC
