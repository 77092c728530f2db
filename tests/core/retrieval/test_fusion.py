"""Reciprocal-rank fusion and families."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.base import Ranking, best_first
from core.retrieval.catalogue import Catalogue
from core.retrieval.fusion import fold_families, fuse, leg_ranks
from core.types import Leg, LegRank

WEIGHTS = {Leg.BM25: 1.0, Leg.DENSE: 2.0, Leg.CENTERS: 0.0}


def ranking(leg, ids):
    count = len(ids)
    return Ranking(
        leg, np.array(ids, np.int64), np.arange(count, 0, -1, dtype=np.float64), np.zeros(count, np.int64)
    )


def catalogue(families):
    ids = np.arange(1, len(families) + 1, dtype=np.int64)
    return Catalogue(1, ids, ids, ids, ids, np.array(families, np.int64), ids, ids)


_ids = st.lists(st.integers(1, 30), unique=True, max_size=20)


@given(_ids, _ids, st.floats(1, 100))
def test_fusion_is_the_formula(bm25, dense, k):
    fused = fuse([ranking(Leg.DENSE, dense), ranking(Leg.BM25, bm25)], weights=WEIGHTS, k=k)
    expected = {}
    for weight, ids in ((1.0, bm25), (2.0, dense)):
        for rank, item in enumerate(ids, 1):
            expected[item] = expected.get(item, 0.0) + weight / (k + rank)
    assert dict(zip(fused.ids.tolist(), fused.scores.tolist(), strict=True)) == pytest.approx(expected)
    pairs = [(-s, i) for i, s in zip(fused.ids.tolist(), fused.scores.tolist(), strict=True)]
    assert pairs == sorted(pairs)


def test_ties_go_to_the_lower_id_and_weight_zero_is_left_out():
    fused = fuse([ranking(Leg.BM25, [9, 4]), ranking(Leg.CENTERS, [7])], weights=WEIGHTS, k=60)
    assert fused.ids.tolist() == [9, 4]
    tie = fuse([ranking(Leg.BM25, [9]), ranking(Leg.DENSE, [])], weights=WEIGHTS, k=60)
    assert tie.ids.tolist() == [9]
    both = {Leg.BM25: 1.0, Leg.DENSE: 1.0}
    assert fuse([ranking(Leg.BM25, [9, 4]), ranking(Leg.DENSE, [4, 9])], weights=both, k=60).ids.tolist() == [
        4,
        9,
    ]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.data(), st.integers(1, 6))
def test_one_row_for_each_family(families, data, top):
    order = data.draw(st.permutations(range(1, len(families) + 1)))
    found = data.draw(st.integers(1, len(order)))
    fused = fuse([ranking(Leg.BM25, order[:found])], weights=WEIGHTS, k=60)
    rows = fold_families(fused, catalogue(families), top=top)
    expected = {}
    for patent in order[:found]:
        expected.setdefault(families[patent - 1], []).append(patent)
    assert [[row.patent, *row.others] for row in rows] == list(expected.values())[:top]


def test_nothing_found_folds_to_nothing():
    assert fold_families(fuse([], weights=WEIGHTS, k=60), catalogue([]), top=5) == []


def test_ranks_of_each_leg():
    legs = [ranking(Leg.BM25, [5, 2]), ranking(Leg.CENTERS, [2])]
    assert leg_ranks(legs, [2, 5, 8]) == {
        2: (LegRank(Leg.BM25, 2, 1.0), LegRank(Leg.CENTERS, 1, 1.0)),
        5: (LegRank(Leg.BM25, 1, 2.0),),
        8: (),
    }


def test_documents_by_their_best_part():
    ids = np.array([3, 1, 3, 2], np.int64)
    found = best_first(
        Leg.CENTERS,
        ids,
        np.array([1.0, 2.0, 2.0, 2.0]),
        depth=2,
        passages=np.array([30, 10, 31, 20], np.int64),
    )
    assert (found.ids.tolist(), found.passages.tolist()) == ([1, 2], [10, 20])
