"""The layout: near vectors come near each other, the same each time, and places of others stay."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.errors import TaskCancelled
from claimlight.services.maps import projection
from claimlight.tasks import TaskContext
from claimlight.vectors import unit_rows


def grouped(count: int, *, groups: int = 12, dim: int = 64, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Vectors around some centers, and the group of each."""
    random = np.random.default_rng(seed)
    own = random.integers(0, groups, count)
    centers = random.normal(size=(groups, dim))
    vectors = centers[own] + 0.6 * random.normal(size=(count, dim))
    return unit_rows(vectors.astype(np.float32)), own


def kept(vectors: np.ndarray, places: np.ndarray, *, full: int = 10, plane: int = 50) -> float:
    """Share of the nearest in the space that are among the nearest on the plane."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2.0)
    squares = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    near, beside = np.argsort(-cosines, axis=1)[:, :full], np.argsort(squares, axis=1)[:, :plane]
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(near, beside, strict=True)]))


def test_the_layout_keeps_neighbours_where_two_directions_do_not():
    vectors, own = grouped(600, groups=40)
    places = projection.lay_out(vectors, TaskContext())
    flat = projection.reduce_directions(vectors, 2)
    assert kept(vectors, places, plane=15) > 2 * kept(vectors, flat, plane=15)
    squares = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    assert (own[squares.argmin(axis=1)] == own).mean() > 0.95


def test_the_layout_is_the_same_whatever_the_threads(monkeypatch):
    vectors, _ = grouped(2500, dim=16)
    places = projection.lay_out(vectors, TaskContext())
    monkeypatch.setattr(projection, "usable_cores", lambda: 1)
    assert np.array_equal(places, projection.lay_out(vectors, TaskContext()))
    assert np.sqrt((places**2).sum(axis=1)).max() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 17])
def test_small_libraries_have_a_map_too(count):
    places = projection.lay_out(grouped(count)[0], TaskContext())
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()


def test_equal_vectors_are_parted():
    places = projection.lay_out(np.tile(np.float32([[0.6, 0.8]]), (40, 1)), TaskContext())
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(4), axis=0)) == 40


def test_a_later_document_is_placed_in_its_group():
    vectors, own = grouped(300)
    places = projection.lay_out(vectors, TaskContext())
    late = unit_rows(vectors[:20] + 0.02 * np.random.default_rng(5).normal(size=(20, 64)).astype(np.float32))
    made = projection.place_among(late, vectors, places, TaskContext())
    nearest = ((made[:, None] - places[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (own[nearest] == own[:20]).mean() > 0.9


def test_progress_is_told_and_cancelling_stops():
    told = []
    projection.lay_out(grouped(200)[0], TaskContext(told.append))
    shares = [event.done for event in told]
    assert shares == sorted(shares)
    assert shares[-1] > 90
    context = TaskContext(lambda event: context.cancel() if event.done >= 50 else None)
    with pytest.raises(TaskCancelled):
        projection.lay_out(grouped(200)[0], context)
