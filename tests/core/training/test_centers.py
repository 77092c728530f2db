"""Farthest-first is the textbook loop to the last bit; radii are exact and no center is dead."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BugError, InputError, TaskCancelled
from core.index.centers import quantise
from core.tasks import TaskContext
from core.training import centers


def textbook(spans, count, seed=123):
    """One product for each center; distances as fractions of whole numbers, decided in fp32."""
    points = spans.astype(np.float32)
    reciprocal = (1.0 / np.sqrt((spans.astype(np.int64) ** 2).sum(axis=1))).astype(np.float32)
    best = np.full(len(points), -np.inf, dtype=np.float32)
    cell = np.zeros(len(points), dtype=np.int32)
    chosen = [int(np.random.default_rng(seed).integers(len(points)))]
    while True:
        scores = (points @ points[chosen[-1]]) * reciprocal[chosen[-1]]
        nearer = scores > best
        best[nearer] = scores[nearer]
        cell[nearer] = len(chosen) - 1
        if len(chosen) == count:
            return np.array(chosen), cell, best * reciprocal
        chosen.append(int(np.argmin(best * reciprocal)))


def structured(count, dim, seed, groups=7):
    """Tight clusters, exact duplicates and a common direction: what token vectors look like."""
    rng = np.random.default_rng(seed)
    middle = rng.standard_normal((groups, dim))
    points = middle[rng.integers(groups, size=count)] + 0.2 * rng.standard_normal((count, dim)) + 1.0
    points[rng.integers(count, size=count // 3)] = points[rng.integers(count, size=count // 3)]
    return quantise(points.astype(np.float32))


def assert_same(spans, count, seed=123):
    found = centers.farthest_first(spans, count, seed=seed)
    chosen, cell, similarity = textbook(spans, count, seed)
    assert np.array_equal(found.chosen, chosen)
    assert np.array_equal(found.cell, cell)
    assert np.array_equal(found.similarity, similarity)
    return found


@given(st.integers(2, 150), st.integers(2, 40), st.integers(0, 10_000), st.data())
@settings(max_examples=80, deadline=None)
def test_equals_the_textbook_loop(count, dim, seed, data):
    spans = structured(count, dim, seed)
    candidates = data.draw(st.integers(1, count))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(centers, "_CANDIDATES", candidates)
        patch.setattr(centers, "_ROWS", data.draw(st.integers(1, count)))
        assert_same(spans, data.draw(st.integers(1, count)), seed)


def test_equals_the_textbook_loop_on_more_spans():
    rng = np.random.default_rng(3)
    assert_same(quantise(rng.standard_normal((5000, 384)).astype(np.float32)), 300)
    found = assert_same(structured(6000, 384, seed=5, groups=40), 500)
    assert found.passes < 100


def test_integer_products_are_exact_in_fp32():
    """The worst case of the sizes that are let in, and the first that is not."""
    worst = np.full((2, 1040), 127, dtype=np.int8)
    product = worst[0].astype(np.float32) @ worst[1].astype(np.float32)
    assert int(product) == 1040 * 127 * 127 < 1 << 24
    with pytest.raises(BugError):
        centers.farthest_first(np.full((2, 1041), 127, dtype=np.int8), 1)


def test_all_equal_spans_still_give_centers():
    spans = np.tile(np.arange(1, 9, dtype=np.int8), (50, 1))
    assert_same(spans, 5)


def test_a_shorter_vocabulary_is_a_prefix():
    spans = structured(400, 24, seed=1)
    longer = centers.farthest_first(spans, 60)
    assert np.array_equal(centers.farthest_first(spans, 25).chosen, longer.chosen[:25])


@pytest.mark.parametrize("count", [0, 11])
def test_impossible_counts_are_refused(count):
    with pytest.raises(InputError):
        centers.farthest_first(structured(10, 8, seed=1), count)


def test_it_can_be_cancelled():
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        centers.farthest_first(structured(300, 8, seed=1), 50, context=context)


def traversal(cells):
    """A traversal whose cells hold spans at the given distances."""
    cell = np.concatenate([np.full(len(d), n) for n, d in enumerate(cells)]).astype(np.int32)
    similarity = (1.0 - np.concatenate(cells)).astype(np.float32)
    return centers.Traversal(np.arange(len(cells)), cell, similarity, 1)


def test_a_full_cell_has_its_exact_percentile():
    rng = np.random.default_rng(0)
    cells = [np.sort(rng.random(size)) for size in (100, 250, 1000)]
    found = centers.radii(traversal(cells))
    for radius, distances in zip(found.radii, cells, strict=True):
        inside = np.mean(distances <= radius + 1e-6)
        assert inside >= 0.99
        assert np.mean(distances < radius - 1e-6) < 0.99
    assert found.typical == pytest.approx(float(np.median(found.radii)), abs=1e-6)


def test_small_cells_are_drawn_to_the_typical_radius():
    full = [np.linspace(0.0, top, 200) for top in (0.2, 0.3, 0.4)]
    found = centers.radii(traversal([*full, np.zeros(1), np.linspace(0, 0.1, 50)]))
    typical = found.typical
    assert typical == pytest.approx(0.3, abs=0.01)
    assert found.radii[3] == pytest.approx(0.99 * typical, abs=1e-6)
    assert found.radii[4] == pytest.approx(0.5 * 0.1 + 0.5 * typical, abs=1e-6)


def test_without_full_cells_all_distances_give_the_typical_radius():
    found = centers.radii(traversal([np.linspace(0, 0.2, 30), np.linspace(0, 0.4, 30), np.zeros(1)]))
    assert 0.3 < found.typical <= 0.4
    assert found.radii.min() > 0.1


def test_an_empty_cell_gets_the_typical_radius():
    spans = np.tile(np.arange(1, 9, dtype=np.int8), (50, 1))
    found = centers.radii(centers.farthest_first(spans, 3))
    assert found.cell_sizes.tolist() == [50, 0, 0]
    assert len(found.radii) == 3
