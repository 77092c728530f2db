"""Fitting how near passages are to features (`claimlight.judging.nearness`) on charts.

The loss of a feature is that of its disclosing passages among all of their document:

    -log(sum_right(exp(t * contrast)) / sum_all(exp(t * contrast)))

with the contrast by which candidates are chosen, and a fitted ``t``. Paragraphs of charts speak of one
feature each, those of real descriptions often of several; so in a share of the documents paragraphs are
joined, two or three at a time, by the mean of their vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.judging.candidates import RIVALS, SHARED, SHARPNESS
from claimlight.judging.nearness import Nearness
from claimlight.tasks import TaskContext
from claimlight.training.recipe import Count, Positive, Share
from claimlight.types import Progress
from claimlight.vectors import unit_rows

_JOINED = (2, 3)
"""Paragraphs that are joined."""
_START = 0.02
"""Standard deviation of the first numbers of one matrix; the other one begins with zeros."""
_SCALE = 3.0
"""Logarithm of ``t`` at first."""
_SCALE_RATE = 1e-2
_BATCH = 8
"""Documents in a step."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """The vectors of a claim and a document."""

    features: Floats
    """[F, d] unit vectors."""
    passages: Floats
    """[P, d] unit vectors."""
    right: tuple[tuple[int, ...], ...]
    """For each feature the indices of the passages that disclose it."""


@dataclass(frozen=True, slots=True)
class NearnessRecipe:
    """How it is fitted."""

    rank: Count = 32
    epochs: Count = 8
    rate: Positive = 1e-3
    """Falls to zero, epoch by epoch."""
    decay: Share = 0.02
    dropout: Share = 0.1
    joined: Share = 0.5
    """Share of the documents whose paragraphs are joined."""
    seed: Count = 0


def fit_nearness(
    blocks: Sequence[VectorBlock], encoder: str, recipe: NearnessRecipe, context: TaskContext
) -> Nearness:
    """Fit ``left`` and ``right`` [d, rank] for the vectors of the encoder with this fingerprint.

    Raises `InputError` if no passage of any block discloses anything.
    """
    import torch

    if not any(any(block.right) for block in blocks):
        raise InputError("No passage discloses a feature: there is nothing to fit to.")
    rng = np.random.default_rng(recipe.seed)
    dim = blocks[0].features.shape[1]
    left = torch.from_numpy(rng.normal(scale=_START, size=(dim, recipe.rank)).astype(np.float32))
    matrices = [torch.nn.Parameter(left), torch.nn.Parameter(torch.zeros(dim, recipe.rank))]
    scale = torch.nn.Parameter(torch.tensor(_SCALE))
    optimizer = torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": recipe.decay},
            {"params": [scale], "weight_decay": 0.0, "lr": _SCALE_RATE},
        ],
        lr=recipe.rate,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        for epoch in range(recipe.epochs):
            optimizer.param_groups[0]["lr"] = recipe.rate * (1 - epoch / recipe.epochs)
            losses = []
            order = rng.permutation(len(blocks))
            for start in range(0, len(order), _BATCH):
                context.check()
                drawn = [blocks[place] for place in order[start : start + _BATCH]]
                shown = [join(item, rng) if rng.random() < recipe.joined else item for item in drawn]
                parts = [part for item in shown if len(part := _loss(item, matrices, scale, recipe.dropout))]
                if not parts:
                    continue
                loss = torch.cat(parts).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            told = f"loss {np.mean(losses):.4f}" if losses else ""
            context.report(Progress("Nearness", epoch + 1, recipe.epochs, "rounds", 0.0, None, told))
    found = [matrix.detach().numpy() for matrix in matrices]
    return Nearness(encoder, found[0], found[1])


def join(block: VectorBlock, rng: np.random.Generator) -> VectorBlock:
    """The same with passages joined at random, two or three at a time; what any of them discloses, all do."""
    count = len(block.passages)
    order = rng.permutation(count)
    size = int(rng.integers(_JOINED[0], _JOINED[1] + 1))
    groups = [order[start : start + size] for start in range(0, count, size)]
    place = {int(row): number for number, rows in enumerate(groups) for row in rows}
    return VectorBlock(
        block.features,
        unit_rows(np.array([block.passages[rows].mean(axis=0) for rows in groups])),
        tuple(tuple(sorted({place[row] for row in rows})) for rows in block.right),
    )


def _loss(block: VectorBlock, matrices: Sequence[Any], scale: Any, dropout: float) -> Any:
    """[features with a disclosing passage] losses."""
    import torch

    drop = torch.nn.functional.dropout
    left, right = matrices
    features, passages = (drop(torch.from_numpy(item), dropout) for item in (block.features, block.passages))
    near = features @ passages.T + (features @ left) @ (passages @ right).T
    if len(near) > 1:
        apart = near - SHARED * near.mean(dim=0)
        near = apart - RIVALS * torch.logsumexp(SHARPNESS * apart, dim=0) / SHARPNESS
    said = torch.log_softmax(scale.exp() * near, dim=1)
    found = [
        -torch.logsumexp(row[list(rows)], 0) for row, rows in zip(said, block.right, strict=True) if rows
    ]
    return torch.stack(found) if found else said.new_zeros(0)
