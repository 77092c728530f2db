"""The index of the checks, made once for each engine."""

from __future__ import annotations

import pytest

from claimlight.engines.checks import prepare


@pytest.fixture(scope="module")
def prepared(open_backend):
    prepare(open_backend)
    return open_backend
