"""The search service end to end on a small library and a model without weights."""

from __future__ import annotations

import dataclasses
import threading
from datetime import date

import numpy as np
import pytest

from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.search import queries, requests
from claimlight.services.search.search import SearchEngine
from claimlight.settings import change
from claimlight.tasks import TaskContext
from claimlight.types import (
    SEARCH_RANKERS,
    PublicationNumber,
    Query,
    Ranker,
    ReferenceDates,
    RuleSet,
    SearchRequest,
)
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, WORDS, index
from tests.fakes import FakeEncoder, add, library, patent, stack


def ask(engine, text=CLAIM, **parts):
    return engine.run(SearchRequest(queries.query_from_text(text), **parts), TaskContext())


def numbers(results):
    return [hit.patent.publication.number for hit in results.hits]


def test_the_anticipating_family_comes_first_in_one_row(engine):
    results = ask(engine)
    first = results.hits[0]
    assert first.patent.publication.number == "1000001"
    assert [m.number for m in first.family_members] == ["1000002"]
    assert len(numbers(results)) == len(set(numbers(results)))
    assert {rank.leg for rank in first.ranks} == set(SEARCH_RANKERS)
    assert results.notes == ()
    assert [c.feature for c in first.coverage] == ["F1", "F2", "F3", "F4"]
    assert all(c.strength == pytest.approx(1.0, abs=1e-4) for c in first.coverage)


def test_a_ranking_without_evidence_is_that_of_the_search(engine):
    query = queries.query_from_text(CLAIM)
    ranked = engine.rank(SearchRequest(query, before=date(2030, 1, 1)), TaskContext())
    found = engine.run(SearchRequest(query, before=date(2030, 1, 1)), TaskContext())
    shown = {int(hit.patent.id): hit.score for hit in found.hits}
    ids, scores = ranked.fused.ids.tolist(), ranked.fused.scores.tolist()
    assert [item for item in ids if item in shown] == list(shown)
    assert len(ids) > len(shown), "the members of a family stand side by side here"
    assert {item: score for item, score in zip(ids, scores, strict=True) if item in shown} == shown
    assert set(found.notes) == set(ranked.notes)


def test_contributions_sum_to_the_scores_the_ranking_used(engine):
    results = ask(engine)
    for hit in results.hits:
        for passage in hit.passages:
            assert sum(e.contribution for e in passage.evidence) + passage.other_words == pytest.approx(
                passage.score
            )
        by_centers = [rank for rank in hit.ranks if rank.leg is Ranker.CENTERS]
        if by_centers:
            assert hit.passages[0].score == pytest.approx(by_centers[0].score, rel=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {"idf_exponent": 0.0, "length_exponent": 0.0},
        {"idf_exponent": 3.0, "length_floor": 1, "length_exponent": 1.0},
    ],
    ids=str,
)
def test_the_highlight_is_the_score_whatever_the_options(made, model, options):
    settings = SETTINGS
    for name, value in options.items():
        settings = change(settings, f"centers.{name}", value)
    index(made, model)
    engine = SearchEngine.open(made, settings, stack=lambda _: model)
    query = queries.query_from_text(CLAIM)
    request = SearchRequest(query, legs=(Ranker.CENTERS,))
    ranked = engine.rank(request, TaskContext())
    (ranking,) = ranked.rankings
    assert len(ranking)
    hits = {hit.patent.id: hit for hit in engine.run(request, TaskContext()).hits}
    for patent_id, score, passage in zip(ranking.ids, ranking.scores, ranking.passages, strict=True):
        if patent_id not in hits:
            continue  # a relative stands for it
        shown = {item.passage: item for item in hits[patent_id].passages}[passage]
        assert shown.score == pytest.approx(score, rel=1e-12)
        total = sum(item.contribution for item in shown.evidence) + shown.other_words
        assert total == pytest.approx(score, rel=1e-12)
    found = engine.run(request, TaskContext()).provenance.parameters
    assert ("stop_list", engine.state(TaskContext()).generation.stops(settings.centers).digest) in found


def test_spans_lie_in_the_texts_they_point_into(engine):
    results = ask(engine)
    query = results.request.query
    for hit in results.hits:
        for passage in hit.passages:
            for e in passage.evidence:
                assert query.text[e.query.start : e.query.end].strip()
                assert passage.text[e.passage.start : e.passage.end].strip()
                labels = {f.label: f.span for f in query.features}
                assert e.feature == "" or labels[e.feature].start <= e.query.start < labels[e.feature].end


def test_a_synonym_meets_without_a_shared_word(engine):
    results = ask(engine, "a viscous damper")
    document = engine.document_evidence(results.request.query, results.hits[0].patent.id, TaskContext())
    (paragraph,) = [p for p in document.passages if p.label == "[0002]"]
    unshared = [e for e in paragraph.evidence if not e.shared]
    assert [paragraph.text[e.passage.start : e.passage.end] for e in unshared] == ["attenuator"]


