"""The tasks of a recipe, made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from claimlight.training.params import Params
from claimlight.training.recipes.reading import load
from claimlight.training.task import Task, TaskSource
from claimlight.training.tasks import make_task


def tasks_of(recipe: str, source: TaskSource) -> Sequence[Task]:
    """Every task of a recipe (its file, or its shipped name) with library, seed and folder of ``source``."""
    return [
        make_task(item.kind, replace(source, params=Params(item.params, f"{recipe}, {item.name}, params")))
        for item in load(recipe).tasks
    ]
