"""Numbered sets over a small library: what a line finds, what is recorded, what a rerun says."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import date

import pytest

from core.errors import QueryError, TaskCancelled
from core.services import queries, set_members
from core.services.cases import CaseBook
from core.services.corpus import LibraryCorpus
from core.services.indexing import build_index, index_folder
from core.services.library import Library
from core.services.search import SearchEngine
from core.services.sets import SetSearch
from core.settings import Settings, changed
from core.store import repository
from core.tasks import TaskContext
from core.text.words import content_words
from core.types import (
    DefaultOperator,
    PatentId,
    PublicationNumber,
    SearchRequest,
    SearchResults,
    SetHits,
    SetRequest,
)
from tests.fakes import add, library, machinery, patent

SETTINGS = changed(Settings(), "centers.stop_share", 0.0)
WORDS = content_words("damper viscous bicycle kettle handle spout wheel frame spring lamp glass cart brake")
CLAIM = "A bicycle comprising a frame; a viscous damper; and a brake."
PATENTS = [
    patent(
        "1000001",
        "Bicycle with damper",
        claims=["A bicycle comprising a frame and a viscous damper."],
        paragraphs=["The brake stops the wheel."],
        priority="55",
        published=date(2009, 1, 1),
    ),
    patent("1000002", "Bicycle of the same family", claims=["A bicycle with a frame."], priority="55"),
    patent("1000003", "Kettle", claims=["A kettle with a handle."], published=date(2015, 1, 1)),
    patent("1000004", "Cart", paragraphs=["A cart with a wheel and a brake."], published=None),
    patent("1000005", "Bike with an attenuator", claims=["A bike with an attenuator."]),
]


@pytest.fixture
def model():
    return machinery(WORDS)


@pytest.fixture
def bare(tmp_path):
    """A library without an index."""
    with library(tmp_path / "L", PATENTS) as opened:
        yield opened


@pytest.fixture
def made(bare, model):
    index(bare, model)
    return bare


def index(made, model):
    build_index(
        index_folder(made.folder),
        LibraryCorpus(made.store),
        machinery=model,
        settings=SETTINGS,
        context=TaskContext(),
    )


def searcher(made, model, settings=SETTINGS):
    return SetSearch(made, settings, SearchEngine.open(made, settings, machinery=lambda _: model))


@pytest.fixture
def sets(made, model):
    return searcher(made, model)


@pytest.fixture
def book(tmp_path):
    with CaseBook.open(tmp_path / "cases.db") as opened:
        yield opened


def run(sets, expression, known=(), **parts):
    request = SetRequest(expression, **parts)
    return sets.run(request, {item.number: item for item in known}, TaskContext())


def numbers(result):
    return [hit.publication.number[-1] for hit in result.hits]


def record(book, sets, *expressions):
    """These lines on record in one case, L1 first."""
    case = book.create_case("one").id
    for expression in expressions:
        book.record_set(case, run(sets, expression, book.sets(case)))
    return book.sets(case)


def test_a_line_of_words_is_newest_first_undated_last(sets):
    result = run(sets, "bicycle OR kettle OR cart")
    assert numbers(result) == ["3", "2", "1", "4"]
    assert result.scores == result.hits.scores == ()
    assert result.patents == (3, 2, 1, 4)
    assert result.parsed.text == "bicycle OR kettle OR cart"
    assert [(term.text, term.documents) for term in result.parsed.terms] == [
        ("bicycle", 2), ("kettle", 1), ("cart", 1),
    ]  # fmt: skip


def test_counts_are_told_before_a_line_is_run(sets, book, model):
    known = record(book, sets, "bicycle")
    before = model.encoder.encoded
    parsed = sets.parse('L1 AND brake AND ~"a damper"', {1: known[0]})
    assert [(term.text, term.column, term.documents) for term in parsed.terms] == [
        ("L1", 1, 2), ("brake", 8, 2), ('~"a damper"', 18, 0),
    ]  # fmt: skip
    assert model.encoder.encoded == before, "nothing is searched by meaning before the line is run"
    assert parsed.default_operator is DefaultOperator.AND
    assert sets.parse("frame brake", {}, DefaultOperator.OR).default_operator is DefaultOperator.OR


def test_dates_and_the_own_family_are_left_out_of_any_line(sets):
    assert numbers(run(sets, "bicycle OR kettle OR cart", before=date(2010, 1, 1))) == ["1"]
    result = run(sets, "bicycle OR kettle", exclude_family_of=PublicationNumber("EP", "1000002", "A1"))
    assert numbers(result) == ["3"]
    (note,) = run(sets, "cart", before=date(2010, 1, 1)).notes
    assert note == "Left out, as they bear no publication date: 1 of the documents."
    assert numbers(run(sets, '~"bicycle"', exclude_family_of=PublicationNumber("EP", "1000002"))) != []
    for line in ('~"bicycle"', "LIKE(EP1000003A1)", "NOT kettle"):
        found = run(sets, line, exclude_family_of=PublicationNumber("EP", "1000002"))
        assert not {"1", "2"} & set(numbers(found)), line


def test_sets_are_joined_as_they_were_recorded(sets, made, book):
    known = record(book, sets, "bicycle OR cart", "brake", "frame")
    assert [len(item.hits) for item in known] == [3, 2, 2]
    assert numbers(run(sets, "L1 AND (L2 NOT L3)", known)) == ["4"]
    assert numbers(run(sets, "L1 XOR L2", known)) == ["2"]
    add(made, [patent("1000009", "Cart with a brake and a frame", published=date(2020, 1, 1))])
    assert numbers(run(sets, "brake", known)) == ["9", "1", "4"]
    assert numbers(run(sets, "L2", known)) == ["1", "4"], "what was recorded, not what the line finds now"
    assert numbers(run(sets, "L1 AND (L2 NOT L3)", known)) == ["4"]


def test_sets_of_the_case_are_read_from_disk_alike(sets, book, tmp_path, made, model):
    known = record(book, sets, "bicycle", 'L1 AND ~"a viscous damper"')
    first = run(sets, "L1 OR L2", known)
    with CaseBook.open(tmp_path / "cases.db") as other:
        again = run(searcher(made, model), "L1 OR L2", other.sets(other.cases()[0].id))
    assert replace(again, times=()) == replace(first, times=())


def test_a_must_have_word_over_meaning_is_one_line(sets):
    everything = run(sets, '~"a bicycle with a damper"')
    assert len(everything.scores) == len(everything.patents) > 2
    assert list(everything.scores) == sorted(everything.scores, reverse=True)
    assert "5" in numbers(everything), "an attenuator is near a damper"
    result = run(sets, 'attenuator$ AND ~"a bicycle with a damper"')
    assert numbers(result) == ["5"]
    assert result.scores == (everything.scores[numbers(everything).index("5")],)
    assert result.provenance.generation


def test_the_meaning_of_a_line_is_the_ranking_of_the_search(sets, made, model):
    engine = SearchEngine.open(made, SETTINGS, machinery=lambda _: model)
    ranked = engine.rank(SearchRequest(queries.query_from_text("a viscous damper")), TaskContext())
    result = run(sets, '~"a viscous damper"')
    assert list(result.patents) == ranked.fused.ids.tolist()
    assert list(result.scores) == ranked.fused.scores.tolist()
    cut = run(sets, '~"a viscous damper"', depth=2)
    assert (cut.patents, cut.scores) == (result.patents[:2], result.scores[:2])


def test_like_leaves_the_own_family_out(sets):
    result = run(sets, "LIKE(EP 1000002)")
    assert not {"1", "2"} & set(numbers(result))
    assert numbers(result)[0] == "5"
    assert result.scores == tuple(sorted(result.scores, reverse=True))


def test_covers_takes_documents_by_their_best_passage(made, model):
    query = queries.query_from_text(CLAIM)
    labels = {feature.text: feature.label for feature in query.features}
    damper = next(label for text, label in labels.items() if "damper" in text)
    engine = SearchEngine.open(made, SETTINGS, machinery=lambda _: model)
    shares = {
        int(hit.patent.id): {cell.feature: cell.coverage for cell in hit.coverage}[damper]
        for patent_id in range(1, 6)
        for hit in engine.run(SearchRequest(query, top=50), TaskContext()).hits
        if hit.patent.id == patent_id
    }
    assert 0 < max(share for share in shares.values() if share < 0.999) < 1
    for least in (0.05, 0.3, 0.7, 1.0):
        sets = searcher(made, model, changed(SETTINGS, "search.covers_share", least))
        found = run(sets, f"COVERS({damper})", query=query)
        scored = dict(zip(found.patents, found.scores, strict=True))
        expected = {patent: share for patent, share in shares.items() if share >= least - 1e-6}
        assert {p: s for p, s in scored.items() if p in shares} == pytest.approx(expected)
        assert ("covers_share", str(least)) in found.provenance.parameters


def test_what_covers_can_not_find_is_said(sets, made):
    query = queries.query_with_features(["a viscous damper", "of the and"])
    assert run(sets, "COVERS(F1)", query=query).notes == ()
    nothing = run(sets, "COVERS(F2)", query=query)
    assert (nothing.patents, nothing.notes) == ((), ("F2 has no word that the index could be asked for.",))
    add(made, [patent("1000009", "Damper", claims=["A viscous damper."])])
    for _ in range(2):
        result = run(sets, "COVERS(F1) OR lamp", query=query)
        assert result.notes == ("COVERS finds indexed documents only; 1 are not indexed yet.",)
    assert "9" not in numbers(result)
    assert "the others were searched by their words only" in run(sets, '~"damper"').notes[0]


def test_a_text_that_is_cut_says_so_each_time(sets):
    line = f'~"{"damper " * 8000}"'
    for _ in range(2):
        assert "only the first 50,000 were searched" in " ".join(run(sets, line).notes)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("bicycle AND L4", 13, "There is no set L4 in this case: there are L1 to L1."),
        ("frame OR COVERS(F9)", 10, "There is no feature F9: the claim has F1 to F4."),
        ("LIKE(EP7777777A1)", 1, "EP7777777A1 is not in the library"),
        ("bicycle AND (frame", 13, ""),
    ],
)
def test_errors_point_at_the_column(sets, book, line, column, message):
    known = {item.number: item for item in record(book, sets, "bicycle")}
    query = queries.query_from_text(CLAIM)
    for call in (
        lambda: sets.run(SetRequest(line, query), known, TaskContext()),
        lambda: sets.parse(line, known, query=query),
    ):
        with pytest.raises(QueryError) as told:
            call()
        assert told.value.column == column
        assert message in str(told.value)


def test_no_set_and_no_claim_are_said(sets):
    with pytest.raises(QueryError, match="no set L1 in this case: there is none yet"):
        run(sets, "L1")
    with pytest.raises(QueryError, match="no claim was given") as told:
        run(sets, "frame AND COVERS(F1)")
    assert told.value.column == 11


def test_without_an_index_meaning_is_refused_and_words_are_not(bare, model):
    sets = searcher(bare, model)
    query = queries.query_from_text(CLAIM)
    for line, column in (('frame AND ~"damper"', 11), ("LIKE(EP1000001)", 1), ("COVERS(F1)", 1)):
        with pytest.raises(QueryError, match=r"needs an index.*`claimlight index`") as told:
            run(sets, line, query=query)
        assert told.value.column == column
    assert numbers(run(sets, "kettle")) == ["3"]


def test_a_line_of_words_needs_no_model(made):
    def broken(_):
        raise AssertionError("the model was opened")

    sets = SetSearch(made, SETTINGS, SearchEngine.open(made, SETTINGS, machinery=broken))
    result = run(sets, "kettle")
    assert (result.provenance.generation, result.provenance.encoder) == ("", "")


def test_provenance_names_all_that_a_set_depends_on(sets, book, model, made):
    known = record(book, sets, "bicycle", "kettle")
    words = dict(run(sets, "L2 OR bicycle", known, before=date(2012, 1, 1)).provenance.parameters)
    assert words == {
        "default_operator": "AND", "before": "2012-01-01", "exclude_family_of": "",
        "library_version": "1", "L2": f"1 documents, {known[1].hits.digest().hex()[:12]}",
    }  # fmt: skip
    meaning = run(sets, '~"bicycle"', depth=7).provenance
    assert meaning.encoder == model.encoder.fingerprint
    assert meaning.documents == 5
    parameters = dict(meaning.parameters)
    assert parameters["set_depth"] == "7"
    assert {"rrf_k", "weight_bm25", "depth", "ef_search", "idf_exponent"} <= set(parameters)
    assert "covers_share" not in parameters


LINES = ("bicycle", '~"a viscous damper" NOT kettle', "L1 OR L2", "frame.clm.")


def test_a_rerun_is_the_same(sets, book, made, model):
    known = {item.number: item for item in record(book, sets, *LINES)}
    for searched in (sets, searcher(made, machinery(WORDS))):
        for item in known.values():
            again = searched.rerun(item, known, TaskContext())
            assert (again.equal, again.differences, again.added, again.missing) == (True, (), 0, 0)
            assert again.result.hits == item.hits
            assert again.result.hits.scores == item.hits.scores


def test_a_rerun_says_that_the_library_grew(sets, book, made, model):
    known = {item.number: item for item in record(book, sets, *LINES)}
    add(made, [patent("1000009", "Bicycle", claims=["A bicycle with a frame."]), patent("1000008", "Lamp")])
    words, meaning, joined, _ = (sets.rerun(item, known, TaskContext()) for item in known.values())
    assert words.differences == ("The library grew by 2 documents, from 5 to 7.",)
    assert (words.equal, words.added, words.missing) == (False, 1, 0)
    assert joined.equal, "the sets it joins are on record"
    index(made, model)
    meaning = sets.rerun(known[2], known, TaskContext())
    assert [text.split(" was ")[0] for text in meaning.differences] == [
        "The library grew by 2 documents, from 5 to 7.", "The index",
    ]  # fmt: skip


def test_a_rerun_names_model_settings_and_replaced_documents(book, made, model, sets):
    known = {item.number: item for item in record(book, sets, *LINES)}
    other = machinery([*WORDS, "zebra"])
    build_index(
        index_folder(made.folder), LibraryCorpus(made.store), machinery=other, settings=SETTINGS,
        context=TaskContext(), rebuild=True,
    )  # fmt: skip
    again = searcher(made, other, changed(SETTINGS, "search.rrf_k", 30.0))
    told = again.rerun(known[2], known, TaskContext()).differences
    assert "rrf_k was 60.0 and is 30.0 now." in told
    old, new = model.vocabulary.fingerprint, other.vocabulary.fingerprint
    assert f"The center vocabulary was {old} and is {new} now." in told
    assert again.rerun(known[1], known, TaskContext()).differences == (), "words need no model"
    fuller = patent("1000003", "Kettle", claims=["A kettle with a handle and a spout."] * 3)
    add(made, [fuller])
    assert again.rerun(known[1], known, TaskContext()).differences == (
        "Documents of the library were replaced by other records of the same publications.",
    )


def test_a_claim_search_is_rerun_too(book, made, model, sets):
    engine = SearchEngine.open(made, SETTINGS, machinery=lambda _: model)
    case = book.create_case("one").id
    record = book.record_set(case, engine.run(SearchRequest(queries.query_from_text(CLAIM)), TaskContext()))
    again = sets.rerun(record, {}, TaskContext())
    assert (again.equal, again.differences) == (True, ())
    assert isinstance(again.result, SearchResults)
    assert numbers(run(sets, "L1", [record])) == sorted(numbers(record), key="32514".index)
    cut = replace(record, hits=record.hits[1:])
    assert (sets.rerun(cut, {}, TaskContext()).equal, sets.rerun(cut, {}, TaskContext()).added) == (False, 1)


def test_a_set_of_another_library_says_what_is_not_here(tmp_path, book, sets, model):
    known = record(book, sets, "bicycle OR kettle")
    with library(tmp_path / "other", [PATENTS[2]]) as other:
        elsewhere = searcher(other, model)
        result = run(elsewhere, "L1", known)
        assert numbers(result) == ["3"]
        (note,) = result.notes
        origin = f"which was recorded in the library {tmp_path / 'L'}"
        assert note == f"Of the 3 documents of L1, {origin}, 2 are not in this library."
        told = elsewhere.rerun(known[0], {}, TaskContext()).differences
        assert told[0] == f"It was recorded in the library {tmp_path / 'L'}; this is {tmp_path / 'other'}."
        assert elsewhere.patents(known[0]) == (1, None, None)


def test_a_document_that_was_replaced_is_still_of_its_set(book, made, sets):
    known = record(book, sets, "kettle OR cart")
    add(made, [patent("1000003", "Kettle", claims=["A kettle with a handle and a spout."] * 3)])
    result = run(sets, "L1", known)
    assert numbers(result) == ["3", "4"]
    assert result.notes == ()
    assert PatentId(3) not in result.patents


def test_summaries_and_order_by_date(sets):
    assert [str(item.publication) for item in sets.summaries([PatentId(3), PatentId(99), PatentId(1)])] == [
        "EP1000003A1",
        "EP1000001A1",
    ]
    assert sets.newest_first([PatentId(n) for n in (1, 4, 99, 3)]) == (3, 1, 4)


def test_an_empty_library_has_empty_sets(tmp_path, model):
    with Library.create(tmp_path / "E") as empty:
        result = run(searcher(empty, model), "anything")
        assert (result.patents, result.hits, result.provenance.documents) == ((), SetHits(), 0)


def marked(sets, made, patent, line, **parts):
    """The words marked in a document, with their terms."""
    found = sets.marks(SetRequest(line, **parts), {}, PatentId(patent), TaskContext())
    texts = repository.passages(made.store, [mark.passage for mark in found])
    return [(texts[m.passage].text[m.span.start : m.span.end], m.term) for m in found]


def test_marks_follow_meaning_as_the_line_does(sets, made, model):
    assert marked(sets, made, 4, "brake OR kettle") == [("brake", 0)]
    assert marked(sets, made, 4, 'brake AND ~"a cart with a brake"') == [("brake", 0)]
    assert marked(sets, made, 4, 'wheel OR (brake AND ~"a kettle")', depth=1) == [("wheel", 0)]
    before = model.encoder.encoded
    for number in range(1, 6):
        marked(sets, made, number, 'wheel OR (brake AND ~"a kettle")', depth=1)
    assert model.encoder.encoded == before, "a text is searched once for all documents"


def test_completions_begin_before_the_column(sets):
    offered = sets.complete("frame AND bic AND kettle", 14)
    assert ("bicycle", 10) in [(item.text, item.start) for item in offered]


def test_a_line_can_be_stopped(sets):
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        sets.run(SetRequest("bicycle"), {}, context)


def test_threads_share_one_searcher(sets, book):
    known = {item.number: item for item in record(book, sets, *LINES)}
    expected = replace(run(sets, "L2 AND (L1 OR L3)", known.values()), times=())
    answers = []

    def ask():
        answers.append(replace(run(sets, "L2 AND (L1 OR L3)", known.values()), times=()))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_a_set_is_looked_up_once(made, sets, book, monkeypatch):
    """Joining sets that were joined before reads no document number again."""
    known = record(book, sets, "bicycle OR cart", "brake")
    first = run(sets, "L1 NOT L2", known)
    monkeypatch.setattr(set_members, "_read", None)
    monkeypatch.setattr(SetHits, "keys", None)
    assert run(sets, "L1 NOT L2", known).patents == first.patents
