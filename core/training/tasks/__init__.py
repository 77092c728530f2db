"""Kinds of training tasks by their names in a recipe. One module for each kind, one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.errors import InputError
from core.training.task import Task, TaskSource
from core.training.tasks.cpc import cpc
from core.training.tasks.distil import distil
from core.training.tasks.views import section_views

TaskFactory = Callable[[TaskSource], Task]

TASKS: Mapping[str, TaskFactory] = {
    "cpc": cpc,
    "distil": distil,
    "views": section_views,
}


def make_task(kind: str, source: TaskSource) -> Task:
    """A task of the registry; `InputError` for a kind or a parameter that is not known."""
    if kind not in TASKS:
        raise InputError(f"there is no task {kind!r}; known: {', '.join(sorted(TASKS))}")
    task = TASKS[kind](source)
    source.params.done()
    return task
