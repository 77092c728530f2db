"""Contrastive losses over the cosine of a pair that belongs together (label 1) or does not (label 0)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from claimlight.training.params import Params
from claimlight.training.task import Loss


def cosine_contrastive(params: Params, _dimension: int) -> Loss:
    """Mean of y·d² + (1-y)·max(0, margin - d)², d = 1 - cosine, halved (Hadsell et al. 2006).

    That is ContrastiveLoss over the cosine distance as sentence-transformers has it, with its ``margin`` of
    0.5: a pair that does not belong together is let go of once its cosine is below 0.5. The CPC paper
    (section 4.2) names "a contrastive loss function based on cosine similarity" and no more.
    """
    margin = params.number("margin", 0.5, least=0, most=2)

    def loss(vectors: Sequence[Any], labels: Any | None) -> Any:
        import torch

        distance = 1 - _cosines(vectors)
        together = _labels(labels, distance)
        apart = torch.relu(margin - distance)
        return ((together * distance.square() + (1 - together) * apart.square()) / 2).mean()

    return loss


def cosine_regression(_params: Params, _dimension: int) -> Loss:
    """Mean of (cosine - y)², the other loss that the paper's words may mean (CosineSimilarityLoss).

    It draws pairs that do not belong together to a right angle, and no further.
    """

    def loss(vectors: Sequence[Any], labels: Any | None) -> Any:
        cosines = _cosines(vectors)
        return (cosines - _labels(labels, cosines)).square().mean()

    return loss


def _cosines(vectors: Sequence[Any]) -> Any:
    from torch.nn.functional import cosine_similarity

    left, right = vectors
    return cosine_similarity(left, right, dim=-1)


def _labels(labels: Any | None, like: Any) -> Any:
    if labels is None:
        raise ValueError("a contrastive loss needs labels: 1 for a pair that belongs together, 0 for another")
    return labels.to(like.dtype)
