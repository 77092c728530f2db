"""Losses on cosines and towards targets, against plain loops and sentence-transformers."""

import math
import random

import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")

import torch

from claimlight.errors import InputError
from claimlight.training.losses import make_loss
from claimlight.training.params import Params

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]


def loss(name, **params):
    return make_loss(name, Params(params, "test"), 5)


def pairs(seed=0, count=7):
    rng = random.Random(seed)
    rows = [[rng.gauss(0, 2) for _ in range(5)] for _ in range(count)]
    near = [[value + rng.gauss(0, 0.5) for value in row] for row in rows]
    other = [[rng.gauss(0, 1) for _ in range(5)] for _ in range(count)]
    labels = [float(number % 2) for number in range(count)]
    right = [one if label else two for one, two, label in zip(near, other, labels, strict=True)]
    return rows, right, labels


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


def tensors(*lists):
    return [torch.tensor(item, dtype=torch.float64) for item in lists]


@pytest.mark.parametrize("margin", [0.5, 0.9])
def test_cosine_contrastive_is_the_printed_sum(margin):
    left, right, labels = pairs()
    wanted = 0.0
    for a, b, y in zip(left, right, labels, strict=True):
        distance = 1 - cosine(a, b)
        wanted += (distance**2 if y else max(0.0, margin - distance) ** 2) / 2 / len(labels)
    a, b, y = tensors(left, right, labels)
    assert wanted > 0
    assert loss("cosine_contrastive", margin=margin)([a, b], y).item() == pytest.approx(wanted)


def test_cosine_contrastive_is_that_of_sentence_transformers():
    losses = pytest.importorskip("sentence_transformers.losses")
    a, b, y = tensors(*pairs(3))
    theirs = losses.ContrastiveLoss(None, margin=0.5)
    assert loss("cosine_contrastive")([a, b], y).item() == pytest.approx(
        theirs.compute_loss_from_embeddings([a, b], y).item()
        if hasattr(theirs, "compute_loss_from_embeddings")
        else _through_a_model(losses, a, b, y)
    )


def _through_a_model(losses, a, b, y):
    found = iter((a, b))
    own = losses.ContrastiveLoss(lambda _features: {"sentence_embedding": next(found)}, margin=0.5)
    return own([{}, {}], y).item()


def test_pairs_past_the_margin_are_let_go():
    a = torch.tensor([[1.0, 0.0]])
    b = torch.tensor([[0.0, 1.0]], requires_grad=True)
    loss("cosine_contrastive")([a, b], torch.tensor([0.0])).backward()
    assert b.grad.abs().sum() == 0
    near = torch.tensor([[1.0, 0.1]], requires_grad=True)
    loss("cosine_contrastive")([a, near], torch.tensor([0.0])).backward()
    assert near.grad.abs().sum() > 0


def test_cosine_regression_is_the_squared_difference_to_the_label():
    left, right, labels = pairs(5)
    wanted = [(cosine(a, b) - y) ** 2 for a, b, y in zip(left, right, labels, strict=True)]
    a, b, y = tensors(left, right, labels)
    assert loss("cosine_regression")([a, b], y).item() == pytest.approx(sum(wanted) / len(wanted))


def test_squared_error_sums_over_dimensions_and_averages_over_texts():
    left, right, _ = pairs(7)
    a, b = tensors(left, right)
    wanted = sum(
        (x - y) ** 2 for one, two in zip(left, right, strict=True) for x, y in zip(one, two, strict=True)
    )
    assert loss("squared_error")([a], b).item() == pytest.approx(wanted / len(left))
    directions = [2 * (1 - cosine(one, two)) for one, two in zip(left, right, strict=True)]
    assert loss("squared_error", unit=True)([a], b).item() == pytest.approx(sum(directions) / len(left))


def test_what_a_loss_needs_and_does_not_know_is_said():
    a, b, y = tensors(*pairs())
    with pytest.raises(ValueError, match="labels"):
        loss("cosine_contrastive")([a, b], None)
    with pytest.raises(ValueError, match="targets"):
        loss("squared_error")([a], y)
    with pytest.raises(InputError, match="margin = 3"):
        loss("cosine_contrastive", margin=3)
    with pytest.raises(InputError, match="margins is not known"):
        loss("cosine_contrastive", margins=0.3)
