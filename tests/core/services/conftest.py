"""A small library for sets; the sample library with the shipped model, indexed once for all tests here."""

from __future__ import annotations

import pytest

from claimlight.services.cases.cases import CaseBook
from tests.core.services.set_fakes import PATENTS, WORDS, index, searcher
from tests.fakes import library, machinery


@pytest.fixture(scope="session")
def sample_engine(tmp_path_factory):
    """The open sample library and an engine over it; tests read only."""
    from claimlight.services import sample
    from claimlight.services.search.search import SearchEngine
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext

    folder = tmp_path_factory.mktemp("sample") / "Sample"
    with sample.ensure(TaskContext(), Settings(), folder) as library:
        yield library, SearchEngine.open(library, Settings())


@pytest.fixture
def model():
    return machinery(WORDS)


@pytest.fixture
def bare(tmp_path):
    """A library without an index."""
    with library(tmp_path / "L", PATENTS) as opened:
        yield opened


@pytest.fixture
def made(bare, model):
    index(bare, model)
    return bare


@pytest.fixture
def sets(made, model):
    return searcher(made, model)


@pytest.fixture
def book(tmp_path):
    with CaseBook.open(tmp_path / "cases.db") as opened:
        yield opened
