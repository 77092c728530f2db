"""A library of real files with an index, for tests that damage it.

Run as a program it repairs a library and kills itself at the n-th operation on files.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from claimlight.services.indexing.indexing import build
from claimlight.services.library.library import Library
from claimlight.services.repair import diagnosis
from claimlight.services.repair.index_repair import read_ids
from claimlight.services.repair.library_repair import restore_library
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from tests.core.services.library.importing_fakes import WORDS, source, take
from tests.fakes import stack

SETTINGS = change(change(Settings(), "index.documents_per_segment", 8), "imports.workers", 1)
COUNT = 24
_OPERATIONS = ("os.rename", "os.link", "os.remove", "os.mkdir", "sqlite3.connect", "shutil.rmtree", "open")


def make(folder: Path, count: int = COUNT) -> Path:
    """A library of ``count`` grants that are in one file beside it, indexed in several segments."""
    take(folder, source(folder.with_name("week.xml"), count))
    index(folder)
    return folder


def index(folder: Path, model=None):
    """Index with words as the model; the report."""
    from unittest.mock import patch

    made = model or stack(WORDS)
    name = "claimlight.services.models.encoding_stack.open_encoding_stack"
    with patch(name, lambda _: made), Library.open(folder) as library:
        return build(library, TaskContext(), SETTINGS)


def restore(folder: Path, *sources: Path):
    """Rebuild the database as the repair does; the report."""
    return restore_library(folder, sources, read_ids(folder), TaskContext(), SETTINGS)


def repair(folder: Path | None, *sources: Path):
    """Examine byte by byte and repair; what was found, and the results."""
    found = diagnosis.examine(SETTINGS, folder, TaskContext(), thorough=True)
    return found, list(diagnosis.repair(found, SETTINGS, TaskContext(), sources=sources))


def main(folder: str, at: str) -> None:
    left = [int(at)]

    def count(event, arguments):
        if event in _OPERATIONS and folder in str(arguments[0]):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    restore(Path(folder))
    sys.stdout.write(f"{left[0]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
