"""Kinds of training tasks by their names in a recipe. One module for each kind, one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from claimlight.errors import InputError
from claimlight.training.task import Task, TaskSource
from claimlight.training.tasks.cpc import cpc
from claimlight.training.tasks.distil import distil
from claimlight.training.tasks.own_texts import own_texts
from claimlight.training.tasks.pairs import pairs
from claimlight.training.tasks.patembed import patembed
from claimlight.training.tasks.sections import citation_pairs, class_pairs, passage_views
from claimlight.training.tasks.triplets import triplets
from claimlight.training.tasks.views import section_views

TaskFactory = Callable[[TaskSource], Task]

TASKS: Mapping[str, TaskFactory] = {
    "file": own_texts,
    "pairs": pairs,
    "cpc": cpc,
    "distil": distil,
    "patembed": patembed,
    "views": section_views,
    "passage_views": passage_views,
    "class_pairs": class_pairs,
    "citation_pairs": citation_pairs,
    "triplets": triplets,
}


def make_task(kind: str, source: TaskSource) -> Task:
    """A task of the registry; `InputError` for a kind or a parameter that is not known."""
    if kind not in TASKS:
        raise InputError(f"there is no task {kind!r}; known: {', '.join(sorted(TASKS))}")
    task = TASKS[kind](source)
    source.params.done()
    return task
