"""An empty library for each test of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from claimlight.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(tmp_path / "library") as made:
        yield made
