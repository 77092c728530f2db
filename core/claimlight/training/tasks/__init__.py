"""Kinds of training tasks by their names in a recipe. One module for each kind, one line here.

Those of papers are added by `claimlight.lab`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from claimlight.errors import InputError
from claimlight.registry import Registry
from claimlight.training.task import Task, TaskSource
from claimlight.training.tasks.own_texts import own_texts
from claimlight.training.tasks.pairs import pairs
from claimlight.training.tasks.sections import citation_pairs, class_pairs, passage_views

TaskFactory = Callable[[TaskSource], Task]

_OWN: Mapping[str, TaskFactory] = {
    "file": own_texts,
    "pairs": pairs,
    "passage_views": passage_views,
    "class_pairs": class_pairs,
    "citation_pairs": citation_pairs,
}
TASKS: Registry[str, TaskFactory] = Registry(_OWN, "claimlight.lab.training.kinds:TASKS")


def make_task(kind: str, source: TaskSource) -> Task:
    """A task of the registry; `InputError` for a kind or a parameter that is not known."""
    if kind not in TASKS:
        raise InputError(f"there is no task {kind!r}; known: {', '.join(sorted(TASKS))}")
    task = TASKS[kind](source)
    source.params.done()
    return task
