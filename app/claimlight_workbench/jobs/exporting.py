"""Writes what is exported, a picture or a table, in a worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from claimlight.files import Access, write_atomically
from claimlight_workbench.jobs.runner import Job, JobRunner, Lane

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext


def write_file(runner: JobRunner, path: Path, make: Callable[[], bytes]) -> Job:
    """Write what ``make`` gives, which runs in the worker too; the job gives the path as text."""

    def write(context: TaskContext) -> str:
        context.check()
        write_atomically(path, make(), Access.AS_BEFORE)
        return str(path)

    return runner.submit(write, lane=Lane.WRITE)
