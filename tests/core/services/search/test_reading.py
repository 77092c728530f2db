"""Libraries whose descriptions are indexed later: what is said meanwhile, and what a search reads itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from claimlight.errors import ResourceError
from claimlight.index.sections import SectionKind, kind_of
from claimlight.index.writer import IndexWriter
from claimlight.services.indexing import wanted
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.library.library import Library, remove_documents
from claimlight.services.search import matrix, queries
from claimlight.services.search.cell_words import depth_words
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.tasks import TaskContext
from claimlight.types import (
    CellVerdict,
    IndexDepth,
    PatentId,
    Ranker,
    SearchRequest,
    SetRequest,
    Unjudged,
)
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, index
from tests.fakes import FakeEncoder, add, library, patent

CTX = TaskContext()
QUERY = queries.query_from_text(CLAIM)
BRAKE = queries.query_from_text("A brake that stops a wheel.")


def index_claims(made, model):
    build_index(
        index_folder(made.folder),
        LibraryCorpus(made.store),
        stack=model,
        settings=SETTINGS,
        context=CTX,
        depth=IndexDepth.CLAIMS,
    )


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", PATENTS) as found:
        index_claims(found, model)
        yield found


def engine(made, model):
    return SearchEngine.open(made, SETTINGS, stack=lambda _: model, judge=lambda _: None)


def number(hit):
    return str(hit.patent.publication)


def hit_of(results, publication):
    return next(hit for hit in results.hits if number(hit) == publication)


def describes(hit):
    """Whether one of its passages is of a description."""
    return any(kind_of(item.section) is SectionKind.DESCRIPTION for item in hit.passages)


def passages(hit):
    return {item.label for item in hit.passages}


def test_every_ranker_finds_what_the_claims_say(made, model):
    for ranker in (Ranker.DENSE, Ranker.CENTERS):
        results = engine(made, model).run(SearchRequest(QUERY, legs=(ranker,)), CTX)
        assert number(results.hits[0]) == "EP1000001A1", ranker
    hit = results.hits[0]
    assert hit.depth is IndexDepth.CLAIMS
    assert not describes(hit)
    assert depth_words(hit.depth, hit.read) == "description not indexed yet", "nothing was read"
    assert results.notes == (
        "2 of 5 documents are indexed by title, abstract and claims only so far; keywords were searched in "
        "the whole text.",
    )


def test_a_document_without_description_is_indexed_whole(made, model):
    results = engine(made, model).run(SearchRequest(queries.query_from_text("A kettle.")), CTX)
    assert hit_of(results, "EP1000003A1").depth is IndexDepth.FULL


def test_what_the_claims_lack_is_no_verdict(made, model):
    """The attenuator and the brake's wheel are in the description, which nobody has read."""
    asked = queries.query_from_text("A bicycle; and a wheel.")
    found = engine(made, model).document_evidence(asked, PatentId(1), CTX)
    assert {item.verdict for item in found.features} & {CellVerdict.NONE, CellVerdict.BELOW} == set()
    silent = [item for item in found.features if item.verdict in {CellVerdict.UNREAD, CellVerdict.UNCOMPARED}]
    assert silent
    assert {item.cause for item in silent} == {Unjudged.DEPTH}


def test_a_matrix_says_what_it_has_not_read(made, model):
    searcher = engine(made, model)
    asked = queries.query_from_text("A bicycle; and a wheel.")
    patents = [PatentId(1), PatentId(3)]
    found = matrix.coverage_matrix(searcher, made, SETTINGS, asked, patents, CTX)
    by_id = {row.patent.id: row for row in found.rows}
    assert by_id[PatentId(1)].depth is IndexDepth.CLAIMS
    assert by_id[PatentId(3)].depth is IndexDepth.FULL
    assert any(cell.cause is Unjudged.DEPTH for cell in by_id[PatentId(1)].cells)
    assert all(cell.cause is Unjudged.NONE for cell in by_id[PatentId(3)].cells)
    assert any("what is lacking may be there" in note for note in found.notes)
    read = matrix.coverage_matrix(searcher, made, SETTINGS, asked, patents, CTX, reading=5.0)
    wheel = {row.patent.id: row for row in read.rows}[PatentId(1)].cells[1]
    assert (wheel.verdict, wheel.cause) == (CellVerdict.STRONG, Unjudged.NONE)
    assert any("read just now" in note for note in read.notes)


