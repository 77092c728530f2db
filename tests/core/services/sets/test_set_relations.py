"""Citations and families as terms of a query line, against the panels of a document."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from claimlight.errors import QueryError
from claimlight.services.library import relations
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import Citation, Origin, PatentId, PublicationNumber, SetRequest
from tests.core.services.sets.set_fakes import numbers, record, run, searcher
from tests.fakes import add, library, patent


def _cites(*cited: str) -> tuple[Citation, ...]:
    numbers = (PublicationNumber(*name.split()) for name in cited)
    return tuple(Citation(number, "", "X", Origin.SEARCH) for number in numbers)


PATENTS = [
    patent("1000001", "Damper", priority="7", published=date(2001, 1, 1)),
    patent("1000001", "Damper", kind="B1", priority="7", published=date(2003, 1, 1)),
    replace(
        patent("1000002", "Wheel", published=date(2004, 1, 1)),
        citations=_cites("EP 1000001 B1", "US 5 A", "EP 1000001 A1"),
    ),
    replace(patent("1000003", "Kettle", published=date(2005, 1, 1)), citations=_cites("EP 1000002 A1")),
    replace(patent("1000004", "Damper lid", published=date(2006, 1, 1)), citations=_cites("EP 1000001 A1")),
    patent("1000005", "Cart", priority="7", country="GB", published=date(2007, 1, 1)),
]


@pytest.fixture
def cited(tmp_path):
    with library(tmp_path / "cited", PATENTS) as opened:
        yield opened


@pytest.fixture
def lines(cited):
    return SetSearch(cited, Settings(), SearchEngine.open(cited, Settings()))


def test_a_line_has_what_the_citation_panel_shows(cited, lines):
    for row, document in enumerate(PATENTS, 1):
        view = relations.citations(cited, PatentId(row))
        name = str(document.publication)
        held = {link.patent.id for link in view.cites if link.patent is not None}
        assert set(run(lines, f"CITED({name})").patents) == held
        citing = {link.patent.id for link in view.cited_by if link.patent is not None}
        assert set(run(lines, f"citing({name})").patents) == citing
        members = {member.patent.id for member in relations.family(cited, PatentId(row)).members}
        assert set(run(lines, f"FAMILY({name})").patents) == members
    assert set(run(lines, "CITING(EP1000001B1)").patents) == {3, 5}, "the application's other publication too"
    assert set(run(lines, "FAMILY(GB 1000005 A1)").patents) == {1, 2, 6}


def test_a_publication_outside_the_library_can_be_cited(lines):
    assert run(lines, "CITING(US 5 A)").patents == (3,)
    assert run(lines, "CITING(US6)").patents == ()
    for line in ("CITED(US5A)", "FAMILY(US5A)"):
        with pytest.raises(QueryError, match="US5A is not in the library") as told:
            run(lines, f"damper AND {line}")
        assert told.value.column == 12
    with pytest.raises(QueryError, match="'DAMPER' is not a publication number"):
        run(lines, "CITING(damper)")


def test_the_relations_of_a_set(lines, book):
    known = record(book, lines, "wheel OR kettle", "CITED(L1)", "L2 AND damp$2")
    assert set(numbers(run(lines, "L1", known))) == {"2", "3"}
    assert sorted(run(lines, "L2", known).patents) == [1, 2, 3]
    assert sorted(run(lines, "CITED(L1) NOT L1", known).patents) == [1, 2]
    assert sorted(run(lines, "CITING(L3)", known).patents) == [3, 5]
    assert sorted(run(lines, "FAMILY(L3) NOT L3", known).patents) == [6]
    assert lines.parse("CITED(L1) AND damper", {each.number: each for each in known}).terms[0].documents == 3
    with pytest.raises(QueryError, match="There is no set L9 in this case: it has L1 to L3"):
        run(lines, "FAMILY(L9)", known)


def test_a_set_of_relations_is_recorded_and_run_again(cited, lines, book):
    known = record(book, lines, "damper", "CITING(L1)")
    assert (known[1].provenance.parameters[-1][0], _size(known[1])) == ("L1", "3 documents")
    sets = {each.number: each for each in known}
    assert lines.rerun(known[1], sets, TaskContext()).equal
    late = replace(patent("1000009", "Late", published=date(2009, 1, 1)), citations=_cites("EP 1000004 A1"))
    add(cited, [late])
    again = SetSearch(cited, Settings(), SearchEngine.open(cited, Settings())).rerun(
        known[1], sets, TaskContext()
    )
    assert (again.equal, again.added) == (False, 1)
    (term,) = run(lines, "CITING(L1)", known).parsed.terms
    assert term.rule == "documents that cite it or another publication of its application"


def _size(found):
    return dict(found.provenance.parameters)["L1"].partition(",")[0]


def test_nothing_of_a_text_is_outlined_for_a_relation(lines):
    found = lines.marks(SetRequest("CITING(EP1000001A1) AND lid"), {}, PatentId(5), TaskContext())
    assert [mark.term for mark in found] == [1]
    assert lines.marks(SetRequest("CITED(EP1000001A1) AND lid"), {}, PatentId(5), TaskContext()) == ()


def test_like_a_passage_is_searched_by_its_words_without_the_own_family(made, model):
    sets = searcher(made, model)
    line = 'LIKE(EP1000002A1, "the brake stops the wheel")'
    found = run(sets, line)
    assert not {"1", "2"} & set(numbers(found)), "the own family"
    assert numbers(found)[0] == "4"
    assert found.asks is not None
    assert found.asks.text == "the brake stops the wheel"
    assert numbers(run(sets, '~"the brake stops the wheel"'))[0] in {"1", "4"}
    assert "brake" not in run(sets, "LIKE(EP1000002A1)").asks.text
    with pytest.raises(QueryError, match="The query is empty"):
        run(sets, 'LIKE(EP1000002A1, "---")')
