"""The sample library, opened once as a researcher opens it; tests read only."""

from __future__ import annotations

import pytest

import claimlight


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("api") / "Sample"


@pytest.fixture(scope="session")
def sample(folder):
    with claimlight.sample(folder) as library:
        yield library


@pytest.fixture(scope="session")
def application():
    return claimlight.sample_application()


@pytest.fixture(scope="session")
def results(sample, application):
    return sample.search(file=application, claim=1, top=8)