def test_strengths_are_given_again_after_reading(made, model):
    seen = []
    searcher = SearchEngine.open(made, SETTINGS, stack=lambda _: model, judge=lambda _: None)
    asked = queries.query_from_text("A bicycle; and a wheel.")
    matrix.coverage_matrix(
        searcher, made, SETTINGS, asked, [PatentId(1)], CTX, on_row=seen.append, reading=5.0
    )
    assert [row.cells[1].cause for row in seen] == [Unjudged.NONE]


def test_query_lines_say_what_they_find_by_claims_only(made, model):
    sets = SetSearch(made, SETTINGS, engine(made, model))
    result = sets.run(SetRequest('~"a viscous damper"'), {}, CTX)
    (note,) = [item for item in result.notes if "not indexed yet" in item]
    assert note.startswith('~"…" finds 2 of 5 documents by title, abstract and claims only')


def test_a_search_reads_what_it_needs_and_keeps_it(made, model):
    searcher = engine(made, model)
    before = searcher.state(CTX).generation.name
    results = searcher.run(SearchRequest(BRAKE), CTX, reading=5.0)
    hit = hit_of(results, "EP1000001A1")
    assert describes(hit)
    assert hit.depth is IndexDepth.CLAIMS, "some passages are no whole description"
    after = searcher.state(CTX).generation
    assert after.name != before
    # Another process finds it without reading again.
    other = engine(made, model).run(SearchRequest(BRAKE), CTX)
    (counted,) = {hit_of(each, "EP1000001A1").read for each in (results, other)}
    assert 1 <= counted.read <= counted.passages == len(PATENTS[0].description)
    assert depth_words(hit.depth, counted).startswith(f"description not indexed yet, {counted.read} of ")
    assert passages(hit_of(other, "EP1000001A1")) == passages(hit)
    assert number(other.hits[0]) == number(results.hits[0])


def test_the_best_passages_by_keywords_are_read_first(tmp_path, model):
    """One paragraph says what is asked for, in a document whose claims are about something else."""
    others = [
        patent(str(3000000 + n), "Bicycle", claims=["A viscous damper."], paragraphs=["A kettle."] * 3)
        for n in range(30)
    ]
    hidden = patent(
        "4000000", "Lamp", claims=["A lamp."], paragraphs=["A glass."] * 40 + ["A flurbel of a damper."]
    )
    with library(tmp_path / "L", [*others, hidden]) as found:
        index_claims(found, model)
        searcher = engine(found, model)
        asked = queries.query_from_text("A viscous damper with a flurbel.")
        results = searcher.run(SearchRequest(asked), CTX, reading=1e-9)
        texts = [item.text for item in hit_of(results, "EP4000000A1").passages]
        assert texts[0] == "A flurbel of a damper."
        assert any(note.endswith("read just now.") for note in results.notes)


def test_a_text_that_can_not_be_encoded_ends_no_search(made, model, monkeypatch):
    """Indexing says so when it comes to it; the search answers with what is indexed."""

    class Failing(FakeEncoder):
        def encode(self, texts, context):
            if any(kind_of(item.section) is SectionKind.DESCRIPTION for item in texts):
                raise ResourceError("not a number")
            yield from super().encode(texts, context)

    bad = replace(model, encoder=Failing())
    results = engine(made, bad).run(SearchRequest(BRAKE), CTX, reading=5.0)
    assert results.hits
    assert not describes(hit_of(results, "EP1000001A1"))
    index(made, bad)
    searcher = engine(made, bad)
    assert searcher.state(CTX).generation.manifest.unread == (1, 4)
    assert searcher.state(CTX).claims_only.tolist() == [1, 4]
    assert not searcher.read_descriptions(BRAKE, [PatentId(1)], seconds=5.0, context=CTX)


def test_nothing_is_read_without_time_or_need(made, model):
    searcher = engine(made, model)
    assert not searcher.read_descriptions(BRAKE, [PatentId(1)], seconds=0.0, context=CTX)
    assert not searcher.read_descriptions(BRAKE, [PatentId(3)], seconds=5.0, context=CTX)
    assert searcher.read_descriptions(BRAKE, [PatentId(1)], seconds=5.0, context=CTX)
    assert not searcher.read_descriptions(BRAKE, [PatentId(1)], seconds=5.0, context=CTX), "it is read"


