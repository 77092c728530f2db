"""A space evened out behind the last step: the mean of the vectors taken away, large variances made smaller.

Contrastive training leaves vectors that share a direction and differ along few. What whitening does about it
is a linear layer, learned from texts alone: x → C^(−s/2) (x − m), m the mean and C the covariance of the
vectors, s the share of the variance that goes: with 0 the vectors are centred, with 1 every direction is as
wide as every other ("whitening" of sentence vectors), between them the large directions give way to the
small ones and still lead. The layer is symmetric: of all that even out as much, it moves the vectors least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.tasks import TaskContext
from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.training.model import fronts

if TYPE_CHECKING:
    from claimlight.training.model.trainable import TrainableEncoder

TEXTS = 8000
"""Documents that the mean and the covariance are learned from, where there are so many."""
_FLOOR = 1e-3
"""Least variance, as a share of the mean one: directions that hold nothing are not blown up."""


def whitening(vectors: NDArray[np.floating], share: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Matrix [d, d] and bias [d] of the layer that whitens vectors [n, d] by ``share``, 0 to 1.

    It is scaled so that the mean variance stays as it is. `InputError` for fewer vectors than dimensions.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    count, size = rows.shape
    if count <= size:
        raise InputError(_few(count, size))
    mean = rows.mean(axis=0)
    variances, directions = np.linalg.eigh((rows - mean).T @ (rows - mean) / count)
    variances = np.maximum(variances, _FLOOR * max(variances.mean(), np.finfo(np.float64).tiny))
    factors = variances ** (-share / 2)
    factors *= np.sqrt(variances.mean() / (variances * factors**2).mean())
    matrix = (directions * factors) @ directions.T
    return matrix.astype(np.float32), (-matrix @ mean).astype(np.float32)


def check(encoder: TrainableEncoder, corpus: TrainingCorpus) -> None:
    """`InputError` where the corpus has too few texts to whiten by; to be asked before the first step."""
    if (count := len(corpus.with_abstract())) <= encoder.dimension:
        raise InputError(_few(count, encoder.dimension))


def whiten(
    encoder: TrainableEncoder, corpus: TrainingCorpus, share: float, context: TaskContext, *, seed: int
) -> None:
    """Put the layer behind ``encoder``, learned from titles and abstracts of ``corpus`` drawn by ``seed``.

    A projection that is there becomes one with it. A projector is left out, as it is when a model is saved.
    """
    import torch

    texts = fronts.drawn(corpus, TEXTS, seed=seed)
    matrix, bias = whitening(fronts.vectors(encoder, texts, context), share)
    made = torch.nn.Linear(len(bias), len(bias)).to(encoder.device)
    with torch.no_grad():
        made.weight.copy_(torch.from_numpy(matrix))
        made.bias.copy_(torch.from_numpy(bias))
        encoder.module["projection"] = _behind(encoder.projection, made)


def _few(count: int, size: int) -> str:
    return f"vectors of {size} dimensions can't be whitened by only {count:,} texts"


def _behind(first: Any, second: Any) -> Any:
    """One linear layer for two; ``first`` may be the identity. To be called without gradients."""
    import torch

    if not hasattr(first, "out_features"):
        return second
    made = torch.nn.Linear(first.in_features, second.out_features).to(second.weight.device)
    made.weight.copy_(second.weight @ first.weight)
    made.bias.copy_(second.bias)
    if first.bias is not None:
        made.bias.add_(second.weight @ first.bias)
    return made