def test_document_evidence_agrees_with_the_hit(engine):
    results = ask(engine)
    hit = results.hits[0]
    document = engine.document_evidence(results.request.query, hit.patent.id, TaskContext())
    assert document.passages[: len(hit.passages)] == hit.passages
    assert [f.strength for f in document.features] == [c.strength for c in hit.coverage]
    assert [f.passages[0].passage for f in document.features] == [c.passage for c in hit.coverage]
    for feature in document.features:
        for passage in feature.passages:
            assert sum(e.contribution for e in passage.evidence) + passage.other_words == pytest.approx(
                passage.score
            )
            assert {e.feature for e in passage.evidence} == {feature.feature.label}


def test_a_feature_that_nothing_meets_says_so(engine):
    results = ask(engine, "A kettle comprising a handle; and a lamp.")
    (kettle,) = [hit for hit in results.hits if hit.patent.title == "Kettle"]
    assert [c.passage is None for c in kettle.coverage] == [False, False, True]
    document = engine.document_evidence(results.request.query, kettle.patent.id, TaskContext())
    assert (document.features[2].strength, document.features[2].passages) == (0.0, ())


def test_filters_reach_every_leg(engine):
    for leg in SEARCH_RANKERS:
        found = ask(engine, legs=(leg,), before=date(2010, 1, 1))
        assert set(numbers(found)) <= {"1000001"}
        own = ask(engine, legs=(leg,), exclude_family_of=PublicationNumber("EP", "1000002", "B1"))
        assert not {"1000001", "1000002"} & set(numbers(own))


def test_notes_of_filters(engine):
    assert ask(engine, before=date(2030, 1, 1)).notes == (
        "1 document without a publication date left out. Without a date limit they are searched too.",
    )
    old = ReferenceDates(date(2012, 1, 1), rules=RuleSet.US)
    (note,) = ask(engine, reference=old).notes
    assert "before 2013-03-16" in note
    assert ask(engine, reference=ReferenceDates(date(2012, 1, 1))).notes == ()
    (note,) = ask(engine, exclude_family_of=PublicationNumber("EP", "7", "A1")).notes
    assert "EP7A1 is not in this library" in note


def test_the_same_search_gives_the_same_answer(made, model, engine):
    def plain(results):
        return dataclasses.replace(results, times=())

    first = ask(engine)
    again = SearchEngine.open(made, SETTINGS, stack=lambda _: stack(WORDS))
    assert plain(ask(engine)) == plain(first) == plain(ask(again))


def test_keywords_beside_the_encoder_find_the_same(monkeypatch, engine):
    """With two cores in a thread of their own, with one core not."""
    in_main, plain = [], Bm25Retriever.rank

    def rank(self, *args, **named):
        in_main.append(threading.current_thread() is threading.main_thread())
        return plain(self, *args, **named)

    monkeypatch.setattr(Bm25Retriever, "rank", rank)
    request = SearchRequest(queries.query_from_text(CLAIM))
    found = []
    for cores in (1, 2):
        monkeypatch.setattr("claimlight.services.search.search.usable_cores", lambda cores=cores: cores)
        rankings = engine.rank(request, TaskContext()).rankings
        found.append([(each.leg, each.ids.tolist(), each.scores.tolist()) for each in rankings])
    assert in_main == [True, False]
    assert found[0] == found[1]
    assert [leg for leg, *_ in found[1]] == list(SEARCH_RANKERS)


def test_an_error_of_keywords_beside_the_encoder_ends_the_search(monkeypatch, engine):
    def fail(*_, **__):
        raise ResourceError("the library is gone")

    monkeypatch.setattr("claimlight.services.search.search.usable_cores", lambda: 2)
    monkeypatch.setattr(Bm25Retriever, "rank", fail)
    with pytest.raises(ResourceError, match="gone"):
        ask(engine)


def test_a_query_is_encoded_once(engine, model):
    results = ask(engine)
    before = model.encoder.encoded
    engine.document_evidence(results.request.query, results.hits[0].patent.id, TaskContext())
    ask(engine, top=1)
    assert model.encoder.encoded == before


def test_stage_times_and_provenance(engine, model):
    results = ask(engine, top=2)
    stages = {time.stage for time in results.times}
    assert stages == {"open", "filter", "encode", "bm25", "dense", "centers", "fusion", "evidence"}
    assert len(results.hits) == 2
    assert results.provenance.centers == model.vocabulary.fingerprint
    assert results.provenance.documents == len(PATENTS)
    assert ("top", "2") in results.provenance.parameters
    assert engine.device == "test"