def test_while_the_index_is_written_it_is_kept_in_memory(made, model):
    searcher = engine(made, model)
    with IndexWriter(index_folder(made.folder)):
        results = searcher.run(SearchRequest(BRAKE), CTX, reading=5.0)
        assert describes(hit_of(results, "EP1000001A1"))
        assert "+" in searcher.state(CTX).generation.name
        apart = engine(made, model).run(SearchRequest(BRAKE), CTX)
        assert not describes(hit_of(apart, "EP1000001A1"))
    index(made, model)
    after = searcher.run(SearchRequest(BRAKE), CTX)
    assert hit_of(after, "EP1000001A1").depth is IndexDepth.FULL
    assert (
        "+" not in searcher.state(CTX).generation.name or not searcher.state(CTX).generation.claims_only.size
    )
    fresh = engine(made, model).run(SearchRequest(BRAKE), CTX)
    assert [(number(hit), hit.passages) for hit in after.hits] == [
        (number(hit), hit.passages) for hit in fresh.hits
    ]


def test_read_passages_give_way_to_the_whole_description(tmp_path, model):
    """After the second pass an index says the same, whatever searches have read before."""
    with library(tmp_path / "A", PATENTS) as one, library(tmp_path / "B", PATENTS) as two:
        index_claims(one, model)
        engine(one, model).run(SearchRequest(BRAKE), CTX, reading=5.0)
        index(one, model)
        index(two, model)
        first, second = engine(one, model), engine(two, model)
        assert np.array_equal(first.state(CTX).generation.df, second.state(CTX).generation.df)
        for query in (QUERY, BRAKE):
            hits = [item.run(SearchRequest(query), CTX).hits for item in (first, second)]
            assert [(number(h), h.score, h.passages) for h in hits[0]] == [
                (number(h), h.score, h.passages) for h in hits[1]
            ]


def test_passages_of_a_removed_document_do_not_come_back(made, model):
    searcher = engine(made, model)
    searcher.read_descriptions(BRAKE, [PatentId(1)], seconds=5.0, context=CTX)
    remove_documents(made, ["EP1000001A1"])
    index_claims(made, model)
    results = searcher.run(SearchRequest(BRAKE), CTX, reading=5.0)
    assert "EP1000001A1" not in {number(hit) for hit in results.hits}
    assert 1 not in searcher.state(CTX).generation.document_ids()


def test_what_was_found_and_opened_is_wanted_first(made, model):
    searcher = engine(made, model)
    results = searcher.run(SearchRequest(BRAKE), CTX)
    partly = [hit.patent.id for hit in results.hits if hit.depth is IndexDepth.CLAIMS]
    assert wanted.read(made.folder) == partly
    searcher.document_evidence(BRAKE, partly[-1], CTX)
    assert wanted.read(made.folder)[0] == partly[-1]


def test_an_index_of_whole_documents_is_read_as_before(tmp_path, model):
    """No note, no reading, nothing written beside it."""
    with library(tmp_path / "L", PATENTS) as found:
        index(found, model)
        searcher = engine(found, model)
        results = searcher.run(SearchRequest(BRAKE), CTX, reading=5.0)
        assert results.notes == ()
        assert {hit.depth for hit in results.hits} == {IndexDepth.FULL}
        assert not (found.folder / wanted.FILE_NAME).exists()


def test_what_is_imported_later_is_not_indexed_at_all(made, model):
    add(made, [patent("1000009", "Another bicycle", claims=["A bicycle with a viscous damper."])])
    results = engine(made, model).run(SearchRequest(QUERY), CTX)
    assert hit_of(results, "EP1000009A1").depth is IndexDepth.NONE


def test_a_read_only_library_is_read_in_memory(made, model, tmp_path, monkeypatch):
    made.close()
    with Library.open(made.folder) as found:
        monkeypatch.setattr(Library, "read_only", property(lambda _: True))
        searcher = engine(found, model)
        results = searcher.run(SearchRequest(BRAKE), CTX, reading=5.0)
        assert describes(hit_of(results, "EP1000001A1"))
        assert not (found.folder / wanted.FILE_NAME).exists()
