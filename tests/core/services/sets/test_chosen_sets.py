"""Sets of documents that were chosen one by one, as on the map."""

from __future__ import annotations

import pytest

from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.services.sets.sets import SetSearch
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import PatentId, SetRequest


@pytest.fixture
def search(sample_engine):
    library, engine = sample_engine
    return SetSearch(library, Settings(), engine)


def test_chosen_documents_are_recorded_and_combined_like_other_sets(search, sample_engine, tmp_path):
    library, _ = sample_engine
    result = search.choose([3, 1, 2, 2, 10**9], "Selected on the map: three", TaskContext())
    assert sorted(result.patents) == [1, 2, 3]
    assert list(result.patents) == list(search.newest_first([PatentId(each) for each in (1, 2, 3)]))
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("One")
        book.record_set(case.id, result)
        (record,) = book.sets(case.id)
    assert isinstance(record.request, SetRequest)
    assert record.request.chosen
    assert record.request.expression == "Selected on the map: three"
    assert sorted(each for each in search.patents(record) if each) == [1, 2, 3]
    without = search.run(SetRequest("NOT L1"), {1: record}, TaskContext())
    assert not {1, 2, 3} & set(without.patents)
    assert len(without.patents) == library.info().documents - 3
    again = search.rerun(record, {1: record}, TaskContext())
    assert (again.equal, again.differences) == (True, ())
    assert search.asks(record.request) is None
    assert search.marks(record.request, {1: record}, PatentId(1), TaskContext()) == ()


def test_a_chosen_set_has_no_line_to_run(search):
    with pytest.raises(InputError, match="L3"):
        search.run(SetRequest("Selected on the map: three", chosen=True), {}, TaskContext())