def test_without_an_index_words_still_find(made, model):
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    results = ask(engine)
    assert numbers(results)[0] == "1000001"
    assert results.hits[0].passages[0].evidence == ()
    assert all(c.passage is None for c in results.hits[0].coverage)
    assert "no index" in results.notes[0]
    assert (
        engine.document_evidence(results.request.query, results.hits[0].patent.id, TaskContext()).passages
        == ()
    )


def test_an_index_that_comes_later_is_picked_up(made, model):
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    assert ask(engine).notes
    index(made, model)
    assert engine.refresh()
    assert not engine.refresh()
    assert ask(engine).notes == ()
    add(made, [patent("1000009", "Brake", claims=["A bicycle brake with a viscous damper."])])
    results = ask(engine)
    assert "1 of 6 documents is not indexed yet" in results.notes[0]
    assert "1000009" in numbers(results)


def test_a_document_that_was_replaced_is_not_shown_twice(made, model, engine):
    ask(engine)
    fuller = patent(
        "1000001", "Bicycle with damper", claims=["A bicycle comprising a frame."] * 9, priority="55"
    )
    add(made, [fuller])
    results = ask(engine)
    shown = [hit.patent.publication.number for hit in results.hits]
    assert (
        shown.count("1000001") + sum(str(m) == "EP1000001A1" for h in results.hits for m in h.family_members)
        == 1
    )


def test_an_index_of_another_model_is_refused_with_both_names(made, model, engine):
    other = stack([*WORDS, "zebra"])
    results = ask(SearchEngine.open(made, SETTINGS, stack=lambda _: other))
    assert results.hits
    assert model.vocabulary.fingerprint in results.notes[0]
    assert other.vocabulary.fingerprint in results.notes[0]


def test_a_damaged_index_leaves_the_words(made, model):
    index(made, model)
    (victim,) = list(index_folder(made.folder).rglob("entry_word.npy"))[:1]
    victim.write_bytes(victim.read_bytes()[:-2])
    results = ask(SearchEngine.open(made, SETTINGS, stack=lambda _: model))
    assert results.hits
    assert "Only keywords were searched" in results.notes[0]


def test_a_model_that_cannot_be_opened_leaves_the_words(made, model, engine):
    def broken(_):
        raise ResourceError("encoder.onnx is damaged.")

    results = ask(SearchEngine.open(made, SETTINGS, stack=broken))
    assert results.hits
    assert results.notes == ("Only keywords were searched: encoder.onnx is damaged.",)


def test_a_banner_of_the_encoder_is_passed_on(made, model, engine):
    model.encoder.note = "No GPU is there: the processor is used."
    assert model.encoder.note in ask(SearchEngine.open(made, SETTINGS, stack=lambda _: model)).notes


def test_a_query_nothing_is_near_to_takes_its_nearest_centers(made):
    far = stack(WORDS, radius=0.01)
    index(made, far)
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: far)
    assert ask(engine, "an attenuator").hits[0].passages[0].evidence


@pytest.mark.parametrize(
    "request_",
    [
        SearchRequest(Query("")),
        SearchRequest(Query(" ;. ")),
        SearchRequest(Query("damper"), legs=()),
        SearchRequest(Query("damper"), top=0),
    ],
)
def test_requests_that_ask_nothing(engine, request_):
    with pytest.raises(InputError):
        engine.run(request_, TaskContext())


def test_a_very_long_query_is_cut_and_says_so(engine, monkeypatch):
    monkeypatch.setattr(requests, "MAX_QUERY", 20)
    results = ask(engine)
    assert len(results.request.query.text) == 20
    assert [f.label for f in results.request.query.features] == ["F1"]
    assert "only the first 20" in results.notes[0]


def test_an_empty_library_answers(tmp_path, model):
    with library(tmp_path / "E", []) as made:
        results = ask(SearchEngine.open(made, SETTINGS, stack=lambda _: model))
    assert results.hits == ()


def test_a_cancelled_search_unwinds(engine):
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        engine.run(SearchRequest(Query("damper")), context)


def test_threads_share_an_engine(engine):
    texts = [CLAIM, "a kettle with a spout", "a lamp of glass", "a cart with a brake"] * 2
    expected = {text: numbers(ask(engine, text)) for text in texts}
    found: list[tuple[str, list[str]]] = []

    def work(text):
        results = ask(engine, text)
        for hit in results.hits:
            engine.document_evidence(results.request.query, hit.patent.id, TaskContext())
        found.append((text, numbers(results)))

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(texts)
    assert all(expected[text] == ids for text, ids in found)


def test_vectors_that_are_not_finite_are_an_error_of_the_model(made, model, engine):
    class Broken(FakeEncoder):
        def encode(self, texts, context):
            for item in super().encode(texts, context):
                yield dataclasses.replace(item, tokens=np.full_like(item.tokens, np.nan))

    broken = dataclasses.replace(model, encoder=Broken())
    with pytest.raises(ResourceError, match="not finite"):
        ask(SearchEngine.open(made, SETTINGS, stack=lambda _: broken))
