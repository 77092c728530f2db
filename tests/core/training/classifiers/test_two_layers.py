"""The two-layer probe: gradients by differences, steps by torch, and what it is for: many rare labels."""

import numpy as np
import pytest

from claimlight.tasks import TaskContext
from claimlight.training.classifiers import two_layers
from claimlight.training.classifiers.two_layers import (
    BATCH,
    DECAY,
    RATE,
    TwoLayers,
    first_weights,
    fit_two_layers,
    gradients,
    loss_of,
)

ROWS, LABELS, DIM = 600, 60, 24


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(two_layers, "HIDDEN", 16)


def problem(rng, *, rows=40, labels=3, dimensions=8):
    vectors = rng.normal(size=(rows, dimensions)).astype(np.float32)
    return vectors, (rng.random((rows, labels)) < 0.3).astype(np.float32)


def test_gradients_are_those_of_small_differences(small):
    rng = np.random.default_rng(0)
    vectors, wanted = problem(rng)
    weights = tuple(item.astype(np.float64) for item in first_weights(8, 3, rng))
    found = gradients(weights, vectors.astype(np.float64), wanted)
    for part, gradient in zip(weights, found, strict=True):
        for place in rng.integers(0, part.size, 10):
            values = []
            for shift in (1e-6, -1e-6):
                part.flat[place] += shift
                values.append(loss_of(TwoLayers(weights).logits(vectors), wanted))
                part.flat[place] -= shift
            assert gradient.flat[place] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-7)


def test_the_loss_by_hand():
    logits = np.array([[0.0, 200.0, -200.0]], dtype=np.float32)
    assert loss_of(logits, np.array([[1.0, 1.0, 0.0]])) == pytest.approx(np.log(2) / 3)
    assert loss_of(logits, np.array([[1.0, 0.0, 0.0]])) == pytest.approx((np.log(2) + 200) / 3)


def test_first_weights_lie_within_the_root_of_the_inputs(small):
    weights = first_weights(100, 5, np.random.default_rng(1))
    assert [item.shape for item in weights] == [(100, 16), (16,), (16, 5), (5,)]
    for item, bound in zip(weights, (0.1, 0.1, 0.25, 0.25), strict=True):
        assert 0.4 * bound < np.abs(item).max() <= bound


@pytest.mark.train
@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_steps_are_those_of_torch(small, scale):
    """With the greater scale gradients are longer than one, and cut."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(2)
    vectors, wanted = problem(rng)
    vectors *= np.float32(scale)
    weights = first_weights(8, 3, rng)
    first, second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 3)
    theirs = [first.weight, first.bias, second.weight, second.bias]
    for parameter, item in zip(theirs, weights, strict=True):
        parameter.data = torch.from_numpy(item.T.copy())
    optimiser = torch.optim.Adam(theirs, lr=RATE, weight_decay=DECAY)
    model = two_layers._Model(tuple(item.copy() for item in weights))
    for _ in range(5):
        optimiser.zero_grad()
        logits = second(torch.relu(first(torch.from_numpy(vectors))))
        torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(wanted)).backward()
        torch.nn.utils.clip_grad_norm_(theirs, 1.0)
        optimiser.step()
        model.step(vectors, wanted)
    for parameter, item in zip(theirs, model.weights, strict=True):
        np.testing.assert_allclose(item, parameter.detach().numpy().T, rtol=1e-4, atol=1e-6)


def clustered(seed):
    """Every label has a direction of its own, every row one or two of sixty labels."""
    rng = np.random.default_rng(seed)
    directions = np.random.default_rng(99).normal(size=(LABELS, DIM))
    targets = np.zeros((ROWS, LABELS), dtype=np.bool_)
    for row in targets:
        row[rng.integers(0, LABELS, rng.integers(1, 3))] = True
    vectors = targets @ directions + rng.normal(0, 0.3, (ROWS, DIM))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), targets


def test_many_rare_labels_are_learned(monkeypatch):
    """Where no row is right as a whole for many epochs, so that stopping by such a share learns nothing."""
    monkeypatch.setattr(two_layers, "HIDDEN", 128)
    monkeypatch.setattr(two_layers, "RATE", 1e-3)
    vectors, targets = clustered(1)
    asked, truth = clustered(2)
    scores = fit_two_layers(vectors, targets, seed=1, context=TaskContext()).scores(asked)
    assert truth[np.arange(ROWS), scores.argmax(axis=1)].mean() > 0.8
    monkeypatch.setattr(two_layers, "EPOCHS", two_layers.PATIENCE + 1)
    early = fit_two_layers(vectors, targets, seed=1, context=TaskContext()).scores(asked)
    assert ((early >= 0.5) == truth).all(axis=1).mean() < 0.02


def test_it_stops_where_nothing_more_is_learned_and_takes_the_best(small, monkeypatch):
    monkeypatch.setattr(two_layers, "RATE", 3e-2)
    rng = np.random.default_rng(3)
    vectors, targets = rng.normal(size=(300, 40)).astype(np.float32), rng.random((300, 2)) < 0.5
    told = []
    model = fit_two_layers(vectors, targets, seed=1, context=TaskContext(told.append))
    last = told[-1].done
    assert last < two_layers.EPOCHS - 1
    # Stopping at once where it stopped for good gives the weights of the epoch five before the last.
    monkeypatch.setattr(two_layers, "EPOCHS", last + 1 - two_layers.PATIENCE)
    monkeypatch.setattr(two_layers, "PATIENCE", 1000)
    again = fit_two_layers(vectors, targets, seed=1, context=TaskContext())
    for one, other in zip(model.weights, again.weights, strict=True):
        assert np.array_equal(one, other)


def test_of_a_handful_of_rows_none_is_kept_out(small):
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(19, 6)).astype(np.float32)
    told = []
    fit_two_layers(vectors, rng.random((19, 2)) < 0.5, seed=1, context=TaskContext(told.append))
    assert len(told) == two_layers.EPOCHS
    assert BATCH > 19


def test_the_length_of_vectors_means_nothing(small):
    vectors, targets = clustered(5)
    first, second = (
        fit_two_layers(vectors[:100] * factor, targets[:100], seed=1, context=TaskContext())
        for factor in (np.float32(1), np.float32(1024))
    )
    assert first.scale == pytest.approx(np.sqrt(DIM))
    np.testing.assert_allclose(
        first.scores(vectors[100:150]), second.scores(vectors[100:150] * np.float32(1024)), rtol=1e-4
    )
    assert two_layers.scale_of(np.zeros((3, 2), dtype=np.float32)) == 1.0
    assert two_layers.scale_of(np.zeros((0, 2), dtype=np.float32)) == 1.0
