"""The filter of a search by class: the same documents as the query line of the class, with all below it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlight.errors import InputError
from claimlight.services.classes.schemes import Schemes
from claimlight.services.search.class_filter import (
    filter_line,
    find_class_members,
    read_class_filter,
)
from claimlight.services.search.queries import query_from_text
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import ClassFilter, ClassSymbol, PublicationNumber, Scheme, SetRequest
from tests.core.classes import invented
from tests.core.services.search.search_fakes import index
from tests.core.services.sets.set_fakes import WORDS, numbers, run, searcher
from tests.fakes import library, patent, stack

CLASSES = ("B62K 25/04", "B62K 2025/041", "B62K 25/28", "H04L 9/06")
B62K_25_04 = ClassFilter(Scheme.CPC, "B62K 25/04")


@pytest.fixture
def made(tmp_path):
    patents = [
        replace(
            patent(f"100000{n}", "Bicycle", claims=["A bicycle with a frame."]),
            classes=(ClassSymbol(Scheme.CPC, symbol), ClassSymbol(Scheme.IPC, "B62K 25/00")),
        )
        for n, symbol in enumerate(CLASSES, 1)
    ]
    with library(tmp_path / "L", patents) as found:
        yield found


@pytest.fixture
def imported(tmp_path):
    return Schemes().import_files(invented.write_lists(tmp_path / "lists"), TaskContext())


def search(made, *classes, **more):
    request = claim_search(query_from_text("A bicycle with a frame."), classes=classes, **more)
    return SearchEngine.open(made, Settings(), stack=lambda _: stack(WORDS)).run(request, TaskContext())


def publications(found):
    return sorted(hit.patent.publication.number[-1] for hit in found.hits)


@pytest.mark.parametrize("text", ["B62K25/04", " b62k 25/04+ ", "CPC=B62K25/04+", "cpc:B62K0025040000"])
def test_a_class_is_read_in_every_spelling(text):
    assert read_class_filter(text) == B62K_25_04


def test_the_scheme_can_be_named():
    assert read_class_filter("IPC=B62K") == ClassFilter(Scheme.IPC, "B62K")


@pytest.mark.parametrize("text", ["", "bicycles", "IPC"])
def test_what_is_no_symbol_is_refused(text):
    with pytest.raises(InputError, match="is no symbol"):
        read_class_filter(text)


def test_only_documents_of_the_class_and_below_are_found(made, imported):
    found = search(made, B62K_25_04)
    assert publications(found) == ["1", "2"]
    assert "Only documents of CPC B62K 25/04 (2022.08) with everything below: 2 documents." in found.notes
    assert dict(found.provenance.parameters)["classes"] == "CPC B62K 25/04"


def test_of_several_classes_one_is_enough(made, imported):
    assert publications(search(made, B62K_25_04, ClassFilter(Scheme.CPC, "H"))) == ["1", "2", "4"]


def test_the_filter_is_the_query_line_of_the_class(made, imported):
    """A query line within the filter, and the line of the filter, give the same documents."""
    sets = searcher(made, stack(WORDS))
    for each in (B62K_25_04, ClassFilter(Scheme.IPC, "B62K"), ClassFilter(Scheme.CPC, "B")):
        line = filter_line([each])
        within = sets.run(SetRequest("bicycle", classes=(each,)), {}, TaskContext())
        assert sorted(numbers(run(sets, f"bicycle AND ({line})"))) == sorted(numbers(within))
        assert len(within.patents) == len(find_class_members(made, [each]).ids)


def test_semantic_operators_search_within_the_filter(made, imported):
    index(made, stack(WORDS))
    sets = searcher(made, stack(WORDS))
    found = sets.run(SetRequest('~"bicycle frame"', classes=(B62K_25_04,)), {}, TaskContext())
    assert sorted(numbers(found)) == ["1", "2"]


def test_without_a_version_the_characters_decide(made):
    assert publications(search(made, ClassFilter(Scheme.CPC, "B62K"))) == ["1", "2", "3"]
    assert publications(search(made, B62K_25_04)) == ["1"], "the dots of groups are not known"


def test_an_empty_answer_names_the_class(made, imported):
    found = search(made, ClassFilter(Scheme.CPC, "B62K 27/00"))
    assert not found.hits
    assert found.cause == "No document that may be found has CPC B62K 27/00 or a class below."
    sets = searcher(made, stack(WORDS))
    line = sets.run(
        SetRequest("bicycle", classes=(ClassFilter(Scheme.CPC, "B62K 27/00"),)), {}, TaskContext()
    )
    assert line.cause == "4 documents match, but none has CPC B62K 27/00 or a class below."


def test_the_own_family_stays_the_cause_within_a_class(made, imported):
    found = search(made, ClassFilter(Scheme.CPC, "H04L"), own_family=PublicationNumber("EP", "1000004", "A1"))
    assert found.cause == "1 family was found and is excluded: the family of EP1000004A1."


def test_a_class_without_documents_points_to_the_scheme_that_has_some(made):
    # H04L is there as CPC only.
    found = find_class_members(made, [ClassFilter(Scheme.IPC, "H04L")])
    assert len(found.ids) == 0
    assert found.notes == (
        "Only documents of IPC H04L with everything below: 0 documents.",
        "CPC H04L has 1 document: search in CPC=H04L.",
    )
    assert len(find_class_members(made, [ClassFilter(Scheme.CPC, "A01B")]).notes) == 1
