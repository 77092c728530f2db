"""Classes accepted for an application: saved with the case, undone, found, shown."""

from __future__ import annotations

import json

from claimlight.cli.__main__ import run
from claimlight.services.cases.cases import CaseBook
from claimlight.types import AcceptedClass, ClassFilter, Scheme

SPRINGS = AcceptedClass(Scheme.CPC, "B62K 25/04", "Springs between wheel and frame", 0.91, "cpc-groups 1")
SECRETS = AcceptedClass(Scheme.IPC, "H04L 9/06")


def test_a_class_is_accepted_once_and_in_order(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("one").id
        for each in (SPRINGS, SECRETS, SPRINGS):
            book.accept_class(case, each)
    with CaseBook.open(path, clock=clock) as book:
        assert book.case(case).classes == (SPRINGS, SECRETS)
        assert [entry.text for entry in book.history(case)][1:] == [
            "class CPC B62K 25/04 accepted",
            "class IPC H04L 9/06 accepted",
        ]


def test_acceptance_and_restriction_are_undone_one_by_one(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("one").id
        book.accept_class(case, SPRINGS)
        book.restrict(case, [ClassFilter(Scheme.CPC, "B62K")])
        book.withdraw_class(case, SPRINGS)
        assert book.case(case).classes == ()
        assert book.undo(case) == "class CPC B62K 25/04 no longer accepted"
        assert book.case(case).classes == (SPRINGS,)
        assert book.undo(case) == "only documents of CPC B62K shown"
        assert book.case(case).within == ()
        assert book.undo(case) == "class CPC B62K 25/04 accepted"
        assert book.case(case).classes == ()
        assert book.redo(case) == "class CPC B62K 25/04 accepted"
        assert book.case(case).classes == (SPRINGS,)


def test_what_is_not_accepted_is_not_withdrawn(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("one").id
        book.withdraw_class(case, SPRINGS)
        assert len(book.history(case)) == 1


def test_cases_are_found_by_their_classes(path, clock):
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("one").id
        book.create_case("two")
        book.accept_class(case, SPRINGS)
        for words in ("B62K25/04", "b62k 25/04", "springs wheel"):
            assert [item.case.id for item in book.summaries(words)] == [case]


def test_a_case_is_shown_with_its_classes(capsys):
    with CaseBook.open() as book:
        case = book.create_case("one").id
        book.accept_class(case, SPRINGS)
        book.restrict(case, [ClassFilter(Scheme.CPC, "B62K")])
    capsys.readouterr()
    assert run(["cases", "show", str(int(case))]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Class CPC B62K 25/04 Springs between wheel and frame; probability 0.91 by cpc-groups 1" in shown
    assert "Only documents of CPC B62K" in shown
    assert run(["cases", "show", str(int(case)), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["classes"][0]["probability"] == 0.91
    assert found["within"] == [{"scheme": "cpc", "symbol": "B62K"}]
