"""The order of descriptions: what is wanted, what the case says, its classes before its date, the newest."""

from __future__ import annotations

from datetime import date

import pytest

from claimlight.index.generation import Generation
from claimlight.services.indexing import wanted
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.indexing.order import LibraryOrder, NearCase
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.types import Committed, IndexDepth
from tests.core.services.indexing.small_library import DESCRIPTIONS, make_library, make_stack

NEWEST = [4, 2, 6, 5, 1]


@pytest.fixture
def made(tmp_path):
    with make_library(tmp_path / "L") as opened:
        yield opened


def test_the_newest_come_first_if_nothing_else_is_known(made):
    assert list(LibraryOrder(made).sorted(DESCRIPTIONS)) == NEWEST


def test_what_was_found_or_opened_last_comes_first(made):
    wanted.add(made.folder, [1, 5])
    wanted.add(made.folder, [6])
    # Those in the classes of wanted documents follow: 2 is in that of 1, and 4 is in none.
    assert list(LibraryOrder(made).sorted(DESCRIPTIONS)) == [6, 1, 5, 2, 4]


def test_the_documents_of_a_case_come_before_those_of_its_classes(made):
    order = LibraryOrder(made, case=NearCase((5,), ("B62K",)))
    assert list(order.sorted(DESCRIPTIONS)) == [5, 2, 1, 4, 6]


def test_wanted_documents_come_before_those_of_a_case(made):
    wanted.add(made.folder, [1])
    assert list(LibraryOrder(made, case=NearCase((5, 1), ("A47J",))).sorted(DESCRIPTIONS)) == [1, 5, 4, 2, 6]


def test_documents_before_the_date_of_a_case_come_first_in_and_outside_its_classes(made):
    order = LibraryOrder(made, case=NearCase((), ("B62K",), date(2013, 1, 1)))
    assert list(order.sorted(DESCRIPTIONS)) == [1, 2, 6, 5, 4]
    same_day = LibraryOrder(made, case=NearCase((), (), date(2012, 5, 1)))
    assert list(same_day.sorted(DESCRIPTIONS)) == [5, 1, 4, 2, 6], "published on that day is not before it"


def test_only_the_chosen_documents_are_left(made):
    order = LibraryOrder(made, only={6, 3, 99})
    assert order.limit(DESCRIPTIONS) == {6: 4}
    assert LibraryOrder(made).limit(DESCRIPTIONS) == DESCRIPTIONS
    assert LibraryOrder(made, only=()).limit(DESCRIPTIONS) == {}


def test_a_document_that_is_gone_does_not_disturb(made):
    assert list(LibraryOrder(made).sorted({**DESCRIPTIONS, 77: 2})) == [*NEWEST, 77]


def build(made, **more):
    return build_index(
        index_folder(made.folder),
        LibraryCorpus(made.store),
        stack=make_stack(),
        settings=change(Settings(), "index.documents_per_segment", 1),
        **more,
    )


def described(made):
    """The documents with a description in the index."""
    generation = Generation.open(index_folder(made.folder))
    return set(generation.document_ids().tolist()) - set(generation.claims_only.tolist())


def test_the_order_is_chosen_again_after_every_commit(made):
    """A document that is opened while descriptions are indexed is the next one."""
    committed = []

    def look(event):
        if isinstance(event, Committed) and event.stage == "full text":
            new = described(made) - {3} - set(committed)
            committed.extend(new)
            if len(committed) == 2:
                wanted.add(made.folder, [1])

    build(made, context=TaskContext(look), order=LibraryOrder(made))
    # 2 is in the class of 1, which is wanted by then; so it would be next also without being newer.
    assert committed == [4, 2, 1, 6, 5]


def test_limits_restrict_descriptions_and_not_claims(made):
    report = build(made, context=TaskContext(), order=LibraryOrder(made, only={1, 6}))
    assert (report.documents, report.full_text) == (6, 2)
    assert described(made) == {1, 3, 6}
    assert build(made, context=TaskContext(), depth=IndexDepth.CLAIMS).full_text == 0
    assert build(made, context=TaskContext()).full_text == 3


def test_a_quick_index_says_what_is_left(made):
    build(made, context=TaskContext(), depth=IndexDepth.CLAIMS)
    info = made.info()
    assert (info.indexed_documents, info.claims_only, info.full_text, info.waiting) == (6, 5, 1, 0)
    build(made, context=TaskContext(), order=LibraryOrder(made, only={1, 6}))
    info = made.info()
    assert (info.indexed_documents, info.claims_only, info.full_text) == (6, 3, 3)
    build(made, context=TaskContext())
    assert (made.info().indexed_documents, made.info().claims_only) == (6, 0)
