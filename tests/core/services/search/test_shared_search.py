"""Searching a shared library: hits, evidence, matrix and sets are those of the same library in a folder."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from claimlight.errors import InputError, ResourceError, ShortfallError
from claimlight.index.manifest import IndexRecipe
from claimlight.judging.calibration import CalibratedJudge
from claimlight.services.indexing import wanted
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.library.library import remove_documents
from claimlight.services.maps.library_map import map_library
from claimlight.services.search import matrix, queries
from claimlight.services.search.inspection import inspect_center
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.settings import change
from claimlight.tasks import TaskContext
from claimlight.types import (
    ClassFilter,
    ClassSymbol,
    Feedback,
    IndexDepth,
    PatentId,
    PublicationNumber,
    Ranker,
    Scheme,
    SearchRequest,
    SetRequest,
)
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, WORDS, index
from tests.core.services.search.test_charting import READ, WordJudge
from tests.fakes import add, library, patent, stack
from tests.shared_copy import share

CTX = TaskContext()
QUERY = queries.query_from_text(CLAIM)
LONG = patent(
    "1000007",
    "Long",
    claims=["A cart with a wheel, a lamp and a kettle."],
    paragraphs=[
        " ".join(["A brake acts on the wheel; the damper is viscous."] * 40),
        "The lamp is of glass.",
    ],
)
CLASSED = [replace(PATENTS[0], classes=(ClassSymbol(Scheme.CPC, "B62K 25/04"),)), *PATENTS[1:], LONG]


class _First:
    """The descriptions of the first documents."""

    def limit(self, waiting):
        return {document: many for document, many in waiting.items() if document < 5}

    def sorted(self, waiting):
        return sorted(waiting)


def index_to(made, model, depth, order=None):
    build_index(
        index_folder(made.folder),
        LibraryCorpus(made.store),
        stack=model,
        settings=SETTINGS,
        context=CTX,
        depth=depth,
        order=order,
    )


@pytest.fixture(scope="module")
def model():
    return stack(WORDS)


@pytest.fixture(scope="module", params=["whole", "partly"])
def both(request, tmp_path_factory, model):
    """The same library in its folder and shared; ``partly``: without some descriptions."""
    with library(tmp_path_factory.mktemp(request.param) / "L", CLASSED) as made:
        if request.param == "whole":
            index(made, model)
        else:
            add(made, [patent("1000008", "Removed", claims=["A bicycle with a viscous damper."])])
            index_to(made, model, IndexDepth.CLAIMS)
            index_to(made, model, IndexDepth.FULL, _First())
            remove_documents(made, ["EP1000008A1"])
            index_to(made, model, IndexDepth.CLAIMS)
        yield made, share(made, SETTINGS, most=5 if request.param == "partly" else 1 << 20)


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", CLASSED) as found:
        index(found, model)
        yield found


def engine(found, model, settings=SETTINGS, judge=None):
    return SearchEngine.open(found, settings, stack=lambda _: model, judge=lambda _: judge)


def engines(both, model, **more):
    return tuple(engine(each, model, **more) for each in both)


def plain(hit):
    """A hit without what differs in its last digits."""
    return replace(hit, score=0.0, ranks=tuple(replace(rank, score=0.0) for rank in hit.ranks))


REQUESTS = {
    "all": claim_search(QUERY),
    "before": claim_search(QUERY, before=date(2012, 1, 1)),
    "family": claim_search(QUERY, own_family=PublicationNumber("EP", "1000001", "A1")),
    "class": claim_search(QUERY, classes=(ClassFilter(Scheme.CPC, "B62K 25/00"),)),
    "top": claim_search(QUERY, top=2),
    "marks": replace(
        claim_search(QUERY), feedback=Feedback(pull=(PublicationNumber("EP", "1000004", "A1"),), push=())
    ),
    **{leg.value: claim_search(QUERY, legs=[leg]) for leg in (Ranker.BM25, Ranker.DENSE, Ranker.CENTERS)},
}


@pytest.mark.parametrize("name", REQUESTS)
def test_hits_and_evidence_are_the_same(both, model, name):
    theirs, mine = (each.run(REQUESTS[name], CTX) for each in engines(both, model))
    assert [plain(hit) for hit in mine.hits] == [plain(hit) for hit in theirs.hits]
    np.testing.assert_allclose(
        [hit.score for hit in mine.hits], [hit.score for hit in theirs.hits], rtol=1e-4, atol=1e-5
    )
    assert mine.hits
    assert (mine.notes, mine.hidden, mine.cause) == (theirs.notes, theirs.hidden, theirs.cause)
    left, right = (dict(each.provenance.parameters) for each in (mine, theirs))
    assert left == right


def test_the_evidence_of_a_document_is_the_same(both, model):
    theirs, mine = engines(both, model)
    for number in (1, 4, 6):
        assert mine.document_evidence(QUERY, PatentId(number), CTX) == theirs.document_evidence(
            QUERY, PatentId(number), CTX
        )


def test_matrix_and_rulings_are_the_same(both, model):
    patents = [PatentId(number) for number in range(1, 7)]
    judge = CalibratedJudge(WordJudge(), READ)
    theirs, mine = (
        (
            matrix.coverage_matrix(searcher, each, SETTINGS, QUERY, patents, CTX),
            dict(searcher.rule(QUERY, patents, CTX)),
        )
        for each, searcher in zip(both, engines(both, model, judge=judge), strict=True)
    )
    assert mine[0].rows == theirs[0].rows
    assert mine[1] == theirs[1]
    assert any(cell is not None for row in mine[1].values() for cell in row)


@pytest.mark.parametrize(
    "line", ['~"a viscous damper"', "LIKE(EP1000001A1)", "COVERS(F2)", 'brake OR ~"lamp"']
)
def test_semantic_operators_are_the_same(both, model, line):
    found = [
        SetSearch(each, SETTINGS, searcher).run(SetRequest(line, query=QUERY), {}, CTX)
        for each, searcher in zip(both, engines(both, model), strict=True)
    ]
    assert found[1].patents == found[0].patents
    assert found[1].notes == found[0].notes
    assert [term.rule for term in found[1].parsed.terms] == [term.rule for term in found[0].parsed.terms]
    assert found[0].patents


def test_a_concept_is_inspected_in_both(both, model):
    number = list(model.vocabulary.anchors).index("wheel")
    theirs, mine = (
        inspect_center(searcher, each, SETTINGS, number, CTX)
        for each, searcher in zip(both, engines(both, model), strict=True)
    )
    assert replace(mine, spans=()) == replace(theirs, spans=())
    assert [replace(each, cosine=0.0) for each in mine.spans] == [
        replace(each, cosine=0.0) for each in theirs.spans
    ]
    assert mine.documents >= 1


def test_without_its_engine_a_search_says_so_and_lines_of_words_work(made, model):
    shared = share(made, SETTINGS)
    searcher = engine(shared, model)
    before = searcher.run(claim_search(QUERY), CTX)
    assert before.hits
    assert before.answered
    assert before.engine_fault == ""
    shared.shared.backend.gone = True
    found = searcher.run(claim_search(QUERY), CTX)
    assert not found.hits
    assert not found.answered
    assert found.engine_fault == "The engine at memory does not answer."
    assert "No ranker could search: The engine at memory does not answer." in found.cause
    assert found.cause in found.notes
    assert "Query lines without semantic operators still work." in found.cause
    sets = SetSearch(shared, SETTINGS, searcher)
    assert sets.run(SetRequest("bicycle"), {}, CTX).patents
    with pytest.raises(ResourceError, match="does not answer"):
        sets.run(SetRequest('~"a viscous damper"'), {}, CTX)
    evidence = searcher.document_evidence(QUERY, PatentId(1), CTX)
    assert evidence == engine(made, model).document_evidence(QUERY, PatentId(1), CTX), "it needs no engine"


def test_a_ranker_that_the_engine_refuses_is_named(made, model, monkeypatch):
    shared = share(made, SETTINGS)
    ask = shared.shared.backend.search

    def refuse(leg, vector, allowed, k):
        if leg.sections:
            raise ShortfallError("3 of 5 hits came.")
        return ask(leg, vector, allowed, k)

    monkeypatch.setattr(shared.shared.backend, "search", refuse)
    found = engine(shared, model).run(claim_search(QUERY), CTX)
    assert found.hits
    assert found.answered
    assert "The shared library was searched without semantic search: 3 of 5 hits came." in found.notes
    assert not any(rank.leg is Ranker.DENSE for hit in found.hits for rank in hit.ranks)


def test_a_count_of_what_the_date_hides_that_lacks_a_ranker_is_told(made, model, monkeypatch):
    shared = share(made, SETTINGS)
    ask = shared.shared.backend.search

    def refuse(leg, vector, allowed, k):
        if leg.sections and not allowed.before:
            raise ShortfallError("3 of 5 hits came.")
        return ask(leg, vector, allowed, k)

    monkeypatch.setattr(shared.shared.backend, "search", refuse)
    found = engine(shared, model).run(claim_search(QUERY, before=date(2012, 1, 1)), CTX)
    assert any(rank.leg is Ranker.DENSE for hit in found.hits for rank in hit.ranks)
    assert "What the date limit hides was counted without semantic search: 3 of 5 hits came." in found.notes
    assert not any("was searched without" in note for note in found.notes)


def test_with_another_model_its_words_are_searched(made, model):
    shared = share(made, SETTINGS)
    schema = replace(shared.shared.source.made_with, recipe=IndexRecipe("other", "n", "c", "u", 3))
    shared.shared.source.made_with = schema
    shared.shared.backend._schema = schema
    searcher = engine(shared, model)
    found = searcher.run(claim_search(QUERY), CTX)
    assert found.hits
    assert "Only keywords were searched: The index was built with the model package other" in found.notes[0]
    assert {rank.leg for hit in found.hits for rank in hit.ranks} == {Ranker.BM25}
    assert searcher.state(CTX) is searcher.state(CTX), "nothing is read again for a model that does not fit"


def test_a_shared_library_without_an_index_says_what_to_do(made, model):
    shared = share(made, SETTINGS)
    shared.shared.source.made_with = None
    found = engine(shared, model).run(claim_search(QUERY), CTX)
    assert not found.hits
    assert "`claimlight push`" in found.cause
    assert found.cause in found.notes
    with pytest.raises(InputError, match=r"needs an index\. Build it with `claimlight push`, or remove"):
        SetSearch(shared, SETTINGS, engine(shared, model)).run(SetRequest('~"a damper"'), {}, CTX)


def test_own_settings_of_the_length_norm_do_not_count(made, model):
    shared = share(made, SETTINGS)
    other = change(change(SETTINGS, "centers.length_exponent", 0.9), "centers.length_floor", 2)
    found = engine(shared, model, other).run(claim_search(QUERY), CTX)
    expected = engine(made, model).run(claim_search(QUERY), CTX)
    assert [plain(hit) for hit in found.hits] == [plain(hit) for hit in expected.hits]
    assert any("Your settings of these do not apply" in note for note in found.notes)
    assert dict(found.provenance.parameters) == dict(expected.provenance.parameters)


def test_nothing_is_read_or_wanted_of_a_shared_library(both, model):
    _, shared = both
    before = wanted.read(shared.folder)
    searcher = engine(shared, model)
    searcher.run(SearchRequest(QUERY), CTX, reading=5.0)
    assert searcher.read_descriptions(QUERY, [PatentId(6)], seconds=5.0, context=CTX) == 0
    searcher.document_evidence(QUERY, PatentId(6), CTX)
    assert wanted.read(shared.folder) == before
    with pytest.raises(InputError, match="no map of a shared library"):
        map_library(shared, CTX)


def test_a_database_that_answers_again_is_used_again(made, model, monkeypatch):
    shared = share(made, SETTINGS)
    searcher = engine(shared, model)

    def fail(*_):
        raise ResourceError("The server db1 did not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(shared.shared.source, "columns", fail)
        found = searcher.run(claim_search(QUERY), CTX)
    assert not found.hits
    assert found.notes[0] == (
        "No ranker could search, and only query lines find documents: The server db1 did not answer."
    )
    assert found.cause == found.notes[0]
    assert searcher.run(claim_search(QUERY), CTX).hits


def test_a_newer_state_is_found_by_the_next_search(made, model):
    shared = share(made, SETTINGS)
    searcher = engine(shared, model)
    first = searcher.state(CTX)
    assert searcher.state(CTX) is first
    add(made, [patent("1000009", "Later", claims=["A bicycle with a viscous damper and a brake."])])
    index(made, model)
    newer = share(made, SETTINGS).shared
    shared.shared.source.now, shared.shared.source.stored = newer.source.now, newer.source.stored
    shared.shared.backend._blocks = newer.backend._blocks
    shared.shared.words.__dict__.update(newer.words.__dict__)
    assert searcher.refresh(CTX)
    found = searcher.run(claim_search(QUERY), CTX)
    assert "EP1000009A1" in [str(hit.patent.publication) for hit in found.hits]
    assert searcher.state(CTX).generation.engine is first.generation.engine
