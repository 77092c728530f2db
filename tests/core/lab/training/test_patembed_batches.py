"""How rows become batches: nothing twice in one, and a partner for every label."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from claimlight.lab.training.patembed.batches import group_by_label, label_pairs, no_duplicates

KEYS = st.lists(st.sets(st.integers(0, 12), min_size=1, max_size=3), min_size=1, max_size=60)


@given(KEYS, st.integers(1, 8), st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12))))
def test_no_key_stands_twice_and_none_is_barred(keys, size, barred):
    bars = [{b for a, b in barred if a in own} | {a for a, b in barred if b in own} for own in keys]
    count = max(len(keys) // size, 1)
    batches = no_duplicates(range(len(keys)), size, count, keys=keys.__getitem__, bars=bars.__getitem__)
    assert len(batches) == count
    flat = [row for batch in batches for row in batch]
    assert len(flat) == len(set(flat))
    left = set(range(len(keys))) - set(flat)
    for batch in batches:
        assert 0 < len(batch) <= size
        together = Counter(key for row in batch for key in keys[row])
        assert all(count == 1 for count in together.values())
        for row in batch:
            others = {key for other in batch if other != row for key in keys[other]}
            assert not (bars[row] - keys[row]) & others
        if len(batch) < size:
            # Short only because none of the rows that are left over would fit.
            used = set(together)
            wall = {key for row in batch for key in bars[row] - keys[row]}
            assert all(keys[row] & (used | wall) or (bars[row] - keys[row]) & used for row in left)


def test_rows_that_do_not_fit_come_next():
    keys = ["a", "a", "b", "c", "a", "d"]
    batches = no_duplicates(range(6), 2, 3, keys=lambda row: [keys[row]])
    assert batches == [[0, 2], [1, 3], [4, 5]]


def test_rows_that_waited_keep_their_order():
    keys = [{"a", "c"}, {"a"}, {"a"}, {"c"}, {"c"}, {"f"}]
    assert no_duplicates(range(6), 2, 3, keys=keys.__getitem__) == [[0, 5], [1, 3], [2, 4]]


LABELS = st.lists(st.integers(0, 4), min_size=4, max_size=60)


@given(LABELS, st.sampled_from([4, 6, 8]), st.integers(0, 99))
def test_every_row_has_a_partner_and_a_stranger(labels, size, seed):
    found = np.array(labels)
    order = np.random.default_rng(seed).permutation(len(found))
    batches = group_by_label(order, found, size)
    assert len(batches) == label_pairs(found, size)
    flat = [row for batch in batches for row in batch]
    assert len(flat) == len(set(flat))
    for batch in batches:
        counts = Counter(found[row] for row in batch)
        assert all(count % 2 == 0 for count in counts.values())
        assert len(batch) == size or len(batches) == 1
    pairs = Counter(label for label, count in Counter(labels).items() for _ in range(count // 2))
    strangers = sum(pairs.values()) - max(pairs.values(), default=0)
    alone = sum(len({found[row] for row in batch}) == 1 for batch in batches)
    # As many batches as there are pairs of other labels than the largest are mixed.
    assert alone <= max(len(batches) - strangers, 0)


def test_labels_keep_their_share():
    labels = np.repeat([0, 1], (86, 14))
    batches = group_by_label(np.random.default_rng(5).permutation(100), labels, 10)
    assert len(batches) == 10
    assert sum(int(labels[row]) for batch in batches for row in batch) == 14
    mixed = [batch for batch in batches if 0 < sum(int(labels[row]) for row in batch) < len(batch)]
    # Seven pairs of the rarer label; the batches that have none are those it can't reach.
    assert len(mixed) == 7


def test_one_label_makes_no_batch():
    assert label_pairs(np.array([1, 1, 1, 1, 2]), 4) == 0
    assert group_by_label(np.arange(5), np.array([1, 1, 1, 1, 2]), 4) == []
