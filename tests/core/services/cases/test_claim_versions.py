"""Versions of claims: added, searched, compared claim by claim and word by word."""

from __future__ import annotations

from datetime import date

import pytest

from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.services.cases.claim_versions import (
    compare_claims,
    compare_words,
    find_new_words,
    name_searched,
    versions_of,
)
from claimlight.services.search.queries import claims_of_text, query_with_features
from claimlight.types import Change, Provenance, SearchRequest, SearchResults

FILED = (
    "1. A damper comprising a piston and a valve.\n\n"
    "2. The damper of claim 1, wherein the valve is made of brass.\n\n"
    "3. The damper of claim 2, wherein the piston has a seal of rubber.\n\n"
    "4. A bicycle with a damper according to claim 3."
)
AMENDED = (
    "1. A damper comprising a hollow piston and a valve of brass.\n\n"
    "2. The damper of claim 1, wherein the piston has a seal of rubber.\n\n"
    "3. A bicycle with a damper according to claim 2.\n\n"
    "4. Use of oil in a cylinder with two chambers and a reservoir."
)


def shown(pieces) -> str:
    marks = {Change.SAME: "{}", Change.INSERTED: "+{}+", Change.DELETED: "-{}-"}
    return " ".join(marks[piece.change].format(piece.text.strip()) for piece in pieces)


def test_claims_are_recognised_by_their_words_and_compared_word_by_word():
    found = compare_claims(claims_of_text(FILED), claims_of_text(AMENDED))
    assert [(item.old, item.new, item.change, item.renumbered) for item in found] == [
        (1, 1, Change.CHANGED, False),
        (2, None, Change.DELETED, False),
        (3, 2, Change.CHANGED, True),
        (4, 3, Change.SAME, True),
        (None, 4, Change.INSERTED, False),
    ]
    assert shown(found[0].pieces) == "A damper comprising a +hollow+ piston and a valve +of brass+ ."
    assert (found[0].count(Change.INSERTED), found[0].count(Change.DELETED)) == (3, 0)
    # Claim 3 depended on claim 2, which is gone: its new reference is another claim.
    assert shown(found[2].pieces).startswith("The damper of claim -2- +1+ , wherein")


def test_a_reference_that_follows_a_renumbered_claim_is_the_same():
    assert shown(compare_words("as in claim 3", "as in claim 2", renumbered={3: 2})) == "as in claim 2"
    pieces = compare_words("a seal of rubber", "a seal of rubber")
    assert [piece.change for piece in pieces] == [Change.SAME]
    assert compare_words("", "") == ()


def test_a_case_keeps_its_versions_and_what_was_decided(tmp_path):
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("one", application=FILED).id
        assert [item.name for item in versions_of(book.case(case))] == ["as filed"]
        assert book.case(case).version_label == ""
        with pytest.raises(InputError, match="searched now"):
            book.add_version(case, FILED)
        with pytest.raises(InputError, match="empty"):
            book.add_version(case, "  ")
        added = book.add_version(case, AMENDED, day=date(2026, 3, 1))
        assert (added.application, added.version_label) == (AMENDED, "amended, 2026-03-01")
        with pytest.raises(InputError, match="already"):
            book.add_version(case, FILED + " And more.", name="Amended")
        assert book.add_version(case, FILED + " And more.").version_label == "amended 2"
        assert book.use_version(case, "1").application == FILED
        assert book.use_version(case, "AMENDED").version == 1
        with pytest.raises(InputError, match="there are: as filed, amended, amended 2"):
            book.use_version(case, "granted")
        assert book.undo(case) == "claims 'amended' searched from now on"
        assert book.case(case).application == FILED
        for _ in range(3):
            book.undo(case)
        assert book.case(case).versions == ()
        assert book.case(case).application == FILED


def test_a_search_names_the_versions_that_have_its_words(tmp_path):
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("one", application=FILED)
        assert name_searched(case, "a piston and a valve") == ""
        case = book.add_version(case.id, AMENDED)
        assert name_searched(case, "a seal of  rubber") == "as filed; amended"
        assert name_searched(case, "a hollow piston") == "amended"
        is_new = find_new_words(case, [])
        assert is_new("a hollow piston")
        assert not is_new("a seal\nof rubber")
        request = SearchRequest(query_with_features(["a hollow piston"]), claim=1)
        origin = Provenance("L", "g", 1, "e", "c", "cpu")
        book.record_set(case.id, SearchResults(request, (), (), (), origin))
        assert not find_new_words(case, book.sets(case.id))("a hollow piston"), "it was searched"
        assert not find_new_words(book.use_version(case.id, "1"), [])("a hollow piston")
