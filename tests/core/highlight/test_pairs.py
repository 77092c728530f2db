"""Pairs of documents: exact against all n² of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.highlight.pairs import best_pairs

_rows = st.integers(0, 5).flatmap(
    lambda features: st.lists(
        st.lists(st.integers(0, 8), min_size=features, max_size=features), min_size=0, max_size=12
    ).map(lambda rows: np.array(rows, dtype=np.float64).reshape(len(rows), features) / 8)
)


def brute_force(carried, least_gain):
    found = []
    alone = carried.sum(axis=1)
    features = carried.shape[1]
    for i in range(len(carried)):
        for j in range(i + 1, len(carried)):
            first, second = (i, j) if alone[i] >= alone[j] else (j, i)
            together = np.maximum(carried[i], carried[j]).sum()
            if together - alone[first] > least_gain * features + 1e-9:
                found.append((-together, -alone[first], first, second))
    return sorted(found)


@settings(max_examples=300)
@given(_rows, st.integers(1, 20), st.sampled_from([0.0, 0.1]))
def test_the_best_pairs_are_those_of_all_pairs(carried, limit, least_gain):
    found = best_pairs(carried, limit=limit, least_gain=least_gain)
    expected = brute_force(carried, least_gain)[:limit]
    features = max(carried.shape[1], 1)
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [e[2:] for e in expected]
    assert np.allclose(found.covered, [-e[0] / features for e in expected])
    assert np.allclose(found.gain, [(e[1] - e[0]) / features for e in expected])


def test_many_documents_of_any_values():
    carried = np.random.default_rng(3).random((300, 8)) ** 3
    found = best_pairs(carried, limit=40)
    expected = brute_force(carried, 0.0)[:40]
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [e[2:] for e in expected]


def test_a_document_that_covers_all_needs_no_second():
    carried = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    found = best_pairs(carried, limit=5)
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(1, 2)]
    assert found.gain.tolist() == [0.5]
