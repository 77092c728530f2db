"""Intervals of a total from a stratified sample: exact, and honest if nothing is found."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest

from claimlight.errors import BugError
from claimlight.services.stopping.intervals import StratumCount, interval_of_total


def chance(size, relevant, drawn, hits):
    if hits > relevant or drawn - hits > size - relevant:
        return 0.0
    return comb(relevant, hits) * comb(size - relevant, drawn - hits) / comb(size, drawn)


def by_every_way(strata, tail=0.025):
    """The totals that no test rejects, by trying all of them."""

    def estimate(hits):
        return sum(s.size / s.read * hit for s, hit in zip(strata, hits, strict=True))

    seen = estimate([s.relevant for s in strata])
    kept = {0: [], 1: []}
    outcomes = list(itertools.product(*(range(s.read + 1) for s in strata)))
    for totals in itertools.product(*(range(s.size + 1) for s in strata)):
        if any(
            t < s.relevant or s.size - t < s.read - s.relevant for s, t in zip(strata, totals, strict=True)
        ):
            continue  # the sample itself shows that it is not so
        below = above = 0.0
        for hits in outcomes:
            p = np.prod([chance(s.size, t, s.read, h) for s, t, h in zip(strata, totals, hits, strict=True)])
            below += p * (estimate(hits) <= seen + 1e-9)
            above += p * (estimate(hits) >= seen - 1e-9)
        kept[0] += [sum(totals)] * bool(above > tail)
        kept[1] += [sum(totals)] * bool(below > tail)
    return min(kept[0]), max(kept[1])


@pytest.mark.parametrize(
    "strata",
    [
        [StratumCount(25, 5, 1)],
        [StratumCount(12, 3, 1), StratumCount(9, 3, 0)],
        [StratumCount(5, 2, 2), StratumCount(6, 2, 0), StratumCount(8, 2, 1)],
    ],
)
def test_the_interval_is_that_of_the_exact_tests(strata):
    found = interval_of_total(strata)
    assert (found.low, found.high) == by_every_way(strata)
    assert found.low <= found.estimate <= found.high


def test_nothing_found_still_leaves_room():
    found = interval_of_total([StratumCount(1000, 20, 0)])
    # The rule of three for both tails, less what drawing without replacement gains.
    assert (found.estimate, found.low) == (0, 0)
    assert 150 < found.high < 1000 * (1 - 0.025 ** (1 / 20))


def test_a_list_read_to_its_end_has_no_doubt():
    found = interval_of_total([StratumCount(30, 30, 4), StratumCount(10, 10, 0)])
    assert (found.estimate, found.low, found.high) == (4, 4, 4)


def test_a_stratum_of_which_nothing_is_read_may_be_anything():
    found = interval_of_total([StratumCount(10, 10, 2), StratumCount(90, 0, 0)])
    assert (found.low, found.high) == (2, 92)


def test_nothing_read_at_all_says_nothing():
    found = interval_of_total([StratumCount(90, 0, 0)])
    assert (found.low, found.high) == (0, 90)


def test_a_finer_search_of_long_lists_finds_the_same():
    """Of 4,000 documents only some totals are tried at first; the ends are those of trying all."""
    strata = [StratumCount(4000, 30, 2)]
    found = interval_of_total(strata)

    def below(total):
        return sum(chance(4000, total, 30, hit) for hit in range(3))

    assert below(found.high) > 0.025 >= below(found.high + 1)


def test_the_interval_has_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)
    for truth in ((0, 0), (10, 2), (40, 10), (60, 300)):
        inside = 0
        for _ in range(400):
            hits = [
                rng.hypergeometric(t, n - t, k) for t, n, k in zip(truth, (100, 500), (8, 22), strict=True)
            ]
            found = interval_of_total(
                [StratumCount(100, 8, int(hits[0])), StratumCount(500, 22, int(hits[1]))]
            )
            inside += found.low <= sum(truth) <= found.high
        assert inside >= 0.93 * 400, truth


def test_more_strata_than_can_be_searched_are_refused():
    with pytest.raises(BugError):
        interval_of_total([StratumCount(10, 2, 0)] * 4)
