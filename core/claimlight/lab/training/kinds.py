"""What a recipe may name beside the product's own tasks and losses (`claimlight.training`)."""

from __future__ import annotations

from collections.abc import Mapping

from claimlight.lab.training.losses.cosine import cosine_contrastive, cosine_regression
from claimlight.lab.training.losses.labelled import batch_hard, online_contrastive, pair_softmax
from claimlight.lab.training.losses.section_views import section_views as section_view_loss
from claimlight.lab.training.losses.targets import squared_error
from claimlight.lab.training.losses.triplets import margin_triplet
from claimlight.lab.training.tasks.cpc import cpc
from claimlight.lab.training.tasks.distil import distil
from claimlight.lab.training.tasks.patembed import patembed
from claimlight.lab.training.tasks.triplets import triplets
from claimlight.lab.training.tasks.views import section_views
from claimlight.training.losses import LossFactory
from claimlight.training.tasks import TaskFactory

TASKS: Mapping[str, TaskFactory] = {
    "cpc": cpc,
    "distil": distil,
    "patembed": patembed,
    "views": section_views,
    "triplets": triplets,
}
LOSSES: Mapping[str, LossFactory] = {
    "batch_hard": batch_hard,
    "cosine_contrastive": cosine_contrastive,
    "cosine_regression": cosine_regression,
    "margin_triplet": margin_triplet,
    "online_contrastive": online_contrastive,
    "pair_softmax": pair_softmax,
    "section_views": section_view_loss,
    "squared_error": squared_error,
}
