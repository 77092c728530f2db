"""A case book with a clock of its own."""

from __future__ import annotations

import pytest

from claimlight.services.cases.cases import CaseBook
from tests.core.services.cases.cases_fakes import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "Cases" / "cases.db"


@pytest.fixture
def book(path, clock):
    with CaseBook.open(path, clock=clock) as opened:
        yield opened
