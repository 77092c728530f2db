"""All checks, as *Check this computer* and `claimlight doctor` run them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from claimlight.services.health import computer, installation
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import LibraryInfo
from claimlight.types.health import Finding, WindowFacts


def examine(
    settings: Settings,
    folder: Path | None = None,
    *,
    info: LibraryInfo | None = None,
    window: WindowFacts | None = None,
    context: TaskContext | None = None,
) -> Iterator[Finding]:
    """Check installation and computer; takes some seconds, as the model is loaded.

    ``folder``, ``info``: of the library that is worked with, if there is one. ``window``: None on the
    command line.
    """
    for each in (installation.examine(settings), computer.examine(folder, info, window=window)):
        for finding in each:
            if context is not None:
                context.check()
            yield finding
