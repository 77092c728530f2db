"""Libraries made by copying an empty one, which is much faster than making them anew."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from claimlight.store import Store
from claimlight.types import Patent
from tests.core.store.invented import write


@pytest.fixture(scope="session")
def empty_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    Store.create(folder).close()
    return folder / "library.db"


@pytest.fixture(scope="session")
def library_of(empty_library: Path) -> Callable[[list[Patent]], object]:
    """A library of some documents, for a with statement."""

    @contextmanager
    def made(patents: list[Patent]) -> Iterator[Store]:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(empty_library, Path(folder) / "library.db")
            with Store.open(Path(folder)) as store:
                write(store, *patents)
                yield store

    return made
