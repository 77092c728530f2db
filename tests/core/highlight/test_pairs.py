"""Pairs of documents: exact against all n² of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from claimlight.highlight.pairs import find_best_pairs

_rows = st.integers(0, 5).flatmap(
    lambda features: st.lists(
        st.lists(st.integers(0, 8), min_size=features, max_size=features), min_size=0, max_size=12
    ).map(lambda rows: np.array(rows, dtype=np.float64).reshape(len(rows), features) / 8)
)


def brute_force(carried, probable, *kinds):
    """All pairs with more features of any kind than any row alone has of it."""
    found = []
    alone = carried.sum(axis=1)
    single = [max((int(row.sum()) for row in kind), default=0) for kind in kinds]
    for i in range(len(carried)):
        for j in range(i + 1, len(carried)):
            first, second = (i, j) if alone[i] >= alone[j] else (j, i)
            larger, either = np.maximum(carried[i], carried[j]), 1 - (1 - carried[i]) * (1 - carried[j])
            together = np.where(probable[i] & probable[j], either, larger).sum()
            if any((kind[i] | kind[j]).sum() > most for kind, most in zip(kinds, single, strict=True)):
                found.append((-together, -alone[first], first, second))
    return sorted(found)


def pairs_of(carried):
    return find_best_pairs(carried, np.ones(carried.shape, dtype=bool), carried >= 0.5, limit=5)


@settings(max_examples=300)
@given(_rows, st.integers(1, 20), st.sampled_from([0.1, 0.5, 0.9]), st.integers(0, 99))
def test_the_best_pairs_are_those_of_all_pairs(carried, limit, threshold, seed):
    strong, sure = carried >= threshold, carried >= min(threshold + 0.2, 1.0)
    probable = np.random.default_rng(seed).random(carried.shape) < 0.7
    found = find_best_pairs(carried, probable, strong, limit=limit, sure=sure)
    alone = carried.sum(axis=1)
    expected = [(-round(-e[0], 9), *e[1:]) for e in brute_force(carried, probable, strong, sure)]
    expected = sorted(expected)[:limit]
    features = max(carried.shape[1], 1)
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [e[2:] for e in expected]
    assert np.allclose(found.covered, [-e[0] / features for e in expected])
    assert np.allclose(found.gain, [(-e[0] - alone[e[2]]) / features for e in expected])


def test_many_documents_of_any_values():
    carried = np.random.default_rng(3).random((300, 8)) ** 3
    strong, probable = carried >= 0.5, np.ones(carried.shape, dtype=bool)
    found = find_best_pairs(carried, probable, strong, limit=40)
    expected = brute_force(carried, probable, strong)[:40]
    assert len(expected) == 40
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [e[2:] for e in expected]


def test_a_document_that_covers_all_needs_no_second():
    carried = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert pairs_of(carried).first.tolist() == []
    found = pairs_of(carried[1:])
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(0, 1)]
    assert found.gain.tolist() == [0.5]


def test_a_document_that_likely_covers_all_has_a_second_that_covers_some_surely():
    carried = np.array([[0.9, 0.6, 0.5], [0.1, 0.1, 0.9]])
    everywhere = np.ones(carried.shape, dtype=bool)
    assert not len(find_best_pairs(carried, everywhere, carried >= 0.5, limit=5).first)
    found = find_best_pairs(carried, everywhere, carried >= 0.5, limit=5, sure=carried >= 0.8)
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(0, 1)]


def test_a_pair_that_covers_nothing_is_none():
    carried = np.array([[0.4, 0.0], [0.0, 0.4]])
    assert pairs_of(carried).first.tolist() == []
    carried = np.array([[0.9, 0.0], [0.0, 0.4]])
    assert pairs_of(carried).first.tolist() == [], "no more than the first alone"


def test_two_that_may_disclose_a_feature_are_worth_more_than_one_of_them():
    carried = np.array([[0.9, 0.1, 0.4], [0.1, 0.6, 0.4], [0.1, 0.6, 0.1]])
    found = pairs_of(carried)
    assert (int(found.first[0]), int(found.second[0])) == (0, 1)
    assert np.isclose(found.covered[0], (0.91 + 0.64 + 0.64) / 3)
    # Match strengths are no probabilities: two weak matches are no stronger match.
    found = find_best_pairs(carried, np.zeros(carried.shape, dtype=bool), carried >= 0.5, limit=5)
    assert np.isclose(found.covered[0], (0.9 + 0.6 + 0.4) / 3)
