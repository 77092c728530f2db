"""Losses by their names in a recipe. One module for each group, one line here for each loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from claimlight.errors import InputError
from claimlight.training.losses.contrastive import info_nce
from claimlight.training.losses.cosine import cosine_contrastive, cosine_regression
from claimlight.training.losses.labelled import batch_hard, online_contrastive, pair_softmax
from claimlight.training.losses.section_views import section_views
from claimlight.training.losses.targets import squared_error
from claimlight.training.losses.triplets import margin_triplet
from claimlight.training.params import Params
from claimlight.training.task import Loss

LossFactory = Callable[[Params, int], Loss]
"""From the recipe's ``[task.loss_params]`` and the dimension of the vectors to a loss."""

LOSSES: Mapping[str, LossFactory] = {
    "batch_hard": batch_hard,
    "cosine_contrastive": cosine_contrastive,
    "cosine_regression": cosine_regression,
    "info_nce": info_nce,
    "margin_triplet": margin_triplet,
    "online_contrastive": online_contrastive,
    "pair_softmax": pair_softmax,
    "section_views": section_views,
    "squared_error": squared_error,
}


def make_loss(name: str, params: Params, dimension: int) -> Loss:
    """A loss of the registry; `InputError` for a name or a parameter that is not known."""
    if name not in LOSSES:
        raise InputError(f"there is no loss {name!r}; known: {', '.join(sorted(LOSSES))}")
    loss = LOSSES[name](params, dimension)
    params.done()
    return loss
