"""Losses over labels, as the paper prints them: against plain loops, and against sentence-transformers."""

import math

import pytest

from claimlight.errors import InputError
from claimlight.training.losses import make_loss
from claimlight.training.params import Params

pytestmark = pytest.mark.train
torch = pytest.importorskip("torch", reason="needs claimlight[train]")


def loss(name, **params):
    return make_loss(name, Params(params, "my.toml"), 8)


def vectors(*shape, seed=0):
    found = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)
    return found.requires_grad_()


def value(tensor):
    return float(tensor.detach())


def cosine(one, other):
    return value(one @ other / one.norm() / other.norm())


def test_online_contrastive_is_the_printed_mean():
    left, right = vectors(20, 8), vectors(20, 8, seed=1)
    labels = torch.tensor([1.0, 0.0, 0.0, 1.0] * 5)
    with torch.no_grad():
        # Some negatives are beyond the margin, else the second term would be 0 of all of them.
        right[1::4] = left[1::4] + 0.3 * right[1::4]
    total = 0.0
    beyond = 0
    for one, other, label in zip(left, right, labels, strict=True):
        s = cosine(one, other)
        beyond += s > 0.5 and not bool(label)
        total += (1 - s) ** 2 if bool(label) else max(0.0, s - 0.5) ** 2
    assert beyond > 2
    assert value(loss("online_contrastive")([left, right], labels)) == pytest.approx(total / 20, rel=1e-5)
    assert value(loss("online_contrastive", margin=2)([left, right], 0 * labels)) == 0


@pytest.mark.parametrize("labels", [[1, 0, 0, 1, 1, 0, 0, 0], [1] * 8, [0] * 8])
def test_hard_pairs_are_those_of_sentence_transformers(labels):
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    theirs = losses.OnlineContrastiveLoss(model=torch.nn.Identity(), margin=0.5)
    left, right = vectors(8, 8), vectors(8, 8, seed=1)
    given = torch.tensor(labels, dtype=torch.float32)
    expected = theirs.compute_loss_from_embeddings([left, right], given)
    assert value(loss("online_contrastive", hard=True)([left, right], given)) == pytest.approx(
        value(expected), rel=1e-5
    )


def test_batch_hard_takes_the_hardest_texts_of_the_batch():
    texts = vectors(12, 8)
    labels = torch.tensor([0, 0, 1, 1, 2, 2, 0, 1, 2, 3, 0, 1], dtype=torch.float32)
    terms = []
    for a in range(12):
        like = [cosine(texts[a], texts[p]) for p in range(12) if p != a and labels[p] == labels[a]]
        other = [cosine(texts[a], texts[n]) for n in range(12) if labels[n] != labels[a]]
        if like:
            terms.append(math.log(1 + math.exp(max(other) - min(like))))
    # The one text of label 3 has no partner and does not count.
    assert len(terms) == 11
    found = loss("batch_hard")([texts], labels)
    assert value(found) == pytest.approx(sum(terms) / 11, rel=1e-5)
    found.backward()
    assert torch.isfinite(texts.grad).all()
    assert texts.grad.abs().sum() > 0


def test_batch_hard_by_distance_is_that_of_sentence_transformers():
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    theirs = losses.BatchHardSoftMarginTripletLoss(model=torch.nn.Identity())
    texts = vectors(12, 8)
    labels = torch.tensor([0, 0, 1, 1, 2, 2] * 2, dtype=torch.float32)
    expected = theirs.compute_loss_from_embeddings([texts], labels)
    found = loss("batch_hard", distance="euclidean")([texts], labels)
    assert value(found) == pytest.approx(value(expected), rel=1e-5)


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
def test_equal_texts_and_batches_of_one_label_break_nothing(distance):
    texts = torch.ones(4, 8, requires_grad=True)
    found = loss("batch_hard", distance=distance)([texts], torch.tensor([0.0, 0.0, 1.0, 1.0]))
    assert value(found) == pytest.approx(math.log(2), rel=1e-5)
    found.backward()
    assert torch.isfinite(texts.grad).all()
    texts = vectors(4, 8)
    alone = loss("batch_hard", distance=distance)([texts], torch.zeros(4))
    assert value(alone) == 0
    alone.backward()
    assert value(texts.grad.abs().sum()) == 0


def test_pair_softmax_is_the_printed_cross_entropy():
    own = loss("pair_softmax")
    left, right = vectors(6, 8), vectors(6, 8, seed=1)
    labels = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    weights = own.head.weight.detach()
    assert weights.shape == (2, 16)
    assert own.head.bias is None
    total = 0.0
    for u, v, label in zip(left, right, labels, strict=True):
        both = torch.cat((u / u.norm(), v / v.norm()))
        scores = [value(weights[k] @ both) for k in range(2)]
        total -= math.log(math.exp(scores[int(label)]) / sum(map(math.exp, scores)))
    found = own([left, right], labels)
    assert value(found) == pytest.approx(total / 6, rel=1e-5)
    found.backward()
    assert own.head.weight.grad.abs().sum() > 0
    assert loss("pair_softmax", classes=3, bias=True).head.bias.shape == (3,)


def test_a_softmax_over_pairs_learns_what_order_tells():
    torch.manual_seed(0)
    own = loss("pair_softmax")
    one, other = vectors(64, 8).detach(), vectors(64, 8, seed=1).detach()
    older = one[:, 0] < other[:, 0]
    labels = older.float()
    optimizer = torch.optim.Adam(own.parameters(), lr=0.1)
    first = value(own([one, other], labels))
    for _ in range(100):
        optimizer.zero_grad()
        own([one, other], labels).backward()
        optimizer.step()
    assert value(own([one, other], labels)) < first / 2


@pytest.mark.parametrize("name", ["online_contrastive", "batch_hard", "pair_softmax"])
def test_labels_must_be_there(name):
    columns = [vectors(4, 8)] * (1 if name == "batch_hard" else 2)
    with pytest.raises(InputError, match="needs labels"):
        loss(name)(columns, None)
