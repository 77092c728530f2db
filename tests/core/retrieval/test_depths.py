"""Rankings of an index of two depths: those indexed in part are put neither behind nor before the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.retrieval.depths import LEAST, Expectation, fit_expectation, place_among
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.indexing.order import LibraryOrder
from claimlight.services.search import queries
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words
from claimlight.types import IndexDepth, Ranker, SearchRequest
from tests.fakes import library, patent, stack

SETTINGS = change(Settings(), "centers.stop_share", 0.0)
WORDS = [f"term{letter}{other}" for letter in "abcdefghij" for other in "klmnopqrst"]
CTX = TaskContext()


def test_the_line_goes_through_the_means():
    rng = np.random.default_rng(1)
    claims = rng.random(200)
    whole = 0.3 + 0.5 * claims + 0.1 * rng.random(200)
    line = fit_expectation(claims, whole)
    assert line.of(np.array([claims.mean()]))[0] == pytest.approx(whole.mean())
    # Between the slope of least squares and the one that keeps the spread.
    assert np.polyfit(claims, whole, 1)[0] <= line.slope <= whole.std() / claims.std()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=LEAST, max_size=60))
def test_the_order_of_the_claims_is_kept(pairs):
    claims, whole = np.array(pairs).T
    line = fit_expectation(claims, np.maximum(claims, whole))
    if line is not None:
        expected = line.of(np.sort(claims))
        assert (np.diff(expected) >= 0).all()
        assert (expected >= np.sort(claims)).all()


def test_few_documents_or_equal_scores_draw_no_line():
    some = np.linspace(0, 1, LEAST - 1)
    assert fit_expectation(some, some) is None
    assert fit_expectation(np.full(50, 0.4), np.linspace(0, 1, 50)) is None


def test_no_description_takes_nothing_away():
    assert Expectation(0.5, 0.0).of(np.array([0.8])).tolist() == [0.8]


@given(st.lists(st.integers(1, 1000), unique=True, min_size=1, max_size=30), st.randoms())
def test_places_are_found_in_any_order(numbers, random):
    there = list(numbers)
    random.shuffle(there)
    found = place_among(np.array(numbers), np.array(there))
    assert np.array(there)[found].tolist() == numbers


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """120 documents, all described, of which every other one has its description indexed."""
    rng = np.random.default_rng(3)
    model = stack(content_words(" ".join(WORDS)))

    def text(size):
        return " ".join(rng.choice(WORDS, size))

    patents = [
        patent(f"{1000000 + n}", text(3), claims=[text(10)], paragraphs=[text(12) for _ in range(6)])
        for n in range(120)
    ]
    with library(tmp_path_factory.mktemp("half") / "L", patents) as made:

        def index(**given):
            build_index(
                index_folder(made.folder),
                LibraryCorpus(made.store),
                stack=model,
                settings=SETTINGS,
                context=CTX,
                **given,
            )

        index(depth=IndexDepth.CLAIMS)
        index(order=LibraryOrder(made, only=range(2, 121, 2)))
        yield SearchEngine.open(made, SETTINGS, stack=lambda _: model)


def share_described(engine, ranker, top):
    """Share of described documents among the first ones, over some queries."""
    rng = np.random.default_rng(8)
    described = set(engine.state(CTX).generation.described.tolist())
    found = []
    for _ in range(20):
        query = queries.query_from_text(" ".join(rng.choice(WORDS, 12)))
        ids = engine.rank(SearchRequest(query, legs=(ranker,)), CTX).fused.ids[:top]
        found += [int(each) in described for each in ids]
    return float(np.mean(found))


@pytest.mark.parametrize("ranker", [Ranker.DENSE, Ranker.CENTERS])
def test_descriptions_alone_do_not_decide(half, ranker, monkeypatch):
    """All documents are alike: half of the first ones should be described, as half of all are."""
    level = share_described(half, ranker, 30)
    monkeypatch.setattr("claimlight.retrieval.depths.LEAST", 1 << 30)
    plain = share_described(half, ranker, 30)
    assert plain > 0.6
    assert abs(level - 0.5) < abs(plain - 0.5) / 2


@pytest.mark.parametrize("ranker", [Ranker.DENSE, Ranker.CENTERS])
def test_rankings_are_sorted_whole_and_restricted_as_any(half, ranker):
    query = queries.query_from_text(" ".join(WORDS[:12]))
    request = SearchRequest(query, legs=(ranker,))
    (ranking,) = half.rank(request, CTX).rankings
    assert len(set(ranking.ids.tolist())) == len(ranking.ids)
    assert (np.diff(ranking.scores) <= 0).all()
    (some,) = half.rank(request, CTX, among=range(1, 41)).rankings
    assert set(some.ids.tolist()) <= set(range(1, 41))
