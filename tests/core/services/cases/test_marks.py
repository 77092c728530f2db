"""Letters of categories, the passages they are given for, and notes on passages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from claimlight import codec
from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.services.cases.marking import passages_of
from claimlight.types import (
    CITED,
    Category,
    Citation,
    Confirmation,
    DateFinding,
    DateStatus,
    Decision,
    Hindrance,
    Mark,
    MarkedPassage,
    Origin,
    PassageNote,
    PublicationNumber,
    Span,
    cite_runs,
    cited_by_applicant,
    effective_mark,
    join_letters,
    propose_kinds,
    read_letters,
    shown_mark,
    strength_of,
    write_letters,
)

EP = PublicationNumber("EP", "1000000", "A1")
AT = datetime(2026, 3, 1, tzinfo=UTC)


def passage(label: str, text: str) -> MarkedPassage:
    return MarkedPassage(label, text, f"digest of {text}")


def confirmed(label: str, text: str, claim: int = 1, decision: Decision = Decision.CONFIRMED) -> Confirmation:
    return Confirmation(EP, decision, "a lever", "f", text, f"digest of {text}", label, AT, "F1", claim)


@pytest.mark.parametrize(
    ("text", "letters"),
    [("P,X", "P,X"), ("xp", "P,X"), ("X; d", "D,X"), ("d&p/y", "P,D,Y"), ("L", "L"), ("", ""), ("0", "0")],
)
def test_letters_are_read_in_any_order_and_written_in_that_of_reports(text, letters):
    assert write_letters(*read_letters(text)) == letters


def test_letters_that_exclude_each_other_are_refused():
    with pytest.raises(ValueError, match="X and A exclude each other"):
        read_letters("X,A")
    with pytest.raises(ValueError, match="no letter can be beside it"):
        read_letters("P,0")
    with pytest.raises(ValueError, match="'Q' is no letter"):
        read_letters("Q")
    assert join_letters([Category.D, Category.P]) == (Category.P, (Category.D,))


def test_what_depends_on_dates_is_weaker_than_the_letter_alone():
    order = [(Category.X, ()), (Category.X, (Category.P,)), (Category.X, (Category.E,)), (Category.Y, ())]
    figures = [strength_of(*each) for each in order]
    assert figures == sorted(figures)
    assert len(set(figures)) == len(order)
    assert strength_of(Category.X, (Category.D,)) == strength_of(Category.X)
    last = {strength_of(Category.NONE), strength_of(Category.IRRELEVANT)}
    assert last == {max(strength_of(each) for each in Category)}
    assert all(strength_of(each, tuple(CITED)) < min(last) for each in CITED)


def test_the_mark_that_counts_and_the_one_that_is_shown():
    first = Mark(EP, Category.A, claim=1)
    other = Mark(EP, Category.X, claim=4, kinds=(Category.P,))
    note = Mark(EP, note="look again")
    assert effective_mark([note, other, first], 1) == first
    assert effective_mark([note, other], 1) is None
    assert shown_mark([note, other], 1) == other
    assert shown_mark([note], 1) is None


@pytest.mark.parametrize(
    ("status", "published", "expected"),
    [
        (DateStatus.EPC_P, date(2018, 12, 1), "P"),
        (DateStatus.EPC_E, date(2020, 1, 1), "E"),
        (DateStatus.US_EARLIER, date(2020, 1, 1), "E"),
        (DateStatus.US_EARLIER, date(2019, 1, 1), ""),
        (DateStatus.EPC_PUBLISHED, date(2001, 1, 1), ""),
        (DateStatus.EPC_LATER, date(2020, 1, 1), ""),
    ],
)
def test_letters_are_proposed_by_the_dates(status, published, expected):
    found = propose_kinds(DateFinding(status), published=published, filed=date(2019, 10, 1), cited=False)
    assert write_letters(Category.NONE, found) == expected


def test_d_is_proposed_for_what_the_application_itself_cites():
    own = Citation(replace(EP, kind=""), origin=Origin.DESCRIPTION)
    others = [Citation(PublicationNumber("US", "5", ""), origin=Origin.SEARCH), Citation(None, "a book")]
    assert cited_by_applicant([own, *others]) == {("EP", "1000000")}
    assert propose_kinds(DateFinding(), published=None, filed=None, cited=True) == (Category.D,)


def test_labels_that_follow_each_other_are_cited_as_a_range():
    labels = ["[0042]", "[0043]", "[0044]", "claim 1", "[0050]", "[0050]"]
    assert cite_runs(labels) == "[0042]-[0044], claim 1, [0050]"
    assert cite_runs([]) == ""
    assert cite_runs(["figure 3", "[0001]", "figure 2A"]) == "[0001], figures 3, 2A"
    assert cite_runs(["figure 3"]) == "figure 3"


def test_a_mark_is_given_for_the_confirmed_passages_and_for_chosen_ones(tmp_path):
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("one").id
        mark = Mark(EP, Category.X, claim=1, kinds=(Category.P,))
        with pytest.raises(InputError, match="has no category"):
            book.cite(case, mark, passage("[0009]", "a spring"))
        book.mark(case, mark)
        book.decide(case, confirmed("[0001]", "a lever"))
        book.decide(case, confirmed("[0002]", "a rod", claim=2))
        book.decide(case, confirmed("[0003]", "a rope", decision=Decision.REJECTED))

        def cited() -> list[str]:
            (kept,) = book.marks(case)
            return [item.label for item in passages_of(kept, book.confirmations(case))]

        assert cited() == ["[0001]"]
        assert book.cite(case, mark, passage("[0009]", "a spring"))
        assert cited() == ["[0001]", "[0009]"]
        assert not book.cite(case, mark, passage("[0001]", "a lever"))
        assert cited() == ["[0009]"]
        assert book.undo(case) == "EP1000000A1 [0001]: no longer cited with P,X for claim 1"
        assert cited() == ["[0001]", "[0009]"]
        book.redo(case)
        assert book.cite(case, mark, passage("[0001]", "a lever"))
        assert cited() == ["[0001]", "[0009]"]
        assert not book.cite(case, mark, passage("[0009]", "a spring"))
        assert cited() == ["[0001]"]
        for label in ("3", "2A"):
            assert book.cite(case, mark, MarkedPassage.of_figure(label))
        assert cited() == ["[0001]", "figure 3", "figure 2A"]
        assert not book.cite(case, mark, MarkedPassage.of_figure("3"))
        assert cited() == ["[0001]", "figure 2A"]
        assert book.cite(case, mark, MarkedPassage.of_figure("2A")) is False
        whole = replace(mark, claim=0)
        assert [item.label for item in passages_of(whole, book.confirmations(case))] == ["[0001]", "[0002]"]


def test_notes_on_a_passage_and_on_words_of_it_are_kept_found_and_undone(tmp_path):
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("one").id
        note = PassageNote(EP, "[0042]", "a lever of brass", "d", "see fig. 3", AT)
        words = replace(note, note="brass is not steel", words=Span(11, 16))
        book.note_passage(case, note)
        book.note_passage(case, words)
        book.note_passage(case, replace(words, at=AT.replace(year=2027)))
        assert len([line for line in book.history(case) if line.action == "noted"]) == 2
        assert book.passage_notes(case) == [note, words]
        assert words.quoted == "brass"
        (found,) = book.summaries("STEEL")
        assert found.found == "note on EP1000000A1 [0042]"
        book.note_passage(case, replace(words, note=" "))
        assert book.passage_notes(case) == [note]
        assert book.undo(case) == "EP1000000A1 [0042]: note removed"
        assert book.undo(case) == "EP1000000A1 [0042]: note"
        assert book.passage_notes(case) == [note]
        assert book.redo(case) == "EP1000000A1 [0042]: note"
        assert book.check().sound
    with CaseBook.open(tmp_path / "cases.db") as book:
        assert [item.note for item in book.passage_notes(case)] == ["see fig. 3", "brass is not steel"]


def test_a_mark_of_an_earlier_version_is_read_as_it_was():
    raw = '{"publication":{"country":"EP","number":"1000000","kind":"A1"},"category":"P","claim":2}'
    kept = codec.decode(Mark, raw)
    assert (kept, kept.letters) == (Mark(EP, Category.P, claim=2), "P")


def test_a_step_is_undone_by_itself_where_nothing_depends_on_it(tmp_path):
    other = replace(EP, number="2000000")
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("one").id
        book.mark(case, Mark(EP, Category.X, claim=1))
        book.mark(case, Mark(other, Category.A, claim=1))
        book.mark(case, Mark(EP, Category.Y, claim=1))
        book.rename(case, "two")
        book.save_case(replace(book.case(case), notes="a note"))
        book.see(case, EP)

        def entry(text: str):
            return next(item for item in book.history(case) if item.text.startswith(text))

        first = entry(f"{EP}: X")
        assert (first.hindrance, first.later) == (Hindrance.LATER, f"{EP}: Y for claim 1")
        assert (first.publication, first.undone) == (str(EP), False)
        with pytest.raises(InputError, match="stays as it is: changed again later"):
            book.turn(case, first.number)
        assert entry("case 'one'").hindrance is Hindrance.NOTHING
        assert book.turn(case, entry(f"{other}: A").number) == f"{other}: A for claim 1"
        assert [str(mark.publication) for mark in book.marks(case)] == [str(EP)]
        assert entry(f"{other}: A").undone
        book.turn(case, entry("renamed").number)
        assert (book.case(case).name, book.case(case).notes) == ("one", "a note")
        book.turn(case, entry(f"{EP}: seen").number)
        assert book.seen(case) == frozenset()
        # What was undone is redone by itself, and what it hid can be undone then.
        book.turn(case, entry(f"{other}: A").number)
        assert len(book.marks(case)) == 2
        book.turn(case, entry(f"{EP}: Y").number)
        assert not entry(f"{EP}: X").hindrance
        book.turn(case, entry(f"{EP}: X").number)
        assert not entry(f"{EP}: X").hindrance
        book.mark(case, Mark(EP, Category.A, claim=1))
        assert entry(f"{EP}: Y").hindrance is Hindrance.SINCE
        assert book.undo(case) == f"{EP}: A for claim 1"
        assert book.check().sound
