"""What every engine must do: compared with brute force over the same parts.

A test module of an engine inherits from `BackendContract` and has a fixture ``open_backend``: a function that
opens the engine, each time with the same store.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from engine_fakes import CENTERS, STEMS, batch, dense_query, schema, sparse_query

from claimlight.engines.exact import ExactBackend
from claimlight.errors import EngineError
from claimlight.index.backend import ALL, Leg, PartFilter, SparseVector, documents_of, family_number

DOCUMENTS = list(range(1, 301))
QUERIES = {
    Leg.DENSE: dense_query(),
    Leg.CENTERS: sparse_query(CENTERS),
    Leg.WORDS: sparse_query(STEMS, 200),
}
FILTERS = {
    "all": ALL,
    "before": PartFilter(before=20080101),
    "class": PartFilter(classes=("cpc:H04",)),
    "main group or subclass": PartFilter(classes=("cpc:F16F 9", "cpc:A61B")),
    "family": PartFilter(without_families=tuple(family_number(f"family {n}") for n in range(40))),
    "documents": PartFilter(documents=np.arange(5, 60, 3)),
    "without": PartFilter(without=np.arange(1, 250)),
    "claims": PartFilter(claims=True),
    "narrow": PartFilter(before=20100101, classes=("cpc:B62K",), claims=True, without=np.arange(1, 20)),
    "none": PartFilter(documents=np.array([9999])),
}


def assert_same(found, expected):
    """The same parts in the same order, but for the order of scores that fp32 can't tell apart."""
    assert len(found) == len(expected)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=2e-5, atol=2e-6)
    wrong = np.flatnonzero(found.parts != expected.parts)
    for place in wrong.tolist():
        # A part in another place must be one whose score is (nearly) that of the place.
        (there,) = np.flatnonzero(expected.parts == found.parts[place]) if len(wrong) else ((),)
        assert abs(expected.scores[there] - expected.scores[place]) < 1e-5


@pytest.fixture(scope="module")
def reference():
    exact = ExactBackend()
    exact.ensure(schema(), create=True)
    exact.upsert(batch(DOCUMENTS))
    return exact


class BackendContract:
    """The tests; see the module."""

    @pytest.fixture
    def filled(self, open_backend):
        backend = open_backend()
        backend.ensure(schema(), create=True)
        backend.upsert(batch(DOCUMENTS))
        yield backend
        backend.close()

    @pytest.mark.parametrize("name", FILTERS)
    def test_finds_what_brute_force_finds(self, filled, reference, name):
        allowed = FILTERS[name]
        for leg, query in QUERIES.items():
            for k in (1, 20, 100):
                expected = reference.search(leg, query, allowed, k)
                assert_same(filled.search(leg, query, allowed, k), expected)
            assert filled.count(leg, allowed) == reference.count(leg, allowed)

    def test_gives_all_hits_when_asked_for_more_than_there_are(self, filled, reference):
        for leg, query in QUERIES.items():
            for name in ("all", "narrow", "documents"):
                expected = reference.search(leg, query, FILTERS[name], 5000)
                found = filled.search(leg, query, FILTERS[name], 5000)
                assert len(found) == len(expected)
                if leg is Leg.DENSE:
                    assert len(found) == filled.count(leg, FILTERS[name])
                assert set(found.parts.tolist()) == set(expected.parts.tolist())

    def test_a_query_that_shares_no_index_finds_nothing(self, filled):
        nothing = SparseVector(np.array([STEMS + 7]), np.array([1.0], dtype=np.float32))
        assert len(filled.search(Leg.WORDS, nothing, ALL, 10)) == 0
        empty = SparseVector(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
        assert len(filled.search(Leg.CENTERS, empty, ALL, 10)) == 0

    def test_storing_again_replaces(self, filled):
        again = batch(DOCUMENTS[:50], seed=9)
        exact = ExactBackend()
        exact.ensure(schema(), create=True)
        exact.upsert(batch(DOCUMENTS))
        for each in (exact, filled):
            each.delete(DOCUMENTS[:50])
            each.upsert(again)
            each.upsert(again)
        for leg, query in QUERIES.items():
            assert_same(filled.search(leg, query, ALL, 50), exact.search(leg, query, ALL, 50))
            assert filled.count(leg, ALL) == exact.count(leg, ALL)

    def test_what_is_removed_is_not_found(self, filled, reference):
        gone = DOCUMENTS[::2]
        filled.delete([*gone, 123456])
        left = PartFilter(without=np.array(gone))
        for leg, query in QUERIES.items():
            found = filled.search(leg, query, ALL, 100)
            assert not set(documents_of(found.parts).tolist()) & set(gone)
            assert_same(found, reference.search(leg, query, left, 100))
            assert filled.count(leg, ALL) == reference.count(leg, left)

    def test_is_the_same_when_opened_again(self, filled, open_backend, reference):
        filled.close()
        again = open_backend()
        again.ensure(schema())
        for leg, query in QUERIES.items():
            assert_same(again.search(leg, query, ALL, 100), reference.search(leg, query, ALL, 100))
        health = again.health()
        assert (health.sections, health.passages) == (
            reference.count(Leg.DENSE, ALL),
            reference.count(Leg.WORDS, ALL),
        )
        assert health.engine
        again.close()

    def test_refuses_another_schema_and_a_missing_index(self, filled, open_backend):
        with pytest.raises(EngineError, match="another model or other settings"):
            open_backend().ensure(schema(length_exponent=0.9))
        with pytest.raises(EngineError, match="no index"):
            open_backend().ensure(schema("claimlight_absent"))

    def test_two_indexes_of_one_engine_are_apart(self, filled, open_backend):
        other = open_backend()
        other.ensure(schema("claimlight_other"), create=True)
        assert other.count(Leg.DENSE, ALL) == 0
        other.upsert(batch([7]))
        assert filled.count(Leg.DENSE, ALL) > other.count(Leg.DENSE, ALL) > 0

    def test_threads_may_share_it(self, filled, reference):
        def ask(number):
            leg = list(QUERIES)[number % 3]
            allowed = list(FILTERS.values())[number % len(FILTERS)]
            return leg, allowed, filled.search(leg, QUERIES[leg], allowed, 20)

        with ThreadPoolExecutor(8) as threads:
            for leg, allowed, found in threads.map(ask, range(30)):
                assert_same(found, reference.search(leg, QUERIES[leg], allowed, 20))

    def test_long_lists_of_documents(self, filled, reference):
        # A set of an examiner may have many thousand documents.
        many = PartFilter(documents=np.arange(2, 60_000, 2))
        for leg, query in QUERIES.items():
            assert_same(filled.search(leg, query, many, 50), reference.search(leg, query, many, 50))
        most = PartFilter(without=np.arange(2, 20_000, 2))
        for leg, query in QUERIES.items():
            assert_same(filled.search(leg, query, most, 50), reference.search(leg, query, most, 50))
