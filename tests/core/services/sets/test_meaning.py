"""Operators of meaning: a part of the library by a rule that is told, and never by words alone."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.errors import QueryError
from claimlight.services.search import queries
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.settings import change
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import SearchRequest
from tests.core.services.sets.set_fakes import SETTINGS, index, run, searcher
from tests.fakes import add, library, patent

CTX = TaskContext()
CUT = change(SETTINGS, "search.meaning_cut", 1.0)


@pytest.mark.parametrize("deviations", [-5.0, 0.0, 0.5, 1.5, 9.0])
def test_a_text_takes_the_documents_that_stand_out_of_the_library(made, model, deviations):
    settings = change(SETTINGS, "search.meaning_cut", deviations)
    result = run(searcher(made, model, settings), '~"a viscous damper"')
    state = SearchEngine.open(made, settings, stack=lambda _: model).state(CTX)
    encoded = state.encoder.encode(queries.query_from_text("a viscous damper"), CTX)
    ids, scores = state.generation.section_scores(encoded.retrieval.vector)
    nearest = {int(d): max(float(s) for i, s in zip(ids, scores, strict=True) if i == d) for d in ids}
    values = np.array(list(nearest.values()))
    cut = values.mean() + deviations * values.std()
    expected = {d for d, s in nearest.items() if s >= cut - 1e-6} | {max(nearest, key=nearest.__getitem__)}
    assert set(result.patents) == expected
    assert ("meaning_cut", str(deviations)) in result.provenance.parameters
    (term,) = result.parsed.terms
    assert term.documents == len(expected)
    assert term.rule.startswith(f"similarity {cut:.2f} or more (mean of the library {values.mean():.2f} + ")
    assert "1,000 documents at most" in term.rule


def test_a_set_by_meaning_is_a_real_part_of_the_library(made, model):
    everything = len(repository.read_publications(made.store, range(1, 100)))
    found = run(searcher(made, model, CUT), '~"a viscous damper"')
    assert 0 < len(found.patents) < everything
    both = run(searcher(made, model, CUT), 'brake AND ~"a viscous damper"')
    assert set(both.patents) <= set(found.patents)
    assert both.parsed.terms[0].rule == "", "words have no such rule"


def test_an_index_that_holds_no_document_refuses_meaning(tmp_path, model):
    """As without an index: words are never searched in its place."""
    with library(tmp_path / "O", [patent("1000001", "Old", claims=["A frame."])]) as made:
        index(made, model)
        repository_ids = SearchEngine.open(made, SETTINGS, stack=lambda _: model).state(CTX).indexed
        assert repository_ids.tolist() == [1]
        add(made, [patent("1000002", "Damper", claims=["A viscous damper."])])
        with made.store.write() as connection:
            connection.exec_driver_sql("DELETE FROM document WHERE id = 1")
        sets = searcher(made, model)
        for line in ('~"damper"', "LIKE(EP1000002A1)", 'frame OR ~"damper"'):
            with pytest.raises(QueryError, match="no document is indexed yet"):
                run(sets, line)


def test_documents_without_text_are_not_waited_for(made, model):
    """They have nothing to encode: a complete index stays complete."""
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    add(made, [patent("1000009", "")])
    assert engine.state(CTX).catalogue.passages.min() == 0
    results = engine.run(SearchRequest(queries.query_from_text("a viscous damper")), CTX)
    assert results.notes == ()
    assert run(SetSearch(made, SETTINGS, engine), '~"a viscous damper"').notes == ()
    info = made.info()
    assert (info.documents, info.indexed_documents, info.textless, info.waiting) == (6, 5, 1, 0)
    index(made, model)
    info = made.info()
    assert (info.indexed_documents, info.textless, info.waiting) == (5, 1, 0), "nor named by an index"
    add(made, [patent("1000010", "Damper", claims=["A viscous damper."])])
    (note,) = engine.run(SearchRequest(queries.query_from_text("a viscous damper")), CTX).notes
    assert made.info().waiting == 1
    assert note == "1 of 7 documents is not indexed yet and was searched by keywords only."


@pytest.mark.parametrize(
    ("line", "features"),
    [
        ('~"a viscous damper; and a brake"', ["a viscous damper", "a brake"]),
        ('brake AND ~"a damper" NOT ~"a kettle"', ["a damper"]),
        ('~"a damper" OR LIKE(EP1000003A1)', ["a damper", "kettle"]),
        ('NOT ~"a kettle"', None),
        ("brake WITH frame", None),
    ],
)
def test_a_line_asks_with_the_features_of_its_texts(sets, line, features):
    asked = run(sets, line).asks
    if features is None:
        assert asked is None
        return
    assert [item.label for item in asked.features][: len(features)] == ["F1", "F2"][: len(features)]
    for item, words in zip(asked.features, features, strict=False):
        assert words in asked.text[item.span.start : item.span.end].casefold()


def test_the_evidence_of_a_line_sums_to_the_scores_of_its_own_text(sets, made, model):
    found = run(sets, '~"a viscous damper; and a brake"')
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    evidence = engine.document_evidence(found.asks, found.patents[0], CTX)
    assert evidence.passages
    for hit in evidence.passages:
        assert sum(m.contribution for m in hit.matches) + hit.other_words == pytest.approx(hit.score)
        assert {m.feature for m in hit.matches} <= {item.label for item in found.asks.features}
