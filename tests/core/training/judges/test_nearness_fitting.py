"""Fitting nearness: it learns what a rotation hides, joins passages, and refuses what teaches nothing."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")

from claimlight.errors import InputError, TaskCancelled
from claimlight.judging.candidates import contrast
from claimlight.tasks import TaskContext
from claimlight.training.judges.nearness import NearnessRecipe, VectorBlock, fit_nearness, join
from claimlight.vectors import unit_rows

pytestmark = pytest.mark.train
DIM = 16


def make_blocks(number, seed=0):
    """Documents whose disclosing passage is the feature, turned; cosines say nothing of it."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(np.random.default_rng(99).normal(size=(DIM, DIM)))
    blocks = []
    for _ in range(number):
        features = unit_rows(rng.normal(size=(3, DIM)).astype(np.float32))
        passages = unit_rows(rng.normal(size=(6, DIM)).astype(np.float32))
        places = rng.permutation(6)[:2]
        # The third feature is disclosed nowhere.
        for feature, place in enumerate(places):
            passages[place] = features[feature] @ turn.astype(np.float32)
        blocks.append(VectorBlock(features, passages, (*((int(place),) for place in places), ())))
    return blocks


def first(blocks, score):
    found = [
        int(np.argmax(contrast(score(block))[number])) in rows
        for block in blocks
        for number, rows in enumerate(block.right)
        if rows
    ]
    return np.mean(found)


def test_it_finds_what_cosines_do_not_on_documents_it_has_not_seen():
    recipe = NearnessRecipe(rank=DIM, epochs=20, rate=0.02, dropout=0.0, joined=0.0)
    made = fit_nearness(make_blocks(150), "toy", recipe, TaskContext())
    others = make_blocks(60, seed=1)
    assert made.encoder == "toy"
    assert made.left.shape == made.right.shape == (DIM, DIM)
    by_cosine = first(others, lambda block: block.features @ block.passages.T)
    fitted = first(others, lambda block: made.score(block.features, block.passages))
    assert by_cosine < 0.5
    assert fitted > 0.8


def test_the_same_seed_gives_the_same_numbers():
    recipe = NearnessRecipe(rank=2, epochs=1)
    one, other = (fit_nearness(make_blocks(5), "toy", recipe, TaskContext()) for _ in range(2))
    assert np.array_equal(one.left, other.left)
    assert np.array_equal(one.right, other.right)


def test_a_joined_passage_discloses_what_any_of_its_parts_did():
    (block,) = make_blocks(1)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        joined = join(block, rng)
        assert len(joined.passages) in (2, 3)
        assert np.allclose(np.linalg.norm(joined.passages, axis=1), 1.0, atol=1e-5)
        for before, after in zip(block.right, joined.right, strict=True):
            assert len(after) == bool(before)
        for (place,), feature in zip(joined.right[:2], range(2), strict=True):
            own = block.passages[block.right[feature][0]]
            # The mean of two or three unit vectors holds at least the part of one of them.
            assert joined.passages[place] @ own > 0.2


def test_a_document_of_one_feature_and_one_without_any_are_taken():
    rng = np.random.default_rng(3)
    vectors = unit_rows(rng.normal(size=(4, DIM)).astype(np.float32))
    alone = VectorBlock(vectors[:1], vectors[1:], ((1,),))
    silent = VectorBlock(vectors[:1], vectors[1:], ((),))
    made = fit_nearness([alone, silent], "toy", NearnessRecipe(rank=2, epochs=2, joined=0.0), TaskContext())
    assert np.isfinite(made.left).all()
    with pytest.raises(InputError, match="nothing to fit to"):
        fit_nearness([silent], "toy", NearnessRecipe(), TaskContext())


def test_it_can_be_cancelled():
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        fit_nearness(make_blocks(2), "toy", NearnessRecipe(), context)
